/*
 * cmd_align.c - `ribogrid align`: all pairs of a FASTA file, or queries against
 * references, aligned into one HDF5 file; `ribogrid search`: the same job with the
 * defaults of protein search.
 */
#include "io/base/byte_size.h"
#include "io/base/logmsg.h"
#include "io/export/export_file.h"
#include "io/file/whole_file.h"
#include "io/pairs/pairs_format.h"
#include "io/pairs/pairs_order.h"
#include "tools/options/commands.h"
#include "tools/options/job_run.h"
#include "tools/options/option_tables.h"
#include "worker/align/align_opts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCORE_MAX = PAIRS_JOB_SCORE_MAX }; /* in halves */

typedef struct {
    align_opts_t job;
    int preset; /* if it is given */
    const char *blast6;
    bool cigar;         /* of search */
    const char *fields; /* likewise */
    char preset_options[ALIGN_PRESET_BYTES];
    const char *files[SEQ_INPUTS_MAX + 1]; /* up to a NULL */
    export_fields_t columns;               /* of `fields` */
} args_t;

#define AT(member)  OPTION_AT(args_t, member)
#define JOB(member) AT(job.member)

static const option_t words[] = {OPTION_READS(args_t, files), {.kind = OPTION_END}};

static const option_t option_memory[] = {
    {.word = WORD_MEMORY,
     JOB(batch_bytes),
     .help = " for this rank's batches, half of it for a built database that is larger "
             "(default: 1/16 of it, shared by a node's ranks)"},
    {.word = WORD_DEVICE_MEMORY,
     JOB(device_bytes),
     .help = ": a GPU's for batches, besides the sequences (75 % of what is free); of "
             "search, a database that takes more than half is copied in parts"},
    {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Input"},
    {.kind = OPTION_TABLE, JOB(inputs), .table = option_manifest},
    {.word = WORD_AGAINST,
     JOB(against),
     .help = ": align every query with each of them, instead of all pairs"},
    {OPTION_INPUT, "extend", 0, JOB(extend), "OLD.h5",
     "extend a result by READS: its sequences come first, its options and pairs are "
     "taken, and only tiles with sequences of READS are computed"},
    {.word = WORD_ALPHABET,
     JOB(fasta.alphabet),
     .help = ", or guessed from READS ({}, the default)"},
    {.kind = OPTION_TABLE, JOB(fasta), .table = option_fasta},
    {.kind = OPTION_TABLE, JOB(references), .table = option_references},
    {.kind = OPTION_TABLE, .table = option_input},
    {.kind = OPTION_TABLE, JOB(prepare.labels), .table = option_labels},
    {.kind = OPTION_TABLE, JOB(prepare), .table = option_abundance},
    {.kind = OPTION_TABLE, JOB(prepare.primers), .table = option_primers},
    {.word = WORD_MIN_LENGTH, JOB(prepare.filter.min_length)},
    {.word = WORD_MAX_LENGTH, JOB(prepare.filter.max_length)},
    {OPTION_INT, "max-ambig", 0, JOB(prepare.filter.max_ambig), "N",
     "drop sequences with more than N ambiguity codes", 0, INT32_MAX},
    {.word = WORD_MASK,
     JOB(prepare.mask),
     .value = "none|seg",
     .help = ", also in references ({})"},
    {OPTION_FLAG, "orient", 0, JOB(prepare.orient), NULL,
     "reverse-complement 16S genes that look reversed (default: only report them)"},

    {.kind = OPTION_GROUP, .name = "What to compute"},
    {.word = WORD_EMIT,
     JOB(emit),
     .value = "score|identity|cigar",
     .help =
         ": scores; also matches and columns ({}, the default); also alignments (cigar)"},
    {OPTION_CHOICE, "cigar-style", 0, JOB(cigar_style), "m|eqx",
     "CIGARs with M ({}, the default), or with = and X for matches and mismatches"},
    {.word = WORD_ID,
     JOB(min_identity),
     .help = " of the pairs to keep, in a small file of hits (all pairs)"},
    {.word = WORD_TOP,
     JOB(top),
     .max = PAIRS_TOP_MAX,
     .help = " hits of each query of --against, by identity (--mode local: by score), "
             "then matches; and ties"},
    {OPTION_CHOICE, "centroids", 0, JOB(centroids), ALIGN_CENTROIDS,
     "with --id, keep only hits with centroids, for `cluster --method centroid` with "
     "this "
     "--order: much faster ({}: all hits)"},
    {.word = WORD_STRAND, JOB(strand), .help = ", with --against ({})"},
    {OPTION_CHOICE, "iddef", 0, JOB(iddef), "0|1|2|3|4|onegap|nogaps|eachgap|onegap-ends",
     "definition of identity, as in vsearch or mothur (2, or 1 with --ends count)"},
    {OPTION_FRACTION, "min-overlap", 0, JOB(min_overlap), "FRACTION",
     "with --ends free, --end-gap-open or --mode local: columns that an identity needs, "
     "relative to the shorter sequence (0.5; local: 0)"},

    {.kind = OPTION_GROUP, .name = "Scoring"},
    {.word = WORD_PRESET,
     AT(preset),
     .help = ", by the options listed below; others override them"},
    {.kind = OPTION_TABLE, AT(job), .table = option_scores},
    {.word = WORD_GAP, JOB(gap), .help = " ({}); this and other scores may end in .5"},
    {.word = WORD_ENDS,
     JOB(ends),
     .value = "free|count|query",
     .help = "; query: only the target's are free ({})"},

    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_OUTPUT,
     JOB(common.output),
     .value = "PAIRS.h5",
     .files = option_job_files,
     .help = ": the pairs"},
    {.word = WORD_BLAST6OUT, AT(blast6), .help = "; implies --emit cigar"},
    {.word = WORD_MAX_OUTPUT,
     JOB(max_output_bytes),
     .help = " ({}; of all pairs: what the disk has free, if that is less)"},

    {.kind = OPTION_TABLE, .table = option_any_device},
    {.word = WORD_BAND, JOB(band), .help = " ({})"},
    {.kind = OPTION_TABLE, .table = option_memory},

    {.kind = OPTION_TABLE, .table = option_run_tasks},
    {OPTION_INT, "recompute", 0, JOB(common.recompute_percent), "PERCENT",
     "recompute this percentage of the tiles on another rank (if there are several) with "
     "another kernel; if results differ, the reference decides, and the device is named",
     1, 100},
    {OPTION_INT, "redundancy", 0, JOB(common.redundancy), "K",
     "compute every tile on K ranks, and take what most of them find", 2, 99},
    {.kind = OPTION_END}};

