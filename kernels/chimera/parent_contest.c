/*
 * parent_contest.c - matches of each candidate, base by base, and their sums in windows.
 */
#include "kernels/chimera/parent_contest.h"

#include "io/seq/cigar.h"

#include <string.h>

typedef struct {
    int64_t len;
    int n;
    uint8_t *match; /* [n][len] 0 or 1 */
    uint8_t *sum;   /* [n][len] of the window that ends at each base */
    uint8_t *best;  /* [len] of all candidates that are left */
} contest_t;

_Static_assert(CONTEST_WINDOW <= UINT8_MAX, "sums of windows fit");

static void mark_matches(const uint8_t *read, const contest_candidate_t *c,
                         uint8_t *match)
{
    int64_t i = 0, k = 0;

    for (int64_t r = 0; r < c->n_runs; r++) {
        const int64_t len = cigar_run_len(c->runs[r]);

        switch (cigar_run_op(c->runs[r])) {
        case CIGAR_I:
            i += len;
            break;
        case CIGAR_D:
            k += len;
            break;
        default:
            for (int64_t at = 0; at < len; at++)
                match[i + at] = (read[i + at] & c->letters[k + at]) != 0;
            i += len;
            k += len;
        }
    }
}

static void sum_windows(contest_t *c, int skip)
{
    memset(c->best, 0, (size_t)c->len);
    for (int a = 0; a < c->n; a++) {
        const uint8_t *match = c->match + a * c->len;
        uint8_t *sum = c->sum + a * c->len;
        int in_window = 0;

        if (a == skip)
            continue;
        for (int64_t i = 0; i < c->len; i++) {
            in_window += match[i];
            if (i >= CONTEST_WINDOW)
                in_window -= match[i - CONTEST_WINDOW];
            if (i < CONTEST_WINDOW - 1)
                continue;
            sum[i] = (uint8_t)in_window;
            c->best[i] = sum[i] > c->best[i] ? sum[i] : c->best[i];
        }
    }
}

/* @return the candidate that wins the most windows, or -1: none wins any */
static int winner(const contest_t *c, int skip)
{
    int64_t most = 0;
    int found = -1;

    for (int a = 0; a < c->n; a++) {
        const uint8_t *sum = c->sum + a * c->len;
        int64_t wins = 0;

        if (a == skip)
            continue;
        for (int64_t i = CONTEST_WINDOW - 1; i < c->len; i++)
            wins += c->best[i] != 0 && sum[i] == c->best[i];
        if (wins > most) {
            most = wins;
            found = a;
        }
    }
    return found;
}

/* Take the windows that a candidate has won from all others. */
static void remove_windows(contest_t *c, int parent)
{
    const uint8_t *sum = c->sum + parent * c->len;
    int64_t cleared = 0; /* end of the bases that are */

    for (int64_t i = CONTEST_WINDOW - 1; i < c->len; i++) {
        const int64_t first = i + 1 - CONTEST_WINDOW;
        const int64_t from = first > cleared ? first : cleared;

        if (sum[i] != c->best[i])
            continue;
        for (int a = 0; a < c->n; a++)
            memset(c->match + a * c->len + from, 0, (size_t)(i + 1 - from));
        cleared = i + 1;
    }
}

status_t parent_contest(const uint8_t *read, int64_t len,
                        const contest_candidate_t *candidates, int n, buf_t *scratch,
                        int parents[2], bool *found)
{
    const size_t cells = (size_t)n * (size_t)len;
    contest_t c = {.len = len, .n = n};
    status_t st;

    *found = false;
    if (n < 2 || len < CONTEST_WINDOW)
        return ST_OK;
    scratch->len = 0;
    if ((st = buf_reserve(scratch, 2 * cells + (size_t)len)) != ST_OK)
        return st;
    c.match = scratch->data;
    c.sum = c.match + cells;
    c.best = c.sum + cells;
    memset(c.match, 0, cells);
    for (int a = 0; a < n; a++)
        mark_matches(read, &candidates[a], c.match + a * len);
    sum_windows(&c, -1);
    if ((parents[0] = winner(&c, -1)) < 0)
        return ST_OK;
    remove_windows(&c, parents[0]);
    sum_windows(&c, parents[0]);
    *found = (parents[1] = winner(&c, parents[0])) >= 0;
    return ST_OK;
}
