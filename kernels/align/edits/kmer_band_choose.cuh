/*
 * kmer_band_choose.cuh - a warp finds the diagonals on which the alignments of a pair can
 * lie, by counting shared k-mers.
 *
 * Diagonals are column - row, from -m to n.  They are counted in bins of BIN_DIAGONALS.
 * The k-mers of the query are in a table in shared memory: for each k-mer an entry, which
 * is 0 or the number, from 1, of a row where it begins, and whether there are MORE; and
 * for each row the entry of the next row with the same k-mer.
 *
 * A thread takes every 32nd k-mer of the target.  In each step it counts one row and
 * reads one entry: the next row of its k-mer, or the first one of its next k-mer.  So a
 * thread whose k-mer is frequent holds up no other.
 *
 * Then each window of as many bins as an alignment can touch is compared with the k-mers
 * that its ends need (edit_filter_bound.h).  The band is what the windows with enough
 * k-mers cover.
 *
 * A k-mer of the target that the query does not have costs an edit.  Disjoint ones cost
 * one each; they are counted by segments of SEGMENT columns, one segment per thread.  The
 * sums from each segment to the end of the target are kept for the sweep: its F grows by
 * at least as much.
 */
#pragma once

#include "kernels/align/bscan/bscan_window.cuh"
#include "kernels/align/cuda/cuda_word.cuh"

extern "C" {
#include "kernels/align/edits/edit_filter_bound.h"
}

#include <climits>

struct kmer_band_launch_t {
    cuda_set_t set;
    const unsigned short *kmers; /* of set.letters: the k-mer that begins with a base, or
                                  * NO_KMER; NO_KMER in front of and behind a sequence */
    const int *n_codes;          /* [sequences] ambiguity codes */
    const int *needed;           /* of kmer_band_needed */
    const int *max_edits;        /* edit_filter_bound_t */
    const int *min_end;          /* edit_filter_bound_min_end of each length */
    const pair_t *pairs;
    cuda_grouping_queue_t queue; /* all pairs are of class 0 */
    int *bands;                  /* [n] out: of kmer_band_pack; 0: no alignment */
    unsigned char *edits_left;   /* [n][SEGMENTS] out: edits from column k SEGMENT on */
    unsigned long long *keys;    /* [n] out: for the sweep, where there is a band */
    int *indices;                /* [n] out */
};