/* ---- the plan ---- */

static void print_size(const char *what, double bytes, const char *note)
{
    char text[BYTE_SIZE_TEXT_BYTES];

    printf("%s\t%s%s\n", what, byte_size_text(bytes, text), note);
}

/* Print what a run takes, and refuse what does not fit. */
static status_t plan(const job_t *job, exchange_t *x)
{
    const job_align_size_t size = job_align_size(job);
    const device_t *gpu = &job->opts->binding->device;
    char of[BYTE_SIZE_TEXT_BYTES], note[64 + BYTE_SIZE_TEXT_BYTES];

    if (x->rank == 0) {
        if (size.output > 0)
            print_size("file", size.output, " before compression");
        else
            printf("file\tdepends on the number of hits\n");
        print_size("memory of a rank", size.sequences + size.batches + size.kernels, "");
        if (device_is_gpu(gpu)) {
            snprintf(note, sizeof(note), " for sequences, and batches, of %s",
                     byte_size_text((double)gpu->memory_bytes, of));
            print_size("GPU memory", size.sequences, note);
        }
    }
    return job_align_check_fit(job, x);
}

/* ---- the command ---- */

/* Refuse what an export would refuse after the run. */
static status_t check_blast6(const job_opts_t *opts)
{
    const args_t *a = (const args_t *)opts;
    const align_opts_t *o = &a->job;

    if (a->blast6 == NULL)
        return ST_OK;
    if (o->extend != NULL)
        return options_misuse(&cmd_align, "--blast6out does not go with --extend; give "
                                          "`ribogrid export --format blast6`");
    if (o->emit != EMIT_CIGAR)
        return options_misuse(&cmd_align, "--blast6out needs --emit cigar");
    if (o->iddef == IDENTITY_MBL && o->cigar_style != CIGAR_STYLE_EQX)
        return options_misuse(&cmd_align,
                              "--blast6out with --iddef 3 needs --cigar-style eqx");
    return ST_OK;
}

static status_t write_blast6(const job_opts_t *opts)
{
    const args_t *a = (const args_t *)opts;
    const export_format_t format = a->fields != NULL ? EXPORT_USEROUT : EXPORT_BLAST6;
    export_request_t what = {.spec = {.format = format, .fields = a->columns},
                             .pairs = a->job.common.output,
                             .output = a->blast6,
                             .force = a->job.common.force};

    return a->blast6 != NULL ? export_file_make(&what) : ST_OK;
}

static status_t take(job_opts_t *opts)
{
    args_t *a = (args_t *)opts;

    if (a->blast6 != NULL && !IS_GIVEN(&a->job, emit))
        a->job.emit = EMIT_CIGAR;
    if (IS_GIVEN(a, preset))
        align_preset_apply(a->preset, &a->job, a->preset_options);
    return ST_OK;
}

