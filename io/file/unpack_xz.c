/*
 * unpack_xz.c - xz streams by liblzma.
 */
#include "io/file/unpack.h"

#include <lzma.h>
#include <string.h>

enum { MAX_MIB = 256 }; /* `xz -9` needs 65 */

static bool begins(const unsigned char *data, size_t len)
{
    return len >= 6 && memcmp(data, "\xfd\x37zXZ", 6) == 0; /* and its NUL */
}

/* A zeroed state is LZMA_STREAM_INIT. */
static bool begin(void *state)
{
    return lzma_stream_decoder(state, (uint64_t)MAX_MIB << 20, 0) == LZMA_OK;
}

static void end(void *state)
{
    lzma_end(state);
}

static unpack_outcome_t step(void *state, unpack_io_t *io)
{
    lzma_stream *s = state;
    lzma_ret code;

    s->next_in = io->next;
    s->avail_in = io->n_next;
    s->next_out = io->to;
    s->avail_out = io->n_to;
    code = lzma_code(s, LZMA_RUN);
    io->next += io->n_next - s->avail_in;
    io->n_next = s->avail_in;
    io->to = s->next_out;
    io->n_to = s->avail_out;
    switch (code) {
    case LZMA_STREAM_END:
        return UNPACK_END;
    case LZMA_OK:
    case LZMA_BUF_ERROR:
        return UNPACK_MORE;
    case LZMA_MEM_ERROR:
        return UNPACK_NO_MEMORY;
    case LZMA_MEMLIMIT_ERROR:
        return UNPACK_TOO_LARGE;
    default:
        return UNPACK_DAMAGED;
    }
}

const unpack_method_t unpack_xz = {.name = "xz",
                                   .suffix = ".xz",
                                   .command = "xz -dk",
                                   .max_mib = MAX_MIB,
                                   .padding = 4,
                                   .begins = begins,
                                   .state_bytes = sizeof(lzma_stream),
                                   .begin = begin,
                                   .step = step,
                                   .end = end,
                                   .library = "liblzma",
                                   .version = lzma_version_string};
