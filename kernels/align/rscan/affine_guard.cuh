/*
 * affine_guard.cuh - scores of two pairs in a guarded band: the columns beside it are
 * bounded (band_flank.cuh), so that a score proves itself.
 *
 * Cells are those of SCORE2, but count halves (affine_guard_layout): the lowest bit of a
 * value that comes from a flank is 1.  A score whose best end is even is exact, and all
 * paths that reach it lie in the band.
 *
 * Far flanks.  Beyond a diagonal w0 of each pair, flanks are left out: no path that goes
 * there has a score of 0 or more (score_band.h).  So a score below 0 proves nothing,
 * unless no flank was left out.
 *
 * A warp's threads sweep the same columns.  A thread has the changes of L in the row
 * above its rows in memory, one bit per column and pair: those of the left flank in words
 * that end where the first columns of the band end, and then every FLANK_ROWS columns;
 * those of the right flank in words that begin likewise.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_RSCAN_AFFINE_GUARD_CUH
#define RIBOGRID_KERNELS_ALIGN_RSCAN_AFFINE_GUARD_CUH

#include "kernels/align/bscan/band_flank.cuh"
#include "kernels/align/rscan/affine_result.cuh"

namespace
{

constexpr int GUARD_KIND = RSCAN_SCORE2, GUARD_ROWS = FLANK_ROWS;
static_assert(GUARD_ROWS % QUAD == 0, "words of columns end behind a quad");

using guard_line_t = affine_line_t<unsigned>;
using guard_thread_t = affine_thread_t<GUARD_KIND, GUARD_ROWS>;

/* What the flanks of a thread's pairs need.  Values of both pairs are packed in words of
 * 16 bits; `match` is A. */
struct guard_t {
    unsigned *masks;            /* of the lane: FLANK_STRIDE apart, by letter */
    guard_line_t *left, *right; /* words of columns, `stride` apart: of both pairs */
    int stride;
    int low, high;    /* the warp's diagonals, including pads, beyond which flanks end */
    bool complete[2]; /* no flank of the pair is left out */
    unsigned match;
    int first_to; /* the end of the first rows' columns */
    /* h0 + A L in the row above the thread's rows: in the border, in the last column of
     * the left flank, and in the last one of the band */
    unsigned border, before, behind;
    flank_border_t rows[2]; /* the left border */
};

/* Add A to the values of pairs. @param first, second  0 or 1 */
CUDA_BOTH inline unsigned guard_add(const guard_t &g, unsigned value, unsigned first,
                                    unsigned second)
{
    return value + (first | second << 16) * (g.match & 0xffff);
}

/* @return whether L grows from the row above to row r */
CUDA_BOTH inline unsigned guard_grows(unsigned level, int r)
{
    return ~level >> (FLANK_FIRST_BIT + r) & 1;
}

/* @return the terminal gaps along a border of a pair */
CUDA_BOTH inline flank_border_t guard_border(const affine_launch_t &p,
                                             const affine_pairs_t &pairs, affine_of_t of)
{
    const affine_border_t<unsigned> &side = affine_side<GUARD_KIND>(p, pairs, of);

    return flank_border_t{static_cast<int>(side.slope),
                          static_cast<int>(side.base - p.words32.corner),
                          static_cast<int>(p.layout.match)};
}

/* Choose the band of a warp from those of its pairs, and how far the flanks go.
 * @param packed  out: low, high
 * @param g       out: low, high, complete */
