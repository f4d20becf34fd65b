/*
 * memfd_stream.c - a file in memory in which a child leaves arrays for its parent.
 */
#include "io/file/memfd_stream.h"

#include "io/base/logmsg.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Limits on the sizes of files hold for files in memory, too. */
static status_t fail(const char *what)
{
    if (errno != EFBIG)
        return log_nomem(what);
    log_error("cannot hand over %s in memory: %s; raise the limit on the size of files "
              "(ulimit -f)",
              what, strerror(errno));
    return ST_EIO;
}

status_t memfd_stream_create(const char *what, int *out)
{
    *out = memfd_create("ribogrid", MFD_CLOEXEC);
    return *out >= 0 ? ST_OK : fail(what);
}

/* The descriptor stays open.  Its copies, in the other process too, share an offset. */
static memfd_stream_t begin(int descriptor, const char *mode, const char *what)
{
    const int copy = dup(descriptor);
    memfd_stream_t c = {.file = copy >= 0 ? fdopen(copy, mode) : NULL, .what = what};

    if (c.file != NULL && lseek(copy, 0, SEEK_SET) == 0)
        return c;
    c.st = fail(what);
    if (c.file == NULL && copy >= 0)
        close(copy);
    return c;
}

memfd_stream_t memfd_stream_write(int descriptor, const char *what)
{
    memfd_stream_t c = begin(descriptor, "wb", what);

    if (c.st == ST_OK && ftruncate(descriptor, 0) != 0)
        c.st = fail(what);
    return c;
}

status_t memfd_stream_put(memfd_stream_t *c, const void *data, size_t len)
{
    if (c->st == ST_OK && len > 0 && fwrite(data, len, 1, c->file) != 1)
        c->st = fail(c->what);
    return c->st;
}

static status_t get(memfd_stream_t *c, void *data, size_t len)
{
    if (c->st == ST_OK && len > 0 && fread(data, len, 1, c->file) != 1)
        c->st = log_nomem(c->what);
    return c->st;
}

status_t memfd_stream_end(memfd_stream_t *c, status_t st)
{
    if (c->file != NULL && fclose(c->file) != 0 && c->st == ST_OK)
        c->st = fail(c->what);
    c->file = NULL;
    return st != ST_OK ? st : c->st;
}

/* ---- objects ---- */

status_t memfd_stream_put_object(int descriptor, const arrays_t *a, const void *object)
{
    memfd_stream_t to = memfd_stream_write(descriptor, a->what);
    arrays_spans_t spans = {0};
    status_t st = arrays_list(a, object, false, &spans);

    if (st == ST_OK) {
        size_t n;
        const array_span_t *span = arrays_spans(&spans, &n);

        (void)memfd_stream_put(&to, &spans.head.len, sizeof(spans.head.len));
        (void)memfd_stream_put(&to, spans.head.data, spans.head.len);
        for (size_t i = 0; i < n; i++)
            (void)memfd_stream_put(&to, span[i].data, span[i].len);
    }
    arrays_spans_free(&spans);
    return memfd_stream_end(&to, st);
}

/* Read the head, then the arrays. @param head  empty */
static status_t get_object(memfd_stream_t *from, const arrays_t *a, buf_t *head,
                           arrays_spans_t *spans, void *object)
{
    const array_span_t *span;
    size_t len = 0, n;
    status_t st = get(from, &len, sizeof(len));

    if (st != ST_OK || (st = buf_reserve(head, len)) != ST_OK ||
        (st = get(from, head->data, len)) != ST_OK ||
        (st = arrays_create(a, head->data, len, object, spans)) != ST_OK)
        return st;
    span = arrays_spans(spans, &n);
    for (size_t i = 0; i < n; i++)
        (void)get(from, span[i].data, span[i].len);
    if (from->st == ST_OK)
        return arrays_settle(a, spans, object);
    arrays_free(a, object);
    return from->st;
}

status_t memfd_stream_get_object(int descriptor, const arrays_t *a, void *object)
{
    memfd_stream_t from = begin(descriptor, "rb", a->what);
    arrays_spans_t spans = {0};
    buf_t head = {0};
    status_t st = from.st;

    if (st == ST_OK)
        st = get_object(&from, a, &head, &spans, object);
    buf_free(&head);
    arrays_spans_free(&spans);
    st = memfd_stream_end(&from, st);
    return ftruncate(descriptor, 0) == 0 || st != ST_OK ? st : fail(a->what);
}

status_t memfd_stream_fetch(child_reader_t *reader, int question, int descriptor,
                            const arrays_t *a, void *object)
{
    buf_t nothing = {0}; /* the answer is in the file */
    status_t st = child_fetch(reader, question, &nothing);

    buf_free(&nothing);
    return st == ST_OK ? memfd_stream_get_object(descriptor, a, object) : st;
}
