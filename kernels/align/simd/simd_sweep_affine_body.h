/*
 * simd_sweep_affine_body.h - the sweep of simd_sweep_body.h, which includes it, for
 * affine gaps and priced ends.
 *
 * The row in memory holds H, and F of the row below it.  Cells beside a band, and E and F
 * there, hold the layout's no_path.
 *
 * If the including file defines V_KINDS(q, t), steps are looked up by kinds: q has the
 * bytes of up to four rows in each lane, and t = V_COLUMN(p) that of its column four
 * times.  In the result V_KIND_STEP(kinds, r, steps) finds the step of row r; steps are
 * V_KIND_STEPS(f).  V_PACK(p, n) packs n rows.
 *
 * With priced ends, E must not enter H in a lane's last row, nor F in its last column:
 * masks clear it there.
 */
#define AFFINE_NAME  SIMD_CONCAT(NAME, affine_run)
#define COLUMN_NAME  SIMD_CONCAT(NAME, affine_cells)
#define ADVANCE_NAME SIMD_CONCAT(NAME, affine_advance)
#define STRIP_NAME   SIMD_CONCAT(NAME, affine_strip)
#define CARRY_NAME   SIMD_CONCAT(NAME, affine_carry)
#define LAST_NAME    SIMD_CONCAT(NAME, affine_last)
#define BEGIN_NAME   SIMD_CONCAT(NAME, affine_begin)
#define ENTER_NAME   SIMD_CONCAT(NAME, affine_enter)
#define SPAN_NAME    SIMD_CONCAT(NAME, affine_rows)
#define SWEEP_NAME   SIMD_CONCAT(NAME, affine)

typedef struct {
    VEC match, mismatch, minus_open;
    VEC q[SIMD_SWEEP_ROWS];    /* the rows' bases */
    VEC left[SIMD_SWEEP_ROWS]; /* the cell to the left, one per row */
    VEC e[SIMD_SWEEP_ROWS];    /* E of the column */
    VEC diagonal;              /* the cell above and to the left in the first row */
#ifdef V_KINDS
    VEC packed, steps; /* the rows' bases, and steps by kind */
#endif
    VEC row_mask, column_mask; /* 0 where E, or F, must not enter H */
} AFFINE_NAME;

/* Compute a column of n_rows rows. @param masked  apply the masks
 * @param flags  [n_rows][SIMD_FLAGS_AFFINE] if traced */
static inline __attribute__((always_inline)) void COLUMN_NAME(
    const simd_group_t *g, AFFINE_NAME *run, const bool masked, const bool traced,
    const int n_rows, const uint8_t *bases, LANE *h, LANE *f, FLAG *flags)
{
#ifdef V_KINDS
    const VEC kinds = V_KINDS(run->packed, V_COLUMN(bases));
#else
    const VEC t = V_SETS(bases);
#endif
    VEC up = V_LOAD(h), from_above = V_LOAD(f), diagonal = run->diagonal;

    (void)g; /* not every V_STEP has a table */
    run->diagonal = up;
#pragma GCC unroll 8
    for (int r = 0; r < n_rows; r++) {
#ifdef V_KINDS
        const VEC step = V_ADD(diagonal, V_KIND_STEP(kinds, r, run->steps));
#else
        const VEC step =
            V_ADD(diagonal, V_STEP(g, run->q[r], t, run->match, run->mismatch));
#endif
        const VEC above = masked ? V_AND(from_above, run->column_mask) : from_above;
        const VEC left = masked ? V_AND(run->e[r], run->row_mask) : run->e[r];
        const VEC cell = V_MAX(step, V_MAX(above, left));
        const VEC opened = V_ADD(cell, run->minus_open);

        from_above = V_MAX(from_above, opened);
        run->e[r] = V_MAX(run->e[r], opened);
        if (traced) {
            FLAG *of_cell = flags + r * SIMD_FLAGS_AFFINE;

            of_cell[SIMD_FLAG_DIAGONAL] = FLAG_OF(cell, step);
            of_cell[SIMD_FLAG_UP] = FLAG_OF(cell, above);
            of_cell[SIMD_FLAG_DOWN_BEGINS] = FLAG_OF(from_above, opened);
            of_cell[SIMD_FLAG_RIGHT_BEGINS] = FLAG_OF(run->e[r], opened);
        }
        diagonal = run->left[r];
        run->left[r] = up = cell;
    }
    V_STORE(h, up);
    V_STORE(f, from_above);
}