static status_t begin(const job_opts_t *opts, exchange_t *x)
{
    const args_t *a = (const args_t *)opts;
    status_t st = ST_OK;

    if (IS_GIVEN(a, preset) && x->rank == 0)
        log_info("preset %s: %s", align_preset_name(a->preset), a->preset_options);
    if (a->blast6 != NULL && x->rank == 0)
        st = whole_file_check(a->blast6, WHOLE_FILE_TEXT, opts->force);
    return exchange_agree(x, st);
}

static const job_command_t job = {.ops = &job_align_ops,
                                  .takes_remote = true,
                                  JOB_READS(args_t, files, job.inputs),
                                  .take = take,
                                  .check = check_blast6,
                                  .begin = begin,
                                  .plan = plan,
                                  .finish = write_blast6};

static void defaults(void *args)
{
    ((args_t *)args)->job = align_opts_defaults();
}

static void print_presets(FILE *to)
{
    fprintf(to, "\nPresets, and the options that they stand for:\n");
    align_preset_print_all(to);
}

static const option_rename_t renamed[] = {{"verify", NULL, "recompute"}, {NULL}};

const command_t cmd_align = {
    .name = "align",
    .summary = "align all pairs of a FASTA file, or queries against references, exactly, "
               "into one HDF5 file",
    .words = words,
    .usage = "-o PAIRS.h5 [options]",
    .options = options,
    .renamed = renamed,
    .args_bytes = sizeof(args_t),
    .notes = "Sequences are FASTA or FASTQ, plain or compressed; `ribogrid --version` "
             "lists formats.\n"
             "Each of several files of READS is a sample, named as the file without its "
             "extension.\n"
             "--id and --against store hits only, as a sparse matrix.\n" JOB_NOTES(
                 "PAIRS.h5.part") "With mpirun or srun --mpi=pmix, start one rank per "
                                  "GPU or per node.\n",
    .example =
        "ribogrid align reads.fa.gz -o pairs.h5 && ribogrid view pairs.h5 --id 0.97",
    .print_more = print_presets,
    .defaults = defaults,
    .job = &job,
};

/* ---- search ---- */

/* Those of blastp, where the first residue of a gap costs both of its numbers, 11 and 1;
 * in halves. */
enum { SEARCH_GAP_OPEN = 2 * 12, SEARCH_GAP_EXTEND = 2 * 1 };
enum { SEARCH_HITS = 500 };
static const double search_evalue = 0.001;

static const option_t search_words[] = {{OPTION_INPUT, "QUERIES.faa[.gz]|-", 0,
                                         AT(files)},
                                        {OPTION_INPUT, "DB.faa[.gz]|DB.h5", 0,
                                         JOB(against)},
                                        {.kind = OPTION_END}};

static const option_t search_options[] = {
    {.kind = OPTION_GROUP, .name = "Input"},
    {.word = WORD_ALPHABET,
     JOB(fasta.alphabet),
     .value = "dna|protein|auto",
     .help = "; dna is refused, and so is with auto, the default, what looks like it"},
    {.kind = OPTION_TABLE, JOB(fasta), .table = option_fasta},
    {.kind = OPTION_TABLE, .table = option_input},
    {.word = WORD_MASK,
     JOB(prepare.mask),
     .help = ": of queries and database (seg), or fewer and of the database alone (db); "
             "or tandem repeats of both (tantan) ({})"},

    {.kind = OPTION_GROUP, .name = "What to find"},
    {.word = WORD_EVALUE, JOB(max_evalue), .help = " to keep ({})"},
    {.word = WORD_METHOD,
     JOB(method),
     .value = "exact|staged",
     .help = ": score all pairs, or those that share seeds as blastp finds them ({})"},
    {OPTION_CHOICE, "composition", 0, JOB(composition), "off|scale|adjust",
     "scale or adjust scores to the composition of both proteins ({})"},
    {OPTION_INT, "max-hits", 0, JOB(top), "N",
     "keep the N hits of each query with the best scores, and ties ({})", 1,
     PAIRS_TOP_MAX},
    {OPTION_INT, "db-size", 0, JOB(db_size), "N",
     "compute E-values for a database of N residues (default: as many as DB has)", 1,
     ALIGN_DB_SIZE_MAX},

    {.kind = OPTION_GROUP, .name = "Scoring"},
    {.word = WORD_MATRIX, JOB(matrix), .help = " (BLOSUM62, which is built in)"},
    {.word = WORD_GAP_OPEN, JOB(gap_open), .help = " (12)"},
    {.word = WORD_GAP_EXTEND, JOB(gap_extend), .help = " (1)"},

    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_OUTPUT,
     JOB(common.output),
     .value = "HITS.h5",
     .files = option_job_files,
     .help = ": the hits"},
    {OPTION_FLAG, "cigar", 0, AT(cigar), NULL,
     "also store the alignments, which have the places of the hits"},
    {.word = WORD_BLAST6OUT, AT(blast6), .help = "; implies --cigar"},
    {OPTION_TEXT, "fields", 0, AT(fields), "A+B+C",
     "of --blast6out, those of `ribogrid export --userfields` instead; --cigar is "
     "implied "
     "if they need it"},
    {.word = WORD_MAX_OUTPUT, JOB(max_output_bytes), .help = " ({})"},

    {.kind = OPTION_TABLE, .table = option_any_device},
    {.kind = OPTION_TABLE, .table = option_memory},

    {.kind = OPTION_TABLE, .table = option_run_free},
    {.kind = OPTION_END}};

