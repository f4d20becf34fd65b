/*
 * wavefront_cell.cuh - the cells of one column that a lane holds.
 *
 * E and F are kept without the cost of the gap that they are: E = e + open.  Then e of a
 * cell is max(e + extend, H) of the cell to its left, and so is f of the cell above.  Let
 * t be the H of a cell without its F.  Since opening a gap costs at least as much as
 * extending one, f of the next row is also max(f + extend, t): the rows of a column
 * depend on each other by that alone.
 *
 * Everything here also runs on the CPU.
 */
#pragma once

#include "kernels/align/wavefront/wavefront_layout.cuh"

namespace
{

/* How a column is scored: by a table of steps, or by sets. */
enum { WAVEFRONT_TABLE_STEPS, WAVEFRONT_SETS };

template <typename V> struct wavefront_steps_t {
    V match, mismatch, open, extend;
    const V *table; /* shared memory */
};

template <typename V> struct wavefront_lane_t {
    V h[WAVEFRONT_ROWS], e[WAVEFRONT_ROWS]; /* of the last column */
    V above;                                /* H above the first row, likewise */
    V f;                                    /* of the row behind the last */
    unsigned rows[WAVEFRONT_ROWS];          /* wavefront_row */
};

template <typename V> CUDA_BOTH inline V wavefront_max(V a, V b)
{
    return a > b ? a : b;
}

/* @return max(a + b, c), where c is not negative */
template <typename V> CUDA_BOTH inline V wavefront_add_max(V a, V b, V c)
{
    return wavefront_max<V>(a + b, c);
}

/* @return max(a + b, c, 0) */
template <typename V> CUDA_BOTH inline V wavefront_add_max_0(V a, V b, V c)
{
    return wavefront_max<V>(a + b, wavefront_max<V>(c, 0));
}

#ifdef __CUDA_ARCH__
/* @return max(a, b), where only a may be negative.  Numbers of 62 bits, read as doubles,
 * are in the same order, and negative ones are negative or NaN: where doubles are fast,
 * the comparison leaves the ALU pipe. */
template <> __device__ inline long long wavefront_max<long long>(long long a, long long b)
{
#if CUDA_FAST_DOUBLES
    return __longlong_as_double(a) > __longlong_as_double(b) ? a : b;
#else
    return a > b ? a : b;
#endif
}
#endif

template <> CUDA_BOTH inline int wavefront_add_max<int>(int a, int b, int c)
{
    return __viaddmax_s32(a, b, c);
}

template <> CUDA_BOTH inline int wavefront_add_max_0<int>(int a, int b, int c)
{
    return __viaddmax_s32_relu(a, b, c);
}

/* @return what a row's letter is looked up by; 0: there is no row */
template <int SCORED> CUDA_BOTH inline unsigned wavefront_row(unsigned letter)
{
    return SCORED == WAVEFRONT_TABLE_STEPS ? letter * ALPHABET_SIZE : letter;
}

/* @return the step of a column, in the row of wavefront_row */
template <int SCORED, typename V>
CUDA_BOTH inline V wavefront_step(const wavefront_steps_t<V> &steps, unsigned row,
                                  unsigned letter)
{
    if constexpr (SCORED == WAVEFRONT_TABLE_STEPS)
        return steps.table[row + letter];
    else
        return (row & letter) != 0 ? steps.match : steps.mismatch;
}

/*
 * Compute the next column of a lane.
 *
 * @param letter  of the column
 * @param h, f    of the row above the first: its H, and f of the first row
 * @param max     out: the greatest H
 * @return the bits of the way back, those of the first row lowest; STORES
 */
template <int SCORED, bool STORES, typename V>
CUDA_BOTH inline unsigned wavefront_column(const wavefront_steps_t<V> &steps,
                                           unsigned letter, V h, V f,
                                           wavefront_lane_t<V> *s, V *max)
{
    V diagonal = s->above, greatest = 0;
    unsigned back = 0;

    s->above = h;
    CUDA_UNROLL
    for (int r = 0; r < WAVEFRONT_ROWS; r++) {
        const V step = wavefront_step<SCORED>(steps, s->rows[r], letter);
        const V left = s->h[r], e = wavefront_add_max<V>(s->e[r], steps.extend, left);
        const V whole = diagonal + step;
        const V t = wavefront_add_max_0<V>(e, steps.open, whole);
        const bool f_opens = STORES && f == h;

        h = wavefront_add_max<V>(f, steps.open, t);
        if (STORES) {
            const unsigned way = h == 0                ? WAVEFRONT_STOP
                                 : h == whole          ? WAVEFRONT_DIAGONAL
                                 : h == f + steps.open ? WAVEFRONT_UP
                                                       : WAVEFRONT_LEFT;

            back |= (way | (f_opens ? unsigned{WAVEFRONT_F_OPENS} : 0u) |
                     (e == left ? unsigned{WAVEFRONT_E_OPENS} : 0u))
                    << (WAVEFRONT_BITS * r);
        }
        f = wavefront_add_max<V>(f, steps.extend, t);
        diagonal = left;
        s->h[r] = h;
        s->e[r] = e;
        greatest = wavefront_max<V>(greatest, h);
    }
    s->f = f;
    *max = greatest;
    return back;
}

} // namespace
