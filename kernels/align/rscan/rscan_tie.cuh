/*
 * rscan_tie.cuh - the tie break of 32-bit cells with free ends, and the windows in which
 * doubtful pairs are aligned again.
 *
 * Of paths with equal h and M, the one with the largest t = floor(s / q) is the best, or
 * with TIE_FROM_HIGH the one with the smallest (cell_layout.h).  A tie break has too few
 * bits for t.  It holds a code of t that never falls as t grows.  Nothing changes t along
 * a path, so a cell holds the code of the best path, whatever the code is.
 *
 * First the codes 0 .. n_fine - 1 are t itself, and each of the others stands for `step`
 * values.  If the best end has one of these, its pair is doubtful: t is at least w, the
 * first of these values, and less than w + step.  The pair is aligned again in the window
 * w: code t - w + 1, limited to 0 .. max.  There all `step` values have codes of their
 * own, between 0 and max.
 *
 * An end with code 0 or max lies outside the window.  That happens if several ends are
 * equal but for their columns, or if the last code is open: it stands for all larger
 * values, too.  Such pairs are aligned in 64 bits.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_RSCAN_RSCAN_TIE_CUH
#define RIBOGRID_KERNELS_ALIGN_RSCAN_RSCAN_TIE_CUH

extern "C" {
#include "kernels/align/common/cell_layout.h"
}

#include <climits>

struct rscan_tie_t {
    int max; /* the largest code */
    int n_fine, step;
    bool is_open;         /* whether the last code is */
    unsigned per_quantum; /* 2^32 / q, rounded up; 0: q is 1 */
    unsigned per_step;    /* 2^32 / step, rounded up */
};

/* Why a pair has to be aligned again; any other value is its window. */
enum rscan_doubt_t { RSCAN_SURE = 0, RSCAN_DOUBT_64 = INT_MAX };

/* @param len  maximum bases of a sequence */
inline rscan_tie_t rscan_tie_of(const cell_layout_t &f, int64_t len)
{
    const int64_t max_t = f.quantum > 0 ? len / f.quantum : 0;
    const int64_t codes = f.tie_max + 1, step = f.tie_max - 1;
    int64_t n_coarse = 0;

    if (max_t > f.tie_max && step > 1) {
        n_coarse = (max_t + 1 - codes + step - 2) / (step - 1);
        n_coarse = n_coarse < codes / 2 ? n_coarse : codes / 2;
    }
    return rscan_tie_t{
        static_cast<int>(f.tie_max),
        static_cast<int>(codes - n_coarse),
        static_cast<int>(step > 1 ? step : 1),
        codes - n_coarse + n_coarse * step <= max_t,
        f.quantum > 1 ? static_cast<unsigned>((INT64_C(1) << 32) / f.quantum + 1) : 0,
        step > 1 ? static_cast<unsigned>((INT64_C(1) << 32) / step + 1) : 0};
}

/* @param s       bases in front of a path
 * @param window  of the pair; 0: none
 * @return the code of floor(s / q) */
__device__ inline int rscan_tie_code(const rscan_tie_t &f, int s, int window)
{
    const int t =
        f.per_quantum == 0
            ? s
            : static_cast<int>(__umulhi(static_cast<unsigned>(s), f.per_quantum));

    if (window > 0)
        return min(max(t - window + 1, 0), f.max);
    if (t < f.n_fine || f.per_step == 0)
        return min(t, f.max);
    return min(f.n_fine + static_cast<int>(
                              __umulhi(static_cast<unsigned>(t - f.n_fine), f.per_step)),
               f.max);
}

/* @param doubt  out: RSCAN_SURE, RSCAN_DOUBT_64, or the window to align the pair in
 * @return t of a code; in doubt t is at least this */
__device__ inline int rscan_tie_value(const rscan_tie_t &f, int code, int window,
                                      int *doubt)
{
    const int t = code < f.n_fine ? code : f.n_fine + (code - f.n_fine) * f.step;

    *doubt = RSCAN_SURE;
    if (window > 0) {
        if (code == 0 || code == f.max)
            *doubt = RSCAN_DOUBT_64;
        return code == 0 ? 0 : window + code - 1;
    }
    if (f.is_open && code == f.max)
        *doubt = RSCAN_DOUBT_64;
    else if (code >= f.n_fine)
        *doubt = t;
    return t;
}

#endif