CUDA_BOTH inline void guard_choose_columns(const affine_launch_t &p,
                                           packed_pairs_t *packed, guard_t *g)
{
    affine_set_band<2>(p.rounds, packed);
    packed->low = affine_warp_max(packed->low);
    packed->high = affine_warp_max(max(packed->high, 0)); /* all rows have columns */
    g->low = packed->low;
    g->high = packed->high;
    for (int i = 0; i < 2; i++) {
        const padded_pair_t &pair = packed->pairs[i];
        const int shift = pair.row_pads - pair.column_pads;
        const int w = score_band_proved(&p.score_band, pair.m, pair.n, 0);

        g->complete[i] = w < 0;
        g->low = max(g->low, w < 0 ? packed->n_rows : w + max(pair.m - pair.n, 0) + shift);
        g->high =
            max(g->high, w < 0 ? packed->n_columns : w + max(pair.n - pair.m, 0) - shift);
    }
    g->low = affine_warp_max(g->low);
    g->high = affine_warp_max(g->high);
}

/* Fill in the masks of letters that are not one base, and of pads. */
CUDA_BOTH inline void guard_fill_masks(const affine_launch_t &p, unsigned *masks)
{
    for (unsigned letter = 0; letter < FLANK_LETTERS; letter++) {
        bool may_match = false;

        for (unsigned base = 1; base < DNA_SIZE && letter < FLANK_PAD; base *= 2)
            may_match = may_match || p.layout.columns.step[base * DNA_SIZE + letter] > 0;
        for (int i = 0; i < 2; i++)
            masks[letter * FLANK_STRIDE + i * FLANK_LANES] = may_match ? ~0u : 0;
    }
}

/* Fill in the masks of the four bases for the rows from row0 on. */
CUDA_BOTH inline void guard_fill_rows(const packed_pairs_t &packed, int row0,
                                      const guard_t &g)
{
    for (int i = 0; i < 2; i++) {
        unsigned rows[4] = {};

        CUDA_UNROLL
        for (int r = 0; r < GUARD_ROWS; r += 4) {
            const unsigned letters = row_letters(packed, i, row0 + r);

            CUDA_UNROLL
            for (int base = 0; base < 4; base++)
                rows[base] |= flank_rows_with(letters, base) << (FLANK_FIRST_BIT + r);
        }
        CUDA_UNROLL
        for (int base = 0; base < 4; base++)
            g.masks[(1 << base) * FLANK_STRIDE + i * FLANK_LANES] = rows[base];
    }
}

/* @return the letters of four columns of a pair; FLANK_PAD for pads */
CUDA_BOTH inline unsigned guard_letters(const columns_t &c, int which, int column)
{
    const int pads = c.pads[which] - column;
    const unsigned letters = read_letters(c, which, column);

    if (column >= c.max_pads || pads <= 0)
        return letters;
    const unsigned mask = pads >= QUAD ? ~0u : (1u << (8 * pads)) - 1;

    return (letters & ~mask) | (0x01010101u * FLANK_PAD & mask);
}

/*
 * Sweep n columns of a flank, a multiple of QUAD and at most FLANK_ROWS.
 *
 * @param level  out: behind the last column
 * @param word   changes of L in the row above, the first column's in bit n - 1; out: in
 *               the last row
 */
CUDA_BOTH inline void guard_sweep_word(const guard_t &g, const columns_t &columns,
                                       int column, int n, guard_line_t *level,
                                       guard_line_t *word)
{
    const char *first = reinterpret_cast<const char *>(g.masks);
    const char *second = reinterpret_cast<const char *>(g.masks + FLANK_LANES);
    unsigned a = word->h << (32 - n), b = word->f << (32 - n);
    guard_line_t below = {0, 0};

    static_assert(FLANK_STRIDE * sizeof(unsigned) == 256, "a letter is byte 1");
    CUDA_NO_UNROLL
    for (int j = 0; j < n; j += QUAD) {
        const unsigned x = guard_letters(columns, 0, column + j);
        const unsigned y = guard_letters(columns, 1, column + j);

        CUDA_UNROLL
        for (unsigned i = 0; i < QUAD; i++) {
            const unsigned at = 0x4404u + (i << 4);

            flank_step(level->h,
                       *reinterpret_cast<const unsigned *>(first +
                                                           cuda_permute(x, 0, at)),
                       a, below.h);
            flank_step(level->f,
                       *reinterpret_cast<const unsigned *>(second +
                                                           cuda_permute(y, 0, at)),
                       b, below.f);
        }
    }
    *word = below;
}

