/*
 * remake.h - how a dataset is to be made again.
 */
#pragma once

#include "tests/mutate/mutate.h"

typedef struct {
    hid_t type, creation;
    int rank; /* -1: a null space */
    hsize_t dims[H5S_MAX_RANK], max_dims[H5S_MAX_RANK];
    bool writes; /* values are written */
    bool packs;  /* chunks are shuffled and deflated */
    int old_rank;
    hsize_t old_dims[H5S_MAX_RANK];
    int64_t *old; /* the old values, or NULL */
} remake_t;

/* Start from a dataset as it is. @return whether it can be read */
bool remake_begin(mutant_t *m, const char *path, remake_t *p);

/* Chunks with this side; 0: as long as the dataset, at most 1000. */
void remake_set_chunk(remake_t *p, hsize_t side);

/* A fill value of the old type may not convert to another one. */
void remake_forget_fill(remake_t *p);

/* Leave the dataset as it is. */
void remake_cancel(remake_t *p);

/* Make the dataset; if HDF5 refuses to, there is none. */
void remake_end(mutant_t *m, const char *path, remake_t *p);
