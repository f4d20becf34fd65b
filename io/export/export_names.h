/*
 * export_names.h - names of sequences, as far as a format can carry them.
 *
 * What a format takes for the end of a field, and every other control character, is
 * written as '_'; this is said once.
 */
#ifndef RIBOGRID_IO_EXPORT_EXPORT_NAMES_H
#define RIBOGRID_IO_EXPORT_EXPORT_NAMES_H

#include "io/export/export_out.h"
#include "io/pairs/pairs_file.h"

typedef struct {
    const char *format; /* what messages call it */
    bool blanks;        /* blanks end a field */
    bool unique;        /* its readers know sequences by their names alone */
    bool escape;        /* some name needs it; set by export_names_check */
} export_names_t;

/*
 * Look at all names of a file.
 *
 * @return ST_OK, ST_ENOMEM, or ST_EINPUT: two are the same or one is empty where the
 *         format cannot have that
 */
status_t export_names_check(export_names_t *names, const pairs_file_t *file) MUST_CHECK;

/* Write a name. */
void export_names_put(const export_names_t *names, const char *name, export_out_t *out);

#endif
