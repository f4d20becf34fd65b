/*
 * arrays.h - the arrays of an object, described once: name, type and count of each.
 *
 * An object travels from a child that reads files to its parent (memfd_stream.h) and to
 * other ranks (exchange.h), has a digest, and is freed; all of these interpret its
 * description.  What travels is a head, which holds the single values and the size of
 * each array, and then the arrays, one by one; the receiver checks all sizes, counts and
 * texts before it uses them, and values that code relies on (has_sense).
 *
 *     ARRAY_COUNT(n_nodes, csr_t, o->n_nodes)
 *     static const array_t rows[] = {
 *         ARRAY_VALUE(csr_t, n_nodes, ARRAY_INT64),
 *         ARRAY_OF(csr_t, id, ARRAY_INT64, n_nodes),
 *         ARRAYS_END};
 *     const arrays_t csr_arrays = {"a graph", sizeof(csr_t), rows, NULL};
 */
#pragma once

#include "io/base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    ARRAY_BYTES,
    ARRAY_INT32,
    ARRAY_INT64,
    ARRAY_FLOAT,
    ARRAY_DOUBLE,
    ARRAY_TEXTS, /* char ** of texts.h */
    ARRAY_OBJECT /* another object: a member, or one that a member points to */
} array_type_t;

typedef struct arrays arrays_t;

typedef struct {
    const char *name;
    array_type_t type;
    size_t at;                        /* offset of the member */
    size_t value_bytes;               /* > 0: the member holds the values itself */
    int64_t (*n)(const void *object); /* values of an array that the member points to */
    const arrays_t *object;           /* ARRAY_OBJECT */
    bool is_pointer;                  /* ARRAY_OBJECT: the member points to it */
    bool is_optional;                 /* the array may be NULL */
    bool stays;                       /* other ranks do not get it: theirs is NULL */
    bool has_no_digest;
    bool (*has_sense)(const void *object); /* whether received values of this array are
                                            * possible, as far as it and those before it
                                            * go; NULL: all are */
} array_t;

struct arrays {
    const char *what; /* for messages: "a graph" */
    size_t bytes;     /* of the structure */
    const array_t *rows;
    bool (*is_valid)(const void *object); /* whether received values are possible, so
                                           * that n may be called; NULL: all are */
};

/* A function that counts the values of an array of `o`. */
#define ARRAY_COUNT(name, object_t, count)            \
    static int64_t name(const void *object)           \
    {                                                 \
        const object_t *o = (const object_t *)object; \
                                                      \
        return count;                                 \
    }

/* A member that holds values, one or an array of the structure's own. */
#define ARRAY_VALUE(object_t, member, ...)                                     \
    {                                                                          \
        .name = #member, .at = offsetof(object_t, member),                     \
        .value_bytes = sizeof(((object_t *)NULL)->member), .type = __VA_ARGS__ \
    }

/* A member that points to n(object) values, or is NULL. */
#define ARRAY_OF(object_t, member, type_, n_, ...)                        \
    {                                                                     \
        .name = #member, .at = offsetof(object_t, member), .type = type_, \
        .n = n_ __VA_OPT__(, ) __VA_ARGS__                                \
    }

/* A member that is an object. */
#define ARRAY_MEMBER(object_t, member, arrays)                                   \
    {                                                                            \
        .name = #member, .at = offsetof(object_t, member), .type = ARRAY_OBJECT, \
        .object = arrays                                                         \
    }

/* A member that points to an object. */
#define ARRAY_POINTER(object_t, member, arrays, ...)                             \
    {                                                                            \
        .name = #member, .at = offsetof(object_t, member), .type = ARRAY_OBJECT, \
        .object = arrays, .is_pointer = true __VA_OPT__(, ) __VA_ARGS__          \
    }

#define ARRAYS_END   \
    {                \
        .name = NULL \
    }

/* An object on its way. */
typedef struct {
    buf_t head;
    buf_t spans; /* array_span_t */
} arrays_spans_t;

typedef struct {
    void *data;
    size_t len; /* > 0 */
} array_span_t;

/* @return the spans, *n of them */
const array_span_t *arrays_spans(const arrays_spans_t *spans, size_t *n);

void arrays_spans_free(arrays_spans_t *spans);

/*
 * List what is to be sent.
 *
 * @param to_ranks  leave out what stays
 * @param out       zeroed; the spans lie in the object
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t arrays_list(const arrays_t *a, const void *object, bool to_ranks,
                     arrays_spans_t *out) MUST_CHECK;

/*
 * Allocate what is to be received.
 *
 * @param head    [len] of arrays_list
 * @param object  out, on ST_OK: its values are set, its arrays are not filled
 * @param out     zeroed; spans to receive into, in the order of arrays_list
 * @return ST_OK, ST_ENOMEM (logged), or ST_EINPUT (logged): no such object has this head
 */
status_t arrays_create(const arrays_t *a, const void *head, size_t len, void *object,
                       arrays_spans_t *out) MUST_CHECK;

/*
 * After all spans are filled: find the texts, and check that counts agree.
 *
 * @return ST_OK, or ST_EINPUT (logged), and the object is freed
 */
status_t arrays_settle(const arrays_t *a, const arrays_spans_t *spans,
                       void *object) MUST_CHECK;

/* Extend a digest (digest.h) by all rows that have one. @return the new digest */
uint64_t arrays_digest(const arrays_t *a, uint64_t digest, const void *object);

/* Free all arrays, and set all members of the description to 0. */
void arrays_free(const arrays_t *a, void *object);

/* @param start  [n + 1] where rows start, and the last one ends
 * @return whether they are parts of 0 .. end, one after the other */
bool arrays_divide(const int64_t *start, int64_t n, int64_t end);
