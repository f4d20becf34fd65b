/*
 * wavefront_layout.cuh - how the matrix of a long pair is divided among warps, and the
 * arguments of their kernels.
 *
 * Rows are the sequence that nw_reference.h makes the rows, the shorter one.  A strip has
 * WAVEFRONT_STRIP of them.  A warp sweeps a strip from left to right, its lanes one
 * column behind each other, and the next strip follows it: H and F of a strip's last row
 * go through memory, one line per job, and say whose they are.  Warps take the strips of
 * a launch in order, so that the one that a warp waits for has always been taken before:
 * no grid has to be resident.
 *
 * Jobs.  Where the rows are few and the columns many, the columns are cut into pieces
 * that are swept at the same time.  Let a column score at most a, and a gap's letter cost
 * at least g.  A path with a score of at least s has at most m columns of two letters and
 * (a m - s) / g letters of gaps, so it spans at most
 *
 *     span(s) = m + (a m - s) / g
 *
 * columns.  A job begins span(1) columns in front of the first cell that counts for it:
 * all paths with a positive score that end in such a cell lie within the job, so its
 * value, and the way back from it, are those of the whole matrix.
 *
 * Passes.  One over scores finds the best score of each job; what EMIT_SCORE needs.  For
 * the numbers of an alignment, jobs with less than the best score are dropped, and the
 * others shrink to the columns of the ends and span(best) in front of them.  A second
 * pass over keys (nw_key.h) follows; a pair with one job has only that.
 *
 * Meeting.  Of a pair whose strips alone do not fill the device, for its score: the upper
 * half of the strips is swept forward and the lower half backward, at the same time,
 * since a strip waits for all of those above.  A path lies in one half, or crosses the
 * line where both meet; the scores of those that do are the sums of both sides' H, or of
 * both f with one opening.
 *
 * Sections.  Of a pair whose strips alone do not fill the device, scores are swept twice,
 * forward and backward, with all lines between strips kept.  H of both passes together
 * are the best score where a best path crosses a line, and f of both with one opening
 * where it does so in a gap.  A line with one such point, and no gap, is a joint: all
 * best paths that cross it go through that point.  Joints divide the strips into sections
 * that are swept in keys all at the same time, each from its corner: the point above it,
 * with the score found there.  A cell on a best path then has its key in the matrix, less
 * that of the best path to the corner: a path as good that does not come from there would
 * be a best one with another start.  So all ends of best paths have to be in one strip,
 * all their starts in another, and every line between these must be crossed; else the
 * passes above follow.  Keys and ways back of the sections are joined.
 *
 * CIGARs.  A third pass over the strips of a band stores four bits per cell, and one warp
 * follows the path through them: band by band, the last one first, in as much memory as
 * there is.  A band's first strip reads the line above it, which the second pass has
 * kept.  Where one band is enough for a pair with one job, the second pass stores the
 * bits, and there is no third.
 */
#pragma once

#include "kernels/align/cuda/cuda_cigar.cuh"
#include "kernels/align/cuda/cuda_word.cuh"

#include <type_traits>

extern "C" {
#include "kernels/align/common/nw_key.h"
}

enum { WAVEFRONT_ROWS = 8 /* of a lane */, WAVEFRONT_LANES = 32 };
enum { WAVEFRONT_STRIP = WAVEFRONT_ROWS * WAVEFRONT_LANES };
enum { WAVEFRONT_CHUNK = 32 /* columns that a warp reads at a time */ };
enum { WAVEFRONT_TABLE = ALPHABET_SIZE * ALPHABET_SIZE };
enum { WAVEFRONT_PACKED_LIMIT = 350 /* of max column + open, in wavefront_packed.cuh */ };

/* Values of cells: scores, or keys of at most WAVEFRONT_KEY_BITS with their sign, which a
 * double holds, or longer ones. */
enum { WAVEFRONT_SCORES, WAVEFRONT_KEYS, WAVEFRONT_LONG_KEYS };
enum { WAVEFRONT_KEY_BITS = 53, WAVEFRONT_LONG_KEY_BITS = 62, WAVEFRONT_SCORE_BITS = 30 };

