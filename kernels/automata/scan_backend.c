/*
 * scan_backend.c - the order of hits and of live positions, whatever a backend's is.
 */
#include "kernels/automata/scan_backend.h"

#include "io/base/compare.h"

#include <stdlib.h>

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

status_t scan_piece(const scan_backend_t *backend, void *state, const scan_piece_t *piece,
                    int thread, buf_t *hits, buf_t *live)
{
    const size_t first_hit = hits->len, first_live = live->len;
    status_t st = backend->scan(state, piece, thread, hits, live);

    scan_sort_hits(hits, first_hit);
    scan_sort_live(live, first_live);
    return st;
}
