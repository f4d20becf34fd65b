/*
 * test_pairs_equal.c - two results of a tile are compared by what they hold.
 */
#include "tests/support/unit_test.h"

#include "io/pairs/write/pairs_cigar_pack.h"
#include "io/pairs/write/pairs_hits.h"
#include "io/pairs/write/pairs_write.h"
#include "io/store/tile_pack.h"

enum { SIDE = 4, N = SIDE * SIDE };

/* A tile of two matrices whose last value is given, and text.
 * @param kind  how the second one is compressed: other bytes of the same values */
static buf_t tile(int64_t n_without, int32_t last, const char *cigars,
                  deflate_kind_t kind)
{
    tile_grid_t grid = tile_grid_of(2 * SIDE, SIDE);
    int32_t values[N], shuffled[N];
    buf_t out = {0}, text = {0};

    for (int i = 0; i < N; i++)
        values[i] = i * 1000 / 7;
    values[N - 1] = last;
    assert_int_equal(buf_append(&out, &n_without, sizeof(n_without)), ST_OK);
    assert_int_equal(tile_pack_append(values, N, shuffled, &out), ST_OK);
    tile_pack_shuffle(values, N, sizeof(*values), shuffled);
    assert_int_equal(tile_pack_append_bytes(shuffled, sizeof(shuffled), kind, &out),
                     ST_OK);
    if (cigars != NULL) {
        assert_int_equal(buf_printf(&text, "%s", cigars), ST_OK);
        assert_int_equal(pairs_cigar_pack(&grid, &text, &out), ST_OK);
    }
    buf_free(&text);
    return out;
}

/* Frees both. */
static bool tiles_equal(buf_t a, buf_t b, bool has_text)
{
    tile_grid_t grid = tile_grid_of(2 * SIDE, SIDE);
    bool equal;

    assert_int_equal(pairs_equal_tiles(&grid, 2, has_text, &a, &b, &equal), ST_OK);
    buf_free(&a);
    buf_free(&b);
    return equal;
}

static void equal_values_in_other_bytes_are_equal(void **state)
{
    (void)state;
    assert_true(tiles_equal(tile(0, 5, NULL, DEFLATE_TEXT),
                            tile(0, 5, NULL, DEFLATE_SQUARE), false));
}

static void another_value_count_or_text_differs(void **state)
{
    (void)state;
    assert_false(tiles_equal(tile(0, 5, NULL, DEFLATE_TEXT),
                             tile(0, 6, NULL, DEFLATE_TEXT), false));
    assert_false(tiles_equal(tile(0, 5, NULL, DEFLATE_TEXT),
                             tile(1, 5, NULL, DEFLATE_TEXT), false));
    assert_true(tiles_equal(tile(0, 5, "4M1D", DEFLATE_TEXT),
                            tile(0, 5, "4M1D", DEFLATE_LETTERS), true));
    assert_false(tiles_equal(tile(0, 5, "4M1D", DEFLATE_TEXT),
                             tile(0, 5, "4M1I", DEFLATE_TEXT), true));
}

static void a_result_that_is_cut_differs(void **state)
{
    buf_t whole = tile(0, 5, "4M1D", DEFLATE_TEXT);

    (void)state;
    for (size_t at = 0; at < whole.len; at++) {
        buf_t cut = tile(0, 5, "4M1D", DEFLATE_TEXT);

        cut.len = at;
        assert_false(tiles_equal(tile(0, 5, "4M1D", DEFLATE_TEXT), cut, true));
    }
    buf_free(&whole);
}

/* Of one pair with this score. */
static buf_t hits(int32_t score, int64_t n_dropped, const char *cigar)
{
    pairs_hits_t h = {.n_dropped = {n_dropped}};
    pairs_entry_t e = {.hit = {1, 2, score, 3, 4, 1}};
    buf_t out = {0};

    assert_int_equal(buf_printf(&h.text, "%s", cigar), ST_OK);
    e.text_len = (int32_t)h.text.len;
    assert_int_equal(buf_append(&h.entries, &e, sizeof(e)), ST_OK);
    assert_int_equal(pairs_hits_pack(&h, &out), ST_OK);
    pairs_hits_free(&h);
    return out;
}

static bool hits_equal(buf_t a, buf_t b)
{
    bool equal;

    assert_int_equal(pairs_equal_hits(&a, &b, &equal), ST_OK);
    buf_free(&a);
    buf_free(&b);
    return equal;
}

static void hits_are_equal_whatever_filters_dropped(void **state)
{
    buf_t cut = hits(7, 0, "4M");

    (void)state;
    assert_true(hits_equal(hits(7, 0, "4M"), hits(7, 9, "4M")));
    assert_false(hits_equal(hits(7, 0, "4M"), hits(8, 0, "4M")));
    assert_false(hits_equal(hits(7, 0, "4M"), hits(7, 0, "3M")));
    cut.len -= 2;
    assert_false(hits_equal(hits(7, 0, "4M"), cut));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_values_in_other_bytes_are_equal),
        cmocka_unit_test(another_value_count_or_text_differs),
        cmocka_unit_test(a_result_that_is_cut_differs),
        cmocka_unit_test(hits_are_equal_whatever_filters_dropped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
