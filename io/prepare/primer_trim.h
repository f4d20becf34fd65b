/*
 * primer_trim.h - cuts amplicons out of reads or genes: what lies between two primers, on
 * either strand.
 */
#ifndef RIBOGRID_IO_PREPARE_PRIMER_TRIM_H
#define RIBOGRID_IO_PREPARE_PRIMER_TRIM_H

#include "io/seq/primer_region.h"

/* What happens to records without both primers. */
typedef enum { PRIMER_MISSING_DROP, PRIMER_MISSING_STOP } primer_missing_t;

typedef struct {
    const char *text;       /* "FORWARD/REVERSE", or NULL: nothing is cut */
    int64_t max_mismatches; /* in each primer; -1: not given, PRIMER_TRIM_MISMATCHES */
    primer_missing_t missing;
} primer_trim_t;

enum { PRIMER_TRIM_MISMATCHES = 2, PRIMER_TRIM_MISMATCHES_MAX = 15 };

/* @return options that cut nothing */
primer_trim_t primer_trim_defaults(void);

/* @return an error message if the options are invalid, else NULL */
const char *primer_trim_misuse(const primer_trim_t *o);

/*
 * Cut the region out of every record, in place, and log what was found.
 *
 * A record whose reverse complement matches the primers with fewer mismatches is
 * reverse-complemented.  Records without both primers are removed, or are an error; so it
 * is if no record has them.
 *
 * @param input  the name of the set in messages
 * @param o      with text, without misuse
 * @param kept   [set->n] out: the indices of those that remain, ascending
 * @return ST_OK or ST_EINPUT (logged); then the set can only be destroyed
 */
status_t primer_trim_set(const char *input, const primer_trim_t *o, seqset_t *set,
                         int32_t *kept) MUST_CHECK;

#endif
