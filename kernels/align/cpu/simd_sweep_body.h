/*
 * simd_sweep_body.h - a sweep over whole cells, included once per SIMD level and
 * cell_sweep_t.
 *
 * The including file defines NAME (the function), LANE (uint16_t, ...), LANES, VEC,
 * V_LOAD, V_STORE, V_SET1, V_ADD, V_AND, V_MAX, and V_STEP(g, q, t, match, mismatch): per
 * lane, the step of the bases at q and t (LANES bytes each).  There are two functions,
 * NAME and, for affine cells, NAME_affine.
 *
 * Cells are those of cell_layout.h, where gaps add nothing.  SIMD_SWEEP_ROWS rows are
 * computed at a time, so that the row of cells in memory is read and written once for
 * several of them; a row in which a lane ends is computed alone.  The cells beside a band
 * are those of earlier rows or of the border.  Going on with gaps attains their values,
 * so they are never too large.
 *
 * Affine cells: the row in memory holds H, and F of the row below it.  There are no
 * bands.  With priced ends, no gap inside an alignment reaches a lane's last cells along
 * its last row or column: masks clear it there.
 */
#ifndef SIMD_SWEEP_ROWS
#define SIMD_SWEEP_ROWS    4
#define SIMD_CONCAT_(a, b) a##_##b
#define SIMD_CONCAT(a, b)  SIMD_CONCAT_(a, b)
#endif

#define RUN_NAME      SIMD_CONCAT(NAME, run)
#define LEAVE_NAME    SIMD_CONCAT(NAME, leave)
#define LINEAR_NAME   SIMD_CONCAT(NAME, linear_cells)
#define AFFINE_NAME   SIMD_CONCAT(NAME, affine_cells)
#define ADVANCE_NAME  SIMD_CONCAT(NAME, advance)
#define LAST_NAME     SIMD_CONCAT(NAME, last_column)
#define BEGIN_NAME    SIMD_CONCAT(NAME, begin)
#define ROWS_NAME     SIMD_CONCAT(NAME, rows)
#define END_ROW_NAME  SIMD_CONCAT(NAME, end_row)
#define SWEEP_NAME    SIMD_CONCAT(NAME, all)
#define ENTRANCE_NAME SIMD_CONCAT(NAME, affine)

typedef struct {
    VEC match, mismatch;
    VEC left[SIMD_SWEEP_ROWS]; /* the cell to the left, one per row */
    VEC diagonal;              /* the cell above and to the left in the first row */
    /* affine cells: */
    VEC minus_open;
    VEC e[SIMD_SWEEP_ROWS];    /* E of the column, one per row */
    VEC row_mask, column_mask; /* 0 where E, or F, must not enter H */
} RUN_NAME;

/* Where rows may have ends: lanes *lane, *lane - 1, ... whose last column is j may end
 * in each of these rows, up to their last one. */
static void LEAVE_NAME(const simd_group_t *g, const RUN_NAME *run, int n_rows, int32_t i,
                       int32_t j, int *lane, cell_end_t *best)
{
    LANE cells[SIMD_SWEEP_ROWS][LANES] __attribute__((aligned(SIMD_ALIGN_BYTES)));

    for (int r = 0; r < n_rows; r++)
        V_STORE(cells[r], run->left[r]);
    for (; *lane >= 0 && g->n[*lane] == j; (*lane)--)
        for (int r = 0; r < n_rows && g->m[*lane] > i; r++)
            simd_sweep_offer(g, *lane, (int64_t)cells[r][*lane], i + r + 1, j, best);
}

/* Compute column j of n_rows rows from row i on (both from 0). */
static inline __attribute__((always_inline)) void LINEAR_NAME(const simd_group_t *g,
                                                              RUN_NAME *run,
                                                              const int n_rows, int32_t i,
                                                              int32_t j)
{
    const uint8_t *q = g->rows + (int64_t)i * LANES, *t = g->columns + (int64_t)j * LANES;
    LANE *h = (LANE *)g->h + (int64_t)(j + 1) * LANES;
    VEC up = V_LOAD(h), diagonal = run->diagonal;

    run->diagonal = up;
#pragma GCC unroll 4
    for (int r = 0; r < n_rows; r++) {
        VEC cell =
            V_ADD(diagonal, V_STEP(g, q + r * LANES, t, run->match, run->mismatch));

        cell = V_MAX(cell, V_MAX(up, run->left[r]));
        diagonal = run->left[r];
        run->left[r] = cell;
        up = cell;
    }
    V_STORE(h, up);
}

