/*
 * tiled_launch.cuh - the work of a launch of tiled-dscan.
 *
 * The matrix of a pair is swept from both corners at a time, each sweep to the middle
 * row: the best alignment is the best sum of two cells that meet there, or one that ends
 * before it does.  Rows are cut into strips of TILED_STRIP, a warp each; in front of the
 * first row and the first column letters are put that score 0, so that every strip and
 * every block is whole.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_TILED_TILED_LAUNCH_CUH
#define RIBOGRID_KERNELS_ALIGN_TILED_TILED_LAUNCH_CUH

#include "kernels/align/cuda/cuda_batch.cuh"
#include "kernels/align/tiled/tiled_layout.cuh"

/* A column without a letter. */
enum { TILED_PAD = ALPHABET_SIZE, TILED_LETTERS = TILED_PAD + 1 };

enum { TILED_BLOCK = 128, TILED_WARPS = TILED_BLOCK / TILED_WARP };

struct tiled_pair_t {
    int row_sequence, column_sequence;
    int m, n;             /* their letters: rows, columns */
    int n_rows[2];        /* of the sweep from the front and of that from the back */
    int index;            /* in the batch */
    bool bases_only;      /* all columns are of one base */
    bool mirrored;        /* rows are the target */
    long long line[2];    /* of a sweep, in words; SCORE2: line[0] is both's */
    long long codes[2];   /* likewise: the columns' letters, as cells want them */
    long long edge;       /* [m] in words: whole keys of ends at the last column */
    long long directions; /* in words of 32 bits: blocks, as tiled_block_at says */
};

/* A sweep, or with SCORE2 both of a pair. */
struct tiled_job_t {
    int pair, side; /* end: 0 front, 1 back */
    int n_strips;
};

struct tiled_launch_t {
    tiled_layout_t layout;
    cuda_set_t set;
    const tiled_pair_t *pairs; /* [n_pairs] */
    const tiled_job_t *jobs;   /* those of most strips first */
    /* Items are strips: the first of every job, then the second of those that have one;
     * [n_levels + 1].  So whoever must wait, waits for an item that was taken before. */
    const int *level_start;
    int n_levels, n_pairs;
    int *next;        /* the next item to take */
    const int *steps; /* layout.steps, where lanes may differ in what they read */
    unsigned long long *words;
    unsigned *directions;
    int *score, *matches, *columns; /* of the batch */
    unsigned long long *ends;       /* [n_pairs] EMIT_CIGAR, else NULL: i * (n + 1) + j */
    fraction_t min_overlap;
    long long *trace_start, *n_runs; /* EMIT_CIGAR: as cuda_cigar_t, of the batch */
    uint32_t *runs;
    unsigned mad_one; /* 1, which the compiler cannot know */
};

/* @return columns with the letters in front of them */
__host__ __device__ inline int tiled_padded(int n)
{
    return (n + TILED_CHUNK - 1) / TILED_CHUNK * TILED_CHUNK;
}

__host__ __device__ inline int tiled_strips(int n_rows)
{
    return (n_rows + TILED_STRIP - 1) / TILED_STRIP;
}

/* @return the steps of a strip's sweep: the last lane is a warp behind the first */
__host__ __device__ inline int tiled_steps(int n)
{
    return tiled_padded(n) / TILED_COLUMNS + TILED_WARP;
}

/* @return words of a sweep's codes: 16 bits a column, and as many behind the last one as
 * are asked for before they are known not to be */
__host__ __device__ inline int tiled_code_words(int n)
{
    constexpr int AHEAD = TILED_BEHIND + 4 * TILED_CHUNK;

    return (tiled_padded(n) + AHEAD) * static_cast<int>(sizeof(unsigned short)) /
           static_cast<int>(sizeof(unsigned long long));
}

/* @return words of a line's column */
__host__ __device__ inline int tiled_words(tiled_kind_t kind)
{
    return kind == TILED_KEY64 || kind == TILED_KEY64_STEPS ? 2 : 1;
}

/* @return where the directions of a block of rows and columns are, both counted with the
 * letters in front of them */
__host__ __device__ inline long long tiled_block_at(int n, int block_row, int block)
{
    const int lane = block_row % TILED_WARP;

    return (static_cast<long long>(block_row / TILED_WARP) * tiled_steps(n) + block +
            lane) *
               TILED_WARP +
           lane;
}

/* @return the cell of a border, k letters in */
__host__ __device__ inline unsigned long long tiled_border(const tiled_layout_t &f,
                                                           long long k)
{
    return static_cast<unsigned long long>(f.border_first + k * f.border_step);
}

#endif
