/*
 * simd_bits_body.h - the bit-parallel traversal for unit costs and counted ends, included
 * once a vector level.
 *
 * Costs are unit costs where a match adds 2B to a gap-normalised cell (cell_layout.h) and
 * a mismatch B: then h = B (m + n - e), e the edit distance.  Myers' recurrence for e
 * (1999), in Hyyro's form (2003), takes 64 rows of a pair in one lane: Pv and Mv hold the
 * rows where the distance is one more or one less than in the row above.  Letters are
 * sets of bases: rows' sets are kept as a word a base, so that codes on either side cost
 * nothing, and lanes need have no sequence in common.
 *
 * Blocks of 64 rows beside the band are left out: what stands above the topmost block
 * grows by one a column, what comes in below grows by one a row; both are attained by
 * gaps.
 *
 * The including file defines: NAME, LANES, VEC and BYTES (LANES of uint64_t, of uint8_t)
 * and V_SHIFT_IN(x, low): x one bit up, the top bit of low coming in.
 */
#ifndef SIMD_BITS_BASES
#define SIMD_BITS_BASES   4
#define SIMD_PASTE_(a, b) a##_##b
#define SIMD_PASTE(a, b)  SIMD_PASTE_(a, b)
enum { SIMD_BITS_ROWS = 64 };
#endif

#define BLOCK_NAME  SIMD_PASTE(NAME, block)
#define COUNT_NAME  SIMD_PASTE(NAME, count)
#define PLANES_NAME SIMD_PASTE(NAME, planes)
#define COLUMN_NAME SIMD_PASTE(NAME, column)

typedef struct {
    VEC base[SIMD_BITS_BASES]; /* rows whose letter's set holds the base */
    VEC pv, mv;
} BLOCK_NAME;

/* Turn a lane's letters into a word a base; all rows one more than the one above. */
static void PLANES_NAME(const simd_group_t *g, BLOCK_NAME *blocks)
{
    for (int32_t b = 0; b * SIMD_BITS_ROWS < g->m_max; b++) {
        uint64_t planes[SIMD_BITS_BASES][LANES] = {{0}};
        int32_t first = b * SIMD_BITS_ROWS;

        for (int32_t i = first; i < first + SIMD_BITS_ROWS && i < g->m_max; i++)
            for (int lane = 0; lane < g->n_lanes; lane++)
                for (int base = 0; base < SIMD_BITS_BASES; base++)
                    planes[base][lane] |=
                        (uint64_t)(g->rows[(int64_t)i * LANES + lane] >> base & 1)
                        << (i - first);
        for (int base = 0; base < SIMD_BITS_BASES; base++)
            memcpy(&blocks[b].base[base], planes[base], sizeof(VEC));
        blocks[b].pv = ~(VEC){0};
        blocks[b].mv = (VEC){0};
    }
}

/* How much the distance grows from a block's top to row `rows` of it, in one lane. */
static int64_t COUNT_NAME(const BLOCK_NAME *block, int lane, int32_t rows)
{
    uint64_t mask = rows >= SIMD_BITS_ROWS ? ~UINT64_C(0) : (UINT64_C(1) << rows) - 1;

    return __builtin_popcountll(block->pv[lane] & mask) -
           __builtin_popcountll(block->mv[lane] & mask);
}

/* One column of the blocks first .. end-1. */
static inline __attribute__((always_inline)) void COLUMN_NAME(BLOCK_NAME *blocks,
                                                              int32_t first, int32_t end,
                                                              const uint8_t *letters)
{
    VEC holds[SIMD_BITS_BASES], above_p = ~(VEC){0}, above_m = {0}, letter;
    BYTES few;

    memcpy(&few, letters, sizeof(few));
    letter = __builtin_convertvector(few, VEC);
    for (int base = 0; base < SIMD_BITS_BASES; base++)
        holds[base] = -(letter >> base & 1);
    for (int32_t b = first; b < end; b++) {
        BLOCK_NAME *k = &blocks[b];
        VEC pv = k->pv, mv = k->mv;
        VEC eq = (k->base[0] & holds[0]) | (k->base[1] & holds[1]) |
                 (k->base[2] & holds[2]) | (k->base[3] & holds[3]);
        VEC xv = eq | mv, xh, ph, mh, ph_in, mh_in;

        eq |= above_m >> 63;
        xh = (((eq & pv) + pv) ^ pv) | eq;
        ph = mv | ~(xh | pv);
        mh = pv & xh;
        ph_in = V_SHIFT_IN(ph, above_p);
        mh_in = V_SHIFT_IN(mh, above_m);
        above_p = ph;
        above_m = mh;
        k->pv = mh_in | ~(xv | ph_in);
        k->mv = ph_in & xv;
    }
}

static void NAME(const simd_group_t *g, cell_end_t *best)
{
    BLOCK_NAME *blocks = g->h;
    int32_t n_blocks = (g->m_max + SIMD_BITS_ROWS - 1) / SIMD_BITS_ROWS, first = 0;
    int64_t above[LANES] = {0}; /* what the blocks left out above add */
    int lane = g->n_lanes - 1;

    PLANES_NAME(g, blocks);
    for (int32_t j = 1; j <= g->n_max && lane >= 0; j++) {
        int32_t top = (j - g->high - 1) / SIMD_BITS_ROWS;
        int32_t end = (j + g->low - 1) / SIMD_BITS_ROWS + 1;

        if ((j & 255) == 0 && g->cancel != NULL &&
            __atomic_load_n(g->cancel, __ATOMIC_RELAXED) != 0)
            return;
        for (; first < top && first < n_blocks - 1; first++)
            for (int l = 0; l < g->n_lanes; l++)
                above[l] += COUNT_NAME(&blocks[first], l, SIMD_BITS_ROWS);
        COLUMN_NAME(blocks, first, end < n_blocks ? end : n_blocks,
                    g->columns + (int64_t)(j - 1) * LANES);
        for (; lane >= 0 && g->n[lane] == j; lane--) {
            int64_t edits = j + above[lane];

            for (int32_t b = first; b * SIMD_BITS_ROWS < g->m[lane]; b++)
                edits += COUNT_NAME(&blocks[b], lane, g->m[lane] - b * SIMD_BITS_ROWS);
            cell_layout_offer(g->form, g->form->mismatch * (g->m[lane] + j - edits),
                              g->m[lane], j, &best[lane]);
        }
    }
}

#undef BLOCK_NAME
#undef COUNT_NAME
#undef PLANES_NAME
#undef COLUMN_NAME
#undef NAME
#undef LANES
#undef VEC
#undef BYTES
#undef V_SHIFT_IN
