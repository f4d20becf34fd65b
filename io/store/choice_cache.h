/*
 * choice_cache.h - remembering what was measured for a problem on a device, as text: the
 * files "algorithms" (of a library, the fastest) and "rates" (of a network's layers) of
 * the cache (cache_file.h).
 */
#pragma once

#include "io/base/buf.h"

/*
 * Look up the text of a key; entries of another build of this program do not count.
 *
 * @param name  of the file
 * @param key   one line
 * @param out   gets the text, NUL-terminated; nothing if there is none
 * @return ST_OK or ST_ENOMEM
 */
status_t choice_cache_get(const char *name, const char *key, buf_t *out) MUST_CHECK;

/* Store a text of lines, none of them empty, in place of an earlier one, if the file can
 * be written. */
void choice_cache_put(const char *name, const char *key, const char *text);
