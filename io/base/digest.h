/*
 * digest.h - a 64-bit digest of bytes, to tell inputs apart.
 *
 * It guards against mistakes, not against forgery: each word of 8 bytes is mixed in by a
 * product and a shift, as FNV-1a (Fowler, Noll, Vo) does with each byte.  The words are
 * in this machine's byte order.
 */
#ifndef RIBOGRID_IO_BASE_DIGEST_H
#define RIBOGRID_IO_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define DIGEST_START UINT64_C(0xcbf29ce484222325)

/* @return the digest of what `digest` stands for and len more bytes.  What was added in
 * other pieces has another digest. */
uint64_t digest_add(uint64_t digest, const void *data, size_t len);

#endif