/* The same for affine cells. @param masked  apply the masks */
static inline __attribute__((always_inline)) void AFFINE_NAME(const simd_group_t *g,
                                                              RUN_NAME *run,
                                                              const bool masked,
                                                              const int n_rows, int32_t i,
                                                              int32_t j)
{
    const uint8_t *q = g->rows + (int64_t)i * LANES, *t = g->columns + (int64_t)j * LANES;
    LANE *h = (LANE *)g->h + (int64_t)(j + 1) * LANES;
    LANE *f = (LANE *)g->f + (int64_t)(j + 1) * LANES;
    VEC up = V_LOAD(h), from_above = V_LOAD(f), diagonal = run->diagonal;

    run->diagonal = up;
#pragma GCC unroll 4
    for (int r = 0; r < n_rows; r++) {
        VEC cell =
            V_ADD(diagonal, V_STEP(g, q + r * LANES, t, run->match, run->mismatch));
        VEC opened;

        if (masked)
            cell = V_MAX(cell, V_MAX(V_AND(from_above, run->column_mask),
                                     V_AND(run->e[r], run->row_mask)));
        else
            cell = V_MAX(cell, V_MAX(from_above, run->e[r]));
        opened = V_ADD(cell, run->minus_open);
        from_above = V_MAX(from_above, opened);
        run->e[r] = V_MAX(run->e[r], opened);
        diagonal = run->left[r];
        run->left[r] = up = cell;
    }
    V_STORE(h, up);
    V_STORE(f, from_above);
}

/* Compute columns *j .. stop-1 (from 0). */
static inline __attribute__((always_inline)) void ADVANCE_NAME(
    const simd_group_t *g, RUN_NAME *run, const bool affine, const int n_rows, int32_t i,
    int32_t *j, const int32_t stop)
{
    for (; *j < stop; (*j)++)
        if (affine)
            AFFINE_NAME(g, run, n_rows == 1, n_rows, i, *j);
        else
            LINEAR_NAME(g, run, n_rows, i, *j);
}

/* With priced ends: compute column j, the last one of `lane` and maybe of some before it.
 */
static inline __attribute__((always_inline)) void LAST_NAME(const simd_group_t *g,
                                                            RUN_NAME *run,
                                                            const int n_rows, int32_t i,
                                                            int32_t j, int lane)
{
    LANE mask[LANES] __attribute__((aligned(SIMD_ALIGN_BYTES)));
    VEC all = run->column_mask;

    V_STORE(mask, all);
    for (; lane >= 0 && g->n[lane] == j + 1; lane--)
        mask[lane] = 0;
    run->column_mask = V_LOAD(mask);
    AFFINE_NAME(g, run, true, n_rows, i, j);
    run->column_mask = all;
}

/* Start rows from row i on in column j. */
static inline __attribute__((always_inline)) void BEGIN_NAME(const simd_group_t *g,
                                                             RUN_NAME *run,
                                                             const bool affine,
                                                             const int n_rows, int32_t i,
                                                             int32_t j)
{
    const cell_layout_t *f = g->layout;
    LANE mask[LANES] __attribute__((aligned(SIMD_ALIGN_BYTES)));
    LANE *h = (LANE *)g->h + (int64_t)j * LANES;

    run->match = V_SET1((LANE)f->step_match);
    run->mismatch = V_SET1((LANE)f->step_mismatch);
    run->diagonal = V_LOAD(h);
#pragma GCC unroll 4
    for (int r = 0; r < n_rows; r++)
        run->left[r] = j == 0 ? V_SET1((LANE)g->row_border[i + r + 1]) : run->diagonal;
    if (j == 0)
        V_STORE(h, run->left[n_rows - 1]);
    if (!affine)
        return;
    run->minus_open = V_SET1((LANE)-f->step_open);
    run->column_mask = V_SET1((LANE)-1);
    for (int r = 0; r < n_rows; r++)
        run->e[r] = V_ADD(run->left[r], run->minus_open);
    for (int lane = 0; lane < LANES; lane++)
        mask[lane] = (LANE)(f->priced && g->m[lane] == i + 1 ? 0 : -1);
    run->row_mask = V_LOAD(mask);
}