template <int KIND> struct wavefront_value_t {
    using type = std::conditional<CUDA_FAST_DOUBLES != 0, double, long long>::type;
};
template <> struct wavefront_value_t<WAVEFRONT_SCORES> {
    using type = int;
};
template <> struct wavefront_value_t<WAVEFRONT_LONG_KEYS> {
    using type = long long;
};
template <int KIND> using wavefront_value = typename wavefront_value_t<KIND>::type;

/* Four bits of a cell: how its H is reached, and whether its F and E are the first
 * letters of their gaps. */
enum {
    WAVEFRONT_STOP,
    WAVEFRONT_DIAGONAL,
    WAVEFRONT_UP,
    WAVEFRONT_LEFT,
    WAVEFRONT_WAY = 3,
    WAVEFRONT_F_OPENS = 4,
    WAVEFRONT_E_OPENS = 8,
    WAVEFRONT_BITS = 4
};
static_assert(WAVEFRONT_ROWS * WAVEFRONT_BITS == 32, "a lane's column is one word");

/* Columns begin .. end - 1 of a pair, of which those from `first` on count. */
struct wavefront_job_t {
    int pair; /* of the batch's wavefront_pair_t */
    int begin, first, end;
    long long line; /* its entries of `lines`, and of the lines that are kept */
};

/* A strip of a job, or in the third pass of a pair's last job. */
struct wavefront_task_t {
    int job, pair, strip;
};

struct wavefront_pair_t {
    int index;         /* in the batch */
    int rows, columns; /* sequences */
    int m, n;          /* their letters */
    bool mirrored;     /* the rows are the target */
    int first_job, n_jobs;
    int first_task, n_tasks; /* of its group */
    long long back;          /* words of `back` in front of its own */
    long long back_pitch;    /* columns of a strip there, with those of lanes behind */
    /* the way back, from the last band to the first; job: -1 once it has ended */
    int job, i, j, value;
    uint32_t run;
    int n_runs;
};

/* The best cell of a task; value 0: there is none.  Of scores `first` and `last` are the
 * first and the last column with the best one; of keys `row` is the last row, and `last`
 * the last column of it. */
struct wavefront_result_t {
    long long value;
    int row, first, last;
};

/* Scores of columns, and which of them match, by bytes of cuda_set_t. */
struct wavefront_table_t {
    int scores[WAVEFRONT_TABLE];
    unsigned char is_match[WAVEFRONT_TABLE];
};

/* What scores and keys grow by. */
struct wavefront_costs_t {
    int match, mismatch, open, extend;
    const wavefront_table_t *table;
    bool packs; /* scores of bases fit into wavefront_packed.cuh; none of proteins do */
};

/* The path through a section: its first cell, or what is in front of it, and its runs. */
struct wavefront_path_t {
    int i, j, n_runs;
};

/* Columns of a section, at most, and those of its strips in `back`. */
enum { WAVEFRONT_SECTION_MAX = 1 << 13 };
enum { WAVEFRONT_SECTION_PITCH = WAVEFRONT_SECTION_MAX + WAVEFRONT_CHUNK };

/* Of a pair: its best score, and the strips with the ends and the starts of such paths.
 */
struct wavefront_head_t {
    int score, first, last; /* strips */
    int holds;              /* whether there are sections */
    int has_path;           /* whether a CIGAR is asked for */
};

/* The line below a strip: at how many points best paths cross it, and how many of them
 * within a gap; of a point the columns and the score in front of it. */
struct wavefront_crossing_t {
    int n, n_gaps, column, score;
};

/* The section that a strip is in: strips top .. bottom, columns begin .. end - 1, and the
 * score where it begins. */
struct wavefront_section_t {
    int top, bottom, begin, end, score;
};

/* What is known of a pair's sections. */
struct wavefront_sections_t {
    wavefront_head_t *head;          /* [1] zero at first; NULL: no pair has any */
    wavefront_crossing_t *crossings; /* [n_strips] zero at first */
    wavefront_section_t *of_strip;   /* [n_strips] */
    void *lines[2];                  /* [n_strips][n] of both passes */
    wavefront_result_t *results[2];  /* [n_strips] */
    uint32_t *back;                  /* [n_strips][WAVEFRONT_SECTION_PITCH][lanes] */
    uint32_t *runs;                  /* [m + n] */
    wavefront_path_t *paths;         /* [n_strips] */
};

