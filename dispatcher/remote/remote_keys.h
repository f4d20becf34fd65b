/*
 * remote_keys.h - files of users and their keys, which servers and clients share: a line
 * per user, "alice 0f3c...", with 64 hexadecimal digits.
 *
 * A file that others than its owner may read is refused.
 */
#pragma once

#include "io/base/status.h"

#include <stdbool.h>
#include <stddef.h>

enum { KEY_BYTES = 32, KEY_NAME_BYTES = 33 };

typedef struct {
    char name[KEY_NAME_BYTES];
    unsigned char key[KEY_BYTES];
} remote_key_t;

typedef struct {
    remote_key_t *at;
    int n;
} remote_keys_t;

/*
 * Find the path of the file: that which is given, RIBOGRID_KEYS, or
 * ~/.config/ribogrid/keys.
 *
 * @param given  NULL: none
 * @return ST_OK or ST_EUSAGE (logged): there is no home
 */
status_t remote_keys_path(const char *given, char *out, size_t size) MUST_CHECK;

/* Read a file. @param out  the caller's
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged) */
status_t remote_keys_read(const char *path, remote_keys_t *out) MUST_CHECK;

/* Add a user with a random key to a file, which is made if it is not there.
 * @return as remote_keys_read, or ST_EUSAGE (logged): the name is none, or is there */
status_t remote_keys_add(const char *path, const char *name) MUST_CHECK;

/* @return whether the first len bytes of a text can be the name of a key */
bool remote_keys_is_name(const char *text, size_t len);

/* @return the user's key, or NULL; it takes as long for each user of the file */
const remote_key_t *remote_keys_find(const remote_keys_t *keys, const char *name);

/* Fill with random bytes. @return ST_OK or ST_EIO (logged) */
status_t remote_keys_random(unsigned char key[KEY_BYTES]) MUST_CHECK;

/* Overwrite the keys, and free them. */
void remote_keys_free(remote_keys_t *keys);
