/*
 * simd_diff_body.h - a sweep for scores in 8-bit lanes, included once per SIMD level.
 *
 * A lane holds differences of neighbouring cells instead of cells (Suzuki and Kasahara
 * 2018): u = h(i,j) - h(i-1,j) and v = h(i,j) - h(i,j-1).  With the diagonal step s and z
 * = max(s, v above, u to the left), the new u is z - v above, and the new v is z - u to
 * the left.  With the normalised scores of cell_layout.h all of them lie in 0 .. A, for
 * any lengths.  Scores are their sums: along the last row, and with free ends of the rows
 * down the last column.
 *
 * A guarded sweep computes the whole matrix, and adds 1 to a path each time it leaves the
 * band, or if it starts outside.  If its best score equals that of the paths in the band,
 * every other path scores less: the band is proved.
 *
 * In an unguarded sweep a cell beside the band is taken to equal its neighbour in the
 * band (u = 0 at the left, v = 0 at the right), since going on with a gap attains that.
 *
 * Rows after a lane's last one hold SIMD_PAD, and their steps are 0, so nothing changes
 * there: z = max(v above, u to the left).  With counted ends a whole group thus ends in
 * its last row, and no lane stops the others.
 *
 * The including file defines NAME, LANES, VEC, V_LOAD, V_STORE, V_SET1, V_SUB, V_MAX;
 * V_STEPS(match, mismatch), which V_STEP needs; V_ROW(q), the sets of a row of g->rows;
 * V_FLOOR(q, mismatch), the minimum of each lane's steps in that row; and, with these,
 * V_STEP(row, floor, t, steps), the steps, and V_BEST(row, floor, t, steps, above, left),
 * z for v and u of at most A.
 */
#ifndef SIMD_DIFF_ROWS
#define SIMD_DIFF_ROWS   4
#define SIMD_JOIN_(a, b) a##_##b
#define SIMD_JOIN(a, b)  SIMD_JOIN_(a, b)

typedef struct {
    int64_t right[SIMD_LANES_MAX]; /* rows_free: h(i, n) of each lane, once the band has
                                    * reached column n */
    int64_t first;                 /* h(i, 0), while column 0 is in the band */
    int32_t end;                   /* columns that the band has reached */
} simd_diff_run_t;

/* @return h(i, j) of a lane in the last row computed */
static inline int64_t simd_diff_sum(const uint8_t *v, int lanes, int lane, int32_t j,
                                    int64_t first)
{
    for (int32_t k = 1; k <= j; k++)
        first += v[(int64_t)k * lanes + lane];
    return first;
}

static inline void simd_diff_offer(const cell_layout_t *f, int64_t h, int64_t i,
                                   int64_t j, cell_end_t *best)
{
    int64_t score = h * f->unit - f->gap_cost * (i + j);

    if (score > best->score) {
        best->score = score;
        best->h = h;
    }
}

/* Let the lanes whose last row is i end in it. */
static void simd_diff_end_row(const simd_group_t *g, const simd_diff_run_t *run,
                              int lanes, int32_t i, cell_end_t *best)
{
    const uint8_t *v = g->h;

    for (int lane = 0; lane < g->n_lanes; lane++) {
        int64_t h = run->first;

        if (g->m[lane] != i)
            continue;
        if (!g->layout->columns_free) {
            h = simd_diff_sum(v, lanes, lane, g->n[lane], h);
            simd_diff_offer(g->layout, h, i, g->n[lane], &best[lane]);
            continue;
        }
        for (int64_t j = 0; j <= g->n[lane]; j++) {
            h += j > 0 ? v[j * lanes + lane] : 0;
            simd_diff_offer(g->layout, h, i, j, &best[lane]);
        }
    }
}

/* Keep the compiler from computing z - (z' - left) as (z + left) - z'. */
#if defined(__x86_64__)
#define SIMD_DIFF_KEEP(v) __asm__("" : "+v"(v))
#else
#define SIMD_DIFF_KEEP(v) __asm__("" : "+w"(v))
#endif
#endif

#define BLOCK_NAME    SIMD_JOIN(NAME, block)
#define COLUMN_NAME   SIMD_JOIN(NAME, column)
#define STEP_OUT_NAME SIMD_JOIN(NAME, step_out)
#define ADVANCE_NAME  SIMD_JOIN(NAME, advance)
#define LEAVE_NAME    SIMD_JOIN(NAME, leave)
#define ENTER_NAME    SIMD_JOIN(NAME, enter)
#define ROWS_NAME     SIMD_JOIN(NAME, rows)
#define END_NAME      SIMD_JOIN(NAME, end)

