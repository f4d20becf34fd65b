/*
 * align_opts.h - the job "align" and its options, as a front end fills them in.
 *
 * A front end starts from align_opts_defaults, writes what its user gives, and has
 * align_opts_settle check the combination and fill in the rest.
 */
#pragma once

#include "io/base/fraction.h"
#include "io/pairs/identity_def.h"
#include "io/prepare/prepare.h"
#include "io/seq/cigar.h"
#include "io/seq/fasta.h"
#include "kernels/align/common/align_spec.h"
#include "kernels/align/search/search.h"
#include "worker/bind.h"
#include "worker/job.h"
#include "worker/job_opts.h"

#include <stdio.h>

/* Which strands of the queries are aligned. */
typedef enum { STRAND_PLUS, STRAND_BOTH } align_strand_t;

/* Whether sequences are aligned as a whole, or their best parts. */
typedef enum { MODE_GLOBAL, MODE_LOCAL } align_mode_t;

/* Of which sequences in order the hits with centroids are kept; CENTROIDS_ANY: all hits.
 */
typedef enum {
    CENTROIDS_ANY,
    CENTROIDS_BY_ABUNDANCE,
    CENTROIDS_BY_LENGTH
} align_centroids_t;

extern const char *const align_centroids_name[3]; /* the words of ALIGN_CENTROIDS */
#define ALIGN_CENTROIDS "any|abundance|length"

/* Of db_size. */
#define ALIGN_DB_SIZE_MAX (INT64_C(1) << 50)

/* The unit of scores and costs. */
typedef enum { SCORE_UNIT_ONE, SCORE_UNIT_HALF } align_score_unit_t;

extern const char *const align_score_unit_name[2]; /* "1", "0.5" */

/* Whether kernels leave out cells that provably do not change the result. */
typedef enum { BAND_AUTO, BAND_OFF } align_band_t;

/* Members marked [*] follow from others if they were not given. */
typedef struct {
    job_opts_t common;

    /* input */
    seq_inputs_t inputs; /* FASTA or FASTQ */
    const char *against; /* FASTA of references, or a database of `search build`; NULL:
                          * all pairs of the input */
    const char *extend;  /* the result of an earlier run, whose sequences come first and
                          * whose options are taken; NULL: none */
    int stream;          /* set by the job: of what its child reads there */
    int database;        /* likewise, of `against`; 0: it is FASTA */
    fasta_opts_t fasta, references; /* of the input; of the file of references */
    prepare_opts_t prepare;         /* of the input; references are used as they are */

    /* what to compute */
    align_emit_t emit;
    cigar_style_t cigar_style;
    fraction_t min_identity; /* of pairs to keep; denominator 0: no limit */
    double max_evalue;       /* of pairs to keep, local alignments of proteins; 0: none */
    comp_mode_t composition; /* how local alignments of proteins that may reach
                              * max_evalue are scored once more */
    search_method_t method;  /* with max_evalue */
    int64_t db_size;         /* residues that E-values are for; 0: those of references */
    int64_t top;             /* best references to keep per query; 0: all */
    align_centroids_t centroids;
    align_strand_t strand;
    identity_def_t iddef;   /* [*] */
    fraction_t min_overlap; /* [*] */

    /* scoring; scores and costs are in halves (1 is 0.5) until align_opts_settle_scores,
     * then in units of score_unit: halves only if one of them needs that */
    align_score_unit_t score_unit;
    align_mode_t mode; /* settled: MODE_LOCAL is ENDS_LOCAL */
    align_ends_t ends; /* [*] */
    align_ambiguity_t ambiguity;
    int64_t match, mismatch, gap;         /* scores; all within 32 bits */
    int64_t gap_open, gap_extend;         /* [*] costs, instead of gap: of a gap's first
                                           * base, and of each further one */
    int64_t end_gap_open, end_gap_extend; /* [*] likewise of terminal gaps, instead of
                                           * ends; settled: 0 unless ENDS_PRICED */
    const char *matrix;                   /* NCBI matrix file or a name, or NULL */

    /* for align_opts_set_alphabet */
    const char *dna_only;   /* the first option given that is for DNA alone, or NULL; a
                             * preset may set it, else align_opts_settle_scores does */
    const char *dna_remedy; /* what to do about it; NULL: leave it out */
    bool has_end_gaps;      /* whether costs of end gaps were given, above 0 */

    /* output */
    int64_t max_output_bytes; /* of a dense result, or of hits, before compression */
    bool fits_disk; /* settled: a dense result has to fit the disk before compression */

    /* device */
    align_band_t band;
    int64_t batch_bytes;  /* of this rank's memory, for batches; 0: the front end
                           * sets it before the job is created */
    int64_t device_bytes; /* of a GPU's memory, for batches, and half of it for references
                           * in parts; 0: 75 % of what is free, and half of it */
} align_opts_t;

