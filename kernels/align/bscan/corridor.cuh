/*
 * corridor.cuh - finds the cells that the best alignments of a pair with free ends can
 * go through: a corridor, hardly wider than the gaps of the pair.  corridor_sweep.cuh has
 * the proof.
 */
#pragma once

#include "kernels/align/cuda/cuda_batch.cuh"
#include "kernels/align/cuda/cuda_word.cuh"

struct corridor_t;

/* Columns of a block, and bases of the longest sequences that have a corridor. */
constexpr int CORRIDOR_SPAN = 32, CORRIDOR_MAX = 2048;
/* Bases of the shortest ones. */
constexpr int CORRIDOR_MIN = 192;
/* Columns of the corridor of any strip of 32 or 48 rows, in groups of four. */
constexpr int CORRIDOR_WIDTH = 120;

/* Block k of a pair's corridor has the cells low <= j - i <= high of the columns
 * SPAN k <= j <= SPAN (k + 1), where i is a row, behind i bases of the query, and j a
 * column, behind j bases of the target; none if low > high. */
struct corridor_block_t {
    short low, high;
};

/* The cells of a strip of rows: columns from .. to; none if from > to. */
struct corridor_strip_t {
    int from, to;
};

/* Where the pairs of a batch have their corridors, on the device. */
struct corridor_out_t {
    corridor_block_t *blocks; /* [n][n_blocks] */
    int n_blocks;
    short *w; /* [n] half of the mean width of a block, or -1: the pair has none */
    unsigned *without; /* pairs that have none */
    int *n_without;
    int *n_lost; /* of these, pairs whose corridor was looked for */
};

/* @return whether there are corridors for this scoring.  It has to be two-valued; in
 *         gap-normalised steps a match has to be worth two mismatches, and a gap at most
 *         one. */
bool corridor_applies(const align_spec_t *spec);

/*
 * Prepare for the batches of a set; everything is borrowed until destroy.
 *
 * @param batch  holds the set on the device
 * @return ST_OK, ST_ENOMEM or ST_EDEVICE
 */
status_t corridor_create(const device_t *device, const seqset_t *set,
                         const align_spec_t *spec, const cuda_batch_t *batch,
                         corridor_t **out) MUST_CHECK;

/* @return the blocks of the longest pair */
int corridor_blocks(const corridor_t *c);

/* Enqueue the corridors of a batch's pairs. */
status_t corridor_run(corridor_t *c, const cuda_work_t *work,
                      const corridor_out_t &out) MUST_CHECK;

/* Takes NULL; nothing may be in flight. */
void corridor_destroy(corridor_t *c);

/*
 * Find the corridor in a strip of rows; or of columns, if the target's bases are the rows
 * of a matrix (swapped).
 *
 * @param blocks       of the pair; none begins in a row above the first one of a block in
 *                     front of it
 * @param m, n         bases of query and target
 * @param first, last  rows, both included; those of the strips before are not below them
 * @param at           of the first block that may be in the strip; 0 for the first strip
 */
CUDA_BOTH inline corridor_strip_t corridor_strip(const corridor_block_t *blocks, int m,
                                                 int n, bool swapped, int first, int last,
                                                 int *at)
{
    const int n_blocks = (n + CORRIDOR_SPAN - 1) / CORRIDOR_SPAN;
    corridor_strip_t strip = {n + m, -1};

    for (int k = *at; k < n_blocks; k++) {
        const corridor_block_t b = blocks[k];
        const int j = k * CORRIDOR_SPAN, end = j + CORRIDOR_SPAN;
        const bool before =
            b.low > b.high || (swapped ? end < first : end < first + b.low);
        int from = 0, to = 0;

        if (before && k == *at)
            *at = k + 1;
        if (before)
            continue;
        if (swapped ? j > last : j > last + b.high)
            break;
        if (swapped) {
            from = (first > j ? first : j) - b.high;
            to = (last < end ? last : end) - b.low;
        } else {
            from = first + b.low > j ? first + b.low : j;
            to = last + b.high < end ? last + b.high : end;
        }
        strip.from = from < strip.from ? from : strip.from;
        strip.to = to > strip.to ? to : strip.to;
    }
    const int limit = swapped ? m : n;

    strip.from = strip.from > 0 ? strip.from : 0;
    strip.to = strip.to < limit ? strip.to : limit;
    return strip;
}
