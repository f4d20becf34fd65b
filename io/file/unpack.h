/*
 * unpack.h - the table of compressed formats that inputs may have.
 *
 * Gzip is always in it; bzip2, xz and zstd are where CMake has found their libraries.
 * Each format is a sequence of members, unpacked one after the other.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The first bytes of a file that determine its format. */
enum { UNPACK_MAGIC_BYTES = 10 };

/* What a step may read and write; it moves both pointers on and lowers both lengths. */
typedef struct {
    unsigned char *next; /* packed */
    size_t n_next;
    unsigned char *to; /* unpacked */
    size_t n_to;
} unpack_io_t;

typedef enum {
    UNPACK_MORE, /* the input or the space is used up */
    UNPACK_END,  /* of the member: all of it was written */
    UNPACK_DAMAGED,
    UNPACK_NO_MEMORY,
    UNPACK_TOO_LARGE /* the data need more than max_mib */
} unpack_outcome_t;

typedef struct {
    const char *name;    /* of the format */
    const char *suffix;  /* usual end of file names */
    const char *command; /* unpacks a file, whatever memory that takes */
    int max_mib;         /* memory that a member may need; 0: every member needs little */
    size_t padding;      /* zeros may follow a member in multiples of this; 0: not */
    bool (*begins)(const unsigned char *data, size_t len); /* whether a member does */
    size_t state_bytes;
    /* Make a state, zeroed before the first member, ready for a member.
     * @return whether there was memory */
    bool (*begin)(void *state);
    unpack_outcome_t (*step)(void *state, unpack_io_t *io);
    void (*end)(void *state); /* free what it holds, also if it never began */
    const char *library;
    const char *(*version)(void); /* of the library; a comma may follow it */
} unpack_method_t;

extern const unpack_method_t unpack_gzip, unpack_bzip2, unpack_xz, unpack_zstd;

/* Those of this build, ended by NULL. */
extern const unpack_method_t *const unpack_methods[];

/* @return the method for data that begin so, or NULL: they are not compressed, or in a
 * format that this build lacks */
const unpack_method_t *unpack_find(const unsigned char *data, size_t len);

/* @return the length of a file name without ".gz" and the like, for formats of this build
 */
size_t unpack_stem(const char *path);
