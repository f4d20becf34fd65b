/*
 * lscan_layout.cuh - cells of local alignments on GPUs, and the arguments of their
 * kernels.
 *
 * Every H is at least that of the empty path.  So pads need no care: rows and columns in
 * front of the first letter, whose scores are 0 or less, have the cells of a border.
 *
 * Kinds:
 *
 *  - BASES:   scores of two pairs, 16 bits each; the rows are single bases, so that one
 *             byte permutation looks up the scores of both.
 *  - PROFILE: the same for any letters.  A thread keeps the scores of its rows by the
 *             letter of the column, 8 bits each, in shared memory.
 *  - COMMON_BASES, COMMON_PROFILE: the same in kernels of their own, where the rows of
 *             all pairs of a warp are one sequence and, for BASES, no sequence has codes:
 *             the scores are kept once for all lanes (cuda_common.cuh).
 *  - TWIN_PROFILE: PROFILE in a kernel of its own, where the two pairs of a word have the
 *             same columns, and the rows of all words of a warp are the same two
 *             sequences: the letter of a column then selects the scores of both pairs,
 *             which are kept once for all lanes, without a permutation per cell.
 *  - KEYS:    the key (nw_key.h) of one pair, in 64 bits; it orders cells as
 *             nw_reference.h does.  The empty path is 0.
 *  - KEYS32:  the same in 32 bits, whose score counts from a base (below), for sequences
 *             of up to about 2,000 letters.
 *  - TRACED32: keys of 32 bits of longer sequences.  Each pair is traced, and its numbers
 *             are counted along the path and proved (below).  Other pairs are aligned
 *             again as KEYS.
 *  - COMMON_KEYS32, COMMON_TRACED32: the same in kernels of their own, where the rows of
 *             all pairs of a warp are one sequence: their steps are kept once.
 *
 * Values of 16 bits have a sign.  H is not negative, since the empty path is 0; E and F
 * may be, and then do not matter.
 *
 * KEYS32.  Scores of cells that are near each other differ little.  So a thread cuts the
 * R rows that it holds into blocks of C columns, and the scores of a block count from a
 * base of its own, which follows from the H of its corner, behind the last row and column
 * in front of it.  Matches and columns are held whole, so keys are exact, and there are
 * no doubtful pairs.  Let a column score at most a and at least -b, and a gap of k
 * letters cost g(k) = open + (k - 1) extend.  A cell of the block is r rows and c columns
 * behind the corner.
 *
 *  - Its H is at least H(corner) - g(r) - g(c), because one gap of each kind leads there.
 *    What is computed on the way to an H, E or F is less by at most b or open + extend.
 *  - Its H is at most H(corner) + a R + g(R), if C <= R: a path to it that does not begin
 *    in the block enters it beside the corner, say k rows below it.  (Columns are alike.)
 *    It has come from a cell in the row of the corner, q columns in front of it.  If q is
 * 0 the path has gained at most a k since; if not, also the corner is reached from that
 *    cell, by a gap of q letters; the path has at least q - k letters in gaps, and so at
 *    most a k + g(q) - g(q - k) <= a k + g(k) more than the corner.  (If it begins beside
 *    the block, the same holds with an H of 0.)  In the block it gains at most a (R - k).
 *    E and F are not above the H that they lead on from.
 *
 * The empty path is taken to be the lowest key of the block if it is less than that: then
 * H is greater by the first of both bounds.
 *
 * TRACED32.  The key of a path with score S, M matches and C columns is
 *
 *     K = w S + v M - C,
 *
 * with weights w and v for which the bounds of KEYS32 hold with steps of keys in place of
 * scores.  M and C need not fit below the weights, so the greatest K need not be that of
 * the best numbers: the highest S, then the most M, then the fewest C.  Let S, M and C be
 * counted along a path with the greatest K.  A path that is better, with M + d matches
 * and D columns, has no greater K.
 *
 *  - If it has the same S, d is at least 1, since with d = 0 and fewer columns K would be
 *    greater; and D >= C + d v.  Let N be the letters of both sequences.  Columns other
 *    than matches consume letters, so D <= N - (M + d): impossible if N - M - 1 < C + v.
 *    Or let a match score at most a, and each other column at most -e < 0.  The path
 *    costs P = a M - S, and the better one P + a d, so D <= M + d + (P + a d) / e:
 *    impossible if M + 1 + (P + a) / e < C + v and v > 1 + a / e.
 *  - If its score is higher, w <= v (-d) + D - C, where D <= N and -d <= M.  If only
 *    matches score more than 0, its cost is not negative, so -d <= (P - 1) / a.
 *
 * If the numbers are the best ones, so is the path.  A step that leads to the best
 * numbers of a cell of the path also leads to its greatest key.  The steps with that key
 * may be more, but the first of them, which is taken, leads to the best numbers; so it is
 * the first of those, too.  The same holds for the last of the best ends.
 */
