/*
 * seed_reference.c - the definition of pairs that share seeds: each diagonal by itself,
 * each word by its columns.
 */
#include "kernels/align/seeds/seed_filter.h"

/* A diagonal of n columns. */
typedef struct {
    const align_scoring_t *scoring;
    const uint8_t *query, *target;
    int64_t n;
} diagonal_t;

static int32_t column(const diagonal_t *d, int64_t k)
{
    return d->scoring->score[d->query[k]][d->target[k]];
}

static int32_t word_score(const diagonal_t *d, int64_t k)
{
    return column(d, k) + column(d, k + 1) + column(d, k + 2);
}

/* Extend the word at column k. @param end  out: behind the last column looked at to the
 * right @return the score */
static int32_t extend(const diagonal_t *d, int64_t k, int64_t *end)
{
    int32_t best = word_score(d, k), score = best;
    int64_t right = k + SEED_WORD;

    for (; right < d->n && best - score <= SEED_DROP; right++) {
        score += column(d, right);
        best = score > best ? score : best;
    }
    score = best;
    for (int64_t left = k - 1; left >= 0 && best - score <= SEED_DROP; left--) {
        score += column(d, left);
        best = score > best ? score : best;
    }
    *end = right;
    return best;
}

static bool diagonal_passes(const diagonal_t *d)
{
    bool has_last = false;
    int64_t last = 0, end;

    for (int64_t k = 0; k + SEED_WORD <= d->n; k++) {
        if (word_score(d, k) < SEED_WORD_SCORE)
            continue;
        if (!has_last || k - last > SEED_WINDOW) {
            has_last = true;
            last = k;
        } else if (k - last >= SEED_WORD) {
            if (extend(d, k, &end) >= SEED_TRIGGER)
                return true;
            last = end - SEED_WORD;
        }
    }
    return false;
}

bool seed_reference_passes(const align_scoring_t *scoring, const uint8_t *query,
                           int64_t m, const uint8_t *target, int64_t n)
{
    for (int64_t at = -m + 1; at < n; at++) {
        const int64_t i = at < 0 ? -at : 0, j = at > 0 ? at : 0;
        const diagonal_t d = {scoring, query + i, target + j,
                              m - i < n - j ? m - i : n - j};

        if (diagonal_passes(&d))
            return true;
    }
    return false;
}
