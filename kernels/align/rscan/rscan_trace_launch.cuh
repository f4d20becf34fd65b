/*
 * rscan_trace_launch.cuh - arguments of the kernels that trace pairs whose score, matches
 * and columns are known.
 *
 * Only a band has to be traced.  All alignments with the same three numbers have the same
 * number d of diagonal steps: with M matches, X mismatches and G gap columns, columns = M
 * + X + G and score = match M + mismatch X + gap G, so X follows, and d = M + X.  (If a
 * mismatch costs as much as a gap, X does not follow, but d >= M.)  A path with d
 * diagonal steps puts m - d bases of the rows and n - d bases of the columns against
 * gaps, so it stays where -(m - d) <= j - i <= n - d.  Every path that the tie break or
 * the choice of the end compares has the same three numbers, and hence lies in this band.
 * So along the canonical path, directions computed in the band equal those of the whole
 * matrix.  The same holds for the band that has a pair's corridor (corridor.cuh): all
 * paths that leave it score less.  Both bands are intersected; that of the corridor is
 * narrower where sequences overhang each other.
 *
 * With affine gaps X does not follow from the score, since it depends on the number of
 * gaps.  Where all ends are counted, each diagonal step takes two bases and each gap
 * column one, so d = m + n - columns; elsewhere d >= M.  Of the two values of a cell that
 * a tie break compares, both belong to whole paths with the same three numbers, or only
 * the canonical path's is one, and the other is less in the matrix and in the band.
 * Where a score has proved a band of all best paths (score_band.h, affine_guard.cuh), it
 * is intersected, too.  Guarded bands are made of strips of FLANK_ROWS rows and groups of
 * QUAD columns (affine_set_band), and their rows may be the columns here: as much is
 * added on both sides.
 */
#pragma once

#include "kernels/align/cuda/cuda_pair_order.cuh"
#include "kernels/align/rscan/rscan_layout.cuh"

enum { RSCAN_TRACE_BLOCK = 128, RSCAN_TRACE_ROWS = 16 /* of a word of directions */ };

/* What the diagonal steps of an alignment follow from. */
enum rscan_steps_t {
    RSCAN_STEPS_OF_SCORE,
    RSCAN_STEPS_OF_MATCHES,
    RSCAN_STEPS_OF_COLUMNS
};

struct rscan_trace_launch_t {
    rscan_launch_t scan; /* its set, pairs, layout, results and lines are used */
    const int *rank; /* [n_sequences] the sequence of lower rank is the rows: of a pair */
    const unsigned *order; /* [n] pairs, similar bands together */
    int n, max_len;        /* pairs; of longer sequences KEY lists them */
    const int *n_order;    /* pairs of the order, if they are fewer than n; or NULL */
    int *next;             /* how many places have been taken, of the order or the list */
    const int *list;       /* places in the order, with room for any band; NULL: all */
    const int *n_list;     /* length of the list */
    int *large, *n_large; /* out, if list is NULL: places whose bands exceed blocks_len */
    void *blocks; /* [warps][blocks_len][32] directions of a column of RSCAN_TRACE_ROWS
                   * rows: one word, or with affine gaps two */
    long long blocks_len;
    rscan_steps_t steps;
    const short *band_w; /* [n] w of proved bands, < 0: none; may be NULL */
    fraction_t min_overlap;
    unsigned column_ops;          /* cuda_cigar_column_ops */
    const long long *trace_start; /* these three: of cuda_cigar_t */
    long long *n_runs;
    uint32_t *runs;
};

/* Count the blocks of the tracing kernel that a device holds at the same time. */
status_t rscan_trace_blocks(const device_t *device, int *out);

/* Enqueue: write the keys that pairs are sorted by, and the pairs in their own order. */
status_t rscan_trace_keys(const rscan_trace_launch_t &launch, pair_order_key_t *keys,
                          unsigned *order, cudaStream_t stream);

/* Enqueue: sweep the bands and trace. */
status_t rscan_trace_kernel_run(const rscan_trace_launch_t &launch, int n_blocks,
                                cudaStream_t stream);
