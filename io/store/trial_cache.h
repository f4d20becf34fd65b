/*
 * trial_cache.h - remembering which kernel was the fastest: a file of the cache
 * (cache_file.h), "kernels", one line per result of a trial.  Malformed lines are
 * ignored.
 */
#pragma once

#include "io/base/status.h"

#include <stdbool.h>

enum { TRIAL_KERNEL_BYTES = 32 };

typedef struct {
    char kernel[TRIAL_KERNEL_BYTES]; /* no tabs */
    double cells_per_s;              /* > 0 */
} trial_entry_t;

typedef struct trial_cache trial_cache_t;

/*
 * Find the path of the file; the file need not exist.
 *
 * @param version  of this program; entries of another version or build are ignored
 * @return ST_OK or ST_ENOMEM
 */
status_t trial_cache_create(const char *version, trial_cache_t **out) MUST_CHECK;

/*
 * Look up an entry.
 *
 * @param key  describes the trial; no control characters
 * @return whether there is one; out is written only then
 */
bool trial_cache_get(const trial_cache_t *cache, const char *key, trial_entry_t *out);

/* Store an entry, replacing an older one, if the file can be written. */
void trial_cache_put(const trial_cache_t *cache, const char *key,
                     const trial_entry_t *entry);

/* Takes NULL. */
void trial_cache_destroy(trial_cache_t *cache);
