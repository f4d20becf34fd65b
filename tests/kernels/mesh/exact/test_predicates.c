/*
 * test_predicates.c - signs of determinants against integers of any length, and what
 * happens where the compiler fuses products with sums.
 */
#include "kernels/mesh/exact/predicates.h"

#include "io/base/rng.h"
#include "tests/support/unit_test.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* ---- integers of 512 bits, of which two's complement ones are enough here ---- */

enum { LIMBS = 16 };

typedef struct {
    uint32_t limb[LIMBS];
} big_t;

static big_t big(int64_t value)
{
    big_t b;

    memset(&b, value < 0 ? 0xff : 0, sizeof(b));
    b.limb[0] = (uint32_t)value;
    b.limb[1] = (uint32_t)((uint64_t)value >> 32);
    return b;
}

static big_t add(big_t a, big_t b)
{
    uint64_t carry = 0;

    for (int i = 0; i < LIMBS; i++) {
        carry += (uint64_t)a.limb[i] + b.limb[i];
        a.limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return a;
}

static big_t minus(big_t a, big_t b)
{
    for (int i = 0; i < LIMBS; i++)
        b.limb[i] = ~b.limb[i];
    return add(add(a, b), big(1));
}

static big_t times(big_t a, big_t b)
{
    big_t c = big(0);

    for (int i = 0; i < LIMBS; i++) {
        uint64_t carry = 0;

        for (int k = 0; i + k < LIMBS; k++) {
            carry += (uint64_t)a.limb[i] * b.limb[k] + c.limb[i + k];
            c.limb[i + k] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    return c;
}

static int sign(big_t a)
{
    if (a.limb[LIMBS - 1] >> 31 != 0)
        return -1;
    for (int i = 0; i < LIMBS; i++)
        if (a.limb[i] != 0)
            return 1;
    return 0;
}

static int sign_of_double(double x)
{
    return (x > 0) - (x < 0);
}

/* A point of integers. */
typedef struct {
    int64_t x, y;
} point_t;

static big_t area(point_t a, point_t b, point_t c)
{
    const big_t ax = minus(big(a.x), big(c.x)), ay = minus(big(a.y), big(c.y));
    const big_t bx = minus(big(b.x), big(c.x)), by = minus(big(b.y), big(c.y));

    return minus(times(ax, by), times(ay, bx));
}

static big_t square(point_t a, point_t d)
{
    const big_t x = minus(big(a.x), big(d.x)), y = minus(big(a.y), big(d.y));

    return add(times(x, x), times(y, y));
}

static int true_circle(point_t a, point_t b, point_t c, point_t d)
{
    return sign(
        add(add(times(square(a, d), area(b, c, d)), times(square(b, d), area(c, a, d))),
            times(square(c, d), area(a, b, d))));
}

/* The point, times a power of two. */
static const double *real(point_t a, double unit, double out[2])
{
    out[0] = (double)a.x * unit;
    out[1] = (double)a.y * unit;
    return out;
}

typedef double orient_t(const double *, const double *, const double *);
typedef double circle_t(const double *, const double *, const double *, const double *);

/* @return whether both signs are right */
static bool is_right(orient_t *orient, circle_t *circle, const point_t p[4], double unit)
{
    double r[4][2];

    for (int k = 0; k < 4; k++)
        real(p[k], unit, r[k]);
    return sign_of_double(orient(r[0], r[1], r[2])) == sign(area(p[0], p[1], p[2])) &&
           sign_of_double(circle(r[0], r[1], r[2], r[3])) ==
               true_circle(p[0], p[1], p[2], p[3]);
}

/* ---- tests ---- */

/* Coordinates of all 53 bits, at different scales. */
static void random_points_have_the_right_signs(void **state)
{
    rng_t rng = rng_seed(1);

    (void)state;
    for (int n = 0; n < 20000; n++) {
        const uint64_t range = UINT64_C(1) << (1 + n % 53);
        point_t p[4];

        for (int k = 0; k < 4; k++)
            p[k] = (point_t){(int64_t)rng_below(&rng, range) - (int64_t)range / 2,
                             (int64_t)rng_below(&rng, range) - (int64_t)range / 2};
        assert_true(is_right(orient2d, incircle, p, ldexp(1, n % 100 - 80)));
    }
}

/* Nearly on a line and nearly on a circle: corners of a square that is far away, moved by
 * units in the last place, where a filter never decides. */
static void nearly_flat_points_have_the_right_signs(void **state)
{
    const int64_t far = INT64_C(1) << 52;
    rng_t rng = rng_seed(2);
    int n_circles = 0;

    (void)state;
    for (int n = 0; n < 20000; n++) {
        const int64_t side = 1 + (int64_t)rng_below(&rng, UINT64_C(1) << (1 + n % 40));
        point_t p[4] = {{far, far},
                        {far + side, far},
                        {far + side, far + side},
                        {far, far + side}};

        for (int k = 0; k < 4; k++) {
            p[k].x += (int64_t)rng_below(&rng, 3) - 1;
            p[k].y += (int64_t)rng_below(&rng, 3) - 1;
        }
        if (n % 2 == 0)
            p[2] = (point_t){2 * p[1].x - p[0].x, 2 * p[1].y - p[0].y + n % 3 - 1};
        n_circles += true_circle(p[0], p[1], p[2], p[3]) == 0;
        assert_true(is_right(orient2d, incircle, p, 1));
    }
    assert_true(n_circles > 0);
}

/* Corners of the cells of a grid whose step, 0.1, is no double: counts of corners of
 * which determinants in doubles have a wrong sign, or fused ones. */
static void plain_doubles_fail_on_a_grid(void **state)
{
    const double unit = ldexp(1, -56);
    int n_wrong = 0;

    (void)state;
    for (int row = 0; row < 60; row++)
        for (int column = 0; column < 60; column++) {
            double r[4][2];
            point_t p[4];

            for (int k = 0; k < 4; k++) {
                const double x = .1 * (column + (k == 1 || k == 2));
                const double y = .1 * (row + (k > 1));

                p[k] = (point_t){(int64_t)(x / unit), (int64_t)(y / unit)};
                real(p[k], unit, r[k]);
                assert_true(r[k][0] == x && r[k][1] == y);
            }
            const double x[3] = {r[0][0] - r[3][0], r[1][0] - r[3][0], r[2][0] - r[3][0]};
            const double y[3] = {r[0][1] - r[3][1], r[1][1] - r[3][1], r[2][1] - r[3][1]};
            double plain = 0;

            for (int k = 0; k < 3; k++) {
                const int l = (k + 1) % 3, m = (k + 2) % 3;

                plain += (x[k] * x[k] + y[k] * y[k]) * (x[l] * y[m] - x[m] * y[l]);
            }
            n_wrong += sign_of_double(plain) != true_circle(p[0], p[1], p[2], p[3]);
            assert_true(is_right(orient2d, incircle, p, unit));
        }
    assert_true(n_wrong > 100);
}

/* Why -ffp-contract=off: two equal products cancel where both are rounded; where one of
 * them is fused with the difference, its error is left over as an area of no triangle. */
static void fused_products_give_wrong_signs(void **state)
{
    int n_wrong = 0;

    (void)state;
    for (int row = 1; row < 60; row++)
        for (int column = 1; column < 60; column++) {
            const double a[2] = {.1 * column, .1 * row}, b[2] = {-a[0], -a[1]};
            const double c[2] = {0, 0};

            assert_true(a[0] * b[1] - a[1] * b[0] == 0 && orient2d(a, b, c) == 0);
            n_wrong += fma(a[0], b[1], -(a[1] * b[0])) != 0;
        }
    assert_true(n_wrong > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_points_have_the_right_signs),
        cmocka_unit_test(nearly_flat_points_have_the_right_signs),
        cmocka_unit_test(plain_doubles_fail_on_a_grid),
        cmocka_unit_test(fused_products_give_wrong_signs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