/* Passes: over whole matrices; from both ends; the third; and those of sections. */
enum {
    WAVEFRONT_WHOLE,
    WAVEFRONT_MEETING,
    WAVEFRONT_THIRD,
    WAVEFRONT_FORWARD,
    WAVEFRONT_BACKWARD,
    WAVEFRONT_SECTIONS
};

/* A group of pairs that share a launch. */
struct wavefront_launch_t {
    cuda_set_t set;
    wavefront_pair_t *pairs;
    wavefront_job_t *jobs;
    const wavefront_task_t *tasks; /* [n_tasks] */
    int n_tasks;
    int *next, *begun;           /* [1], [n_tasks] zero at first */
    wavefront_result_t *results; /* [n_tasks] zero at first */
    wavefront_costs_t costs;
    nw_key_t key; /* of a pass over keys */
    void *lines;  /* zero at first; pairs of values: H, and F of the row behind */
    void *kept;   /* [n_bands - 1][kept_pitch] the same of the bands' last rows */
    long long kept_pitch;
    int band;       /* strips of a band */
    uint32_t *back; /* a word per lane and step */
    int pass;
    long long line_pitch; /* 0, or each strip has a line of its own */
    wavefront_sections_t sections;
};

/* What becomes of results. */
struct wavefront_out_t {
    int *score, *matches, *columns; /* [n]; of EMIT_SCORE the others are NULL */
    int max_column, gap;            /* a and g */
    fraction_t min_overlap;
    unsigned column_ops;          /* cuda_cigar_column_ops */
    const long long *trace_start; /* these three: of cuda_cigar_t; NULL: no CIGARs */
    long long *n_runs;
    uint32_t *runs;
};

/* @return span(score) */
CUDA_BOTH inline long long wavefront_span(long long m, long long max_column,
                                          long long gap, long long score)
{
    return m + (max_column * m - score) / gap;
}

/* @return the columns of a strip in `back`, with those of lanes behind. @param n  columns
 */
CUDA_BOTH inline long long wavefront_back_pitch(long long n)
{
    return (n + WAVEFRONT_CHUNK - 1) / WAVEFRONT_CHUNK * WAVEFRONT_CHUNK +
           WAVEFRONT_CHUNK;
}

/* Choose the blocks of a grid. @param by_table  columns are scored by costs.table */
status_t wavefront_blocks(int kind, bool by_table, bool stores, const device_t *device,
                          int *out);

/* Enqueue a pass. @param stores  the bits of the way back */
status_t wavefront_run(int kind, bool by_table, bool stores, int n_blocks,
                       const wavefront_launch_t &launch, cudaStream_t stream);

/* Enqueue what follows a pass over scores: scores, and the jobs of the second pass.
 * @param pairs  [n_pairs] of the launch */
status_t wavefront_settle_scores(const wavefront_launch_t &launch,
                                 const wavefront_out_t &out, int first_pair, int n_pairs,
                                 cudaStream_t stream);

/* Enqueue what follows a pass over keys: the numbers, and where the way back begins. */
status_t wavefront_settle_keys(const wavefront_launch_t &launch,
                               const wavefront_out_t &out, int first_pair, int n_pairs,
                               cudaStream_t stream);

/* Enqueue: follow the paths of pairs through a band. @param band  0 is the first one */
status_t wavefront_follow(const wavefront_launch_t &launch, const wavefront_out_t &out,
                          int band, int first_pair, int n_pairs, cudaStream_t stream);

/* Enqueue what follows the pass from both ends: the best score of a path that crosses the
 * line where they meet, in results[0]. @param launch  sections.lines: those of both
 * @param n  columns */
status_t wavefront_meet(const wavefront_launch_t &launch, int n, cudaStream_t stream);

/* Enqueue: divide a pair into sections, if it has some. @param launch  of its strips
 * @param n  columns */
status_t wavefront_divide(const wavefront_launch_t &launch, const wavefront_out_t &out,
                          int n, cudaStream_t stream);

/* Enqueue what follows the pass over sections: the numbers, and where the way back
 * begins. @param kind  of keys */
status_t wavefront_sum(int kind, const wavefront_launch_t &launch,
                       const wavefront_out_t &out, cudaStream_t stream);

/* Enqueue: follow the path of a pair through its sections. */
status_t wavefront_follow_sections(const wavefront_launch_t &launch,
                                   const wavefront_out_t &out, cudaStream_t stream);
