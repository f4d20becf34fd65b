/*
 * rg_set.h - sets of sequences, which aligners share with the caller.
 */
#pragma once

#include "io/seq/seqset.h"
#include "library/ribogrid.h"

#include <stdatomic.h>
#include <stdbool.h>

struct rg_set {
    atomic_int n_owners;
    seqset_t *sequences;
    bool lacks_letters; /* a file has only names and lengths: all letters are N or X */
};

/* Sequences as a caller gives them: rg_set_create. */
typedef struct {
    int64_t n;
    const char *letters;
    const int64_t *offsets;
    const char *names;
} rg_letters_t;

/* Check all but the letters themselves, of which only the address is looked at.
 * @return ST_OK or ST_EUSAGE (logged) */
status_t rg_set_check_offsets(const rg_letters_t *given) MUST_CHECK;

/* @return ST_OK, ST_ENOMEM, ST_EUSAGE or ST_EINPUT (logged) */
status_t rg_set_make(const rg_letters_t *given, const char *alphabet,
                     rg_set_t **out) MUST_CHECK;

/* Own sequences from here on. @return ST_OK, or ST_ENOMEM: they are destroyed */
status_t rg_set_wrap(seqset_t *sequences, rg_set_t **out) MUST_CHECK;

/* @return ST_OK, or ST_EUSAGE: its letters are not known (logged) */
status_t rg_set_check_letters(const rg_set_t *set) MUST_CHECK;

/* Keep a set, until rg_set_destroy is called once more. */
rg_set_t *rg_set_share(const rg_set_t *set);
