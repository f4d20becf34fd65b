/*
 * rg_set.h - sets of sequences, which aligners share with the caller.
 */
#pragma once

#include "io/seq/seqset.h"
#include "library/ribogrid.h"

#include <stdatomic.h>

struct rg_set {
    atomic_int n_owners;
    seqset_t *sequences;
};

/* Keep a set, until rg_set_destroy is called once more. */
rg_set_t *rg_set_share(const rg_set_t *set);
