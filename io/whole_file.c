#include "io/whole_file.h"

#include "io/logmsg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct whole_file {
    FILE *stream;
    char *path, *tmp; /* NULL: stdout */
};

static void destroy(whole_file_t *f)
{
    free(f->path);
    free(f->tmp);
    free(f);
}

status_t whole_file_open(const char *path, bool force, whole_file_t **out)
{
    whole_file_t *f = calloc(1, sizeof(*f));

    if (f == NULL)
        return log_nomem("an output file");
    f->stream = stdout;
    *out = f;
    if (path == NULL)
        return ST_OK;
    if (!force && access(path, F_OK) == 0) {
        log_error("%s exists; give --force to replace it", path);
        destroy(f);
        return ST_EINPUT;
    }
    if ((f->path = strdup(path)) == NULL || asprintf(&f->tmp, "%s.tmp", path) < 0) {
        f->tmp = NULL; /* is undefined now */
        destroy(f);
        return log_nomem("a path");
    }
    if ((f->stream = fopen(f->tmp, "w")) == NULL) {
        log_error("%s: cannot open: %s; choose another -o", f->tmp, strerror(errno));
        destroy(f);
        return ST_EIO;
    }
    return ST_OK;
}

FILE *whole_file_stream(whole_file_t *f)
{
    return f->stream;
}

status_t whole_file_close(whole_file_t *f, status_t st)
{
    if (f->path != NULL) {
        bool failed = ferror(f->stream) != 0;

        errno = 0;
        failed = fclose(f->stream) != 0 || failed;
        if (st == ST_OK && failed) {
            log_error("%s: cannot write: %s", f->tmp,
                      errno != 0 ? strerror(errno) : "is the disk full?");
            st = ST_EIO;
        }
        if (st == ST_OK && rename(f->tmp, f->path) != 0) {
            log_error("%s: cannot rename to %s: %s", f->tmp, f->path, strerror(errno));
            st = ST_EIO;
        }
        if (st != ST_OK)
            unlink(f->tmp);
    }
    destroy(f);
    return st;
}
