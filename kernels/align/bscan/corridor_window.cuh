/*
 * corridor_window.cuh - the costs R of the rest of a path, in a window that follows the
 * best paths of a pair from their ends to their starts, and the corridor that follows
 * (corridor_sweep.cuh).
 *
 * Rows and columns are counted from the end: row r is m - i, column c is n - j.  Myers'
 * bit vectors hold WINDOW rows, which move on by one row per column (Hyyro 2003); bit t
 * is row top + 1 + t, and the value of row top is kept as a number.  What lies above the
 * window, or enters it from below, is worth one more than its neighbour in the window.
 * Rows 0 and less are pads: they match every letter and start with R(-k, 0) = skip(k),
 * which arrives as R(0, k) = skip(k).
 */
#pragma once

#include "kernels/align/bscan/corridor_lane.cuh"

namespace
{

constexpr int WINDOW_WORDS = 4, WINDOW = 32 * WINDOW_WORDS, MIDDLE = WINDOW / 2 - 1;
/* Columns between two looks at what is beside the window. */
constexpr int LOOK = 8;
/* Words of pads in front of the masks of the rows, and of zeros behind them. */
constexpr int MASK_SLACK = WINDOW_WORDS + 1;

/* Words of masks per letter: those of A, C, G and T then begin in different banks. */
template <int W>
constexpr int MASK_STRIDE = (W + 2 * MASK_SLACK - 13 + 31) / 32 * 32 + 13;

/* What a thread knows of the best paths of its pair: they cost at most `most`; those that
 * end in the last row skip row_min .. row_max bases, and those that end in the last
 * column column_min .. column_max.  There are none if min > max. */
struct path_ends_t {
    int most;
    int row_min, row_max, column_min, column_max;
    int n_columns, last_f; /* F in the last row, in a column behind the last one */
};

/* The cells of a sampled column that the best paths may go through: their diagonals j -
 * i, and the least F and R among them.  There are none if low > high. */
struct front_t {
    int low, high, min_f, min_r;
};

struct window_t {
    unsigned grows[WINDOW_WORDS], falls[WINDOW_WORDS];
    int first, top;
};

constexpr front_t NO_FRONT = {INT_MAX / 4, -INT_MAX / 4, INT_MAX / 4, INT_MAX / 4};

CUDA_BOTH inline int count_bits(unsigned x)
{
#ifdef __CUDA_ARCH__
    return __popc(x);
#else
    return __builtin_popcount(x);
#endif
}

/* @return bits by .. by + 31 of two words; by < 32 */
CUDA_BOTH inline unsigned bits_from(unsigned low, unsigned high, int by)
{
#ifdef __CUDA_ARCH__
    return __funnelshift_r(low, high, by);
#else
    return by == 0 ? low : low >> by | high << (32 - by);
#endif
}

/* @return x >> by, and 0 where by is 32 or more */
CUDA_BOTH inline unsigned shifted(unsigned x, int by)
{
#ifdef __CUDA_ARCH__
    return __funnelshift_rc(x, 0u, by);
#else
    return by < 32 ? x >> by : 0;
#endif
}

/* @return the lowest n bits, at most all */
CUDA_BOTH inline unsigned low_bits(int n)
{
    return ~(n < 32 ? ~0u << (n < 0 ? 0 : n) : 0u);
}

CUDA_BOTH inline unsigned reversed(unsigned x)
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

/* Move bit t to bit t - by, or out; zeros come in. */
CUDA_BOTH inline void shift_rows(unsigned (&x)[WINDOW_WORDS], int by)
{
    const int words = by >> 5, bits = by & 31; /* down, and then up where by < 0 */
    unsigned y[WINDOW_WORDS + 1] = {};

    CUDA_UNROLL
    for (int k = 0; k < WINDOW_WORDS; k++)
        y[k] = x[k];
    CUDA_NO_UNROLL
    for (int n = words; n < 0; n++) {
        CUDA_UNROLL
        for (int k = WINDOW_WORDS; k > 0; k--)
            y[k] = y[k - 1];
        y[0] = 0;
    }
    CUDA_NO_UNROLL
    for (int n = 0; n < words; n++) {
        CUDA_UNROLL
        for (int k = 0; k < WINDOW_WORDS; k++)
            y[k] = y[k + 1];
    }
    CUDA_UNROLL
    for (int k = 0; k < WINDOW_WORDS; k++)
        x[k] = bits_from(y[k], y[k + 1], bits);
}

/* @return how much F grows along the first n_rows rows; n_rows <= WARP W */
template <int W> CUDA_BOTH int growth(const stripes_t<W> &s, int n_rows)
{
    const int even = n_rows / W, odd = n_rows % W;
    const unsigned fewer = low_bits(even), more = low_bits(even + 1);
    int sum = 0;

    CUDA_UNROLL
    for (int w = 0; w < W; w++) {
        const unsigned rows = w < odd ? more : fewer;

        sum += count_bits(s.pv[w] & rows) - count_bits(s.mv[w] & rows);
    }
    return sum;
}

template <int W> CUDA_BOTH stripes_t<W> kept_column(const unsigned *sample)
{
    stripes_t<W> s;

    CUDA_UNROLL
    for (int w = 0; w < W; w++) {
        s.pv[w] = sample[w * WARP];
        s.mv[w] = sample[(W + w) * WARP];
    }
    return s;
}

/* Find the bits of the WINDOW rows behind `first` rows, of stripes.  Rows that there are
 * not have 0. */
template <int W>
CUDA_BOTH void rows_behind(const unsigned (&stripes)[W], int first,
                           unsigned (&out)[WINDOW_WORDS])
{
    constexpr int N_STRIPES = (W - 1 + WINDOW + W - 1) / W; /* that they may lie in */
    constexpr int N_WORDS = (N_STRIPES * W + 31) / 32;
    const int start = first > 0 ? first : 0, b = start / W, odd = start % W;
    unsigned all[N_WORDS + 1] = {}, bits = 0;

    CUDA_UNROLL
    for (int k = 0; k < N_STRIPES * W; k++) {
        bits = bits_from(bits, shifted(stripes[k % W], b + k / W), 1);
        if (k % 32 == 31)
            all[k / 32] = bits;
    }
    if (N_STRIPES * W % 32 != 0)
        all[N_WORDS - 1] = bits >> (31 & -(N_STRIPES * W));
    CUDA_UNROLL
    for (int k = 0; k < WINDOW_WORDS; k++) {
        const bool next = odd >= 32;
        const unsigned low = next ? all[k + 1] : all[k];
        const unsigned high = next ? (k + 2 <= N_WORDS ? all[k + 2] : 0) : all[k + 1];

        out[k] = bits_from(low, high, odd & 31);
    }
    shift_rows(out, first - start);
}

/* @return the window of the last column, with the ends of all best paths; its `first` is
 *         negative if there is none */
CUDA_BOTH inline window_t start_window(const corridor_costs_t &costs,
                                       const path_ends_t &ends)
{
    const bool in_row = ends.row_min <= ends.row_max,
               in_column = ends.column_min <= ends.column_max;
    const int from = in_row ? -ends.row_max : ends.column_min;
    const int to = in_column ? ends.column_max : -ends.row_min;
    window_t w = {};

    w.top = ((from + to) >> 1) - 1 - MIDDLE;
    w.first = to - from > WINDOW - 4 ? -1 : skip_cost(costs, w.top < 0 ? -w.top : w.top);
    CUDA_UNROLL
    for (int k = 0; k < WINDOW_WORDS; k++) {
        CUDA_NO_UNROLL
        for (int t = 0; t < 32; t++) {
            const int row = w.top + 1 + 32 * k + t;
            const unsigned changes = rises(costs, row > 0 ? row : 1 - row);

            w.grows[k] |= (row > 0 ? changes : 0) << t;
            w.falls[k] |= (row > 0 ? 0 : changes) << t;
        }
    }
    return w;
}

/* Advance by one column, and the window by one row.
 * @param masks  of the column's letter: from MASK_SLACK words in front of row 1 on
 * @param n_words  of the rows */
CUDA_BOTH inline void move_window(window_t &c, const unsigned *masks, int n_words)
{
    const int at = c.top + 32 * MASK_SLACK, last = 32 * (MASK_SLACK + n_words);
    const int from = at < 0 ? 0 : at > last ? last : at, shift = from & 31;
    unsigned carry = 0, falling[WINDOW_WORDS], growing[WINDOW_WORDS],
             level[WINDOW_WORDS + 1];
    unsigned mask = masks[from >> 5];

    CUDA_UNROLL
    for (int w = 0; w < WINDOW_WORDS; w++) {
        const unsigned next = masks[(from >> 5) + w + 1];
        const unsigned equal = bits_from(mask, next, shift);
        const unsigned grows = c.grows[w];
        const unsigned long long sum =
            static_cast<unsigned long long>(equal & grows) + grows + carry;

        carry = static_cast<unsigned>(sum >> 32);
        level[w] = (static_cast<unsigned>(sum) ^ grows) | equal | c.falls[w];
        growing[w] = c.falls[w] | ~(level[w] | grows);
        falling[w] = level[w] & grows;
        mask = next;
    }
    level[WINDOW_WORDS] = 0;
    c.first += 1 - static_cast<int>(level[0] & 1);
    c.top++;
    CUDA_UNROLL
    for (int w = 0; w < WINDOW_WORDS; w++) {
        const unsigned above = bits_from(level[w], level[w + 1], 1);

        c.grows[w] = falling[w] | ~(above | growing[w]);
        c.falls[w] = growing[w] & above;
    }
}

/* @return R in the last row of the window */
CUDA_BOTH inline int window_last(const window_t &w)
{
    int r = w.first;

    CUDA_UNROLL
    for (int k = 0; k < WINDOW_WORDS; k++)
        r += count_bits(w.grows[k]) - count_bits(w.falls[k]);
    return r;
}

/* Let the window begin `by` rows further down. */
CUDA_BOTH inline void shift_window(window_t &w, int by)
{
    const int up = by < 0 ? -by : 0;

    w.top += by;
    w.first += up;
    CUDA_UNROLL
    for (int k = 0; k < WINDOW_WORDS; k++) {
        const unsigned out = low_bits(by - 32 * k);

        w.first += count_bits(w.grows[k] & out) - count_bits(w.falls[k] & out);
    }
    shift_rows(w.grows, by);
    shift_rows(w.falls, by);
    CUDA_UNROLL
    for (int k = 0; k < WINDOW_WORDS; k++) {
        w.grows[k] |= ~low_bits(WINDOW - (by > 0 ? by : 0) - 32 * k);
        w.falls[k] |= low_bits(up - 32 * k);
    }
}

/* F in the rows of the window, in a sampled column: where it grows and falls from row to
 * row of the query, from the window's last row on; in row `top`, and in the last one. */
struct window_rows_t {
    unsigned grows[WINDOW_WORDS], falls[WINDOW_WORDS];
    int top, last;
};

/* A sweep of the window. */
struct following_t {
    window_t window;
    front_t front;     /* of the sample before */
    int column;        /* of that sample */
    int top_f, last_f; /* lower bounds of F beside the window, there */
    int top_r, last_r; /* minima of R beside the window, of the cells since that sample
                        * for which F of the next one has to show that no path leaves */
    bool lost;         /* paths may have left the window */
    int reach;         /* what the next block's `high` has to be at least (take_sample) */
    int width;         /* sum of the blocks' */
};

constexpr int R_NONE = INT_MAX / 4;

/* @return F in a column, of the rows of stripes behind n_rows others */
template <int W>
CUDA_BOTH int value_behind(const corridor_costs_t &costs, const lane_t &l,
                           const stripes_t<W> &s, int column, int n_rows)
{
    const int rows = n_rows < 0 ? 0 : n_rows < WARP * W ? n_rows : WARP * W;

    return skip_cost(costs, l.pads + column) + growth(s, rows);
}

/* @return F in the last row, in a column */
template <int W>
CUDA_BOTH int last_row_value(const lane_t &l, const path_ends_t &ends, int column)
{
    int f = ends.last_f;

    for (int at = ends.n_columns; at > column; at -= SPAN) {
        const unsigned *sample = sample_at<W>(l, at) + 2 * W * WARP;
        const unsigned behind = low_bits(at - column);

        f -= count_bits(sample[0] & behind) - count_bits(sample[WARP] & behind);
    }
    return f;
}

/* Where the first row of the window is a pad, bound F as if it went on along the
 * diagonal behind the last row. */
template <int W>
CUDA_BOTH void bound_pads(const lane_t &l, const path_ends_t &ends, following_t *f)
{
    const int column = f->column + f->window.top; /* of the last row */

    if (f->window.top < 0)
        f->top_f =
            column < 0 ? -R_NONE : last_row_value<W>(l, ends, column) - f->window.top;
}

template <int W>
CUDA_BOTH following_t start_following(const lane_t &l, const corridor_costs_t &costs,
                                      const path_ends_t &ends, int n_samples)
{
    const stripes_t<W> s = kept_column<W>(last_sample<W>(l, n_samples));
    following_t f = {};

    f.window = start_window(costs, ends);
    f.lost = f.window.first < 0;
    f.front = NO_FRONT;
    f.reach = -R_NONE;
    f.column = l.n;
    const int top = l.m - f.window.top + l.pads;

    f.top_f = value_behind(costs, l, s, l.n, top);
    f.last_f = value_behind(costs, l, s, l.n, top - WINDOW);
    bound_pads<W>(l, ends, &f);
    f.top_r = f.last_r = R_NONE;
    if (ends.column_min <= ends.column_max)
        f.front = front_t{l.n - l.m + ends.column_min, l.n - l.m + ends.column_max, 0,
                          skip_cost(costs, ends.column_min)};
    return f;
}

/* Look at the cells beside the window from its own column back to another one. */
CUDA_BOTH inline void look_beside(const path_ends_t &ends, int column, following_t *f)
{
    const int steps = f->column - column, r = window_last(f->window);

    if (f->top_f - steps + f->window.first <= ends.most)
        f->top_r = min(f->top_r, f->window.first);
    if (f->last_f - steps + r <= ends.most)
        f->last_r = min(f->last_r, r);
}

/* Sweep the window back to a sampled column.
 * @param masks  of rows, by letter */
template <int W>
CUDA_BOTH void sweep_block(const lane_t &l, const path_ends_t &ends, int column,
                           const unsigned *masks, following_t *f)
{
    CUDA_NO_UNROLL
    for (int k = min(SPAN, l.n - column); k > 0; k--) {
        const int letter = l.target[column + k - 1];

        if (k % LOOK == 0 || column + k == l.n)
            look_beside(ends, column + (k - 1) / LOOK * LOOK, f);
        move_window(f->window, masks + letter * MASK_STRIDE<W>, W);
    }
}

/* Find the front of a sampled column, and whether paths may have left the window since
 * the sample before. */
template <int W>
CUDA_BOTH front_t find_front(const lane_t &l, const corridor_costs_t &costs,
                             const path_ends_t &ends, int column, window_rows_t *rows,
                             following_t *f)
{
    const window_t &w = f->window;
    const int behind = l.m - w.top - WINDOW + l.pads; /* rows in front of the last one */
    front_t front = NO_FRONT;
    int v_f = 0, v_r = w.first;

    {
        const stripes_t<W> s = kept_column<W>(sample_at<W>(l, column));

        rows->last = v_f = value_behind(costs, l, s, column, behind);
        rows_behind<W>(s.pv, behind, rows->grows);
        rows_behind<W>(s.mv, behind, rows->falls);
    }
    CUDA_UNROLL
    for (int k = 0; k < WINDOW_WORDS; k++)
        v_f += count_bits(rows->grows[k]) - count_bits(rows->falls[k]);
    rows->top = v_f;
    f->lost |= w.top >= 0 && rows->top + f->top_r <= ends.most;
    f->lost |= w.top - (f->column - column) + WINDOW <= l.m &&
               rows->last + f->last_r <= ends.most;
    const int diagonal = column - l.m + w.top + 1; /* of bit 0 */

    CUDA_UNROLL
    for (int k = 0; k < WINDOW_WORDS; k++) {
        /* from row to row of the window F falls where it grows along the query */
        const unsigned f_falls = reversed(rows->grows[WINDOW_WORDS - 1 - k]);
        const unsigned f_grows = reversed(rows->falls[WINDOW_WORDS - 1 - k]);

        CUDA_UNROLL
        for (int t = 0; t < 32; t += 8) {
            const unsigned byte = 0xffu << t;
            const int r =
                v_r + count_bits(w.grows[k] & byte) - count_bits(w.falls[k] & byte);
            const int g = v_f + count_bits(f_grows & byte) - count_bits(f_falls & byte);

            if (v_f + v_r + r + g - 16 <= 2 * ends.most) {
                unsigned a = w.grows[k] >> t, b = w.falls[k] >> t, c = f_grows >> t,
                         d = f_falls >> t;

                CUDA_NO_UNROLL
                for (int i = 0; i < 8; i++) {
                    const int row = w.top + 1 + 32 * k + t + i;

                    v_r += static_cast<int>(a & 1) - static_cast<int>(b & 1);
                    v_f += static_cast<int>(c & 1) - static_cast<int>(d & 1);
                    if (v_f + v_r <= ends.most && row >= 0 && row <= l.m) {
                        const int here = diagonal + 32 * k + t + i;

                        front.low = min(front.low, here);
                        front.high = here;
                        front.min_f = min(front.min_f, v_f);
                        front.min_r = min(front.min_r, v_r);
                    }
                    a >>= 1;
                    b >>= 1;
                    c >>= 1;
                    d >>= 1;
                }
            }
            v_r = r;
            v_f = g;
        }
    }
    return front;
}

/* @return the cells between two samples that the best paths may go through
 * @param here   the front of `column`
 * @param starts  whether paths may start in the first row */
CUDA_BOTH inline corridor_block_t block_between(const lane_t &l,
                                                const corridor_costs_t &costs,
                                                const path_ends_t &ends, int column,
                                                const front_t &here, bool starts,
                                                const following_t &f)
{
    front_t last = f.front;
    int min_f = here.min_f, low = INT_MAX / 4, high = -INT_MAX / 4;

    if (ends.row_min <= ends.row_max && l.n - ends.row_max <= f.column &&
        l.n - ends.row_min >= column) { /* paths may end in between */
        const int r = skip_cost(costs, ends.row_min);

        last.low = min(last.low, l.n - ends.row_max - l.m);
        last.high = max(last.high, l.n - ends.row_min - l.m);
        last.min_r = min(last.min_r, r);
    }
    if (starts)
        min_f = min(min_f, skip_cost(costs, column));
    if (last.low > last.high || min_f == NO_FRONT.min_f)
        return corridor_block_t{1, 0};
    const int gaps = max(ends.most - min_f - last.min_r, 0);

    if (here.low <= here.high) {
        high = (gaps + here.high + last.high) >> 1;
        low = -((gaps - here.low - last.low) >> 1);
    }
    if (starts) {
        high = max(high, last.high + gaps);
        low = min(low, last.low - gaps);
    }
    return corridor_block_t{static_cast<short>(low), static_cast<short>(high)};
}

/* @return how far the window has to move down so that the front is in its middle; at
 *         most so far that pads that hold paths which end in columns to come stay in it
 */
CUDA_BOTH inline int shift_to(const lane_t &l, const path_ends_t &ends, int column,
                              const front_t &front, const window_t &w)
{
    const int bit = w.top + 1 - (l.m - column); /* diagonal of bit 0 */
    const int to_end = l.n - column, pad = to_end - w.top - 1;
    int by = ((front.low + front.high) >> 1) - bit - MIDDLE;

    if (front.low > front.high)
        return 0;
    if (ends.row_min <= ends.row_max && to_end < ends.row_max) {
        by = min(by, pad - ends.row_max);
        by = max(by, pad - max(ends.row_min, to_end + 1) - (WINDOW - 2));
    }
    return min(max(by, -WINDOW), WINDOW);
}

/* Take a sample: find the block behind it, and move on.  The first row of a block, column
 * - high, is not below that of a later one, so that whoever goes through the blocks of a
 * strip of rows (corridor_strip) may stop at the first one that is below it. */
template <int W>
CUDA_BOTH void take_sample(const lane_t &l, const corridor_costs_t &costs,
                           const path_ends_t &ends, int column, corridor_block_t *blocks,
                           following_t *f)
{
    window_rows_t rows;
    const front_t front = find_front<W>(l, costs, ends, column, &rows, f);
    const bool starts = f->window.top + WINDOW >= l.m;
    corridor_block_t block = block_between(l, costs, ends, column, front, starts, *f);
    const int by = shift_to(l, ends, column, front, f->window);

    f->reach -= SPAN;
    if (block.low <= block.high)
        f->reach = block.high =
            static_cast<short>(max(static_cast<int>(block.high), f->reach));
    blocks[column / SPAN] = block;
    f->width += max(block.high - block.low, 0);
    shift_window(f->window, by);
    const int bit = f->window.top + 1 - (l.m - column);

    f->lost |=
        front.low <= front.high && (front.low < bit || front.high > bit + WINDOW - 2);
    f->front = front;
    f->column = column;
    /* F changes by at most one per row outside of the window before */
    f->top_f = rows.top + min(by, 0);
    f->last_f = rows.last - max(by, 0);
    CUDA_UNROLL
    for (int k = 0; k < WINDOW_WORDS; k++) {
        const unsigned above = ~low_bits(WINDOW - max(by, 0) - 32 * k),
                       below = low_bits(-by - 32 * k);

        f->top_f += count_bits(rows.falls[k] & above) - count_bits(rows.grows[k] & above);
        f->last_f +=
            count_bits(rows.grows[k] & below) - count_bits(rows.falls[k] & below);
    }
    bound_pads<W>(l, ends, f);
    f->top_r = f->last_r = R_NONE;
}

} // namespace
