/*
 * trial_sample.c - draws the pairs of a trial, and compares results.
 */
#include "kernels/align/engine/trial.h"

#include "io/base/logmsg.h"
#include "kernels/align/common/nw_reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHECKED_MAX = 8, NUMBERS = 3 };

/* The reference computes about 7e7 cells per second and thread. */
static const double CHECK_CELLS_PER_THREAD = 5e6;

/* Add TRIAL_SIDE sequences of min_len..max_len bases, evenly spread over the set; some of
 * them several times if there are fewer. */
static status_t pick(const seqset_t *set, int64_t min_len, int64_t max_len,
                     seqset_builder_t *out)
{
    int64_t n = 0, ordinal = 0, taken = 0;
    status_t st = ST_OK;

    for (int64_t i = 0; i < set->n; i++)
        n += seqset_len(set, i) >= min_len && seqset_len(set, i) <= max_len;
    for (int64_t i = 0; st == ST_OK && i < set->n; i++) {
        if (seqset_len(set, i) < min_len || seqset_len(set, i) > max_len)
            continue;
        for (; st == ST_OK && taken < TRIAL_SIDE && taken * n / TRIAL_SIDE == ordinal;
             taken++)
            st = seqset_builder_add(out, seqset_name(set, i), strlen(seqset_name(set, i)),
                                    seqset_letters(set, i), (size_t)seqset_len(set, i));
        ordinal++;
    }
    return st;
}

status_t trial_sample_draw(const trial_t *t, int length_class, trial_sample_t *out)
{
    static const int64_t min_len[] = {1, TRIAL_SHORT_MAX + 1, TRIAL_16S_MAX + 1};
    static const int64_t max_len[] = {TRIAL_SHORT_MAX, TRIAL_16S_MAX, INT64_MAX};
    seqset_builder_t builder = {0};
    status_t st =
        pick(t->context.set, min_len[length_class], max_len[length_class], &builder);

    out->trial = t;
    if (st == ST_OK)
        st = pick(t->context.set, 1, max_len[length_class], &builder);
    if (st == ST_OK)
        st = seqset_builder_finish(&builder, &out->set);
    seqset_builder_free(&builder);
    if (st != ST_OK)
        return st;
    out->pairs = malloc(TRIAL_PAIRS_MAX * sizeof(*out->pairs));
    out->known = malloc(TRIAL_PAIRS_MAX * NUMBERS * sizeof(*out->known));
    out->by = malloc(TRIAL_PAIRS_MAX * sizeof(*out->by));
    if (out->pairs == NULL || out->known == NULL || out->by == NULL)
        return log_nomem("a trial of kernels");
    for (int k = 0; k < TRIAL_SIDE * TRIAL_SIDE; k++)
        out->pairs[k] =
            (pair_t){k % TRIAL_SIDE,
                     TRIAL_SIDE + (k + k / TRIAL_SIDE + TRIAL_SIDE / 2) % TRIAL_SIDE};
    out->n_pairs = TRIAL_SIDE * TRIAL_SIDE;
    out->pair_cells = trial_sample_cells(out, out->n_pairs) / (double)out->n_pairs;
    return ST_OK;
}

void trial_sample_keep(trial_sample_t *s, const aligner_backend_t *const *backends,
                       int n_backends)
{
    int64_t n = 0;

    for (int64_t i = 0; i < s->n_pairs; i++) {
        pair_t p = s->pairs[i];
        bool all_take = true;

        for (int k = 0; k < n_backends; k++)
            all_take = all_take && aligner_backend_takes(backends[k], &s->trial->context,
                                                         seqset_len(s->set, p.query),
                                                         seqset_len(s->set, p.target));
        if (all_take)
            s->pairs[n++] = p;
    }
    s->n_pairs = n;
    for (int64_t i = n; n > 0 && i < TRIAL_PAIRS_MAX; i++)
        s->pairs[i] = s->pairs[i - n];
}

double trial_sample_cells(const trial_sample_t *s, int64_t n)
{
    double cells = 0;

    for (int64_t i = 0; i < n; i++)
        cells += (double)seqset_len(s->set, s->pairs[i].query) *
                 (double)seqset_len(s->set, s->pairs[i].target);
    return cells;
}

