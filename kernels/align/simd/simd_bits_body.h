/*
 * simd_bits_body.h - a bit-parallel sweep for unit costs and counted ends, included once
 * per SIMD level.
 *
 * With unit costs a match adds 2B to a normalised cell (cell_layout.h) and a mismatch B,
 * so that h = B (m + n - e) with the edit distance e.  Myers' recurrence for e (1999), as
 * formulated by Hyyro (2003), computes 64 rows of a pair in one lane: Pv and Mv mark the
 * rows where the distance is one more, or one less, than in the row above.  For each of
 * the four bases one word marks the rows whose base may be that one.  So ambiguity codes
 * on either side cost nothing, and each lane may have a sequence of its own.
 *
 * Blocks of 64 rows outside of the band are skipped: the distance above the topmost block
 * is taken to grow by one per column, and the distance in a new block at the bottom by
 * one per row.  Gaps attain both.
 *
 * The including file defines NAME, LANES, VEC and BYTES (LANES of uint64_t, of uint8_t),
 * and V_SHIFT_IN(x, low): x shifted up by one bit, with the top bit of low shifted in.
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
    VEC base[SIMD_BITS_BASES]; /* rows that may be this base */
    VEC pv, mv;
} BLOCK_NAME;

/* Mark the rows of each base, and start with every distance one more than above it. */
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

/* @return how much the distance grows over the first `rows` rows of a block, in a lane */
static int64_t COUNT_NAME(const BLOCK_NAME *block, int lane, int32_t rows)
{
    uint64_t mask = rows >= SIMD_BITS_ROWS ? ~UINT64_C(0) : (UINT64_C(1) << rows) - 1;

    return __builtin_popcountll(block->pv[lane] & mask) -
           __builtin_popcountll(block->mv[lane] & mask);
}

/* Compute one column of blocks first .. end-1. */
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
    int64_t above[LANES] = {0}; /* growth over the skipped blocks at the top */
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
            cell_layout_offer(g->layout, g->layout->mismatch * (g->m[lane] + j - edits),
                              g->m[lane], j, 0, &best[lane]);
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
