/*
 * nbc_score.c - one pass over the blocks adds up all words of every read in both
 * orientations, a second one its resamples.
 */
#include "kernels/classify/nbc_score.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGN_BYTES = 128 };

struct nbc_scratch {
    void *memory;
    size_t bytes;
};

/* A read while it is scored. */
typedef struct {
    int32_t *cost[NBC_STRANDS]; /* [n_blocks][NBC_BLOCK] for all words */
    int32_t word_cost[NBC_STRANDS];
    int32_t best_cost[NBC_STRANDS], best[NBC_STRANDS];
    int strand; /* the better one */
    int32_t n_draws;
    uint16_t *draws; /* [n_resamples][n_draws] positions in words */
    int32_t *resample_cost, *resample_best; /* [n_resamples] */
} scored_t;

typedef struct {
    const nbc_scorer_t *by;
    const nbc_read_t *reads;
    int64_t n;
    scored_t *scored; /* [n] */
    uint16_t *rows;   /* [maximum n_words][NBC_BLOCK] of a read in a block */
} group_t;

status_t nbc_scratch_create(nbc_scratch_t **out)
{
    *out = calloc(1, sizeof(**out));
    return *out != NULL ? ST_OK : log_nomem("a classifier");
}

void nbc_scratch_destroy(nbc_scratch_t *s)
{
    if (s == NULL)
        return;
    free(s->memory);
    free(s);
}

