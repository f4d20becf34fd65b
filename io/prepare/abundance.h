/*
 * abundance.h - the abundances of records, in total and by sample.
 *
 * They come from the record names (";size=N" and ";sample=NAME", as in USEARCH and
 * vsearch), from the files of the records, from a count_table of mothur (count_table.c)
 * or from a table of names and samples (abundance_table.c).
 */
#pragma once

#include "io/base/name_table.h"
#include "io/seq/seq_files.h"
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

/* Labels in names that are read. */
typedef struct {
    bool sizes;          /* ";size=N" */
    bool samples;        /* ";sample=NAME" */
    bool may_lack_sizes; /* no warning where no name has one */
} abundance_labels_t;

/* @return whether there is something that abundance_from_names reads */
static inline bool abundance_is_given(abundance_labels_t labels, const seq_files_t *files)
{
    return labels.sizes || labels.samples || files->samples != NULL;
}

/* @return an error message if sources of sizes or samples exclude each other, else NULL
 * @param count_table, samples  paths of tables, or NULL */
const char *abundance_misuse(abundance_labels_t labels, const char *count_table,
                             const char *samples);

/* @return which labels a name has, each at its start or after a ';', and at its end or
 *         before a ';' or a blank */
abundance_labels_t abundance_labels(const char *name);

/*
 * Parse labels in the names and cut them out.  Without ";size=N" the size is 1; every
 * record needs ";sample=NAME", if samples are read.  Otherwise samples are those of
 * files, if they are known.  One line lists the samples.
 *
 * @param files  that the set was read from
 * @param out    release with abundance_free
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (N is 0 or too large, or there is no sample)
 */
status_t abundance_from_names(const seq_files_t *files, abundance_labels_t labels,
                              seqset_t *set, abundance_t *out) MUST_CHECK;

/*
 * Read a count_table of mothur, full or compressed: one line per record with its total
 * and the counts of groups, which become samples.
 *
 * Every record needs a line and a unique name.  Lines that match no record are counted
 * and reported in one warning.
 *
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t abundance_from_count_table(const char *path, const seq_files_t *files,
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
status_t abundance_from_samples(const char *path, const seq_files_t *files,
                                const seqset_t *set, abundance_t *out) MUST_CHECK;

/*
 * Sort counts by row, then sample, and add up counts that are equal in both.
 *
 * @param counts  abundance_count_t
 */
void abundance_merge(buf_t *counts);

void abundance_free(abundance_t *a);
