/*
 * simd_tile_affine_body.h - the sweep for scores in 8-bit lanes with affine gaps and
 * priced ends, included by simd_diff_body.h.
 *
 * A lane holds h, E and F of cell_layout.h, less the h of the corner of the cell's tile:
 * tiles have `tile` rows and columns, and their corner is the cell above and to the left
 * of the first one.  A bias keeps values from being negative.  Let o be that of
 * cell_layout.h, and A and B the best and the worst diagonal step.
 *
 * From the corner one gap to the right and one down lead to every cell of its tile, so h
 * is at least -2 o there.  Opened gaps saturate at this value or less: no cell gets more
 * from them than it has.  The bias is 2 o, and -B if that is not negative.
 *
 * Without its last k columns a path loses k matches at most, and opens one gap more.  So
 * k columns gain at most k A + o, as do k rows, and a diagonal step gains at most A, if a
 * border gains 0 .. A per base and its first one loses at most o.  So h is at most A tile
 * + o.  Guards, which are those of simd_diff_body.h, add up to tile + 1.  A corner that
 * is only a lower bound (simd_tile_range.h) may be A + o too low.
 *
 * Where a tile begins, its values are raised or lowered by the difference of two corners:
 * those to the left as they enter it, those above for a whole row of tiles at once.
 *
 * Where a lane ends, the differences u = h(i,j) - h(i-1,j) + o and v = h(i,j) - h(i,j-1)
 * + o lead to its ends.  The last row's v is copied to a row of its own.  With priced
 * ends, E must not enter h in the last row, nor F in the last column.  The sweep goes on
 * with h and notes what is to be taken off: in `last_less` for the last row, and in
 * `less` for the last column.
 *
 * There are no other bands than guarded ones.
 *
 * The including file also defines V_TABLE(p), steps from 16 bytes in memory, if its
 * V_STEP looks them up by the intersection of two bytes, and V_ADD, V_AND, V_ANDNOT(a,
 * b), which is ~a & b, and V_SUB_TO_0, a difference that is at least 0.  For
 * SWEEP_8_PROFILE it defines V_ROW_T and V_ROW_AT(g, p): the steps of the base at p with
 * every base, for V_STEP.
 */
#ifndef V_ROW_AT
#define V_ROW_T        VEC
#define V_ROW_AT(g, p) V_ROW(V_LOAD(p))
#endif

#define BLOCK_NAME   SIMD_JOIN(NAME, affine_block)
#define COLUMN_NAME  SIMD_JOIN(NAME, affine_column)
#define EDGE_NAME    SIMD_JOIN(NAME, affine_edge)
#define CROSS_NAME   SIMD_JOIN(NAME, affine_cross)
#define DESCEND_NAME SIMD_JOIN(NAME, affine_descend)
#define ADVANCE_NAME SIMD_JOIN(NAME, affine_advance)
#define LEAVE_NAME   SIMD_JOIN(NAME, affine_leave)
#define BEGIN_NAME   SIMD_JOIN(NAME, affine_begin)
#define ROWS_NAME    SIMD_JOIN(NAME, affine_rows)
#define WATCH_NAME   SIMD_JOIN(NAME, affine_watch)
#define TOP_NAME     SIMD_JOIN(NAME, affine_top)
#define LOWER_NAME   SIMD_JOIN(NAME, affine_lower)
#define BOTTOM_NAME  SIMD_JOIN(NAME, affine_bottom)
#define END_NAME     SIMD_JOIN(NAME, affine_end)
#define SWEEP_NAME   SIMD_JOIN(NAME, affine)

/* Rows that are computed together. */
typedef struct {
    V_ROW_T q[SIMD_AFFINE_ROWS];
    VEC h[SIMD_AFFINE_ROWS]; /* of the last column computed */
    VEC e[SIMD_AFFINE_ROWS]; /* of the next one */
    VEC above;               /* the cell above h[0] */
    VEC steps, floor, open;
    VEC is_last[SIMD_AFFINE_ROWS]; /* -1 in lanes whose last row it is */
    VEC less[SIMD_AFFINE_ROWS];    /* priced ends, after the last column of a lane */
    bool has_last;                 /* whether it is the last row of any */
    int32_t down, right;           /* guarded: the band is left into row r from above in
                                    * column down + r, from the left in right + r */
} BLOCK_NAME;

