/*
 * test_arrays.c - objects travel, and what is no object of their kind is refused.
 */
#include "tests/support/unit_test.h"

#include "io/base/arrays.h"
#include "io/base/digest.h"
#include "io/base/texts.h"
#include "tests/support/captured_log.h"

#include <stdlib.h>
#include <string.h>

/* Offsets into letters, as in a set of sequences. */
typedef struct {
    int64_t n;
    int64_t *offset;
    uint8_t *letters;
} inner_t;

typedef struct {
    int size[2];
    inner_t inner;
    inner_t *other; /* or NULL */
    float *values;  /* [size[0] * size[1]] or NULL */
    char **names;   /* [size[0]], which stay */
} outer_t;

static int64_t n_offsets(const void *o)
{
    return ((const inner_t *)o)->n + 1;
}

static int64_t n_letters(const void *o)
{
    return ((const inner_t *)o)->offset[((const inner_t *)o)->n];
}

static int64_t n_values(const void *o)
{
    return (int64_t)((const outer_t *)o)->size[0] * ((const outer_t *)o)->size[1];
}

static int64_t n_names(const void *o)
{
    return ((const outer_t *)o)->size[0];
}

static bool is_valid(const void *o)
{
    return ((const inner_t *)o)->n >= 0;
}

static const array_t inner_rows[] = {ARRAY_VALUE(inner_t, n, ARRAY_INT64,
                                                 .has_no_digest = true),
                                     ARRAY_OF(inner_t, offset, ARRAY_INT64, n_offsets),
                                     ARRAY_OF(inner_t, letters, ARRAY_BYTES, n_letters),
                                     ARRAYS_END};
static const arrays_t inner = {"an inner", sizeof(inner_t), inner_rows, is_valid};

static const array_t outer_rows[] = {ARRAY_VALUE(outer_t, size, ARRAY_INT32),
                                     ARRAY_MEMBER(outer_t, inner, &inner),
                                     {.name = "other",
                                      .type = ARRAY_OBJECT,
                                      .at = offsetof(outer_t, other),
                                      .object = &inner,
                                      .is_pointer = true,
                                      .is_optional = true},
                                     ARRAY_OF(outer_t, values, ARRAY_FLOAT, n_values,
                                              .is_optional = true),
                                     ARRAY_OF(outer_t, names, ARRAY_TEXTS, n_names,
                                              .stays = true),
                                     ARRAYS_END};
static const arrays_t outer = {"an outer", sizeof(outer_t), outer_rows, NULL};

static int64_t offsets[] = {0, 2, 5}, none[] = {0};
static uint8_t letters[] = {7, 8, 9, 10, 11}, no_letters[1];
static float values[] = {1, 2, 3, 4, 5, 6};
static char text_block[] = "one\0\0three",
            *texts[] = {text_block, text_block + 4, text_block + 5};
static inner_t empty = {0, none, no_letters};
static const outer_t example = {{3, 2}, {2, offsets, letters}, &empty, values, texts};

typedef struct {
    arrays_spans_t from, to;
} way_t;

/* Send an object. @return what settling it returns, or creating it */
static status_t send(const outer_t *object, bool to_ranks, way_t *way, outer_t *out)
{
    const array_span_t *a, *b;
    size_t n, n_to;
    status_t st;

    *way = (way_t){.from = {.head = {0}}};
    *out = (outer_t){.other = NULL};
    assert_int_equal(arrays_list(&outer, object, to_ranks, &way->from), ST_OK);
    st = arrays_create(&outer, way->from.head.data, way->from.head.len, out, &way->to);
    if (st != ST_OK)
        return st;
    a = arrays_spans(&way->from, &n);
    b = arrays_spans(&way->to, &n_to);
    assert_int_equal(n, n_to);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(a[i].len, b[i].len);
        memcpy(b[i].data, a[i].data, a[i].len);
    }
    return arrays_settle(&outer, &way->to, out);
}

static void end(way_t *way)
{
    arrays_spans_free(&way->from);
    arrays_spans_free(&way->to);
}

static void an_object_arrives_as_it_was(void **state)
{
    outer_t got;
    way_t way;

    (void)state;
    assert_int_equal(send(&example, false, &way, &got), ST_OK);
    assert_int_equal(got.size[0], 3);
    assert_int_equal(got.size[1], 2);
    assert_int_equal(got.inner.n, 2);
    assert_memory_equal(got.inner.offset, offsets, sizeof(offsets));
    assert_memory_equal(got.inner.letters, letters, sizeof(letters));
    assert_int_equal(got.other->n, 0);
    assert_int_equal(got.other->offset[0], 0);
    assert_memory_equal(got.values, values, sizeof(values));
    assert_string_equal(got.names[0], "one");
    assert_string_equal(got.names[1], "");
    assert_string_equal(got.names[2], "three");
    assert_true(arrays_digest(&outer, DIGEST_START, &got) ==
                arrays_digest(&outer, DIGEST_START, &example));
    arrays_free(&outer, &got);
    assert_null(got.values);
    assert_null(got.other);
    assert_int_equal(got.inner.n, 0);
    end(&way);
}

