/*
 * export_names.h - names of sequences, escaped as a format requires.
 *
 * Control characters, and blanks if they end a field, become '_', with one warning.
 */
#ifndef RIBOGRID_IO_EXPORT_EXPORT_NAMES_H
#define RIBOGRID_IO_EXPORT_EXPORT_NAMES_H

#include "io/export/export_out.h"
#include "io/pairs/pairs_file.h"

typedef struct {
    const char *format; /* its name, for messages */
    bool blanks;        /* blanks end a field */
    bool unique;        /* its readers identify sequences by name */
    bool escape;        /* some name must be escaped; set by export_names_check */
} export_names_t;

/*
 * Check all names of a file.
 *
 * @return ST_OK, ST_ENOMEM, or ST_EINPUT: a name is empty or two are equal, and the
 * format does not allow that
 */
status_t export_names_check(export_names_t *names, const pairs_file_t *file) MUST_CHECK;

/* Write a name, escaped if necessary. */
void export_names_put(const export_names_t *names, const char *name, export_out_t *out);

#endif
