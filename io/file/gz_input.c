/*
 * gz_input.c - inflates one gzip member after the other; what is no gzip passes as it is.
 *
 * zlib's gzread ends quietly at bytes that follow a member and do not begin another one;
 * here they are an error, zeros as well, since records may follow them.
 */
#include "io/file/gz_input.h"

#include "io/base/logmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { BLOCK_BYTES = 1 << 18, GZIP_WINDOW = 15 + 16 };

static const unsigned char magic[2] = {0x1f, 0x8b};

struct gz_input {
    int fd;
    char *name;
    bool has_begun, is_gzip, is_in_member;
    bool at_end;     /* of the file, which may be before that of the block */
    int64_t n_read;  /* bytes read from the file */
    z_stream stream; /* next_in, avail_in: what is left of the block */
    unsigned char block[BLOCK_BYTES];
};

static status_t cannot_read(const char *name)
{
    log_error("cannot read %s: %s; check the path and its permissions", name,
              strerror(errno));
    return ST_EIO;
}

status_t gz_input_open(const char *path, gz_input_t **out)
{
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "stdin" : path;
    gz_input_t *in;
    int fd = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;

    if (fd < 0 || fstat(fd, &info) != 0)
        return cannot_read(name);
    if (S_ISDIR(info.st_mode)) {
        close(fd);
        errno = EISDIR;
        return cannot_read(name);
    }
    if ((in = calloc(1, sizeof(*in))) == NULL || (in->name = strdup(name)) == NULL) {
        free(in);
        close(fd);
        return log_nomem("reading a file");
    }
    in->fd = fd;
    in->stream.next_in = in->block;
    *out = in;
    return ST_OK;
}

const char *gz_input_name(const gz_input_t *in)
{
    return in->name;
}

/* Read once from the file. @return bytes, 0 at its end, or -1 (logged) */
static ssize_t read_some(gz_input_t *in, void *to, size_t len)
{
    ssize_t n;

    do
        n = read(in->fd, to, len);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        (void)cannot_read(in->name);
    in->n_read += n > 0 ? n : 0;
    in->at_end = n == 0;
    return n;
}

/* Make the block hold at least n bytes, at most BLOCK_BYTES, unless the file ends. */
static status_t need(gz_input_t *in, unsigned n)
{
    z_stream *s = &in->stream;

    if (s->avail_in < n && s->next_in != in->block) {
        memmove(in->block, s->next_in, s->avail_in);
        s->next_in = in->block;
    }
    while (s->avail_in < n && !in->at_end) {
        ssize_t got =
            read_some(in, in->block + s->avail_in, BLOCK_BYTES - (size_t)s->avail_in);

        if (got < 0)
            return ST_EIO;
        s->avail_in += (unsigned)got;
    }
    return ST_OK;
}

/* @return the offset in the file of the first byte that is not consumed */
static int64_t offset(const gz_input_t *in)
{
    return in->n_read - in->stream.avail_in;
}

static status_t damaged(const gz_input_t *in)
{
    log_error("%s: the gzip data are damaged near byte %" PRId64 "; fetch the file again",
              in->name, offset(in));
    return ST_EINPUT;
}

static status_t truncated(const gz_input_t *in)
{
    log_error("%s: unexpected end of the gzip data after %" PRId64
              " bytes: the download or copy is incomplete; fetch it again",
              in->name, in->n_read);
    return ST_EINPUT;
}

/* What follows the last member may hold records. */
static status_t has_leftovers(const gz_input_t *in)
{
    log_error("%s: %s after the end of the gzip data, at byte %" PRId64
              "; fetch the file again, or compress all of its parts anew",
              in->name, in->stream.next_in[0] == 0 ? "zeros" : "data that are not gzip",
              offset(in));
    return ST_EINPUT;
}

static bool is_at_magic(const gz_input_t *in)
{
    return in->stream.avail_in >= sizeof(magic) &&
           memcmp(in->stream.next_in, magic, sizeof(magic)) == 0;
}

/* Begin the next member. @return ST_OK also at the end of the file, outside a member */
static status_t begin_member(gz_input_t *in)
{
    status_t st = need(in, sizeof(magic));
    bool is_first = !in->has_begun;

    if (st != ST_OK || in->stream.avail_in == 0)
        return st;
    in->has_begun = true;
    if (!is_at_magic(in))
        return is_first ? ST_OK : has_leftovers(in);
    if ((is_first ? inflateInit2(&in->stream, GZIP_WINDOW) : inflateReset(&in->stream)) !=
        Z_OK)
        return log_nomem("reading a file");
    in->is_gzip = in->is_in_member = true;
    return ST_OK;
}

/* Inflate into next_out, up to the end of the member, the block, or avail_out. */
static status_t inflate_some(gz_input_t *in)
{
    status_t st = need(in, 1);

    if (st != ST_OK)
        return st;
    if (in->stream.avail_in == 0)
        return truncated(in);
    switch (inflate(&in->stream, Z_NO_FLUSH)) {
    case Z_STREAM_END:
        in->is_in_member = false;
        return ST_OK;
    case Z_OK:
        return ST_OK;
    case Z_MEM_ERROR:
        return log_nomem("reading a file");
    default:
        return damaged(in);
    }
}

static status_t read_gzip(gz_input_t *in, unsigned char *to, size_t len, size_t *n_read)
{
    z_stream *s = &in->stream;
    status_t st = ST_OK;

    s->next_out = to;
    s->avail_out = (unsigned)len;
    while (st == ST_OK && s->avail_out > 0) {
        if (!in->is_in_member && ((st = begin_member(in)) != ST_OK || !in->is_in_member))
            break;
        st = inflate_some(in);
    }
    *n_read = len - s->avail_out;
    return st;
}

static status_t read_plain(gz_input_t *in, unsigned char *to, size_t len, size_t *n_read)
{
    z_stream *s = &in->stream;
    size_t done = s->avail_in < len ? s->avail_in : len;

    memcpy(to, s->next_in, done);
    s->next_in += done;
    s->avail_in -= (unsigned)done;
    while (done < len && !in->at_end) {
        ssize_t n = read_some(in, to + done, len - done);

        if (n < 0)
            return ST_EIO;
        done += (size_t)n;
    }
    *n_read = done;
    return ST_OK;
}

status_t gz_input_read(gz_input_t *in, void *to, size_t len, size_t *n_read)
{
    status_t st = in->has_begun ? ST_OK : begin_member(in);

    if (st != ST_OK)
        return st;
    return in->is_gzip ? read_gzip(in, to, len, n_read) : read_plain(in, to, len, n_read);
}

void gz_input_close(gz_input_t *in)
{
    if (in == NULL)
        return;
    if (in->is_gzip)
        inflateEnd(&in->stream);
    close(in->fd);
    free(in->name);
    free(in);
}
