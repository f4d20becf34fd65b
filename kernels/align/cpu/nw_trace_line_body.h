/*
 * nw_trace_line_body.h - the function of nw_trace_line.h, included once per SIMD level
 * with
 *
 *   NAME                      the function's name
 *   LANES                     64-bit lanes of a vector, at most TRACE_LINE_PAD
 *   VEC, MASK                 the types of vectors and of masks of lanes
 *   V_LOAD(p), V_STORE(p, v)
 *   V_SET1(x), V_ADD(a, b)
 *   V_NOWHERE                 the mask of no lane
 *   V_LESS(a, b)              mask of the lanes where a < b
 *   V_PICK(mask, a, b)        a where the mask is set, else b
 *   V_SHARE(rows, columns)    mask of the lanes whose bases share a bit
 *   V_DIRECTIONS(p, is_side, is_left, up_goes_on, left_goes_on)
 *                             store a direction per lane, and flags
 */
#include <stdbool.h>
#include <stddef.h>

static inline __attribute__((always_inline)) VEC step_of(const nw_trace_line_t *l,
                                                         int64_t i, bool has_table)
{
    int64_t steps[LANES];

    if (!has_table)
        return V_PICK(V_SHARE(l->rows + i, l->columns + i), V_SET1(l->match),
                      V_SET1(l->mismatch));
    for (int lane = 0; lane < LANES; lane++)
        steps[lane] = l->table[TRACE_STEPS_AT(l->rows[i + lane], l->columns[i + lane])];
    return V_LOAD(steps);
}

static inline __attribute__((always_inline)) void sweep(const nw_trace_line_t *l,
                                                        bool has_table,
                                                        bool has_directions)
{
    const nw_trace_line_t line = *l; /* a copy: stores might alias *l */

    for (int64_t i = line.first; i <= line.last; i += LANES) {
        VEC diagonal = V_ADD(V_LOAD(line.two_back + i - 1), step_of(&line, i, has_table));
        VEC up = V_ADD(V_LOAD(line.one_back + i - 1), V_SET1(line.gap));
        VEC left = V_ADD(V_LOAD(line.one_back + i), V_SET1(line.gap));
        MASK is_left = V_LESS(up, left);
        VEC side = V_PICK(is_left, left, up);
        MASK is_side = V_LESS(diagonal, side);

        V_STORE(line.now + i, V_PICK(is_side, side, diagonal));
        if (has_directions)
            V_DIRECTIONS(line.directions + i, is_side, is_left, V_NOWHERE, V_NOWHERE);
    }
}

static inline __attribute__((always_inline)) void sweep_affine(const nw_trace_line_t *l,
                                                               bool has_table,
                                                               bool has_directions)
{
    const nw_trace_line_t line = *l;

    for (int64_t i = line.first; i <= line.last; i += LANES) {
        VEC diagonal = V_ADD(V_LOAD(line.two_back + i - 1), step_of(&line, i, has_table));
        VEC up = V_ADD(V_LOAD(line.one_back + i - 1), V_SET1(line.open));
        VEC left = V_ADD(V_LOAD(line.one_back + i), V_SET1(line.open));
        VEC up_on = V_ADD(V_LOAD(line.back_f + i - 1), V_SET1(line.gap));
        VEC left_on = V_ADD(V_LOAD(line.back_e + i), V_SET1(line.gap));
        MASK up_goes_on = V_LESS(up, up_on), left_goes_on = V_LESS(left, left_on);
        VEC f = V_PICK(up_goes_on, up_on, up), e = V_PICK(left_goes_on, left_on, left);
        MASK is_left = V_LESS(f, e);
        VEC side = V_PICK(is_left, e, f);
        MASK is_side = V_LESS(diagonal, side);

        V_STORE(line.now + i, V_PICK(is_side, side, diagonal));
        V_STORE(line.now_e + i, e);
        V_STORE(line.now_f + i, f);
        if (has_directions)
            V_DIRECTIONS(line.directions + i, is_side, is_left, up_goes_on, left_goes_on);
    }
}

void NAME(const nw_trace_line_t *l)
{
    if (l->back_e != NULL && l->table != NULL)
        sweep_affine(l, true, l->directions != NULL);
    else if (l->back_e != NULL)
        sweep_affine(l, false, l->directions != NULL);
    else if (l->table != NULL)
        sweep(l, true, l->directions != NULL);
    else if (l->directions != NULL)
        sweep(l, false, true);
    else
        sweep(l, false, false);
}
