/*
 * texts.h - a list of texts in one block, which begins with the first of them.
 */
#ifndef RIBOGRID_IO_BASE_TEXTS_H
#define RIBOGRID_IO_BASE_TEXTS_H

#include "io/base/status.h"

#include <stddef.h>
#include <stdint.h>

/* @return text i, borrowed */
typedef const char *texts_at_fn(const void *ctx, int64_t i);

/*
 * Copy n texts.
 *
 * @param out  freed by texts_free
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t texts_copy(texts_at_fn *at, const void *ctx, int64_t n, char ***out) MUST_CHECK;

/* @return the bytes that texts take with their NULs */
size_t texts_bytes(char *const *texts, int64_t n);

/* Takes NULL. */
void texts_free(char **texts);

#endif
