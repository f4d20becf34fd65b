/*
 * kmer_band.c - the table of k-mers that have to be shared.
 */
#include "kernels/align/edits/kmer_band.h"

bool kmer_band_needed(const edit_filter_bound_t *bound, int32_t *needed)
{
    int64_t least = INT32_MAX;
    bool any = false;

    for (int64_t k = bound->n - 1; k >= 0; k--) {
        int64_t shared = k - KMER_BAND_K + 1 - (int64_t)KMER_BAND_K * bound->max_edits[k];

        least = shared < least ? shared : least;
        needed[k] = least > 0 ? (int32_t)least : 0;
        any |= needed[k] > 0;
    }
    return any;
}