static inline __attribute__((always_inline)) void COLUMN_NAME(BLOCK_NAME *b,
                                                              const uint8_t *t,
                                                              uint8_t *h, uint8_t *f)
{
    VEC column = V_LOAD(t), from_above = V_LOAD(f), diagonal = b->above;

    b->above = V_LOAD(h);
#pragma GCC unroll 4
    for (int r = 0; r < SIMD_AFFINE_ROWS; r++) {
        VEC step = V_ADD(diagonal, V_STEP(b->q[r], b->floor, column, b->steps));
        VEC cell = V_MAX(V_MAX(step, b->e[r]), from_above);
        VEC opened = V_SUB_TO_0(cell, b->open);

        diagonal = b->h[r];
        b->h[r] = cell;
        b->e[r] = V_MAX(b->e[r], opened);
        from_above = V_MAX(from_above, opened);
    }
    V_STORE(h, b->h[SIMD_AFFINE_ROWS - 1]);
    V_STORE(f, from_above);
}

/* Enter the next tile to the right. @param shift  its corner less that of the last one */
static inline __attribute__((always_inline)) void CROSS_NAME(BLOCK_NAME *b,
                                                             const uint8_t *shift)
{
    VEC by = V_LOAD(shift);

    b->above = V_SUB(b->above, by);
#pragma GCC unroll 4
    for (int r = 0; r < SIMD_AFFINE_ROWS; r++) {
        b->h[r] = V_SUB(b->h[r], by);
        b->e[r] = V_SUB(b->e[r], by);
    }
}

/* COLUMN_NAME for column j (from 0) where paths leave the band or lanes end.
 * @param is_last  -1 in lanes whose last column it is */
static void EDGE_NAME(const simd_group_t *g, BLOCK_NAME *b, int32_t j, VEC is_last)
{
    const int64_t at = (int64_t)(j + 1) * LANES;
    simd_affine_rows_t rows = simd_affine_rows_of(g, LANES);
    VEC from_above = V_LOAD(rows.f + at), diagonal = b->above;
    VEC last_v = V_LOAD(rows.last_v + at), last_less = V_LOAD(rows.last_less + at);

    b->above = V_LOAD(rows.h + at);
    for (int r = 0; r < SIMD_AFFINE_ROWS; r++) {
        VEC left = b->h[r], from_left = b->e[r], cell, opened, v, less;
        VEC step = V_ADD(diagonal, V_STEP(b->q[r], b->floor,
                                          V_LOAD(g->columns + at - LANES), b->steps));

        if (g->guarded && j == b->right + r)
            from_left = V_ADD(from_left, V_SET1(1));
        if (g->guarded && j == b->down + r)
            from_above = V_ADD(from_above, V_SET1(1));
        cell = V_MAX(step, V_MAX(from_left, from_above));
        opened = V_SUB_TO_0(cell, b->open);
        if (g->layout->priced)
            b->less[r] = V_SUB(cell, V_MAX(step, V_ANDNOT(b->is_last[r], from_left)));
        v = V_SUB(V_ADD(cell, b->open), left);
        less = V_SUB(cell, V_MAX(step, V_ANDNOT(is_last, from_above)));
        last_v = V_ADD(V_AND(b->is_last[r], v), V_ANDNOT(b->is_last[r], last_v));
        last_less = V_ADD(V_AND(b->is_last[r], less), V_ANDNOT(b->is_last[r], last_less));
        diagonal = left;
        b->h[r] = cell;
        b->e[r] = V_MAX(from_left, opened);
        from_above = V_MAX(from_above, opened);
    }
    V_STORE(rows.h + at, b->h[SIMD_AFFINE_ROWS - 1]);
    V_STORE(rows.f + at, from_above);
    V_STORE(rows.last_v + at, last_v);
    V_STORE(rows.last_less + at, last_less);
    if ((j + 1) % g->layout->tile == 0 && j + 1 < g->n_max)
        CROSS_NAME(b, rows.shift + (int64_t)((j + 1) / g->layout->tile) * LANES);
}

