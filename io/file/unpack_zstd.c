/*
 * unpack_zstd.c - Zstandard frames by libzstd.
 */
#include "io/file/unpack.h"

#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

/* The window of a frame, which `zstd --ultra -22` needs; more takes --long. */
enum { MAX_WINDOW_LOG = 27, MAX_MIB = 1 << (MAX_WINDOW_LOG - 20) };

/* pzstd and others put a frame without data, to be skipped, before the first one. */
static bool begins(const unsigned char *data, size_t len)
{
    return len >= 4 && (memcmp(data, "\x28\xb5\x2f\xfd", 4) == 0 ||
                        (data[0] >> 4 == 5 && memcmp(data + 1, "\x2a\x4d\x18", 3) == 0));
}

static void *create(void)
{
    ZSTD_DCtx *context = ZSTD_createDCtx();

    if (context != NULL &&
        ZSTD_isError(
            ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, MAX_WINDOW_LOG))) {
        ZSTD_freeDCtx(context);
        return NULL;
    }
    return context;
}

static bool restart(void *state)
{
    return !ZSTD_isError(ZSTD_DCtx_reset(state, ZSTD_reset_session_only));
}

static unpack_outcome_t step(void *state, unpack_io_t *io)
{
    ZSTD_inBuffer in = {io->next, io->n_next, 0};
    ZSTD_outBuffer out = {io->to, io->n_to, 0};
    const size_t code = ZSTD_decompressStream(state, &out, &in);

    io->next += in.pos;
    io->n_next -= in.pos;
    io->to += out.pos;
    io->n_to -= out.pos;
    if (!ZSTD_isError(code))
        return code == 0 ? UNPACK_END : UNPACK_MORE;
    switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_memory_allocation:
        return UNPACK_NO_MEMORY;
    case ZSTD_error_frameParameter_windowTooLarge:
        return UNPACK_TOO_LARGE;
    default:
        return UNPACK_DAMAGED;
    }
}

static void destroy(void *state)
{
    ZSTD_freeDCtx(state); /* takes NULL */
}

const unpack_method_t unpack_zstd = {.name = "zstd",
                                     .suffix = ".zst",
                                     .command = "zstd -d --long=31",
                                     .max_mib = MAX_MIB,
                                     .begins = begins,
                                     .create = create,
                                     .restart = restart,
                                     .step = step,
                                     .destroy = destroy,
                                     .library = "libzstd",
                                     .version = ZSTD_versionString};
