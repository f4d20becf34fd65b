/*
 * choice_cache.h - remembering which algorithms of a library were the fastest: a file of
 * the cache (cache_file.h), "algorithms", a text for each problem and device.
 */
#pragma once

#include "io/base/buf.h"

/*
 * Look up the text of a key; entries of another build of this program do not count.
 *
 * @param key  one line
 * @param out  gets the text, NUL-terminated; nothing if there is none
 * @return ST_OK or ST_ENOMEM
 */
status_t choice_cache_get(const char *key, buf_t *out) MUST_CHECK;

/* Store a text of lines, none of them empty, in place of an earlier one, if the file can
 * be written. */
void choice_cache_put(const char *key, const char *text);