/* Bound a run of cells, the first n of which have values, by h0 + A L.
 * @param value  [GUARD_ROWS] of both pairs; out: garbage
 * @param q      of the cell in front of them; out: of the last one
 * @return the changes of L, of the first cell in bit 0 */
CUDA_BOTH inline guard_line_t guard_enter(const guard_t &g, unsigned *value, int n,
                                          unsigned *q)
{
    guard_line_t changes = {0, 0};

    CUDA_UNROLL
    for (int k = GUARD_ROWS - 2; k >= 0; k--)
        if (k < n - 1)
            value[k] =
                affine_add_max<GUARD_KIND>(value[k], g.match, value[k + 1]) - g.match;
    CUDA_UNROLL
    for (int k = 0; k < GUARD_ROWS; k++)
        if (k < n) {
            const unsigned grown = affine_max<GUARD_KIND>(value[k], *q) ^ *q;
            const unsigned first = (grown & 0xffff) != 0, second = grown >> 16 != 0;

            *q = guard_add(g, *q, first, second);
            changes.h |= first << k;
            changes.f |= second << k;
        }
    return changes;
}

CUDA_BOTH inline unsigned guard_reverse(unsigned x)
{
#ifdef __CUDA_ARCH__
    return __brev(x);
#else
    unsigned out = 0;

    for (int k = 0; k < 32; k++)
        out |= (x >> k & 1) << (31 - k);
    return out;
#endif
}

CUDA_BOTH inline unsigned guard_count(unsigned x)
{
#ifdef __CUDA_ARCH__
    return static_cast<unsigned>(__popc(x));
#else
    return static_cast<unsigned>(__builtin_popcount(x));
#endif
}

/* Let columns that the band leaves, before .. from - 1, join the left flank.  The row
 * above the thread's rows is the last one in which they were swept.
 * @param k  the number of their word */
CUDA_BOTH inline void guard_leave_columns(guard_t *g, int before, int from, int k,
                                          const guard_line_t *line)
{
    const int n = from - before;
    unsigned value[GUARD_ROWS], q = before == 0 ? g->border : g->before;

    CUDA_UNROLL
    for (int i = 0; i < GUARD_ROWS; i++)
        if (i < n)
            value[i] = line[static_cast<long long>(before + i) * g->stride].h;
    const guard_line_t changes = guard_enter(*g, value, n, &q);

    g->left[k * g->stride] = {guard_reverse(changes.h) >> (32 - n),
                              guard_reverse(changes.f) >> (32 - n)};
    g->before = q;
}

/* @return of the rows from row0 on, which of the left border have the L of the row above;
 *         the border moves on to the last one */
CUDA_BOTH inline guard_line_t guard_border_rows(const packed_pairs_t &packed, int row0,
                                                guard_t *g)
{
    unsigned level[2] = {~0u, ~0u};

    for (int i = 0; i < 2; i++)
        if (g->rows[i].slope > 0) {
            CUDA_NO_UNROLL
            for (int r = 0; r < GUARD_ROWS; r++)
                if (row0 + r >= packed.pairs[i].row_pads)
                    level[i] &= ~(flank_border_next(g->rows[i]) << (FLANK_FIRST_BIT + r));
        }
    g->border = guard_add(*g, g->border, guard_count(~level[0]), guard_count(~level[1]));
    return {level[0], level[1]};
}

/* @return the first column of the left flank that may matter to the rows from row0 on */
CUDA_BOTH inline int guard_left_start(const guard_t &g, int row0)
{
    return max(row0 - g.low, 0);
}

/* Sweep the left flank, up to column from - 1.
 * @param border  guard_border_rows
 * @return the levels in that column */
