/*
 * simd_local_body.h - the sweep of simd_local_sweep.h, included once per SIMD level and
 * local_sweep_t.
 *
 * The including file defines NAME (the function), LANE, LANES, VEC, V_LOAD, V_STORE,
 * V_SET1, V_ADD, V_TOP (the maximum), V_OPENED(run, cell) (the cell less what opens a
 * gap, at least the floor), OPENING(x) (what V_OPENED takes for a step of x),
 * V_REACHES(a, b) (whether a >= b in any lane), V_SETS(p), the LANES bytes at p,
 * V_ROWS(p), if it is not V_SETS, V_STEP(g, q, t, match, mismatch), per lane the step of
 * two such bases, and V_SAME, likewise of plain ones, which match if they are equal.  It
 * undefines NAME; simd_sweep_body.h, included after it, undefines the rest.
 *
 * Where all lanes share their rows, V_ROW_T is the type of a row's base and
 * V_ROW_AT(g, p) loads it.  Then no simd_sweep_body.h follows, and all is undefined.
 *
 * No value is below the floor: gaps are bounded by the empty path as H is, which changes
 * no H (Smith and Waterman 1981; Gotoh 1982).  The row in memory holds H, and F of the
 * row below it; with linear gaps F follows from H.
 */
#ifndef LOCAL_CONCAT
#define LOCAL_CONCAT_(a, b) a##_##b
#define LOCAL_CONCAT(a, b)  LOCAL_CONCAT_(a, b)

/* Columns after which a new best key is looked for, if its place is wanted. */
enum { LOCAL_BLOCK = 64 };
#endif

#ifndef V_ROWS
#define V_ROWS(p) V_SETS(p)
#endif
#ifdef V_ROW_AT
#define LOCAL_SHARES_ROWS
#else
#define V_ROW_T        VEC
#define V_ROW_AT(g, p) V_ROWS(p)
#endif

#define RUN_NAME   LOCAL_CONCAT(NAME, run)
#define CELLS_NAME LOCAL_CONCAT(NAME, cells)
#define BLOCK_NAME LOCAL_CONCAT(NAME, block)
#define NOTE_NAME  LOCAL_CONCAT(NAME, note)
#define STRIP_NAME LOCAL_CONCAT(NAME, strip)

typedef struct {
    VEC match, mismatch, open, extend, floor;
    V_ROW_T q[LOCAL_ROWS]; /* the rows' bases */
    VEC left[LOCAL_ROWS];  /* the cell to the left, one per row */
    VEC e[LOCAL_ROWS];     /* E of the column */
    VEC diagonal;          /* the cell above and to the left in row 0 */
    VEC best;              /* of all cells */
} RUN_NAME;

/* Compute a column. */
static inline __attribute__((always_inline)) void CELLS_NAME(
    const local_group_t *g, RUN_NAME *run, const bool affine, const bool plain,
    const uint8_t *bases, LANE *h, LANE *f)
{
    const VEC t = V_SETS(bases);
    VEC cell = V_LOAD(h), diagonal = run->diagonal;
    VEC from_above = affine ? V_LOAD(f) : V_OPENED(run, cell);

    (void)g; /* not every V_STEP has a table */
    run->diagonal = cell;
#pragma GCC unroll 4
    for (int r = 0; r < LOCAL_ROWS; r++) {
        VEC opened;

        cell =
            V_ADD(diagonal, plain ? V_SAME(g, run->q[r], t, run->match, run->mismatch)
                                  : V_STEP(g, run->q[r], t, run->match, run->mismatch));
        run->best = V_TOP(run->best, cell);
        cell = V_TOP(cell, run->e[r]);
        if (affine) { /* E after F is left out: F after E costs the same */
            opened = V_OPENED(run, cell);
            cell = V_TOP(cell, from_above);
            from_above = V_TOP(opened, V_ADD(from_above, run->extend));
            run->e[r] = V_TOP(opened, V_ADD(run->e[r], run->extend));
        } else {
            cell = V_TOP(cell, from_above);
            from_above = run->e[r] = opened = V_OPENED(run, cell);
        }
        diagonal = run->left[r];
        run->left[r] = cell;
    }
    V_STORE(h, cell);
    if (affine)
        V_STORE(f, from_above);
}

