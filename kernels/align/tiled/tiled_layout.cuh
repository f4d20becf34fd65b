/*
 * tiled_layout.cuh - the layouts of cells of tiled-dscan.
 *
 * Cells are gap-normalised as in cell_layout.h, whose symbols are used here: h(i,j) =
 * H(i,j) + c (i + j).  Neighbours differ by at most D = max(A, c), A being the largest
 * step.  The cells of a warp are never far apart, so it holds h minus an origin that
 * rises as the warp proceeds.  In a register h therefore takes values below TILED_WINDOW
 * * D, however long the sequences are.
 *
 *  - SCORE2: h of two cells, 16 bits each: of the sweep from the front of both sequences
 *    and of the sweep from the back.
 *  - KEY: 32 bits: h, and below it the matches M if the columns follow from these; or h
 *    alone.
 *  - KEY64: 64 bits: h, M, and as the tie break the s bases that are free at the start,
 *    from which the columns follow (cell_layout.h).  KEY64_STEPS holds the diagonal steps
 * Q instead, for any scoring.
 *
 * A step that would lower h is TILED_STEP_NONE instead: it makes a cell that is less than
 * its neighbours, so no path takes it.
 */
#pragma once

#include "kernels/device/cuda_try.cuh"

extern "C" {
#include "kernels/align/common/align_spec.h"
}

enum { TILED_WARP = 32, TILED_ROWS = 4, TILED_COLUMNS = 4 };
enum { TILED_STRIP = TILED_WARP * TILED_ROWS };
enum { TILED_CHUNK_STEPS = 8, TILED_CHUNK = TILED_CHUNK_STEPS * TILED_COLUMNS };

/* The lanes of a warp are up to TILED_BEHIND columns behind the column whose cell sets
 * the origin, and the cells of a warp differ by at most TILED_WINDOW steps of D. */
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
    int tie_bits, h_shift;     /* lowest bit of M; of h */
    int margin;                /* the origin is this far below the cell that sets it */
    long long starts_max;      /* TILED_TIE_STARTS_FALLING counts down from it */
    long long border_first, border_step; /* border cell behind k bases: first + k step */
    int steps[DNA_SIZE][DNA_SIZE];       /* h and M, without tie bits; or STEP_NONE */
};

/*
 * Choose the layout for pairs of at most m and n bases.
 *
 * @return whether there is one
 */
bool tiled_layout_choose(const align_spec_t *spec, int64_t m, int64_t n,
                         tiled_layout_t *out);

/* What the best alignment of a pair has. */
struct tiled_result_t {
    long long score, matches, columns;
};

/* @return the result of a pair of m and n bases from its best key: the sum of the keys of
 *         both parts of an alignment */
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