CUDA_BOTH inline guard_line_t guard_sweep_left(const packed_pairs_t &packed, int row0,
                                               int from, guard_line_t border,
                                               const guard_t &g)
{
    const columns_t columns = columns_of(packed);
    const int n_first = (from - 1) % FLANK_ROWS + 1;
    const int n_words = (from - n_first) / FLANK_ROWS + 1;
    const int start = guard_left_start(g, row0);
    const int k0 = start < n_first ? 0 : min((start - n_first) / FLANK_ROWS + 1, n_words);
    guard_line_t level = k0 == 0 ? border : guard_line_t{~0u, ~0u};

    for (int k = k0; k < n_words; k++) {
        const int n = k == 0 ? n_first : FLANK_ROWS;
        guard_line_t word = g.left[k * g.stride];

        guard_sweep_word(g, columns, k == 0 ? 0 : n_first + (k - 1) * FLANK_ROWS, n,
                         &level, &word);
        g.left[k * g.stride] = word;
    }
    return level;
}

/* Set the values to the left of the band. @param level  in column from - 1 */
CUDA_BOTH inline void guard_set_left(const packed_pairs_t &packed, int from,
                                     guard_line_t level, guard_t *g, guard_thread_t &s)
{
    const unsigned is_border =
        affine_mask<GUARD_KIND>(from <= packed.pairs[0].column_pads,
                                from <= packed.pairs[1].column_pads);
    unsigned q = g->before;

    CUDA_UNROLL
    for (int r = 0; r < GUARD_ROWS; r++) {
        q = guard_add(*g, q, guard_grows(level.h, r), guard_grows(level.f, r));
        s.h[r] = affine_pick<GUARD_KIND>(is_border, s.h[r], q);
        s.e[r] = affine_pick<GUARD_KIND>(is_border, s.e[r], q);
    }
    g->before = q;
}

/* Let alignments end in the last row, in the left flank. @param from  its end */
CUDA_BOTH inline void guard_end_left(const affine_launch_t &p,
                                     const affine_pairs_t &pairs, int from,
                                     const guard_t &g, guard_thread_t &s)
{
    const int n_columns = pairs.packed.n_columns;
    const int start = guard_left_start(g, s.row0);
    affine_untraced_t trace;
    unsigned q = g.before;

    for (int j = from - 1, k = (from - 1) / FLANK_ROWS; j >= start; k--) {
        const guard_line_t word = g.left[k * g.stride];
        const int n = k == 0 ? j + 1 : FLANK_ROWS;

        CUDA_NO_UNROLL
        for (int i = 0; i < n; i++, j--) {
            affine_end<GUARD_KIND, GUARD_ROWS, AFFINE_COLUMNS>(p, pairs, s, q,
                                                               n_columns - 1 - j, trace);
            q -= guard_add(g, 0, word.h >> i & 1, word.f >> i & 1);
        }
    }
}

/* Let alignments end in the last column, in the right flank.
 * @param level  of that column
 * @param q      of it, in the thread's last row */
CUDA_BOTH inline void guard_end_right(const affine_launch_t &p,
                                      const affine_pairs_t &pairs, guard_line_t level,
                                      unsigned q, const guard_t &g, guard_thread_t &s)
{
    affine_untraced_t trace;

    CUDA_NO_UNROLL
    for (int r = GUARD_ROWS - 1; r >= 0; r--) {
        affine_end<GUARD_KIND, GUARD_ROWS, AFFINE_ROWS>(
            p, pairs, s, q, pairs.packed.n_rows - 1 - s.row0 - r, trace);
        q -= guard_add(g, 0, guard_grows(level.h, r), guard_grows(level.f, r));
    }
}

/* Let the next rows begin with columns of the right flank, which join the band.
 * @param word  changes of L in the thread's last row, of the first column in bit n - 1 */
