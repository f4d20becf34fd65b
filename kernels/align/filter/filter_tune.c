/*
 * filter_tune.c - chooses k with a sample of the set.
 *
 * Long k-mers are less often shared by chance, but each edit spoils more of them. Which k
 * is best depends on the minimum identity, on the lengths, and on how similar the
 * sequences are.
 */
#include "kernels/align/filter/filter_backend.h"

/* Costs, roughly, in comparisons of two whole vectors: a pair that passes is aligned; the
 * ends of a pair are tested if whole sequences do not rule it out. k is useful if at most
 * USEFUL_PERCENT of the pairs of fitting lengths pass. */
enum { SAMPLE = 128, USEFUL_PERCENT = 95, COST_OF_PASSED = 200, COST_OF_ENDS = 2 };

typedef struct {
    int64_t n_fit;    /* pairs that lengths leave */
    int64_t n_left;   /* of these, that whole sequences leave */
    int64_t n_passed; /* of these, that ends leave */
} counts_t;

/* Sequences spread over a set, and which of them are compared. */
typedef struct {
    int64_t listed[2 * SAMPLE];
    int64_t n;
    int64_t n_rows; /* 0: all with all; else the first n_rows with the others */
} sample_t;

static void spread(int64_t first, int64_t end, sample_t *s)
{
    int64_t n = end - first < SAMPLE ? end - first : SAMPLE;

    for (int64_t i = 0; i < n; i++)
        s->listed[s->n++] = first + i * ((end - first) / n);
}

static void draw_sample(const filter_plan_t *plan, sample_t *s)
{
    s->n = 0;
    spread(0, plan->shape.n_rows, s);
    s->n_rows = s->n;
    spread(plan->shape.n_rows, plan->set->n, s);
}

static counts_t count_sample(const filter_params_t *params, const sample_t *s,
                             const filter_kmers_t *g)
{
    filter_popcount_t popcount = filter_popcount_of(device_cpu().simd);
    counts_t n = {0};

    for (int64_t i = 0; i < (s->n_rows > 0 ? s->n_rows : s->n); i++)
        for (int64_t j = s->n_rows > 0 ? s->n_rows : i + 1; j < s->n; j++) {
            const filter_seq_t *a = &g->seqs[i], *b = &g->seqs[j];
            filter_vectors_t x = {g->whole + i * g->n_words, 0, 1};
            filter_vectors_t y = {g->whole + j * g->n_words, 0, 1};
            int32_t good;

            if (!filter_lengths_fit(a, b))
                continue;
            n.n_fit++;
            popcount(x, y, g->n_words, &good);
            good = filter_max_good(a, b, good);
            if (good < filter_min_good(params->goal.ends == ENDS_FREE, a, b))
                continue;
            n.n_left++;
            n.n_passed += filter_cpu_ends(g, popcount, i, j, good) == FILTER_PASSED;
        }
    return n;
}

/* Count what one k leaves of the sample. */
static status_t try_k(const filter_plan_t *plan, int k, const sample_t *s, counts_t *out)
{
    filter_params_t params = plan->params;
    filter_range_t range = {.n = s->n, .listed = s->listed};
    filter_kmers_t *g = NULL;
    status_t st =
        filter_bound_create(&params.goal, k, seqset_max_len(plan->set), &params.bound);

    if (st != ST_OK)
        return st;
    st = filter_kmers_create(plan->pool, plan->set, &params, range, &g);
    if (st == ST_OK)
        *out = count_sample(&params, s, g);
    filter_kmers_destroy(g);
    filter_bound_free(&params.bound);
    return st;
}

status_t filter_tune_k(const filter_plan_t *plan, filter_tuned_t *out)
{
    const fraction_t *c = &plan->params.goal.identity;
    int64_t best = INT64_MAX, cost;
    counts_t n, chosen = {0};
    sample_t sample;
    status_t st;

    draw_sample(plan, &sample);
    *out = (filter_tuned_t){.n_pairs = sample.n_rows > 0
                                           ? sample.n_rows * (sample.n - sample.n_rows)
                                           : sample.n * (sample.n - 1) / 2};
    for (int k = FILTER_K_MIN; k <= FILTER_K_MAX; k++) {
        if (k * (c->denominator - c->numerator) >= c->denominator)
            break; /* edits can spoil every window */
        if ((st = try_k(plan, k, &sample, &n)) != ST_OK)
            return st;
        cost = n.n_passed * COST_OF_PASSED + n.n_left * COST_OF_ENDS;
        if (cost < best) {
            best = cost;
            chosen = n;
            out->k = k;
        }
    }
    out->n_passed = out->k > 0 ? chosen.n_passed : out->n_pairs;
    if (chosen.n_fit > 0 && chosen.n_passed * 100 > chosen.n_fit * USEFUL_PERCENT)
        out->k = 0;
    return ST_OK;
}
