/*
 * cmd_align.c - `ribogrid align`: every pair of a FASTA file, or of queries and
 * references, aligned, into HDF5.
 */
#include "dispatcher/run.h"
#include "dispatcher/transport/transport.h"
#include "io/base/logmsg.h"
#include "io/pairs/write/pairs_top.h"
#include "kernels/align/engine/aligner.h"
#include "tools/commands.h"
#include "version.h"
#include "worker/align/job_align.h"
#include "worker/bind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options that were not given, where that makes a difference. */
enum { NOT_GIVEN = INT32_MIN, SCORE_MAX = 1000000 };
/* The part of a rank's memory that batches may take, and the least that is of use. */
enum { MEMORY_PART = 16, MEMORY_MIN = 1 << 20, DEVICE_MEMORY_MIN = 64 << 20 };

typedef struct {
    const char *output, *against, *device, *kernel, *matrix;
    int emit, cigar_style, ends, ambiguity, band, strand, iddef;
    fraction_t min_overlap, id;
    int64_t top;
    int64_t match, mismatch, gap, threads, memory, device_memory, max_output;
    prepare_opts_t prepare;
    bool force, resume, degap, skip_bad, quiet, verbose;
} args_t;

#define AT(member) offsetof(args_t, member)

static const option_t options[] = {
    {OPTION_TEXT, "output", 'o', AT(output), "PAIRS.h5", "the result file", 0, 0},
    {OPTION_FRACTION, "id", 0, AT(id), "PART",
     "keep only pairs of at least this identity, exactly: a small file of hits", 0, 0},
    {OPTION_TEXT, "against", 0, AT(against), "REF.fa[.gz]",
     "align every query with every reference of this file, instead of all pairs", 0, 0},
    {OPTION_INT, "top", 0, AT(top), "N",
     "of --against: only each query's best N by identity, then matches; ties all", 1,
     PAIRS_TOP_MAX},
    {OPTION_CHOICE, "strand", 0, AT(strand), "plus|both",
     "of --against: queries as they are, or the better of both strands", 0, 0},
    {OPTION_CHOICE, "emit", 0, AT(emit), "score|identity|cigar",
     "what to compute (identity: score, matches, columns); cigar: the alignment, too", 0,
     0},
    {OPTION_CHOICE, "cigar-style", 0, AT(cigar_style), "m|eqx",
     "CIGARs with M (m), or with = for a match and X for a mismatch", 0, 0},
    {OPTION_CHOICE, "ends", 0, AT(ends), "free|count|query",
     "end gaps cost nothing and are no columns (free), or count; query: the target's "
     "alone are free",
     0, 0},
    {OPTION_CHOICE, "iddef", 0, AT(iddef), "0|1|2|3|4|onegap|nogaps|eachgap",
     "what identity is, in vsearch's or mothur's words (2; with counted ends 1)", 0, 0},
    {OPTION_FRACTION, "min-overlap", 0, AT(min_overlap), "PART",
     "free ends: fewer columns than this part of the shorter sequence: missing (0.5)", 0,
     0},
    {OPTION_INT, "match", 0, AT(match), "N", "score of a match (4)", -SCORE_MAX,
     SCORE_MAX},
    {OPTION_INT, "mismatch", 0, AT(mismatch), "N", "score of a mismatch (-5)", -SCORE_MAX,
     SCORE_MAX},
    {OPTION_INT, "gap", 0, AT(gap), "N", "score of a gap letter (-7)", -SCORE_MAX, -1},
    {OPTION_TEXT, "matrix", 0, AT(matrix), "FILE",
     "scores by letter, NCBI format, instead of match and mismatch", 0, 0},
    {OPTION_CHOICE, "ambiguity", 0, AT(ambiguity), "n-mismatch|match|mismatch",
     "IUPAC codes match where their sets meet, but N never (n-mismatch); N too; never", 0,
     0},
    {OPTION_FLAG, "skip-bad", 0, AT(skip_bad), NULL, "drop records that cannot be used",
     0, 0},
    {OPTION_FLAG, "degap", 0, AT(degap), NULL, "take '.' and '-' out of aligned FASTA", 0,
     0},
    {OPTION_FLAG, "derep", 0, AT(prepare.derep), NULL,
     "join records of equal letters; the file tells which became which", 0, 0},
    {OPTION_FLAG, "sizein", 0, AT(prepare.sizein), NULL,
     "take how often a record was seen from ';size=N' in its name", 0, 0},
    {OPTION_TEXT, "count-table", 0, AT(prepare.count_table), "FILE",
     "take it, and samples, from a count_table of mothur", 0, 0},
    {OPTION_TEXT, "samples", 0, AT(prepare.samples), "FILE",
     "take them from lines of name, sample and, unless 1, count, tabs between", 0, 0},
    {OPTION_INT, "min-length", 0, AT(prepare.filter.min_length), "N",
     "drop records of fewer letters", 1, INT32_MAX},
    {OPTION_INT, "max-length", 0, AT(prepare.filter.max_length), "N",
     "drop records of more letters", 1, INT32_MAX},
    {OPTION_INT, "max-ambig", 0, AT(prepare.filter.max_ambig), "N",
     "drop records with more letters other than A, C, G, T", 0, INT32_MAX},
    {OPTION_FLAG, "orient", 0, AT(prepare.orient), NULL,
     "turn 16S genes that look reverse-complemented; without it they are only named", 0,
     0},
    {OPTION_TEXT, "device", 0, AT(device), "auto|cpu|cuda[:I]",
     "what computes (auto: a GPU if there is one)", 0, 0},
    {OPTION_TEXT, "kernel", 0, AT(kernel), "auto|NAME",
     "how; `ribogrid devices` lists the names", 0, 0},
    {OPTION_CHOICE, "band", 0, AT(band), "auto|off",
     "leave out cells that are proved not to matter (auto); the results are the same", 0,
     0},
    {OPTION_INT, "threads", 0, AT(threads), "N",
     "threads of this rank (all processors, shared by a node's ranks)", 1, 4096},
    {OPTION_SIZE, "memory", 0, AT(memory), "SIZE",
     "host memory for this rank's batches (a 16th of the host's, shared by its ranks)", 0,
     0},
    {OPTION_SIZE, "device-memory", 0, AT(device_memory), "SIZE",
     "a GPU's memory for batches, besides the sequences (75 % of what is free)", 0, 0},
    {OPTION_SIZE, "max-output", 0, AT(max_output), "SIZE",
     "refuse results, or stop at hits, that are larger before compression (256G)", 0, 0},
    {OPTION_FLAG, "force", 0, AT(force), NULL, "replace what is there; start anew", 0, 0},
    {OPTION_FLAG, "resume", 0, AT(resume), NULL, "go on where a stopped run ended", 0, 0},
    {OPTION_FLAG, "quiet", 'q', AT(quiet), NULL, "say nothing but errors", 0, 0},
    {OPTION_FLAG, "verbose", 'v', AT(verbose), NULL, "say more", 0, 0},
    {OPTION_END, NULL, 0, 0, NULL, NULL, 0, 0}};

