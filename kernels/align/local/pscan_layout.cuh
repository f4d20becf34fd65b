/*
 * pscan_layout.cuh - local scores of proteins, several lanes per word: the shapes of
 * groups of lanes, and the arguments of their kernel.
 *
 * A word holds two pairs, 16 bits each, or one of 32 bits.  A group of G lanes computes
 * it: lane g holds the next R rows below those of lane g - 1, and is one column behind
 * it.  H and F of a lane's last row go to the next lane by a shuffle.  Rows that do not
 * fit into a group are further passes, between which H and F of the last row are in
 * memory.  So a long pair takes a warp, and the time of a batch does not depend on its
 * longest pair; and where one pass suffices, nothing but letters is read from memory.
 *
 * All pairs that a block computes at a time have the same rows.  Their scores by the
 * letter of a column are kept once per block, in shared memory, at the bank of their
 * lane, so that lanes in different columns do not wait for each other.
 *
 * Kinds:
 *
 *  - TWIN:  two queries, of similar length, with one target: the letter of a column
 *           selects the scores of a row of both.
 *  - PAIR:  one query with two targets: 8 bits per row, four rows per word, and a
 *           permutation per cell.
 *  - WIDE:  one query with one target in 32 bits, where a score may have left 16 bits.
 *
 * Every H is at least 0, that of the empty path, so pads need no care (lscan_layout.cuh):
 * rows in front of a query, and columns in front of and behind a target, score 0.  Values
 * of 16 bits may wrap only once a score has reached the greatest value less the score of
 * a column.  The maximum of a pair tells, and the pair is listed and computed as WIDE.
 */
#pragma once

#include "kernels/align/cuda/cuda_set.cuh"
#include "kernels/align/cuda/cuda_word.cuh"
#include "kernels/align/local/lscan_layout.cuh"

#include <cstring>

enum pscan_kind_t { PSCAN_TWIN, PSCAN_PAIR, PSCAN_WIDE };

constexpr int PSCAN_WARP = 32, PSCAN_WARPS = 8, PSCAN_BLOCK = PSCAN_WARPS * PSCAN_WARP,
              PSCAN_BLOCKS = 2; /* per multiprocessor */

/* Rows of a lane: multiples of PSCAN_QUAD.  A GPU with little shared memory has fewer. */
constexpr int PSCAN_QUAD = 4, PSCAN_ROWS_MIN = 16, PSCAN_ROWS_MAX = 32;

/* Cells of words that a block takes at a time, about; at least a round of its warps. */
constexpr long long PSCAN_CHUNK_CELLS = 1 << 24;

/* Letters whose scores are equal are one class of columns; class 0 are pads. */
struct pscan_classes_t {
    unsigned char of[ALPHABET_SIZE];    /* letter */
    unsigned char first[ALPHABET_SIZE]; /* a letter of each class */
    int n;
};

/* How a group computes the rows of a query. */
struct pscan_shape_t {
    int lanes; /* of a group: a power of two */
    int rows;  /* of a lane */
    int passes;
};

/* H and F of a row, in front of a column. */
struct alignas(8) pscan_line_t {
    unsigned h, f;
};

struct pscan_launch_t {
    cuda_set_t set;                     /* its letters: of the targets */
    const unsigned char *query_letters; /* likewise of the queries */
    const pair_t *pairs;                /* [n] */
    const unsigned *order;              /* [n] twins first, then by rows */
    const int *place;                   /* lscan_place_create */
    const int *n;                       /* NULL: max_n */
    int max_n, max_rows;
    int *next;                 /* how many pairs have been taken */
    unsigned open, extend;     /* in both halves; WIDE: of 32 bits */
    int limit;                 /* a score that may have left 16 bits is at least this */
    const signed char *scores; /* [LSCAN_TABLE] */
    pscan_classes_t classes;
    int *score;          /* [n] out */
    unsigned *doubtful;  /* [*n_doubtful] out: pairs that are left to WIDE */
    int *n_doubtful;     /* NULL: WIDE */
    pscan_line_t *lines; /* [warps][line_len] */
    long long line_len;
};

/* @return the shape for m rows. @param max_rows  of a lane */
CUDA_BOTH inline pscan_shape_t pscan_shape(int m, int max_rows)
{
    pscan_shape_t out = {1, 0, 1};

    while (out.lanes < PSCAN_WARP && out.lanes * max_rows < m)
        out.lanes *= 2;
    out.passes = (m + out.lanes * max_rows - 1) / (out.lanes * max_rows);
    out.passes = out.passes < 1 ? 1 : out.passes;
    const int lane_passes = out.lanes * out.passes;

    out.rows =
        (m + lane_passes * PSCAN_QUAD - 1) / (lane_passes * PSCAN_QUAD) * PSCAN_QUAD;
    out.rows = out.rows < PSCAN_ROWS_MIN ? PSCAN_ROWS_MIN : out.rows;
    return out;
}

/* @return bytes of a block's table */
CUDA_BOTH constexpr size_t pscan_table_bytes(int n_classes, int rows)
{
    return static_cast<size_t>(n_classes) * static_cast<size_t>(rows) * PSCAN_WARP *
           sizeof(unsigned);
}

/* Find the classes of letters. @param scores  [LSCAN_TABLE] of a symmetric matrix */
inline void pscan_classes(const signed char *scores, int n_letters, pscan_classes_t *out)
{
    *out = {};
    for (int a = 0; a < n_letters; a++) {
        const signed char *const mine = scores + a * ALPHABET_SIZE;
        int k = 0;

        /* class 0 is of pads alone: their scores are those of no letter */
        while (k < out->n && (k == 0 || memcmp(scores + out->first[k] * ALPHABET_SIZE,
                                               mine, ALPHABET_SIZE) != 0))
            k++;
        out->of[a] = static_cast<unsigned char>(k);
        if (k == out->n)
            out->first[out->n++] = static_cast<unsigned char>(a);
    }
}

/* Count the blocks that a device holds at the same time; 0: too little shared memory.
 * @param max_rows  of a lane */
status_t pscan_blocks(int n_classes, int max_rows, const device_t *device, int *out);

/* Enqueue the kernel. @param wide  for pairs of WIDE; else of the other kinds */
status_t pscan_run(bool wide, const pscan_launch_t &launch, int n_blocks,
                   cudaStream_t stream);
