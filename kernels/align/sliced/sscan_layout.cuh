/*
 * sscan_layout.cuh - the arguments of the kernels of sscan, which align 32 pairs per
 * thread, one bit of a word each (sscan_cell.cuh).
 */
#pragma once

#include "kernels/align/cuda/cuda_batch.cuh"
#include "kernels/align/sliced/sscan_cell.cuh"

extern "C" {
#include "kernels/align/common/score_band.h"
}

/* Pairs that are ordered together, and aligned by a kernel of their own. */
enum sscan_kind_t { SSCAN_KIND_PLAIN, SSCAN_KIND_CODES, SSCAN_KINDS };

template <int KIND>
constexpr int SSCAN_PLANES = KIND == SSCAN_KIND_PLAIN ? SSCAN_PLAIN : SSCAN_CODES;

/* Rows that a thread holds at a time, warps of a block, which align the same pairs, and
 * blocks per multiprocessor that the kernels are compiled for. */
constexpr int SSCAN_ROWS = 24, SSCAN_WARP = 32, SSCAN_TEAM = 4,
              SSCAN_BLOCK = SSCAN_TEAM * SSCAN_WARP, SSCAN_BLOCKS = 2;
constexpr int SSCAN_TEAM_PAIRS = SSCAN_WARP * SSCAN_PAIRS;

/* Columns that a warp sweeps before it lets the next one go on. */
constexpr int SSCAN_DISTANCE = 16;

constexpr int SSCAN_LEN_MAX = 16384;    /* letters of a sequence */
constexpr int SSCAN_UNIT_MAX = 1 << 15; /* scores of such sequences have 32 bits */

/* Letters that are read at once; pads make columns a multiple of them. */
constexpr int SSCAN_LETTERS = 8;
static_assert(SSCAN_ROWS % SSCAN_LETTERS == 0, "letters of rows are read aligned");

/* Words of a column in a line: u, y, pads, letters; and columns behind the last one,
 * which are read ahead. */
constexpr int SSCAN_LINE_Y = 3, SSCAN_LINE_PADS = 5, SSCAN_LINE_LETTERS = 6,
              SSCAN_LINE_WORDS = 10, SSCAN_LINE_SLACK = 1;

/* Where a pair is, as a thread looks it up. */
struct sscan_lane_pair_t {
    const unsigned char *end[2]; /* behind the last letters of rows and columns */
    int len[2];
    int units; /* out: h of the last cell */
};

/* A path of `units` costs its letters of m and n: score = unit * units - cost * (m + n).
 */
struct sscan_score_t {
    int unit, cost;
};

struct sscan_launch_t {
    cuda_set_t set;
    const pair_t *pairs;   /* [n] */
    const unsigned *order; /* pairs by kind, similar ones together */
    const int *n_of_kind;  /* [SSCAN_KINDS] */
    int *next;             /* [SSCAN_KINDS] how many pairs have been taken */
    void *lines;           /* of all blocks: lane pairs, then columns */
    int line_len;          /* columns */
    sscan_score_t score_of;
    bool codes_match; /* letters are sets that match if they meet; else codes are taken to
                       * match nothing, so that scores are lower bounds */
    const short *band_w; /* [n] w of each pair's band, < 0: none */
    int *score;          /* [n] out */
};

/* @return whether a scoring is of the required form (sscan_cell.cuh), at least for single
 *         bases. @param out  its units */
bool sscan_score(const align_spec_t *spec, sscan_score_t *out);

/* @return bytes of memory of a block */
CUDA_BOTH constexpr size_t sscan_block_bytes(int line_len)
{
    return SSCAN_WARP *
           (SSCAN_PAIRS * sizeof(sscan_lane_pair_t) +
            static_cast<size_t>(line_len) * SSCAN_LINE_WORDS * sizeof(unsigned));
}

/* Count the blocks of a kind's kernel that a device holds at the same time. */
status_t sscan_blocks(int kind, const device_t *device, int *out);

/* Enqueue the kernel of a kind. */
status_t sscan_launch(int kind, const sscan_launch_t &launch, int n_blocks,
                      cudaStream_t stream);
