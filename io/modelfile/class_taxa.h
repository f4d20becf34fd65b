/*
 * class_taxa.h - the tree of taxa of a classifier, as plain arrays that files store and
 * ranks exchange.
 *
 * Taxon 0 is the root, which has no name.  Ranks count from 1; the root has rank 0.
 */
#pragma once

#include "io/base/arrays.h"
#include "io/result/run_info.h"

enum { CLASS_RANKS_MAX = 64 /* names in a lineage */ };

typedef struct {
    int32_t n;            /* with the root */
    int32_t *parent;      /* [n] less than the taxon itself; -1 for the root */
    char *names;          /* [name_offset[n]] each with its final NUL */
    int64_t *name_offset; /* [n + 1] */
} class_taxa_t;

extern const arrays_t class_taxa_arrays;

/* Allocate n taxa; the caller fills every array. @return ST_OK or ST_ENOMEM */
status_t class_taxa_create(int32_t n, int64_t names_bytes, class_taxa_t *out) MUST_CHECK;

/*
 * Make the tree of lineages, whose names are separated by ';'.
 *
 * @param lineages  [n]
 * @param out       freed by the caller
 * @param taxon_of  [n] out: the lowest taxon of each
 * @return ST_OK or ST_ENOMEM
 */
status_t class_taxa_of_lineages(const char *const *lineages, int64_t n, class_taxa_t *out,
                                int32_t *taxon_of) MUST_CHECK;

void class_taxa_free(class_taxa_t *t);

static inline const char *class_taxa_name(const class_taxa_t *t, int32_t taxon)
{
    return t->names + t->name_offset[taxon];
}

/* @return whether the taxa are a tree, no lineage of which has more than CLASS_RANKS_MAX
 * names */
bool class_taxa_are_tree(const class_taxa_t *t);

/* @return the number of names in a taxon's lineage */
int class_taxa_rank(const class_taxa_t *t, int32_t taxon);

/* @return the rank of the lowest taxon */
int class_taxa_n_ranks(const class_taxa_t *t);

/* @return the ancestor at this rank, which the taxon must have, or the taxon itself */
int32_t class_taxa_at(const class_taxa_t *t, int32_t taxon, int rank);

/* How a file of `classify` was made. */

/* Texts that were read belong to the struct: class_run_free. */
typedef struct {
    run_info_t info;
    const char *job; /* lines "name=value": all that the content depends on */
} class_run_t;

/* Free the texts of a run that was read. */
void class_run_free(class_run_t *run);
