/*
 * test_simd_spread.c - interleaved sequences, for every number of lanes and all lengths
 * around the side of a block.
 */
#include "tests/support/unit_test.h"

#include "kernels/align/simd/simd_group.h"

#include <stdlib.h>
#include <string.h>

enum { LANES_MAX = 64, LEN_MAX = 50, PAD = 0x80, UNTOUCHED = 0xEE };

static uint8_t letters[LANES_MAX][LEN_MAX];
static uint8_t table[DNA_SIZE];

/* Lane k has (k * step) % (LEN_MAX + 1) letters. @param keep  the codes as they are */
static void assert_spread(bool keep, int n, int lanes, int step, int64_t n_positions)
{
    simd_spread_lane_t in[LANES_MAX];
    uint8_t *out = malloc((size_t)(n_positions + 1) * (size_t)lanes);

    assert_non_null(out);
    memset(out, UNTOUCHED, (size_t)(n_positions + 1) * (size_t)lanes);
    for (int k = 0; k < n; k++)
        in[k] = (simd_spread_lane_t){letters[k], k * step % (LEN_MAX + 1)};
    simd_spread(in, n, lanes, keep ? NULL : table, PAD, n_positions, out);
    for (int64_t i = 0; i < n_positions; i++)
        for (int k = 0; k < lanes; k++)
            assert_int_equal(out[i * lanes + k], k >= n || i >= in[k].len ? PAD
                                                 : keep                   ? letters[k][i]
                                                        : table[letters[k][i]]);
    for (int k = 0; k < lanes; k++)
        assert_int_equal(out[n_positions * lanes + k], UNTOUCHED);
    free(out);
}

static void bases_are_translated_and_interleaved(void **state)
{
    (void)state;
    for (int code = 0; code < DNA_SIZE; code++)
        table[code] = (uint8_t)(7 * code + 1);
    for (int k = 0; k < LANES_MAX; k++)
        for (int i = 0; i < LEN_MAX; i++)
            letters[k][i] = (uint8_t)((5 * k + 3 * i + i * i) % DNA_SIZE);
    for (int lanes = 2; lanes <= LANES_MAX; lanes *= 2)
        for (int n = 1; n <= lanes; n += 1 + lanes / 4)
            for (int step = 1; step < LEN_MAX; step += 12)
                for (int64_t n_positions = LEN_MAX; n_positions <= LEN_MAX + 17;
                     n_positions += 7)
                    for (int keep = 0; keep < 2; keep++)
                        assert_spread(keep, n, lanes, step, n_positions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bases_are_translated_and_interleaved),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