/* The scores, with the defaults of what was not given. */
static status_t check_scores(args_t *a)
{
    bool given = a->match != NOT_GIVEN || a->mismatch != NOT_GIVEN || a->ambiguity >= 0;

    if (a->matrix != NULL && given)
        return options_misuse(&cmd_align, "--matrix says what --match, --mismatch and "
                                          "--ambiguity would; give one or the other");
    a->match = a->match != NOT_GIVEN ? a->match : 4;
    a->mismatch = a->mismatch != NOT_GIVEN ? a->mismatch : -5;
    a->ambiguity = a->ambiguity >= 0 ? a->ambiguity : AMBIGUITY_N_MISMATCH;
    if (a->match <= a->mismatch)
        return options_misuse(&cmd_align, "--match must be more than --mismatch");
    if (a->min_overlap.denominator != 0 &&
        (a->ends != ENDS_FREE || a->emit == EMIT_SCORE))
        return options_misuse(&cmd_align,
                              "--min-overlap concerns identities with free ends");
    if (a->cigar_style >= 0 && a->emit != EMIT_CIGAR)
        return options_misuse(&cmd_align, "--cigar-style goes with --emit cigar");
    if (a->min_overlap.denominator == 0)
        a->min_overlap = (fraction_t){1, 2};
    return ST_OK;
}

