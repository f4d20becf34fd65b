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
 * Rows after a lane's last one hold SIMD_PAD.  Their steps are 0, as are their cells of
 * the border and the rewards, so nothing changes there: u = 0, and v is that of above.
 * So a group ends in its last row, and no lane stops the others.
 *
 * The including file defines NAME, LANES, VEC, V_LOAD, V_STORE, V_SET1, V_SUB, V_MAX;
 * V_ROW(q), the sets of a row of g->rows; V_LIVE(q, x), x where the row has not ended,
 * else 0; V_STEPS(match, mismatch), which V_STEP needs; and, with these,
 * V_STEP(row, floor, t, steps), where floor is V_LIVE of mismatch, and
 * V_BEST(row, floor, t, steps, above, left), z for v and u of at most A.  It defines the
 * function NAME, and NAME_affine of simd_tile_affine_body.h; with V_ROW_AT only the
 * latter.  With LANES_AGAIN what does not depend on the steps stays defined for the next
 * inclusion.
 */
#include "kernels/align/simd/simd_tile_range.h"

#ifndef SIMD_JOIN
#define SIMD_JOIN_(a, b) a##_##b
#define SIMD_JOIN(a, b)  SIMD_JOIN_(a, b)

typedef struct {
    int64_t right[SIMD_LANES_MAX]; /* rows_free: h(i, n) of each lane, once the band has
                                    * reached column n */
    int32_t end;                   /* columns that the band has reached */
    int32_t n_left;                /* rows in which it holds column 0 */
} simd_diff_run_t;

/* @return h(i, 0), or that of the last row whose column 0 is in the band */
static inline int64_t simd_diff_left(const simd_group_t *g, const simd_diff_run_t *run,
                                     int32_t i)
{
    int64_t border = g->layout->rows_free ? g->layout->gap_cost : 0;

    return border * (i < run->n_left ? i : run->n_left) + (g->guarded && i > g->low);
}

/* @return h(i, j) of a lane, whose last row computed is i */
static inline int64_t simd_diff_sum(const simd_group_t *g, const simd_diff_run_t *run,
                                    int lanes, int lane, int32_t i, int32_t j)
{
    const uint8_t *v = g->h;
    int64_t h = simd_diff_left(g, run, i);

    if (i == 0)
        return (g->layout->columns_free ? g->layout->gap_cost * j : 0) +
               (g->guarded && j > g->high);
    for (int32_t k = 1; k <= j; k++)
        h += v[(int64_t)k * lanes + lane];
    return h;
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

/* Keep the compiler from computing z - (z' - left) as (z + left) - z'. */
#if defined(__x86_64__)
#define SIMD_DIFF_KEEP(v) __asm__("" : "+v"(v))
#else
#define SIMD_DIFF_KEEP(v) __asm__("" : "+w"(v))
#endif
#endif

#ifndef V_ROW_AT /* profiles are for affine gaps alone */
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
    VEC minus_reward[SIMD_BLOCK_ROWS]; /* for leaving the band */
    VEC u[SIMD_BLOCK_ROWS];            /* of the last column computed */
    VEC steps;
} BLOCK_NAME;

