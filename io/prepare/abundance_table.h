/*
 * abundance_table.h - state shared by the readers of abundance tables: an index of the
 * records by name, and the counts read so far.
 */
#pragma once

#include "io/file/lines.h"
#include "io/prepare/abundance.h"

typedef struct {
    const seq_files_t *files; /* that the set was read from */
    const seqset_t *set;
    name_table_t records; /* the number of a name is the index of its record */
    lines_t *lines;
    int64_t n_unmatched;     /* lines whose name is not a record's */
    int64_t first_unmatched; /* the number of the first such line */
    abundance_t found;       /* sizes start at 0 */
} abundance_table_t;

/* Open a table. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (duplicate names) */
status_t abundance_table_open(const char *path, const seq_files_t *files,
                              const seqset_t *set, abundance_table_t *out) MUST_CHECK;

/* @return the record of this name; -1 if there is none, and the line counts as unmatched
 */
int64_t abundance_table_record(abundance_table_t *t, const char *name);

/* Add a count of a record in a sample and, if to_size, add it to the record's size.
 * @return ST_OK or ST_ENOMEM */
status_t abundance_table_add(abundance_table_t *t, int64_t record, int64_t sample,
                             int64_t count, bool to_size) MUST_CHECK;

/*
 * Check that every record has a size, warn of unmatched lines, and move the counts to
 * out. Frees the table in any case.
 *
 * @param st   the status of reading; if not ST_OK, the table is only freed
 * @return st, or ST_EINPUT (a record without a count)
 */
status_t abundance_table_close(abundance_table_t *t, status_t st,
                               abundance_t *out) MUST_CHECK;
