/*
 * gz_input.c - reads through zlib, which passes uncompressed data on as they are.
 */
#include "io/file/gz_input.h"

#include "io/base/logmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { BLOCK_BYTES = 1 << 18 };

struct gz_input {
    gzFile file;
    char *name;
};

status_t gz_input_open(const char *path, gz_input_t **out)
{
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "stdin" : path;
    gz_input_t *in = NULL;
    int fd = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        log_error("cannot read %s: %s; check the path and its permissions", name,
                  strerror(errno));
        return ST_EIO;
    }
    if ((in = calloc(1, sizeof(*in))) == NULL || (in->name = strdup(name)) == NULL ||
        (in->file = gzdopen(fd, "rb")) == NULL) {
        close(fd);
        gz_input_close(in);
        return log_nomem("reading a file");
    }
    gzbuffer(in->file, BLOCK_BYTES);
    *out = in;
    return ST_OK;
}

const char *gz_input_name(const gz_input_t *in)
{
    return in->name;
}

/* Find out why zlib returned fewer bytes than requested; the end of the file is no error.
 */
static status_t check_end(const gz_input_t *in)
{
    int read_errno = errno;
    int code;

    gzerror(in->file, &code);
    switch (code) {
    case Z_OK:
    case Z_STREAM_END:
        return ST_OK;
    case Z_MEM_ERROR:
        return log_nomem("reading a file");
    case Z_ERRNO:
        log_error("cannot read %s: %s; check that it is a file and can be read", in->name,
                  strerror(read_errno));
        return ST_EIO;
    case Z_BUF_ERROR:
        log_error(
            "%s: unexpected end of the gzip data: the download or copy is incomplete; "
            "fetch it again",
            in->name);
        return ST_EINPUT;
    default:
        log_error("%s: the gzip data are damaged; fetch the file again", in->name);
        return ST_EINPUT;
    }
}

status_t gz_input_read(gz_input_t *in, void *to, size_t len, size_t *n_read)
{
    int n = gzread(in->file, to, (unsigned)len);
    status_t st;

    if ((n < 0 || (size_t)n < len) && (st = check_end(in)) != ST_OK)
        return st;
    *n_read = (size_t)n;
    return ST_OK;
}

void gz_input_close(gz_input_t *in)
{
    if (in == NULL)
        return;
    if (in->file != NULL)
        gzclose(in->file);
    free(in->name);
    free(in);
}
