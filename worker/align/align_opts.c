/*
 * align_opts.c - defaults of the options of the job "align", and which of them go
 * together.
 */
#include "worker/align/align_opts.h"

#include "io/base/byte_size.h"
#include "io/base/halves.h"
#include "kernels/registry/backends.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Proteins: what blastp calls 11 and 1, where a gap's first residue costs both, is 12 and
 * 1 here; so this is BLAST's 10 and 1, and needle's and parasail's 11 and 1. */
enum { PROTEIN_GAP_OPEN = 11, PROTEIN_GAP_EXTEND = 1 };

/* Less memory than this most likely lacks its unit. */
enum { BATCH_BYTES_MIN = 1 << 20, DEVICE_BYTES_MIN = 64 << 20 };

/* --max-output, if it is not given. */
#define OUTPUT_BYTES_MAX (INT64_C(256) << 30)

/* Scores that were not given, in halves. */
enum { MATCH = 2 * 4, MISMATCH = 2 * -5, GAP = 2 * -7 };

const char *const align_score_unit_name[2] = {"1", "0.5"};
const char *const align_centroids_name[3] = {"any", "abundance", "length"};

align_opts_t align_opts_defaults(void)
{
    return (align_opts_t){.common = job_opts_defaults(),
                          .fasta = {.alphabet = ALPHABET_AUTO},
                          .references = {.of_references = true},
                          .prepare = prepare_defaults(),
                          .emit = EMIT_IDENTITY,
                          .cigar_style = CIGAR_STYLE_M,
                          .strand = STRAND_PLUS,
                          .mode = MODE_GLOBAL,
                          .ends = ENDS_FREE,
                          .ambiguity = AMBIGUITY_N_MISMATCH,
                          .match = MATCH,
                          .mismatch = MISMATCH,
                          .gap = GAP,
                          .max_output_bytes = OUTPUT_BYTES_MAX,
                          .band = BAND_AUTO};
}

/* What follows from others where it was not given. */
static void fill_in(align_opts_t *o)
{
    o->prepare.both_strands = o->strand == STRAND_BOTH;
    o->references.full_names = o->fasta.full_names;
    if (!IS_GIVEN(o, iddef))
        o->iddef = identity_def_canonical(o->ends == ENDS_COUNT);
    if (!IS_GIVEN(o, min_overlap))
        o->min_overlap = o->ends == ENDS_LOCAL ? (fraction_t){0, 1} : (fraction_t){1, 2};
    o->fits_disk = !IS_GIVEN(o, max_output_bytes);
}

static status_t check_files(const align_opts_t *o, char *why)
{
    const char *inputs = seq_inputs_misuse(&o->inputs);

    if (inputs != NULL)
        return job_opts_misuse(why, "%s", inputs);
    return job_opts_check_output(&o->common, "PAIRS.h5", true, why);
}

static status_t check_records(const align_opts_t *o, char *why)
{
    const char *prepare = prepare_misuse(&o->prepare);

    if (o->against == NULL && (o->references.skip_bad || o->references.degap))
        return job_opts_misuse(
            why, "--skip-bad-references and --degap-references need --against; "
                 "without it give --skip-bad and --degap");
    return prepare != NULL ? job_opts_misuse(why, "%s", prepare) : ST_OK;
}

/* Costs of a gap's first base and of further ones. */
typedef struct {
    const char *prefix; /* of the options' names */
    int64_t open, extend;
    bool has_open, has_extend;
    bool is_replaced;     /* what they stand for was given, too */
    const char *replaced; /* its name */
} costs_t;

