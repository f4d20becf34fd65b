/*
 * tiled_finish.cuh - what is done for a pair before and after its sweeps.
 *
 * Before: the border above the first strip, and the column codes.  After: a block of
 * threads finds the pair's best alignment among the sums of the cells where both sweeps
 * meet and the ends at the last column; a warp traces the CIGAR.
 */
#pragma once

#include "kernels/align/cuda/cuda_cigar.cuh"
#include "kernels/align/tiled/tiled_launch.cuh"

namespace
{

/* Fill a line with the border above the first strip; its tag is that of strip 0. */
__device__ inline void set_line(const tiled_launch_t &p, const tiled_pair_t &pair,
                                int side, int thread, int stride)
{
    const int n_padded = tiled_padded(pair.n), n_words = tiled_words(p.layout.kind);
    unsigned long long *line = p.words + pair.line[side];

    for (int column = thread; column < n_padded; column += stride) {
        const unsigned long long cell =
            tiled_border(p.layout, max(column + 1 - (n_padded - pair.n), 0));

        line[column * static_cast<long long>(n_words)] =
            p.layout.kind == TILED_SCORE2 ? (cell & 0xffff) * 0x10001 : cell & 0xffffffff;
        if (n_words == 2)
            line[column * 2ll + 1] = cell >> 32;
    }
}

/* @return the base of a column of a side, or TILED_PAD; columns are counted including
 * pads */
__device__ inline int letter_of(const tiled_launch_t &p, const tiled_pair_t &pair,
                                int side, int column)
{
    const int k = column - (tiled_padded(pair.n) - pair.n);

    if (k < 0 || k >= pair.n)
        return TILED_PAD;
    return p.set
        .letters[p.set.start[pair.column_sequence] + (side == 0 ? k : pair.n - 1 - k)];
}

/* @return the code of a column: its base; with SCORE2 the bases of both sides, or with
 *         bases_only a selector, which takes from either side the byte of the base's step
 *         and a zero byte, by the sign of that step */
__device__ inline int code_of(const tiled_launch_t &p, const tiled_pair_t &pair, int side,
                              int column)
{
    const int own = letter_of(p, pair, side, column);

    if (p.layout.kind != TILED_SCORE2)
        return own;
    const int other = letter_of(p, pair, 1, column);
    const int front = (own >> 1) - (own >> 3), back = (other >> 1) - (other >> 3);

    if (!pair.bases_only)
        return own | other << 8;
    return own == TILED_PAD ? 0x8888 : (0x80 + 0x11 * front) | (0xc4 + 0x11 * back) << 8;
}

__device__ inline void set_codes(const tiled_launch_t &p, const tiled_pair_t &pair,
                                 int side, int thread, int stride)
{
    const int n = tiled_code_words(pair.n) * static_cast<int>(sizeof(long long)) /
                  static_cast<int>(sizeof(short));
    unsigned short *codes =
        reinterpret_cast<unsigned short *>(p.words + pair.codes[side]);

    for (int column = thread; column < n; column += stride)
        codes[column] = static_cast<unsigned short>(code_of(p, pair, side, column));
}

/* @return the cell in the last row of a sweep behind k bases */
__device__ inline unsigned long long last_cell(const tiled_launch_t &p,
                                               const tiled_pair_t &pair, int side, int k)
{
    if (k == 0 || pair.n_rows[side] == 0)
        return tiled_border(p.layout, k + pair.n_rows[side]);
    const long long column = k - 1 + tiled_padded(pair.n) - pair.n;
    const bool both = p.layout.kind == TILED_SCORE2;
    const unsigned long long kept =
        p.words[pair.line[both ? 0 : side] + column * tiled_words(p.layout.kind)];

    return !both ? kept : side == 0 ? kept & 0xffffffff : kept >> 32;
}

/* @return the best key of an alignment whose two parts meet behind k columns */
__device__ inline unsigned long long meeting(const tiled_launch_t &p,
                                             const tiled_pair_t &pair, int k)
{
    return last_cell(p, pair, 0, k) + last_cell(p, pair, 1, pair.n - k);
}

/* @return the best key among the alignments that this thread looks at */
__device__ inline unsigned long long best_key(const tiled_launch_t &p,
                                              const tiled_pair_t &pair, int thread,
                                              int stride)
{
    unsigned long long best =
        tiled_border(p.layout, pair.m) + tiled_border(p.layout, pair.n);

    for (int k = thread; k <= pair.n; k += stride)
        best = max(best, meeting(p, pair, k));
    for (int i = thread; p.layout.ends_free && i < pair.m; i += stride)
        best = max(best, p.words[pair.edge + i]);
    return best;
}

/*
 * Find where the best alignment ends: of equal ends the one in the largest row, then the
 * largest column.  Only for pairs with a single sweep, from the front.
 *
 * @return row * (n + 1) + column of the last end that this thread finds, or 0
 */
__device__ inline unsigned long long last_end(const tiled_launch_t &p,
                                              const tiled_pair_t &pair,
                                              unsigned long long best, int thread,
                                              int stride)
{
    const unsigned long long width = static_cast<unsigned long long>(pair.n) + 1;
    unsigned long long last = 0;

    for (int k = thread; k <= pair.n; k += stride)
        if (p.layout.ends_free ? meeting(p, pair, k) == best : k == pair.n)
            last = max(last, static_cast<unsigned long long>(pair.m) * width +
                                 static_cast<unsigned>(k));
    for (int i = thread; p.layout.ends_free && i < pair.m; i += stride)
        if (p.words[pair.edge + i] == best)
            last = max(last, static_cast<unsigned long long>(i + 1) * width +
                                 static_cast<unsigned>(pair.n));
    return last;
}

__device__ inline void write_result(const tiled_launch_t &p, const tiled_pair_t &pair,
                                    unsigned long long best)
{
    const tiled_result_t result = tiled_layout_result(p.layout, best, pair.m, pair.n);

    p.score[pair.index] = static_cast<int>(result.score);
    if (!p.layout.identity)
        return;
    p.matches[pair.index] = static_cast<int>(result.matches);
    p.columns[pair.index] = static_cast<int>(result.columns);
}

/* The directions of a pair, for cuda_cigar_trace. */
struct tiled_blocks_t {
    const unsigned *directions;
    int n, row_pads, column_pads;

    __device__ unsigned read(int block_row, int block) const
    {
        return directions[tiled_block_at(n, block_row, block)];
    }
};

__device__ inline tiled_blocks_t blocks_of(const tiled_launch_t &p,
                                           const tiled_pair_t &pair)
{
    return {p.directions + pair.directions, pair.n,
            tiled_strips(pair.m) * TILED_STRIP - pair.m, tiled_padded(pair.n) - pair.n};
}

} // namespace
