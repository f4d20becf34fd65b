/*
 * halves.h - numbers that are multiples of 1/2, such as the cost 0.5, as integers in
 * halves: 1 stands for 0.5.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { HALVES_TEXT_BYTES = 24 };

/* Parse "-7", "0.5" or "10.0"; "0.5" gives 1.
 * @return whether it is such a number, of at most nine digits before the point */
bool halves_parse(const char *text, int64_t *out);

/* Format 1 as "0.5", 2 as "1". @return text */
const char *halves_text(int64_t halves, char text[HALVES_TEXT_BYTES]);