/* Compute columns j .. stop-1 (from 0) of n_rows rows. */
static inline __attribute__((always_inline)) void STRIP_NAME(
    const simd_group_t *g, AFFINE_NAME *run, const bool masked, const bool traced,
    const int n_rows, int32_t j, int32_t stop)
{
    const int64_t end = (int64_t)stop * LANES;
    const uint8_t *t = g->columns;
    LANE *h = (LANE *)g->h + LANES, *f = (LANE *)g->f + LANES;
    FLAG *flags = traced ? (FLAG *)(void *)g->trace->next : NULL;

    for (int64_t at = (int64_t)j * LANES; at < end; at += LANES) {
        COLUMN_NAME(g, run, masked, traced, n_rows, t + at, h + at, f + at, flags);
        if (traced)
            flags += n_rows * SIMD_FLAGS_AFFINE;
    }
    if (traced)
        g->trace->next = (uint8_t *)flags;
}

/* Copy what columns change.  A copy of the struct is a loop over memory. */
static inline __attribute__((always_inline)) void CARRY_NAME(const AFFINE_NAME *from,
                                                             AFFINE_NAME *to)
{
#pragma GCC unroll 8
    for (int r = 0; r < SIMD_SWEEP_ROWS; r++) {
        to->left[r] = from->left[r];
        to->e[r] = from->e[r];
    }
    to->diagonal = from->diagonal;
}

/* Compute columns *j .. stop-1 (from 0) of n_rows rows: of SIMD_SWEEP_ROWS rows without
 * masks, or of one. */
static void ADVANCE_NAME(const simd_group_t *g, AFFINE_NAME *run, int n_rows, int32_t *j,
                         int32_t stop)
{
    AFFINE_NAME registers;

    CARRY_NAME(run, &registers);
    registers.match = run->match;
    registers.mismatch = run->mismatch;
    registers.minus_open = run->minus_open;
    registers.row_mask = run->row_mask;
    registers.column_mask = run->column_mask;
#ifdef V_KINDS
    registers.packed = run->packed;
    registers.steps = run->steps;
#endif
#pragma GCC unroll 8
    for (int r = 0; r < SIMD_SWEEP_ROWS; r++)
        registers.q[r] = run->q[r];
    if (n_rows == SIMD_SWEEP_ROWS && !IS_TRACED(g))
        STRIP_NAME(g, &registers, false, false, SIMD_SWEEP_ROWS, *j, stop);
    else if (n_rows == SIMD_SWEEP_ROWS)
        STRIP_NAME(g, &registers, false, true, SIMD_SWEEP_ROWS, *j, stop);
    else if (!IS_TRACED(g))
        STRIP_NAME(g, &registers, true, false, 1, *j, stop);
    else
        STRIP_NAME(g, &registers, true, true, 1, *j, stop);
    CARRY_NAME(&registers, run);
    *j = stop > *j ? stop : *j;
}

/* With priced ends: compute column *j, the last one of `lane` and maybe of some before
 * it. */
static void LAST_NAME(const simd_group_t *g, AFFINE_NAME *run, int n_rows, int32_t *j,
                      int lane)
{
    LANE mask[LANES] __attribute__((aligned(SIMD_ALIGN_BYTES)));
    VEC all = run->column_mask;

    V_STORE(mask, all);
    for (; lane >= 0 && g->n[lane] == *j + 1; lane--)
        mask[lane] = 0;
    run->column_mask = V_LOAD(mask);
    if (n_rows != SIMD_SWEEP_ROWS)
        ADVANCE_NAME(g, run, n_rows, &(int32_t){*j}, *j + 1);
    else if (IS_TRACED(g))
        STRIP_NAME(g, run, true, true, SIMD_SWEEP_ROWS, *j, *j + 1);
    else
        STRIP_NAME(g, run, true, false, SIMD_SWEEP_ROWS, *j, *j + 1);
    run->column_mask = all;
    (*j)++;
}