/* Facts that only CIGARs have. */
enum { FACTS_OF_CIGARS = EXPORT_PAIRS | EXPORT_CIGAR | EXPORT_POSITIONS };

/* Check --fields. @param needs_cigars  out */
static status_t take_fields(args_t *a, bool *needs_cigars)
{
    const char *bad;
    int bad_len;

    *needs_cigars = a->blast6 != NULL;
    if (a->fields == NULL)
        return ST_OK;
    if (a->blast6 == NULL)
        return options_misuse(&cmd_search, "--fields requires --blast6out");
    if (!export_userout_parse(a->fields, &a->columns, &bad, &bad_len))
        return options_misuse(&cmd_search,
                              "--fields: '%.*s' is unknown, or one field too many; "
                              "docs/exports.md lists the fields",
                              bad_len, bad);
    bad = export_userout_lacking(&a->columns, ~(unsigned)EXPORT_TARGET_BASES);
    if (bad != NULL)
        return options_misuse(&cmd_search,
                              "--fields: %s needs the sequences of the database, which "
                              "HITS.h5 does not hold; leave it out",
                              bad);
    *needs_cigars = export_userout_facts(&a->columns) & FACTS_OF_CIGARS;
    return ST_OK;
}

static status_t take_search(job_opts_t *opts)
{
    args_t *a = (args_t *)opts;
    align_opts_t *o = &a->job;
    bool needs_cigars;
    status_t st = take_fields(a, &needs_cigars);

    if (st != ST_OK)
        return st;
    GIVE(o, mode, MODE_LOCAL);
    o->references = o->fasta; /* --skip-bad and --degap are for both files */
    if (o->fasta.alphabet == ALPHABET_DNA)
        return options_misuse(&cmd_search, "--alphabet dna: E-values are for proteins; "
                                           "translate the sequences first");
    if (a->cigar || needs_cigars)
        o->emit = EMIT_CIGAR;
    if (!IS_GIVEN(o, gap_open) && !IS_GIVEN(o, gap_extend)) {
        GIVE(o, gap_open, SEARCH_GAP_OPEN);
        GIVE(o, gap_extend, SEARCH_GAP_EXTEND);
    }
    return ST_OK;
}

static const job_command_t search_job = {.ops = &job_align_ops,
                                         .takes_remote = true,
                                         JOB_READS(args_t, files, job.inputs),
                                         .take = take_search,
                                         .begin = begin,
                                         .plan = plan,
                                         .finish = write_blast6};

static void search_defaults(void *args)
{
    align_opts_t *o = &((args_t *)args)->job;

    *o = align_opts_defaults();
    o->prepare.mask = MASK_DB;
    o->max_evalue = search_evalue;
    o->top = SEARCH_HITS;
    o->composition = COMP_ADJUST;
}

const command_t cmd_search = {
    .name = "search",
    .summary = "find proteins that are similar to others, exactly, with E-values",
    .words = search_words,
    .usage = "-o HITS.h5 [options]",
    .options = search_options,
    .args_bytes = sizeof(args_t),
    .notes = "It is `ribogrid align QUERIES --against DB --mode local`, but only pairs "
             "whose scores\n"
             "have low E-values are aligned. Proteins are FASTA, plain or "
             "compressed,\nor a database of `ribogrid search build`.\n" JOB_NOTES(
                 "HITS.h5.part") "With mpirun or srun --mpi=pmix, start one rank "
                                 "per GPU or per node.\n",
    .example = "ribogrid search queries.faa db.faa -o hits.h5 --blast6out hits.tsv",
    .defaults = search_defaults,
    .job = &search_job,
};