/* Compute columns *j .. stop-1 (from 0). */
static void ADVANCE_NAME(const simd_group_t *g, BLOCK_NAME *b, int32_t *j, int32_t stop)
{
    const simd_affine_rows_t rows = simd_affine_rows_of(g, LANES);
    const int32_t tile = g->layout->tile;

    while (*j < stop) {
        int32_t inside = stop;
        BLOCK_NAME registers;

        if (b->has_last || (*j >= b->down && *j < b->down + SIMD_AFFINE_ROWS) ||
            (*j >= b->right && *j < b->right + SIMD_AFFINE_ROWS)) {
            EDGE_NAME(g, b, (*j)++, V_SET1(0));
            continue;
        }
        if (*j < b->right)
            inside = b->right < inside ? b->right : inside;
        if (*j < b->down)
            inside = b->down < inside ? b->down : inside;
        registers = *b;
        while (*j < inside) {
            const int32_t next = *j / tile + 1;
            const int64_t end = (int64_t)(next * tile < inside ? next * tile : inside);

            for (int64_t at = (int64_t)*j * LANES; at < end * LANES; at += LANES)
                COLUMN_NAME(&registers, g->columns + at, rows.h + LANES + at,
                            rows.f + LANES + at);
            *j = (int32_t)end;
            if (end == next * tile && end < g->n_max)
                CROSS_NAME(&registers, rows.shift + (int64_t)next * LANES);
        }
        memcpy(b->h, registers.h, sizeof(b->h));
        memcpy(b->e, registers.e, sizeof(b->e));
        b->above = registers.above;
    }
}

/* Enter the row of tiles below, in columns first + 1 .. stop: row i is the last one of
 * those above. */
static void LOWER_NAME(const simd_group_t *g, const simd_tile_range_t *old, int32_t i,
                       int32_t first, int32_t stop)
{
    const cell_layout_t *f = g->layout;
    const simd_affine_rows_t rows = simd_affine_rows_of(g, LANES);
    const int64_t k = simd_affine_bias(f);
    const uint8_t *left = rows.h + (int64_t)first * LANES;
    VEC by;

    if (first > old->first)
        by = V_SUB(V_SUB(V_LOAD(left), V_LOAD(rows.shift + first / f->tile * LANES)),
                   V_SET1(k));
    else if (first > 0)
        by = V_SUB(V_LOAD(left + LANES), V_SET1(k + f->match + f->open));
    else
        by = V_SET1(simd_affine_left(g, i) - simd_affine_left(g, i - f->tile));
    for (int32_t j = first; j < stop; j += f->tile) {
        const int32_t end = j + f->tile < stop ? j + f->tile : stop;
        uint8_t *shift = rows.shift + (int64_t)(j / f->tile + 1) * LANES;
        VEC corner = V_LOAD(rows.h + (int64_t)end * LANES);

        for (int64_t at = (int64_t)(j + 1) * LANES; at <= (int64_t)end * LANES;
             at += LANES) {
            bool is_new = j >= old->stop;

            V_STORE(rows.h + at,
                    is_new ? V_SET1(k - f->open) : V_SUB(V_LOAD(rows.h + at), by));
            V_STORE(rows.f + at,
                    is_new ? V_SET1(k - 2 * f->open) : V_SUB(V_LOAD(rows.f + at), by));
        }
        if (end == stop)
            break;
        by = V_SUB(V_SUB(corner, V_LOAD(shift)), V_SET1(k));
        V_STORE(shift, V_SUB(V_LOAD(rows.h + (int64_t)end * LANES), V_SET1(k)));
    }
}

