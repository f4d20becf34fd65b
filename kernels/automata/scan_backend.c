/*
 * scan_backend.c - the order of hits and of live positions, whatever a backend's is.
 */
#include "kernels/automata/scan_backend.h"

#include "io/base/compare.h"

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

void scan_found_free(scan_found_t *found)
{
    buf_free(&found->hits);
    buf_free(&found->live);
}
