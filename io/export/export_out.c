/*
 * export_out.c - numbers are formatted by hand.
 */
#include "io/export/export_out.h"

#include "io/base/halves.h"
#include "io/base/logmsg.h"

#include <errno.h>
#include <string.h>

enum { NUMBER_BYTES = 32 };

/* With printf a large export would spend most of its time formatting. */
static void put_digits(FILE *out, uint64_t value, int min_digits)
{
    char digits[NUMBER_BYTES];
    int at = NUMBER_BYTES;

    for (; value > 0 || min_digits > 0; value /= 10, min_digits--)
        digits[--at] = (char)('0' + value % 10);
    fwrite_unlocked(digits + at, 1, (size_t)(NUMBER_BYTES - at), out);
}

void export_out_int(FILE *out, int64_t value)
{
    if (value < 0)
        putc_unlocked('-', out);
    put_digits(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 1);
}

void export_out_tab_int(FILE *out, int64_t value)
{
    putc_unlocked('\t', out);
    export_out_int(out, value);
}

void export_out_score(FILE *out, int64_t score, bool in_halves)
{
    char text[HALVES_TEXT_BYTES];

    fputs_unlocked(halves_text(in_halves ? score : 2 * score, text), out);
}

/* printf is only needed if the next digits are close to a half. */
void export_out_percent(FILE *out, int64_t numerator, int64_t denominator)
{
    double percent =
        denominator > 0 ? 100.0 * (double)numerator / (double)denominator : 0.0;
    double tenths = percent * 10, floor_of = (double)(int64_t)tenths;
    double rest = tenths - floor_of;

    if (numerator >= 0 && numerator <= denominator && (rest < 0.499 || rest > 0.501)) {
        int64_t rounded = (int64_t)floor_of + (rest > 0.5);

        put_digits(out, (uint64_t)(rounded / 10), 1);
        putc_unlocked('.', out);
        put_digits(out, (uint64_t)(rounded % 10), 1);
    } else {
        char text[NUMBER_BYTES];
        int len = snprintf(text, sizeof(text), "%.1f", percent);

        fwrite_unlocked(text, 1, (size_t)len, out);
    }
}

void export_out_fraction(FILE *out, int64_t numerator, int64_t denominator, int digits)
{
    int64_t unit = 1, rounded;

    for (int i = 0; i < digits; i++)
        unit *= 10;
    rounded = (numerator % denominator * unit + denominator / 2) / denominator;
    put_digits(out, (uint64_t)(numerator / denominator + rounded / unit), 1);
    putc_unlocked('.', out);
    put_digits(out, (uint64_t)(rounded % unit), digits);
}

void export_out_evalue(FILE *out, double evalue)
{
    if (evalue < 0)
        fputs_unlocked("-1", out);
    else if (evalue < 1e-180)
        fputs_unlocked("0.0", out);
    else if (evalue < 0.0009)
        fprintf(out, "%.2e", evalue);
    else
        fprintf(out, "%.*f",
                evalue < 0.1  ? 3
                : evalue < 1  ? 2
                : evalue < 10 ? 1
                              : 0,
                evalue);
}

void export_out_bits(FILE *out, double bits)
{
    if (bits >= 99999)
        fprintf(out, "%.3e", bits);
    else if (bits >= 99.9)
        export_out_int(out, (int64_t)bits);
    else if (bits > 0)
        fprintf(out, "%.1f", bits);
    else
        putc_unlocked('0', out);
}

status_t export_out_flush(FILE *out)
{
    if (fflush(out) == 0 && !ferror(out))
        return ST_OK;
    log_error("cannot write the export: %s; check the free space", strerror(errno));
    return ST_EIO;
}