align_opts_t align_opts_defaults(void);

/*
 * Check the options against each other, and fill in those that were not given.
 *
 * A named kernel that only one kind of device has sets `device`, too.  `gap`, `gap_open`
 * and `gap_extend` then agree with each other, and so do `ends` and the costs of terminal
 * gaps: costs of 0 are ENDS_FREE, those of other gaps ENDS_COUNT.
 *
 * @param why  out, on ST_EUSAGE: what is wrong and what to do, by the options' names on
 *             the command line
 * @return ST_OK or ST_EUSAGE
 */
status_t align_opts_settle(job_opts_t *opts, char why[JOB_OPTS_WHY_BYTES]) MUST_CHECK;

/* The part of align_opts_settle that needs the options of the earlier run; with `extend`
 * the job calls it, once it has them. */
status_t align_opts_settle_job(align_opts_t *opts,
                               char why[JOB_OPTS_WHY_BYTES]) MUST_CHECK;

/*
 * Apply the alphabet of the sequences to settled options, once it is known.
 *
 * Proteins are scored by BLOSUM62 and gaps of 11 for the first residue and 1 for each
 * further one, where these were not given; options for DNA alone are refused.  Costs of
 * end gaps need those of gaps: the default that they were compared with is replaced.
 * align_opts_settle calls this function for an alphabet that was given.
 *
 * @return as align_opts_settle
 */
status_t align_opts_set_alphabet(align_opts_t *opts, alphabet_t alphabet,
                                 char why[JOB_OPTS_WHY_BYTES]) MUST_CHECK;

/* The part of align_opts_settle that is about scores, gaps and ends. */
status_t align_opts_settle_scores(align_opts_t *opts,
                                  char why[JOB_OPTS_WHY_BYTES]) MUST_CHECK;

/*
 * Set the scores, the gaps and the ends of a spec, from settled options.
 *
 * @param matrix  if they name one, its scores; else NULL
 */
void align_opts_set_scores(const align_opts_t *opts, const score_matrix_t *matrix,
                           align_spec_t *spec);

/* align_presets.c: the options that make the job "align" score as other programs do.
 *
 * A preset stands for options of the command line, and the job sees nothing else of it.
 */

/* The names, as the words of an option; a preset is the index of its name. */
#define ALIGN_PRESET_NAMES "vsearch|mothur|needle|blastn|unit"

enum { ALIGN_PRESETS = 5, ALIGN_PRESET_BYTES = 320 };

/*
 * Add a preset's options to those that the user has given, before they are settled.
 *
 * Options that are given stay, and keep out those of the preset that they exclude: with
 * --gap the preset has no --gap-open, and with --emit score no --iddef.
 *
 * @param text  out: the options that were added, as on the command line
 */
void align_preset_apply(int preset, align_opts_t *opts, char text[ALIGN_PRESET_BYTES]);

/* @return the name of a preset */
const char *align_preset_name(int preset);

/* Print all presets and their options, one per line, for --help. */
void align_preset_print_all(FILE *to);

/* The job "align": all pairs of a FASTA file, or queries against
 * references, tile by tile into one HDF5 file of matrices or of hits. */

/* Of align_opts_t (align_opts_settle). */
extern const job_ops_t job_align_ops;

/* What a run takes, in bytes. */
typedef struct {
    double output;    /* the result before compression; of hits: not known, 0 */
    double sequences; /* on each rank, and on its GPU */
    double batches;   /* on each rank, at most */
    double kernels;   /* on each rank that computes on its CPU: of the longest sequence */
} job_align_size_t;

/* Estimate it. @param job  begun */
job_align_size_t job_align_size(const job_t *job);

/*
 * Check that a run fits the disk of the output and the memory of each rank and its GPU;
 * every rank calls it.  The job's `begin` does so itself, unless the options are those of
 * a plan.
 *
 * @param job  begun
 * @return ST_OK, or ST_EINPUT (logged, with the option that helps)
 */
status_t job_align_check_fit(const job_t *job, exchange_t *x) MUST_CHECK;