/* Rows that are computed together. */
typedef struct {
    VEC q[SIMD_BLOCK_ROWS], floor[SIMD_BLOCK_ROWS];
    VEC u[SIMD_BLOCK_ROWS]; /* of the last column computed */
    VEC steps;
} BLOCK_NAME;

static inline __attribute__((always_inline)) void COLUMN_NAME(
    BLOCK_NAME *b, const uint8_t *t, uint8_t *v, const int n_rows, const bool guarded)
{
    VEC above = V_LOAD(v), column = V_LOAD(t);

#pragma GCC unroll 8
    for (int r = 0; r < n_rows; r++) {
        VEC left = b->u[r];
        VEC z = guarded /* the rewards of a guarded sweep may exceed A */
                    ? V_MAX(V_MAX(V_STEP(b->q[r], b->floor[r], column, b->steps), left),
                            above)
                    : V_BEST(b->q[r], b->floor[r], column, b->steps, above, left);

        b->u[r] = V_SUB(z, above);
        above = V_SUB(z, left);
        SIMD_DIFF_KEEP(above);
    }
    V_STORE(v, above);
}

/* The same where paths leave the band: into row `down` from above, into row `right` from
 * the left. */
static void STEP_OUT_NAME(BLOCK_NAME *b, const uint8_t *t, uint8_t *v, int n_rows,
                          int down, int right)
{
    const VEC minus_one = V_SET1(-1);
    VEC above = V_LOAD(v), column = V_LOAD(t);

    for (int r = 0; r < n_rows; r++) {
        VEC left = b->u[r];
        VEC from_above = r == down ? V_SUB(above, minus_one) : above;
        VEC from_left = r == right ? V_SUB(left, minus_one) : left;
        VEC z = V_MAX(V_STEP(b->q[r], b->floor[r], column, b->steps),
                      V_MAX(from_above, from_left));

        b->u[r] = V_SUB(z, above);
        above = V_SUB(z, left);
    }
    V_STORE(v, above);
}

/* Compute columns *j .. stop-1 (from 0) of n_rows rows from row i on. */
static inline __attribute__((always_inline)) void ADVANCE_NAME(
    const simd_group_t *g, BLOCK_NAME *b, const int n_rows, const bool guarded, int32_t i,
    int32_t *j, int32_t stop)
{
    const uint8_t *t = g->columns;
    uint8_t *v = (uint8_t *)g->h + LANES;

    while (*j < stop) {
        /* the band is left into row i + r from above in column i + r - low - 1, and from
         * the left in column i + r + high + 1 */
        int32_t down = i - g->low - 1, right = i + g->high + 1, inside = stop;

        if (guarded && (*j < down + n_rows || *j < right + n_rows)) {
            if ((*j >= down && *j < down + n_rows) ||
                (*j >= right && *j < right + n_rows)) {
                STEP_OUT_NAME(b, t + (int64_t)*j * LANES, v + (int64_t)*j * LANES, n_rows,
                              *j - down, *j - right);
                (*j)++;
                continue;
            }
            inside = *j < down ? down : right;
            inside = inside < stop ? inside : stop;
        }
        for (; *j < inside; (*j)++)
            COLUMN_NAME(b, t + (int64_t)*j * LANES, v + (int64_t)*j * LANES, n_rows,
                        guarded);
    }
}

/* With free ends of the rows: lanes *lane, *lane - 1, ... whose last column is j may end
 * in each of these rows. */
static void LEAVE_NAME(const simd_group_t *g, simd_diff_run_t *run, const VEC *u,
                       int n_rows, int32_t i, int32_t j, int *lane, cell_end_t *best)
{
    uint8_t cells[SIMD_BLOCK_ROWS][LANES] __attribute__((aligned(SIMD_ALIGN_BYTES)));

    for (int r = 0; r < n_rows; r++)
        V_STORE(cells[r], u[r]);
    for (; *lane >= 0 && g->n[*lane] == j; (*lane)--)
        for (int r = 0; r < n_rows && g->m[*lane] > i; r++) {
            run->right[*lane] += cells[r][*lane];
            simd_diff_offer(g->layout, run->right[*lane], i + r + 1, j, &best[*lane]);
        }
}

/* Columns up to `end` enter the band, with the values of their left neighbours. */
static void ENTER_NAME(const simd_group_t *g, simd_diff_run_t *run, int32_t i,
                       int32_t end)
{
    uint8_t *v = g->h;

    for (int32_t j = run->end + 1; i > 0 && j <= end; j++)
        V_STORE(v + (int64_t)j * LANES, V_SET1(0));
    for (int lane = 0; g->layout->rows_free && lane < g->n_lanes; lane++)
        if (g->n[lane] > run->end && g->n[lane] <= end)
            run->right[lane] = simd_diff_sum(v, LANES, lane, g->n[lane], run->first);
    run->end = end > run->end ? end : run->end;
}