static nw_cell_t reference(const trial_sample_t *s, int64_t i, nw_values_t *row)
{
    pair_t p = s->pairs[i];

    return nw_reference_pair(s->trial->context.spec, seqset_letters(s->set, p.query),
                             seqset_len(s->set, p.query),
                             seqset_letters(s->set, p.target),
                             seqset_len(s->set, p.target), row);
}

typedef struct {
    trial_sample_t *sample;
    nw_values_t *rows; /* [threads][row_len] */
    int64_t row_len;
} check_t;

static void check_one(void *ctx, int64_t i, int thread)
{
    check_t *c = ctx;
    nw_cell_t cell = reference(c->sample, i, c->rows + thread * c->row_len);
    int32_t *known = c->sample->known + i * NUMBERS;

    known[0] = (int32_t)cell.score;
    known[1] = (int32_t)cell.matches;
    known[2] = (int32_t)cell.columns;
    c->sample->by[i] = NULL;
}

status_t trial_sample_check(trial_sample_t *s)
{
    int n_threads = pool_n_threads(s->trial->context.pool);
    check_t c = {.sample = s, .row_len = seqset_max_len(s->set) + 1};
    int64_t n = 0;

    while (n < s->n_pairs && n < CHECKED_MAX &&
           trial_sample_cells(s, n + 1) <= CHECK_CELLS_PER_THREAD * n_threads)
        n++;
    c.rows = malloc((size_t)(c.row_len * n_threads) * sizeof(*c.rows));
    if (c.rows == NULL)
        return log_nomem("a trial of kernels");
    pool_run(s->trial->context.pool, n, check_one, &c);
    s->n_checked = s->n_known = n;
    free(c.rows);
    return ST_OK;
}

static void spell(const trial_sample_t *s, const int32_t *numbers, char *out, size_t size)
{
    if (!align_has_identity(s->trial->context.spec))
        snprintf(out, size, "score %d", numbers[0]);
    else
        snprintf(out, size, "score, matches, columns %d %d %d", numbers[0], numbers[1],
                 numbers[2]);
}

static bool equal(const trial_sample_t *s, const int32_t *a, const int32_t *b)
{
    return a[0] == b[0] && (!align_has_identity(s->trial->context.spec) ||
                            (a[1] == b[1] && a[2] == b[2]));
}

/* Two results differ: report the backend whose result is not the reference's. */
static status_t report_wrong(const trial_sample_t *s, const aligner_backend_t *backend,
                             int64_t i, const int32_t *got)
{
    nw_values_t *row = malloc((size_t)(seqset_max_len(s->set) + 1) * sizeof(*row));
    nw_cell_t cell;
    int32_t right[NUMBERS];
    char got_text[80], right_text[80];

    if (row == NULL)
        return log_nomem("a trial of kernels");
    cell = reference(s, i, row);
    free(row);
    right[0] = (int32_t)cell.score;
    right[1] = (int32_t)cell.matches;
    right[2] = (int32_t)cell.columns;
    if (s->by[i] != NULL && equal(s, got, right)) {
        backend = s->by[i];
        got = s->known + i * NUMBERS;
    }
    spell(s, got, got_text, sizeof(got_text));
    spell(s, right, right_text, sizeof(right_text));
    log_error("kernel %s is wrong on %s: '%s' and '%s' have %s, not %s; choose another "
              "--kernel, and run `ribogrid selftest`",
              backend->base.name, s->trial->context.device->name,
              seqset_name(s->set, s->pairs[i].query),
              seqset_name(s->set, s->pairs[i].target), right_text, got_text);
    return ST_EDEVICE;
}

status_t trial_sample_compare(trial_sample_t *s, const aligner_backend_t *backend,
                              int64_t n, const pair_results_t *got)
{
    bool identity = align_has_identity(s->trial->context.spec);

    for (int64_t i = 0; i < n; i++) {
        int32_t numbers[NUMBERS] = {got->score[i], identity ? got->matches[i] : 0,
                                    identity ? got->columns[i] : 0};
        int32_t *known = s->known + i * NUMBERS;

        if (i >= s->n_known) {
            memcpy(known, numbers, sizeof(numbers));
            s->by[i] = backend;
        } else if (!equal(s, numbers, known)) {
            return report_wrong(s, backend, i, numbers);
        }
    }
    s->n_known = n > s->n_known ? n : s->n_known;
    return ST_OK;
}

void trial_sample_free(trial_sample_t *s)
{
    seqset_destroy(s->set);
    free(s->pairs);
    free(s->known);
    free(s->by);
}
