/*
 * byte_size.c - powers of 1024 with at most one decimal.
 */
#include "io/base/byte_size.h"

#include <math.h>
#include <stdio.h>

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
