/*
 * deflate.h - zlib streams and CRC-32 of what is in memory as a whole.
 *
 * Two files implement it, and a build compiles one of them: deflate.c uses libdeflate,
 * and deflate_zlib.c uses zlib where CMake has not found libdeflate.  Each reads what the
 * other has written; the bytes of their streams differ.  Each thread keeps the memory of
 * its compressors until it ends.
 */
#pragma once

#include "io/base/buf.h"

#include <stdbool.h>
#include <stdint.h>

/* What is compressed decides how. */
typedef enum {
    DEFLATE_TEXT,    /* such as CIGARs: much of it, so speed counts */
    DEFLATE_LETTERS, /* bases */
    DEFLATE_NUMBERS, /* shuffled (tile_pack.h) */
    DEFLATE_SQUARE   /* int32 values of a square matrix, shuffled */
} deflate_kind_t;

enum { DEFLATE_KINDS = 4 };

/* Append the zlib stream of len bytes. @return ST_OK or ST_ENOMEM */
status_t deflate_append(const void *raw, size_t len, deflate_kind_t kind,
                        buf_t *out) MUST_CHECK;

/* Append a gzip member of len bytes of text. @return ST_OK or ST_ENOMEM */
status_t deflate_append_gzip(const void *raw, size_t len, buf_t *out) MUST_CHECK;

/* Inflate a zlib stream. @return whether it is valid and holds exactly len_out bytes */
bool deflate_undo(const void *stream, size_t len, void *out, size_t len_out);

/* @return the CRC-32 of zlib and gzip */
uint32_t deflate_crc32(const void *data, size_t len);

/* @return name and version of the library */
const char *deflate_library(void);