#pragma once

#include "kernels/align/cuda/cuda_batch.cuh"
#include "kernels/align/cuda/cuda_word.cuh"

extern "C" {
#include "kernels/align/common/nw_key.h"
}

#include <type_traits>

/* The kinds that pairs are listed as, and further ones of kernels. */
enum lscan_kind_t {
    LSCAN_BASES,
    LSCAN_PROFILE,
    LSCAN_KEYS32,
    LSCAN_KEYS,
    LSCAN_TRACED32,
    LSCAN_KINDS,
    LSCAN_COMMON_BASES = LSCAN_KINDS,
    LSCAN_COMMON_PROFILE,
    LSCAN_TWIN_PROFILE,
    LSCAN_COMMON_KEYS32,
    LSCAN_COMMON_TRACED32,
    LSCAN_KERNELS
};

/* Kernels whose numbers are those of the traced path. */
template <int KIND>
constexpr bool LSCAN_IS_TRACED = KIND == LSCAN_TRACED32 || KIND == LSCAN_COMMON_TRACED32;
/* Kernels of one pair per thread, whose cells are keys. */
template <int KIND>
constexpr bool LSCAN_IS_KEY = KIND == LSCAN_KEYS || KIND == LSCAN_KEYS32 ||
                              KIND == LSCAN_COMMON_KEYS32 || LSCAN_IS_TRACED<KIND>;
/* Those whose scores count from a base. */
template <int KIND>
constexpr bool LSCAN_IS_RELATIVE = LSCAN_IS_KEY<KIND> &&KIND != LSCAN_KEYS;

/* @return the kind that the pairs of a kernel are listed as */
CUDA_BOTH constexpr int lscan_plan_kind(int kernel)
{
    switch (kernel) {
    case LSCAN_COMMON_BASES:
        return LSCAN_BASES;
    case LSCAN_COMMON_PROFILE:
    case LSCAN_TWIN_PROFILE:
        return LSCAN_PROFILE;
    case LSCAN_COMMON_KEYS32:
        return LSCAN_KEYS32;
    case LSCAN_COMMON_TRACED32:
        return LSCAN_TRACED32;
    default:
        return kernel;
    }
}

/* @return whether the lanes of a warp share the scores of their rows */
CUDA_BOTH constexpr bool lscan_is_common(int kernel)
{
    return kernel >= LSCAN_KINDS;
}

/* Letters of a sequence that is taken, and cells of a pair: one thread aligns it. */
constexpr int64_t LSCAN_LEN_MAX = 16384, LSCAN_ROWS_MAX = 8192; /* of the shorter one */
constexpr int64_t LSCAN_CELLS_MAX = LSCAN_ROWS_MAX * LSCAN_ROWS_MAX;

/* Rows that a thread holds at a time, threads per block, and blocks per multiprocessor
 * that the kernels are compiled for. */
template <int KIND> struct lscan_tuning_t {
    static constexpr int ROWS = 32, BLOCKS = 3;
};
template <> struct lscan_tuning_t<LSCAN_PROFILE> {
    static constexpr int ROWS = 16, BLOCKS = 2;
};
template <> struct lscan_tuning_t<LSCAN_KEYS> {
    static constexpr int ROWS = 16, BLOCKS = 3;
};
constexpr int LSCAN_BLOCK = 128;

/* KEYS32: columns of a block. */
constexpr int LSCAN_BASE_COLUMNS = 32;

constexpr int LSCAN_QUAD = 4; /* letters that are read at once */

/* @return where the bases of blocks are in a line: behind the columns, and those that are
 *         read ahead */
CUDA_BOTH constexpr long long lscan_bases_at(long long n_columns)
{
    return n_columns + LSCAN_QUAD;
}

