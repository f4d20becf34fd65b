/*
 * texts.h - a list of texts in one block, which begins with the first of them.
 */
#pragma once

#include "io/base/status.h"

#include <stddef.h>
#include <stdint.h>

/*
 * List n texts that follow each other in a block.
 *
 * @param block  each text with its NUL; freed with the list, or at once after a failure;
 *               NULL: there was no memory for it
 * @param out    freed by texts_free
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t texts_take(char *block, int64_t n, char ***out) MUST_CHECK;

/* List a copy of such a block. @return ST_OK or ST_ENOMEM (logged) */
status_t texts_copy(const char *block, int64_t n, char ***out) MUST_CHECK;

/* @return the bytes that texts take with their NULs */
size_t texts_bytes(char *const *texts, int64_t n);

/* Continue a digest (digest.h), with NULs, so that different lists have different bytes.
 * @return the digest of what was added before, and these */
uint64_t texts_digest(char *const *texts, int64_t n, uint64_t digest);

/* Takes NULL. */
void texts_free(char **texts);
