/*
 * unpack_gzip.c - gzip members by zlib.
 */
#include "io/file/unpack.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>

enum { GZIP_WINDOW = 15 + 16 };

static bool begins(const unsigned char *data, size_t len)
{
    return len >= 2 && memcmp(data, "\x1f\x8b", 2) == 0;
}

static bool begin(void *state)
{
    z_stream *s = state;

    return (s->state != NULL ? inflateReset(s) : inflateInit2(s, GZIP_WINDOW)) == Z_OK;
}

static void end(void *state)
{
    inflateEnd(state);
}

static unpack_outcome_t step(void *state, unpack_io_t *io)
{
    z_stream *s = state;
    const unsigned n_next = io->n_next < UINT_MAX ? (unsigned)io->n_next : UINT_MAX;
    const unsigned n_to = io->n_to < UINT_MAX ? (unsigned)io->n_to : UINT_MAX;
    int code;

    s->next_in = io->next;
    s->avail_in = n_next;
    s->next_out = io->to;
    s->avail_out = n_to;
    code = inflate(s, Z_NO_FLUSH);
    io->next = s->next_in;
    io->n_next -= n_next - s->avail_in;
    io->to = s->next_out;
    io->n_to -= n_to - s->avail_out;
    switch (code) {
    case Z_STREAM_END:
        return UNPACK_END;
    case Z_OK:
    case Z_BUF_ERROR:
        return UNPACK_MORE;
    case Z_MEM_ERROR:
        return UNPACK_NO_MEMORY;
    default:
        return UNPACK_DAMAGED;
    }
}

const unpack_method_t unpack_gzip = {.name = "gzip",
                                     .suffix = ".gz",
                                     .command = "gzip -dk",
                                     .begins = begins,
                                     .state_bytes = sizeof(z_stream),
                                     .begin = begin,
                                     .step = step,
                                     .end = end,
                                     .library = "zlib",
                                     .version = zlibVersion};
