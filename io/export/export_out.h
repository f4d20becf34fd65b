/*
 * export_out.h - buffered output of text and bytes to a file or pipe.
 *
 * A failed write is kept until export_out_flush, which says it; what follows it is lost.
 */
#ifndef RIBOGRID_IO_EXPORT_EXPORT_OUT_H
#define RIBOGRID_IO_EXPORT_EXPORT_OUT_H

#include "io/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { EXPORT_OUT_BYTES = 1 << 16 };

typedef struct {
    FILE *to;
    size_t len;
    bool failed;
    char data[EXPORT_OUT_BYTES];
} export_out_t;

void export_out_bytes(export_out_t *out, const void *data, size_t len);
void export_out_text(export_out_t *out, const char *text);
void export_out_char(export_out_t *out, char c);
void export_out_int(export_out_t *out, int64_t value);

/* A tab, then the number. */
void export_out_tab_int(export_out_t *out, int64_t value);

/* 100 x part / whole with one digit behind the point, as vsearch prints it: computed in
 * doubles, so that halves go the same way; 0.0 where there is no whole. */
void export_out_percent(export_out_t *out, int64_t part, int64_t whole);

/* part / whole with `digits` (at most 9) behind the point, the nearest such number,
 * halves up.  0 <= part <= 2^31, 0 < whole. */
void export_out_fraction(export_out_t *out, int64_t part, int64_t whole, int digits);

/* @return ST_OK or ST_EIO (logged): whether everything so far was written */
status_t export_out_flush(export_out_t *out) MUST_CHECK;

#endif
