/*
 * otu_previous.h - OTUs keep the names that an earlier clustering gave them.
 *
 * The sequences of the earlier clustering come first, as `align --extend` has them.  An
 * earlier OTU hands its name to the OTU that has most of its sequences; ties go to the
 * first one.  Where several do, that of the first, the most abundant, stays.  All others
 * are retired.  OTUs without a name get numbers above all that were ever given.
 */
#pragma once

#include "io/otu/otu_groups.h"
#include "io/pairs/pairs_file.h"

#include <stdio.h>

/* Zeroed: none. */
typedef struct {
    const char *path; /* borrowed */
    otu_groups_t groups;
    const otu_table_t *now; /* the OTUs that were named, borrowed */
    int32_t *heir;          /* [OTUs of groups] that have most of their sequences; -1: all
                             * are left out */
    int32_t *origin;        /* [OTUs of now] those whose names they have; -1: new ones */
    int32_t *n_shared;      /* [the larger of both numbers] scratch: 0 */
} otu_previous_t;

/*
 * Read the groups of an earlier clustering.
 *
 * @param path  borrowed until otu_previous_free
 * @param file  the pairs that are clustered now
 * @param set   its sequences
 * @param head  how: as before
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (logged: they are of other sequences, or of
 *         another method or identity)
 */
status_t otu_previous_read(const char *path, const pairs_file_t *file,
                           const seqset_t *set, const otu_groups_head_t *head,
                           otu_previous_t *out) MUST_CHECK;

/* Name the OTUs of a table. @return ST_OK or ST_ENOMEM */
status_t otu_previous_name(otu_previous_t *previous, otu_table_t *now) MUST_CHECK;

/* otu_previous_changes.c: what became of the OTUs. */

/* Log how many are unchanged, grew and so on, and name the first ones.
 * @return ST_OK or ST_ENOMEM */
status_t otu_previous_log(const otu_previous_t *previous) MUST_CHECK;

/*
 * Write a line for each OTU, then for each that has no heir of its name: the name, the
 * change, sequences now and before, abundance now and before, the earlier OTUs from which
 * it has other sequences, and the OTUs that have others of its own; separated by tabs,
 * with a heading.  A failed write sets the stream's error (ferror).
 *
 * @return ST_OK or ST_ENOMEM
 */
status_t otu_previous_write(const otu_previous_t *previous, FILE *to) MUST_CHECK;

/* Takes a zeroed one, too. */
void otu_previous_free(otu_previous_t *previous);