static inline __attribute__((always_inline)) void COLUMN_NAME(BLOCK_NAME *b,
                                                              const uint8_t *t,
                                                              uint8_t *v,
                                                              const bool guarded)
{
    VEC above = V_LOAD(v), column = V_LOAD(t);

#pragma GCC unroll 8
    for (int r = 0; r < SIMD_BLOCK_ROWS; r++) {
        VEC left = b->u[r];
        VEC z = guarded /* its rewards may exceed A */
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
static void STEP_OUT_NAME(BLOCK_NAME *b, const uint8_t *t, uint8_t *v, int down,
                          int right)
{
    VEC above = V_LOAD(v), column = V_LOAD(t);

    for (int r = 0; r < SIMD_BLOCK_ROWS; r++) {
        VEC left = b->u[r];
        VEC from_above = r == down ? V_SUB(above, b->minus_reward[r]) : above;
        VEC from_left = r == right ? V_SUB(left, b->minus_reward[r]) : left;
        VEC z = V_MAX(V_STEP(b->q[r], b->floor[r], column, b->steps),
                      V_MAX(from_above, from_left));

        b->u[r] = V_SUB(z, above);
        above = V_SUB(z, left);
    }
    V_STORE(v, above);
}

/* Compute columns *j .. stop-1 (from 0) of the rows from row i on. */
static inline __attribute__((always_inline)) void ADVANCE_NAME(const simd_group_t *g,
                                                               BLOCK_NAME *b,
                                                               const bool guarded,
                                                               int32_t i, int32_t *j,
                                                               int32_t stop)
{
    const uint8_t *t = g->columns;
    uint8_t *v = (uint8_t *)g->h + LANES;

    while (*j < stop) {
        /* the band is left into row i + r from above in column i + r - low - 1, and from
         * the left in column i + r + high + 1 */
        int32_t down = i - g->low - 1, right = i + g->high + 1, inside = stop;
        BLOCK_NAME registers;

        if (guarded && (*j < down + SIMD_BLOCK_ROWS || *j < right + SIMD_BLOCK_ROWS)) {
            if ((*j >= down && *j < down + SIMD_BLOCK_ROWS) ||
                (*j >= right && *j < right + SIMD_BLOCK_ROWS)) {
                STEP_OUT_NAME(b, t + (int64_t)*j * LANES, v + (int64_t)*j * LANES,
                              *j - down, *j - right);
                (*j)++;
                continue;
            }
            inside = *j < down ? down : right;
            inside = inside < stop ? inside : stop;
        }
        registers = *b;
        for (; *j < inside; (*j)++)
            COLUMN_NAME(&registers, t + (int64_t)*j * LANES, v + (int64_t)*j * LANES,
                        guarded);
        *b = registers;
    }
}

/* With free ends of the rows: lanes *lane, *lane - 1, ... whose last column is j may end
 * in each of the rows from row i on. */
static void LEAVE_NAME(const simd_group_t *g, simd_diff_run_t *run, const VEC *u,
                       int32_t i, int32_t j, int *lane, cell_end_t *best)
{
    uint8_t cells[SIMD_BLOCK_ROWS][LANES] __attribute__((aligned(SIMD_ALIGN_BYTES)));

    for (int r = 0; r < SIMD_BLOCK_ROWS; r++)
        V_STORE(cells[r], u[r]);
    for (; *lane >= 0 && g->n[*lane] == j; (*lane)--)
        for (int r = 0; r < SIMD_BLOCK_ROWS && g->m[*lane] > i + r; r++) {
            run->right[*lane] += cells[r][*lane];
            simd_diff_offer(g->layout, run->right[*lane], i + r + 1, j, &best[*lane]);
        }
}

/* Columns up to `end` enter the band, with the values of their left neighbours. */
static void ENTER_NAME(const simd_group_t *g, simd_diff_run_t *run, int32_t i,
                       int32_t end)
{
    uint8_t *v = g->h;

    if (end <= run->end)
        return;
    for (int32_t j = run->end + 1; i > 0 && j <= end; j++)
        V_STORE(v + (int64_t)j * LANES, V_SET1(0));
    for (int lane = 0; g->layout->rows_free && lane < g->n_lanes; lane++)
        if (g->n[lane] > run->end && g->n[lane] <= end)
            run->right[lane] = simd_diff_sum(g, run, LANES, lane, i, g->n[lane]);
    run->end = end;
}

static inline __attribute__((always_inline)) void ROWS_NAME(const simd_group_t *g,
                                                            simd_diff_run_t *run,
                                                            const bool guarded, int32_t i,
                                                            cell_end_t *best)
{
    const VEC mismatch = V_SET1(g->layout->step_mismatch), minus_one = V_SET1(-1);
    const uint8_t *q = g->rows + (int64_t)i * LANES;
    int32_t j = guarded || i < g->low ? 0 : i - g->low;
    int32_t end = guarded ? g->n_max : i + SIMD_BLOCK_ROWS + g->high;
    int64_t border = j == 0 && g->layout->rows_free ? g->layout->gap_cost : 0;
    int lane = g->n_lanes - 1;
    BLOCK_NAME b;

    b.steps = V_STEPS(g->layout->step_match, g->layout->step_mismatch);
    end = end < g->n_max ? end : g->n_max;
    ENTER_NAME(g, run, i, end);
    run->n_left = j == 0 ? i + SIMD_BLOCK_ROWS : run->n_left;
#pragma GCC unroll 8
    for (int r = 0; r < SIMD_BLOCK_ROWS; r++) {
        VEC sets = V_LOAD(q + r * LANES);
        int64_t first =
            border + (guarded && i + r == g->low); /* or start below the band */

        b.q[r] = V_ROW(sets);
        b.floor[r] = V_LIVE(sets, mismatch);
        b.minus_reward[r] = V_LIVE(sets, minus_one);
        b.u[r] = V_LIVE(sets, V_SET1(first));
    }
    while (lane >= 0 && g->n[lane] <= j)
        lane--;
    while (g->layout->rows_free && lane >= 0 && g->n[lane] <= end) {
        ADVANCE_NAME(g, &b, guarded, i, &j, g->n[lane]);
        LEAVE_NAME(g, run, b.u, i, j, &lane, best);
    }
    ADVANCE_NAME(g, &b, guarded, i, &j, end);
}

/* After the last row: let every lane end in its last column, or with free ends of the
 * columns in any of its columns. */
static void END_NAME(const simd_group_t *g, const simd_diff_run_t *run, cell_end_t *best)
{
    const cell_layout_t *f = g->layout;
    const uint8_t *v = g->h;
    int64_t h[LANES] = {0}, top[LANES]; /* top: maximum of h(m, j) - c j */
    int n = g->n_lanes;                 /* lanes with a column j */

    for (int lane = 0; lane < n; lane++)
        top[lane] = h[lane] = simd_diff_left(g, run, g->m[lane]);
    for (int64_t j = 0; n > 0; j++) {
        for (int lane = 0; j > 0 && lane < LANES; lane++)
            h[lane] += v[j * LANES + lane];
        for (int lane = 0; f->columns_free && lane < n; lane++)
            top[lane] = h[lane] - f->gap_cost * j > top[lane] ? h[lane] - f->gap_cost * j
                                                              : top[lane];
        for (; n > 0 && g->n[n - 1] == j; n--)
            simd_diff_offer(f, f->columns_free ? top[n - 1] : h[n - 1], g->m[n - 1],
                            f->columns_free ? 0 : j, &best[n - 1]);
    }
}

static void NAME(const simd_group_t *g, cell_end_t *best)
{
    simd_diff_run_t run = {.end = 0};
    uint8_t *v = g->h;

    for (int32_t j = 0; j <= g->n_max; j++)
        V_STORE(v + (int64_t)j * LANES,
                V_SET1((g->layout->columns_free ? g->layout->gap_cost : 0) +
                       (g->guarded && j == g->high + 1))); /* or to the right of it */
    for (int32_t i = 0; i < g->m_max; i += SIMD_BLOCK_ROWS) {
        if (g->cancel != NULL && __atomic_load_n(g->cancel, __ATOMIC_RELAXED) != 0)
            return;
        if (g->guarded)
            ROWS_NAME(g, &run, true, i, best);
        else
            ROWS_NAME(g, &run, false, i, best);
    }
    END_NAME(g, &run, best);
}

#undef BLOCK_NAME
#undef COLUMN_NAME
#undef STEP_OUT_NAME
#undef ADVANCE_NAME
#undef LEAVE_NAME
#undef ENTER_NAME
#undef ROWS_NAME
#undef END_NAME
#endif

#include "kernels/align/simd/simd_tile_affine_body.h"

#undef NAME
#undef V_STEPS
#undef V_TABLE
#undef V_ROW
#undef V_LIVE
#undef V_STEP
#undef V_BEST
#ifdef LANES_AGAIN
#undef LANES_AGAIN
#else
#undef LANES
#undef VEC
#undef V_LOAD
#undef V_STORE
#undef V_SET1
#undef V_SUB
#undef V_MAX
#undef V_ADD
#undef V_AND
#undef V_ANDNOT
#undef V_SUB_TO_0
#endif
