/*
 * digest.h - a 64-bit digest that distinguishes inputs.
 *
 * It guards against mistakes, not against forgery.  Each word of 8 bytes is mixed in by a
 * product and a shift, similar to what FNV-1a (Fowler, Noll, Vo) does with each byte. The
 * words are in the machine's byte order, so digests differ between byte orders.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define DIGEST_START UINT64_C(0xcbf29ce484222325)

/* Extend a digest, at first DIGEST_START, by len bytes.  The same bytes added in
 * different pieces give different digests. @return the new digest */
uint64_t digest_add(uint64_t digest, const void *data, size_t len);

/*
 * The digest of bytes by their place, for files that are written in any order: that of
 * two ranges is the sum of theirs, and that of zeros is 0.
 *
 * @param at  place of the first byte
 */
uint64_t digest_at(uint64_t at, const void *data, size_t len);
