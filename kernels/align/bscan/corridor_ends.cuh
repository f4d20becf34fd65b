/*
 * corridor_ends.cuh - what the best paths of a pair cost at most, and where they end,
 * from the last row and the last column of F (corridor_sweep.cuh).
 */
#pragma once

#include "kernels/align/bscan/corridor_window.cuh"

namespace
{

/* Visit the cells of the last row, from the last column on backwards: visit(B F + K r, r)
 * of each cell from which a path skips r bases, unless it certainly exceeds the limit.
 * @param n_columns  at least n; a multiple of SPAN
 * @param f          F in the last row there */
template <int W, typename VISIT>
CUDA_BOTH void visit_last_row(const lane_t &l, const corridor_costs_t &costs,
                              int n_columns, int f, const int &limit, VISIT visit)
{
    const int edit = static_cast<int>(costs.edit), skipped = static_cast<int>(costs.skip);
    int p = edit * f + skipped * (l.n - n_columns);

    for (int column = n_columns; column > 0; column -= SPAN) {
        const unsigned *sample = sample_at<W>(l, column) + 2 * W * WARP;
        unsigned grows = sample[0], falls = sample[WARP];
        const int rises = count_bits(grows) - count_bits(falls);

        if (column - SPAN < l.n && p - SPAN * (edit - skipped) <= limit) {
            int q = p;

            CUDA_NO_UNROLL
            for (int k = 0; k < SPAN; k++) {
                const int r = l.n - column + k;

                if (r >= 0)
                    visit(q, r);
                q += skipped -
                     edit * (static_cast<int>(grows & 1) - static_cast<int>(falls & 1));
                grows >>= 1;
                falls >>= 1;
            }
        }
        p += SPAN * skipped - edit * rises;
    }
    if (p <= limit)
        visit(p, l.n);
}

/* The same for the last column, from the last row on backwards.
 * @param f  F in the last cell */
template <int W, typename VISIT>
CUDA_BOTH void visit_last_column(const lane_t &l, const corridor_costs_t &costs,
                                 const stripes_t<W> &s, int f, VISIT visit)
{
    const int edit = static_cast<int>(costs.edit), skipped = static_cast<int>(costs.skip);
    int p = edit * f, r = 0;

    CUDA_NO_UNROLL
    for (int stripe = WARP - 1; stripe >= 0; stripe--) {
        CUDA_UNROLL
        for (int w = W - 1; w >= 0; w--) {
            const int grows = static_cast<int>(s.pv[w] >> stripe & 1),
                      falls = static_cast<int>(s.mv[w] >> stripe & 1);

            if (r <= l.m)
                visit(p, r);
            p += skipped + edit * (falls - grows);
            r++;
        }
    }
    if (r == l.m)
        visit(p, r);
}

/* @param f  F in the last row, in column n_columns */
template <int W>
CUDA_BOTH path_ends_t find_ends(const lane_t &l, const corridor_costs_t &costs,
                                int n_samples, int n_columns, int f)
{
    const int edit = static_cast<int>(costs.edit);
    const stripes_t<W> s = kept_column<W>(last_sample<W>(l, n_samples));
    const int last = skip_cost(costs, l.pads + l.n) + growth(s, WARP * W);
    path_ends_t ends = {0, INT_MAX / 4, -1, INT_MAX / 4, -1, n_columns, f};
    int limit = INT_MAX;

    visit_last_row<W>(l, costs, n_columns, f, limit,
                      [&](int p, int) { limit = p < limit ? p : limit; });
    visit_last_column<W>(l, costs, s, last,
                         [&](int p, int) { limit = p < limit ? p : limit; });
    ends.most = (limit + edit - 1) / edit;
    limit = edit * ends.most + edit - 1;
    visit_last_row<W>(l, costs, n_columns, f, limit, [&](int p, int r) {
        if (p <= limit) {
            ends.row_min = min(ends.row_min, r);
            ends.row_max = r;
        }
    });
    visit_last_column<W>(l, costs, s, last, [&](int p, int r) {
        if (p <= limit) {
            ends.column_min = min(ends.column_min, r);
            ends.column_max = r;
        }
    });
    return ends;
}

} // namespace