/* @return entries of a line. @param n_columns  a multiple of LSCAN_QUAD */
CUDA_BOTH constexpr long long lscan_line_len(long long n_columns)
{
    return lscan_bases_at(n_columns) + n_columns / LSCAN_BASE_COLUMNS + 1;
}

/* Columns of a segment, which is computed again for a CIGAR: of whole blocks. */
constexpr int LSCAN_SEGMENT = 64;

/* @return entries of a line that is kept for a CIGAR, which also has what the thread held
 *         in front of each segment */
template <int ROWS> CUDA_BOTH constexpr long long lscan_kept_len(long long n_columns)
{
    return lscan_line_len(n_columns) + (n_columns / LSCAN_SEGMENT + 1) * (ROWS + 1);
}

/* @return the same of a line between squares, which has that of all strips of the squares
 *         above it, in front of each of them */
template <int ROWS>
CUDA_BOTH constexpr long long lscan_square_len(long long n_columns, int square)
{
    return lscan_line_len(n_columns) +
           square / ROWS * (n_columns / square + 1) * (ROWS + 1);
}

/* Bits of a cell's way back, and rows of a word of them. */
constexpr int LSCAN_BACK_BITS = 4, LSCAN_BACK_ROWS = 32 / LSCAN_BACK_BITS;

/* Entries of a table of scores: byte of the row * ALPHABET_SIZE + that of the column, as
 * cuda_set_t has them.  0 is a pad, and under two-valued scoring a letter that matches
 * nothing. */
constexpr int LSCAN_TABLE = ALPHABET_SIZE * ALPHABET_SIZE;

/* A key, or a score alone. */
using lscan_key_t = std::conditional<CUDA_FAST_DOUBLES != 0, double, long long>::type;
constexpr int LSCAN_KEY_BITS = 53; /* with a sign, so that a double holds a key */

/* What two pairs of 16 bits are computed with, the same in both halves. */
struct lscan_words_t {
    unsigned open, extend;
};

/* Steps of keys. */
template <typename KEY> struct lscan_keys_t {
    KEY open, extend;
    const KEY *steps; /* [LSCAN_TABLE] */
};

/* Of a kind whose keys count from bases, which are multiples of 2^shift. */
struct lscan_bases_t {
    int shift;
    int corner; /* H of a corner, counted from its block's base */
};

/* TRACED32: key = score_weight score + match_weight matches - columns, and what proves
 * that the numbers of the path with the greatest key are the best ones. */
struct lscan_traced_t {
    int64_t score_weight, match_weight; /* 0: no such pairs */
    int64_t max_column;                 /* maximum score of a match; 0: no bound */
    int64_t min_cost;                   /* of each other column; 0: no bound */
};

struct lscan_layout_t {
    int64_t max_score;  /* of a pair of 16 bits; < 0: no such pairs */
    int64_t max_column; /* maximum score of a column, at least 1 */
    nw_key_t key, key32;
    int64_t max_len32; /* of a sequence in KEYS32; 0: no such pairs */
    lscan_traced_t traced;
    lscan_bases_t bases32, traced_bases;
};

/* The steps of a layout. */
struct lscan_steps_t {
    signed char scores[LSCAN_TABLE];
    long long keys[LSCAN_TABLE];
    int keys32[LSCAN_TABLE], traced[LSCAN_TABLE];
};

/* CIGARs. */
struct lscan_cigars_t {
    const int *rank; /* [n_sequences] the order of nw_reference_query_is_rows; NULL: there
                      * are no CIGARs */
    fraction_t min_overlap;
    unsigned column_ops;          /* cuda_cigar_column_ops */
    const long long *trace_start; /* these three: of cuda_cigar_t */
    long long *n_runs;
    uint32_t *runs;     /* NULL: there are no CIGARs */
    unsigned *doubtful; /* [*n_doubtful] out: pairs of TRACED32 that are not proved */
    int *n_doubtful;
};

