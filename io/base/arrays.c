/*
 * arrays.c - interprets descriptions of objects.
 */
#include "io/base/arrays.h"

#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/base/texts.h"

#include <stdlib.h>
#include <string.h>

/* Of an array in a head. */
typedef struct {
    int64_t n;     /* -1: NULL */
    int64_t bytes; /* of texts with their NULs */
} size_head_t;

static size_t type_bytes(array_type_t type)
{
    static const size_t bytes[] = {
        [ARRAY_BYTES] = 1, [ARRAY_INT32] = 4,  [ARRAY_INT64] = 8,
        [ARRAY_FLOAT] = 4, [ARRAY_DOUBLE] = 8, [ARRAY_TEXTS] = sizeof(char *)};

    return bytes[type];
}

static void *member(const array_t *row, const void *object)
{
    return (char *)(uintptr_t)object + row->at;
}

/* @return the array of a row, or NULL */
static void *array_of(const array_t *row, const void *object)
{
    return *(void **)member(row, object);
}

static void *object_of(const array_t *row, const void *object)
{
    return row->is_pointer ? array_of(row, object) : member(row, object);
}

/* ---- sending ---- */

const array_span_t *arrays_spans(const arrays_spans_t *spans, size_t *n)
{
    *n = spans->spans.len / sizeof(array_span_t);
    return (const array_span_t *)(const void *)spans->spans.data;
}

void arrays_spans_free(arrays_spans_t *spans)
{
    buf_free(&spans->head);
    buf_free(&spans->spans);
}

static status_t add_span(arrays_spans_t *out, void *data, size_t len)
{
    const array_span_t span = {data, len};

    return len > 0 ? buf_append(&out->spans, &span, sizeof(span)) : ST_OK;
}

static status_t list_array(const array_t *row, const void *object, bool to_ranks,
                           arrays_spans_t *out)
{
    void *data = row->stays && to_ranks ? NULL : array_of(row, object);
    size_head_t size = {-1, 0};
    status_t st;

    if (data != NULL) {
        size.n = row->n(object);
        size.bytes = row->type == ARRAY_TEXTS ? (int64_t)texts_bytes(data, size.n)
                                              : size.n * (int64_t)type_bytes(row->type);
    }
    if ((st = buf_append(&out->head, &size, sizeof(size))) != ST_OK)
        return st;
    return add_span(out, row->type == ARRAY_TEXTS && data != NULL ? *(char **)data : data,
                    (size_t)size.bytes);
}

status_t arrays_list(const arrays_t *a, const void *object, bool to_ranks,
                     arrays_spans_t *out)
{
    status_t st = ST_OK;

    for (const array_t *row = a->rows; st == ST_OK && row->name != NULL; row++) {
        const void *inner = row->type == ARRAY_OBJECT ? object_of(row, object) : NULL;
        const uint8_t exists = inner != NULL;

        if (row->is_pointer)
            st = buf_append(&out->head, &exists, sizeof(exists));
        if (st == ST_OK && inner != NULL)
            st = arrays_list(row->object, inner, to_ranks, out);
        else if (row->value_bytes > 0)
            st = buf_append(&out->head, member(row, object), row->value_bytes);
        else if (row->type != ARRAY_OBJECT)
            st = list_array(row, object, to_ranks, out);
    }
    return st;
}

/* ---- receiving ---- */

typedef struct {
    const char *at, *end;
} head_t;

/* @return whether that many bytes were left */
static bool take(head_t *head, void *to, size_t len)
{
    if ((size_t)(head->end - head->at) < len)
        return false;
    memcpy(to, head->at, len);
    head->at += len;
    return true;
}

/* Allocate the array of a row. */
static status_t create_array(const array_t *row, head_t *head, void *object,
                             arrays_spans_t *out)
{
    void **at = member(row, object), *data;
    const int64_t value_bytes = (int64_t)type_bytes(row->type);
    size_head_t size;

    if (!take(head, &size, sizeof(size)) || size.n < -1 || size.bytes < 0 ||
        size.n >= INT64_MAX / value_bytes ||
        (row->type != ARRAY_TEXTS && size.n >= 0 && size.bytes != size.n * value_bytes) ||
        (row->type == ARRAY_TEXTS && size.bytes < size.n))
        return ST_EINPUT;
    if (size.n < 0)
        return size.bytes == 0 ? ST_OK : ST_EINPUT;
    if (row->type != ARRAY_TEXTS) {
        if ((data = *at = malloc((size_t)size.bytes + 1)) == NULL)
            return ST_ENOMEM;
        ((char *)data)[size.bytes] = '\0'; /* ends a text */
        return add_span(out, data, (size_t)size.bytes);
    }
    if ((*at = calloc((size_t)size.n + 1, sizeof(char *))) == NULL ||
        (data = *(char **)*at = calloc((size_t)size.bytes + 1, 1)) == NULL)
        return ST_ENOMEM;
    return add_span(out, data, (size_t)size.bytes);
}

static status_t create_rows(const arrays_t *a, head_t *head, void *object,
                            arrays_spans_t *out);

/* Allocate an object that a member points to, if it exists. */
static status_t create_pointer(const array_t *row, head_t *head, void *object,
                               arrays_spans_t *out)
{
    void **at = member(row, object);
    uint8_t exists;

    if (!take(head, &exists, sizeof(exists)))
        return ST_EINPUT;
    if (!exists)
        return row->is_optional ? ST_OK : ST_EINPUT;
    if ((*at = calloc(1, row->object->bytes)) == NULL)
        return ST_ENOMEM;
    return create_rows(row->object, head, *at, out);
}

