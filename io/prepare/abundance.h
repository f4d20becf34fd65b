/*
 * abundance.h - the abundances of records, in total and by sample.
 *
 * They come from the record names (";size=N", as in USEARCH and vsearch), from a
 * count_table of mothur (count_table.c) or from a table of names and samples
 * (abundance_table.c).
 */
#pragma once

#include "io/base/name_table.h"
#include "io/seq/seqset.h"

#include <stdbool.h>

/* The largest count, so that sums of 2^31 counts fit 63 bits. */
#define ABUNDANCE_MAX INT64_C(4294967295)

typedef struct {
    int32_t row, sample; /* indices of a sequence and of a sample */
    int64_t count;
} abundance_count_t;

/* A zeroed abundance_t is empty. */
typedef struct {
    int64_t *size;        /* [n] total of each record, at least 1 */
    name_table_t samples; /* empty: no samples are known */
    buf_t counts;         /* abundance_count_t, rows are records; unordered */
} abundance_t;

/* @return whether a name contains ";size=N", with a number N, at its end or before a ';'
 */
bool abundance_is_annotated(const char *name);

/*
 * Parse the sizes in the names and cut ";size=N" out of them.  Without it the size is 1.
 *
 * @param input  the name of the set in messages
 * @param out    release with abundance_free
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (N is 0 or too large)
 */
status_t abundance_from_names(const char *input, seqset_t *set,
                              abundance_t *out) MUST_CHECK;

/*
 * Read a count_table of mothur, full or compressed: one line per record with its total
 * and the counts of groups, which become samples.
 *
 * Every record needs a line and a unique name.  Lines that match no record are counted
 * and reported in one warning.
 *
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t abundance_from_count_table(const char *path, const char *input,
                                    const seqset_t *set, abundance_t *out) MUST_CHECK;

/*
 * Read lines of record name, sample and optionally a count (1), separated by tabs.  Empty
 * lines and lines that start with '#' are skipped.  Counts of equal names and samples add
 * up.
 *
 * Records need lines, and lines records, as for a count_table.
 *
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t abundance_from_samples(const char *path, const char *input, const seqset_t *set,
                                abundance_t *out) MUST_CHECK;

/*
 * Sort counts by row, then sample, and add up counts that are equal in both.
 *
 * @param counts  abundance_count_t
 */
void abundance_merge(buf_t *counts);

void abundance_free(abundance_t *a);
