/*
 * nbc_score.c - one pass over the blocks adds up all words of every read and its
 * resamples.
 *
 * This is done in one orientation, the one whose bounds are lower.  The bounds of the
 * other one prove that it is not better; where they do not, its costs are computed, and
 * the read is scored again if it is.
 *
 * Bounds also tell which groups of classes a resample has to try: those that may have a
 * class as good as the best one of a block that is scored first.
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

/* A read while it is scored, in one orientation. */
typedef struct {
    int strand;
    int32_t word_cost[NBC_STRANDS]; /* of all words */
    int32_t *bound[NBC_STRANDS];    /* [n_ceilings][NBC_BLOCK] no class of a group costs
                                     * less */
    int32_t *cost;                  /* [n_blocks][NBC_BLOCK] for all words */
    int32_t best_cost, best;
    int32_t n_draws;
    uint16_t *draws; /* [n_resamples][n_draws] positions in words */
    int32_t *resample_cost, *resample_best; /* [n_resamples] */
    uint64_t *masks; /* [n_ceilings][n_resamples] bits of the groups to be tried */
} scored_t;

typedef struct {
    const nbc_scorer_t *by;
    const nbc_read_t *reads;
    int64_t n;
    scored_t *scored; /* [n] */
    int32_t *list;    /* [n_listed] the reads that a pass is about */
    int64_t n_listed;
    uint16_t *rows;  /* [maximum n_words][NBC_BLOCK] of a read in a block */
    uint16_t *picks; /* [maximum n_words] 0, 1, 2, ... */
} work_t;

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

