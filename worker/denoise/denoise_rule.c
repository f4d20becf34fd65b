/*
 * denoise_rule.c - the rule, and the decision, read by read.
 */
#include "worker/denoise/denoise_rule.h"

#include "io/base/logmsg.h"

#include <math.h>
#include <stdlib.h>

/* In the operations of vsearch: equal to the last bit. */
bool denoise_accepts(double alpha, int64_t size, int64_t centroid_size,
                     int64_t mismatches)
{
    const double skew = (double)size / (double)centroid_size;

    return mismatches == 0 || skew <= 1 / pow(2, alpha * (double)mismatches + 1);
}

int64_t denoise_max_mismatches(double alpha, int64_t size, int64_t centroid_size)
{
    double bound;
    int64_t d;

    if (!denoise_accepts(alpha, size, centroid_size, 1))
        return 0;
    bound = (log2((double)centroid_size / (double)size) - 1) / alpha;
    if (!(bound < DENOISE_MISMATCHES_MAX - 1)) /* also for an alpha of 0 */
        return DENOISE_MISMATCHES_MAX;
    d = (int64_t)bound + 1; /* the logarithm is rounded */
    while (!denoise_accepts(alpha, size, centroid_size, d))
        d--;
    return d;
}

/* @return whether a is the better one of two edges of a read */
static bool is_better(const denoise_edge_t *a, const denoise_edge_t *b)
{
    const int64_t left = (int64_t)a->matches * b->columns;
    const int64_t right = (int64_t)b->matches * a->columns;

    return left != right ? left > right : a->centroid < b->centroid;
}

/* Sort edges by their reads. @param first  [n + 1] out: of each read its first one */
static void sort_by_read(int64_t n, const denoise_edge_t *edges, int64_t n_edges,
                         int64_t *first, denoise_edge_t *out)
{
    for (int64_t i = 0; i <= n; i++)
        first[i] = 0;
    for (int64_t k = 0; k < n_edges; k++)
        first[edges[k].read + 1]++;
    for (int64_t i = 0; i < n; i++)
        first[i + 1] += first[i];
    for (int64_t k = n_edges - 1; k >= 0; k--) /* from the ends, which become starts */
        out[--first[edges[k].read + 1]] = edges[k];
    for (int64_t i = 0; i < n; i++)
        first[i] = first[i + 1];
    first[n] = n_edges;
}

status_t denoise_decide(int64_t n, const denoise_edge_t *edges, int64_t n_edges,
                        int32_t *centroid, int32_t *mismatches)
{
    denoise_edge_t *sorted = malloc(((size_t)n_edges + 1) * sizeof(*sorted));
    int64_t *first = malloc(((size_t)n + 1) * sizeof(*first));
    status_t st = ST_ENOMEM;

    if (sorted == NULL || first == NULL) {
        (void)log_nomem("centroids");
        goto end;
    }
    sort_by_read(n, edges, n_edges, first, sorted);
    for (int32_t i = 0; i < n; i++) {
        const denoise_edge_t *best = NULL;

        for (const denoise_edge_t *e = sorted + first[i]; e < sorted + first[i + 1]; e++)
            if (centroid[e->centroid] == e->centroid &&
                (best == NULL || is_better(e, best)))
                best = e;
        centroid[i] = best != NULL ? best->centroid : i;
        mismatches[i] = best != NULL ? best->mismatches : 0;
    }
    st = ST_OK;
end:
    free(sorted);
    free(first);
    return st;
}