static inline __attribute__((always_inline)) void ROWS_NAME(const simd_group_t *g,
                                                            simd_diff_run_t *run,
                                                            const int n_rows,
                                                            const bool guarded, int32_t i,
                                                            cell_end_t *best)
{
    const VEC mismatch = V_SET1(g->layout->step_mismatch);
    const uint8_t *q = g->rows + (int64_t)i * LANES;
    int64_t border = g->layout->rows_free ? g->layout->gap_cost : 0;
    int32_t j = guarded || i < g->low ? 0 : i - g->low;
    int32_t end = guarded ? g->n_max : i + n_rows + g->high;
    int lane = g->n_lanes - 1;
    BLOCK_NAME b;

    b.steps = V_STEPS(g->layout->step_match, g->layout->step_mismatch);
    end = end < g->n_max ? end : g->n_max;
    ENTER_NAME(g, run, i, end);
#pragma GCC unroll 8
    for (int r = 0; r < n_rows; r++) {
        int64_t first = (j == 0 ? border : 0) + (guarded && i + r == g->low);
        VEC sets = V_LOAD(q + r * LANES);

        b.q[r] = V_ROW(sets);
        b.floor[r] = V_FLOOR(sets, mismatch);
        b.u[r] = V_SET1(first); /* a path may start below the band */
        run->first += first;
    }
    while (lane >= 0 && g->n[lane] <= j)
        lane--;
    while (g->layout->rows_free && lane >= 0 && g->n[lane] <= end) {
        ADVANCE_NAME(g, &b, n_rows, guarded, i, &j, g->n[lane]);
        LEAVE_NAME(g, run, b.u, n_rows, i, j, &lane, best);
    }
    ADVANCE_NAME(g, &b, n_rows, guarded, i, &j, end);
}

/* Counted ends: let every lane end in its last column, after the last row. */
static void END_NAME(const simd_group_t *g, cell_end_t *best)
{
    const uint8_t *v = g->h;
    int64_t h[LANES] = {0};
    int lane = g->n_lanes - 1;

    for (int64_t j = 0; lane >= 0; j++) {
        for (int k = 0; j > 0 && k < LANES; k++)
            h[k] += v[j * LANES + k];
        for (; lane >= 0 && g->n[lane] == j; lane--)
            simd_diff_offer(g->layout, h[lane], g->m[lane], j, &best[lane]);
    }
}

static void NAME(const simd_group_t *g, cell_end_t *best)
{
    const bool counted = !g->layout->rows_free && !g->layout->columns_free && !g->guarded;
    simd_diff_run_t run = {.first = 0};
    uint8_t *v = g->h;
    int end = 0;

    for (int32_t j = 0; j <= g->n_max; j++)
        V_STORE(v + (int64_t)j * LANES,
                V_SET1((g->layout->columns_free ? g->layout->gap_cost : 0) +
                       (g->guarded && j == g->high + 1))); /* or to the right of it */
    for (int32_t i = 0; i < g->m_max;) {
        if (g->cancel != NULL && __atomic_load_n(g->cancel, __ATOMIC_RELAXED) != 0)
            return;
        while (g->m_ends[end] <= i)
            end++;
        if (counted) {
            ROWS_NAME(g, &run, SIMD_BLOCK_ROWS, false, i, best);
            i += SIMD_BLOCK_ROWS;
        } else if (i + SIMD_DIFF_ROWS < g->m_ends[end]) {
            if (g->guarded)
                ROWS_NAME(g, &run, SIMD_DIFF_ROWS, true, i, best);
            else
                ROWS_NAME(g, &run, SIMD_DIFF_ROWS, false, i, best);
            i += SIMD_DIFF_ROWS;
        } else {
            ROWS_NAME(g, &run, 1, g->guarded, i, best);
            simd_diff_end_row(g, &run, LANES, ++i, best);
        }
    }
    if (counted)
        END_NAME(g, best);
}

#undef BLOCK_NAME
#undef COLUMN_NAME
#undef STEP_OUT_NAME
#undef ADVANCE_NAME
#undef LEAVE_NAME
#undef ENTER_NAME
#undef ROWS_NAME
#undef END_NAME
#undef NAME
#undef LANES
#undef VEC
#undef V_LOAD
#undef V_STORE
#undef V_SET1
#undef V_SUB
#undef V_MAX
#undef V_STEPS
#undef V_ROW
#undef V_FLOOR
#undef V_STEP
#undef V_BEST
