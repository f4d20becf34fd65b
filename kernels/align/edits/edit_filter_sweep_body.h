/*
 * edit_filter_sweep_body.h - bit-parallel edit distances with borders that are free or
 * not; included once per vector level.
 *
 * Myers' recurrence (1999) in the form of Hyyro (2003), as in simd_bits_body.h.  A lane
 * holds 64 rows of a pair; p and m are the rows where the distance F is one more, or one
 * less, than in the row above.  If the target's ends are free, F does not change along
 * the top border; otherwise it grows by one per column.  If the query's ends are free, F
 * is 0 in the first column; otherwise it grows by one per row.  The planes are the bits
 * of the rows' letters, so that the lanes need not have anything in common.
 *
 * F in the last row is followed by the bit that leaves the last block in each column.  It
 * is compared with the maximum that any of the next STRIDE columns allows; only if it is
 * within that maximum, the cell itself is tested.
 *
 * Counted ends: a path with few enough edits stays near the diagonal.  Blocks beside that
 * band are left out.  F above the band is assumed to grow by one per column, and below it
 * by one per row; gaps attain both.
 *
 * The including file defines NAME, LANES, VEC and SIGNED (LANES of uint64_t and of
 * int64_t), BYTES (LANES of uint8_t), V_ANY(mask) (whether a comparison holds in any
 * lane), V_OR_AND(a, b, c) = a | (b & c) and V_OR_NOR(a, b, c) = a | ~(b | c).
 */
#define EDIT_FILTER_PASTE_(a, b) a##_##b
#define EDIT_FILTER_PASTE(a, b)  EDIT_FILTER_PASTE_(a, b)
#define BLOCK                    EDIT_FILTER_PASTE(NAME, block)
#define STATE                    EDIT_FILTER_PASTE(NAME, state)
#define COLUMN                   EDIT_FILTER_PASTE(NAME, column)
#define BEGIN                    EDIT_FILTER_PASTE(NAME, begin)
#define LIMITS                   EDIT_FILTER_PASTE(NAME, limits)
#define TEST_LAST_ROW            EDIT_FILTER_PASTE(NAME, test_last_row)
#define END_LANE                 EDIT_FILTER_PASTE(NAME, end_lane)
#define RUN_STRIDE               EDIT_FILTER_PASTE(NAME, run_stride)
#define RUN                      EDIT_FILTER_PASTE(NAME, run)

enum { STRIDE = 64 };

typedef struct {
    VEC plane[EDIT_FILTER_PLANES];
    VEC p, m;
} BLOCK;

_Static_assert(sizeof(BLOCK) == EDIT_FILTER_WORDS * sizeof(VEC),
               "a block has EDIT_FILTER_WORDS words per lane");

typedef struct {
    const edit_filter_group_t *g;
    BLOCK *blocks;
    uint8_t *keep;
    int32_t first, end;     /* the blocks that are computed */
    VEC in;                 /* all ones if F grows along the top border */
    int32_t min_end[LANES]; /* edit_filter_bound_min_end */
    int64_t above[LANES];   /* growth of F in the blocks left out above */
    VEC shift;              /* bit of the last row in the last block */
    SIGNED edits, limit;    /* F in the last row; test it up to this limit */
    VEC out_p, out_m;       /* what left the last block of a column */
    int lane;               /* the last lane with columns left */
} STATE;

static void BEGIN(const edit_filter_group_t *g, uint8_t *keep, STATE *s)
{
    align_ends_t ends = g->bound->goal.ends;

    *s = (STATE){.g = g, .blocks = (BLOCK *)(void *)g->blocks, .keep = keep};
    s->end = g->n_blocks;
    s->in = ends == ENDS_COUNT ? ~(VEC){0} : (VEC){0};
    s->lane = g->n_lanes - 1;
    for (int32_t b = 0; b < g->n_blocks; b++) {
        s->blocks[b].p = ends == ENDS_FREE ? (VEC){0} : ~(VEC){0};
        s->blocks[b].m = (VEC){0};
    }
    for (int l = 0; l < g->n_lanes; l++) {
        s->min_end[l] =
            edit_filter_bound_min_end(g->bound, g->m[l] < g->n[l] ? g->m[l] : g->n[l]);
        s->shift[l] = (uint64_t)(g->m[l] - 1) % EDIT_FILTER_ROWS;
        s->edits[l] = ends == ENDS_FREE ? 0 : g->m[l];
        keep[l] = 0;
    }
}

/* Compute one column of the blocks first .. end-1. */
static inline __attribute__((always_inline)) void COLUMN(STATE *s, const uint8_t *letters,
                                                         bool same_code)
{
    VEC holds[EDIT_FILTER_PLANES], above_p = s->in, above_m = {0}, letter;
    BYTES bytes;

    memcpy(&bytes, letters, sizeof(bytes));
    letter = __builtin_convertvector(bytes, VEC);
    for (int k = 0; k < EDIT_FILTER_PLANES; k++)
        holds[k] = -(letter >> k & 1);
    for (int32_t b = s->first; b < s->end; b++) {
        BLOCK *k = &s->blocks[b];
        VEC p = k->p, m = k->m, xv, xh, ph, mh, ph_in, mh_in, eq;

        if (same_code)
            eq = ~((k->plane[0] ^ holds[0]) | (k->plane[1] ^ holds[1]) |
                   (k->plane[2] ^ holds[2]) | (k->plane[3] ^ holds[3]));
        else
            eq =
                V_OR_AND(V_OR_AND(V_OR_AND(k->plane[0] & holds[0], k->plane[1], holds[1]),
                                  k->plane[2], holds[2]),
                         k->plane[3], holds[3]);
        xv = eq | m;
        eq |= above_m >> 63;
        xh = (((eq & p) + p) ^ p) | eq;
        ph = V_OR_NOR(m, xh, p);
        mh = p & xh;
        ph_in = ph << 1 | above_p >> 63;
        mh_in = mh << 1 | above_m >> 63;
        above_p = ph;
        above_m = mh;
        k->p = V_OR_NOR(mh_in, xv, ph_in);
        k->m = ph_in & xv;
    }
    s->out_p = above_p;
    s->out_m = above_m;
}