/* Take an array from a block of memory. @param base  NULL: only count its bytes */
static void *carve(void *base, size_t *bytes, size_t n_bytes)
{
    void *at = base != NULL ? (char *)base + *bytes : NULL;

    *bytes += (n_bytes + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
    return at;
}

/* @return the bytes that a group takes. @param base  NULL: only count them */
static size_t lay_out(group_t *g, void *base)
{
    const size_t n_classes = (size_t)g->by->matrix[0]->n_blocks * NBC_BLOCK,
                 n_resamples = (size_t)g->by->options.n_resamples;
    size_t bytes = 0, max_words = 0;

    g->scored = carve(base, &bytes, (size_t)g->n * sizeof(*g->scored));
    for (int64_t i = 0; i < g->n; i++) {
        const nbc_read_t *read = &g->reads[i];
        scored_t s = {.n_draws = nbc_n_draws(read->n_words)};

        for (int k = 0; k < read->n_strands; k++)
            s.cost[k] = carve(base, &bytes, n_classes * sizeof(int32_t));
        s.draws = carve(base, &bytes, n_resamples * (size_t)s.n_draws * sizeof(uint16_t));
        s.resample_cost = carve(base, &bytes, n_resamples * sizeof(int32_t));
        s.resample_best = carve(base, &bytes, n_resamples * sizeof(int32_t));
        max_words = (size_t)read->n_words > max_words ? (size_t)read->n_words : max_words;
        if (base != NULL)
            g->scored[i] = s;
    }
    g->rows = carve(base, &bytes, max_words * NBC_ROW_BYTES);
    return bytes;
}

static status_t reserve(nbc_scratch_t *scratch, size_t bytes)
{
    if (bytes <= scratch->bytes)
        return ST_OK;
    free(scratch->memory);
    scratch->bytes = 0;
    bytes += bytes / 4 / ALIGN_BYTES * ALIGN_BYTES;
    if ((scratch->memory = aligned_alloc(ALIGN_BYTES, bytes)) == NULL)
        return log_nomem("a classifier");
    scratch->bytes = bytes;
    return ST_OK;
}

static void class_costs(const nbc_matrix_t *m, int32_t block, int32_t k, int32_t *out)
{
    for (int c = 0; c < NBC_BLOCK; c++)
        out[c] = nbc_class_cost(m->class_rate[block * NBC_BLOCK + c], k);
}

/* Compute the costs of all words in a block. */
static void add_words(const group_t *g, int64_t i, int32_t block)
{
    const nbc_read_t *read = &g->reads[i];
    scored_t *s = &g->scored[i];
    int32_t of_classes[NBC_BLOCK], sums[NBC_BLOCK] __attribute__((aligned(64)));

    class_costs(g->by->matrix[0], block, read->n_words, of_classes);
    for (int k = 0; k < read->n_strands; k++) {
        const nbc_matrix_t *m = g->by->matrix[k];
        int32_t *cost = s->cost[k] + block * NBC_BLOCK;

        g->by->rows->add(nbc_matrix_row(m, block, 0), read->words[k], read->n_words,
                         m->n_safe, sums);
        for (int c = 0; c < NBC_BLOCK; c++) {
            cost[c] = of_classes[c] >= NBC_COST_NONE
                          ? NBC_COST_NONE
                          : s->word_cost[k] + of_classes[c] - sums[c];
            if (cost[c] < s->best_cost[k]) {
                s->best_cost[k] = cost[c];
                s->best[k] = block * NBC_BLOCK + c;
            }
        }
    }
}

static void begin_read(const group_t *g, int64_t i)
{
    const nbc_read_t *read = &g->reads[i];
    scored_t *s = &g->scored[i];

    for (int k = 0; k < read->n_strands; k++) {
        s->best_cost[k] = NBC_COST_NONE;
        s->best[k] = -1;
        s->word_cost[k] = 0;
        for (int32_t w = 0; w < read->n_words; w++)
            s->word_cost[k] += g->by->matrix[k]->row_cost[read->words[k][w]];
    }
}

/* Choose the orientation, and draw the words of all resamples. */
static void draw(const group_t *g, int64_t i)
{
    const nbc_read_t *read = &g->reads[i];
    scored_t *s = &g->scored[i];
    const uint64_t key =
        read->key[s->strand =
                      read->n_strands > 1 && s->best_cost[1] < s->best_cost[0] ? 1 : 0];
    uint16_t *out = s->draws;

    for (int r = 0; r < g->by->options.n_resamples; r++, out += s->n_draws) {
        s->resample_cost[r] = NBC_COST_NONE;
        s->resample_best[r] = -1;
        for (int32_t d = 0; d < s->n_draws; d += 2) {
            const uint64_t bits = nbc_draw_bits(key, r, d / 2);

            out[d] = (uint16_t)nbc_draw_position((uint32_t)bits, read->n_words);
            if (d + 1 < s->n_draws)
                out[d + 1] =
                    (uint16_t)nbc_draw_position((uint32_t)(bits >> 32), read->n_words);
        }
    }
}

/* Score the resamples of a read in a block. */
static void resample(const group_t *g, int64_t i, int32_t block)
{
    const nbc_read_t *read = &g->reads[i];
    const scored_t *s = &g->scored[i];
    const nbc_matrix_t *m = g->by->matrix[s->strand];
    const uint16_t *far = nbc_matrix_row(m, block, 0), *words = read->words[s->strand];
    int32_t of_classes[NBC_BLOCK] __attribute__((aligned(64)));
    const nbc_resamples_t resamples = {.rows = g->rows,
                                       .draws = s->draws,
                                       .n_resamples = g->by->options.n_resamples,
                                       .n_draws = s->n_draws,
                                       .n_safe = m->n_safe,
                                       .class_cost = of_classes,
                                       .first_class = block * NBC_BLOCK,
                                       .best_cost = s->resample_cost,
                                       .best_class = s->resample_best};

    class_costs(m, block, s->n_draws, of_classes);
    for (int32_t w = 0; w < read->n_words; w++) {
        nbc_rows_prefetch(far, words, w, read->n_words);
        memcpy(g->rows + (size_t)w * NBC_BLOCK, far + (size_t)words[w] * NBC_BLOCK,
               NBC_ROW_BYTES);
    }
    g->by->rows->resample(&resamples);
}

/* Fill in what the results say about one rank. */
static void put_rank(const group_t *g, const scored_t *s, int r, uint16_t *support,
                     int32_t *rival)
{
    const nbc_classes_t *classes = g->by->classes;
    const int32_t *taxon_of = classes->lineage + (int64_t)r * classes->n;
    const int32_t taxon = taxon_of[s->best[s->strand]], *cost = s->cost[s->strand];
    int32_t n = 0, min = NBC_COST_NONE;

    if (taxon < 0)
        return;
    for (int k = 0; k < g->by->options.n_resamples; k++)
        n += taxon_of[s->resample_best[k]] == taxon;
    for (int32_t c = 0; c < classes->n; c++) {
        int32_t outside = taxon_of[c] != taxon ? cost[c] : NBC_COST_NONE;

        min = outside < min ? outside : min;
    }
    *support = (uint16_t)n;
    *rival = min;
}

static void put(const group_t *g, int64_t i, int64_t row, nbc_results_t *out)
{
    const scored_t *s = &g->scored[i];
    const int n_ranks = g->by->classes->n_ranks;
    const int32_t best = g->reads[i].n_words > 0 ? s->best[s->strand] : -1;

    out->best[row] = (nbc_best_t){
        .class_number = best,
        .n_words = g->reads[i].n_words,
        .cost = best < 0 ? NBC_COST_NONE : s->best_cost[s->strand],
        .reversed = s->strand == 1,
    };
    for (int64_t r = row * n_ranks; r < (row + 1) * n_ranks; r++) {
        out->support[r] = 0;
        out->rival[r] = NBC_COST_NONE;
        if (best >= 0)
            put_rank(g, s, (int)(r - row * n_ranks), &out->support[r], &out->rival[r]);
    }
}

status_t nbc_score(const nbc_scorer_t *scorer, const nbc_read_t *reads, int64_t n,
                   nbc_scratch_t *scratch, int64_t first, nbc_results_t *out)
{
    const int32_t n_blocks = scorer->matrix[0]->n_blocks;
    group_t g = {.by = scorer, .reads = reads, .n = n};
    status_t st = reserve(scratch, lay_out(&g, NULL));

    if (st != ST_OK)
        return st;
    (void)lay_out(&g, scratch->memory);
    for (int64_t i = 0; i < n; i++)
        begin_read(&g, i);
    for (int32_t block = 0; block < n_blocks; block++)
        for (int64_t i = 0; i < n; i++)
            add_words(&g, i, block);
    for (int64_t i = 0; i < n; i++)
        if (reads[i].n_words > 0)
            draw(&g, i);
    for (int32_t block = 0; block < n_blocks; block++)
        for (int64_t i = 0; i < n; i++)
            if (reads[i].n_words > 0)
                resample(&g, i, block);
    for (int64_t i = 0; i < n; i++)
        put(&g, i, first + i, out);
    return ST_OK;
}