/* @return the bytes that scoring takes. @param base  NULL: only count them */
static size_t lay_out(work_t *g, void *base)
{
    const size_t n_classes = (size_t)g->by->matrix[0]->n_blocks * NBC_BLOCK,
                 n_bounds = (size_t)g->by->matrix[0]->n_ceilings * NBC_BLOCK,
                 n_resamples = (size_t)g->by->options.n_resamples;
    size_t bytes = 0, max_words = 0;

    g->scored = carve(base, &bytes, (size_t)g->n * sizeof(*g->scored));
    g->list = carve(base, &bytes, (size_t)g->n * sizeof(*g->list));
    for (int64_t i = 0; i < g->n; i++) {
        const nbc_read_t *read = &g->reads[i];
        scored_t s = {.n_draws = nbc_n_draws(read->n_words)};

        for (int k = 0; k < read->n_strands; k++)
            s.bound[k] = carve(base, &bytes, n_bounds * sizeof(int32_t));
        s.cost = carve(base, &bytes, n_classes * sizeof(int32_t));
        s.draws = carve(base, &bytes, n_resamples * (size_t)s.n_draws * sizeof(uint16_t));
        s.resample_cost = carve(base, &bytes, n_resamples * sizeof(int32_t));
        s.resample_best = carve(base, &bytes, n_resamples * sizeof(int32_t));
        s.masks =
            carve(base, &bytes, n_bounds / NBC_BLOCK * n_resamples * sizeof(uint64_t));
        max_words = (size_t)read->n_words > max_words ? (size_t)read->n_words : max_words;
        if (base != NULL)
            g->scored[i] = s;
    }
    g->rows = carve(base, &bytes, max_words * NBC_ROW_BYTES);
    g->picks = carve(base, &bytes, max_words * sizeof(*g->picks));
    for (size_t k = 0; base != NULL && k < max_words; k++)
        g->picks[k] = (uint16_t)k;
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

/* Compute the part of costs that depends on classes, or blocks, and their rates alone. */
static void class_costs(const int64_t *rates, int32_t n_words, int32_t *out)
{
    for (int c = 0; c < NBC_BLOCK; c++)
        out[c] = nbc_class_cost(rates[c], n_words);
}

/* Subtract the gains from the other parts of costs. @param costs  [NBC_BLOCK] in and out
 */
static void subtract(const int32_t *gains, int32_t word_cost, int32_t *costs)
{
    for (int c = 0; c < NBC_BLOCK; c++)
        costs[c] =
            costs[c] == NBC_COST_NONE ? NBC_COST_NONE : word_cost + costs[c] - gains[c];
}

static int32_t min_of(const int32_t *costs, int64_t n)
{
    int32_t min = NBC_COST_NONE;

    for (int64_t c = 0; c < n; c++)
        min = costs[c] < min ? costs[c] : min;
    return min;
}

/* Bound the costs of every group of classes. */
static void bound_read(const work_t *g, int64_t i, int strand)
{
    const nbc_read_t *read = &g->reads[i];
    const nbc_matrix_t *m = g->by->matrix[strand];
    scored_t *s = &g->scored[i];
    int32_t sums[NBC_BLOCK] __attribute__((aligned(64)));

    for (int32_t w = 0; w < read->n_words; w++)
        s->word_cost[strand] += m->row_cost[read->words[strand][w]];
    for (int32_t k = 0; k < m->n_ceilings; k++) {
        int32_t *bound = s->bound[strand] + k * NBC_BLOCK;

        class_costs(m->group_rate + k * NBC_BLOCK, read->n_words, bound);
        g->by->rows->add(nbc_matrix_ceiling(m, k, 0), read->words[strand], read->n_words,
                         m->n_safe, sums);
        subtract(sums, s->word_cost[strand], bound);
    }
}

/* Choose the orientation that looks better, which it is but for rare cases. */
static void begin_read(const work_t *g, int64_t i)
{
    const nbc_read_t *read = &g->reads[i];
    const int64_t n = (int64_t)g->by->matrix[0]->n_ceilings * NBC_BLOCK;
    scored_t *s = &g->scored[i];

    for (int k = 0; k < read->n_strands; k++)
        bound_read(g, i, k);
    s->strand =
        read->n_strands > 1 && min_of(s->bound[1], n) < min_of(s->bound[0], n) ? 1 : 0;
}

/* Draw the words of all resamples. */
static void draw(const work_t *g, int64_t i)
{
    const nbc_read_t *read = &g->reads[i];
    scored_t *s = &g->scored[i];
    uint16_t *out = s->draws;

    s->best_cost = NBC_COST_NONE;
    s->best = -1;
    for (int r = 0; r < g->by->options.n_resamples; r++, out += s->n_draws) {
        s->resample_cost[r] = NBC_COST_NONE;
        s->resample_best[r] = -1;
        for (int32_t d = 0; d < s->n_draws; d += 2) {
            const uint64_t bits = nbc_draw_bits(read->key[s->strand], r, d / 2);

            out[d] = (uint16_t)nbc_draw_position((uint32_t)bits, read->n_words);
            if (d + 1 < s->n_draws)
                out[d + 1] =
                    (uint16_t)nbc_draw_position((uint32_t)(bits >> 32), read->n_words);
        }
    }
}

/* Compute the costs of all words in a block. @param picks  their rows among these rows */
static void add_words(const work_t *g, int64_t i, int32_t block, const uint16_t *rows,
                      const uint16_t *picks)
{
    const nbc_matrix_t *m = g->by->matrix[g->scored[i].strand];
    const int32_t n_words = g->reads[i].n_words;
    scored_t *s = &g->scored[i];
    int32_t *cost = s->cost + block * NBC_BLOCK, min;
    int32_t sums[NBC_BLOCK] __attribute__((aligned(64)));

    class_costs(m->class_rate + block * NBC_BLOCK, n_words, cost);
    g->by->rows->add(rows, picks, n_words, m->n_safe, sums);
    subtract(sums, s->word_cost[s->strand], cost);
    if ((min = min_of(cost, NBC_BLOCK)) >= s->best_cost)
        return;
    s->best_cost = min;
    for (s->best = block * NBC_BLOCK; s->cost[s->best] != min;)
        s->best++;
}

/* Copy the rows of a read. @param far  the first row of a block */
static void fetch_rows(const work_t *g, int64_t i, const uint16_t *far)
{
    const int32_t n_words = g->reads[i].n_words;
    const uint16_t *words = g->reads[i].words[g->scored[i].strand];

    for (int32_t w = 0; w < n_words; w++) {
        nbc_rows_prefetch(far, words, w, n_words);
        memcpy(g->rows + (size_t)w * NBC_BLOCK, far + (size_t)words[w] * NBC_BLOCK,
               NBC_ROW_BYTES);
    }
}

/* Describe the resamples of a read to the functions that score them. @param k  of masks
 */
static nbc_resamples_t resamples_of(const work_t *g, int64_t i, int32_t k)
{
    const int n_resamples = g->by->options.n_resamples;
    const scored_t *s = &g->scored[i];

    return (nbc_resamples_t){.rows = g->rows,
                             .draws = s->draws,
                             .n_resamples = n_resamples,
                             .n_draws = s->n_draws,
                             .n_safe = g->by->matrix[s->strand]->n_safe,
                             .best_cost = s->resample_cost,
                             .best_class = s->resample_best,
                             .masks = s->masks + (int64_t)k * n_resamples};
}

/* Score the resamples of a read in a block, whose rows have been fetched.
 * @param next, next_block  what is scored next; next < 0: nothing */
static void resample(const work_t *g, int64_t i, int32_t block, int64_t next,
                     int32_t next_block)
{
    const nbc_matrix_t *m = g->by->matrix[g->scored[i].strand];
    int32_t of_classes[NBC_BLOCK] __attribute__((aligned(64)));
    nbc_resamples_t t = resamples_of(g, i, block * NBC_GROUPS / NBC_BLOCK);

    class_costs(m->class_rate + block * NBC_BLOCK, g->scored[i].n_draws, of_classes);
    t.class_cost = of_classes;
    t.first_class = block * NBC_BLOCK;
    t.shift = block * NBC_GROUPS % NBC_BLOCK;
    if (next >= 0) {
        t.next_rows =
            nbc_matrix_row(g->by->matrix[g->scored[next].strand], next_block, 0);
        t.next_picks = g->reads[next].words[g->scored[next].strand];
        t.n_next = g->reads[next].n_words;
    }
    g->by->rows->resample(&t);
}

/* Choose the groups to try for every resample: those that are not bounded above the best
 * class of one block, the most likely one. */
static void bound_resamples(const work_t *g, int64_t i)
{
    scored_t *s = &g->scored[i];
    const nbc_matrix_t *m = g->by->matrix[s->strand];
    const int64_t n_masks = (int64_t)m->n_ceilings * g->by->options.n_resamples;
    const int32_t *bound = s->bound[s->strand];
    int32_t group = 0, block, first;
    uint64_t done;

    for (int32_t k = 1; k < m->n_blocks * NBC_GROUPS; k++)
        group = bound[k] < bound[group] ? k : group;
    block = group / NBC_GROUPS;
    memset(s->masks, 0xff, (size_t)n_masks * sizeof(*s->masks));
    fetch_rows(g, i, nbc_matrix_row(m, block, 0));
    resample(g, i, block, -1, 0);
    for (int32_t k = 0; k < m->n_ceilings; k++) {
        int32_t of_groups[NBC_BLOCK] __attribute__((aligned(64)));
        nbc_resamples_t t = resamples_of(g, i, k);

        class_costs(m->group_rate + k * NBC_BLOCK, s->n_draws, of_groups);
        t.class_cost = of_groups;
        fetch_rows(g, i, nbc_matrix_ceiling(m, k, 0));
        g->by->rows->bound(&t);
    }
    first = block * NBC_GROUPS;
    done = ((UINT64_C(1) << NBC_GROUPS) - 1) << first % NBC_BLOCK;
    for (int r = 0; r < g->by->options.n_resamples; r++)
        s->masks[first / NBC_BLOCK * g->by->options.n_resamples + r] &= ~done;
}

/* @return whether any resample of a read tries a class of a block */
static bool is_tried(const work_t *g, int64_t i, int32_t block)
{
    const int n_resamples = g->by->options.n_resamples,
              first = block * NBC_GROUPS % NBC_BLOCK;
    const uint64_t *masks =
        g->scored[i].masks + (int64_t)(block * NBC_GROUPS / NBC_BLOCK) * n_resamples;
    uint64_t all = 0;

    for (int r = 0; r < n_resamples; r++)
        all |= masks[r];
    return (all >> first & ((1u << NBC_GROUPS) - 1)) != 0;
}

/* Score the listed reads in their orientation. */
static void score_listed(const work_t *g)
{
    const int32_t n_blocks = g->by->matrix[0]->n_blocks;

    for (int64_t k = 0; k < g->n_listed; k++) {
        draw(g, g->list[k]);
        if (n_blocks > 0)
            bound_resamples(g, g->list[k]);
    }
    for (int32_t block = 0; block < n_blocks; block++)
        for (int64_t k = 0; k < g->n_listed; k++) {
            const int32_t i = g->list[k], strand = g->scored[i].strand;
            const bool is_last = k + 1 == g->n_listed;
            const uint16_t *far = nbc_matrix_row(g->by->matrix[strand], block, 0);

            if (!is_tried(g, i, block)) {
                add_words(g, i, block, far, g->reads[i].words[strand]);
                continue;
            }
            fetch_rows(g, i, far);
            add_words(g, i, block, g->rows, g->picks);
            resample(g, i, block, g->list[is_last ? 0 : k + 1],
                     is_last && block + 1 < n_blocks ? block + 1 : block);
        }
}

/* @return whether the other orientation of a read is better than the one scored; blocks
 *         whose groups are bounded above the best class are left out */
static bool is_worse(const work_t *g, int64_t i)
{
    const nbc_read_t *read = &g->reads[i];
    const scored_t *s = &g->scored[i];
    const int other = 1 - s->strand;
    const nbc_matrix_t *m = g->by->matrix[other];
    /* forward wins a tie */
    const int32_t limit = other == 0 ? s->best_cost : s->best_cost - 1;

    for (int32_t b = 0; b < m->n_blocks; b++) {
        int32_t costs[NBC_BLOCK], sums[NBC_BLOCK] __attribute__((aligned(64)));

        if (min_of(s->bound[other] + b * NBC_GROUPS, NBC_GROUPS) > limit)
            continue;
        class_costs(m->class_rate + b * NBC_BLOCK, read->n_words, costs);
        g->by->rows->add(nbc_matrix_row(m, b, 0), read->words[other], read->n_words,
                         m->n_safe, sums);
        subtract(sums, s->word_cost[other], costs);
        if (min_of(costs, NBC_BLOCK) <= limit)
            return true;
    }
    return false;
}

/* Turn the listed reads whose other orientation is better, and list them alone. */
static void reverse_worse(work_t *g)
{
    int64_t n = 0;

    for (int64_t k = 0; k < g->n_listed; k++) {
        const int32_t i = g->list[k];

        if (g->reads[i].n_strands == 1 || !is_worse(g, i))
            continue;
        g->scored[i].strand = 1 - g->scored[i].strand;
        g->list[n++] = i;
    }
    g->n_listed = n;
}

/* Fill in what the results say about one rank. */
static void put_rank(const work_t *g, const scored_t *s, int r, uint16_t *support,
                     int32_t *rival)
{
    const nbc_classes_t *classes = g->by->classes;
    const int32_t *taxon_of = classes->lineage + (int64_t)r * classes->n;
    const int32_t taxon = taxon_of[s->best], *cost = s->cost;
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

static void put(const work_t *g, int64_t i, int64_t row, nbc_results_t *out)
{
    const scored_t *s = &g->scored[i];
    const int n_ranks = g->by->classes->n_ranks;
    const int32_t best = g->reads[i].n_words > 0 ? s->best : -1;

    out->best[row] = (nbc_best_t){
        .class_number = best,
        .n_words = g->reads[i].n_words,
        .cost = best < 0 ? NBC_COST_NONE : s->best_cost,
        .reversed = best >= 0 && s->strand == 1,
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
    work_t g = {.by = scorer, .reads = reads, .n = n};
    status_t st = reserve(scratch, lay_out(&g, NULL));

    if (st != ST_OK)
        return st;
    (void)lay_out(&g, scratch->memory);
    for (int64_t i = 0; i < n; i++)
        if (reads[i].n_words > 0) {
            begin_read(&g, i);
            g.list[g.n_listed++] = (int32_t)i;
        }
    score_listed(&g);
    reverse_worse(&g);
    score_listed(&g);
    for (int64_t i = 0; i < n; i++)
        put(&g, i, first + i, out);
    return ST_OK;
}
