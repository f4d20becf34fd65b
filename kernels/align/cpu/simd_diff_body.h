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
 * The including file defines NAME, LANES, VEC, V_LOAD, V_STORE, V_SET1, V_SUB, V_MAX, and
 * V_STEP(q, t, match, mismatch).
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
#endif

#define COLUMN_NAME   SIMD_JOIN(NAME, column)
#define STEP_OUT_NAME SIMD_JOIN(NAME, step_out)
#define ADVANCE_NAME  SIMD_JOIN(NAME, advance)
#define LEAVE_NAME    SIMD_JOIN(NAME, leave)
#define ENTER_NAME    SIMD_JOIN(NAME, enter)
#define ROWS_NAME     SIMD_JOIN(NAME, rows)

static inline __attribute__((always_inline)) void COLUMN_NAME(const uint8_t *q,
                                                              const uint8_t *t,
                                                              uint8_t *v, VEC *u,
                                                              const int n_rows, VEC match,
                                                              VEC mismatch)
{
    VEC above = V_LOAD(v);

#pragma GCC unroll 4
    for (int r = 0; r < n_rows; r++) {
        VEC z = V_MAX(V_STEP(q + r * LANES, t, match, mismatch), V_MAX(above, u[r]));
        VEC left = u[r];

        u[r] = V_SUB(z, above);
        above = V_SUB(z, left);
    }
    V_STORE(v, above);
}

/* The same where paths leave the band: into row `down` from above, into row `right` from
 * the left. */
static void STEP_OUT_NAME(const uint8_t *q, const uint8_t *t, uint8_t *v, VEC *u,
                          int n_rows, int down, int right, VEC match, VEC mismatch)
{
    const VEC minus_one = V_SET1(-1);
    VEC above = V_LOAD(v);

    for (int r = 0; r < n_rows; r++) {
        VEC from_above = r == down ? V_SUB(above, minus_one) : above;
        VEC from_left = r == right ? V_SUB(u[r], minus_one) : u[r];
        VEC z = V_MAX(V_STEP(q + r * LANES, t, match, mismatch),
                      V_MAX(from_above, from_left));
        VEC left = u[r];

        u[r] = V_SUB(z, above);
        above = V_SUB(z, left);
    }
    V_STORE(v, above);
}

/* Compute columns *j .. stop-1 (from 0) of n_rows rows from row i on. */
static inline __attribute__((always_inline)) void ADVANCE_NAME(const simd_group_t *g,
                                                               VEC *u, const int n_rows,
                                                               int32_t i, int32_t *j,
                                                               int32_t stop, VEC match,
                                                               VEC mismatch)
{
    const uint8_t *q = g->rows + (int64_t)i * LANES, *t = g->columns;
    uint8_t *v = (uint8_t *)g->h + LANES;

    while (*j < stop) {
        /* the band is left into row i + r from above in column i + r - low - 1, and from
         * the left in column i + r + high + 1 */
        int32_t down = i - g->low - 1, right = i + g->high + 1, inside = stop;

        if (g->guarded && (*j < down + n_rows || *j < right + n_rows)) {
            if ((*j >= down && *j < down + n_rows) ||
                (*j >= right && *j < right + n_rows)) {
                STEP_OUT_NAME(q, t + (int64_t)*j * LANES, v + (int64_t)*j * LANES, u,
                              n_rows, *j - down, *j - right, match, mismatch);
                (*j)++;
                continue;
            }
            inside = *j < down ? down : right;
            inside = inside < stop ? inside : stop;
        }
        for (; *j < inside; (*j)++)
            COLUMN_NAME(q, t + (int64_t)*j * LANES, v + (int64_t)*j * LANES, u, n_rows,
                        match, mismatch);
    }
}

/* With free ends of the rows: lanes *lane, *lane - 1, ... whose last column is j may end
 * in each of these rows. */
static void LEAVE_NAME(const simd_group_t *g, simd_diff_run_t *run, const VEC *u,
                       int n_rows, int32_t i, int32_t j, int *lane, cell_end_t *best)
{
    uint8_t cells[SIMD_DIFF_ROWS][LANES] __attribute__((aligned(SIMD_ALIGN_BYTES)));

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
                                                            const int n_rows, int32_t i,
                                                            cell_end_t *best)
{
    const VEC match = V_SET1(g->layout->step_match),
              mismatch = V_SET1(g->layout->step_mismatch);
    int64_t border = g->layout->rows_free ? g->layout->gap_cost : 0;
    int32_t j = g->guarded || i < g->low ? 0 : i - g->low;
    int32_t end = g->guarded ? g->n_max : i + n_rows + g->high;
    int lane = g->n_lanes - 1;
    VEC u[SIMD_DIFF_ROWS];

    end = end < g->n_max ? end : g->n_max;
    ENTER_NAME(g, run, i, end);
#pragma GCC unroll 4
    for (int r = 0; r < n_rows; r++) {
        int64_t first = (j == 0 ? border : 0) + (g->guarded && i + r == g->low);

        u[r] = V_SET1(first); /* a path may start below the band */
        run->first += first;
    }
    while (lane >= 0 && g->n[lane] <= j)
        lane--;
    while (g->layout->rows_free && lane >= 0 && g->n[lane] <= end) {
        ADVANCE_NAME(g, u, n_rows, i, &j, g->n[lane], match, mismatch);
        LEAVE_NAME(g, run, u, n_rows, i, j, &lane, best);
    }
    ADVANCE_NAME(g, u, n_rows, i, &j, end, match, mismatch);
}

static void NAME(const simd_group_t *g, cell_end_t *best)
{
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
        if (i + SIMD_DIFF_ROWS < g->m_ends[end]) {
            ROWS_NAME(g, &run, SIMD_DIFF_ROWS, i, best);
            i += SIMD_DIFF_ROWS;
        } else {
            ROWS_NAME(g, &run, 1, i, best);
            simd_diff_end_row(g, &run, LANES, ++i, best);
        }
    }
}

#undef COLUMN_NAME
#undef STEP_OUT_NAME
#undef ADVANCE_NAME
#undef LEAVE_NAME
#undef ENTER_NAME
#undef ROWS_NAME
#undef NAME
#undef LANES
#undef VEC
#undef V_LOAD
#undef V_STORE
#undef V_SET1
#undef V_SUB
#undef V_MAX
#undef V_STEP
