/*
 * abundance.h - how often the records of a set were seen, in all and by sample.
 *
 * It is told by the records' names (";size=N", as USEARCH and vsearch write it), by a
 * count_table of mothur or by a table of names and samples.
 */
#ifndef RIBOGRID_IO_PREPARE_ABUNDANCE_H
#define RIBOGRID_IO_PREPARE_ABUNDANCE_H

#include "io/base/name_table.h"
#include "io/seq/seqset.h"

#include <stdbool.h>

/* No single count is larger, so that no sum of them leaves 63 bits. */
#define ABUNDANCE_MAX INT64_C(4294967295)

typedef struct {
    int32_t row, sample; /* indices of a sequence and of a sample */
    int64_t count;
} abundance_count_t;

/* A zeroed one is empty. */
typedef struct {
    int64_t *size;        /* [n] of each record, 1 or more */
    name_table_t samples; /* empty: none are known */
    buf_t counts;         /* abundance_count_t, rows are records; in no order */
} abundance_t;

/* @return whether a name holds ";size=N", N a number, at its end or before a ';' */
bool abundance_is_annotated(const char *name);

/*
 * Take sizes from the names and cut ";size=N" out of these; a name without it counts 1.
 *
 * @param input  how messages name the set
 * @param out    on success the caller's, to be given back with abundance_free
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (N is 0 or too large)
 */
status_t abundance_from_names(const char *input, seqset_t *set,
                              abundance_t *out) MUST_CHECK;

/*
 * Read a count_table of mothur, full or compressed: a record a line, its total, and the
 * counts of groups, which become samples.
 *
 * Every record needs a line, and a name of its own.  Lines without a record are counted
 * and said in a warning.
 *
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t abundance_from_count_table(const char *path, const char *input,
                                    const seqset_t *set, abundance_t *out) MUST_CHECK;

/*
 * Read lines of a record's name, a sample and, unless it is 1, a count, tabs between.
 * Empty lines and those that start with '#' are passed over; equal lines add up.
 *
 * Records and lines need each other as above.
 *
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t abundance_from_samples(const char *path, const char *input, const seqset_t *set,
                                abundance_t *out) MUST_CHECK;

/*
 * Sort counts by row, then sample, and join those that are equal in both.
 *
 * @param counts  abundance_count_t
 */
void abundance_merge(buf_t *counts);

void abundance_free(abundance_t *a);

#endif
