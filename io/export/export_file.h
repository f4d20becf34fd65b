/*
 * export_file.h - the pairs of a result file in the formats of other programs.
 *
 * Whatever the number of pairs, memory is that of the names and of a strip of rows.
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

/* @return whether a format has whole rows, and so takes no cutoff and no sparse file */
static inline bool export_is_matrix(export_format_t format)
{
    return format == EXPORT_PHYLIP || format == EXPORT_NPY;
}

typedef struct {
    export_format_t format;
    fraction_t id;          /* only pairs at or above it; denominator 0: all */
    export_fields_t fields; /* userout: as export_userout_parse gives them */
    bool lower;             /* phylip: what stands left of the diagonal alone */
    int64_t strip_bytes;    /* phylip, npy: that rows may take; 0: 256 MiB */
} export_spec_t;

/* An export that can be made. */
typedef struct export_file export_file_t;

/*
 * Find out whether a file can be written in a format; says why it cannot, and what is
 * changed in names.
 *
 * @param file  borrowed until export_file_destroy
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t export_file_create(const pairs_file_t *file, const export_spec_t *spec,
                            export_file_t **out) MUST_CHECK;

/* Write it. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT */
status_t export_file_write(export_file_t *export, FILE *to) MUST_CHECK;

/* Takes NULL. */
void export_file_destroy(export_file_t *export);

#endif
