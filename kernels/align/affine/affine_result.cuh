/*
 * affine_result.cuh - the results of a thread's pairs with affine gaps, and what they say
 * about the next round.
 */
#pragma once

#include "kernels/align/affine/affine_sweep.cuh"

namespace
{

/* Store the results of a pair. @param h, matches, q  of its best end */
CUDA_BOTH inline void affine_store_numbers(const affine_launch_t &p,
                                           const padded_pair_t &pair, long long h,
                                           long long matches, long long q)
{
    const rscan_launch_t &r = p.rounds;
    const affine_layout_t &f = p.layout;
    const long long columns = pair.m + pair.n - q;

    r.score[pair.index] =
        static_cast<int>(h - f.bias + f.offset - f.c * (pair.m + pair.n));
    if (!r.variant.identity)
        return;
    const bool none = is_too_short(r, pair, columns);

    r.matches[pair.index] = none ? 0 : static_cast<int>(matches);
    r.columns[pair.index] = none ? 0 : static_cast<int>(columns);
}

/* Store the results of a pair. @param end  its best end */
CUDA_BOTH inline void affine_store_pair(const affine_launch_t &p,
                                        const padded_pair_t &pair, long long end)
{
    const affine_layout_t &f = p.layout;

    affine_store_numbers(p, pair, end >> f.h_shift,
                         (end & ((1ll << f.h_shift) - 1)) >> f.m_shift,
                         end & ((1ll << f.m_shift) - 1));
}

/* Count one more. @return how many there were */
CUDA_BOTH inline int affine_count(int *n)
{
#ifdef __CUDA_ARCH__
    return atomicAdd(n, 1);
#else
    return (*n)++;
#endif
}

/* KEY: store the results of a pair, or list it as doubtful.
 * @param holds  affine_holds */
CUDA_BOTH inline void affine_store_key(const affine_launch_t &p,
                                       const padded_pair_t &pair, unsigned long long end,
                                       bool holds)
{
    const affine_layout_t &f = p.layout;
    const bool exact = holds && (end & 1) != 0;
    const long long q = (end & 0xffffffff) >> 1;
    const long long key = static_cast<long long>(end >> 32) << f.m_shift;

    if (exact)
        affine_store_numbers(p, pair, key >> f.h_shift,
                             (key & ((1ll << f.h_shift) - 1)) >> f.m_shift, q);
    else
        p.rounds.doubtful.pairs[affine_count(p.rounds.doubtful.n)] = pair.index;
}

/* Count a pair whose score is not proved, and list it for the next round, unless that
 * takes all pairs. */
CUDA_BOTH inline void affine_list_again(const rscan_launch_t &r, unsigned index)
{
    const int place = affine_count(r.retry.n);

    if (r.retry.pairs != nullptr)
        r.retry.pairs[place] = index;
}

/* Prove a band by the score that has been found in another one. */
CUDA_BOTH inline void affine_prove_band(const affine_launch_t &p,
                                        const packed_pairs_t &packed,
                                        const padded_pair_t &pair)
{
    const rscan_launch_t &r = p.rounds;
    const int shift = pair.row_pads - pair.column_pads;
    const int low = packed.low - shift - max(pair.m - pair.n, 0);
    const int high = packed.high + shift - max(pair.n - pair.m, 0);
    const int w = score_band_proved(&p.score_band, pair.m, pair.n, r.score[pair.index]);
    const bool suffices = r.retry.pairs == nullptr
                              ? w >= 0
                              : is_unbanded(packed) || (w >= 0 && w <= min(low, high));

    r.band_w[pair.index] = static_cast<short>(w);
    if (!suffices)
        affine_list_again(r, pair.index);
}

/* Store the results of the thread's pairs.
 * @param n_pairs  of them, and of later threads */
template <int KIND, int ROWS>
CUDA_BOTH inline void affine_store(const affine_launch_t &p, const packed_pairs_t &packed,
                                   const affine_thread_t<KIND, ROWS> &s, int n_pairs)
{
    if constexpr (AFFINE_HAS_TIES<KIND>)
        affine_store_key(p, packed.pairs[0], s.best, affine_holds<KIND, ROWS>(p, s));
    else
        for (int i = 0; i < kind_t<KIND>::PAIRS && i < n_pairs; i++) {
            affine_store_pair(p, packed.pairs[i],
                              AFFINE_TWO<KIND>
                                  ? static_cast<unsigned>(s.best) >> (16 * i) & 0xffff
                                  : static_cast<long long>(s.best));
            if (affine_finds_scores(p))
                affine_prove_band(p, packed, packed.pairs[i]);
        }
}

} // namespace