/* Hits are told by their identity. */
static status_t check_hits(args_t *a)
{
    bool is_sparse = a->against != NULL || a->id.denominator != 0;

    if (is_sparse && a->emit == EMIT_SCORE)
        return options_misuse(&cmd_align,
                              "%s needs identities; give --emit identity or "
                              "cigar",
                              a->against != NULL ? "--against" : "--id");
    if (a->against == NULL && (a->top != NOT_GIVEN || a->strand >= 0))
        return options_misuse(&cmd_align, "--top and --strand go with --against");
    if (a->iddef >= 0 && a->emit == EMIT_SCORE)
        return options_misuse(&cmd_align,
                              "--iddef needs identities; give --emit identity "
                              "or cigar");
    if (a->ends == ENDS_QUERY && a->against == NULL)
        return options_misuse(&cmd_align,
                              "--ends query goes with --against: of all pairs "
                              "none has a query");
    if (a->ends == ENDS_QUERY && a->iddef >= 0)
        return options_misuse(&cmd_align,
                              "--iddef goes with --ends free or count; with query the "
                              "identity is matches / columns");
    a->top = a->top != NOT_GIVEN ? a->top : 0;
    a->strand = a->strand >= 0 ? a->strand : 0;
    return ST_OK;
}

/* Too little memory is most likely a forgotten unit. */
static status_t check_memory(const args_t *a)
{
    if (a->memory != NOT_GIVEN && a->memory < MEMORY_MIN)
        return options_misuse(&cmd_align, "--memory: give 1M or more");
    if (a->device_memory == NOT_GIVEN)
        return ST_OK;
    if (a->device_memory < DEVICE_MEMORY_MIN)
        return options_misuse(&cmd_align, "--device-memory: give 64M or more");
    if (strcmp(a->device, "cpu") == 0)
        return options_misuse(&cmd_align,
                              "--device-memory is a GPU's, and --device is cpu");
    return ST_OK;
}

/* A named kernel says which kind of device is meant, unless both have one of the name. */
static status_t check_kernel(args_t *a)
{
    const aligner_backend_t *const *b = aligner_backends();
    bool on_cpu = false, on_gpu = false;

    if (strcmp(a->device, "auto") != 0 && strcmp(a->device, "cpu") != 0 &&
        strcmp(a->device, "cuda") != 0 && strncmp(a->device, "cuda:", 5) != 0)
        return options_misuse(&cmd_align, "--device %s: give auto, cpu, cuda or cuda:I",
                              a->device);
    if (strcmp(a->kernel, "auto") == 0)
        return ST_OK;
    for (; *b != NULL; b++)
        if (strcmp((*b)->name, a->kernel) == 0) {
            on_cpu = on_cpu || (*b)->kind == DEVICE_CPU;
            on_gpu = on_gpu || (*b)->kind == DEVICE_CUDA;
        }
    if (!on_cpu && !on_gpu)
        return options_misuse(&cmd_align, "--kernel %s: this build has no such kernel",
                              a->kernel);
    if (strcmp(a->device, "auto") == 0) {
        if (on_cpu != on_gpu)
            a->device = on_cpu ? "cpu" : "cuda";
        return ST_OK;
    }
    if (strcmp(a->device, "cpu") == 0 ? !on_cpu : !on_gpu)
        return options_misuse(&cmd_align, "--kernel %s does not run on --device %s",
                              a->kernel, a->device);
    return ST_OK;
}

static status_t parse(int argc, char **argv, args_t *a, const char **input)
{
    status_t st = options_parse(&cmd_align, argc, argv, a, input);
    const char *misuse;

    if (st != ST_OK)
        return st;
    log_set_level(a->quiet ? LOG_QUIET : a->verbose ? LOG_VERBOSE : LOG_NORMAL);
    if (a->output == NULL)
        return options_misuse(&cmd_align, "give -o PAIRS.h5");
    if (strcmp(a->output, "-") == 0)
        return options_misuse(&cmd_align, "HDF5 cannot go to stdout; give -o a file");
    if (a->force && a->resume)
        return options_misuse(&cmd_align, "give --force or --resume, not both");
    if ((misuse = prepare_misuse(&a->prepare)) != NULL)
        return options_misuse(&cmd_align, "%s", misuse);
    if ((st = check_scores(a)) != ST_OK)
        return st;
    if ((st = check_hits(a)) != ST_OK || (st = check_kernel(a)) != ST_OK)
        return st;
    if (a->against != NULL && strcmp(a->against, "-") == 0 && strcmp(*input, "-") == 0)
        return options_misuse(&cmd_align, "stdin cannot be both queries and references");
    return check_memory(a);
}

