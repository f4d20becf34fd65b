/*
 * byte_size.c - powers of 1024, printed with at most one decimal.
 */
#include "io/base/byte_size.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *byte_size_text(double bytes, char text[BYTE_SIZE_TEXT_BYTES])
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB",
                                        "TiB",   "PiB", "EiB"};
    enum { N_UNITS = sizeof(units) / sizeof(units[0]) };
    double value = bytes;
    int unit = 0;

    while (unit < N_UNITS - 1 && round(10 * value) >= 10240) {
        value /= 1024;
        unit++;
    }
    if (unit == 0)
        snprintf(text, BYTE_SIZE_TEXT_BYTES, "%.0f %s", value,
                 round(value) == 1 ? "byte" : units[0]);
    else
        snprintf(text, BYTE_SIZE_TEXT_BYTES, "%.*f %s",
                 round(10 * value) == 10 * round(value) ? 0 : 1, value, units[unit]);
    return text;
}

bool byte_size_parse(const char *text, int64_t *out)
{
    static const char units[] = "KMGT";
    char *end;
    long long value;
    int shift = 0;

    errno = 0;
    value = strtoll(text, &end, 10);
    if (errno != 0 || end == text || value < 0)
        return false;
    if (*end != '\0') {
        const char *unit = strchr(units, *end);

        if (unit == NULL || end[1] != '\0')
            return false;
        shift = 10 * (int)(unit - units + 1);
    }
    if (value > INT64_MAX >> shift)
        return false;
    *out = (int64_t)value << shift;
    return true;
}
