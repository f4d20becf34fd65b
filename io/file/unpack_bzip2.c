/*
 * unpack_bzip2.c - bzip2 streams by libbz2.
 */
#include "io/file/unpack.h"

#include <bzlib.h>
#include <limits.h>
#include <string.h>

/* "BZh" alone may begin a text: what follows the digit, of a block or of the end of the
 * stream, is compared as well. */
static bool begins(const unsigned char *data, size_t len)
{
    return len >= UNPACK_MAGIC_BYTES && memcmp(data, "BZh", 3) == 0 && data[3] >= '1' &&
           data[3] <= '9' &&
           (memcmp(data + 4, "1AY&SY", 6) == 0 ||
            memcmp(data + 4, "\x17\x72\x45\x38\x50\x90", 6) == 0);
}

static void end(void *state)
{
    BZ2_bzDecompressEnd(state); /* without effect if it has not begun */
}

static bool begin(void *state)
{
    end(state);
    return BZ2_bzDecompressInit(state, 0, 0) == BZ_OK;
}

static unpack_outcome_t step(void *state, unpack_io_t *io)
{
    bz_stream *s = state;
    const unsigned n_next = io->n_next < UINT_MAX ? (unsigned)io->n_next : UINT_MAX;
    const unsigned n_to = io->n_to < UINT_MAX ? (unsigned)io->n_to : UINT_MAX;
    int code;

    s->next_in = (char *)io->next;
    s->avail_in = n_next;
    s->next_out = (char *)io->to;
    s->avail_out = n_to;
    code = BZ2_bzDecompress(s);
    io->next = (unsigned char *)s->next_in;
    io->n_next -= n_next - s->avail_in;
    io->to = (unsigned char *)s->next_out;
    io->n_to -= n_to - s->avail_out;
    switch (code) {
    case BZ_STREAM_END:
        return UNPACK_END;
    case BZ_OK:
        return UNPACK_MORE;
    case BZ_MEM_ERROR:
        return UNPACK_NO_MEMORY;
    default:
        return UNPACK_DAMAGED;
    }
}

const unpack_method_t unpack_bzip2 = {.name = "bzip2",
                                      .suffix = ".bz2",
                                      .command = "bzip2 -dk",
                                      .begins = begins,
                                      .state_bytes = sizeof(bz_stream),
                                      .begin = begin,
                                      .step = step,
                                      .end = end,
                                      .library = "libbz2",
                                      .version = BZ2_bzlibVersion};
