/*
 * simd_sweep_body.h - a sweep over whole cells, included once per SIMD level and
 * cell_sweep_t.
 *
 * The including file defines NAME (the function), LANE (uint16_t, ...), LANES, VEC,
 * V_LOAD, V_STORE, V_SET1, V_ADD, V_MAX, V_AND, V_SETS(p), the LANES bytes at p, and
 * V_STEP(g, q, t, match, mismatch): per lane, the step of two such bases.  V_ROWS(p), if
 * defined, takes the place of V_SETS(p) for rows.  V_EQUAL(a, b), a bit per lane, is
 * needed to follow paths back; sweeps without it are for scores.  With LANES_AGAIN all
 * but NAME, V_STEP and V_ROWS stay defined for the next inclusion.  There are two
 * functions, NAME and, for affine cells, NAME_affine (simd_sweep_affine_body.h).
 *
 * Cells are those of cell_layout.h, where gaps add nothing.  SIMD_SWEEP_ROWS rows are
 * computed at a time, so that the row of cells in memory is read and written once for
 * several of them; a row in which a lane ends is computed alone.  The cells beside a band
 * are those of earlier rows or of the border.  Going on with gaps attains their values,
 * so they are never too large.
 */
#ifndef SIMD_SWEEP_ROWS
#define SIMD_SWEEP_ROWS 4
#endif
#ifndef SIMD_CONCAT
#define SIMD_CONCAT_(a, b) a##_##b
#define SIMD_CONCAT(a, b)  SIMD_CONCAT_(a, b)
#endif

#ifndef V_ROWS
#define V_ROWS(p) V_SETS(p)
#endif

#ifdef V_EQUAL
#define IS_TRACED(g)  ((g)->trace != NULL)
#define FLAG_OF(a, b) ((FLAG)V_EQUAL(a, b))
#else
#define IS_TRACED(g)  false
#define FLAG_OF(a, b) 0
#endif
#if LANES > 8
#define FLAG uint16_t
#else
#define FLAG uint8_t
#endif

#define RUN_NAME     SIMD_CONCAT(NAME, run)
#define LEAVE_NAME   SIMD_CONCAT(NAME, leave)
#define CELLS_NAME   SIMD_CONCAT(NAME, cells)
#define ADVANCE_NAME SIMD_CONCAT(NAME, advance)
#define ROWS_NAME    SIMD_CONCAT(NAME, rows)
#define END_ROW_NAME SIMD_CONCAT(NAME, end_row)

typedef struct {
    VEC match, mismatch;
    VEC q[SIMD_SWEEP_ROWS];    /* the rows' bases */
    VEC left[SIMD_SWEEP_ROWS]; /* the cell to the left, one per row */
    VEC diagonal;              /* the cell above and to the left in the first row */
} RUN_NAME;

/* Where rows may have ends: lanes *lane, *lane - 1, ... whose last column is j may end
 * in each of these rows, up to their last one.
 * @param column  its cells in these rows */
static void LEAVE_NAME(const simd_group_t *g, const VEC *column, int n_rows, int32_t i,
                       int32_t j, int *lane, cell_end_t *best)
{
    LANE cells[SIMD_SWEEP_ROWS][LANES] __attribute__((aligned(SIMD_ALIGN_BYTES)));

    for (int r = 0; r < n_rows; r++)
        V_STORE(cells[r], column[r]);
    for (; *lane >= 0 && g->n[*lane] == j; (*lane)--)
        for (int r = 0; r < n_rows && g->m[*lane] > i; r++)
            simd_sweep_offer(g, *lane, (int64_t)cells[r][*lane], i + r + 1, j, best);
}

/* Compute column j (from 0) of n_rows rows. @param flags  [n_rows][SIMD_FLAGS] if traced
 */
static inline __attribute__((always_inline)) void CELLS_NAME(const simd_group_t *g,
                                                             RUN_NAME *run,
                                                             const bool traced,
                                                             const int n_rows, int32_t j,
                                                             FLAG *flags)
{
    const VEC t = V_SETS(g->columns + (int64_t)j * LANES);
    LANE *h = (LANE *)g->h + (int64_t)(j + 1) * LANES;
    VEC up = V_LOAD(h), diagonal = run->diagonal;

    run->diagonal = up;
#pragma GCC unroll 8
    for (int r = 0; r < n_rows; r++) {
        VEC step = V_ADD(diagonal, V_STEP(g, run->q[r], t, run->match, run->mismatch));
        VEC cell = V_MAX(step, V_MAX(up, run->left[r]));

        if (traced) {
            flags[r * SIMD_FLAGS + SIMD_FLAG_DIAGONAL] = FLAG_OF(cell, step);
            flags[r * SIMD_FLAGS + SIMD_FLAG_UP] = FLAG_OF(cell, up);
        }
        diagonal = run->left[r];
        run->left[r] = cell;
        up = cell;
    }
    V_STORE(h, up);
}