static status_t check_costs(const costs_t *c, char *why)
{
    char texts[2][HALVES_TEXT_BYTES];

    if (c->has_open != c->has_extend)
        return job_opts_misuse(why,
                               "--%sgap-open and --%sgap-extend go together; give both",
                               c->prefix, c->prefix);
    if (c->has_open && c->is_replaced)
        return job_opts_misuse(
            why,
            "--%sgap-open and --%sgap-extend replace %s; give one or the "
            "other",
            c->prefix, c->prefix, c->replaced);
    if (c->open < c->extend)
        return job_opts_misuse(
            why,
            "--%sgap-open %s is less than --%sgap-extend %s: the first base of "
            "a gap has to cost at least as much as each further one",
            c->prefix, halves_text(c->open, texts[0]), c->prefix,
            halves_text(c->extend, texts[1]));
    return ST_OK;
}

static void settle_ends(align_opts_t *o)
{
    bool given = IS_GIVEN(o, end_gap_open);

    if (o->mode == MODE_LOCAL)
        o->ends = ENDS_LOCAL;
    else if (given && o->end_gap_open == o->gap_open &&
             o->end_gap_extend == o->gap_extend)
        o->ends = ENDS_COUNT;
    else if (given && o->end_gap_open > 0)
        o->ends = ENDS_PRICED;
    if (o->ends != ENDS_PRICED)
        o->end_gap_open = o->end_gap_extend = 0;
}

static status_t settle_gaps(align_opts_t *o, char *why)
{
    const costs_t gaps = {"",
                          o->gap_open,
                          o->gap_extend,
                          IS_GIVEN(o, gap_open),
                          IS_GIVEN(o, gap_extend),
                          IS_GIVEN(o, gap),
                          "--gap"};
    const costs_t ends = {"end-",
                          o->end_gap_open,
                          o->end_gap_extend,
                          IS_GIVEN(o, end_gap_open),
                          IS_GIVEN(o, end_gap_extend),
                          IS_GIVEN(o, ends),
                          "--ends"};
    status_t st;

    if ((st = check_costs(&gaps, why)) != ST_OK ||
        (st = check_costs(&ends, why)) != ST_OK)
        return st;
    if (o->mode == MODE_LOCAL && (IS_GIVEN(o, ends) || IS_GIVEN(o, end_gap_open)))
        return job_opts_misuse(why, "--mode local has no end gaps; leave out --ends, "
                                    "--end-gap-open and --end-gap-extend");
    if (IS_GIVEN(o, gap_open))
        o->gap = -o->gap_extend;
    else
        o->gap_open = o->gap_extend = -o->gap;
    settle_ends(o);
    return ST_OK;
}

static status_t settle_columns(align_opts_t *o, char *why)
{
    if (o->matrix != NULL &&
        (IS_GIVEN(o, match) || IS_GIVEN(o, mismatch) || IS_GIVEN(o, ambiguity)))
        return job_opts_misuse(
            why, "--matrix replaces --match, --mismatch and --ambiguity; give "
                 "one or the other");
    return o->match > o->mismatch
               ? ST_OK
               : job_opts_misuse(why, "--match must be more than --mismatch");
}

/* Change from halves to whole numbers, if all are whole. */
static void settle_unit(align_opts_t *o)
{
    int64_t *const all[] = {&o->match,         &o->mismatch,   &o->gap,
                            &o->gap_open,      &o->gap_extend, &o->end_gap_open,
                            &o->end_gap_extend};
    enum { N_ALL = sizeof(all) / sizeof(all[0]) };

    o->score_unit = SCORE_UNIT_ONE;
    for (int i = 0; i < N_ALL; i++)
        if (*all[i] % 2 != 0)
            o->score_unit = SCORE_UNIT_HALF;
    for (int i = 0; o->score_unit == SCORE_UNIT_ONE && i < N_ALL; i++)
        *all[i] /= 2;
}

/* @return the first option given that is for DNA alone, or NULL */
static const char *dna_only_option(const align_opts_t *o)
{
    if (o->prepare.orient)
        return "--orient";
    if (o->strand == STRAND_BOTH)
        return "--strand both";
    if (IS_GIVEN(o, ambiguity))
        return "--ambiguity";
    if (IS_GIVEN(o, match))
        return "--match";
    return IS_GIVEN(o, mismatch) ? "--mismatch" : NULL;
}

