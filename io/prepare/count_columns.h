/*
 * count_columns.h - lines of a table with one column of counts per sample, separated by
 * tabs; the header names the samples.
 */
#pragma once

#include "io/base/name_table.h"
#include "io/file/lines.h"

/*
 * Number the samples of a header.
 *
 * @param fields  the names, as "soil<TAB>sea"; modified; NULL: none
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (logged: one is empty, or two are equal)
 */
status_t count_columns_name(const lines_t *lines, char *fields,
                            name_table_t *samples) MUST_CHECK;

/* What is left of a line; the caller sets the members up to the line. */
typedef struct {
    const lines_t *lines; /* for messages */
    int64_t n_columns;    /* of the header */
    int64_t max;          /* of a count */
    bool is_compressed;   /* fields are "column,count", columns from 1, 0 is left out */
    char *fields;         /* as "4<TAB>6"; modified; NULL: none */
    int64_t n_read;
} count_columns_t;

/*
 * Read the next field of a line.
 *
 * @param column  out: from 0, or -1: all fields were read
 * @return ST_OK or ST_EINPUT (logged: no count, or more or fewer than columns)
 */
status_t count_columns_next(count_columns_t *c, int64_t *column,
                            int64_t *count) MUST_CHECK;
