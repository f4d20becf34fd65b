/*
 * export_out.c - buffered output; numbers are formatted by hand.
 */
#include "io/export/export_out.h"

#include "io/base/halves.h"
#include "io/base/logmsg.h"

#include <errno.h>
#include <string.h>

enum { NUMBER_BYTES = 32 };

static void write_buffer(export_out_t *out)
{
    if (!out->failed && fwrite(out->data, 1, out->len, out->to) != out->len)
        out->failed = true;
    out->len = 0;
}

void export_out_bytes(export_out_t *out, const void *data, size_t len)
{
    const char *at = data;

    while (len > 0) {
        size_t space = EXPORT_OUT_BYTES - out->len, now = len < space ? len : space;

        memcpy(out->data + out->len, at, now);
        out->len += now;
        at += now;
        len -= now;
        if (out->len == EXPORT_OUT_BYTES)
            write_buffer(out);
    }
}

void export_out_text(export_out_t *out, const char *text)
{
    export_out_bytes(out, text, strlen(text));
}

void export_out_char(export_out_t *out, char c)
{
    out->data[out->len++] = c;
    if (out->len == EXPORT_OUT_BYTES)
        write_buffer(out);
}

/* With printf a large export would spend most of its time formatting. */
static void put_digits(export_out_t *out, uint64_t value, int min_digits)
{
    char digits[NUMBER_BYTES];
    int at = NUMBER_BYTES;

    for (; value > 0 || min_digits > 0; value /= 10, min_digits--)
        digits[--at] = (char)('0' + value % 10);
    export_out_bytes(out, digits + at, (size_t)(NUMBER_BYTES - at));
}

void export_out_int(export_out_t *out, int64_t value)
{
    if (value < 0)
        export_out_char(out, '-');
    put_digits(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 1);
}

void export_out_tab_int(export_out_t *out, int64_t value)
{
    export_out_char(out, '\t');
    export_out_int(out, value);
}

void export_out_score(export_out_t *out, int64_t score, bool in_halves)
{
    char text[HALVES_TEXT_BYTES];

    export_out_text(out, halves_text(in_halves ? score : 2 * score, text));
}

/* printf is only needed if the next digits are close to a half. */
void export_out_percent(export_out_t *out, int64_t numerator, int64_t denominator)
{
    double percent =
        denominator > 0 ? 100.0 * (double)numerator / (double)denominator : 0.0;
    double tenths = percent * 10, floor_of = (double)(int64_t)tenths;
    double rest = tenths - floor_of;

    if (numerator >= 0 && numerator <= denominator && (rest < 0.499 || rest > 0.501)) {
        int64_t rounded = (int64_t)floor_of + (rest > 0.5);

        put_digits(out, (uint64_t)(rounded / 10), 1);
        export_out_char(out, '.');
        put_digits(out, (uint64_t)(rounded % 10), 1);
    } else {
        char text[NUMBER_BYTES];
        int len = snprintf(text, sizeof(text), "%.1f", percent);

        export_out_bytes(out, text, (size_t)len);
    }
}

void export_out_fraction(export_out_t *out, int64_t numerator, int64_t denominator,
                         int digits)
{
    int64_t unit = 1, rounded;

    for (int i = 0; i < digits; i++)
        unit *= 10;
    rounded = (numerator % denominator * unit + denominator / 2) / denominator;
    put_digits(out, (uint64_t)(numerator / denominator + rounded / unit), 1);
    export_out_char(out, '.');
    put_digits(out, (uint64_t)(rounded % unit), digits);
}

status_t export_out_flush(export_out_t *out)
{
    write_buffer(out);
    if (!out->failed && fflush(out->to) == 0)
        return ST_OK;
    out->failed = true;
    log_error("cannot write the export: %s; check the free space", strerror(errno));
    return ST_EIO;
}
