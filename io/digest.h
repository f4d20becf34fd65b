/*
 * digest.h - a 64-bit digest of bytes (FNV-1a: Fowler, Noll, Vo), to tell inputs apart.
 *
 * It guards against mistakes, not against forgery.
 */
#ifndef RIBOGRID_IO_DIGEST_H
#define RIBOGRID_IO_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define DIGEST_START UINT64_C(0xcbf29ce484222325)

/* @return the digest of what `digest` stands for, followed by len bytes of data */
uint64_t digest_add(uint64_t digest, const void *data, size_t len);

#endif