/* Compute columns first .. end - 1 of a strip. */
static void BLOCK_NAME(const local_group_t *g, RUN_NAME *run, int32_t first, int32_t end)
{
    const int64_t stop = (int64_t)end * LANES;
    const uint8_t *t = g->columns;
    int64_t at = (int64_t)first * LANES;
    LANE *h = g->h, *f = g->f;
    RUN_NAME registers = *run;

    if (g->affine && g->plain)
        for (; at < stop; at += LANES)
            CELLS_NAME(g, &registers, true, true, t + at, h + at, f + at);
    else if (g->affine)
        for (; at < stop; at += LANES)
            CELLS_NAME(g, &registers, true, false, t + at, h + at, f + at);
    else if (g->plain)
        for (; at < stop; at += LANES)
            CELLS_NAME(g, &registers, false, true, t + at, h + at, NULL);
    else
        for (; at < stop; at += LANES)
            CELLS_NAME(g, &registers, false, false, t + at, h + at, NULL);
    *run = registers;
}

/* Some lane of a block at row i reaches its best key. */
static __attribute__((noinline)) void NOTE_NAME(const local_group_t *g, VEC block,
                                                int32_t i, int32_t first, int32_t end,
                                                local_best_t *best)
{
    LANE keys[LANES] __attribute__((aligned(SIMD_ALIGN_BYTES)));

    V_STORE(keys, block);
    for (int lane = 0; lane < g->n_lanes; lane++) {
        local_best_t *b = &best[lane];
        int64_t key = (int64_t)keys[lane] - g->floor;

        if (key < b->key || key == 0)
            continue;
        if (key > b->key || b->row != i)
            b->first = first + 1;
        b->key = key;
        b->row = i;
        b->last = end;
    }
}

/* Compute the rows from i on. @param reach  in and out: of each lane the best key, or
 *               the minimum of an alignment's */
static void STRIP_NAME(const local_group_t *g, RUN_NAME *run, int32_t i, VEC *reach,
                       local_best_t *best)
{
    run->diagonal = run->floor;
    for (int r = 0; r < LOCAL_ROWS; r++) {
        run->q[r] = V_ROW_AT(g, g->rows + (int64_t)(i + r) * LANES);
        run->left[r] = run->e[r] = run->floor;
    }
    if (!g->finds_ends) {
        BLOCK_NAME(g, run, 0, g->n_max);
        return;
    }
    for (int32_t first = 0; first < g->n_max; first += LOCAL_BLOCK) {
        int32_t end = first + LOCAL_BLOCK < g->n_max ? first + LOCAL_BLOCK : g->n_max;

        run->best = run->floor;
        BLOCK_NAME(g, run, first, end);
        if (!V_REACHES(run->best, *reach))
            continue;
        *reach = V_TOP(*reach, run->best);
        NOTE_NAME(g, run->best, i, first, end, best);
    }
}

static void NAME(const local_group_t *g, local_best_t *best)
{
    const VEC floor = V_SET1((LANE)g->floor);
    RUN_NAME run = {.match = V_SET1((LANE)g->match),
                    .mismatch = V_SET1((LANE)g->mismatch),
                    .open = V_SET1((LANE)OPENING(g->open)),
                    .extend = V_SET1((LANE)g->extend),
                    .floor = floor,
                    .best = floor};
    VEC reach = V_SET1((LANE)(g->floor + 1));
    LANE keys[LANES] __attribute__((aligned(SIMD_ALIGN_BYTES)));

    for (int lane = 0; lane < LANES; lane++)
        best[lane] = (local_best_t){.key = 0};
    for (int32_t j = 0; j < g->n_max; j++) {
        V_STORE((LANE *)g->h + (int64_t)j * LANES, floor);
        if (g->affine)
            V_STORE((LANE *)g->f + (int64_t)j * LANES, floor);
    }
    for (int32_t i = 0; i < g->m_max; i += LOCAL_ROWS) {
        if (g->cancel != NULL && __atomic_load_n(g->cancel, __ATOMIC_RELAXED) != 0)
            return;
        STRIP_NAME(g, &run, i, &reach, best);
    }
    if (g->finds_ends)
        return;
    V_STORE(keys, run.best);
    for (int lane = 0; lane < LANES; lane++)
        best[lane].key = (int64_t)keys[lane] - g->floor;
}

#undef RUN_NAME
#undef CELLS_NAME
#undef BLOCK_NAME
#undef NOTE_NAME
#undef STRIP_NAME
#undef NAME
#undef V_ROW_T
#undef V_ROW_AT
#ifdef LOCAL_SHARES_ROWS
#undef LOCAL_SHARES_ROWS
#undef LANE
#undef LANES
#undef VEC
#undef V_LOAD
#undef V_STORE
#undef V_SET1
#undef V_ADD
#undef V_SETS
#undef V_ROWS
#undef V_STEP
#undef V_SAME
#undef V_TOP
#undef V_OPENED
#undef OPENING
#undef V_REACHES
#endif
