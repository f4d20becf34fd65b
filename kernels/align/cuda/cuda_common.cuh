/*
 * cuda_common.cuh - steps that all lanes of a warp look up in one table: the rows of
 * their pairs are one sequence.
 *
 * The base of a row is then the same in all lanes, and in both pairs of a word, so its
 * step depends on the columns alone: on the letter of one, or on the bases of two.  A
 * warp keeps the steps of its rows in shared memory, COMMON_ENTRIES words per row, from
 * which a lane reads that of its columns.  This takes the place of a permutation per
 * cell, and of a table per thread.  The words of a row are in different banks, so lanes
 * do not wait for each other.
 *
 * Everything here also runs on the CPU, where tests sweep pairs as threads do.
 */
#pragma once

#include "kernels/align/cuda/cuda_word.cuh"

namespace
{

/* @return the numbers 0..3 of four bases, given as sets; 8 for an empty set */
CUDA_BOTH inline unsigned bases_of(unsigned letters)
{
    const unsigned none = ~(letters + 0x7f7f7f7fu) & 0x80808080u;

    return ((letters >> 1 & 0x07070707u) - (letters >> 3 & 0x01010101u)) | none >> 4;
}

/* Entries of a row.  One column: by its byte.  Two columns: number of the base of the
 * first one + 4 * that of the second one; 16 + that of the second one if the first one is
 * a pad; 20 + that of the first one if the second one is; 24 if both are. */
constexpr int COMMON_ENTRIES = 32;

/* @return the words of a warp for the steps of its rows */
template <int ROWS> constexpr int COMMON_WORDS = ROWS *COMMON_ENTRIES;

/* The steps of a warp's rows, in shared memory: [ROWS][COMMON_ENTRIES], where a word has
 * one row. */
struct common_rows_t {
    unsigned *steps;
};

/* @return the number of the base that a column has in an entry of two columns, or -1 for
 * a pad. @param which  the column, 0 or 1 */
CUDA_BOTH inline int common_base(int entry, int which)
{
    if (entry < 16)
        return which == 0 ? entry % 4 : entry / 4;
    return entry / 4 == (which == 0 ? 5 : 4) ? entry % 4 : -1;
}

/* @return the entries of four pairs of columns, in bytes
 * @param a, b          numbers of the bases of the first columns and of the second ones
 * @param pads_a, pads_b  1 in the bytes of pads, whose bases may be any of 0 .. 3 */
CUDA_BOTH inline unsigned common_entries(unsigned a, unsigned b, unsigned pads_a,
                                         unsigned pads_b)
{
    unsigned entries = a | b << 2;

    if ((pads_a | pads_b) == 0)
        return entries;
    for (int i = 0; i < 32; i += 8) {
        const unsigned entry = entries >> i & 15;
        const bool p = (pads_a >> i & 1) != 0, q = (pads_b >> i & 1) != 0;
        const unsigned padded =
            p ? (q ? 24 : 16 + entry / 4) : (q ? 20 + entry % 4 : entry);

        entries = (entries & ~(0xffu << i)) | padded << i;
    }
    return entries;
}

/* @return offsets of the entries of four pairs of columns, in bytes
 * @param x, y   the first columns and the second ones, as sets of bases; no codes
 * @tparam PADS  whether there may be pads, which are empty sets; else a column that is
 *               not one base has any entry */
template <bool PADS> CUDA_BOTH inline unsigned common_offsets(unsigned x, unsigned y)
{
    constexpr unsigned BASES = 0x03030303u, ONES = 0x01010101u;
    const unsigned a = bases_of(x), b = bases_of(y);

    return common_entries(a & BASES, b & BASES, PADS ? a >> 3 & ONES : 0,
                          PADS ? b >> 3 & ONES : 0)
           << 2;
}

/* @param offset  of the columns' entry, in bytes: 4 times its number
 * @return the step of row r */
CUDA_BOTH inline unsigned common_step(const common_rows_t &rows, unsigned offset, int r)
{
    const char *steps = reinterpret_cast<const char *>(rows.steps) + offset;

    return reinterpret_cast<const unsigned *>(steps)[r * COMMON_ENTRIES];
}

/* The lane, of how many fill a table; on the CPU one thread does. */
CUDA_BOTH inline int common_lane()
{
#ifdef __CUDA_ARCH__
    return static_cast<int>(threadIdx.x) % 32;
#else
    return 0;
#endif
}

CUDA_BOTH inline int common_lanes()
{
#ifdef __CUDA_ARCH__
    return 32;
#else
    return 1;
#endif
}

/* Wait until all lanes have read or filled the table. */
CUDA_BOTH inline void common_sync()
{
#ifdef __CUDA_ARCH__
    __syncwarp();
#endif
}

/* @return whether all lanes have the same value, and `also` holds in all of them */
__device__ inline bool common_value(const void *value, bool also)
{
    const unsigned long long mine = reinterpret_cast<unsigned long long>(value);
    const unsigned long long first = __shfl_sync(0xffffffffu, mine, 0);

    return __all_sync(0xffffffffu, also && mine == first) != 0;
}

} // namespace
