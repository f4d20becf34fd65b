/*
 * prepare.h - turns the records of a FASTA file into the sequences to align: reads
 * abundances, cuts primers, filters, orients and dereplicates.
 */
#pragma once

#include "io/base/pool.h"
#include "io/base/status.h"
#include "io/pairs/pairs_format.h"
#include "io/prepare/abundance.h"
#include "io/seq/primer_pair.h"
#include "io/seq/seq_files.h"
#include "io/seq/seqset.h"

#include <stdbool.h>

/* Selects sequences by length and by number of ambiguity codes. */

typedef struct {
    int64_t min_length, max_length; /* bases; 0: no limit */
    int64_t max_ambig;              /* ambiguity codes; -1: no limit */
} seq_filter_t;

/* Rejected sequences; one that fails several limits is counted under the first. */
typedef struct {
    int64_t n_short, n_long, n_ambig;
} seq_filter_report_t;

/*
 * Find the sequences that pass.
 *
 * @param kept  capacity set->n; the indices of those that pass, ascending
 * @return the number of those that pass
 */
int64_t seq_filter_find(const seq_filter_t *filter, const seqset_t *set, int32_t *kept,
                        seq_filter_report_t *report);

/* Cuts amplicons out of reads or genes: what lies between two primers, on
 * either strand. */

/* What happens to records without both primers. */
typedef enum { PRIMER_MISSING_DROP, PRIMER_MISSING_STOP } primer_missing_t;

typedef struct {
    const char *text;       /* "FORWARD/REVERSE", or NULL: nothing is cut */
    int64_t max_mismatches; /* in each primer; -1: not given, PRIMER_TRIM_MISMATCHES */
    primer_missing_t missing;
} primer_trim_t;

enum { PRIMER_TRIM_MISMATCHES = 2, PRIMER_TRIM_MISMATCHES_MAX = 15 };

/* Where the region between the primers is in a record: in its reverse complement, if it
 * is reversed. */
typedef struct {
    int32_t begin, end; /* end 0: a primer is missing */
    int n_mismatches;   /* in both primers */
    bool is_reversed;
} primer_cut_t;

/* @return options that cut nothing */
primer_trim_t primer_trim_defaults(void);

/* @return an error message if the options are invalid, valid until the thread's next
 * call, else NULL */
const char *primer_trim_misuse(const primer_trim_t *o);

/* @return the mismatches that are allowed in each primer */
static inline int primer_trim_mismatches(const primer_trim_t *o)
{
    return o->max_mismatches < 0 ? PRIMER_TRIM_MISMATCHES : (int)o->max_mismatches;
}

/* @return whether the mismatches are more than a third of a primer of this length, and
 * would match anywhere */
static inline bool primer_trim_matches_all(int max_mismatches, int len)
{
    return max_mismatches * 3 > len;
}

/*
 * Cut the region out of every record, in place, and log what was found.
 *
 * Reversed records are reverse-complemented.  Records without both primers are removed,
 * or are an error; so it is if no record has them.
 *
 * @param files  that the set was read from
 * @param o      with text, without misuse
 * @param cuts   [set->n] where the regions are
 * @param kept   [set->n] out: the indices of those that remain, ascending
 * @return ST_OK or ST_EINPUT (logged); then the set can only be destroyed
 */
status_t primer_trim_set(const seq_files_t *files, const primer_trim_t *o,
                         const primer_cut_t *cuts, seqset_t *set,
                         int32_t *kept) MUST_CHECK;

/* Finds 16S rRNA genes that are given as their reverse complement, without a
 * reference.
 *
 * Motifs conserved in bacteria and archaea, most of them sites of common primers, show
 * the strand of sequences that contain two of them in the right order.  The k-mers that
 * these sequences have in common then show the strand of the others, including fragments.
 */

typedef enum {
    ORIENT_REVERSE = -1, /* the gene's reverse complement */
    ORIENT_UNKNOWN = 0,  /* unlike the 16S genes of the set, or alike on both strands */
    ORIENT_FORWARD = 1   /* the gene from 5' to 3' */
} orient_strand_t;

/*
 * Find the strand of every sequence.  If fewer than one sequence in a thousand is a 16S
 * gene, all strands are unknown.
 *
 * @param strand  [set->n] orient_strand_t
 * @return ST_OK or ST_ENOMEM
 */
status_t orient_find(const seqset_t *set, pool_t *pool, int8_t *strand) MUST_CHECK;

/* Replace sequence i by its reverse complement. */
void orient_reverse_complement(seqset_t *set, int64_t i);

/* Full-length dereplication: finds equal sequences, like vsearch's
 * --derep_fulllength without --strand both.
 *
 * Equal means the same codes: N equals only N.  Case and U/T do not matter, since a set
 * stores neither. */

/*
 * Number the distinct sequences of a set in the order of their first records.
 *
 * @param set          at most INT32_MAX sequences
 * @param sequence_of  [set->n] the number of each record's distinct sequence
 * @param first        capacity set->n; the first record of each distinct sequence
 * @param n_distinct   number of distinct sequences
 * @return ST_OK or ST_ENOMEM
 */