CUDA_BOTH inline void guard_join_columns(guard_t *g, int to, int n, guard_line_t word,
                                         guard_line_t *line)
{
    CUDA_NO_UNROLL
    for (int i = 0; i < n; i++) {
        g->behind = guard_add(*g, g->behind, word.h >> (n - 1 - i) & 1,
                              word.f >> (n - 1 - i) & 1);
        line[static_cast<long long>(to + i) * g->stride] = {g->behind, g->behind};
    }
}

/* Sweep the right flank, from column `to` on. */
CUDA_BOTH inline void guard_sweep_right(const affine_launch_t &p,
                                        const affine_pairs_t &pairs, int to, guard_t *g,
                                        guard_thread_t &s, guard_line_t *line)
{
    const int n_columns = pairs.packed.n_columns;
    const columns_t columns = columns_of(pairs.packed);
    const int end = min(s.row0 + GUARD_ROWS + g->high, n_columns);
    const guard_line_t changes = guard_enter(*g, s.h, GUARD_ROWS, &g->behind);
    const unsigned bottom = g->behind;
    guard_line_t level = {~(changes.h << FLANK_FIRST_BIT),
                          ~(changes.f << FLANK_FIRST_BIT)};
    unsigned grown[2] = {0, 0};
    int k = (to - g->first_to) / FLANK_ROWS, j = to;

    do {
        const int n = min(FLANK_ROWS, n_columns - j);
        guard_line_t word = g->right[k * g->stride];

        guard_sweep_word(*g, columns, j, n, &level, &word);
        grown[0] += guard_count(word.h);
        grown[1] += guard_count(word.f);
        if (j == to)
            guard_join_columns(g, to, n, word, line);
        else
            g->right[k * g->stride] = word;
        j += n;
        k++;
    } while (j < end);
    if (j == n_columns && affine_ends(p, pairs, AFFINE_ROWS))
        guard_end_right(p, pairs, level, guard_add(*g, bottom, grown[0], grown[1]), *g,
                        s);
}

/* Set the flanks above all rows to the upper border. @param to  the end of the band */
CUDA_BOTH inline void guard_start(const affine_launch_t &p, const affine_pairs_t &pairs,
                                  int to, guard_t *g)
{
    const packed_pairs_t &packed = pairs.packed;
    flank_border_t columns[2];
    guard_line_t word = {0, 0};

    for (int i = 0; i < 2; i++) {
        g->rows[i] = guard_border(p, pairs, AFFINE_ROWS);
        columns[i] = guard_border(p, pairs, AFFINE_COLUMNS);
    }
    g->match = static_cast<unsigned>(p.layout.match) * 0x10001u;
    g->border = g->behind = p.words32.corner * 0x10001u + 0x10001u;
    g->first_to = to;
    for (int j = 0; j < packed.n_columns; j++) {
        unsigned grows[2] = {0, 0};

        for (int i = 0; i < 2; i++)
            if (j >= packed.pairs[i].column_pads)
                grows[i] = flank_border_next(columns[i]);
        if (j < to) {
            g->behind = guard_add(*g, g->behind, grows[0], grows[1]);
            continue;
        }
        word = {word.h << 1 | grows[0], word.f << 1 | grows[1]};
        if ((j - to + 1) % FLANK_ROWS == 0 || j + 1 == packed.n_columns)
            g->right[(j - to) / FLANK_ROWS * g->stride] = word;
    }
}

/*
 * Score the pairs of a thread in a guarded band.
 *
 * @param g     masks (with those of guard_fill_masks), left, right, stride are set
 * @param line  [n_columns + QUAD], `stride` apart: scratch
 */
