/*
 * memfd_stream.c - a file in memory in which a child leaves arrays for its parent.
 */
#include "io/file/memfd_stream.h"

#include "io/base/logmsg.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

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

static memfd_stream_t begin(int descriptor, const char *mode, const char *what)
{
    memfd_stream_t c = {.file = fdopen(descriptor, mode),
                        .what = what,
                        .is_written = mode[0] == 'w'};

    c.st = c.file != NULL ? ST_OK : fail(what);
    return c;
}

memfd_stream_t memfd_stream_write(int descriptor, const char *what)
{
    return begin(descriptor, "wb", what);
}

memfd_stream_t memfd_stream_read(int descriptor, const char *what)
{
    memfd_stream_t c = begin(descriptor, "rb", what);

    if (c.file != NULL)
        rewind(c.file);
    return c;
}

status_t memfd_stream_put(memfd_stream_t *c, const void *data, int64_t n,
                          size_t value_bytes)
{
    if (data != NULL && c->st == ST_OK &&
        fwrite(data, value_bytes, (size_t)n, c->file) != (size_t)n)
        c->st = fail(c->what);
    return c->st;
}

status_t memfd_stream_get(memfd_stream_t *c, void *data, int64_t n, size_t value_bytes)
{
    if (data != NULL && c->st == ST_OK &&
        fread(data, value_bytes, (size_t)n, c->file) != (size_t)n)
        c->st = log_nomem(c->what);
    return c->st;
}

status_t memfd_stream_pass(memfd_stream_t *c, void *data, int64_t n, size_t value_bytes)
{
    return c->is_written ? memfd_stream_put(c, data, n, value_bytes)
                         : memfd_stream_get(c, data, n, value_bytes);
}

status_t memfd_stream_put_texts(memfd_stream_t *c, char *const *texts, int64_t n)
{
    for (int64_t i = 0; texts != NULL && i < n && c->st == ST_OK; i++)
        (void)memfd_stream_put(c, texts[i], (int64_t)strlen(texts[i]) + 1, 1);
    return c->st;
}

int64_t memfd_stream_texts_bytes(char *const *texts, int64_t n)
{
    int64_t bytes = 0;

    for (int64_t i = 0; texts != NULL && i < n; i++)
        bytes += (int64_t)strlen(texts[i]) + 1;
    return bytes;
}

status_t memfd_stream_end(memfd_stream_t *c, status_t st)
{
    if (c->file != NULL && fclose(c->file) != 0 && c->st == ST_OK)
        c->st = fail(c->what);
    c->file = NULL;
    return st != ST_OK ? st : c->st;
}