/* Choose the columns of the row of tiles behind row i, and enter it. */
static void DESCEND_NAME(const simd_group_t *g, simd_tile_range_t *range,
                         simd_affine_ends_t *ends, int32_t i)
{
    const simd_affine_rows_t rows = simd_affine_rows_of(g, LANES);
    const int32_t tile = g->layout->tile;
    int32_t first = range->first, stop = range->stop;

    simd_tile_choose(g, LANES, i, &first, &stop);
    if (i > 0 && first < stop) {
        simd_tile_turn(g, LANES, i, range->first, first, stop);
        LOWER_NAME(g, range, i, first, stop);
    }
    range->first = first;
    range->stop = stop;
    for (int lane = 0; lane < g->n_lanes; lane++) {
        const int32_t n = g->n[lane];
        const int64_t corner = (int64_t)((n - 1) / tile) * LANES;

        if (n > first && n <= stop)
            ends->h[lane] = rows.corner[corner + lane] +
                            rows.h[(int64_t)n * LANES + lane] -
                            (int32_t)simd_affine_bias(g->layout) - ends->slope * i;
    }
}

/* Where rows may have ends: lanes *lane, *lane - 1, ... whose last column has been
 * computed may end in each of the rows from row i on. */
static void LEAVE_NAME(const simd_group_t *g, const BLOCK_NAME *b,
                       simd_affine_ends_t *ends, int32_t i, int *lane)
{
    const int32_t step = (int32_t)g->layout->open + ends->slope, n = g->n[*lane];
    uint8_t u[SIMD_AFFINE_ROWS][LANES] __attribute__((aligned(SIMD_ALIGN_BYTES)));
    uint8_t less[SIMD_AFFINE_ROWS][LANES] __attribute__((aligned(SIMD_ALIGN_BYTES)));

    for (int r = 0; r < SIMD_AFFINE_ROWS; r++) {
        VEC above = r == 0 ? b->above : b->h[r - 1];

        V_STORE(u[r], V_SUB(V_ADD(b->h[r], b->open), above));
        V_STORE(less[r], b->less[r]);
    }
    for (; *lane >= 0 && g->n[*lane] == n; (*lane)--) {
        int32_t h = ends->h[*lane], top = ends->top[*lane], at = ends->at[*lane];

        for (int r = 0; r < SIMD_AFFINE_ROWS && i + r < g->m[*lane]; r++) {
            h += u[r][*lane] - step;
            at = h - less[r][*lane] > top ? i + r + 1 : at;
            top = h - less[r][*lane] > top ? h - less[r][*lane] : top;
        }
        ends->h[*lane] = h;
        ends->top[*lane] = top;
        ends->at[*lane] = at;
    }
}

/* Start the rows from row i on. @param has_last  whether one is the last row of a lane */
static void BEGIN_NAME(const simd_group_t *g, const simd_tile_range_t *range, int32_t i,
                       bool has_last, BLOCK_NAME *b)
{
    const cell_layout_t *f = g->layout;
    const uint8_t *q = g->rows + (int64_t)i * LANES;
    const int64_t corner = simd_affine_left(g, i - i % f->tile), k = simd_affine_bias(f);
    uint8_t mask[LANES] __attribute__((aligned(SIMD_ALIGN_BYTES)));

#ifdef V_TABLE
    b->steps = g->spec->scoring.two_valued ? V_STEPS(f->step_match, f->step_mismatch)
                                           : V_TABLE(simd_affine_neutral(f).by_meet);
#else
    b->steps = V_STEPS(f->step_match, f->step_mismatch);
#endif
    b->floor = V_SET1(f->step_mismatch);
    b->open = V_SET1(f->open);
    b->above = V_SET1(range->first == 0  ? simd_affine_left(g, i) - corner + k
                      : i % f->tile == 0 ? k
                                         : k - f->open);
    b->has_last = has_last;
    b->down = g->guarded ? i - g->low - 1 : INT32_MIN / 2;
    b->right = g->guarded ? i + g->high + 1 : INT32_MIN / 2;
    for (int32_t r = 0; r < SIMD_AFFINE_ROWS; r++) {
        int32_t row = i + r < g->m_max ? i + r + 1 : g->m_max;

        b->q[r] = V_ROW_AT(g, q + r * LANES);
        b->h[r] = V_SET1(
            k + (range->first == 0 ? simd_affine_left(g, row) - corner : -f->open));
        b->e[r] = V_SUB_TO_0(b->h[r], b->open);
        b->less[r] = V_SET1(0);
        for (int lane = 0; lane < LANES && has_last; lane++)
            mask[lane] = lane < g->n_lanes && g->m[lane] == i + r + 1 ? UINT8_MAX : 0;
        b->is_last[r] = has_last ? V_LOAD(mask) : V_SET1(0);
    }
}

