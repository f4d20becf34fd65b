/*
 * remote_cache.c - inputs of earlier runs that a server keeps.
 */
#include "dispatcher/remote/remote_cache.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int64_t bytes_of(const remote_cache_t *c, const char *user)
{
    int64_t bytes = 0;

    for (int i = 0; i < c->n; i++)
        bytes += strcmp(c->at[i].user, user) == 0 ? c->at[i].bytes : 0;
    return bytes;
}

static void drop(remote_cache_t *c, int i)
{
    close(c->at[i].fd);
    c->bytes -= c->at[i].bytes;
    c->at[i] = c->at[--c->n];
}

/* Drop an input of the user who has most. */
static void drop_one(remote_cache_t *c)
{
    int drops = 0;
    int64_t max = -1;

    for (int i = 0; i < c->n; i++) {
        const int64_t bytes = bytes_of(c, c->at[i].user);

        if (bytes > max || (bytes == max && c->at[i].used < c->at[drops].used)) {
            drops = i;
            max = bytes;
        }
    }
    drop(c, drops);
}

int remote_cache_find(remote_cache_t *c, const char *user,
                      const unsigned char digest[CONTROL_DIGEST_BYTES])
{
    for (int i = 0; i < c->n; i++)
        if (strcmp(c->at[i].user, user) == 0 &&
            memcmp(c->at[i].digest, digest, CONTROL_DIGEST_BYTES) == 0) {
            c->at[i].used = ++c->count;
            return c->at[i].fd;
        }
    return -1;
}

/* @return its size; 0: others could change it */
static int64_t sealed_bytes(int fd)
{
    const int all = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    const int seals = fd >= 0 ? fcntl(fd, F_GET_SEALS) : -1;
    struct stat info;

    return seals >= 0 && (seals & all) == all && fstat(fd, &info) == 0
               ? (int64_t)info.st_size
               : 0;
}

void remote_cache_keep(remote_cache_t *c, const char *user,
                       const unsigned char digest[CONTROL_DIGEST_BYTES], int fd)
{
    const int64_t bytes = sealed_bytes(fd);
    cached_input_t *in;

    if (bytes <= 0 || bytes > c->max_bytes || remote_cache_find(c, user, digest) >= 0) {
        if (fd >= 0)
            close(fd);
        return;
    }
    while (c->n == CACHE_INPUTS_MAX || c->bytes + bytes > c->max_bytes)
        drop_one(c);
    in = &c->at[c->n++];
    *in = (cached_input_t){.fd = fd, .bytes = bytes, .used = ++c->count};
    strcpy(in->user, user);
    memcpy(in->digest, digest, CONTROL_DIGEST_BYTES);
    c->bytes += bytes;
}

void remote_cache_free(remote_cache_t *c)
{
    while (c->n > 0)
        drop(c, c->n - 1);
}
