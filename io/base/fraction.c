/*
 * fraction.c - parses and formats exact fractions.
 */
#include "io/base/fraction.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A denominator times the columns of an alignment, fewer than 2^31, must fit 64 bits. */
#define DENOMINATOR_MAX INT64_C(1000000000)

int64_t fraction_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t remainder = a % b;

        a = b;
        b = remainder;
    }
    return a < 0 ? -a : a;
}

void fraction_reduce(fraction_t *p)
{
    int64_t divisor = fraction_divisor(p->numerator, p->denominator);

    p->numerator /= divisor;
    p->denominator /= divisor;
}

bool fraction_from_decimal(const char *text, fraction_t *out)
{
    fraction_t p = {0, 1};
    bool point = false, digits = false;

    for (; *text != '\0'; text++) {
        if (*text == '.' && !point) {
            point = true;
            continue;
        }
        if (*text < '0' || *text > '9' || p.denominator >= DENOMINATOR_MAX)
            return false;
        digits = true;
        p.numerator = p.numerator * 10 + (*text - '0');
        p.denominator *= point ? 10 : 1;
        if (p.numerator > p.denominator) /* above 1, whatever digits follow */
            return false;
    }
    if (!digits)
        return false;
    fraction_reduce(&p);
    *out = p;
    return true;
}

bool fraction_from_ratio(const char *text, fraction_t *out)
{
    char *rest;
    fraction_t p;

    if (*text < '0' || *text > '9')
        return false;
    p.numerator = strtoll(text, &rest, 10);
    if (rest[0] != '/' || rest[1] < '0' || rest[1] > '9')
        return false;
    p.denominator = strtoll(rest + 1, &rest, 10);
    if (*rest != '\0' || p.denominator < 1 || p.denominator > DENOMINATOR_MAX ||
        p.numerator > p.denominator)
        return false;
    fraction_reduce(&p);
    *out = p;
    return true;
}

const char *fraction_to_ratio(const fraction_t *p, char text[FRACTION_RATIO_BYTES])
{
    snprintf(text, FRACTION_RATIO_BYTES, "%" PRId64 "/%" PRId64, p->numerator,
             p->denominator);
    return text;
}
