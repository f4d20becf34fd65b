/*
 * integral.c - the definition of integral histograms.
 */
#include "io/base/integral.h"

#include <string.h>

void integral_add_row(int64_t *before, int64_t *row, int64_t first, int64_t n_columns,
                      int64_t n_bins)
{
    const int64_t begin = first * n_bins, end = n_columns * n_bins;

    for (int64_t k = begin + n_bins; k < end; k++)
        row[k] += row[k - n_bins];
    for (int64_t k = begin; k < end; k++)
        before[k] = row[k] += before[k];
}

status_t integral_rectangle(integral_read_t *read, void *from, const int64_t rows[2],
                            const int64_t columns[2], int64_t n_bins, int64_t *cell,
                            int64_t *count)
{
    memset(count, 0, (size_t)n_bins * sizeof(*count));
    for (int corner = 0; corner < 4; corner++) {
        const int i = corner / 2, j = corner % 2;
        const status_t st = read(from, rows[i], columns[j], cell);

        if (st != ST_OK)
            return st;
        for (int64_t k = 0; k < n_bins; k++)
            count[k] += i == j ? cell[k] : -cell[k];
    }
    return ST_OK;
}