status_t derep_find(const seqset_t *set, int32_t *sequence_of, int32_t *first,
                    int64_t *n_distinct) MUST_CHECK;

/* Which residues of proteins are masked: replaced by X. */
typedef enum {
    MASK_NONE,
    MASK_SEG,   /* low complexity: seg_usual of seg.h */
    MASK_DB,    /* seg_light, in the references alone */
    MASK_TANTAN /* tandem repeats: tantan.h */
} mask_t;

extern const char *const mask_name[4]; /* "none", "seg", "db", "tantan" */

/*
 * Mask a set, and log how many residues were.
 *
 * @param path           that the set was read from, for messages
 * @param of_references  whether it is what queries are compared with
 * @return ST_OK, ST_ENOMEM or ST_EINPUT: they are no proteins
 */
status_t prepare_mask(const char *path, mask_t mask, bool of_references, pool_t *pool,
                      seqset_t *set) MUST_CHECK;

typedef struct {
    abundance_labels_t labels; /* that are read */
    const char *count_table;   /* path of a count_table of mothur, or NULL */
    const char *samples;       /* path of a table of names, samples and counts, or NULL */
    primer_trim_t primers;
    seq_filter_t filter;
    bool orient;       /* orient reverse-complemented records; otherwise they only cause a
                          warning */
    bool both_strands; /* both will be aligned: reversed records need no warning */
    bool derep;        /* dereplicate */
    mask_t mask;
} prepare_opts_t;

/* What prepare_set finds out besides changing the set. */
typedef struct {
    int64_t *size;           /* [set->n] abundances, or NULL: all 1 */
    pairs_members_t members; /* records of each sequence; n = 0: not dereplicated */
    pairs_samples_t samples; /* n = 0: no samples */
    int32_t *record;         /* [set->n] index of the first record of each sequence; those
                              * of new files follow the sequences of an earlier run */
    int64_t n_records;       /* records in the input */
    seq_filter_report_t dropped;
    int64_t n_reverse; /* records that looked reverse-complemented */
    int64_t n_unknown; /* records of unknown strand */
} prepared_t;

/* What an earlier run has prepared.  Its sequences come before those of the new files, as
 * if all files had been read at once. */
typedef struct {
    const char *path; /* of its result, for messages */
    seqset_t *set;
    int64_t *size;           /* [set->n], or NULL: all 1 */
    pairs_members_t members; /* n = 0: not dereplicated */
    pairs_samples_t samples; /* n = 0: no samples */
    char *sample;            /* that its only file would be; NULL: not known */
    bool continues_samples;  /* the new files may be of the same samples */
} prepare_previous_t;

/* @return options that change nothing */
prepare_opts_t prepare_defaults(void);

/* @return an error message if the options are invalid, else NULL */
const char *prepare_misuse(const prepare_opts_t *opts);

/*
 * Prepare a set and log what was dropped, oriented and dereplicated, one line per step.
 *
 * The order of the steps is: sizes (each record needs one), primers, filter, masks,
 * sequences of the earlier run, orientation, dereplication.  A dereplicated sequence has
 * the name and position of its first record.  Samples are those of files, if these are
 * known and nothing else names samples.
 *
 * @param files  that the set was read from
 * @param cuts   [set->n] where the regions between primers are; NULL: opts has none
 * @param before the earlier run; NULL: there is none.  Its sequences stay as they are; it
 *               is refused if they would not, in one run over all files
 * @param pool   finds strands; NULL: the caller alone
 * @param set    changed in place; after an error it can only be destroyed
 * @param out    release with prepare_free
 * @return ST_OK, ST_ENOMEM, ST_EIO, ST_EINPUT or ST_EUSAGE (prepare_misuse, logged)
 */
status_t prepare_set(const seq_files_t *files, const prepare_opts_t *opts,
                     const primer_cut_t *cuts, const prepare_previous_t *before,
                     pool_t *pool, seqset_t *set, prepared_t *out) MUST_CHECK;

/* prepare_previous.c: the records of an earlier run, which are its sequences, before
 * those of the new files. */

/* Put its sequences before those of a set. @return ST_OK, ST_ENOMEM or ST_EINPUT */
status_t prepare_previous_join(const prepare_previous_t *before, const seq_files_t *files,
                               seqset_t *set) MUST_CHECK;

/*
 * Put its sizes and counts before those of records.
 *
 * @param of_files  the new samples are those of files
 * @param n         new records
 * @param to        changed in place: rows are new records, then all
 * @return ST_OK, ST_ENOMEM, or ST_EINPUT: only one of the two has samples
 */
status_t prepare_previous_count(const prepare_previous_t *before,
                                const seq_files_t *files, bool of_files, int64_t n,
                                abundance_t *to) MUST_CHECK;

/*
 * Put its members before those of a set, which begin with a member per sequence of it.
 *
 * @param to  changed in place
 * @return ST_OK, ST_ENOMEM, or ST_EINPUT: two of its sequences are equal
 */
status_t prepare_previous_members(const prepare_previous_t *before,
                                  pairs_members_t *to) MUST_CHECK;

/* @return a digest of sizes, members and samples. @param n  sequences */
uint64_t prepare_digest(const prepared_t *p, int64_t n);

void prepare_free(prepared_t *p);