CUDA_BOTH inline void guard_sweep(const affine_launch_t &p, const unsigned *table,
                                  const affine_pairs_t &pairs, guard_t *g,
                                  guard_thread_t &s, guard_line_t *line)
{
    const packed_pairs_t &packed = pairs.packed;
    const bool row_ends = affine_ends(p, pairs, AFFINE_ROWS),
               column_ends = affine_ends(p, pairs, AFFINE_COLUMNS);
    affine_untraced_t trace;
    int from = 0;

    s.best = affine_join<GUARD_KIND>(affine_two_gaps<GUARD_KIND>(p, packed.pairs[0]),
                                     affine_two_gaps<GUARD_KIND>(p, packed.pairs[1]));
    affine_start_line<GUARD_KIND, GUARD_ROWS>(p, pairs, line, g->stride);
    guard_start(p, pairs, affine_end_column<GUARD_ROWS>(packed, 0), g);
    for (s.row0 = 0; s.row0 < packed.n_rows; s.row0 += GUARD_ROWS) {
        const bool last = s.row0 + GUARD_ROWS == packed.n_rows;
        const int before = from, to = affine_end_column<GUARD_ROWS>(packed, s.row0);

        from = affine_first_column(packed, s.row0);
        if (from > before)
            guard_leave_columns(g, before, from, (from - 1) / FLANK_ROWS, line);
        guard_line_t level = guard_border_rows(packed, s.row0, g);

        guard_fill_rows(packed, s.row0, *g);
        if (from > 0)
            level = guard_sweep_left(packed, s.row0, from, level, *g);
        affine_start_band<GUARD_KIND, GUARD_ROWS>(p, table, pairs, s, 0, from, line,
                                                  g->stride);
        if (from > 0)
            guard_set_left(packed, from, level, g, s);
        if (column_ends && last)
            affine_sweep_rows<GUARD_KIND, GUARD_ROWS, true>(p, table, pairs, s, from, to,
                                                            line, g->stride, trace);
        else
            affine_sweep_rows<GUARD_KIND, GUARD_ROWS, false>(p, table, pairs, s, from, to,
                                                             line, g->stride, trace);
        if (to < packed.n_columns)
            guard_sweep_right(p, pairs, to, g, s, line);
        else if (row_ends)
            affine_end_in_column<GUARD_KIND, GUARD_ROWS>(p, pairs, s, trace);
        if (column_ends && last && from > 0)
            guard_end_left(p, pairs, from, *g, s);
    }
    if (!column_ends)
        s.best = s.h[GUARD_ROWS - 1];
}

/* @return w of a band that has all columns of the warp's rows */
CUDA_BOTH inline int guard_width(const packed_pairs_t &packed, const padded_pair_t &pair)
{
    const int shift = pair.row_pads - pair.column_pads;
    const int w = max(packed.low - shift - max(pair.m - pair.n, 0),
                      packed.high + shift - max(pair.n - pair.m, 0)) +
                  GUARD_ROWS + QUAD;
    const int shorter = min(pair.m, pair.n);

    return w >= shorter || band_width_spares_little(shorter - w, pair.m, pair.n)
               ? BAND_WIDTH_NONE
               : w;
}

/* Store the scores of the first n_pairs, and the bands that have all their best paths;
 * list pairs whose score is not proved. */
CUDA_BOTH inline void guard_store(const affine_launch_t &p, const packed_pairs_t &packed,
                                  const guard_t &g, unsigned best, int n_pairs)
{
    const rscan_launch_t &r = p.rounds;

    for (int i = 0; i < 2 && i < n_pairs; i++) {
        const padded_pair_t &pair = packed.pairs[i];
        const unsigned end = best >> (16 * i) & 0xffff;
        int w = BAND_WIDTH_NONE;

        affine_store_pair(p, pair, end);
        const int score = r.score[pair.index];
        const bool proved = end % 2 == 0 && (g.complete[i] || score >= 0);

        if (proved) {
            const int other = score_band_proved(&p.score_band, pair.m, pair.n, score);

            w = guard_width(packed, pair);
            w = other >= 0 && (w < 0 || other < w) ? other : w;
        }
        r.band_w[pair.index] = static_cast<short>(w);
        if (proved)
            continue;
        const int place = affine_count(r.n_retry);

        if (r.retry != nullptr)
            r.retry[place] = pair.index;
    }
}

} // namespace

#endif
