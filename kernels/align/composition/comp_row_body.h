/*
 * comp_row_body.h - the function of comp_row.h, included once per SIMD level with
 *
 *   NAME                    the function's name
 *   LANES                   64-bit lanes of a vector
 *   VEC                     the type of vectors
 *   V_LOAD(p), V_STORE(p, v)
 *   V_SET1(x), V_ADD(a, b), V_MAX(a, b)
 *   V_SHIFT_1(v, below)     lane l is lane l - 1 of v, and lane 0 the last one of `below`
 *   V_SHIFT_2, V_SHIFT_4    likewise by 2 and 4 lanes; V_SHIFT_4 only with 8 lanes
 *   V_LAST(v)               its last lane in all lanes
 *
 * The best path that ends with a gap along the row, e, is a maximum over all columns to
 * the left, less what the gap costs since.  In a vector it is found in steps of 1, 2 and
 * 4 columns; between vectors one value is carried on.
 */

int64_t NAME(const comp_row_t *row)
{
    const comp_row_t r = *row; /* a copy: stores might alias *row */
    const VEC open = V_SET1(r.open), extend = V_SET1(r.extend),
              none = V_SET1(INT64_MIN / 2);
    const VEC extend_2 = V_ADD(extend, extend), extend_4 = V_ADD(extend_2, extend_2);
    const VEC extend_all = LANES == 8 ? V_ADD(extend_4, extend_4) : extend_4;
    VEC best = V_SET1(0), above = V_SET1(0), carry = none;
    int64_t lanes[LANES], largest = 0;
    VEC ramp;

    for (int l = 0; l < LANES; l++)
        lanes[l] = l * r.extend;
    ramp = V_LOAD(lanes);
    for (int64_t j = 0; j < r.n; j += LANES) {
        const VEC up = V_LOAD(r.h + j), diagonal = V_SHIFT_1(up, above);
        const VEC f = V_MAX(V_ADD(up, open), V_ADD(V_LOAD(r.f + j), extend));
        const VEC other =
            V_MAX(V_MAX(V_ADD(diagonal, V_LOAD(r.steps + j)), f), V_SET1(0));
        const VEC opened = V_ADD(other, open);
        VEC e = V_SHIFT_1(opened, none), h;

        e = V_MAX(e, V_ADD(V_SHIFT_1(e, none), extend));
        e = V_MAX(e, V_ADD(V_SHIFT_2(e, none), extend_2));
#ifdef V_SHIFT_4
        e = V_MAX(e, V_ADD(V_SHIFT_4(e, none), extend_4));
#endif
        h = V_MAX(other, V_MAX(e, V_ADD(carry, ramp)));
        carry = V_MAX(V_LAST(V_MAX(opened, V_ADD(e, extend))), V_ADD(carry, extend_all));
        V_STORE(r.h + j, h);
        V_STORE(r.f + j, f);
        best = V_MAX(best, h);
        above = up;
    }
    V_STORE(lanes, best);
    for (int l = 0; l < LANES; l++)
        largest = lanes[l] > largest ? lanes[l] : largest;
    return largest;
}
