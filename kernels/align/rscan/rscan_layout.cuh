/*
 * rscan_layout.cuh - how the cells of rscan are laid out, and what its kernels are given.
 *
 * Cells are gap-normalised (cell_layout.h says how, and how a result is read from one).
 * What a word holds is one of four kinds:
 *
 *  - SCORE2: the scores of two pairs, 16 bits each, which cannot carry into each other;
 *  - KEY:    h, matches and tie key of one pair, with h's steps in byte 2 and the
 *            match's in byte 0, so that one byte permutation looks both up;
 *  - SETS:   the same, or a score alone, at any shift; letters are compared as sets, so
 *            both sequences may hold codes;
 *  - SETS64: the same in 64 bits, where 32 leave doubt.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_RSCAN_RSCAN_LAYOUT_CUH
#define RIBOGRID_KERNELS_ALIGN_RSCAN_RSCAN_LAYOUT_CUH

#include "kernels/align/cuda/cuda_batch.cuh"

extern "C" {
#include "kernels/align/common/cell_layout.h"
#include "kernels/align/common/edit_band.h"
}

enum rscan_kind_t { RSCAN_SCORE2, RSCAN_KEY, RSCAN_SETS, RSCAN_SETS64, RSCAN_KINDS };

/* Rows that a thread holds at a time, of each kind. */
constexpr int RSCAN_ROWS_SCORE2 = 32, RSCAN_ROWS_KEY = 48, RSCAN_ROWS_SETS = 32;
/* Blocks that a multiprocessor is to hold: more hide latency, fewer leave registers. */
constexpr int RSCAN_BLOCKS_SCORE2 = 4, RSCAN_BLOCKS_KEY = 3;

/* No band: the whole matrix. */
constexpr int RSCAN_NO_BAND = 1 << 29;

/* What one round of a batch does. */
enum rscan_round_t {
    RSCAN_ROUND_BOUND, /* scores of the whole matrix, 1 added for leaving the band */
    RSCAN_ROUND_FIRST, /* results, in bands if there are any */
    RSCAN_ROUND_WIDER, /* those whose bands were not certified, in bands that will be */
    RSCAN_ROUND_WHOLE, /* those whose bands were not proved by a guard */
    RSCAN_ROUND_EXACT  /* those that 32 bits left in doubt */
};

/* A pair's band, as low <= j - i <= high with i in its rows; 0, 0: none was tried. */
struct rscan_band_t {
    int low, high;
};

struct rscan_launch_t {
    cuda_set_t set;
    const unsigned char *has_ambiguity; /* [n_sequences] */
    const pair_t *pairs;                /* [n] */
    const unsigned *order; /* pairs of a round, by kind; like shapes together */
    const int *n_of_kind;  /* [RSCAN_KINDS] */
    int *next;             /* [RSCAN_KINDS] pairs of the kind that are taken */
    void *lines;           /* [warps][line_len][32] a row of cells a thread */
    long long line_len;
    cell_layout_t layout;
    unsigned mad_one;     /* 1, which the compiler shall not know */
    unsigned per_quantum; /* 2^32 / layout.quantum, rounded up; 0: that is 1 */
    bool identity;
    rscan_round_t round;
    const int *edits;  /* [n] edit distances */
    short *band_w;     /* [n] w of each pair's band, < 0: none; NULL: no bands */
    int bound_w;       /* w of guarded bands; 0: bands are certified by their results */
    bool bounds_ready; /* they are proved by bounds, without a round */
    rscan_band_t *bound_band; /* [n] the guarded band */
    int *bound;         /* [n] its score, or one more than any path that leaves it has */
    unsigned *retry;    /* [n] pairs that are to be aligned again, wholly */
    unsigned *doubtful; /* [n] or exactly */
    int *n_retry, *n_doubtful;
    int *score, *matches, *columns;
};

/* @return whether a kind has a layout for pairs of at most len letters */
bool rscan_holds(int kind, const align_spec_t *spec, int64_t len);

/* @return the most letters that a pair's sequences may have for a kind; 0: none */
int rscan_limit(int kind, const align_spec_t *spec);

/*
 * Choose a kind's layout for pairs of at most len letters, or as many as it can hold.
 *
 * SCORE2 is chosen for the score alone, whatever the output.
 *
 * @return the letters that it holds; 0: there is no such layout
 */
int rscan_layout(int kind, const align_spec_t *spec, int len, cell_layout_t *out);

/* @return the costs of bands with counted ends, in scores */
__host__ __device__ inline edit_costs_t rscan_costs(const cell_layout_t &layout)
{
    const int64_t mismatch = layout.mismatch > 0 ? layout.mismatch : 0;

    return edit_costs_t{layout.match * layout.unit,
                        2 * (layout.match - mismatch) * layout.unit};
}

/* @return rscan_launch_t's per_quantum */
inline unsigned rscan_per_quantum(const cell_layout_t &layout)
{
    return layout.quantum > 1
               ? static_cast<unsigned>((INT64_C(1) << 32) / layout.quantum + 1)
               : 0;
}

/* @return bits that a cell takes, of pairs of at most len letters */
int rscan_layout_bits(const cell_layout_t &layout, int64_t len);

/* @return bytes of a cell */
constexpr int rscan_cell_bytes(int kind)
{
    return kind == RSCAN_SETS64 ? 8 : 4;
}

/* @return blocks that a device holds at once of a kind's kernel */
status_t rscan_blocks(int kind, bool bound, const device_t *device, int *out);

/* Threads of a block. */
constexpr int RSCAN_BLOCK = 128;

/* Enqueue the kernel of a kind, but for SETS64, for a round. */
status_t rscan_run(int kind, const rscan_launch_t &launch, int n_blocks,
                   cudaStream_t stream);

/* The same with a warp a pair (dscan_kernel.cu), without bands: for rounds of few pairs.
 */
status_t dscan_blocks(int kind, const device_t *device, int *out);
status_t dscan_run(int kind, const rscan_launch_t &launch, int n_blocks,
                   cudaStream_t stream);

#endif