static inline __attribute__((always_inline)) void ROWS_NAME(const simd_group_t *g,
                                                            const bool affine,
                                                            const int n_rows, int32_t i,
                                                            cell_end_t *best)
{
    RUN_NAME run;
    int32_t j = !affine && i - g->low > 0 ? i - g->low : 0;
    int32_t end = affine ? g->n_max : i + n_rows + g->high;
    int lane = g->n_lanes - 1; /* the lane with the fewest columns */

    end = end < g->n_max ? end : g->n_max;
    BEGIN_NAME(g, &run, affine, n_rows, i, j);
    while (lane >= 0 && g->n[lane] <= j)
        lane--;
    while (g->layout->rows_free && lane >= 0 && g->n[lane] <= end) {
        const bool priced = affine && g->layout->priced;

        ADVANCE_NAME(g, &run, affine, n_rows, i, &j, g->n[lane] - priced);
        if (priced)
            LAST_NAME(g, &run, n_rows, i, j++, lane);
        LEAVE_NAME(g, &run, n_rows, i, j, &lane, best);
    }
    ADVANCE_NAME(g, &run, affine, n_rows, i, &j, end);
}

/* After row i (from 1), computed alone: a lane whose last row this is may end in its last
 * column, and in all of the row, if the columns may have ends. */
static void END_ROW_NAME(const simd_group_t *g, int32_t i, cell_end_t *best)
{
    const LANE *h = g->h;

    for (int lane = 0; lane < g->n_lanes; lane++) {
        const LANE *cells = h + lane;
        int64_t n = g->n[lane];

        if (g->m[lane] != i)
            continue;
        simd_sweep_offer(g, lane, (int64_t)cells[n * LANES], i, n, best);
        for (int64_t j = 0; g->layout->columns_free && j < n; j++)
            simd_sweep_offer(g, lane, (int64_t)cells[j * LANES], i, j, best);
    }
}

static inline __attribute__((always_inline)) void SWEEP_NAME(const simd_group_t *g,
                                                             const bool affine,
                                                             cell_end_t *best)
{
    LANE *h = g->h, *f = g->f;
    int end = 0;

    for (int32_t j = 0; j <= g->n_max; j++) {
        VEC cell = V_SET1((LANE)g->column_border[j]);

        V_STORE(h + (int64_t)j * LANES, cell);
        if (affine)
            V_STORE(f + (int64_t)j * LANES,
                    V_ADD(cell, V_SET1((LANE)-g->layout->step_open)));
    }
    for (int32_t i = 0; i < g->m_max;) {
        if (g->cancel != NULL && __atomic_load_n(g->cancel, __ATOMIC_RELAXED) != 0)
            return;
        while (g->m_ends[end] <= i)
            end++;
        if (i + SIMD_SWEEP_ROWS < g->m_ends[end]) {
            ROWS_NAME(g, affine, SIMD_SWEEP_ROWS, i, best);
            i += SIMD_SWEEP_ROWS;
        } else {
            ROWS_NAME(g, affine, 1, i, best);
            END_ROW_NAME(g, ++i, best);
        }
    }
}

static void NAME(const simd_group_t *g, cell_end_t *best)
{
    SWEEP_NAME(g, false, best);
}

static void ENTRANCE_NAME(const simd_group_t *g, cell_end_t *best)
{
    SWEEP_NAME(g, true, best);
}

#undef RUN_NAME
#undef LEAVE_NAME
#undef LINEAR_NAME
#undef AFFINE_NAME
#undef ADVANCE_NAME
#undef LAST_NAME
#undef BEGIN_NAME
#undef ROWS_NAME
#undef END_ROW_NAME
#undef SWEEP_NAME
#undef ENTRANCE_NAME
#undef NAME
#undef LANE
#undef LANES
#undef VEC
#undef V_LOAD
#undef V_STORE
#undef V_SET1
#undef V_ADD
#undef V_AND
#undef V_MAX
#undef V_STEP
