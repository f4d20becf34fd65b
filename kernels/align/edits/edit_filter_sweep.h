/*
 * edit_filter_sweep.h - the edit distances of a group of pairs, a pair a lane of 64 bits:
 * a function a vector level, made from edit_filter_sweep_body.h; which runs is chosen at
 * run time.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_EDITS_EDIT_FILTER_SWEEP_H
#define RIBOGRID_KERNELS_ALIGN_EDITS_EDIT_FILTER_SWEEP_H

#include "kernels/align/edits/edit_filter_bound.h"
#include "kernels/device/device.h"

enum {
    EDIT_FILTER_LANES_MAX = 8,
    EDIT_FILTER_ROWS = 64,  /* of a lane's word, a block */
    EDIT_FILTER_PLANES = 4, /* bits of a letter */
    EDIT_FILTER_WORDS =
        6 /* a block's planes, and where rows are one more, and one less */
};

/* Rows are the query's letters, from the lowest bit of the first block. */
typedef struct {
    const edit_filter_bound_t *bound;
    bool same_code; /* letters match themselves alone, not where bits meet */
    int n_lanes;    /* in use, from lane 0 */
    int32_t m[EDIT_FILTER_LANES_MAX]; /* rows of each lane; all have as many blocks */
    int32_t n[EDIT_FILTER_LANES_MAX]; /* columns, the most first */
    int32_t n_blocks;
    int32_t low, high; /* counted ends: rows j - high .. j + low of column j count */
    uint64_t *blocks; /* [n_blocks][EDIT_FILTER_WORDS][lanes] planes filled in, 0 behind a
                       * lane's end; aligned to 64 bytes */
    const uint8_t *cols; /* [n[0]][lanes] letters, 0 behind a lane's end */
    const int *cancel;   /* may be NULL; once not 0, keep is of no use */
} edit_filter_group_t;

typedef struct {
    int lanes;
    /* @param keep  [n_lanes] out: whether an end is within the bound */
    void (*run)(const edit_filter_group_t *group, uint8_t *keep);
} edit_filter_sweep_t;

extern const edit_filter_sweep_t edit_filter_sweep_128;
extern const edit_filter_sweep_t edit_filter_sweep_avx2;
extern const edit_filter_sweep_t edit_filter_sweep_avx512;

/* @return the widest that a CPU of this level can run */
const edit_filter_sweep_t *edit_filter_sweep_of(simd_level_t level);

/*
 * Look at the cells of a last column, which may all be ends.
 *
 * @param top    the first word of the rows that are one more than those above, `stride`
 *               words from a block's to the next; those that are one less lie `less`
 *               words behind
 * @param edits  of row 0
 * @return whether one is within the bound
 */
bool edit_filter_sweep_last_column(const edit_filter_bound_t *bound, const uint64_t *top,
                                   int stride, int less, int32_t m, int32_t n,
                                   int64_t edits);

#endif