/* Note where the last rows of lanes begin. */
static void BOTTOM_NAME(const simd_group_t *g, simd_tile_range_t *range, int32_t i)
{
    const cell_layout_t *f = g->layout;
    const simd_affine_rows_t rows = simd_affine_rows_of(g, LANES);
    const int32_t *corner = rows.corner + (int64_t)(range->first / f->tile) * LANES;

    for (int lane = 0; lane < g->n_lanes; lane++) {
        if (g->m[lane] <= i || g->m[lane] > i + SIMD_AFFINE_ROWS)
            continue;
        range->last_first[lane] = range->first;
        range->last_h[lane] = range->first == 0 ? (int32_t)simd_affine_left(g, g->m[lane])
                                                : corner[lane] - (int32_t)f->open;
    }
}

static void ROWS_NAME(const simd_group_t *g, simd_tile_range_t *range,
                      simd_affine_ends_t *ends, int32_t i, bool has_last)
{
    const bool priced = g->layout->priced;
    int32_t j = range->first;
    int lane = g->n_lanes - 1;
    BLOCK_NAME b;

    BEGIN_NAME(g, range, i, has_last, &b);
    if (has_last)
        BOTTOM_NAME(g, range, i);
    while (lane >= 0 && g->n[lane] <= j)
        lane--;
    while (g->layout->rows_free && lane >= 0 && g->n[lane] <= range->stop) {
        int32_t n = g->n[lane];

        ADVANCE_NAME(g, &b, &j, n - priced);
        if (priced) {
            uint8_t mask[LANES] __attribute__((aligned(SIMD_ALIGN_BYTES))) = {0};

            for (int k = lane; k >= 0 && g->n[k] == n; k--)
                mask[k] = UINT8_MAX;
            EDGE_NAME(g, &b, j++, V_LOAD(mask));
        }
        LEAVE_NAME(g, &b, ends, i, &lane);
    }
    ADVANCE_NAME(g, &b, &j, range->stop);
}

/* Start to look for ends along a line, whose first cell has `h` less `slope` per base in
 * each lane. */
static void WATCH_NAME(simd_affine_ends_t *ends)
{
    for (int lane = 0; lane < LANES; lane++) {
        ends->top[lane] = ends->h[lane];
        ends->at[lane] = 0;
    }
}

/* After the last row: let every lane end in the last column of its last row, or if the
 * columns may have ends in any of that row. */
static void END_NAME(const simd_group_t *g, const simd_tile_range_t *range,
                     simd_affine_ends_t *ends, cell_end_t *best)
{
    const cell_layout_t *f = g->layout;
    const simd_affine_rows_t rows = simd_affine_rows_of(g, LANES);
    const uint8_t off = f->priced ? UINT8_MAX : 0;
    int32_t *h = ends->h, *top = ends->top, *at = ends->at;
    int n = g->n_lanes; /* lanes with a column j */

    ends->slope = simd_affine_slope(g, f->columns_free);
    for (int lane = 0; lane < n; lane++)
        h[lane] = range->last_h[lane] - ends->slope * range->last_first[lane];
    WATCH_NAME(ends);
    for (int32_t j = 1; n > 0; j++) {
        const uint8_t *v = rows.last_v + (int64_t)j * LANES;
        const uint8_t *less = rows.last_less + (int64_t)j * LANES;
        const int32_t step = (int32_t)f->open + ends->slope;

        for (int lane = 0; lane < LANES; lane++)
            h[lane] += v[lane] - step;
        for (; n > 0 && g->n[n - 1] == j; n--) {
            const int k = n - 1;

            if (f->columns_free)
                simd_sweep_offer(g, k, top[k] + ends->slope * (int64_t)at[k], g->m[k],
                                 at[k], best);
            simd_sweep_offer(g, k, h[k] - (less[k] & off) + ends->slope * (int64_t)j,
                             g->m[k], j, best);
        }
        for (int lane = 0; lane < LANES; lane++) {
            const int32_t end = h[lane] - (less[lane] & off);

            at[lane] = end > top[lane] ? j : at[lane];
            top[lane] = end > top[lane] ? end : top[lane];
        }
    }
}

