/*
 * cuda_rank.cu - ranks the sequences of a set, and copies the ranks to the device.
 */
#include "kernels/align/cuda/cuda_rank.cuh"

#include "kernels/device/cuda_put.cuh"

#include <cstdlib>
#include <cstring>

namespace
{

struct ranked_t {
    const uint8_t *letters;
    int64_t len, at;
};

/* The order of nw_reference_query_is_rows. */
int by_rank(const void *a, const void *b)
{
    const ranked_t *x = static_cast<const ranked_t *>(a);
    const ranked_t *y = static_cast<const ranked_t *>(b);

    if (x->len != y->len)
        return x->len < y->len ? -1 : 1;
    return memcmp(x->letters, y->letters, static_cast<size_t>(x->len));
}

/* Rank the sequences of a set; equal ones have equal ranks. */
void rank_all(const seqset_t *set, ranked_t *sorted, int *rank)
{
    for (int64_t i = 0; i < set->n; i++)
        sorted[i] = ranked_t{seqset_letters(set, i), seqset_len(set, i), i};
    qsort(sorted, static_cast<size_t>(set->n), sizeof(*sorted), by_rank);
    for (int64_t k = 0, r = 0; k < set->n; k++) {
        if (k > 0 && by_rank(&sorted[k - 1], &sorted[k]) != 0)
            r = k;
        rank[sorted[k].at] = static_cast<int>(r);
    }
}

} // namespace

status_t cuda_rank_create(const seqset_t *set, int **out)
{
    const size_t n = static_cast<size_t>(set->n) + 1;
    ranked_t *sorted = static_cast<ranked_t *>(malloc(n * sizeof(*sorted)));
    int *rank = static_cast<int *>(malloc(n * sizeof(*rank)));
    status_t st;

    if (sorted == nullptr || rank == nullptr) {
        st = log_nomem("the order of the sequences");
    } else {
        rank_all(set, sorted, rank);
        rank[n - 1] = 0;
        st = cuda_put_new(out, rank, n);
    }
    free(sorted);
    free(rank);
    return st;
}
