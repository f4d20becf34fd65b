/*
 * rscan_layout.cuh - the layouts of cells of rscan and dscan, and the arguments of their
 * kernels.
 *
 * Cells are gap-normalised, as cell_layout.h explains.  They are of one of six kinds:
 *
 *  - SCORE2:   h of two pairs, 16 bits each, which cannot carry into each other.
 *  - KEY:      h, the matches and the tie break of one pair.  The step of h is in byte 2
 *              and that of the matches in byte 0, so that one byte permutation looks up
 *              both.  The tie break has 6 bits.
 *  - KEY_LONG: the same for longer pairs, whose h and matches leave fewer bits for the
 *              tie break.
 *  - SETS:     the same fields at any shifts, or h alone.  Bases are compared as sets, so
 *              both sequences may have ambiguity codes.
 *  - SETS64:   the same in 64 bits, for pairs that 32 bits leave in doubt.
 *  - KEY_TIES: as KEY, with more bits for the tie break, for unlike sequences; only with
 *              affine gaps (affine_layout.cuh).
 */
#pragma once

#include "kernels/align/bscan/band_choice.cuh"
#include "kernels/align/bscan/corridor.cuh"
#include "kernels/align/cuda/cuda_batch.cuh"

extern "C" {
#include "kernels/align/common/cell_layout.h"
#include "kernels/align/common/edit_band.h"
#include "kernels/align/common/tie_code.h"
}

enum rscan_kind_t {
    RSCAN_SCORE2,
    RSCAN_KEY,
    RSCAN_KEY_LONG,
    RSCAN_SETS,
    RSCAN_SETS64,
    RSCAN_KEY_TIES,
    RSCAN_KINDS
};

/* Bases of the sequences of kernels with one pair per thread.  Of longer ones too few fit
 * a batch to fill a device. */
constexpr int64_t RSCAN_THREAD_MAX = 4096;

/* Rows that a thread holds at a time. */
constexpr int RSCAN_ROWS_SCORE2 = 32, RSCAN_ROWS_KEY = 48, RSCAN_ROWS_SETS = 32,
              RSCAN_ROW_STEP = 16; /* divides them */
/* Blocks per multiprocessor that the kernels are compiled for: more blocks hide more
 * latency, fewer leave more registers. */
constexpr int RSCAN_BLOCKS_SCORE2 = 4, RSCAN_BLOCKS_KEY = 3;

/* Columns of a line behind those of the longest sequence: lines are read in groups of
 * four, one group ahead. */
constexpr int RSCAN_LINE_SLACK = 8;

/* Rows of dscan's largest strip. */
constexpr int DSCAN_STRIP_MAX = 1536;

/* The limits of a band that is the whole matrix. */
constexpr int RSCAN_NO_BAND = 1 << 29;

/* The rounds of a batch (rscan_cuda.cu). */
enum rscan_round_t {
    RSCAN_ROUND_BOUND, /* bounds: scores of whole matrices, plus 1 for leaving the band */
    RSCAN_ROUND_FIRST, /* all pairs, in bands if there are any */
    RSCAN_ROUND_WIDER, /* pairs whose result did not certify the band, in wider bands */
    RSCAN_ROUND_WHOLE, /* pairs whose band the bound did not prove, in whole matrices */
    RSCAN_ROUND_WINDOW, /* pairs whose tie break was in doubt, in their windows */
    RSCAN_ROUND_NARROW, /* those still in doubt, in narrower ones */
    RSCAN_ROUND_EXACT,  /* pairs that 32 bits leave in doubt */
    RSCAN_ROUNDS
};

/* @return whether the pairs of a round have windows */
constexpr bool rscan_has_windows(rscan_round_t round)
{
    return round == RSCAN_ROUND_WINDOW || round == RSCAN_ROUND_NARROW;
}

/* The band -low <= j - i <= high of a pair, i being a row; 0, 0: the pair has none. */
struct rscan_band_t {
    int low, high;
};

/* Where the bands of a round's pairs come from. */
enum rscan_bands_t {
    RSCAN_BANDS_NONE,      /* whole matrices */
    RSCAN_BANDS_GUESSED,   /* edit distances: they will probably do (edit_band.h) */
    RSCAN_BANDS_PROVED,    /* edit distances and the scores so far: they certainly do */
    RSCAN_BANDS_CORRIDORS, /* corridor.cuh, for pairs that have one */
    RSCAN_BANDS_GUARDED,   /* of width bound_w, proved by bounds, for pairs in `banded` */
    RSCAN_BANDS_WINDOWS,   /* those of the windows, in `bound_band` */
    /* these with affine gaps alone (score_band.h): */
    RSCAN_BANDS_FIRST,  /* they find a score; for pairs in `banded`, if it is not NULL */
    RSCAN_BANDS_SCORES, /* `score`, which pairs have at least, proves them */
    RSCAN_BANDS_FIRST_OR_SCORES, /* FIRST, and SCORES for pairs that have none of FIRST */
    RSCAN_BANDS_KNOWN            /* band_w has them already */
};

/* What a round computes, of which pairs and in which bands.  It is chosen and checked
 * where the round is planned, and read by the plan and the kernels. */
