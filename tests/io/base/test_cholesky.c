/*
 * test_cholesky.c - tests that systems of linear equations are solved, and that matrices
 * that are not positive definite are told.
 */
#include "tests/support/unit_test.h"

#include "io/base/cholesky.h"

#include <math.h>

enum { N = 3 };

/* (4 2 -2; 2 10 4; -2 4 9), whose factor has the rows 2; 1 3; -1 5/3 sqrt(47)/3 */
static const double matrix[N * N] = {4, 2, -2, 2, 10, 4, -2, 4, 9};

static void both_right_sides_are_solved(void **state)
{
    /* those of (1 2 3) and (-1 0 5), side by side */
    double a[N * N], b[2 * N] = {2, -14, 34, 18, 33, 47};

    (void)state;
    for (int i = 0; i < N * N; i++)
        a[i] = matrix[i];
    assert_true(cholesky_factorise(N, a));
    for (int side = 0; side < 2; side++)
        cholesky_solve(N, a, &b[side], 2);
    for (int i = 0; i < N; i++)
        assert_true(fabs(b[2 * i] - (i + 1)) < 1e-12);
    assert_true(fabs(b[1] + 1) < 1e-12 && fabs(b[3]) < 1e-12 && fabs(b[5] - 5) < 1e-12);
}

static void the_upper_triangle_does_not_count(void **state)
{
    double a[N * N], b[N] = {2, 34, 33};

    (void)state;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i * N + j] = j > i ? NAN : matrix[i * N + j];
    assert_true(cholesky_factorise(N, a));
    cholesky_solve(N, a, b, 1);
    assert_true(fabs(b[0] - 1) < 1e-12 && fabs(b[2] - 3) < 1e-12);
}

static void other_matrices_are_told(void **state)
{
    double indefinite[] = {1, 2, 2, 1}, singular[] = {1, 1, 1, 1}, nan[] = {NAN};

    (void)state;
    assert_false(cholesky_factorise(2, indefinite));
    assert_false(cholesky_factorise(2, singular));
    assert_false(cholesky_factorise(1, nan));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_right_sides_are_solved),
        cmocka_unit_test(the_upper_triangle_does_not_count),
        cmocka_unit_test(other_matrices_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
