/*
 * nbc_matrix.c - computes the gains of a model.
 */
#include "kernels/classify/nbc_matrix.h"

#include "io/base/buf.h"
#include "io/base/logmsg.h"
#include "kernels/classify/nbc_spec.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_PER_TASK = 256 };

/* Allocate a matrix without setting its gains. */
static status_t allocate(int32_t n_classes, int64_t n_rows, nbc_matrix_t *out)
{
    const int32_t n_blocks = nbc_matrix_blocks(n_classes);
    const int32_t n_groups = n_blocks * NBC_GROUPS,
                  n_ceilings = nbc_matrix_blocks(n_groups);
    nbc_matrix_t m = {.n_rows = n_rows, .n_blocks = n_blocks, .n_ceilings = n_ceilings};

    m.gains = buf_alloc_pages((size_t)nbc_matrix_bytes(n_classes, n_rows));
    m.row_cost = calloc((size_t)n_rows + 1, sizeof(*m.row_cost));
    m.class_rate = calloc((size_t)n_blocks * NBC_BLOCK + 1, sizeof(*m.class_rate));
    m.ceiling = buf_alloc_pages((size_t)nbc_matrix_bytes(n_groups, n_rows));
    m.group_rate = calloc((size_t)n_ceilings * NBC_BLOCK + 1, sizeof(*m.group_rate));
    if (m.gains == NULL || m.row_cost == NULL || m.class_rate == NULL ||
        m.ceiling == NULL || m.group_rate == NULL) {
        nbc_matrix_free(&m);
        return log_nomem("the matrix of a classifier");
    }
    *out = m;
    return ST_OK;
}

status_t nbc_matrix_create(int32_t n_classes, int64_t n_rows, nbc_matrix_t *out)
{
    status_t st = allocate(n_classes, n_rows, out);

    if (st == ST_OK)
        memset(out->gains, 0, (size_t)nbc_matrix_bytes(n_classes, n_rows));
    return st;
}

uint16_t nbc_word_gain(nbc_word_gains_t *word, int32_t m)
{
    if (m >= NBC_GAINS_KEPT)
        return nbc_gain(m, word->n, word->n_refs);
    if (word->kept[m] == 0)
        word->kept[m] = nbc_gain(m, word->n, word->n_refs);
    return word->kept[m];
}

/* No gain is more than that of a word that one reference alone has: n >= m, and the
 * quotient of m and n + 1/2 is less than 1. */
int32_t nbc_matrix_safe(int64_t n_refs)
{
    return UINT16_MAX / (int32_t)(NBC_SCALE * log2((double)n_refs + 2) + 1);
}

static uint16_t max_of(const uint16_t *gains)
{
    uint16_t max = 0;

    for (int c = 0; c < NBC_GROUP; c++)
        max = gains[c] > max ? gains[c] : max;
    return max;
}

static void bound_row(const nbc_matrix_t *m, int64_t row)
{
    for (int32_t k = 0; k < m->n_ceilings; k++)
        memset(nbc_matrix_ceiling(m, k, row), 0, NBC_ROW_BYTES);
    for (int32_t group = 0; group < m->n_blocks * NBC_GROUPS; group++)
        nbc_matrix_ceiling(m, group / NBC_BLOCK, row)[group % NBC_BLOCK] = max_of(
            nbc_matrix_row(m, group / NBC_GROUPS, row) + group % NBC_GROUPS * NBC_GROUP);
}

static void bound_rows(void *ctx, int64_t task, int thread)
{
    const nbc_matrix_t *m = ctx;
    const int64_t end = (task + 1) * WORDS_PER_TASK;

    (void)thread;
    for (int64_t row = task * WORDS_PER_TASK; row < end && row < m->n_rows; row++)
        bound_row(m, row);
}

void nbc_matrix_bound(nbc_matrix_t *m, pool_t *pool)
{
    pool_run(pool, (m->n_rows + WORDS_PER_TASK - 1) / WORDS_PER_TASK, bound_rows, m);
    for (int32_t c = 0; c < m->n_blocks * NBC_BLOCK; c++) {
        int64_t *min = &m->group_rate[c / NBC_GROUP], rate = m->class_rate[c];

        if (rate > 0 && (*min == 0 || rate < *min))
            *min = rate;
    }
}

typedef struct {
    const nbc_model_t *model;
    const nbc_matrix_t *matrix;
} fill_t;

static void fill_word(const nbc_model_t *model, const nbc_matrix_t *matrix, int64_t word)
{
    nbc_word_gains_t gains = {model->word_refs[word], model->n_refs, {0}};

    matrix->row_cost[word] = nbc_word_cost(gains.n, gains.n_refs);
    for (int32_t b = 0; b < matrix->n_blocks; b++)
        memset(nbc_matrix_row(matrix, b, word), 0, NBC_ROW_BYTES);
    for (int64_t k = model->word_first[word]; k < model->word_first[word + 1]; k++)
        *nbc_matrix_gain(matrix, word, model->counts[k].class_number) =
            nbc_word_gain(&gains, model->counts[k].n_refs);
}

static void fill_words(void *ctx, int64_t task, int thread)
{
    const fill_t *fill = ctx;

    (void)thread;
    for (int64_t word = task * WORDS_PER_TASK; word < (task + 1) * WORDS_PER_TASK; word++)
        fill_word(fill->model, fill->matrix, word);
}

status_t nbc_matrix_of_model(const nbc_model_t *model, pool_t *pool, nbc_matrix_t *out)
{
    fill_t fill = {model, out};
    status_t st = allocate(model->classes->n, NBC_N_WORDS, out);

    if (st != ST_OK)
        return st;
    pool_run(pool, NBC_N_WORDS / WORDS_PER_TASK, fill_words, &fill);
    for (int32_t c = 0; c < model->classes->n; c++)
        out->class_rate[c] = nbc_class_rate(model->class_refs[c]);
    out->n_safe = nbc_matrix_safe(model->n_refs);
    nbc_matrix_bound(out, pool);
    return ST_OK;
}

void nbc_matrix_free(nbc_matrix_t *m)
{
    free(m->gains);
    free(m->row_cost);
    free(m->class_rate);
    free(m->ceiling);
    free(m->group_rate);
    *m = (nbc_matrix_t){0};
}