/* Start n_rows rows from row i on in column j. */
static void BEGIN_NAME(const simd_group_t *g, AFFINE_NAME *run, int n_rows, int32_t i,
                       int32_t j)
{
    const cell_layout_t *f = g->layout;
    const VEC no_path = V_SET1((LANE)f->no_path);
    LANE mask[LANES] __attribute__((aligned(SIMD_ALIGN_BYTES)));
    LANE *h = (LANE *)g->h + (int64_t)j * LANES;

    run->match = V_SET1((LANE)f->step_match);
    run->mismatch = V_SET1((LANE)f->step_mismatch);
    run->minus_open = V_SET1((LANE)-f->step_open);
    run->column_mask = V_SET1((LANE)-1);
    run->diagonal = V_LOAD(h);
#ifdef V_KINDS
    run->steps = V_KIND_STEPS(f);
    run->packed = V_PACK(g->rows + (int64_t)i * LANES, n_rows);
#endif
    for (int r = 0; r < n_rows; r++) {
        run->q[r] = V_ROWS(g->rows + (int64_t)(i + r) * LANES);
        run->left[r] = j == 0 ? V_SET1((LANE)g->row_border[i + r + 1]) : no_path;
        run->e[r] = j == 0 ? V_ADD(run->left[r], run->minus_open) : no_path;
    }
    if (j == 0)
        V_STORE(h, run->left[n_rows - 1]);
    for (int lane = 0; lane < LANES; lane++)
        mask[lane] = (LANE)(f->priced && g->m[lane] == i + 1 ? 0 : -1);
    run->row_mask = V_LOAD(mask);
}

/* Columns up to `end` enter the band in row i. @param reached  the last one in it */
static void ENTER_NAME(const simd_group_t *g, int32_t i, int32_t *reached, int32_t end)
{
    for (; *reached < end; (*reached)++) {
        const int64_t at = (int64_t)(*reached + 1) * LANES;
        VEC h = V_SET1((LANE)g->column_border[*reached + 1]);
        VEC f = V_ADD(h, V_SET1((LANE)-g->layout->step_open));

        V_STORE((LANE *)g->h + at, i == 0 ? h : V_SET1((LANE)g->layout->no_path));
        V_STORE((LANE *)g->f + at, i == 0 ? f : V_SET1((LANE)g->layout->no_path));
    }
}

static void SPAN_NAME(const simd_group_t *g, int n_rows, int32_t i, int32_t *reached,
                      cell_end_t *best)
{
    AFFINE_NAME run;
    int32_t j = i - g->low > 0 ? i - g->low : 0;
    int32_t end = i + n_rows + g->high < g->n_max ? i + n_rows + g->high : g->n_max;
    int lane = g->n_lanes - 1; /* the lane with the fewest columns */

    ENTER_NAME(g, i, reached, end);
    BEGIN_NAME(g, &run, n_rows, i, j);
    if (IS_TRACED(g))
        simd_trace_begin(g->trace, i, n_rows, j);
    while (lane >= 0 && g->n[lane] <= j)
        lane--;
    while (g->layout->rows_free && lane >= 0 && g->n[lane] <= end) {
        ADVANCE_NAME(g, &run, n_rows, &j, g->n[lane] - g->layout->priced);
        if (g->layout->priced)
            LAST_NAME(g, &run, n_rows, &j, lane);
        LEAVE_NAME(g, run.left, n_rows, i, j, &lane, best);
    }
    ADVANCE_NAME(g, &run, n_rows, &j, end);
}

static void SWEEP_NAME(const simd_group_t *g, cell_end_t *best)
{
    int32_t reached = 0;
    int end = 0;

    V_STORE((LANE *)g->h, V_SET1((LANE)g->column_border[0]));
    for (int32_t i = 0; i < g->m_max;) {
        if (g->cancel != NULL && __atomic_load_n(g->cancel, __ATOMIC_RELAXED) != 0)
            return;
        while (g->m_ends[end] <= i)
            end++;
        if (i + SIMD_SWEEP_ROWS < g->m_ends[end]) {
            SPAN_NAME(g, SIMD_SWEEP_ROWS, i, &reached, best);
            i += SIMD_SWEEP_ROWS;
        } else {
            SPAN_NAME(g, 1, i, &reached, best);
            END_ROW_NAME(g, i + 1, i > g->low ? i - g->low + 1 : 0, best);
            i++;
        }
    }
}

#undef AFFINE_NAME
#undef COLUMN_NAME
#undef ADVANCE_NAME
#undef STRIP_NAME
#undef CARRY_NAME
#undef LAST_NAME
#undef BEGIN_NAME
#undef ENTER_NAME
#undef SPAN_NAME
#undef SWEEP_NAME
