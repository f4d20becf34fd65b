/*
 * affine_layout.cuh - cells of alignments with affine gaps, or with priced ends, in
 * ascan, the arguments of their kernels, and batches of pairs.
 *
 * A cell has three values (nw_reference.h): H, E and F.  They are normalised as in
 * cell_layout.h, h(i,j) = H(i,j) + c (i + j), but here c is the smallest number such that
 * no step of a diagonal, of a gap behind its first base, or of a terminal gap behind its
 * first base is negative:
 *
 *    diagonal             A = match + 2c or B = mismatch + 2c
 *    a gap's first base   o = c + gap_open      further ones  d = c + gap >= 0, d >= o
 *    terminal gaps of k   offset + slope k,     slope = c + end extend >= 0,
 *                                               offset = end open - end extend <= 0
 *
 * A path of a terminal gap and one gap leads to every cell, so h >= offset + min(o, 0).
 * (In a last row or column where terminal gaps run, one of these paths or a diagonal step
 * does.)  With a bias of 1 + d - offset - 2 min(o, 0) every h + o is greater than d, and
 * 0 stands for "no path" in E and F: 0 + d is less than the first base of any gap.
 *
 * Kinds (rscan_layout.cuh):
 *
 *  - SCORE2: scores of two pairs, 16 bits each.
 *  - SETS:   the score of one pair in 32 bits; both sequences may have ambiguity codes.
 *  - SETS64: the same with matches M and, in the lowest field, Q: diagonal steps and the
 *            bases of terminal gaps that are no columns.  Since columns = m + n - Q, the
 *            greatest key is the canonical alignment.  It has less than 53 bits, so that
 *            a double holds it: on GPUs with as many units for these, they compare and
 *            add keys faster than integers.
 *  - KEY:    score, matches and a tie break T of one pair in 32 bits.  T is T0 + Q - R,
 *            not less than 0, where R is about the greatest Q that a path may have.  See
 *            below.
 *  - KEY_TIES: the same, where scores and matches have bits for unlike sequences only,
 *            and T has the others.  See below.
 *
 * KEY.  Let P(i, j) be i with counted ends, and else max(i, j).  No path to a cell has Q
 * > P: a path that skips s columns in front has Q = s + D <= j, D <= i, and so on.  In a
 * step down or to the right P does not fall and Q stays as it is; in a diagonal step both
 * grow by one.  So P - Q never falls along a path.  A thread's rows are cut into blocks
 * of AFFINE_TIE_COLUMNS columns.  R is P in the corner of a block, behind the last row
 * and column in front of it (with counted ends, the rows alone form a block).  Between
 * blocks R grows, T falls by as much, and is limited to 0.
 *
 * A path that has been limited once has T <= P - R from then on.  That holds when it is
 * limited, since P >= R.  In a diagonal step both sides grow by one, in other steps P may
 * grow, and between blocks T falls as much as P - R, or to 0.  Before it is limited a
 * path has T = T0 + Q - R.  So if the best path ends with T > P - R, it was never
 * limited, its T is exact, and P - Q < T0 holds there and in all cells before.  Therefore
 * T > P - R in these cells, and no limited path has won a tie against it; nor against any
 * better path, whose P - Q is even less.  Q follows from T.
 *
 * The same holds for every comparison along that path, so it can be traced.
 *
 * Of a limited path T, and with it the Q that T stands for, is too large, never too
 * small. So where ends are compared by score, matches and Q and an exact one wins, it is
 * the best one.  Otherwise the pair is doubtful and is aligned again as SETS64.  Within a
 * block P - R is at most its rows or columns, of which T has to have room for besides T0.
 * None of this depends on what columns score, so it holds for any matrix.
 *
 * KEY_TIES.  Sequences of different lengths, such as genes of different families, have
 * long gaps, for which T has too few bits in KEY.  But if they match in less than about
 * half of their bases, h and M need fewer.  Whether they do is not known before.  So a
 * thread notes the maxima of h and M in the last one of the rows that it holds at a time.
 * A path to any cell of the next rows comes from there, or from a border.  Then it has at
 * most as many diagonal steps as there are rows, and what gaps add is bounded by their
 * lengths.  So while these maxima are at most h_max and m_max, no field overflows in the
 * next rows; and the first maximum beyond them, which no overflow has falsified yet,
 * makes the pair doubtful.
 *
 * Kinds whose steps come from a table by the bases of row and column, for any matrix:
 *
 *  - TABLE32:     the score of one pair.
 *  - TABLE_KEY:   keys as in SETS64.
 *  - TABLE64:     the same of up to 62 bits, for tiled-dscan.
 *  - TABLE_KEY32: keys as in KEY; both sequences may have ambiguity codes.
 *
 *  - COMMON2:   as SCORE2, where the rows of all pairs of a warp are one sequence, and no
 *               sequence has codes (cuda_common.cuh).
 *  - GUARD2, GUARD_SETS:  as SCORE2 and SETS, with marks, in bands that prove themselves
 *               (affine_guard.cuh).
 *  - GUARD_CODES:  as GUARD2; both sequences may have codes, which score the same beside
 *               any letter, as those that are neutral.
 *
 * Under a matrix ascan has TABLE32 in place of SETS, and TABLE_KEY in place of SETS64.
 * Where 32 bits hold the longest pair, TABLE_KEY32 comes before SETS64 or TABLE_KEY.
 * SCORE2 and KEY, whose rows have no codes, look up four steps by the base of the column
 * anyway, and so take any scoring.
 */
