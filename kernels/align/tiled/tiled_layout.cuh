/*
 * tiled_layout.cuh - how tiled-dscan holds a cell, and what its numbers mean.
 *
 * Cells are gap-normalised (cell_layout.h): h(i,j) = H(i,j) + c (i + j), of which
 * neighbours differ by D = max(A, c) at most, A being the largest step.  So a warp, whose
 * cells are never far apart, holds h less a base that rises as it goes: WINDOW * D is all
 * that h takes in a register, however long the sequences are.
 *
 *  - SCORE2: h of two cells, 16 bits each: one of the sweep that begins at the front of
 *    both sequences and one of the sweep that begins at their backs.
 *  - KEY: 32 bits, h and below it the matches M, if columns follow from them; or h alone.
 *  - KEY64: 64 bits, h, M, and as tie what the columns follow from: the s letters that
 *    were free at the start (with B and c apart, X + s rises or falls with s); or
 *    KEY64_STEPS, the steps Q, for any scoring.
 *
 * A negative step is never taken: STEP_NONE lessens a cell so that none of its paths is.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_TILED_TILED_LAYOUT_CUH
#define RIBOGRID_KERNELS_ALIGN_TILED_TILED_LAYOUT_CUH

#include "kernels/device/cuda_try.cuh"

extern "C" {
#include "kernels/align/common/align_spec.h"
}

enum { TILED_WARP = 32, TILED_ROWS = 4, TILED_COLUMNS = 4 };
enum { TILED_STRIP = TILED_WARP * TILED_ROWS };
enum { TILED_CHUNK_STEPS = 8, TILED_CHUNK = TILED_CHUNK_STEPS * TILED_COLUMNS };

/* Cells of a warp: so many columns behind the one that the base is set by, and so many
 * steps of D in all, a few to spare. */
enum { TILED_BEHIND = TILED_WARP * TILED_COLUMNS };
enum { TILED_WINDOW = TILED_BEHIND + TILED_STRIP + 2 * TILED_CHUNK + 16 };

enum tiled_kind_t { TILED_SCORE2, TILED_KEY, TILED_KEY64, TILED_KEY64_STEPS };
enum tiled_tie_t {
    TILED_TIE_NONE,
    TILED_TIE_STARTS,
    TILED_TIE_STARTS_FALLING,
    TILED_TIE_STEPS
};

enum { TILED_STEP_NONE = -1, TILED_STEP_MAX = 127 /* of SCORE2 */ };

struct tiled_layout_t {
    tiled_kind_t kind;
    tiled_tie_t tie;
    bool ends_free, identity;
    long long unit;            /* score per unit of h */
    long long gap_cost;        /* c, in scores; with free ends also in units */
    long long match, mismatch; /* A and B, in units */
    int tie_bits, h_shift;     /* fields: h from h_shift, M from tie_bits */
    int margin;                /* a base is so far below the cell that it is set by */
    long long starts_max;      /* STARTS_FALLING counts down from it */
    long long border_first, border_step; /* the cell k letters along a border: both, k */
    int steps[ALPHABET_SIZE][ALPHABET_SIZE]; /* of h_shift - tie_bits; or STEP_NONE */
};

/*
 * Choose the form for pairs of at most m and n letters.
 *
 * @return whether there is one
 */
bool tiled_layout_choose(const align_spec_t *spec, int64_t m, int64_t n,
                         tiled_layout_t *out);

/* The numbers of a pair's best alignment. */
struct tiled_result_t {
    long long score, matches, columns;
};

/* @return what a whole pair's key says: the sum of a cell's and of what is beyond it */
__host__ __device__ inline tiled_result_t tiled_layout_result(const tiled_layout_t &f,
                                                              unsigned long long key,
                                                              int m, int n)
{
    const long long h = static_cast<long long>(key >> f.h_shift);
    const long long tie = static_cast<long long>(key & ((1ull << f.tie_bits) - 1));
    const long long matches = static_cast<long long>(
        key >> f.tie_bits & ((1ull << (f.h_shift - f.tie_bits)) - 1));
    const long long letters = static_cast<long long>(m) + n;
    const long long rest = h - f.match * matches;
    tiled_result_t out = {h * f.unit - f.gap_cost * letters, matches, letters - tie};

    if (f.tie == TILED_TIE_NONE) {
        const long long each = f.ends_free ? f.gap_cost : f.mismatch;

        out.columns = letters - matches - (each > 0 ? rest / each : 0);
    } else if (f.tie != TILED_TIE_STEPS) {
        const long long s = f.tie == TILED_TIE_STARTS ? tie : 2 * f.starts_max - tie;

        out.columns = letters - matches - s - (rest - f.gap_cost * s) / f.mismatch;
    }
    return out;
}

#endif