status_t align_opts_settle_scores(align_opts_t *o, char why[JOB_OPTS_WHY_BYTES])
{
    status_t st;

    if (o->dna_only == NULL)
        o->dna_only = dna_only_option(o);
    o->has_end_gaps = IS_GIVEN(o, end_gap_open) && o->end_gap_open > 0;
    if ((st = settle_columns(o, why)) != ST_OK || (st = settle_gaps(o, why)) != ST_OK)
        return st;
    settle_unit(o);
    return ST_OK;
}

static void set_columns(const align_opts_t *o, const score_matrix_t *matrix,
                        align_scoring_t *scoring)
{
    score_matrix_t scaled;

    if (matrix == NULL) {
        align_scoring_set(scoring, o->ambiguity, (int32_t)o->match, (int32_t)o->mismatch,
                          (int32_t)o->gap);
        return;
    }
    scaled = *matrix;
    for (int a = 0; a < ALPHABET_SIZE && o->score_unit == SCORE_UNIT_HALF; a++)
        for (int b = 0; b < ALPHABET_SIZE; b++)
            scaled.score[a][b] *= 2;
    align_scoring_set_matrix(scoring, &scaled, (int32_t)o->gap);
}

void align_opts_set_scores(const align_opts_t *o, const score_matrix_t *matrix,
                           align_spec_t *spec)
{
    set_columns(o, matrix, &spec->scoring);
    align_scoring_set_gap(&spec->scoring,
                          (align_gap_t){-(int32_t)o->gap_open, -(int32_t)o->gap_extend});
    spec->end_gap = (align_gap_t){-(int32_t)o->end_gap_open, -(int32_t)o->end_gap_extend};
    spec->ends = o->ends;
}

static status_t check_ends(const align_opts_t *o, char *why)
{
    if (o->ends == ENDS_QUERY && o->against == NULL)
        return job_opts_misuse(
            why, "--ends query needs --against: with all pairs of one file no "
                 "sequence is the query");
    return ST_OK;
}

static status_t check_identity(const align_opts_t *o, char *why)
{
    bool has_iddef = IS_GIVEN(o, iddef);
    const char *needs_identity = o->against != NULL                ? "--against"
                                 : o->min_identity.denominator > 0 ? "--id"
                                 : has_iddef                       ? "--iddef"
                                                                   : NULL;

    if (o->emit == EMIT_SCORE && needs_identity != NULL)
        return job_opts_misuse(why, "%s needs identities; give --emit identity or cigar",
                               needs_identity);
    if (has_iddef && (o->ends == ENDS_QUERY || o->ends == ENDS_LOCAL))
        return job_opts_misuse(
            why,
            "--iddef needs --ends free or count; with %s the identity is "
            "matches / columns",
            o->ends == ENDS_QUERY ? "query" : "--mode local");
    if (IS_GIVEN(o, min_overlap) &&
        (!align_ends_limit_overlap(o->ends) || o->emit == EMIT_SCORE))
        return job_opts_misuse(
            why, "--min-overlap applies only to identities with --ends free or "
                 "--end-gap-open, or --mode local");
    return ST_OK;
}

static status_t check_outputs(const align_opts_t *o, char *why)
{
    if (IS_GIVEN(o, cigar_style) && o->emit != EMIT_CIGAR)
        return job_opts_misuse(why, "--cigar-style needs --emit cigar");
    if (o->against == NULL && (o->top > 0 || IS_GIVEN(o, strand)))
        return job_opts_misuse(why, "--top and --strand need --against");
    if (o->centroids == CENTROIDS_ANY)
        return ST_OK;
    if (o->min_identity.numerator == 0)
        return job_opts_misuse(why,
                               "--centroids needs --id above 0: that of the clusters");
    return o->against == NULL
               ? ST_OK
               : job_opts_misuse(why,
                                 "--centroids is for all pairs of READS; with --against "
                                 "references are the centroids: leave it out");
}

