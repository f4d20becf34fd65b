/*
 * utf8.h - clean text: valid UTF-8 without control characters.
 *
 * Names and other texts that enter from files are made clean once, so that tables keep
 * their columns, HDF5 keeps its promise of UTF-8, and terminals show what is there.
 */
#pragma once

#include "io/base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* @return whether a text is valid UTF-8 (RFC 3629) without control characters: U+0000 to
 * U+001F, and U+007F to U+009F */
bool utf8_is_clean(const char *text, size_t len);

/*
 * Append a text, with each byte of what is not clean as \xNN (lower-case hexadecimal),
 * except for one character.
 *
 * A backslash remains as it is: clean text never changes, and escaping twice is the same
 * as escaping once, so that a name matches itself in a table whether the table has the
 * bytes or what we printed for them.  In return, the clean text "\xff" and the byte 0xff
 * look the same afterwards; a file that has both as names has a repeated name.
 *
 * @param except  a control character that remains, such as '\t'; UTF8_NONE: none
 * @param out     not NUL-terminated
 * @return ST_OK or ST_ENOMEM
 */
status_t utf8_escape(const char *text, size_t len, int except, buf_t *out) MUST_CHECK;

enum { UTF8_NONE = -1 };

/* @return the length of a clean text if it is cut to at most max bytes, between two
 * characters */
size_t utf8_cut(const char *text, size_t len, size_t max);