/* Set each lane's limit: the maximum edits that the bound allows in the last row up to
 * column j; -1 if there is no end to test. */
static void LIMITS(STATE *s, int32_t j)
{
    const edit_filter_group_t *g = s->g;

    s->limit = ~(SIGNED){0};
    for (int l = 0; l <= s->lane; l++) {
        int32_t k = j < g->n[l] ? j : g->n[l];

        k = k < g->m[l] ? k : g->m[l];
        if (!s->keep[l] && k >= s->min_end[l])
            s->limit[l] = g->bound->max_edits[k];
    }
}

/* Test the last row's cell in column j. */
static void TEST_LAST_ROW(STATE *s, int32_t j)
{
    const edit_filter_group_t *g = s->g;

    for (int l = 0; l <= s->lane; l++) {
        int32_t k = j < g->m[l] ? j : g->m[l];

        if (k < s->min_end[l] || s->edits[l] > g->bound->max_edits[k] || s->keep[l])
            continue;
        s->keep[l] = 1;
        s->limit[l] = -1;
    }
}

/* Finish a lane in its last column. */
static void END_LANE(STATE *s, int l)
{
    const edit_filter_group_t *g = s->g;
    int32_t m = g->m[l], n = g->n[l], shorter = m < n ? m : n;
    edit_filter_column_t column = {.more = (const uint64_t *)&s->blocks[0].p + l,
                                   .less = LANES,
                                   .stride = EDIT_FILTER_WORDS * LANES};

    if (g->bound->goal.ends == ENDS_FREE && !s->keep[l])
        s->keep[l] = edit_filter_last_column(g->bound, column, m, n, 0);
    if (g->bound->goal.ends == ENDS_COUNT) {
        int64_t edits = n + s->above[l];

        for (int32_t b = s->first; b < s->end; b++) {
            int32_t rows = m - b * EDIT_FILTER_ROWS;
            uint64_t mask =
                rows >= EDIT_FILTER_ROWS ? ~UINT64_C(0) : (UINT64_C(1) << rows) - 1;

            edits += __builtin_popcountll(s->blocks[b].p[l] & mask) -
                     __builtin_popcountll(s->blocks[b].m[l] & mask);
        }
        s->keep[l] = edits <= g->bound->max_edits[shorter];
    }
}

/* Compute columns j0+1 .. j1. */
static inline __attribute__((always_inline)) void RUN_STRIDE(STATE *s, int32_t j0,
                                                             int32_t j1, bool same_code)
{
    const edit_filter_group_t *g = s->g;
    bool counted = g->bound->goal.ends == ENDS_COUNT;

    for (int32_t j = j0 + 1; j <= j1; j++) {
        if (counted) {
            int32_t top = (j - g->high - 1) / EDIT_FILTER_ROWS;
            int32_t end = (j + g->low - 1) / EDIT_FILTER_ROWS + 1;

            for (; s->first < top && s->first < g->n_blocks - 1; s->first++)
                for (int l = 0; l < g->n_lanes; l++)
                    s->above[l] += __builtin_popcountll(s->blocks[s->first].p[l]) -
                                   __builtin_popcountll(s->blocks[s->first].m[l]);
            s->end = end < g->n_blocks ? end : g->n_blocks;
        }
        COLUMN(s, g->cols + (int64_t)(j - 1) * LANES, same_code);
        if (!counted) {
            s->edits += (SIGNED)((s->out_p >> s->shift & 1) - (s->out_m >> s->shift & 1));
            if (V_ANY(s->edits <= s->limit))
                TEST_LAST_ROW(s, j);
        }
        for (; s->lane >= 0 && g->n[s->lane] == j; s->lane--)
            END_LANE(s, s->lane);
    }
}

static void RUN(const edit_filter_group_t *g, uint8_t *keep)
{
    STATE s;

    BEGIN(g, keep, &s);
    for (int32_t j = 0; j < g->n[0]; j += STRIDE) {
        int32_t end = j + STRIDE < g->n[0] ? j + STRIDE : g->n[0];
        int n_open = 0;

        for (int l = 0; l <= s.lane; l++)
            n_open += !keep[l];
        if (n_open == 0 ||
            (g->cancel != NULL && __atomic_load_n(g->cancel, __ATOMIC_RELAXED) != 0))
            return;
        LIMITS(&s, end);
        if (g->same_code)
            RUN_STRIDE(&s, j, end, true);
        else
            RUN_STRIDE(&s, j, end, false);
    }
}

const edit_filter_sweep_t NAME = {LANES, RUN};
