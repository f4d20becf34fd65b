/*
 * unpack_zstd.c - Zstandard frames by libzstd.
 */
#include "io/file/unpack.h"

#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

/* The window of a frame, which `zstd --ultra -22` needs; more takes --long. */
enum { MAX_WINDOW_LOG = 27, MAX_MIB = 1 << (MAX_WINDOW_LOG - 20), MAX_HEADER = 18 };

/* The library does not compare the size that a frame declares with that of its data where
 * the last block is empty. */
typedef struct {
    ZSTD_DCtx *context;
    unsigned char header[MAX_HEADER]; /* the first bytes of the frame */
    size_t n_header;
    unsigned long long n_out; /* bytes of the frame's data so far */
} state_t;

/* pzstd and others put a frame without data, to be skipped, before the first one. */
static bool begins(const unsigned char *data, size_t len)
{
    return len >= 4 && (memcmp(data, "\x28\xb5\x2f\xfd", 4) == 0 ||
                        (data[0] >> 4 == 5 && memcmp(data + 1, "\x2a\x4d\x18", 3) == 0));
}

static void end(void *state)
{
    ZSTD_freeDCtx(((state_t *)state)->context); /* takes NULL */
}

static bool begin(void *state)
{
    state_t *s = state;

    s->n_header = 0;
    s->n_out = 0;
    if (s->context != NULL)
        return !ZSTD_isError(ZSTD_DCtx_reset(s->context, ZSTD_reset_session_only));
    s->context = ZSTD_createDCtx();
    return s->context != NULL &&
           !ZSTD_isError(
               ZSTD_DCtx_setParameter(s->context, ZSTD_d_windowLogMax, MAX_WINDOW_LOG));
}

/* Remember what the library has consumed and written. */
static void count(state_t *s, const unsigned char *from, size_t n_in, size_t n_out)
{
    const size_t room = MAX_HEADER - s->n_header, n = n_in < room ? n_in : room;

    memcpy(s->header + s->n_header, from, n);
    s->n_header += n;
    s->n_out += n_out;
}

static unpack_outcome_t end_frame(const state_t *s)
{
    const unsigned long long size = ZSTD_getFrameContentSize(s->header, s->n_header);

    return size == ZSTD_CONTENTSIZE_UNKNOWN || size == s->n_out ? UNPACK_END
                                                                : UNPACK_DAMAGED;
}

static unpack_outcome_t step(void *state, unpack_io_t *io)
{
    state_t *s = state;
    ZSTD_inBuffer in = {io->next, io->n_next, 0};
    ZSTD_outBuffer out = {io->to, io->n_to, 0};
    const size_t code = ZSTD_decompressStream(s->context, &out, &in);

    count(s, io->next, in.pos, out.pos);
    io->next += in.pos;
    io->n_next -= in.pos;
    io->to += out.pos;
    io->n_to -= out.pos;
    if (!ZSTD_isError(code))
        return code == 0 ? end_frame(s) : UNPACK_MORE;
    switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_memory_allocation:
        return UNPACK_NO_MEMORY;
    case ZSTD_error_frameParameter_windowTooLarge:
        return UNPACK_TOO_LARGE;
    default:
        return UNPACK_DAMAGED;
    }
}

const unpack_method_t unpack_zstd = {.name = "zstd",
                                     .suffix = ".zst",
                                     .command = "zstd -d --long=31",
                                     .max_mib = MAX_MIB,
                                     .begins = begins,
                                     .state_bytes = sizeof(state_t),
                                     .begin = begin,
                                     .step = step,
                                     .end = end,
                                     .library = "libzstd",
                                     .version = ZSTD_versionString};