static status_t create_rows(const arrays_t *a, head_t *head, void *object,
                            arrays_spans_t *out)
{
    status_t st = ST_OK;

    for (const array_t *row = a->rows; st == ST_OK && row->name != NULL; row++) {
        if (row->is_pointer)
            st = create_pointer(row, head, object, out);
        else if (row->type == ARRAY_OBJECT)
            st = create_rows(row->object, head, member(row, object), out);
        else if (row->value_bytes == 0)
            st = create_array(row, head, object, out);
        else if (!take(head, member(row, object), row->value_bytes))
            st = ST_EINPUT;
    }
    return st;
}

static status_t refuse(const arrays_t *a, void *object)
{
    arrays_free(a, object);
    log_error("what was received is not %s", a->what);
    return ST_EINPUT;
}

status_t arrays_create(const arrays_t *a, const void *head, size_t len, void *object,
                       arrays_spans_t *out)
{
    head_t at = {head, (const char *)head + len};
    status_t st = create_rows(a, &at, object, out);

    if (st == ST_EINPUT || (st == ST_OK && at.at != at.end))
        return refuse(a, object);
    if (st == ST_OK)
        return ST_OK;
    arrays_free(a, object);
    return log_nomem(a->what);
}

/* Find the other texts of a block. @return whether it has n, and nothing else */
static bool find_texts(char **texts, int64_t n, size_t bytes)
{
    char *at = texts[0], *end = at + bytes;

    for (int64_t i = 0; i < n; i++) {
        char *stop = memchr(at, '\0', (size_t)(end - at));

        if (stop == NULL)
            return false;
        texts[i] = at;
        at = stop + 1;
    }
    return at == end;
}

/* Spans that were received, in the order of the rows. */
typedef struct {
    const array_span_t *next, *end;
} filled_t;

/* @return whether a row has as many values as the object says */
static bool settle_array(const array_t *row, void *object, filled_t *f)
{
    void *data = array_of(row, object);
    size_t len = 0;

    if (data == NULL)
        return row->is_optional || row->stays;
    if (f->next < f->end &&
        f->next->data == (row->type == ARRAY_TEXTS ? *(void **)data : data))
        len = (f->next++)->len;
    if (row->type == ARRAY_TEXTS
            ? !find_texts(data, row->n(object), len)
            : row->n(object) != (int64_t)(len / type_bytes(row->type)))
        return false;
    return row->has_sense == NULL || row->has_sense(object);
}

static bool settle_rows(const arrays_t *a, void *object, filled_t *f)
{
    bool good = a->is_valid == NULL || a->is_valid(object);

    for (const array_t *row = a->rows; good && row->name != NULL; row++)
        if (row->type != ARRAY_OBJECT && row->value_bytes == 0)
            good = settle_array(row, object, f);
        else if (row->type == ARRAY_OBJECT && object_of(row, object) != NULL)
            good = settle_rows(row->object, object_of(row, object), f) &&
                   (row->has_sense == NULL || row->has_sense(object));
    return good;
}

status_t arrays_settle(const arrays_t *a, const arrays_spans_t *spans, void *object)
{
    size_t n;
    const array_span_t *first = arrays_spans(spans, &n);
    filled_t f = {.next = first, .end = first + n};

    return settle_rows(a, object, &f) ? ST_OK : refuse(a, object);
}

/* ---- in one process ---- */

static uint64_t digest_array(const array_t *row, uint64_t digest, const void *object)
{
    const int64_t n = row->n(object);
    void *data = array_of(row, object);

    if (data == NULL)
        return digest;
    return row->type == ARRAY_TEXTS
               ? texts_digest(data, n, digest)
               : digest_add(digest, data, (size_t)n * type_bytes(row->type));
}

uint64_t arrays_digest(const arrays_t *a, uint64_t digest, const void *object)
{
    for (const array_t *row = a->rows; row->name != NULL; row++)
        if (row->has_no_digest)
            continue;
        else if (row->type == ARRAY_OBJECT)
            digest = arrays_digest(row->object, digest, object_of(row, object));
        else if (row->value_bytes > 0)
            digest = digest_add(digest, member(row, object), row->value_bytes);
        else
            digest = digest_array(row, digest, object);
    return digest;
}

void arrays_free(const arrays_t *a, void *object)
{
    for (const array_t *row = a->rows; row->name != NULL; row++) {
        void **at = member(row, object);

        if (row->type == ARRAY_OBJECT && object_of(row, object) != NULL)
            arrays_free(row->object, object_of(row, object));
        if (row->type == ARRAY_TEXTS)
            texts_free(*at);
        else if (row->value_bytes == 0 && (row->type != ARRAY_OBJECT || row->is_pointer))
            free(*at);
        if (row->value_bytes > 0)
            memset(at, 0, row->value_bytes);
        else if (row->type != ARRAY_OBJECT || row->is_pointer)
            *at = NULL;
    }
}

bool arrays_divide(const int64_t *start, int64_t n, int64_t end)
{
    if (start[0] != 0 || start[n] != end)
        return false;
    for (int64_t k = 0; k < n; k++)
        if (start[k] > start[k + 1])
            return false;
    return true;
}