struct lscan_launch_t {
    cuda_set_t set;
    const pair_t *pairs;   /* [n] */
    const unsigned *order; /* pairs by kind, similar ones together */
    const int *n_of_kind;  /* [LSCAN_KINDS] */
    int *next;             /* [LSCAN_KERNELS] how many pairs have been taken */
    void *lines;           /* [warps][line_len][32] entries of a thread */
    long long line_len;    /* lscan_line_len; for CIGARs lscan_kept_entries */
    int square;            /* rows and columns of a square of LSCAN_HAS_SQUARES */
    int n_letters;         /* bytes of the set are less than this, a multiple of 4 */
    lscan_words_t words;
    nw_key_t key, key32;
    lscan_keys_t<long long> keys;
    lscan_keys_t<int> keys32, keys_traced;
    lscan_bases_t bases32, traced_bases;
    lscan_traced_t traced;
    const signed char *scores; /* [LSCAN_TABLE]; of 16 bits */
    int *score;                /* [n] out */
    int *matches, *columns;    /* [n] out; NULL: only scores */
    lscan_cigars_t cigars;
};

/* @return whether a kernel holds pairs of at most m and n letters */
bool lscan_holds(const align_spec_t *spec, int64_t m, int64_t n);

/*
 * Choose the layout for pairs of at most len letters, which lscan_holds.
 */
void lscan_layout(const align_spec_t *spec, int64_t len, lscan_layout_t *out,
                  lscan_steps_t *steps);

/* Choose the layout of TRACED32. @param bits  of a key; 32, but tests have fewer proved
 */
void lscan_layout_traced(const align_spec_t *spec, int64_t len, int bits,
                         lscan_layout_t *out, lscan_steps_t *steps);

/* Fill in the layout of a launch, but for its tables. */
void lscan_launch_set(const align_spec_t *spec, const lscan_layout_t &layout,
                      lscan_launch_t *launch);

/* @return bytes that a thread keeps of a column: H and F of a row */
constexpr size_t lscan_line_bytes(int kind)
{
    return kind == LSCAN_KEYS ? 16 : 8;
}

/* Entries of a thread for the bits of a segment. */
template <int KIND>
constexpr int LSCAN_BACK_ENTRIES =
    static_cast<int>(LSCAN_SEGMENT *lscan_tuning_t<KIND>::ROWS *LSCAN_BACK_BITS / 8 /
                     lscan_line_bytes(KIND));

/* @return entries for the lines of a square */
template <int ROWS> CUDA_BOTH constexpr long long lscan_square_entries(int square)
{
    return (square / ROWS + 1) * lscan_kept_len<ROWS>(square);
}

/* Kinds of long sequences keep fewer lines than one per strip: the cells that a path
 * crosses are computed again first square by square, of which all lines are kept, and
 * then segment by segment. */
template <int KIND>
constexpr bool LSCAN_HAS_SQUARES = KIND == LSCAN_KEYS || LSCAN_IS_TRACED<KIND>;
constexpr int LSCAN_SQUARE_MIN = 256, LSCAN_SQUARE_MAX = 1024; /* powers of two */

/* @return entries of a thread that makes CIGARs: the bits of a segment, the line above
 *         the first row, and the last ones of strips, or those of squares and of one
 *         square's strips
 * @param n_rows, n_columns  with pads
 * @param square             of LSCAN_HAS_SQUARES */
template <int KIND>
CUDA_BOTH constexpr long long lscan_kept_entries(long long n_rows, long long n_columns,
                                                 int square)
{
    constexpr int ROWS = lscan_tuning_t<KIND>::ROWS;

    if (!LSCAN_HAS_SQUARES<KIND>)
        return LSCAN_BACK_ENTRIES<KIND> +
               (n_rows / ROWS + 1) * lscan_kept_len<ROWS>(n_columns);
    return LSCAN_BACK_ENTRIES<KIND> + lscan_square_entries<ROWS>(square) +
           ((n_rows + square - 1) / square + 1) *
               lscan_square_len<ROWS>(n_columns, square);
}

/* @return the same for any pair that a kernel takes, of sequences of at most max_len
 *         letters */
long long lscan_max_kept_entries(int kind, int64_t max_len, int square);

/* @return shared memory of a block, in bytes, besides that of fixed size */
size_t lscan_shared_bytes(int kind, int n_letters);

/* Count the blocks of a kind's kernel that a device holds at the same time; 0 if a block
 * needs more shared memory than one may have. @param traces  whether it makes CIGARs */
status_t lscan_blocks(int kind, bool traces, int n_letters, const device_t *device,
                      int *out);

/* Enqueue the kernel of a kind, for the pairs that the plan lists as such, with CIGARs if
 * the launch has them. */
status_t lscan_run(int kind, const lscan_launch_t &launch, int n_blocks,
                   cudaStream_t stream);
