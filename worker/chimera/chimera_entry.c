/*
 * chimera_entry.c - writes and reads entries.
 */
#include "worker/chimera/chimera_entry.h"

#include "io/seq/cigar.h"

#include <string.h>

static status_t append(buf_t *out, uint32_t word)
{
    return buf_append(out, &word, sizeof(word));
}

status_t chimera_entry_begin(const int32_t *targets, const int *n, int n_candidates,
                             buf_t *out, size_t *start)
{
    status_t st = ST_OK;

    *start = out->len;
    st = append(out, 0);
    for (int p = 0; st == ST_OK && p < CHIMERA_QUARTERS; p++) {
        st = append(out, (uint32_t)n[p]);
        if (st == ST_OK)
            st = buf_append(out, targets + (ptrdiff_t)p * CHIMERA_HITS_MAX,
                            (size_t)n[p] * sizeof(*targets));
    }
    return st == ST_OK ? append(out, (uint32_t)n_candidates) : st;
}

status_t chimera_entry_add(int32_t target, const uint32_t *runs, int64_t n_runs,
                           buf_t *out)
{
    status_t st = append(out, (uint32_t)target);

    if (st == ST_OK)
        st = append(out, (uint32_t)n_runs);
    return st == ST_OK ? buf_append(out, runs, (size_t)n_runs * sizeof(*runs)) : st;
}

void chimera_entry_end(size_t start, buf_t *out)
{
    const uint32_t n_words = (uint32_t)((out->len - start) / sizeof(n_words));

    memcpy(out->data + start, &n_words, sizeof(n_words));
}

/* ---- reading ---- */

typedef struct {
    const uint32_t *at, *end;
} words_t;

/* Take a number. @return whether there is one, of at most max */
static bool take(words_t *w, uint32_t max, uint32_t *out)
{
    if (w->at == w->end || *w->at > max)
        return false;
    *out = *w->at++;
    return true;
}

/* Take n words. @return them, or NULL */
static const uint32_t *take_some(words_t *w, uint32_t n)
{
    const uint32_t *some = w->at;

    if (w->end - w->at < (ptrdiff_t)n)
        return NULL;
    w->at += n;
    return some;
}

static bool has_candidate(const chimera_entry_t *e, uint32_t target)
{
    for (int k = 0; k < e->n_candidates; k++)
        if (e->candidate[k].target == target)
            return true;
    return false;
}

static bool is_hit(const chimera_entry_t *e, uint32_t target)
{
    for (int p = 0; p < CHIMERA_QUARTERS; p++)
        for (int k = 0; k < e->hits[p].n; k++)
            if (e->hits[p].target[k] == target)
                return true;
    return false;
}

/* Every hit once in its quarter, and a candidate; candidates ascend, and are hits. */
static bool is_consistent(const chimera_entry_t *e)
{
    for (int p = 0; p < CHIMERA_QUARTERS; p++)
        for (int k = 0; k < e->hits[p].n; k++) {
            if (!has_candidate(e, e->hits[p].target[k]))
                return false;
            for (int m = 0; m < k; m++)
                if (e->hits[p].target[m] == e->hits[p].target[k])
                    return false;
        }
    for (int k = 0; k < e->n_candidates; k++)
        if (!is_hit(e, e->candidate[k].target) ||
            (k > 0 && e->candidate[k].target <= e->candidate[k - 1].target))
            return false;
    return true;
}

bool chimera_entry_read(const uint32_t *words, size_t n_words, chimera_entry_t *out)
{
    words_t w = {words, words + n_words};
    uint32_t n;

    if (!take(&w, n_words <= UINT32_MAX ? (uint32_t)n_words : UINT32_MAX, &n) || n == 0)
        return false;
    out->n_words = n;
    w.end = words + n;
    for (int p = 0; p < CHIMERA_QUARTERS; p++) {
        if (!take(&w, CHIMERA_HITS_MAX, &n) ||
            (out->hits[p].target = take_some(&w, n)) == NULL)
            return false;
        out->hits[p].n = (int)n;
    }
    if (!take(&w, CHIMERA_CANDIDATES_MAX, &n))
        return false;
    out->n_candidates = (int)n;
    for (int k = 0; k < out->n_candidates; k++) {
        if (!take(&w, INT32_MAX, &out->candidate[k].target) || !take(&w, INT32_MAX, &n) ||
            (out->candidate[k].runs = take_some(&w, n)) == NULL)
            return false;
        out->candidate[k].n_runs = n;
    }
    return w.at == w.end && is_consistent(out);
}

bool chimera_entry_runs_fit(const uint32_t *runs, int64_t n_runs, int64_t read_len,
                            int64_t target_len)
{
    int64_t read = 0, target = 0;

    for (int64_t r = 0; r < n_runs; r++) {
        const int64_t len = cigar_run_len(runs[r]);
        const cigar_op_t op = cigar_run_op(runs[r]);

        if (len == 0 || (op != CIGAR_M && op != CIGAR_I && op != CIGAR_D))
            return false;
        read += op != CIGAR_D ? len : 0;
        target += op != CIGAR_I ? len : 0;
    }
    return read == read_len && target == target_len;
}
