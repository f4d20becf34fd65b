/*
 * plural.h - the ending of a noun behind a number, in messages.
 */
#pragma once

#include <stdint.h>

/* @return "" for one, else "s" */
static inline const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}
