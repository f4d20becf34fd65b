#include "io/lines.h"

#include "io/buf.h"
#include "io/fasta_sniff.h"
#include "io/logmsg.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { BLOCK_BYTES = 1 << 18 };

struct lines {
    const char *path;
    gzFile in;
    int64_t number;
    buf_t line;
    unsigned char block[BLOCK_BYTES];
    size_t at, len; /* of the block */
};

status_t lines_open(const char *path, lines_t **out)
{
    lines_t *l = calloc(1, sizeof(*l));

    if (l == NULL)
        return log_nomem("reading a table");
    l->path = path;
    errno = 0;
    if ((l->in = gzopen(path, "rb")) == NULL) {
        free(l);
        if (errno == 0)
            return log_nomem("reading a table");
        log_error("cannot read %s: %s; check the path and its permissions", path,
                  strerror(errno));
        return ST_EIO;
    }
    *out = l;
    return ST_OK;
}

static status_t fill(lines_t *l)
{
    int n = gzread(l->in, l->block, BLOCK_BYTES), code = Z_OK;

    if (n < BLOCK_BYTES)
        gzerror(l->in, &code);
    if (n < 0 && code == Z_ERRNO) {
        log_error("cannot read %s: %s; check that it is a file and can be read", l->path,
                  strerror(errno));
        return ST_EIO;
    }
    if (code != Z_OK && code != Z_STREAM_END) {
        log_error("%s: the gzip data are damaged or incomplete; fetch the file again",
                  l->path);
        return ST_EINPUT;
    }
    l->at = 0;
    l->len = (size_t)n;
    return ST_OK;
}

/* Gather the bytes up to a line's end. @param ended  whether one was met, or the file's
 * after some bytes */
static status_t gather(lines_t *l, bool *ended)
{
    status_t st = ST_OK;

    *ended = false;
    l->line.len = 0;
    while (!*ended) {
        const unsigned char *from = l->block + l->at, *end;

        if (l->at == l->len) {
            if ((st = fill(l)) != ST_OK)
                return st;
            if (l->len == 0) {
                *ended = l->line.len > 0;
                return ST_OK;
            }
            continue;
        }
        end = memchr(from, '\n', l->len - l->at);
        *ended = end != NULL;
        end = end != NULL ? end : l->block + l->len;
        if ((st = buf_append(&l->line, from, (size_t)(end - from))) != ST_OK)
            return st;
        l->at = (size_t)(end - l->block) + *ended;
    }
    return st;
}

status_t lines_next(lines_t *l, char **text)
{
    unsigned char *data;
    bool ended;
    status_t st = gather(l, &ended);
    size_t len = l->line.len;

    if (st != ST_OK)
        return st;
    if (!ended) {
        *text = NULL;
        return ST_OK;
    }
    l->number++;
    if (len > 0 && memchr(l->line.data, '\0', len) != NULL) {
        log_error("%s:%" PRId64 ": byte 0x00 is no text; the file is binary or damaged",
                  l->path, l->number);
        return ST_EINPUT;
    }
    while (len > 0 && strchr("\r\t ", l->line.data[len - 1]) != NULL)
        len--;
    l->line.len = len;
    if ((st = buf_append(&l->line, "", 1)) != ST_OK)
        return st;
    data = l->line.data;
    *text = (char *)data + (l->number == 1 ? fasta_sniff_mark(data, len) : 0);
    return ST_OK;
}

int64_t lines_number(const lines_t *l)
{
    return l->number;
}

const char *lines_path(const lines_t *l)
{
    return l->path;
}

void lines_close(lines_t *l)
{
    if (l == NULL)
        return;
    gzclose_r(l->in);
    buf_free(&l->line);
    free(l);
}
