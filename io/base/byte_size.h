/*
 * byte_size.h - sizes in bytes as messages print them.
 */
#pragma once

enum { BYTE_SIZE_TEXT_BYTES = 32 };

/*
 * Format a size in the largest unit that keeps it at 1 or more: "1 byte", "1023 bytes",
 * "1.5 KiB", "256 GiB".
 *
 * @param bytes  at least 0
 * @return text
 */
const char *byte_size_text(double bytes, char text[BYTE_SIZE_TEXT_BYTES]);