/* Fill in the row above the first one. */
static void TOP_NAME(const simd_group_t *g)
{
    const simd_affine_rows_t rows = simd_affine_rows_of(g, LANES);
    const int32_t tile = g->layout->tile;
    int64_t corner = 0;

    for (int lane = 0; lane < LANES; lane++)
        rows.corner[lane] = 0;
    for (int32_t j = 1; j <= g->n_max; j++) {
        int64_t h = simd_affine_top(g, j) + simd_affine_bias(g->layout);

        V_STORE(rows.h + (int64_t)j * LANES, V_SET1(h - corner));
        V_STORE(rows.f + (int64_t)j * LANES, V_SET1(h - corner - g->layout->open));
        if (j % tile == 0) {
            V_STORE(rows.shift + (int64_t)(j / tile) * LANES,
                    V_SET1(simd_affine_top(g, j) - corner));
            corner = simd_affine_top(g, j);
            for (int lane = 0; lane < LANES; lane++)
                rows.corner[(int64_t)(j / tile) * LANES + lane] = (int32_t)corner;
        }
    }
}

static void SWEEP_NAME(const simd_group_t *g, cell_end_t *best)
{
    simd_affine_rows_t rows = simd_affine_rows_of(g, LANES);
    simd_affine_ends_t ends = {.slope = simd_affine_slope(g, true)};
    simd_tile_range_t range = {.stop = g->n_max};
    int end = 0;

    TOP_NAME(g);
    memset(rows.last_v,
           (int)g->layout->open + simd_affine_slope(g, g->layout->columns_free),
           (size_t)(rows.last_less - rows.last_v));
    memset(rows.last_less, 0, (size_t)(rows.last_less - rows.last_v));
    for (int lane = 0; lane < g->n_lanes; lane++) {
        ends.h[lane] = (int32_t)simd_affine_top(g, g->n[lane]);
        range.last_h[lane] = INT32_MIN / 4;
    }
    WATCH_NAME(&ends);
    for (int32_t i = 0; i < g->m_max; i += SIMD_AFFINE_ROWS) {
        if (g->cancel != NULL && __atomic_load_n(g->cancel, __ATOMIC_RELAXED) != 0)
            return;
        while (g->m_ends[end] <= i)
            end++;
        if (i % g->layout->tile == 0)
            DESCEND_NAME(g, &range, &ends, i);
        if (range.first == range.stop)
            break;
        ROWS_NAME(g, &range, &ends, i, g->m_ends[end] <= i + SIMD_AFFINE_ROWS);
    }
    for (int lane = 0; lane < g->n_lanes && g->layout->rows_free; lane++)
        simd_sweep_offer(g, lane, ends.top[lane] + ends.slope * (int64_t)ends.at[lane],
                         ends.at[lane], g->n[lane], best);
    END_NAME(g, &range, &ends, best);
}

#undef BLOCK_NAME
#undef COLUMN_NAME
#undef EDGE_NAME
#undef ADVANCE_NAME
#undef LEAVE_NAME
#undef BEGIN_NAME
#undef ROWS_NAME
#undef WATCH_NAME
#undef TOP_NAME
#undef LOWER_NAME
#undef BOTTOM_NAME
#undef CROSS_NAME
#undef DESCEND_NAME
#undef END_NAME
#undef SWEEP_NAME
#undef V_ROW_T
#undef V_ROW_AT
