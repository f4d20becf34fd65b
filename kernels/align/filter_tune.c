/*
 * filter_tune.c - chooses q by a sample of the set.  Longer windows are shared less by
 * chance, but each difference spoils more of them: which is best depends on c, on the
 * lengths, and on how alike the sequences are.
 */
#include "kernels/align/filter_cpu.h"

#include "io/logmsg.h"

/* A pair that passes is aligned, one that only windows leave a chance has its ends looked
 * at: what these cost, in looks at whole sequences, roughly. */
enum { SAMPLE = 128, WORTH_PERCENT = 95, COST_OF_PASSED = 200, COST_OF_ENDS = 2 };

typedef struct {
    int64_t n_fit, n_left, n_passed; /* by lengths, whole sequences, and ends */
} sample_t;

static sample_t look_at_sample(const filter_form_t *form, const filter_grams_t *g)
{
    filter_popcount_t popcount = filter_popcount_of(SIMD_NONE);
    sample_t n = {0};

    for (int64_t i = 0; i < g->n; i++)
        for (int64_t j = i + 1; j < g->n; j++) {
            const filter_seq_t *a = &g->seqs[i], *b = &g->seqs[j];
            filter_vectors_t x = {g->whole + i * g->n_words, 0, 1};
            filter_vectors_t y = {g->whole + j * g->n_words, 0, 1};
            int32_t good;

            if (!filter_lengths_fit(a, b))
                continue;
            n.n_fit++;
            popcount(x, y, g->n_words, &good);
            good = filter_good(a, b, good);
            if (good < filter_needed(form->goal.counted, a, b))
                continue;
            n.n_left++;
            n.n_passed += filter_cpu_ends(g, popcount, i, j, good) == FILTER_PASSED;
        }
    return n;
}

status_t filter_tune_q(pool_t *pool, const seqset_t *set, filter_form_t *form)
{
    int64_t stride = set->n > SAMPLE ? set->n / SAMPLE : 1;
    filter_range_t range = {0, stride, set->n > SAMPLE ? SAMPLE : set->n};
    int64_t best = INT64_MAX, cost;
    sample_t n = {0}, chosen = {0};
    int best_q = 0;
    status_t st;

    for (int q = FILTER_Q_LEAST; q <= FILTER_Q_MOST; q++) {
        filter_grams_t *g = NULL;

        if (q * (form->goal.part.denominator - form->goal.part.numerator) >=
            form->goal.part.denominator)
            break; /* differences can spoil every window */
        if ((st = filter_bound_create(&form->goal, q, seqset_max_len(set),
                                      &form->bound)) != ST_OK)
            return st;
        st = filter_grams_create(pool, set, form, range, &g);
        if (st == ST_OK)
            n = look_at_sample(form, g);
        filter_grams_destroy(g);
        filter_bound_free(&form->bound);
        form->bound.q = 0;
        if (st != ST_OK)
            return st;
        cost = n.n_passed * COST_OF_PASSED + n.n_left * COST_OF_ENDS;
        if (cost < best) {
            best = cost;
            chosen = n;
            best_q = q;
        }
    }
    if (best_q == 0 ||
        (chosen.n_fit > 0 && chosen.n_passed * 100 > chosen.n_fit * WORTH_PERCENT))
        return ST_OK;
    log_verbose("filter: windows of %d letters, 2^%d bits a sequence", best_q,
                form->log_bits);
    return filter_bound_create(&form->goal, best_q, seqset_max_len(set), &form->bound);
}