/* Compute columns *j .. stop-1 of n_rows rows. */
static inline __attribute__((always_inline)) void ADVANCE_NAME(const simd_group_t *g,
                                                               RUN_NAME *run,
                                                               const int n_rows,
                                                               int32_t *j, int32_t stop)
{
    if (IS_TRACED(g)) {
        FLAG *flags = (FLAG *)(void *)g->trace->next;

        for (; *j < stop; (*j)++, flags += n_rows * SIMD_FLAGS)
            CELLS_NAME(g, run, true, n_rows, *j, flags);
        g->trace->next = (uint8_t *)flags;
    } else {
        for (; *j < stop; (*j)++)
            CELLS_NAME(g, run, false, n_rows, *j, NULL);
    }
}

static inline __attribute__((always_inline)) void ROWS_NAME(const simd_group_t *g,
                                                            const int n_rows, int32_t i,
                                                            cell_end_t *best)
{
    RUN_NAME run = {.match = V_SET1((LANE)g->layout->step_match),
                    .mismatch = V_SET1((LANE)g->layout->step_mismatch)};
    int32_t j = i - g->low > 0 ? i - g->low : 0;
    int32_t end = i + n_rows + g->high;
    int lane = g->n_lanes - 1; /* the lane with the fewest columns */
    LANE *h = (LANE *)g->h + (int64_t)j * LANES;

    end = end < g->n_max ? end : g->n_max;
    run.diagonal = V_LOAD(h);
#pragma GCC unroll 8
    for (int r = 0; r < n_rows; r++) {
        run.q[r] = V_ROWS(g->rows + (int64_t)(i + r) * LANES);
        run.left[r] = j == 0 ? V_SET1((LANE)g->row_border[i + r + 1]) : run.diagonal;
    }
    if (j == 0)
        V_STORE(h, run.left[n_rows - 1]);
    if (IS_TRACED(g))
        simd_trace_begin(g->trace, i, n_rows, j);
    while (lane >= 0 && g->n[lane] <= j)
        lane--;
    while (g->layout->rows_free && lane >= 0 && g->n[lane] <= end) {
        ADVANCE_NAME(g, &run, n_rows, &j, g->n[lane]);
        LEAVE_NAME(g, run.left, n_rows, i, j, &lane, best);
    }
    ADVANCE_NAME(g, &run, n_rows, &j, end);
}

/* After row i (from 1), computed alone: a lane whose last row it is may end in its last
 * column, and in its columns from `first` on, if columns may have ends. */
static void END_ROW_NAME(const simd_group_t *g, int32_t i, int64_t first,
                         cell_end_t *best)
{
    const LANE *h = g->h;

    for (int lane = 0; lane < g->n_lanes; lane++) {
        const LANE *cells = h + lane;
        int64_t n = g->n[lane];

        if (g->m[lane] != i)
            continue;
        simd_sweep_offer(g, lane, (int64_t)cells[n * LANES], i, n, best);
        for (int64_t j = first; g->layout->columns_free && j < n; j++)
            simd_sweep_offer(g, lane, (int64_t)cells[j * LANES], i, j, best);
    }
}

static void NAME(const simd_group_t *g, cell_end_t *best)
{
    LANE *h = g->h;
    int end = 0;

    for (int32_t j = 0; j <= g->n_max; j++)
        V_STORE(h + (int64_t)j * LANES, V_SET1((LANE)g->column_border[j]));
    for (int32_t i = 0; i < g->m_max;) {
        if (g->cancel != NULL && __atomic_load_n(g->cancel, __ATOMIC_RELAXED) != 0)
            return;
        while (g->m_ends[end] <= i)
            end++;
        if (i + SIMD_SWEEP_ROWS < g->m_ends[end]) {
            ROWS_NAME(g, SIMD_SWEEP_ROWS, i, best);
            i += SIMD_SWEEP_ROWS;
        } else {
            ROWS_NAME(g, 1, i, best);
            END_ROW_NAME(g, ++i, 0, best);
        }
    }
}

#undef ADVANCE_NAME
#include "kernels/align/simd/simd_sweep_affine_body.h"

#undef IS_TRACED
#undef FLAG_OF
#undef FLAG
#undef RUN_NAME
#undef LEAVE_NAME
#undef CELLS_NAME
#undef ROWS_NAME
#undef END_ROW_NAME
#undef NAME
#undef V_STEP
#undef V_ROWS
#undef V_KINDS
#ifdef LANES_AGAIN
#undef LANES_AGAIN
#else
#undef LANE
#undef LANES
#undef VEC
#undef V_LOAD
#undef V_STORE
#undef V_SET1
#undef V_ADD
#undef V_AND
#undef V_MAX
#undef V_SETS
#undef V_SAME
#undef V_TOP
#undef V_OPENED
#undef OPENING
#undef V_REACHES
#undef V_EQUAL
#endif
