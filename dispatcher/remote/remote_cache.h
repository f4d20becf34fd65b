/*
 * remote_cache.h - inputs of earlier runs that a server keeps, each for its user only:
 * memory that nobody can change or shrink any more (sealed memfds), found by digest.
 *
 * When there is no room, the user who has most loses the input that was used longest ago.
 */
#pragma once

#include "dispatcher/remote/remote_control.h"

enum { CACHE_INPUTS_MAX = 256 };

typedef struct {
    char user[KEY_NAME_BYTES];
    unsigned char digest[CONTROL_DIGEST_BYTES];
    int fd;
    int64_t bytes;
    uint64_t used; /* when, by the cache's count */
} cached_input_t;

/* Zeroed, but for the limit: empty. */
typedef struct {
    int64_t max_bytes; /* 0: keep nothing */
    cached_input_t at[CACHE_INPUTS_MAX];
    int n;
    int64_t bytes;
    uint64_t count;
} remote_cache_t;

/* @return a descriptor, the cache's; -1: there is no such input of this user */
int remote_cache_find(remote_cache_t *c, const char *user,
                      const unsigned char digest[CONTROL_DIGEST_BYTES]);

/* Keep an input, if it is sealed and there can be room. @param fd  taken over; -1: none
 */
void remote_cache_keep(remote_cache_t *c, const char *user,
                       const unsigned char digest[CONTROL_DIGEST_BYTES], int fd);

void remote_cache_free(remote_cache_t *c);
