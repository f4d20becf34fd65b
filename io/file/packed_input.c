/*
 * packed_input.c - unpacks one member after the other; what is not compressed passes as
 * it is.
 *
 * Readers of compressed files often end quietly at bytes that follow a member and do not
 * begin another one; here they are an error, zeros as well, since records may follow
 * them.
 */
#include "io/file/packed_input.h"

#include "io/base/byte_size.h"
#include "io/base/logmsg.h"
#include "io/file/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK_BYTES = 1 << 18 };

struct packed_input {
    int fd;
    char *name;
    const unpack_method_t *method; /* NULL: not begun, or not compressed */
    void *state;                   /* the method's */
    bool has_begun, is_in_member;
    bool at_end;    /* of the file, which may be before that of the block */
    int64_t n_read; /* bytes read from the file */
    int64_t n_out;  /* and unpacked */
    unpack_io_t io; /* next, n_next: what is left of the block */
    unsigned char block[BLOCK_BYTES];
};

static int64_t max_bytes; /* that a file may hold; 0: no limit */

void packed_input_set_limit(int64_t bytes)
{
    max_bytes = bytes;
}

static status_t cannot_read(const char *name)
{
    log_error("cannot read %s: %s; check the path and its permissions", name,
              strerror(errno));
    return ST_EIO;
}

status_t packed_input_open(const char *path, packed_input_t **out)
{
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "stdin" : path;
    packed_input_t *in;
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
    in->io.next = in->block;
    *out = in;
    return ST_OK;
}

const char *packed_input_name(const packed_input_t *in)
{
    return in->name;
}

/* Read once from the file. @return bytes, 0 at its end, or -1 (logged) */
static ssize_t read_some(packed_input_t *in, void *to, size_t len)
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
static status_t need(packed_input_t *in, size_t n)
{
    unpack_io_t *io = &in->io;

    if (io->n_next < n && io->next != in->block) {
        memmove(in->block, io->next, io->n_next);
        io->next = in->block;
    }
    while (io->n_next < n && !in->at_end) {
        ssize_t got = read_some(in, in->block + io->n_next, BLOCK_BYTES - io->n_next);

        if (got < 0)
            return ST_EIO;
        io->n_next += (size_t)got;
    }
    return ST_OK;
}

/* @return the offset in the file of the first byte that is not consumed */
static int64_t offset(const packed_input_t *in)
{
    return in->n_read - (int64_t)in->io.n_next;
}

static status_t damaged(const packed_input_t *in)
{
    log_error("%s: the %s data are damaged near byte %" PRId64 "; fetch the file again",
              in->name, in->method->name, offset(in));
    return ST_EINPUT;
}

static status_t truncated(const packed_input_t *in)
{
    log_error("%s: unexpected end of the %s data after %" PRId64
              " bytes: the download or copy is incomplete; fetch it again",
              in->name, in->method->name, in->n_read);
    return ST_EINPUT;
}

static status_t too_large(const packed_input_t *in)
{
    log_error("%s: the %s data need more than %d MiB of memory; unpack them first with "
              "'%s'",
              in->name, in->method->name, in->method->max_mib, in->method->command);
    return ST_EINPUT;
}

/* What follows the last member may hold records. */
static status_t has_leftovers(const packed_input_t *in)
{
    const char *name = in->method->name;

    log_error("%s: %s%s after the end of the %s data, at byte %" PRId64
              "; fetch the file again, or compress all of its parts anew",
              in->name, in->io.next[0] == 0 ? "zeros" : "data that are not ",
              in->io.next[0] == 0 ? "" : name, name, offset(in));
    return ST_EINPUT;
}

/* Skip the zeros that a format allows after a member. */
static status_t skip_padding(packed_input_t *in)
{
    static const unsigned char zeros[UNPACK_MAGIC_BYTES];
    const size_t n = in->method->padding;
    status_t st = ST_OK;

    while (n > 0 && in->io.n_next >= n && memcmp(in->io.next, zeros, n) == 0) {
        in->io.next += n;
        in->io.n_next -= n;
        if ((st = need(in, UNPACK_MAGIC_BYTES)) != ST_OK)
            break;
    }
    return st;
}

/* Begin the file. @return ST_OK also if it is not compressed */
static status_t begin(packed_input_t *in)
{
    status_t st = need(in, UNPACK_MAGIC_BYTES);

    if (st != ST_OK)
        return st;
    in->has_begun = true;
    in->method = unpack_find(in->io.next, in->io.n_next);
    if (in->method == NULL)
        return ST_OK;
    in->state = calloc(1, in->method->state_bytes);
    if (in->state == NULL || !in->method->begin(in->state))
        return log_nomem("reading a file");
    in->is_in_member = true;
    return ST_OK;
}