static status_t check_memory(const align_opts_t *o, char *why)
{
    char size[BYTE_SIZE_TEXT_BYTES];

    if (IS_GIVEN(o, batch_bytes) && o->batch_bytes < BATCH_BYTES_MIN)
        return job_opts_misuse(why, "--memory of %s: give 1M or more",
                               byte_size_text((double)o->batch_bytes, size));
    if (!IS_GIVEN(o, device_bytes))
        return ST_OK;
    if (o->device_bytes < DEVICE_BYTES_MIN)
        return job_opts_misuse(why, "--device-memory of %s: give 64M or more",
                               byte_size_text((double)o->device_bytes, size));
    if (strcmp(o->common.device, "cpu") == 0)
        return job_opts_misuse(why, "--device-memory needs a GPU, but --device is cpu");
    return ST_OK;
}

status_t align_opts_set_alphabet(align_opts_t *o, alphabet_t alphabet,
                                 char why[JOB_OPTS_WHY_BYTES])
{
    if (alphabet != ALPHABET_PROTEIN)
        return ST_OK;
    if (o->dna_only != NULL)
        return job_opts_misuse(why, "%s is for DNA alone; %s, or give --alphabet dna",
                               o->dna_only,
                               o->dna_remedy != NULL ? o->dna_remedy : "leave it out");
    if (o->matrix == NULL)
        o->matrix = "BLOSUM62";
    if (IS_GIVEN(o, gap) || IS_GIVEN(o, gap_open))
        return ST_OK;
    if (o->has_end_gaps)
        return job_opts_misuse(why,
                               "with proteins --end-gap-open and --end-gap-extend need "
                               "--gap-open and --gap-extend, too");
    o->gap_open = PROTEIN_GAP_OPEN;
    o->gap_extend = PROTEIN_GAP_EXTEND;
    o->gap = -o->gap_extend;
    return ST_OK;
}

static status_t check_comparisons(const align_opts_t *opts, char why[JOB_OPTS_WHY_BYTES])
{
    if (opts->common.redundancy > 0 && opts->common.recompute_percent > 0)
        return job_opts_misuse(why, "--redundancy compares every tile: leave out "
                                    "--recompute");
    if (opts->top > 0 &&
        (opts->common.redundancy > 0 || opts->common.recompute_percent > 0))
        return job_opts_misuse(why,
                               "%s does not go with --top: until the end, each rank "
                               "keeps other hits",
                               opts->common.redundancy > 0 ? "--redundancy"
                                                           : "--recompute");
    return ST_OK;
}

status_t align_opts_settle_job(align_opts_t *opts, char why[JOB_OPTS_WHY_BYTES])
{
    status_t st;

    if ((st = check_records(opts, why)) != ST_OK ||
        (st = align_opts_settle_scores(opts, why)) != ST_OK ||
        (st = check_ends(opts, why)) != ST_OK ||
        (st = check_identity(opts, why)) != ST_OK ||
        (st = check_outputs(opts, why)) != ST_OK ||
        (st = check_comparisons(opts, why)) != ST_OK)
        return st;
    fill_in(opts);
    if (opts->ends == ENDS_LOCAL && opts->matrix == NULL && opts->match <= 0)
        return job_opts_misuse(
            why, "--mode local needs a --match above 0: with other scores no "
                 "alignment gains anything");
    return align_opts_set_alphabet(opts, opts->fasta.alphabet, why);
}

status_t align_opts_settle(job_opts_t *common, char why[JOB_OPTS_WHY_BYTES])
{
    align_opts_t *opts = (align_opts_t *)common;
    status_t st;

    opts->inputs.follow = opts->extend != NULL;
    if ((st = check_files(opts, why)) != ST_OK ||
        (st = job_opts_settle_device(&opts->common.device, opts->common.kernel,
                                     &aligner_table, why)) != ST_OK ||
        (st = check_memory(opts, why)) != ST_OK)
        return st;
    return opts->extend != NULL ? ST_OK : align_opts_settle_job(opts, why);
}
