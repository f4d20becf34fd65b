/*
 * otu_files.h - the files that `ribogrid cluster` writes: all of them, or none.
 *
 * PREFIX.otus.tsv, PREFIX.biom, PREFIX.reps.fasta, PREFIX.list, PREFIX.groups.h5.  Of
 * several clusterings, at other identities, each has files named by it, such as
 * PREFIX.0.97.biom, but they share one list, as in mothur.  Closed-reference OTUs have
 * PREFIX.otus.tsv, PREFIX.biom, PREFIX.map.tsv and PREFIX.unmatched.fasta.
 */
#ifndef RIBOGRID_IO_OTU_OTU_FILES_H
#define RIBOGRID_IO_OTU_OTU_FILES_H

#include "io/otu/otu_closed.h"
#include "io/otu/otu_groups.h"
#include "io/otu/otu_taxa.h"

#include <stdbool.h>

typedef struct {
    otu_groups_head_t head;
    const otu_table_t *table;
    const seqset_t *set; /* all sequences */
    const pairs_members_t *members;
    const otu_taxa_t *taxa;     /* NULL: none */
    const otu_closed_t *closed; /* NULL: the OTUs are clusters */
} otu_files_t;

/* Check that the files can be written, before the work starts; without force an existing
 * file is an error, and so is a prefix that is a directory.
 * @param is_closed  whether the OTUs are references
 * @param ids        of the clusterings, all different
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT */
status_t otu_files_check(const char *prefix, bool force, bool is_closed,
                         const fraction_list_t *ids) MUST_CHECK;

/* Write all files under temporary names, then rename them.
 * @param files  [n] clusterings of the same sequences, n at most FRACTION_LIST_MAX; all
 *               of one kind
 * @return ST_OK, ST_ENOMEM, ST_EIO, ST_EINPUT */
status_t otu_files_write(const char *prefix, bool force, const otu_files_t *files,
                         int n) MUST_CHECK;

#endif