/* The command line as it was, for the result file. */
static char *join(int argc, char **argv)
{
    buf_t text = {0};
    status_t st = buf_printf(&text, "ribogrid align");

    for (int i = 0; st == ST_OK && i < argc; i++)
        st = buf_printf(&text, " %s", argv[i]);
    if (st == ST_OK)
        st = buf_append(&text, "", 1);
    if (st != ST_OK)
        buf_free(&text);
    return (char *)text.data;
}

static align_opts_t align_opts(const args_t *a, const char *input,
                               const char *command_line)
{
    return (align_opts_t){
        .input = input,
        .against = a->against,
        .output = a->output,
        .kernel = a->kernel,
        .matrix = a->matrix,
        .fasta = {.skip_bad = a->skip_bad, .degap = a->degap},
        .prepare = a->prepare,
        .emit = (align_emit_t)a->emit,
        .cigar_style =
            a->cigar_style >= 0 ? (cigar_style_t)a->cigar_style : CIGAR_STYLE_M,
        .ends = (align_ends_t)a->ends,
        .min_overlap = a->min_overlap,
        .ambiguity = (align_ambiguity_t)a->ambiguity,
        .match = (int32_t)a->match,
        .mismatch = (int32_t)a->mismatch,
        .gap = (int32_t)a->gap,
        .has_iddef = a->iddef >= 0,
        .iddef = a->iddef >= 0 ? (identity_def_t)a->iddef : IDENTITY_CDHIT,
        .min_identity = a->id,
        .top = a->top,
        .both_strands = a->strand == 1,
        .band = a->band == 0,
        .max_output_bytes = a->max_output,
        .device_bytes = a->device_memory != NOT_GIVEN ? a->device_memory : 0,
        .force = a->force,
        .resume = a->resume,
        .command_line = command_line,
        .version = VERSION_TEXT " (" VERSION_COMMIT ")",
    };
}

static status_t run_on(transport_t *t, const args_t *a, align_opts_t *o)
{
    binding_t binding;
    void *job;
    status_t st = bind_choose(&t->exchange, a->device, (int)a->threads, &binding);

    if (st != ST_OK)
        return st;
    o->batch_bytes =
        a->memory != NOT_GIVEN ? a->memory : binding.memory_bytes / MEMORY_PART;
    if ((st = exchange_agree(&t->exchange, job_align_create(o, &job))) != ST_OK)
        return st;
    return run_job(&job_align_ops, job, t, &binding);
}

static int run(int argc, char **argv)
{
    args_t a = {.prepare = prepare_defaults(),
                .device = "auto",
                .kernel = "auto",
                .emit = EMIT_IDENTITY,
                .cigar_style = -1,
                .ambiguity = -1,
                .strand = -1,
                .iddef = -1,
                .top = NOT_GIVEN,
                .match = NOT_GIVEN,
                .mismatch = NOT_GIVEN,
                .gap = -7,
                .memory = NOT_GIVEN,
                .device_memory = NOT_GIVEN,
                .max_output = INT64_C(256) << 30};
    const char *input[OPTIONS_WORDS_MAX] = {NULL};
    transport_t *t = NULL;
    char *command_line;
    align_opts_t o;
    status_t st;

    if ((st = parse(argc, argv, &a, input)) != ST_OK ||
        (st = transport_create(&t)) != ST_OK)
        return status_exit_code(st);
    if (t->exchange.n_ranks > 1)
        log_set_rank(t->exchange.rank);
    command_line = join(argc, argv);
    o = align_opts(&a, input[0], command_line != NULL ? command_line : "");
    st = run_on(t, &a, &o);
    t->destroy(t);
    free(command_line);
    return status_exit_code(st);
}

const command_t cmd_align = {
    .name = "align",
    .summary =
        "align every pair of a FASTA file, or queries and references, exactly, into "
        "one HDF5 file",
    .usage = "READS.fa[.gz]|- -o PAIRS.h5 [options]",
    .options = options,
    .notes =
        "--id and --against write hits: the pairs that are wanted, as a sparse matrix.\n"
        "Exit codes: 0 done, 1 failed, 2 wrong usage, 75 stopped, --resume goes on.\n"
        "SIGTERM, SIGINT and SIGUSR1 stop a run; what is finished stays in "
        "PAIRS.h5.part.\n"
        "Under mpirun or srun --mpi=pmix, start one rank a GPU or a node.\n",
    .example =
        "ribogrid align reads.fa.gz -o pairs.h5 && ribogrid view pairs.h5 --id 0.97",
    .n_words_min = 1,
    .n_words_max = 1,
    .run = run,
};
