/*
 * byte_size.h - sizes in bytes, as messages print them and users write them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { BYTE_SIZE_TEXT_BYTES = 32 };

/*
 * Format a size in the largest unit that keeps it at 1 or more: "1 byte", "1023 bytes",
 * "1.5 KiB", "256 GiB".
 *
 * @param bytes  at least 0
 * @return text
 */
const char *byte_size_text(double bytes, char text[BYTE_SIZE_TEXT_BYTES]);

/* Parse a size: bytes, with K, M, G or T behind them in units of 1024. @return whether it
 * is one */
bool byte_size_parse(const char *text, int64_t *out);