struct rscan_variant_t {
    rscan_round_t round; /* with linear gaps */
    rscan_bands_t bands;
    int bound_w; /* w of guarded bands; 0: there are none */
    bool
        only_banded; /* only pairs with a corridor or a guarded or first band are taken */
    bool identity;   /* matches and columns are computed, not scores alone */
    bool exact;      /* in 64 bits */
    bool query_rows; /* the query's bases always are the rows */
    bool by_rows;    /* pairs of one query come together, and its bases are the rows
                      * (ROWS_QUERY) */
};

/* Pairs of a batch, on the device. */
struct rscan_list_t {
    unsigned *pairs; /* [n] their indices in the batch; NULL: the whole batch, or they
                      * are only counted */
    int *n;
};

struct rscan_launch_t {
    cuda_set_t set;
    const pair_t *pairs; /* [n] */
    rscan_variant_t variant;
    const unsigned *order; /* pairs of the round, by kind, similar ones together */
    int kind;
    int *n_of_kind;           /* [RSCAN_KINDS] */
    int min_pairs, max_pairs; /* the kernel does nothing if the kind has fewer or more */
    int min_wide; /* if KEY_LONG has as many pairs, they belong to the kind; 0: never */
    int *next;    /* [RSCAN_KINDS] how many pairs have been taken */
    void *lines;  /* [warps][line_len][32] one row of cells per thread */
    long long line_len;   /* columns */
    cell_layout_t layout; /* of the kind */
    int max_bases;        /* m + n of pairs that are not long (dscan_kernel.cu) */
    tie_code_t tie;       /* of the layout */
    unsigned mad_one;     /* 1: see cuda_mad */
    int *edits;           /* [n] edit distances */
    short *band_w;        /* [n] w of each pair's own band, < 0: none; may be NULL */
    corridor_block_t *corridors; /* [n][n_corridor_blocks]; NULL: there are none.  band_w
                                  * has half of their mean width */
    int n_corridor_blocks;
    unsigned char *banded;    /* [n] which pairs have a guarded band (band_choice.cuh) */
    band_outcome_t *outcomes; /* counted in the first round; NULL if none is guarded */
    fraction_t min_overlap;   /* of the spec: pairs below it have no identity */
    rscan_band_t *bound_band; /* [n] the band that the bound is for; of a pair with a
                               * window: its band, where the query's bases are rows */
    int *bound;  /* [n] a path that scores this much or more cannot leave the band */
    int *window; /* [n] windows of the pairs in `windowed` */
    rscan_list_t retry, windowed, doubtful; /* out: pairs to align again in a wider band
                                             * or none, in windows, in 64 bits */
    int *score, *matches, *columns;         /* [n] out */
};

/* @return a length that at most 1 % of the sequences exceed, so that a few long sequences
 *         do not cost all others the bits of their keys; at most max_len */
int rscan_usual_len(const seqset_t *set, int max_len);

/* @return whether a kind has a layout for pairs of at most len bases */
bool rscan_holds(int kind, const align_spec_t *spec, int64_t len);

/* @return the maximum bases of a sequence that a kind has a layout for; 0: none */
int rscan_limit(int kind, const align_spec_t *spec);

/*
 * Choose the layout of a kind for pairs of at most len bases, or fewer if it cannot hold
 * these.  That of SCORE2 is for scores, whatever the output of the spec.
 *
 * @return the bases that it holds; 0: there is no such layout
 */
int rscan_layout(int kind, const align_spec_t *spec, int len, cell_layout_t *out);

/* @return whether dscan aligns pairs of at most m and n bases, if need be as long ones */
bool rscan_holds_long(const align_spec_t *spec, int64_t m, int64_t n);

/* @param max_len  bases that a layout of free ends holds
 * @return the maximum bases of the shorter sequence of a long pair that it holds */
int rscan_long_limit(const cell_layout_t *layout, int max_len);

/* @return the costs of bands with counted ends, in scores */
__host__ __device__ inline edit_costs_t rscan_costs(const cell_layout_t &layout)
{
    const int64_t mismatch = layout.mismatch > 0 ? layout.mismatch : 0;

    return edit_costs_t{layout.match * layout.unit,
                        2 * (layout.match - mismatch) * layout.unit};
}

/* @return the bits of a cell of pairs of at most len bases */
int rscan_layout_bits(const cell_layout_t &layout, int64_t len);

/* @return bytes of a cell */
constexpr int rscan_cell_bytes(int kind)
{
    return kind == RSCAN_SETS64 ? 8 : 4;
}

/* Count the blocks of a round's kernel that a device holds at the same time. */
status_t rscan_blocks(int kind, rscan_round_t round, const device_t *device, int *out);

/* Threads per block. */
constexpr int RSCAN_BLOCK = 128;

/* Enqueue a round: the kernel of a kind, which is not SETS64, with one pair per thread.
 */
status_t rscan_run(int kind, const rscan_launch_t &launch, int n_blocks,
                   cudaStream_t stream);

/* The same for pairs with corridors, of the kinds KEY, KEY_LONG and SETS.
 * @param out  of the first: 0: the device has too little shared memory */
status_t rscan_corridor_blocks(int kind, const device_t *device, int *out);
status_t rscan_corridor_run(int kind, const rscan_launch_t &launch, int n_blocks,
                            cudaStream_t stream);

/* The same with one pair per warp and without bands, for any kind. */
status_t dscan_blocks(int kind, const device_t *device, int *out);
status_t dscan_run(int kind, const rscan_launch_t &launch, int n_blocks,
                   cudaStream_t stream);
