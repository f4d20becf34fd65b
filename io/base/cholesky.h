/*
 * cholesky.h - systems of linear equations whose matrix is symmetric and positive
 * definite, by Cholesky's factorisation.
 */
#pragma once

#include <stdbool.h>

/*
 * Factorise a matrix in place, of which the lower triangle counts.
 *
 * @param a  [n][n], row by row
 * @return whether it is positive definite; else it holds no factors
 */
bool cholesky_factorise(int n, double *a);

/*
 * Solve the system for one right side.
 *
 * @param a       the factors
 * @param b       [n], each `stride` behind the last one; x replaces it
 */
void cholesky_solve(int n, const double *a, double *b, int stride);
