/*
 * otu_export.h - the OTUs of a groups file in formats of other programs, for `export`.
 */
#ifndef RIBOGRID_TOOLS_PRINT_OTU_EXPORT_H
#define RIBOGRID_TOOLS_PRINT_OTU_EXPORT_H

#include "io/base/status.h"

#include <stdbool.h>

typedef enum {
    OTU_EXPORT_UC,
    OTU_EXPORT_MAP,
    OTU_EXPORT_TABLE,
    OTU_EXPORT_SHARED,
    OTU_EXPORT_CONSTAXONOMY,
    OTU_EXPORT_BIOM,
    OTU_EXPORT_BIOM_JSON
} otu_export_format_t;

/* @return whether a format has a place for lineages */
static inline bool otu_export_has_taxa(otu_export_format_t format)
{
    return format == OTU_EXPORT_TABLE || format >= OTU_EXPORT_CONSTAXONOMY;
}

typedef struct {
    otu_export_format_t format;
    const char *pairs;  /* the result file that was clustered: records, samples, pairs */
    const char *groups; /* the groups file */
    const char *taxonomy; /* lineages of the representatives; NULL: none */
    const char *output;   /* NULL: stdout, not OTU_EXPORT_BIOM */
    bool force;
} otu_export_t;

/* Read both files, which must be of the same sequences, and write the output.
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT */
status_t otu_export(const otu_export_t *what) MUST_CHECK;

#endif
