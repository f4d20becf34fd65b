/*
 * lscan_pairs.cuh - the pairs that a thread aligns locally, and their letters.
 */
#pragma once

#include "kernels/align/local/lscan_cell.cuh"

namespace
{

struct lscan_pair_t {
    unsigned index; /* in the batch */
    const unsigned char *row_end, *column_end;
    int m, n;          /* letters of rows and columns */
    bool target_first; /* in the definition the rows are the target */
};

/* The pairs of a thread. */
struct lscan_pairs_t {
    lscan_pair_t pairs[2];
    int n_rows, n_columns; /* including pads */
};

/* @return whether the rows are the target.  They are the query, which the pairs of a warp
 *         may share, unless only the target is without codes (BASES). */
template <int KIND>
CUDA_BOTH inline bool lscan_mirrors(const lscan_launch_t &p, pair_t pair)
{
    return lscan_plan_kind(KIND) == LSCAN_BASES && p.set.has_ambiguity[pair.query] != 0 &&
           p.set.has_ambiguity[pair.target] == 0;
}

template <int KIND>
CUDA_BOTH inline lscan_pair_t lscan_pair(const lscan_launch_t &p, unsigned at)
{
    const pair_t pair = p.pairs[at];
    const bool mirrored = lscan_mirrors<KIND>(p, pair);
    const int rows = mirrored ? pair.target : pair.query;
    const int columns = mirrored ? pair.query : pair.target;
    const int *rank = p.cigars.rank;

    return lscan_pair_t{at,
                        p.set.letters + p.set.start[rows] + p.set.len[rows],
                        p.set.letters + p.set.start[columns] + p.set.len[columns],
                        p.set.len[rows],
                        p.set.len[columns],
                        rank != nullptr && rank[pair.query] > rank[pair.target]};
}

/* Take pair k of the n pairs of a kind, and the next one if a word holds two; past the
 * end, copies of the last. @param first  where they begin in the order */
template <int KIND, int ROWS>
CUDA_BOTH inline lscan_pairs_t lscan_take(const lscan_launch_t &p, int first, int n,
                                          int k)
{
    lscan_pairs_t out = {};
    int m = 0, columns = 0;

    for (int i = 0; i < LSCAN_PAIRS<KIND>; i++) {
        out.pairs[i] = lscan_pair<KIND>(p, p.order[first + min(k + i, n - 1)]);
        m = max(m, out.pairs[i].m);
        columns = max(columns, out.pairs[i].n);
    }
    out.n_rows = (m + ROWS - 1) / ROWS * ROWS;
    out.n_columns = (columns + LSCAN_QUAD - 1) / LSCAN_QUAD * LSCAN_QUAD;
    return out;
}

/* @return four letters in front of the end of a sequence, or pads
 * @param behind  letters from the first of them to the end, a multiple of LSCAN_QUAD */
CUDA_BOTH inline unsigned lscan_letters(const unsigned char *end, int len, int behind)
{
    return behind <= len + CUDA_SET_ALIGN /* zeros in front of a sequence */
               ? *reinterpret_cast<const unsigned *>(end - behind)
               : 0;
}

/* @return one letter, or a pad. @param behind  letters from it to the end */
CUDA_BOTH inline unsigned lscan_letter(const unsigned char *end, int len, int behind)
{
    return behind <= len ? *(end - behind) : 0u;
}

} // namespace
