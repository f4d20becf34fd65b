/*
 * abundance_table.h - what the readers of abundance tables share: the records by name,
 * and what lines did not find.
 */
#ifndef RIBOGRID_IO_PREPARE_ABUNDANCE_TABLE_H
#define RIBOGRID_IO_PREPARE_ABUNDANCE_TABLE_H

#include "io/base/lines.h"
#include "io/prepare/abundance.h"

typedef struct {
    const char *input; /* how messages name the set */
    const seqset_t *set;
    name_table_t records; /* a record's number is its name's */
    lines_t *lines;
    int64_t n_strange;     /* lines whose name no record has */
    int64_t first_strange; /* the first one's number */
    abundance_t found;     /* sizes start at 0 */
} abundance_table_t;

/* Open the table. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (equal names) */
status_t abundance_table_open(const char *path, const char *input, const seqset_t *set,
                              abundance_table_t *out) MUST_CHECK;

/* @return the record of a line's name, -1 (noted) if there is none such */
int64_t abundance_table_record(abundance_table_t *t, const char *name);

/* Add a count to a sample and, if `to_size`, to the record. @return ST_OK or ST_ENOMEM */
status_t abundance_table_add(abundance_table_t *t, int64_t record, int64_t sample,
                             int64_t count, bool to_size) MUST_CHECK;

/* Read a count of `least` or more; refuses the line if it is none. */
status_t abundance_table_count(const abundance_table_t *t, const char *text,
                               int64_t least, int64_t *out) MUST_CHECK;

/*
 * Check that every record has its size, say which lines had no record, and hand over.
 * Frees the table in any case.
 *
 * @param st   how the reading ended; other than ST_OK: only free
 * @return st, or ST_EINPUT
 */
status_t abundance_table_close(abundance_table_t *t, status_t st,
                               abundance_t *out) MUST_CHECK;

#endif
