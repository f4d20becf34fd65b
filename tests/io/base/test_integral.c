/*
 * test_integral.c - integral histograms against sums by hand.
 */
#include "tests/support/unit_test.h"

#include "io/base/integral.h"

#include <string.h>

enum { ROWS = 3, COLUMNS = 4, BINS = 2 };

/* Cells (i, j): bin 0 has 10 i + j, bin 1 has 1. */
static int64_t p[ROWS + 1][COLUMNS + 1][BINS];

static status_t read_p(void *from, int64_t i, int64_t j, int64_t *out)
{
    const int64_t *limit = from;

    if (i > *limit)
        return ST_EIO;
    memcpy(out, p[i][j], sizeof(p[i][j]));
    return ST_OK;
}

static void make_p(int64_t first)
{
    int64_t before[COLUMNS][BINS] = {{0}};

    memset(p, 0, sizeof(p));
    for (int64_t i = 0; i < ROWS; i++) {
        int64_t(*row)[BINS] = p[i + 1] + 1;

        for (int64_t j = first; j < COLUMNS; j++) {
            row[j][0] = 10 * i + j;
            row[j][1] = 1;
        }
        integral_add_row(&before[0][0], &row[0][0], first, COLUMNS, BINS);
        assert_memory_equal(before, row, sizeof(before));
    }
}

static void every_rectangle_is_the_sum_of_its_cells(void **state)
{
    int64_t limit = ROWS, cell[BINS], count[BINS];

    (void)state;
    for (int64_t first = 0; first < 2; first++) {
        make_p(first);
        for (int64_t a = 0; a <= ROWS; a++)
            for (int64_t b = a; b <= ROWS; b++)
                for (int64_t c = 0; c <= COLUMNS; c++)
                    for (int64_t d = c; d <= COLUMNS; d++) {
                        const int64_t rows[] = {a, b}, columns[] = {c, d};
                        int64_t want[BINS] = {0};

                        for (int64_t i = a; i < b; i++)
                            for (int64_t j = c > first ? c : first; j < d; j++) {
                                want[0] += 10 * i + j;
                                want[1]++;
                            }
                        assert_int_equal(integral_rectangle(read_p, &limit, rows, columns,
                                                            BINS, cell, count),
                                         ST_OK);
                        assert_memory_equal(count, want, sizeof(want));
                    }
    }
}

static void an_error_of_reading_is_passed_on(void **state)
{
    const int64_t rows[] = {0, 2}, columns[] = {0, 1};
    int64_t limit = 1, cell[BINS], count[BINS];

    (void)state;
    assert_int_equal(integral_rectangle(read_p, &limit, rows, columns, BINS, cell, count),
                     ST_EIO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rectangle_is_the_sum_of_its_cells),
        cmocka_unit_test(an_error_of_reading_is_passed_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