#pragma once

#include "kernels/align/bscan/band_flank.cuh"
#include "kernels/align/rscan/rscan_layout.cuh"

extern "C" {
#include "kernels/align/common/score_band.h"
}

enum affine_table_kind_t {
    AFFINE_TABLE32 = RSCAN_KINDS,
    AFFINE_TABLE_KEY,
    AFFINE_TABLE64,
    AFFINE_TABLE_KEY32,
    AFFINE_COMMON2,
    AFFINE_GUARD2,
    AFFINE_GUARD_SETS,
    AFFINE_GUARD_CODES
};

/* Kinds whose keys have a tie break. */
template <int KIND>
constexpr bool AFFINE_HAS_TIES =
    KIND == RSCAN_KEY || KIND == RSCAN_KEY_TIES || KIND == AFFINE_TABLE_KEY32;

/* Entries of a table of steps, at row base * table_stride + column base.  The strides are
 * odd, so that the rows begin in different banks of shared memory; that of DNA has room
 * for PAD_LETTER. */
enum {
    AFFINE_STRIDE_DNA = DNA_SIZE + 1,
    AFFINE_STRIDE = PROTEIN_SIZE + 1,
    AFFINE_TABLE_DNA = DNA_SIZE * AFFINE_STRIDE_DNA,
    AFFINE_TABLE = PROTEIN_SIZE * AFFINE_STRIDE
};

/* Rows that a thread holds at a time, and blocks per multiprocessor that the kernels are
 * compiled for. */
template <int KIND> struct affine_tuning_t {
    static constexpr int ROWS = 24, BLOCKS = 3;
};
template <> struct affine_tuning_t<RSCAN_SETS64> {
    static constexpr int ROWS = 16, BLOCKS = 3;
};
template <> struct affine_tuning_t<AFFINE_TABLE_KEY> {
    static constexpr int ROWS = 16, BLOCKS = 3;
};
constexpr int AFFINE_ROWS_MAX = 32;
/* The same where a warp sweeps a pair (affine_lane.cuh), and rows of all its lanes. */
constexpr int AFFINE_LANE_ROWS = 8, AFFINE_STRIP = 32 * AFFINE_LANE_ROWS;

/* KEY: columns of a block, a multiple of those whose bases are read at once. */
constexpr int AFFINE_TIE_COLUMNS = affine_tuning_t<RSCAN_KEY>::ROWS;

/* Terminal gaps against bases of the rows, or of the columns. */
struct affine_side_t {
    bool ends;     /* free or priced: they run along the last column, or row */
    int64_t slope; /* in units of a cell */
};

/* Columns of two bases of DNA, by the bytes of cuda_set_t: row * DNA_SIZE + column. */
struct affine_columns_t {
    int step[DNA_SIZE * DNA_SIZE]; /* of h, in scores */
    unsigned is_match[DNA_SIZE * DNA_SIZE / 32];
};

struct affine_layout_t {
    affine_columns_t columns;
    int64_t c, bias;        /* in scores */
    int64_t offset;         /* of terminal gaps that are free or priced, in scores */
    int64_t counted_offset; /* of those that are counted */
    int m_shift, h_shift;   /* where M and h begin; 0: only h is held */
    int64_t h_max, m_max;   /* KEY_TIES: of a row, so that the next ones hold */
    int tie_first;          /* T0 of KEY */
    bool tie_columns;       /* KEY: blocks are cut after some columns */
    int table_stride;       /* entries per row of a table of steps */
    affine_side_t sides[2]; /* gaps against the rows' bases, and the columns' */
    /* in units of a cell */
    int64_t extend, open;
    int64_t match, mismatch; /* the best and the worst column; two values: of these */
};

/* A border behind k > 0 bases: base + slope k. */
template <typename WORD> struct affine_border_t {
    WORD base, slope;
};

