/*
 * affine_flank.cuh - the flanks of the bands of a thread's pairs (band_flank.cuh): their
 * masks and words, and how cells pass from the band to a flank and back.
 *
 * A thread has the changes of L in the row above its rows in memory, one bit per column
 * and pair: those of the left flank in words that end where the first columns of the band
 * end, and then every FLANK_ROWS columns; those of the right flank in words that begin
 * likewise.
 */
#pragma once

#include "kernels/align/affine/affine_sweep.cuh"

namespace
{

constexpr int GUARD_ROWS = FLANK_ROWS;
static_assert(GUARD_ROWS % QUAD == 0, "words of columns end behind a quad");

using guard_line_t = affine_line_t<unsigned>;
template <int KIND> using guard_thread_t = affine_thread_t<KIND, GUARD_ROWS>;

/* Which lanes of a word hold values of the first pair, and of the second one. */
template <int KIND> constexpr unsigned GUARD_FIRST = AFFINE_TWO<KIND> ? 0xffffu : ~0u;
template <int KIND> constexpr unsigned GUARD_BOTH = AFFINE_TWO<KIND> ? 0x10001u : 1u;

/* Where a thread keeps what, passed by value so that the compiler knows the kinds of
 * memory. */
struct guard_memory_t {
    unsigned *masks;            /* of the lane: FLANK_STRIDE apart, by letter */
    guard_line_t *line;         /* [n_columns + QUAD], `stride` apart, as all of these */
    guard_line_t *left, *right; /* [affine_flank_words]: of both pairs */
    int stride;
};

/* What the flanks of a thread's pairs need.  Values of both pairs are packed in words of
 * 16 bits; `match` is A. */
struct guard_t {
    int low, high; /* the warp's diagonals, including pads, beyond which flanks end */
    int left_from, right_to; /* columns that the next rows' flanks need, at most */
    int target[2];    /* a cell with less in all is dead; AFFINE_NO_TARGET: none is */
    bool complete[2]; /* no flank of the pair is left out */
    int inner_low, inner_high; /* of the inner band, as low and high of packed_pairs_t */
    unsigned inner_mark;       /* in each lane; 0: there is no inner band */
    unsigned match;
    int first_to; /* the end of the first rows' columns */
    /* h0 + A L in the row above the thread's rows: in the border, in the last column of
     * the left flank, and in the last one of the band */
    unsigned border, before, behind;
    flank_border_t rows[2]; /* the left border */
};

/* Add A to the values of pairs. @param first, second  0 or 1 */
template <int KIND>
CUDA_BOTH inline unsigned guard_add(const guard_t &g, unsigned value, unsigned first,
                                    unsigned second)
{
    return value + (AFFINE_TWO<KIND> ? first | second << 16 : first) *
                       (g.match & GUARD_FIRST<KIND>);
}

/* @return the terminal gaps along a border of a pair */
template <int KIND>
CUDA_BOTH inline flank_border_t guard_border(const affine_launch_t &p,
                                             const affine_pairs_t &pairs, affine_of_t of)
{
    const affine_border_t<unsigned> &side = affine_side<KIND>(p, pairs, of);

    return flank_border_t{static_cast<int>(side.slope),
                          static_cast<int>(side.base - p.words32.corner),
                          static_cast<int>(p.layout.match)};
}

/* @return the mark of values that come from a flank, in one lane */
CUDA_BOTH inline unsigned guard_mark(const affine_launch_t &p)
{
    return (1u << p.layout.h_shift) - 1;
}

/* @return whether a lower bound of each pair's score is known (sscan_batch.cuh) */
CUDA_BOTH inline bool guard_has_bounds(const affine_launch_t &p)
{
    return p.rounds.variant.bands == RSCAN_BANDS_FIRST_OR_SCORES;
}

/* @return a score that the pair has at least; 0 where none is known */
CUDA_BOTH inline int guard_bound(const affine_launch_t &p, const padded_pair_t &pair)
{
    return guard_has_bounds(p) ? p.rounds.score[pair.index] : 0;
}

/* w of the first band divided by that of the inner one. */
constexpr int GUARD_INNER = 4;

/* Choose the band of a warp from those of its pairs, how far the flanks go, and the inner
 * band.
 * @param packed  out: low, high
 * @param g       out: low, high, complete, and what the inner band is */
template <int KIND>
CUDA_BOTH inline void guard_choose_columns(const affine_launch_t &p,
                                           packed_pairs_t *packed, guard_t *g)
{
    affine_set_band<kind_t<KIND>::PAIRS, GUARD_ROWS>(p.rounds, packed);
    packed->low = affine_warp_max(packed->low);
    packed->high = affine_warp_max(max(packed->high, 0)); /* all rows have columns */
    g->low = packed->low;
    g->high = packed->high;
    g->inner_low = -RSCAN_NO_BAND;
    g->inner_high = 0;
    g->inner_mark = p.layout.h_shift > 1 && !is_unbanded(*packed) ? GUARD_BOTH<KIND> : 0;
    for (int i = 0; i < kind_t<KIND>::PAIRS; i++) {
        const padded_pair_t &pair = packed->pairs[i];
        const int shift = pair.row_pads - pair.column_pads;
        const int w =
            score_band_proved(&p.score_band, pair.m, pair.n, guard_bound(p, pair));

        const int inner_w = p.rounds.band_w[pair.index] / GUARD_INNER;

        g->inner_low = max(g->inner_low, inner_w + max(pair.m - pair.n, 0) + shift);
        g->inner_high = max(g->inner_high, inner_w + max(pair.n - pair.m, 0) - shift);
        g->complete[i] = w < 0 || is_unbanded(*packed);
        g->low =
            max(g->low, w < 0 ? packed->n_rows : w + max(pair.m - pair.n, 0) + shift);
        g->high =
            max(g->high, w < 0 ? packed->n_columns : w + max(pair.n - pair.m, 0) - shift);
    }
    g->low = affine_warp_max(g->low);
    g->high = affine_warp_max(g->high);
    g->inner_low = affine_warp_max(g->inner_low);
    g->inner_high = affine_warp_max(g->inner_high);
}

/* Let no cells be dead yet. */
template <int KIND>
CUDA_BOTH inline void guard_start_alive(const affine_launch_t &p,
                                        const packed_pairs_t &packed, guard_t *g)
{
    g->left_from = 0;
    g->right_to = packed.n_columns;
    for (int i = 0; i < kind_t<KIND>::PAIRS; i++) {
        const padded_pair_t &pair = packed.pairs[i];

        g->target[i] = AFFINE_NO_TARGET;
        if (!guard_has_bounds(p))
            continue;
        g->target[i] = (guard_bound(p, pair) +
                        static_cast<int>(p.layout.bias + p.layout.c * (pair.m + pair.n)))
                       << p.layout.h_shift;
        g->complete[i] = false;
    }
}

/* @return by how much a value of pair i exceeds what a cell needs not to be dead
 * @param rest  what follows the cell at most */
template <int KIND>
CUDA_BOTH inline int guard_over(const guard_t &g, unsigned value, int i, int rest)
{
    return static_cast<int>(value >> (16 * i) & (GUARD_FIRST<KIND>)) + rest - g.target[i];
}

/* Fill in the masks of letters that are not one base, and of pads.  They may match pads
 * of the rows, too, which only makes bounds higher. */
template <int KIND>
CUDA_BOTH inline void guard_fill_masks(const affine_launch_t &p, unsigned *masks)
{
    for (unsigned letter = 0; letter < FLANK_LETTERS; letter++) {
        bool may_match = false;

        for (unsigned base = 1; base < DNA_SIZE && letter < FLANK_PAD; base *= 2)
            may_match = may_match || p.layout.columns.step[base * DNA_SIZE + letter] > 0;
        for (int i = 0; i < kind_t<KIND>::PAIRS; i++)
            masks[letter * FLANK_STRIDE + i * FLANK_LANES] =
                may_match ? ~0u << FLANK_FIRST_BIT : 0;
    }
}

/* Fill in the masks of the four bases for the rows from row0 on.  Codes that are neutral
 * add to a cell beside any base. */
template <int KIND>
CUDA_BOTH inline void guard_fill_rows(const packed_pairs_t &packed, int row0,
                                      guard_memory_t memory)
{
    for (int i = 0; i < kind_t<KIND>::PAIRS; i++) {
        unsigned rows[4] = {};

        CUDA_UNROLL
        for (int r = 0; r < GUARD_ROWS; r += 4) {
            const unsigned bases = row_letters(packed, i, row0 + r);
            const unsigned letters =
                KIND == AFFINE_GUARD_CODES ? bases | affine_codes_of(bases) : bases;

            CUDA_UNROLL
            for (int base = 0; base < 4; base++)
                rows[base] |= flank_rows_with(letters, base) << (FLANK_FIRST_BIT + r);
        }
        CUDA_UNROLL
        for (int base = 0; base < 4; base++)
            memory.masks[(1 << base) * FLANK_STRIDE + i * FLANK_LANES] = rows[base];
    }
}

/* The letters of the columns of a flank, which are read ahead. */
template <int KIND> struct guard_letters_t {
    columns_t columns;
    int n_columns;
    unsigned next[kind_t<KIND>::PAIRS];
};

/* @return the letters of four columns of a pair; FLANK_PAD for pads
 * @tparam PADS  whether the columns may be pads */
template <int KIND, bool PADS>
CUDA_BOTH inline unsigned guard_letters(const guard_letters_t<KIND> &l, int which,
                                        int column)
{
    const int at = min(column, l.n_columns - QUAD), pads = l.columns.pads[which] - at;

    if (!PADS || pads <= 0)
        return four_letters(l.columns.at[which] + at);
    const unsigned mask = pads >= QUAD ? ~0u : (1u << (8 * pads)) - 1;

    return (read_letters(l.columns, which, at) & ~mask) |
           (0x01010101u * FLANK_PAD & mask);
}

/* @return the letters from a column on */
template <int KIND>
CUDA_BOTH inline guard_letters_t<KIND> guard_start_letters(const packed_pairs_t &packed,
                                                           int column)
{
    guard_letters_t<KIND> l = {columns_of(packed), packed.n_columns, {}};

    for (int i = 0; i < kind_t<KIND>::PAIRS; i++)
        l.next[i] = guard_letters<KIND, true>(l, i, column);
    return l;
}

/* @tparam PADS  whether the columns, or the first one behind them, may be pads */
template <int KIND, bool PADS>
CUDA_BOTH inline void guard_sweep_letters(guard_memory_t memory, guard_letters_t<KIND> &l,
                                          int column, int n, guard_line_t *level,
                                          guard_line_t *word)
{
    constexpr int PAIRS = kind_t<KIND>::PAIRS;
    unsigned above[2] = {word->h << (32 - n), word->f << (32 - n)}, below[2] = {0, 0};

    static_assert(FLANK_STRIDE * sizeof(unsigned) == 256, "a letter is byte 1");
    CUDA_NO_UNROLL
    for (int j = QUAD; j <= n; j += QUAD) {
        unsigned letters[PAIRS];

        for (int i = 0; i < PAIRS; i++) {
            letters[i] = l.next[i];
            l.next[i] = guard_letters<KIND, PADS>(l, i, column + j);
        }
        CUDA_UNROLL
        for (unsigned k = 0; k < QUAD; k++)
            for (int i = 0; i < PAIRS; i++) {
                const char *masks =
                    reinterpret_cast<const char *>(memory.masks + i * FLANK_LANES);
                const unsigned at = cuda_permute(letters[i], 0, 0x4404u + (k << 4));

                flank_step(i == 0 ? level->h : level->f,
                           *reinterpret_cast<const unsigned *>(masks + at), above[i],
                           below[i]);
            }
    }
    *word = {below[0], below[1]};
}

/*
 * Sweep n columns of a flank, a multiple of QUAD and at most FLANK_ROWS.
 *
 * @param l      the letters from the first column on; out: from behind the last one
 * @param level  out: behind the last column
 * @param word   changes of L in the row above, the first column's in bit n - 1; out: in
 *               the last row
 */
template <int KIND>
CUDA_BOTH inline void guard_sweep_word(guard_memory_t memory, guard_letters_t<KIND> &l,
                                       int column, int n, guard_line_t *level,
                                       guard_line_t *word)
{
    if (column < l.columns.max_pads)
        guard_sweep_letters<KIND, true>(memory, l, column, n, level, word);
    else
        guard_sweep_letters<KIND, false>(memory, l, column, n, level, word);
}

/* Bound a run of cells, the first n of which have values, by h0 + A L.
 * @param value  [GUARD_ROWS] of both pairs; out: garbage
 * @param q      of the cell in front of them; out: of the last one
 * @return the changes of L, of the first cell in bit 0 */
template <int KIND>
CUDA_BOTH inline guard_line_t guard_enter(const guard_t &g, unsigned *value, int n,
                                          unsigned *q)
{
    guard_line_t changes = {0, 0};

    CUDA_UNROLL
    for (int k = GUARD_ROWS - 2; k >= 0; k--)
        if (k < n - 1)
            value[k] = affine_add_max<KIND>(value[k], g.match, value[k + 1]) - g.match;
    CUDA_UNROLL
    for (int k = 0; k < GUARD_ROWS; k++)
        if (k < n) {
            const unsigned grown = affine_max<KIND>(value[k], *q) ^ *q;
            const unsigned first = (grown & GUARD_FIRST<KIND>) != 0;
            const unsigned second = AFFINE_TWO<KIND> && grown >> 16 != 0;

            *q = guard_add<KIND>(g, *q, first, second);
            changes.h |= first << k;
            changes.f |= second << k;
        }
    return changes;
}

/* Let columns that the band leaves, before .. from - 1, join the left flank.  The row
 * above the thread's rows is the last one in which they were swept. */
template <int KIND>
CUDA_BOTH inline void guard_leave_columns(guard_memory_t memory, int before, int from,
                                          guard_t *g)
{
    const int n = from - before, k = (from - 1) / FLANK_ROWS; /* k: their word */
    unsigned value[GUARD_ROWS], q = before == 0 ? g->border : g->before;

    CUDA_UNROLL
    for (int i = 0; i < GUARD_ROWS; i++)
        if (i < n)
            value[i] = memory.line[static_cast<long long>(before + i) * memory.stride].h;
    const guard_line_t changes = guard_enter<KIND>(*g, value, n, &q);

    memory.left[k * memory.stride] = {flank_reverse(changes.h) >> (32 - n),
                                      flank_reverse(changes.f) >> (32 - n)};
    g->before = q;
}

/* @return of the rows from row0 on, which of the left border have the L of the row above;
 *         the border moves on to the last one */
template <int KIND>
CUDA_BOTH inline guard_line_t guard_border_rows(const packed_pairs_t &packed, int row0,
                                                guard_t *g)
{
    unsigned level[2] = {~0u, ~0u};

    for (int i = 0; i < kind_t<KIND>::PAIRS; i++)
        if (g->rows[i].slope > 0) {
            CUDA_NO_UNROLL
            for (int r = 0; r < GUARD_ROWS; r++)
                if (row0 + r >= packed.pairs[i].row_pads)
                    level[i] &= ~(flank_border_next(g->rows[i]) << (FLANK_FIRST_BIT + r));
        }
    g->border =
        guard_add<KIND>(*g, g->border, flank_count(~level[0]), flank_count(~level[1]));
    return {level[0], level[1]};
}

/* @return the first column of the left flank that may matter to the rows from row0 on */
CUDA_BOTH inline int guard_left_start(const guard_t &g, int row0)
{
    return max(max(row0 - g.low, 0), g.left_from);
}

/* Sweep the left flank, up to column from - 1.
 * @param border  guard_border_rows
 * @return the levels in that column */
template <int KIND>
CUDA_BOTH inline guard_line_t guard_sweep_left(guard_memory_t memory,
                                               const packed_pairs_t &packed, int row0,
                                               int from, guard_line_t border,
                                               const guard_t &g)
{
    const int n_first = (from - 1) % FLANK_ROWS + 1;
    const int n_words = (from - n_first) / FLANK_ROWS + 1;
    const int start = guard_left_start(g, row0);
    const int k0 = start < n_first ? 0 : min((start - n_first) / FLANK_ROWS + 1, n_words);
    guard_line_t level = k0 == 0 ? border : guard_line_t{~0u, ~0u};
    guard_line_t next = memory.left[k0 * memory.stride]; /* behind the last: slack */
    int column = k0 == 0 ? 0 : n_first + (k0 - 1) * FLANK_ROWS;
    guard_letters_t<KIND> letters = guard_start_letters<KIND>(packed, column);

    for (int k = k0; k < n_words; k++) {
        const int n = k == 0 ? n_first : FLANK_ROWS;
        guard_line_t word = next;

        next = memory.left[(k + 1) * memory.stride];
        guard_sweep_word(memory, letters, column, n, &level, &word);
        memory.left[k * memory.stride] = word;
        column += n;
    }
    return level;
}

/* Set the values to the left of the band. @param level  in column from - 1 */
template <int KIND>
CUDA_BOTH inline void guard_set_left(const packed_pairs_t &packed, int from,
                                     guard_line_t level, guard_t *g,
                                     guard_thread_t<KIND> &s)
{
    const unsigned is_border = affine_mask<KIND>(from <= packed.pairs[0].column_pads,
                                                 from <= packed.pairs[1].column_pads);
    unsigned q = g->before;

    CUDA_UNROLL
    for (int r = 0; r < GUARD_ROWS; r++) {
        q = guard_add<KIND>(*g, q, flank_grows(level.h, r), flank_grows(level.f, r));
        s.h[r] = affine_pick<KIND>(is_border, s.h[r], q);
        s.e[r] = affine_pick<KIND>(is_border, s.e[r], q);
    }
    g->before = q;
}

/* Mark the values of a thread's column. @param mark  in each lane */
template <int KIND>
CUDA_BOTH inline void guard_mark_rows(unsigned mark, guard_thread_t<KIND> &s)
{
    s.diagonal |= mark;
    CUDA_UNROLL
    for (int r = 0; r < GUARD_ROWS; r++) {
        s.h[r] |= mark;
        s.e[r] |= mark;
    }
}

/* Mark columns of the line. @param mark  in each lane */
CUDA_BOTH inline void guard_mark_line(guard_memory_t memory, int from, int to,
                                      unsigned mark)
{
    CUDA_NO_UNROLL
    for (int j = from; j < to; j++) {
        guard_line_t *at = memory.line + static_cast<long long>(j) * memory.stride;

        at->h |= mark;
        at->f |= mark;
    }
}

/* Mark the paths to the left of the inner band, in strips that begin there.
 * @param from    of the strip's columns
 * @param before  of the inner band's, in the strip before; columns in front of it have
 *                been marked
 * @param inner   of the inner band's */
template <int KIND>
CUDA_BOTH inline void guard_mark_left(const packed_pairs_t &packed, guard_memory_t memory,
                                      int from, int before, int inner, const guard_t &g,
                                      guard_thread_t<KIND> &s)
{
    /* where all columns in front are pads, the border is in the inner band */
    const unsigned mark =
        g.inner_mark & affine_mask<KIND>(inner > packed.pairs[0].column_pads,
                                         inner > packed.pairs[1].column_pads);

    if (from < inner) {
        guard_mark_line(memory, max(from, before), inner, mark);
        guard_mark_rows<KIND>(mark, s);
    }
}

/* Mark the paths to the right of it that may come back to it in the next strip.
 * @param inner, to  the ends of the inner band's columns and of the strip's */
template <int KIND>
CUDA_BOTH inline void guard_mark_right(const packed_pairs_t &packed,
                                       guard_memory_t memory, int row0, int inner, int to,
                                       const guard_t &g)
{
    const int next = row0 + GUARD_ROWS;

    /* above its first row a pair has the border */
    guard_mark_line(memory, inner, min(inner + GUARD_ROWS, to),
                    g.inner_mark & affine_mask<KIND>(next > packed.pairs[0].row_pads,
                                                     next > packed.pairs[1].row_pads));
}

/* Find out which columns of the left flank have cells that are not dead, in the last one
 * of the rows from row0 on. @param from  its end */
template <int KIND>
CUDA_BOTH inline void guard_narrow_left(const affine_launch_t &p,
                                        const packed_pairs_t &packed,
                                        guard_memory_t memory, int row0, int from,
                                        guard_t *g)
{
    const int n_first = (from - 1) % FLANK_ROWS + 1;
    const int start = guard_left_start(*g, row0);
    const int slope = affine_slopes(p).e[1] << p.layout.h_shift;
    const int rest =
        (static_cast<int>(p.layout.match) - slope) * (packed.n_rows - row0 - GUARD_ROWS);
    unsigned q = g->before;
    int first = from;

    for (int j = from, k = (from - 1) / FLANK_ROWS; j > start; k--) {
        const guard_line_t word = memory.left[k * memory.stride];

        j -= k == 0 ? n_first : FLANK_ROWS; /* the word's first column */
        for (int i = 0; i < kind_t<KIND>::PAIRS; i++)
            if (guard_over<KIND>(*g, q, i, rest + slope * (packed.n_columns - j)) >= 0)
                first = j;
        q -= guard_add<KIND>(*g, 0, flank_count(word.h), flank_count(word.f));
    }
    g->left_from = max(g->left_from, -affine_warp_max(-first));
}

/* Let alignments end in the last row, in the left flank. @param from  its end */
template <int KIND>
CUDA_BOTH inline void guard_end_left(const affine_launch_t &p,
                                     const affine_pairs_t &pairs, guard_memory_t memory,
                                     int from, const guard_t &g, guard_thread_t<KIND> &s)
{
    const int n_columns = pairs.packed.n_columns;
    const int start = guard_left_start(g, s.row0);
    affine_untraced_t<true> trace;
    unsigned q = g.before;

    for (int j = from - 1, k = (from - 1) / FLANK_ROWS; j >= start; k--) {
        const guard_line_t word = memory.left[k * memory.stride];
        const int n = k == 0 ? j + 1 : FLANK_ROWS;

        CUDA_NO_UNROLL
        for (int i = 0; i < n; i++, j--) {
            affine_end<KIND, GUARD_ROWS, AFFINE_COLUMNS>(p, pairs, s, q,
                                                         n_columns - 1 - j, trace);
            q -= guard_add<KIND>(g, 0, word.h >> i & 1, word.f >> i & 1);
        }
    }
}

/* Let alignments end in the last column, in the right flank.
 * @param level  of that column
 * @param q      of it, in the thread's last row */
template <int KIND>
CUDA_BOTH inline void guard_end_right(const affine_launch_t &p,
                                      const affine_pairs_t &pairs, guard_line_t level,
                                      unsigned q, const guard_t &g,
                                      guard_thread_t<KIND> &s)
{
    affine_untraced_t<true> trace;

    CUDA_NO_UNROLL
    for (int r = GUARD_ROWS - 1; r >= 0; r--) {
        affine_end<KIND, GUARD_ROWS, AFFINE_ROWS>(p, pairs, s, q,
                                                  pairs.packed.n_rows - 1 - s.row0 - r,
                                                  trace);
        q -= guard_add<KIND>(g, 0, flank_grows(level.h, r), flank_grows(level.f, r));
    }
}

/* Let the next rows begin with columns of the right flank, which join the band.
 * @param word  changes of L in the thread's last row, of the first column in bit n - 1 */
template <int KIND>
CUDA_BOTH inline void guard_join_columns(guard_memory_t memory, int to, int n,
                                         guard_line_t word, guard_t *g)
{
    CUDA_NO_UNROLL
    for (int i = 0; i < n; i++) {
        g->behind = guard_add<KIND>(*g, g->behind, word.h >> (n - 1 - i) & 1,
                                    word.f >> (n - 1 - i) & 1);
        memory.line[static_cast<long long>(to + i) * memory.stride] = {g->behind,
                                                                       g->behind};
    }
}

/* Sweep the right flank, from column `to` on. */
template <int KIND>
CUDA_BOTH inline void guard_sweep_right(const affine_launch_t &p,
                                        const affine_pairs_t &pairs,
                                        guard_memory_t memory, int to, guard_t *g,
                                        guard_thread_t<KIND> &s)
{
    const int n_columns = pairs.packed.n_columns;
    const int slope = affine_slopes(p).e[0] << p.layout.h_shift,
              rest = slope * (pairs.packed.n_rows - s.row0 - GUARD_ROWS),
              fall = static_cast<int>(p.layout.match) - slope;
    const guard_line_t changes = guard_enter<KIND>(*g, s.h, GUARD_ROWS, &g->behind);
    const unsigned bottom = g->behind;
    guard_line_t level = {~(changes.h << FLANK_FIRST_BIT),
                          ~(changes.f << FLANK_FIRST_BIT)};
    unsigned grown[2] = {0, 0};
    int end = g->right_to, right_to = to;

    for (int i = 0; i < kind_t<KIND>::PAIRS; i++)
        end = max(end,
                  n_columns + GUARD_ROWS +
                      guard_over<KIND>(*g, bottom, i, rest + slope * GUARD_ROWS) / fall);
    end = min(min(affine_warp_max(end), s.row0 + GUARD_ROWS + g->high), n_columns);
    int k = (to - g->first_to) / FLANK_ROWS, j = to;
    guard_line_t next = memory.right[k * memory.stride]; /* behind the last: slack */
    guard_letters_t<KIND> letters = guard_start_letters<KIND>(pairs.packed, to);

    do {
        const int n = min(FLANK_ROWS, n_columns - j);
        guard_line_t word = next;

        next = memory.right[(k + 1) * memory.stride];
        guard_sweep_word(memory, letters, j, n, &level, &word);
        grown[0] += flank_count(word.h);
        grown[1] += flank_count(word.f);
        if (j == to)
            guard_join_columns<KIND>(memory, to, n, word, g);
        else
            memory.right[k * memory.stride] = word;
        const unsigned q = guard_add<KIND>(*g, bottom, grown[0], grown[1]);

        for (int i = 0; i < kind_t<KIND>::PAIRS; i++) {
            const int over = guard_over<KIND>(*g, q, i, rest);

            if (over + fall * (n_columns - 1 - j) >= 0)
                right_to = max(right_to, n_columns + GUARD_ROWS + over / fall);
        }
        j += n;
        k++;
    } while (j < end);
    g->right_to = right_to;
    if (j == n_columns && affine_ends(p, pairs, AFFINE_ROWS))
        guard_end_right<KIND>(p, pairs, level,
                              guard_add<KIND>(*g, bottom, grown[0], grown[1]), *g, s);
}

/* Set the flanks above all rows to the upper border. @param to  the end of the band */
template <int KIND>
CUDA_BOTH inline void guard_start(const affine_launch_t &p, const affine_pairs_t &pairs,
                                  guard_memory_t memory, int to, guard_t *g)
{
    const packed_pairs_t &packed = pairs.packed;
    flank_border_t columns[2];
    guard_line_t word = {0, 0};

    for (int i = 0; i < kind_t<KIND>::PAIRS; i++) {
        g->rows[i] = guard_border<KIND>(p, pairs, AFFINE_ROWS);
        columns[i] = guard_border<KIND>(p, pairs, AFFINE_COLUMNS);
    }
    g->match = static_cast<unsigned>(p.layout.match) * GUARD_BOTH<KIND>;
    g->border = g->behind = (p.words32.corner + guard_mark(p)) * GUARD_BOTH<KIND>;
    g->first_to = to;
    for (int j = 0; j < packed.n_columns; j++) {
        unsigned grows[2] = {0, 0};

        for (int i = 0; i < kind_t<KIND>::PAIRS; i++)
            if (j >= packed.pairs[i].column_pads)
                grows[i] = flank_border_next(columns[i]);
        if (j < to) {
            g->behind = guard_add<KIND>(*g, g->behind, grows[0], grows[1]);
            continue;
        }
        word = {word.h << 1 | grows[0], word.f << 1 | grows[1]};
        if ((j - to + 1) % FLANK_ROWS == 0 || j + 1 == packed.n_columns)
            memory.right[(j - to) / FLANK_ROWS * memory.stride] = word;
    }
}

} // namespace