/* Begin the next member. @return ST_OK also at the end of the file, outside a member */
static status_t begin_next_member(packed_input_t *in)
{
    status_t st = need(in, UNPACK_MAGIC_BYTES);

    if (st != ST_OK || (st = skip_padding(in)) != ST_OK || in->io.n_next == 0)
        return st;
    if (!in->method->begins(in->io.next, in->io.n_next))
        return has_leftovers(in);
    if (!in->method->begin(in->state))
        return log_nomem("reading a file");
    in->is_in_member = true;
    return ST_OK;
}

/* Unpack up to the end of the member, the block, or the space.  A library may hold back
 * bytes that it has unpacked, so that the end of the file alone is not an error. */
static status_t unpack_some(packed_input_t *in)
{
    unpack_io_t *io = &in->io;
    status_t st = need(in, 1);
    const size_t n_next = io->n_next, n_to = io->n_to;

    if (st != ST_OK)
        return st;
    switch (in->method->step(in->state, io)) {
    case UNPACK_END:
        in->is_in_member = false;
        return ST_OK;
    case UNPACK_MORE:
        if (io->n_next < n_next || io->n_to < n_to)
            return ST_OK;
        return io->n_next == 0 ? truncated(in) : damaged(in);
    case UNPACK_NO_MEMORY:
        return log_nomem("reading a file");
    case UNPACK_TOO_LARGE:
        return too_large(in);
    case UNPACK_DAMAGED:
        break;
    }
    return damaged(in);
}

static status_t read_packed(packed_input_t *in, unsigned char *to, size_t len,
                            size_t *n_read)
{
    status_t st = ST_OK;

    in->io.to = to;
    in->io.n_to = len;
    while (st == ST_OK && in->io.n_to > 0) {
        if (!in->is_in_member &&
            ((st = begin_next_member(in)) != ST_OK || !in->is_in_member))
            break;
        st = unpack_some(in);
    }
    *n_read = len - in->io.n_to;
    return st;
}

static status_t read_plain(packed_input_t *in, unsigned char *to, size_t len,
                           size_t *n_read)
{
    unpack_io_t *io = &in->io;
    size_t done = io->n_next < len ? io->n_next : len;

    memcpy(to, io->next, done);
    io->next += done;
    io->n_next -= done;
    while (done < len && !in->at_end) {
        ssize_t n = read_some(in, to + done, len - done);

        if (n < 0)
            return ST_EIO;
        done += (size_t)n;
    }
    *n_read = done;
    return ST_OK;
}

/* A small file may unpack to more than all memory. */
static status_t check_limit(packed_input_t *in, size_t n_read)
{
    char text[BYTE_SIZE_TEXT_BYTES];

    in->n_out += (int64_t)n_read;
    if (max_bytes == 0 || in->n_out <= max_bytes)
        return ST_OK;
    log_error("%s: holds more than --max-input, %s; raise it if the file is what it "
              "should be",
              in->name, byte_size_text((double)max_bytes, text));
    return ST_EINPUT;
}

status_t packed_input_read(packed_input_t *in, void *to, size_t len, size_t *n_read)
{
    status_t st = in->has_begun ? ST_OK : begin(in);

    if (st != ST_OK)
        return st;
    st = in->method != NULL ? read_packed(in, to, len, n_read)
                            : read_plain(in, to, len, n_read);
    return st == ST_OK ? check_limit(in, *n_read) : st;
}

status_t packed_input_read_all(packed_input_t *in, buf_t *out)
{
    enum { BLOCK = 1 << 20 };
    size_t n = BLOCK;
    status_t st = ST_OK;

    while (st == ST_OK && n == BLOCK)
        if ((st = buf_reserve(out, BLOCK)) == ST_OK &&
            (st = packed_input_read(in, out->data + out->len, BLOCK, &n)) == ST_OK)
            out->len += n;
    return st;
}

status_t packed_input_read_file(const char *path, buf_t *out)
{
    packed_input_t *in = NULL;
    status_t st = packed_input_open(path, &in);

    if (st == ST_OK)
        st = packed_input_read_all(in, out);
    packed_input_close(in);
    return st;
}

void packed_input_close(packed_input_t *in)
{
    if (in == NULL)
        return;
    if (in->state != NULL)
        in->method->end(in->state);
    free(in->state);
    close(in->fd);
    free(in->name);
    free(in);
}