/* The layout in words of a kind. */
template <typename WORD> struct affine_words_t {
    WORD extend, open, match, mismatch; /* in every lane */
    WORD open_lanes; /* the same as `open`, without what one lane borrows from the next */
    /* in one lane: */
    WORD corner, two_gaps; /* the cell in front of all bases; the base of two gaps */
    WORD no_gap; /* what an end in the corner adds, so that `offset` is left out */
    WORD beside; /* H beside a band: less than that of any path */
    affine_border_t<WORD> sides[2];
};

struct affine_launch_t {
    rscan_launch_t rounds; /* only what rscan_packed.cuh reads, bands, and results: w of
                            * proved bands goes to band_w, and pairs that need another
                            * round are listed in `retry` */
    affine_layout_t layout;
    score_band_t score_band;
    int flank_words; /* at the end of a line: words of each flank (affine_guard.cuh) */
    affine_words_t<unsigned> words32;
    affine_words_t<unsigned long long> words64;
    affine_words_t<double> words_double;
};

/* @return whether a launch finds scores, which prove the bands of the next round */
CUDA_BOTH inline bool affine_finds_scores(const affine_launch_t &p)
{
    return p.rounds.variant.bands == RSCAN_BANDS_FIRST ||
           p.rounds.variant.bands == RSCAN_BANDS_FIRST_OR_SCORES;
}

/* @return whether gaps are extended at no cost: then cells need one sum less */
CUDA_BOTH inline bool affine_extends_free(const affine_layout_t &layout)
{
    return layout.extend == 0;
}

/* @return the kind of ascan's kernel for pairs that the plan lists as a kind */
int affine_kernel_kind(int kind, const align_scoring_t *s);

/* @return the same for scores in guarded bands, or the kind if it has none */
int affine_guard_kind(int kind, const align_scoring_t *s);

/*
 * Choose the layout of a kind for pairs of at most len bases.
 *
 * @return false: there is none
 */
bool affine_layout(int kind, const align_spec_t *spec, int64_t len, affine_layout_t *out);

/* @return for a layout of KEY_TIES: pairs of m and n bases whose score is about this less
 *         c (m + n) probably are not too similar for it */
int64_t affine_ties_score(const affine_layout_t &layout);

/* @return the maximum bases of a sequence, up to len, that a kind has a layout for; 0:
 * none; not of KEY_TIES, which short sequences have no layout of either */
int affine_limit(int kind, const align_spec_t *spec, int len);

/*
 * Fill in the steps of a table.
 *
 * @param out  [AFFINE_TABLE] by the bytes of cuda_set_t, which are sets of bases under
 *             two-valued scoring, and else codes
 */
void affine_table(const align_spec_t *spec, const affine_layout_t &layout, int64_t *out);

/* @return which ends are free or priced, for what launches of both layouts share */
cell_layout_t affine_cell_layout(const affine_layout_t &layout);

/* Fill in the layout of a launch, and what follows from it.
 * @param kind  of the kernel */
void affine_launch_set(int kind, const affine_layout_t &layout, affine_launch_t *launch);

/* Count the blocks of a kind's kernel that a device holds at the same time. */
status_t affine_blocks(int kind, const device_t *device, int *out);

/* Enqueue the kernel of a kind (affine_kernel_kind), for pairs that the plan lists as
 * kind rounds.kind.
 * @param launch  its lines are affine_line_bytes per thread and column */
status_t affine_run(int kind, const affine_launch_t &launch, int n_blocks,
                    cudaStream_t stream);

/* The same with one pair per warp and without bands.  @param launch  of TABLE_KEY */
status_t affine_warp_run(const affine_launch_t &launch, int n_blocks,
                         cudaStream_t stream);

struct rscan_trace_launch_t;

/* Count the blocks of a tracing kernel, of TABLE_KEY or TABLE_KEY32, that a device holds
 * at the same time. */
status_t affine_trace_blocks(int kind, const device_t *device, int *out);

/* Enqueue: sweep the bands of pairs whose results are known, and trace
 * (rscan_trace_launch.cuh).
 * @param layout  of the kind; the directions of a column are two words */
status_t affine_trace_run(int kind, const rscan_trace_launch_t &trace,
                          const affine_layout_t &layout, int n_blocks,
                          cudaStream_t stream);

/* @return bytes that a thread keeps of a column: H and F of a row */
constexpr size_t affine_line_bytes(int kind)
{
    return kind == RSCAN_SETS64 || kind == AFFINE_TABLE_KEY ? 16 : 8;
}

/* @return words at the end of a line for one flank of pairs of at most len bases */
constexpr int affine_flank_words(int len)
{
    return len / FLANK_ROWS + 3;
}
