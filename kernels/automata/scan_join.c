/*
 * scan_join.c - goes on from the positions that are live behind each piece, in rounds.
 *
 * What a set of positions leads to is the union of what each of them leads to.  So a
 * round takes, for all pieces at a time, the positions that are live before a piece and
 * that no earlier round took there.  Those that it finds live behind the piece are the
 * next round's, of the piece that follows.
 */
#include "kernels/automata/scan_join.h"

#include "io/base/compare.h"
#include "io/base/logmsg.h"
#include "kernels/automata/scan_nfa.h"

#include <stdlib.h>

/* Positions, int32_t, ascending. */
typedef struct {
    buf_t taken;  /* those before the piece that some round took */
    buf_t fresh;  /* those that this round takes */
    buf_t behind; /* those that are live behind the piece, of this round */
} joint_t;

struct scan_join {
    void *scan; /* of scan_nfa_backend */
    pool_t *pool;
    buf_t live; /* int32_t: positions that are live before the next piece */

    /* of a call */
    const scan_piece_t *pieces;
    joint_t *joints;
    scan_found_t *found;
    int failed; /* a status_t; any of those that failed */
};

static void carry(void *ctx, int64_t k, int thread)
{
    scan_join_t *j = ctx;
    joint_t *joint = &j->joints[k];
    buf_t *hits = &j->found[k].hits;
    const size_t n_before = hits->len;
    status_t st;

    joint->behind.len = 0;
    if (joint->fresh.len == 0)
        return;
    st = scan_carry(j->scan, &j->pieces[k], thread, (const void *)joint->fresh.data,
                    (int64_t)(joint->fresh.len / sizeof(int32_t)), hits, &joint->behind);
    if (hits->len > n_before)
        scan_sort_hits(hits, 0);
    scan_sort_live(&joint->behind, 0);
    if (st != ST_OK)
        __atomic_store_n(&j->failed, (int)st, __ATOMIC_RELAXED);
}

/* Take positions that were not taken before. */
static status_t take(joint_t *joint, const buf_t *live)
{
    const int32_t *position = (const void *)live->data;
    const size_t n_taken = joint->taken.len / sizeof(*position);
    status_t st = ST_OK;

    joint->fresh.len = 0;
    for (size_t k = 0; st == ST_OK && k < live->len / sizeof(*position); k++)
        if (n_taken == 0 || bsearch(&position[k], joint->taken.data, n_taken,
                                    sizeof(*position), compare_int32) == NULL)
            st = buf_append(&joint->fresh, &position[k], sizeof(*position));
    if (st == ST_OK)
        st = buf_append(&joint->taken, joint->fresh.data, joint->fresh.len);
    scan_sort_live(&joint->taken, 0);
    return st;
}

/* Keep what is live behind the last piece for the call that follows. */
static status_t keep_live(scan_join_t *j, const buf_t *live)
{
    const status_t st = buf_append(&j->live, live->data, live->len);

    scan_sort_live(&j->live, 0);
    return st;
}

static status_t run_rounds(scan_join_t *j, int64_t n)
{
    bool has_fresh = true;
    status_t st = take(&j->joints[0], &j->live);

    for (int64_t k = 1; st == ST_OK && k < n; k++)
        st = take(&j->joints[k], &j->found[k - 1].live);
    j->live.len = 0;
    if (st == ST_OK)
        st = keep_live(j, &j->found[n - 1].live);
    while (st == ST_OK && has_fresh) {
        pool_run(j->pool, n, carry, j);
        has_fresh = false;
        if ((st = (status_t)j->failed) == ST_OK)
            st = keep_live(j, &j->joints[n - 1].behind);
        j->joints[0].fresh.len = 0;
        for (int64_t k = 1; st == ST_OK && k < n; k++) {
            st = take(&j->joints[k], &j->joints[k - 1].behind);
            has_fresh = has_fresh || j->joints[k].fresh.len > 0;
        }
    }
    return st;
}

status_t scan_join_pieces(scan_join_t *j, const scan_piece_t *pieces, int64_t n,
                          scan_found_t *found)
{
    status_t st;

    if (n == 0)
        return ST_OK;
    if ((j->joints = calloc((size_t)n, sizeof(*j->joints))) == NULL)
        return log_nomem("matches");
    j->pieces = pieces;
    j->found = found;
    st = run_rounds(j, n);
    for (int64_t k = 0; k < n; k++) {
        buf_free(&j->joints[k].taken);
        buf_free(&j->joints[k].fresh);
        buf_free(&j->joints[k].behind);
    }
    free(j->joints);
    j->joints = NULL;
    return st;
}

status_t scan_join_create(const nfa_t *nfa, pool_t *pool, scan_join_t **out)
{
    const scan_context_t context = {.nfa = nfa, .n_threads = pool_n_threads(pool)};
    scan_join_t *j = calloc(1, sizeof(*j));
    status_t st = j != NULL ? ST_OK : log_nomem("matches");

    if (st == ST_OK)
        st = scan_nfa_backend.create(&context, &j->scan);
    if (st == ST_OK)
        *out = j;
    else
        free(j);
    return st;
}

void scan_join_destroy(scan_join_t *j)
{
    if (j == NULL)
        return;
    scan_nfa_backend.destroy(j->scan);
    buf_free(&j->live);
    free(j);
}