static void what_stays_does_not_go_to_ranks(void **state)
{
    outer_t got, little = example;
    way_t way;

    (void)state;
    little.values = NULL;
    little.other = NULL;
    assert_int_equal(send(&little, true, &way, &got), ST_OK);
    assert_null(got.names);
    assert_null(got.values);
    assert_null(got.other);
    arrays_free(&outer, &got);
    end(&way);
}

static void every_member_counts_in_the_digest_that_has_one(void **state)
{
    const uint64_t digest = arrays_digest(&outer, DIGEST_START, &example);
    outer_t other = example;

    (void)state;
    other.inner.n = 1; /* fewer offsets and letters */
    assert_true(arrays_digest(&outer, DIGEST_START, &other) != digest);
    other = example;
    other.size[1] = 1;
    assert_true(arrays_digest(&outer, DIGEST_START, &other) != digest);
    other = example;
    other.values = NULL;
    assert_true(arrays_digest(&outer, DIGEST_START, &other) != digest);
}

static void expect_refused(const outer_t *object)
{
    outer_t got;
    way_t way;

    capture_start();
    assert_int_equal(send(object, false, &way, &got), ST_EINPUT);
    capture_stop();
    assert_logged("an outer");
    assert_null(got.values); /* it is freed */
    end(&way);
}

static void arrays_that_must_be_there_are_demanded(void **state)
{
    outer_t object = example;

    (void)state;
    object.inner.letters = NULL;
    expect_refused(&object);
    object = example;
    object.inner.offset = NULL;
    object.inner.letters = NULL;
    expect_refused(&object);
}

/* Change 8 bytes of the head, or leave out its end. */
static void expect_bad_head(size_t at, int64_t value, size_t len)
{
    arrays_spans_t from = {.head = {0}}, to = {.head = {0}};
    outer_t got = {.other = NULL};
    status_t st;

    assert_int_equal(arrays_list(&outer, &example, false, &from), ST_OK);
    if (at != SIZE_MAX)
        memcpy(from.head.data + at, &value, sizeof(value));
    len = len < from.head.len ? len : from.head.len;
    capture_start();
    st = arrays_create(&outer, from.head.data, len, &got, &to);
    if (st == ST_OK)
        st = arrays_settle(&outer, &to, &got);
    capture_stop();
    assert_int_equal(st, ST_EINPUT);
    assert_null(got.values);
    arrays_spans_free(&from);
    arrays_spans_free(&to);
}

/* The head: size, inner.n, then n and bytes of offset. */
static void heads_that_lie_are_refused(void **state)
{
    (void)state;
    expect_bad_head(SIZE_MAX, 0, 11);                /* cut within a value */
    expect_bad_head(SIZE_MAX, 0, 8 + 8 + 8);         /* within an array's size */
    expect_bad_head(8, -1, SIZE_MAX);                /* a negative count */
    expect_bad_head(8, 5, SIZE_MAX);                 /* more than there are */
    expect_bad_head(8 + 8, INT64_MAX, SIZE_MAX);     /* n and bytes differ */
    expect_bad_head(8 + 8 + 8, INT64_MIN, SIZE_MAX); /* a negative size */
    expect_bad_head(8 + 8, -2, SIZE_MAX);            /* neither NULL nor a count */
}

static void texts_are_copied_into_one_block(void **state)
{
    char **copy;

    (void)state;
    assert_int_equal(texts_bytes(texts, 3), 4 + 1 + 6);
    assert_int_equal(texts_copy("one\0two\0three", 3, &copy), ST_OK);
    assert_string_equal(copy[2], "three");
    assert_ptr_equal(copy[1], copy[0] + 4);
    texts_free(copy);
    assert_int_equal(texts_copy("", 0, &copy), ST_OK);
    texts_free(copy);
    texts_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_object_arrives_as_it_was),
        cmocka_unit_test(what_stays_does_not_go_to_ranks),
        cmocka_unit_test(every_member_counts_in_the_digest_that_has_one),
        cmocka_unit_test(arrays_that_must_be_there_are_demanded),
        cmocka_unit_test(heads_that_lie_are_refused),
        cmocka_unit_test(texts_are_copied_into_one_block),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