namespace
{

enum { N_KMERS = 1 << 2 * KMER_BAND_K, NO_KMER = N_KMERS, FIRST_ROW = NO_KMER + 1 };
enum { ROWS_MAX = 2048, TABLE_SIZE = FIRST_ROW + ROWS_MAX };

/* Fields of an entry: row + 1, and whether there are more rows with its k-mer. */
enum { ROW_FIELD = 0xfff, MORE = 0x1000 };

/* The entry of NO_KMER, which is not absent from the query. */
enum { UNKNOWN = 0x2000 };

enum { CHOOSE_WARPS = 8, CHOOSE_THREADS = CHOOSE_WARPS * WARP };

/* Columns of a segment, and those of all segments; nothing is known of the others. */
enum { SEGMENT = 2 * WARP, SEGMENTS = WARP, COLUMNS_KNOWN = SEGMENT * SEGMENTS };

enum { BIN_DIAGONALS = 32, BINS_PER_LANE = 4, BINS_MAX = BINS_PER_LANE * WARP };

/* Diagonals low .. high. */
struct kmer_band_t {
    int low, high;
};

/* @return a number above 0 that holds a band of a pair with at most BINS_MAX bins */
__device__ inline int kmer_band_pack(kmer_band_t band)
{
    return (band.low + ROWS_MAX) | (band.high - band.low + 1) << 16;
}

__device__ inline kmer_band_t kmer_band_unpack(int packed)
{
    const int low = (packed & 0xffff) - ROWS_MAX;

    return kmer_band_t{low, low + (packed >> 16) - 1};
}

/* @return min(i, j) of the end (i, j) of a diagonal; negative outside the matrix */
__device__ inline int kmer_band_end(int m, int n, int diagonal)
{
    return min(min(m, n), min(m + diagonal, n - diagonal));
}

/* @return the k-mer that begins with a base, or NO_KMER */
__device__ inline unsigned kmer_of(const unsigned char *letters, int len, int at)
{
    unsigned kmer = 0;

    if (at + KMER_BAND_K > len)
        return NO_KMER;
    for (int k = 0; k < KMER_BAND_K; k++) {
        const unsigned letter = letters[at + k];

        if (__popc(letter) != 1)
            return NO_KMER;
        kmer = kmer << 2 | static_cast<unsigned>(__ffs(static_cast<int>(letter)) - 1);
    }
    return kmer;
}

/* Put a k-mer of the query into the table; `row` from 0. */
__device__ inline void add_kmer(unsigned short *table, int kmer, int row)
{
    unsigned short expected, found = table[kmer];

    do {
        expected = found;
        found = atomicCAS(&table[kmer], expected,
                          static_cast<unsigned short>((row + 1) | (expected ? MORE : 0)));
    } while (found != expected);
    table[FIRST_ROW + row] = found;
}

/* Count the shared k-mers by bins.
 * @return bit k: the query does not have the k-mer of this lane's column k WARP + lane */
__device__ inline unsigned long long count_kmers(const unsigned short *kmers, int n,
                                                 int m, const unsigned short *table,
                                                 int *bins)
{
    int at = static_cast<int>(threadIdx.x) % WARP;
    unsigned kmer = kmers[at], entry = table[kmer];
    unsigned long long absent = 0;

    kmer = kmers[at + WARP];
    while (at < n) {
        const int row = static_cast<int>(entry & ROW_FIELD);
        unsigned next = FIRST_ROW - 1 + static_cast<unsigned>(row);

        if (row > 0)
            atomicAdd(&bins[static_cast<unsigned>(at - row + 1 + m) / BIN_DIAGONALS], 1);
        else if (entry == 0 && at < COLUMNS_KNOWN)
            absent |= 1ull << (static_cast<unsigned>(at) / WARP);
        if ((entry & MORE) == 0) {
            next = kmer;
            at += WARP;
            kmer = kmers[at + WARP];
        }
        entry = table[next];
    }
    return absent;
}

/* Transpose a matrix of bits, one row per lane. */
__device__ inline unsigned transpose_bits(unsigned row)
{
    unsigned kept = 0x0000ffff;

#pragma unroll
    for (int distance = WARP / 2; distance > 0; distance /= 2) {
        const bool upper = threadIdx.x & static_cast<unsigned>(distance);
        const unsigned other =
            static_cast<unsigned>(__shfl_xor_sync(ALL, static_cast<int>(row), distance));

        row = upper ? (row & ~kept) | (other >> distance & kept)
                    : (row & kept) | (other << distance & ~kept);
        kept ^= kept << distance / 2;
    }
    return row;
}

/* @param absent  of count_kmers
 * @return bit k: the query does not have the k-mer of column lane SEGMENT + k */
__device__ inline unsigned long long segment_of_lane(unsigned long long absent)
{
    const int lane = static_cast<int>(threadIdx.x) % WARP, from = 2 * lane % WARP;
    const int low = static_cast<int>(transpose_bits(static_cast<unsigned>(absent)));
    const int high =
        static_cast<int>(transpose_bits(static_cast<unsigned>(absent >> WARP)));
    const int even_low = __shfl_sync(ALL, low, from);
    const int even_high = __shfl_sync(ALL, high, from);
    const int odd_low = __shfl_sync(ALL, low, from + 1);
    const int odd_high = __shfl_sync(ALL, high, from + 1);
    const bool upper = lane >= WARP / 2;
    const auto even = static_cast<unsigned>(upper ? even_high : even_low);
    const auto odd = static_cast<unsigned>(upper ? odd_high : odd_low);

    return static_cast<unsigned long long>(odd) << WARP | even;
}

/* @param absent  of count_kmers
 * @param end     columns of the target that all paths reach
 * @param codes   of the query: each may be the cause that it does not have a k-mer
 * @return a lower bound of the edits of a path from column lane SEGMENT on */
__device__ inline int edits_from_segment(unsigned long long absent, int end, int codes)
{
    const int lane = static_cast<int>(threadIdx.x) % WARP;
    const int starts =
        min(static_cast<int>(SEGMENT), end - lane * SEGMENT) - KMER_BAND_K + 1;
    unsigned long long left = segment_of_lane(absent);
    int edits = 0;

    left &= starts > 0 ? (1ull << starts) - 1 : 0;
    for (; left != 0; edits++)
        left &= ~0ull << KMER_BAND_K << (__ffsll(static_cast<long long>(left)) - 1);
#pragma unroll
    for (int distance = 1; distance < WARP; distance *= 2) {
        const int other = __shfl_down_sync(ALL, edits, distance);

        edits += lane + distance < WARP ? other : 0;
    }
    return max(edits - codes, 0);
}

/* Replace the bins by the sums of all bins before them; [BINS_MAX + 1]. */
__device__ inline void add_up(int *bins)
{
    const int lane = static_cast<int>(threadIdx.x) % WARP;
    int *mine = bins + lane * BINS_PER_LANE, sum = 0, before;

    __syncwarp();
#pragma unroll
    for (int k = 0; k < BINS_PER_LANE; k++)
        sum += mine[k];
    before = sum;
#pragma unroll
    for (int distance = 1; distance < WARP; distance *= 2) {
        const int other = __shfl_up_sync(ALL, before, distance);

        before += lane >= distance ? other : 0;
    }
    before -= sum;
#pragma unroll
    for (int k = 0; k < BINS_PER_LANE; k++) {
        const int here = mine[k];

        mine[k] = before;
        before += here;
    }
    if (lane == WARP - 1)
        bins[BINS_MAX] = before;
    __syncwarp();
}

/* A pair, as its windows are compared. */
struct kmer_pair_t {
    int m, n, codes, min_end, max_edits;
};

/* @return the k-mers in the window of bins first .. last, plus 1; 0: too few for all of
 *         its ends */
__device__ inline int live_kmers(const kmer_band_launch_t &p, const kmer_pair_t &a,
                                 const int *sums, int first, int last)
{
    const int low = max(first * BIN_DIAGONALS - a.m, a.min_end - a.m);
    const int high = min((last + 1) * BIN_DIAGONALS - 1 - a.m, a.n - a.min_end);

    if (low > high)
        return 0;
    const int end = min(kmer_band_end(a.m, a.n, low), kmer_band_end(a.m, a.n, high));
    const int found = sums[last + 1] - sums[first];

    return found >= p.needed[end] - KMER_BAND_K * a.codes ? found + 1 : 0;
}

/* @param most  out: the maximum of k-mers in a window
 * @return the band; low > high: there is no alignment that reaches the identity */
__device__ inline kmer_band_t band_of_bins(const kmer_band_launch_t &p,
                                           const kmer_pair_t &a, const int *sums,
                                           int *most)
{
    const int lane = static_cast<int>(threadIdx.x) % WARP;
    const int n_bins = (a.m + a.n) / BIN_DIAGONALS + 1;
    const int length = min((a.max_edits + BIN_DIAGONALS - 1) / BIN_DIAGONALS + 1, n_bins);
    int first = BINS_MAX, last = -1, found_most = 0;

    for (int k = 0; k + length <= n_bins; k += WARP) {
        const int at = k + lane;
        const int found =
            at + length <= n_bins ? live_kmers(p, a, sums, at, at + length - 1) : 0;
        const unsigned live = __ballot_sync(ALL, found > 0);

        found_most = max(found_most, found);
        if (live != 0) {
            first = min(first, k + __ffs(static_cast<int>(live)) - 1);
            last = k + WARP - __clz(static_cast<int>(live)) + length - 2;
        }
    }
    *most = cuda_warp_max(found_most);
    return kmer_band_t{max(first * BIN_DIAGONALS - a.m, -a.m),
                       min((last + 1) * BIN_DIAGONALS - 1 - a.m, a.n)};
}

/* @param most  out: the maximum of k-mers in a window
 * @return the band; low > high: there is no alignment that reaches the identity */
__device__ inline kmer_band_t band_of_pair(const kmer_band_launch_t &p, int index,
                                           const pair_t &pair, const kmer_pair_t &a,
                                           const unsigned short *table, int *bins,
                                           int *most)
{
    const int lane = static_cast<int>(threadIdx.x) % WARP;

#pragma unroll
    for (int k = 0; k < BINS_PER_LANE; k++)
        bins[k * WARP + lane] = 0;
    __syncwarp();
    const unsigned long long absent =
        count_kmers(p.kmers + p.set.start[pair.target], a.n - KMER_BAND_K + 1, a.m, table,
                    bins);

    add_up(bins);
    const kmer_band_t band = band_of_bins(p, a, bins, most);
    const int edits =
        edits_from_segment(absent, min(a.n, a.m + band.low), p.n_codes[pair.query]);
    /* All paths have begun there. */
    const int begun = (max(band.high, 0) + SEGMENT - 1) / SEGMENT;
    const bool ruled_out =
        begun < SEGMENTS && __shfl_sync(ALL, edits, begun) > a.max_edits;

    p.edits_left[static_cast<long long>(index) * SEGMENTS + lane] =
        static_cast<unsigned char>(min(edits, UCHAR_MAX));
    return ruled_out ? kmer_band_t{1, 0} : band;
}

/* Choose the band of a pair, and write its key: pairs that share more k-mers are swept
 * further, and should not be together with others. */
__device__ inline void choose_band(const kmer_band_launch_t &p, int index,
                                   const unsigned short *table, int *bins)
{
    const pair_t pair = p.pairs[index];
    const int m = p.set.len[pair.query], n = p.set.len[pair.target];
    const int shorter = min(m, n);
    const kmer_pair_t a = {m, n, p.n_codes[pair.query] + p.n_codes[pair.target],
                           p.min_end[shorter], p.max_edits[shorter]};
    kmer_band_t band = {-m, n};
    int most = 0;

    if ((m + n) / BIN_DIAGONALS < BINS_MAX)
        band = band_of_pair(p, index, pair, a, table, bins, &most);
    if (threadIdx.x % WARP == 0) {
        const int rows = band.high - band.low + 1;

        p.bands[index] = rows > 0 ? kmer_band_pack(band) : 0;
        p.indices[index] = index;
        if (rows > 0)
            p.keys[index] = cuda_grouping_key(pair.query, bscan_class(m, rows),
                                              CUDA_GROUPING_LENGTH_STEP * most);
    }
    __syncwarp();
}

/* Choose the bands of a group's pairs: a block, one warp per pair.
 * @param table  [TABLE_SIZE]
 * @param bins   [BINS_MAX + 1] of this warp */
__device__ inline void choose_bands_of_group(const kmer_band_launch_t &p,
                                             cuda_pair_group_t group,
                                             unsigned short *table, int *bins)
{
    const int at = static_cast<int>(threadIdx.x);
    const int query = p.pairs[p.queue.order[group.first]].query;
    const unsigned short *kmers = p.kmers + p.set.start[query];

    for (int k = at; k < FIRST_ROW; k += CHOOSE_THREADS)
        table[k] = k == NO_KMER ? UNKNOWN : 0;
    __syncthreads();
    for (int row = at; row + KMER_BAND_K <= p.set.len[query]; row += CHOOSE_THREADS)
        if (kmers[row] != NO_KMER)
            add_kmer(table, kmers[row], row);
    __syncthreads();
    for (int k = at / WARP; k < group.count; k += CHOOSE_WARPS)
        choose_band(p, p.queue.order[group.first + k], table, bins);
}

} // namespace
