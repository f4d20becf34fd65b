/*
 * fraction.h - an exact fraction from 0 to 1, as a user gives it for an identity or an
 * overlap; never a float.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Parsed ones are in lowest terms with a denominator of at most 10^9.  Denominator 0: not
 * given. */
typedef struct {
    int64_t numerator, denominator;
} fraction_t;

/* Several, as a user lists them. */
enum { FRACTION_LIST_MAX = 16 };
typedef struct {
    int n;
    fraction_t at[FRACTION_LIST_MAX];
} fraction_list_t;

/* @return the greatest common divisor; 0 only if both numbers are 0 */
int64_t fraction_divisor(int64_t a, int64_t b);

/* Reduce a fraction whose denominator is more than 0 to lowest terms. */
void fraction_reduce(fraction_t *fraction);

/* Parse "0.97" as 97/100.
 * @return whether it is a decimal from 0 to 1 with at most nine digits */
bool fraction_from_decimal(const char *text, fraction_t *out);

/* Parse "97/100". @return whether it is a fraction from 0 to 1 */
bool fraction_from_ratio(const char *text, fraction_t *out);

/* Format as "97/100". @return text */
enum { FRACTION_RATIO_BYTES = 48 };
const char *fraction_to_ratio(const fraction_t *fraction,
                              char text[FRACTION_RATIO_BYTES]);

/* @return a given fraction as a number, for messages and drawings */
static inline double fraction_value(const fraction_t *fraction)
{
    return (double)fraction->numerator / (double)fraction->denominator;
}

/* @return whether matches / columns >= min.  A pair without columns has no identity and
 *         reaches no fraction, not even 0.  If min is not given, every pair reaches it */
static inline bool fraction_reached(const fraction_t *min, int64_t matches,
                                    int64_t columns)
{
    return min->denominator == 0 ||
           (columns > 0 && matches * min->denominator >= columns * min->numerator);
}
