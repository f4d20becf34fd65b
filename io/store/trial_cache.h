/*
 * trial_cache.h - which kernel was the fastest, from one run to the next: a small text
 * file, a line an answer.
 *
 * It lies in $RIBOGRID_CACHE, $XDG_CACHE_HOME/ribogrid or ~/.cache/ribogrid.  Nothing
 * depends on it: a line that makes no sense is as good as none, and a file that cannot be
 * read or written is silent but under -v.
 */
#ifndef RIBOGRID_IO_STORE_TRIAL_CACHE_H
#define RIBOGRID_IO_STORE_TRIAL_CACHE_H

#include "io/base/status.h"

#include <stdbool.h>

enum { TRIAL_KERNEL_BYTES = 32 };

typedef struct {
    char kernel[TRIAL_KERNEL_BYTES]; /* no blanks */
    double cells_per_s;              /* > 0 */
} trial_entry_t;

typedef struct trial_cache trial_cache_t;

/*
 * Find the file's place; the file need not be there.
 *
 * @param version  of this program; answers of another one, or of another build of it, are
 *                 not given
 * @return ST_OK or ST_ENOMEM
 */
status_t trial_cache_create(const char *version, trial_cache_t **out) MUST_CHECK;

/*
 * Look an answer up.
 *
 * @param key  what was asked: no control characters
 * @return whether there is one; out is written only then
 */
bool trial_cache_get(const trial_cache_t *cache, const char *key, trial_entry_t *out);

/* Keep an answer in the place of an older one, if the file can be written. */
void trial_cache_put(const trial_cache_t *cache, const char *key,
                     const trial_entry_t *entry);

/* Takes NULL. */
void trial_cache_destroy(trial_cache_t *cache);

#endif
