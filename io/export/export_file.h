/*
 * export_file.h - writing the pairs of a result file in the formats of other programs.
 *
 * Memory is that of the names and of a strip of rows, for any number of pairs.
 */
#ifndef RIBOGRID_IO_EXPORT_EXPORT_FILE_H
#define RIBOGRID_IO_EXPORT_EXPORT_FILE_H

#include "io/export/export_userout.h"

#include <stdio.h>

typedef enum {
    EXPORT_BLAST6,
    EXPORT_USEROUT,
    EXPORT_UC,
    EXPORT_PHYLIP,
    EXPORT_COLUMN,
    EXPORT_PAF,
    EXPORT_NPY,
    EXPORT_FORMATS
} export_format_t;

extern const char *const export_format_name[EXPORT_FORMATS];

/* @return whether a format has whole rows, and therefore no cutoff and no sparse files */
static inline bool export_is_matrix(export_format_t format)
{
    return format == EXPORT_PHYLIP || format == EXPORT_NPY;
}

typedef struct {
    export_format_t format;
    export_pick_t pick;     /* not of phylip, npy */
    export_fields_t fields; /* userout: from export_userout_parse */
    bool lower;             /* phylip: only the part left of the diagonal */
    int64_t strip_bytes;    /* phylip, npy: maximum memory of a strip; 0: 256 MiB */
} export_spec_t;

typedef struct export_file export_file_t;

/*
 * Check that a file can be written in a format; warns if names have to be changed.
 *
 * @param file  borrowed until export_file_destroy
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t export_file_create(const pairs_file_t *file, const export_spec_t *spec,
                            export_file_t **out) MUST_CHECK;

/* Write the pairs. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT */
status_t export_file_write(export_file_t *export, FILE *to) MUST_CHECK;

/* Takes NULL. */
void export_file_destroy(export_file_t *export);

#endif
