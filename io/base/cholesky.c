/*
 * cholesky.c - the factors, and both triangular systems.
 */
#include "io/base/cholesky.h"

#include <math.h>

bool cholesky_factorise(int n, double *a)
{
    bool is_positive = true;

    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double s = a[i * n + j];

            for (int k = 0; k < j; k++)
                s -= a[i * n + k] * a[j * n + k];
            a[i * n + j] = i == j ? sqrt(s) : s / a[j * n + j];
            is_positive = is_positive && (i != j || s > 0);
        }
    return is_positive;
}

void cholesky_solve(int n, const double *a, double *b, int stride)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            b[i * stride] -= a[i * n + k] * b[k * stride];
        b[i * stride] /= a[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            b[i * stride] -= a[k * n + i] * b[k * stride];
        b[i * stride] /= a[i * n + i];
    }
}
