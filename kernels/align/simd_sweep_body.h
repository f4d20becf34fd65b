/*
 * simd_sweep_body.h - the traversal, included once a vector level and lane width.
 *
 * The including file defines: NAME (the function), LANE (int16_t, ...), LANES, VEC, and
 * V_LOAD V_STORE V_SET1 V_ADD V_MAX, and V_STEP(q, t, match, mismatch): per lane, match
 * where the letter sets at q and t (LANES bytes each) meet.
 *
 * Rows are taken SIMD_SWEEP_ROWS at a time, so that the row of H in memory is read and
 * written once for several of them; a row in which a lane ends is taken alone.
 */
#ifndef SIMD_SWEEP_ROWS
#define SIMD_SWEEP_ROWS    4
#define SIMD_CONCAT_(a, b) a##_##b
#define SIMD_CONCAT(a, b)  SIMD_CONCAT_(a, b)
#endif

#define RUN_NAME     SIMD_CONCAT(NAME, run)
#define BORDER_NAME  SIMD_CONCAT(NAME, border)
#define LEAVE_NAME   SIMD_CONCAT(NAME, leave)
#define CELLS_NAME   SIMD_CONCAT(NAME, cells)
#define ROWS_NAME    SIMD_CONCAT(NAME, rows)
#define END_ROW_NAME SIMD_CONCAT(NAME, end_row)

typedef struct {
    VEC match, mismatch, gap;
    VEC left[SIMD_SWEEP_ROWS]; /* the cells at the left, a row each */
    VEC diagonal;              /* the cell above and left of the first row's */
} RUN_NAME;

static inline LANE BORDER_NAME(const simd_group_t *g, int32_t k)
{
    return g->ends_free ? (LANE)0 : (LANE)(k * g->gap);
}

/* Free ends: lanes whose last column is j may end here, in any of these rows from row i
 * on, unless their last row came before. */
static void LEAVE_NAME(const simd_group_t *g, const RUN_NAME *run, int n_rows, int32_t i,
                       int32_t j, int64_t *best)
{
    LANE cells[LANES] __attribute__((aligned(SIMD_ALIGN_BYTES)));

    for (int r = 0; r < n_rows; r++) {
        V_STORE(cells, run->left[r]);
        for (int lane = 0; lane < g->n_lanes; lane++)
            if (g->n[lane] == j && g->m[lane] > i && cells[lane] > best[lane])
                best[lane] = cells[lane];
    }
}

/* Column j of n_rows rows from row i on (both counted from 0). */
static inline __attribute__((always_inline)) void CELLS_NAME(const simd_group_t *g,
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
        VEC cell = V_ADD(diagonal, V_STEP(q + r * LANES, t, run->match, run->mismatch));

        cell = V_MAX(cell, V_ADD(V_MAX(up, run->left[r]), run->gap));
        diagonal = run->left[r];
        run->left[r] = cell;
        up = cell;
    }
    V_STORE(h, up);
}

static inline __attribute__((always_inline)) void ROWS_NAME(const simd_group_t *g,
                                                            const int n_rows, int32_t i,
                                                            int64_t *best)
{
    RUN_NAME run = {.match = V_SET1((LANE)g->match),
                    .mismatch = V_SET1((LANE)g->mismatch),
                    .gap = V_SET1((LANE)g->gap)};
    const int32_t n_max = g->n_ends[g->n_n_ends - 1];
    LANE *h = g->h;
    int32_t j = 0;

#pragma GCC unroll 4
    for (int r = 0; r < n_rows; r++)
        run.left[r] = V_SET1(BORDER_NAME(g, i + r + 1));
    run.diagonal = V_LOAD(h);
    V_STORE(h, run.left[n_rows - 1]);
    for (int end = 0; g->ends_free && n_rows > 1 && end < g->n_n_ends; end++) {
        for (; j < g->n_ends[end]; j++)
            CELLS_NAME(g, &run, n_rows, i, j);
        LEAVE_NAME(g, &run, n_rows, i, j, best);
    }
    for (; j < n_max; j++)
        CELLS_NAME(g, &run, n_rows, i, j);
}

/* After row i (counted from 1), taken alone: lanes leave at their last column, and those
 * whose last row it is anywhere in it. */
static void END_ROW_NAME(const simd_group_t *g, int32_t i, int64_t *best)
{
    const LANE *h = g->h;

    for (int lane = 0; lane < g->n_lanes; lane++) {
        int64_t right = h[(int64_t)g->n[lane] * LANES + lane];

        if (!g->ends_free && g->m[lane] == i)
            best[lane] = right;
        if (!g->ends_free || g->m[lane] < i)
            continue;
        if (right > best[lane])
            best[lane] = right;
        for (int64_t j = 0; g->m[lane] == i && j <= g->n[lane]; j++)
            if (h[j * LANES + lane] > best[lane])
                best[lane] = h[j * LANES + lane];
    }
}

static void NAME(const simd_group_t *g, int64_t *best)
{
    const int32_t m_max = g->m_ends[g->n_m_ends - 1], n_max = g->n_ends[g->n_n_ends - 1];
    LANE *h = g->h;
    int end = 0;

    for (int32_t j = 0; j <= n_max; j++)
        V_STORE(h + (int64_t)j * LANES, V_SET1(BORDER_NAME(g, j)));
    for (int lane = 0; lane < g->n_lanes; lane++)
        best[lane] = 0;
    for (int32_t i = 0; i < m_max;) {
        if (g->cancel != NULL && __atomic_load_n(g->cancel, __ATOMIC_RELAXED) != 0)
            return;
        while (g->m_ends[end] <= i)
            end++;
        if (i + SIMD_SWEEP_ROWS < g->m_ends[end]) {
            ROWS_NAME(g, SIMD_SWEEP_ROWS, i, best);
            i += SIMD_SWEEP_ROWS;
        } else {
            ROWS_NAME(g, 1, i, best);
            END_ROW_NAME(g, ++i, best);
        }
    }
}

#undef RUN_NAME
#undef BORDER_NAME
#undef LEAVE_NAME
#undef CELLS_NAME
#undef ROWS_NAME
#undef END_ROW_NAME
#undef NAME
#undef LANE
#undef LANES
#undef VEC
#undef V_LOAD
#undef V_STORE
#undef V_SET1
#undef V_ADD
#undef V_MAX
#undef V_STEP
