/*
 * cmd_classify.c - `ribogrid classify`: names reads by a model; `ribogrid classify
 * train`: makes a model of references and their lineages.
 */
#include "kernels/classify/nbc_spec.h"
#include "tools/options/commands.h"
#include "tools/options/job_run.h"
#include "tools/options/option_tables.h"
#include "worker/classify/class_opts.h"

typedef struct {
    class_opts_t job;
    const char *files[SEQ_INPUTS_MAX + 1]; /* up to a NULL */
} args_t;

#define JOB(member) OPTION_AT(args_t, job.member)

static const option_t words[] = {OPTION_READS(args_t, files), {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Input"},
    {.kind = OPTION_TABLE, JOB(inputs), .table = option_manifest},
    {OPTION_INPUT, "model", 0, JOB(model), "MODEL.h5",
     "what `classify train` made, or `cnn train` of sequences and their lineages"},
    {.kind = OPTION_TABLE, JOB(fasta), .table = option_fasta},
    {.kind = OPTION_TABLE, JOB(labels), .table = option_labels},
    {.kind = OPTION_TABLE, JOB(primers), .table = option_primers},
    {.kind = OPTION_TABLE, .table = option_input},

    {.kind = OPTION_GROUP, .name = "What to compute"},
    {.word = WORD_METHOD,
     JOB(method),
     .value = "auto|nbc|align|joint|cnn",
     .help = ": support is the fraction of resamples that find a taxon (nbc), or the "
             "probability "
             "that it is right, as training has learned it from words (joint; auto: if "
             "it has) "
             "or from exact best hits (align), or as the network computes it that "
             "MODEL.h5 is "
             "(cnn)"},
    {.word = WORD_PRIOR, JOB(prior), .value = "equal|references", .help = " ({})"},
    {.word = WORD_NOVELTY_RATE, JOB(novelty_rate)},
    {OPTION_FRACTION, "min-support", 0, JOB(min_support), "FRACTION",
     "instead: name what has at least this support (0.8 if nothing was learned)"},
    {.word = WORD_STRAND, JOB(strands), .help = " ({})"},
    {.word = WORD_RESAMPLES,
     JOB(n_resamples),
     .help = ", which the support is counted in ({})"},
    {.kind = OPTION_TABLE, JOB(seed), .table = option_seed},

    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_OUTPUT,
     JOB(common.output),
     .files = option_job_files,
     .help = ": the names; -: stdout"},
    {.word = WORD_FORMAT,
     JOB(format),
     .value = "tsv|mothur|qiime2|sintax|hdf5",
     .help = " (hdf5 if FILE ends with .h5, else tsv)"},

    {.kind = OPTION_TABLE, .table = option_any_device},
    {.kind = OPTION_TABLE, .table = option_run_tasks},
    {.kind = OPTION_END}};

static const option_t train_words[] = {{OPTION_INPUT, "REF.fa[.gz]|-", 0,
                                        OPTION_AT(args_t, files)},
                                       {.kind = OPTION_END}};

static const option_t train_options[] = {
    {.kind = OPTION_GROUP, .name = "Input"},
    {.word = WORD_TAXONOMY,
     JOB(taxonomy),
     .help = " of the references: a table, or FASTA with lineages in its headers (REF "
             "itself)"},
    {.word = WORD_ALLOW_MISSING,
     JOB(allow_missing),
     .help = ": leave out such references"},

    {.kind = OPTION_TABLE, JOB(fasta), .table = option_fasta},
    {.kind = OPTION_TABLE, JOB(primers), .table = option_primers},
    {.kind = OPTION_TABLE, .table = option_input},

    {.kind = OPTION_GROUP, .name = "What to learn"},
    {.word = WORD_HELD_OUT, JOB(n_samples), .help = " ({}; 0: learn nothing)"},
    {OPTION_FLAG, "align", 0, JOB(learns_align), NULL,
     "also align them, for `classify --method align`; takes much longer"},
    {.word = WORD_RESAMPLES, JOB(n_resamples), .help = " ({})"},
    {.kind = OPTION_TABLE, JOB(seed), .table = option_seed},

    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_OUTPUT,
     JOB(common.output),
     .value = "MODEL.h5",
     .files = option_job_files,
     .help = ": the model"},

    {.kind = OPTION_GROUP, .name = "Device"},
    {.kind = OPTION_TABLE, .table = option_threads},

    {.kind = OPTION_TABLE, .table = option_run_tasks},
    {.kind = OPTION_END}};

static void defaults(void *args)
{
    ((args_t *)args)->job = class_opts_defaults(false);
}

static void train_defaults(void *args)
{
    ((args_t *)args)->job = class_opts_defaults(true);
}

static const option_rename_t renamed[] = {{"strand", "forward", "plus"}, {NULL}};

static const option_rename_t train_renamed[] = {{"region", NULL, "primers"},
                                                {"samples", NULL, "held-out"},
                                                {NULL}};

static const job_command_t job = {.ops = &job_classify_ops,
                                  .takes_remote = true,
                                  JOB_READS(args_t, files, job.inputs)};

static const job_command_t train_job = {.ops = &job_classify_ops,
                                        JOB_READS(args_t, files, job.inputs)};

const command_t cmd_classify = {
    .name = "classify",
    .summary = "name reads from the domain down to the genus, as far as it is supported",
    .words = words,
    .usage = "--model MODEL.h5 -o FILE [options]",
    .options = options,
    .renamed = renamed,
    .args_bytes = sizeof(args_t),
    .notes =
        "Sequences are FASTA or FASTQ, plain or compressed; `ribogrid --version` lists "
        "formats.\n"
        "Each of several files of READS is a sample, named as the file without its\n"
        "extension. Results in HDF5 keep samples and abundances, which `report` draws.\n"
        "`ribogrid classify train --help`: how to make a model.\n"
        "Columns of tsv: name, strand (+ or -), lineage and support (rank by rank,\n"
        "separated by ';', as far as the support suffices; else unclassified and NA),\n"
        "method. `ribogrid view` prints a result in HDF5 in the same way.\n" JOB_NOTES(
            "FILE.part") "With mpirun or srun --mpi=pmix, start one rank per GPU or per "
                         "node.\n",
    .example = "ribogrid classify train refs.fa --taxonomy refs.tax -o model.h5 && "
               "ribogrid classify reads.fa --model model.h5 -o names.tsv",
    .defaults = defaults,
    .job = &job,
};

const command_t cmd_classify_train = {
    .name = "classify train",
    .summary = "make a model of references and their lineages",
    .words = train_words,
    .usage = "[--taxonomy FILE] -o MODEL.h5 [options]",
    .options = train_options,
    .renamed = train_renamed,
    .args_bytes = sizeof(args_t),
    .notes =
        "A lineage may have any number of ranks; lineages may differ in it. Names in\n"
        "FILE without a reference do no harm.\n"
        "Exit codes: 0 done, 1 failed, 2 invalid command line, 75 stopped (continue "
        "with --resume).\n",
    .example = "ribogrid classify train refs.fa.gz --taxonomy refs.tax.tsv.gz "
               "-o model.h5 && ribogrid info model.h5",
    .defaults = train_defaults,
    .job = &train_job,
};
