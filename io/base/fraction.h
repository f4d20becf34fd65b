/*
 * fraction.h - a share between 0 and 1 as the decimal that was given: exact, never a
 * float.
 */
#ifndef RIBOGRID_IO_BASE_FRACTION_H
#define RIBOGRID_IO_BASE_FRACTION_H

#include <stdbool.h>
#include <stdint.h>

/* Lowest terms; the denominator is at most 10^9.  Denominator 0: none was given. */
typedef struct {
    int64_t numerator, denominator;
} fraction_t;

/* Read "0.97" as 97/100. @return whether it is a decimal from 0 to 1, of nine digits at
 *         most */
bool fraction_from_decimal(const char *text, fraction_t *out);

/* Read "97/100". @return whether it is such a share from 0 to 1 */
bool fraction_from_ratio(const char *text, fraction_t *out);

/* "97/100" @return text */
enum { FRACTION_RATIO_BYTES = 48 };
const char *fraction_to_ratio(const fraction_t *part, char text[FRACTION_RATIO_BYTES]);

/* @return whether matches / columns is at least the part, equality included; a pair
 *         without columns has no identity and reaches none. Without a part all do */
static inline bool fraction_reached(const fraction_t *part, int64_t matches,
                                    int64_t columns)
{
    return part->denominator == 0 ||
           (columns > 0 && matches * part->denominator >= columns * part->numerator);
}

#endif
