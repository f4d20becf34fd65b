/*
 * whole_file.c - writes PATH.tmp and renames it.
 */
#include "io/file/whole_file.h"

#include "io/base/logmsg.h"
#include "io/file/input_guard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct whole_file {
    FILE *stream;     /* NULL: finished */
    char *path, *tmp; /* NULL: stdout */
};

static void destroy(whole_file_t *f)
{
    free(f->path);
    free(f->tmp);
    free(f);
}

status_t whole_file_check(const char *path, bool force)
{
    status_t st = input_guard_check(path);

    if (st != ST_OK || force || access(path, F_OK) != 0)
        return st;
    log_error("%s exists; give --force to replace it", path);
    return ST_EINPUT;
}

status_t whole_file_open(const char *path, bool force, whole_file_t **out)
{
    status_t st = path != NULL ? whole_file_check(path, force) : ST_OK;
    whole_file_t *f;

    if (st != ST_OK)
        return st;
    if ((f = calloc(1, sizeof(*f))) == NULL)
        return log_nomem("an output file");
    if (path == NULL) {
        f->stream = stdout;
        *out = f;
        return ST_OK;
    }
    if ((f->path = strdup(path)) == NULL || asprintf(&f->tmp, "%s.tmp", path) < 0) {
        f->tmp = NULL; /* undefined after asprintf failed */
        destroy(f);
        return log_nomem("a path");
    }
    if ((f->stream = fopen(f->tmp, "w")) == NULL) {
        log_error("%s: cannot open: %s; choose another -o", f->tmp, strerror(errno));
        destroy(f);
        return ST_EIO;
    }
    *out = f;
    return ST_OK;
}

FILE *whole_file_stream(whole_file_t *f)
{
    return f->stream;
}

const char *whole_file_tmp(const whole_file_t *f)
{
    return f->tmp;
}

status_t whole_file_finish(whole_file_t *f)
{
    bool failed;

    if (f->path == NULL || f->stream == NULL)
        return ST_OK;
    failed = ferror(f->stream) != 0;
    errno = 0;
    failed = fclose(f->stream) != 0 || failed;
    f->stream = NULL;
    if (!failed)
        return ST_OK;
    log_error("%s: cannot write: %s", f->tmp,
              errno != 0 ? strerror(errno) : "the disk may be full");
    return ST_EIO;
}

/* Remove the temporary file; write errors no longer matter. */
static void discard(whole_file_t *f)
{
    if (f->stream != NULL)
        fclose(f->stream);
    unlink(f->tmp);
}

status_t whole_file_close(whole_file_t *f, status_t st)
{
    if (f == NULL)
        return st;
    if (st == ST_OK)
        st = whole_file_finish(f);
    if (st == ST_OK && f->path != NULL && rename(f->tmp, f->path) != 0) {
        log_error("%s: cannot rename to %s: %s", f->tmp, f->path, strerror(errno));
        st = ST_EIO;
    }
    if (st != ST_OK && f->path != NULL)
        discard(f);
    destroy(f);
    return st;
}
