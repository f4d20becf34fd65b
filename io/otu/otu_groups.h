/*
 * otu_groups.h - OTUs in HDF5: which sequence is in which OTU, and how they were found.
 *
 * docs/clusters.md describes the format.
 */
#ifndef RIBOGRID_IO_OTU_OTU_GROUPS_H
#define RIBOGRID_IO_OTU_OTU_GROUPS_H

#include "io/otu/otu_table.h"

#define OTU_GROUPS_FORMAT "ribogrid-groups"

enum { OTU_GROUPS_VERSION_MAJOR = 1, OTU_GROUPS_VERSION_MINOR = 1 };

/* How the OTUs were found: root attributes. */
typedef struct {
    const char *program, *input, *method;
    const char *order;    /* NULL: the method has none */
    int64_t seed, starts; /* -1: the method has none */
    fraction_t id;
    int64_t min_size;
    double mcc;
    int64_t tp, tn, fp, fn; /* of mcc */
} otu_groups_head_t;

/*
 * Create or replace the file.
 *
 * @param names  a set with the names of the sequences
 * @return ST_OK, ST_ENOMEM or ST_EIO
 */
status_t otu_groups_write(const char *path, const otu_groups_head_t *head,
                          const otu_table_t *table, const seqset_t *names) MUST_CHECK;

#endif
