/*
 * dpc.h - translates a CUDA file with nested parallelism.
 *
 * Launches with `#pragma dp` are consolidated, and kernels that wait for their children
 * are divided.  docs/dpc.md has the rules.
 */
#pragma once

#include "io/base/buf.h"
#include "tools/dpc/dpc_unit.h"

typedef struct {
    dpc_parse_t parse;
    bool port;          /* translate files without a pragma, too */
    int64_t pool_bytes; /* unless a clause says more */
} dpc_options_t;

/*
 * Translate a file.
 *
 * @param text    [len] and a NUL; messages name it how->parse.path
 * @param out     empty; the same bytes if there is nothing to translate
 * @param report  empty; one line per launch and wait that is translated; both are freed
 *                by the caller, also after a failure
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE (no libclang) or ST_EINPUT (refused), logged
 */
status_t dpc_translate(const dpc_options_t *how, const char *text, size_t len, buf_t *out,
                       buf_t *report) MUST_CHECK;
