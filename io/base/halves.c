/*
 * halves.c - parses and formats numbers in halves.
 */
#include "io/base/halves.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_MAX = 9 };

bool halves_parse(const char *text, int64_t *out)
{
    bool is_negative = *text == '-';
    const char *first = text + (is_negative || *text == '+');
    size_t n = strspn(first, "0123456789");
    const char *rest = first + n;
    bool has_half = strcmp(rest, ".5") == 0;
    int64_t halves;

    if (n == 0 || n > DIGITS_MAX ||
        (*rest != '\0' && !has_half && strcmp(rest, ".0") != 0))
        return false;
    halves = 2 * strtoll(first, NULL, 10) + has_half;
    *out = is_negative ? -halves : halves;
    return true;
}

const char *halves_text(int64_t halves, char text[HALVES_TEXT_BYTES])
{
    uint64_t size = halves < 0 ? 0 - (uint64_t)halves : (uint64_t)halves;

    snprintf(text, HALVES_TEXT_BYTES, "%s%" PRIu64 "%s", halves < 0 ? "-" : "", size / 2,
             size % 2 != 0 ? ".5" : "");
    return text;
}
