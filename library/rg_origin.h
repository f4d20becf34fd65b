/*
 * rg_origin.h - what results are of: sets and settled options, which they share with
 * their aligner.
 */
#pragma once

#include "library/rg_set.h"
#include "worker/align/job_align_spec.h"

typedef struct {
    atomic_int n_owners;
    rg_set_t *queries, *references; /* kept; references: NULL: pairs are of one set */
    char *kernel, *matrix;          /* as given; opts lead here */
    align_opts_t opts;
    job_align_spec_t spec;
    bool is_read;    /* from a file: of opts and spec is known what files hold */
    bool is_partial; /* pairs of sequences that are no centroids are missing */
} rg_origin_t;

/* @param references  NULL: none @return NULL: out of memory (logged) */
rg_origin_t *rg_origin_create(const rg_set_t *queries, const rg_set_t *references);

/* Keep it, until rg_origin_destroy is called once more. */
rg_origin_t *rg_origin_share(rg_origin_t *origin);

/* Takes NULL. */
void rg_origin_destroy(rg_origin_t *origin);
