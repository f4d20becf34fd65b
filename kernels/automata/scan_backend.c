/*
 * scan_backend.c - the order of hits and of live positions, whatever a backend's is; and
 * scans of several pieces.
 */
#include "kernels/automata/scan_backend.h"

#include "io/base/compare.h"
#include "kernels/align/common/align_run.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static int compare_hits(const void *a, const void *b)
{
    const scan_hit_t *x = a, *y = b;

    return x->end != y->end ? compare_int64(&x->end, &y->end)
                            : compare_int64(&x->pattern, &y->pattern);
}

void scan_sort_hits(buf_t *hits, size_t begin)
{
    scan_hit_t *h = (scan_hit_t *)(void *)(hits->data + begin);
    const size_t n = (hits->len - begin) / sizeof(*h);
    size_t kept = 0;

    if (n == 0)
        return;
    qsort(h, n, sizeof(*h), compare_hits);
    for (size_t k = 1; k < n; k++)
        if (compare_hits(&h[k], &h[kept]) != 0)
            h[++kept] = h[k];
    hits->len = begin + (kept + 1) * sizeof(*h);
}

void scan_sort_live(buf_t *live, size_t begin)
{
    int32_t *p = (int32_t *)(void *)(live->data + begin);
    const size_t n = (live->len - begin) / sizeof(*p);
    size_t kept = 0;

    if (n == 0)
        return;
    qsort(p, n, sizeof(*p), compare_int32);
    for (size_t k = 1; k < n; k++)
        if (p[k] != p[kept])
            p[++kept] = p[k];
    live->len = begin + (kept + 1) * sizeof(*p);
}

static status_t scan_lines(const scan_backend_t *backend, void *state,
                           const scan_piece_t *piece, int thread, scan_found_t *found)
{
    scan_piece_t line = {.data = piece->data};
    status_t st = ST_OK;

    for (int64_t at = piece->begin; st == ST_OK && at < piece->end; at = line.end + 1) {
        const uint8_t *feed = memchr(piece->data + at, '\n', (size_t)(piece->end - at));

        line.begin = line.record_begin = at;
        line.end = line.record_end = feed != NULL ? feed - piece->data : piece->end;
        st = backend->scan(state, &line, thread, &found->hits, &found->live);
    }
    return st;
}

status_t scan_piece(const scan_backend_t *backend, void *state, const scan_piece_t *piece,
                    int thread, scan_found_t *found)
{
    const size_t first_hit = found->hits.len, first_live = found->live.len;
    status_t st = piece->has_lines
                      ? scan_lines(backend, state, piece, thread, found)
                      : backend->scan(state, piece, thread, &found->hits, &found->live);

    scan_sort_hits(&found->hits, first_hit);
    scan_sort_live(&found->live, first_live);
    return st;
}

/* ---- several pieces ---- */

typedef struct {
    const scan_backend_t *backend;
    void *state;
    const scan_context_t *context;
    const scan_piece_t *pieces;
    scan_found_t *found;
    atomic_size_t bytes; /* of hits */
    atomic_int n_done;   /* pieces before the first that was left out */
    atomic_int failed;   /* a status_t; any of those that failed */
} run_t;

static void scan_one(void *ctx, int64_t k, int thread)
{
    run_t *r = ctx;
    status_t st;

    if (align_cancelled(r->context->cancel))
        return;
    if (k > 0 && atomic_load(&r->bytes) > SCAN_PIECES_BYTES) {
        int n_done = atomic_load(&r->n_done);

        while (k < n_done && !atomic_compare_exchange_weak(&r->n_done, &n_done, (int)k))
            ;
        return;
    }
    st = scan_piece(r->backend, r->state, &r->pieces[k], thread, &r->found[k]);
    atomic_fetch_add(&r->bytes, r->found[k].hits.len);
    if (st != ST_OK)
        atomic_store(&r->failed, (int)st);
}

status_t scan_pieces(const scan_backend_t *backend, void *state,
                     const scan_context_t *context, const scan_piece_t *pieces, int n,
                     scan_found_t *found, int *n_done)
{
    run_t run = {backend, state, context, pieces, found, 0, n, ST_OK};

    if (backend->scan_all != NULL)
        return backend->scan_all(state, pieces, n, found, n_done);
    pool_run(context->pool, n, scan_one, &run);
    *n_done = atomic_load(&run.n_done);
    for (int k = *n_done; k < n; k++)
        scan_found_free(&found[k]);
    return (status_t)atomic_load(&run.failed);
}

void scan_found_free(scan_found_t *found)
{
    buf_free(&found->hits);
    buf_free(&found->live);
}
