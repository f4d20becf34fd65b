/*
 * remote_limits.h - what each user of a server may use: a file with a line per user, such
 * as "alice clients=4 memory=16G device-memory=40G weight=2".
 *
 * Users of a Unix socket are numbers, as `id -u` prints them.  "*" is everybody else, and
 * what a user's line leaves out.
 */
#pragma once

#include "dispatcher/remote/remote_keys.h"

#include <stdint.h>

enum { LIMIT_CLIENTS_MAX = 64, LIMIT_WEIGHT_MAX = 100 };

/* 0: not limited, or not given */
typedef struct {
    int64_t n_clients;    /* at the same time */
    int64_t memory_bytes; /* of the host, of all clients together */
    int64_t device_bytes; /* of GPUs, likewise */
    double weight;        /* of the user's part of time on a device that others use */
} user_limits_t;

typedef struct {
    char user[KEY_NAME_BYTES];
    user_limits_t limits;
} limits_entry_t;

/* Zeroed: no user has any. */
typedef struct {
    limits_entry_t *at;
    int n;
} remote_limits_t;

/* Of each client: a process begins within 1 MiB; batches of two jobs fitted into 768 MiB
 * of an H200. */
#define LIMIT_MEMORY_BYTES_MIN ((int64_t)1 << 20)
#define LIMIT_DEVICE_BYTES_MIN ((int64_t)1 << 30)

/* Read a file. @param fallback  what is given nowhere in it @param out  the caller's
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged) */
status_t remote_limits_read(const char *path, const user_limits_t *fallback,
                            remote_limits_t *out) MUST_CHECK;

/* @param fallback  as of remote_limits_read
 * @return a user's limits, those of memory for one client: an even part */
user_limits_t remote_limits_of(const remote_limits_t *l, const char *user,
                               const user_limits_t *fallback);

void remote_limits_free(remote_limits_t *l);
