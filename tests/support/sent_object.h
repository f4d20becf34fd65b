/*
 * sent_object.h - an object that travels, and is changed on its way.
 */
#pragma once

#include "io/base/arrays.h"
#include "tests/support/captured_log.h"
#include "tests/support/unit_test.h"

/* Send an object whose arrays are changed after their sizes were listed.
 * @return what the receiver finds */
static inline status_t send_changed(const arrays_t *a, void *object,
                                    void (*change)(void *object))
{
    arrays_spans_t from = {.head = {0}}, to = {.head = {0}};
    const array_span_t *there, *here;
    void *got = calloc(1, a->bytes);
    size_t n;
    status_t st;

    assert_non_null(got);
    assert_int_equal(arrays_list(a, object, true, &from), ST_OK);
    if (change != NULL)
        change(object);
    assert_int_equal(arrays_create(a, from.head.data, from.head.len, got, &to), ST_OK);
    there = arrays_spans(&from, &n);
    here = arrays_spans(&to, &n);
    for (size_t i = 0; i < n; i++)
        memcpy(here[i].data, there[i].data, here[i].len);
    capture_start();
    st = arrays_settle(a, &to, got);
    capture_stop();
    if (st == ST_OK)
        arrays_free(a, got);
    free(got);
    arrays_spans_free(&from);
    arrays_spans_free(&to);
    return st;
}
