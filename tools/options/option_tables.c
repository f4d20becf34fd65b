/*
 * option_tables.c - the rows, and the device that --device names.
 */
#include "tools/options/option_tables.h"

#include "cnn/memory/device_limit.h"
#include "dispatcher/transport/transport.h"
#include "io/base/logmsg.h"
#include "io/images/image_read.h"
#include "io/pairs/pairs_format.h"
#include "io/prepare/abundance.h"
#include "io/seq/seq_files.h"
#include "io/store/reslog.h"
#include "tools/options/option_files.h"
#include "worker/align/align_opts.h"
#include "worker/amplicon/amplicon_reads.h"
#include "worker/graph/graph_opts.h"
#include "worker/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SCORE_MAX = PAIRS_JOB_SCORE_MAX }; /* in halves */

#define COMMON(member) OPTION_AT(job_opts_t, member)
#define SCORE(member)  OPTION_AT(align_opts_t, member)
#define GRAPH(member)  OPTION_AT(graph_opts_t, member)

const option_t option_threads[] = {
    {.word = WORD_THREADS,
     COMMON(n_threads),
     .help = " (default: all processors, shared by the ranks of a node)"},
    {.kind = OPTION_END}};

const option_t option_device[] = {{.kind = OPTION_GROUP, .name = "Device"},
                                  {.word = WORD_DEVICE, COMMON(device)},
                                  {.word = WORD_KERNEL, COMMON(kernel)},
                                  {.kind = OPTION_TABLE, .table = option_threads},
                                  {.kind = OPTION_END}};

/* Of jobs that take remote devices (job_command_t). */
const option_t option_any_device[] = {
    {.kind = OPTION_GROUP, .name = "Device"},
    {.word = WORD_DEVICE,
     COMMON(device),
     .value = "auto|cpu|cuda[:I][,...]|any",
     .help =
         "; any number of devices that servers lend may follow, or stand alone: "
         "ssh://HOST/0, unix:PATH/0, tls://HOST:PORT/0 (RIBOGRID_DEVICE); any: the one "
         "of RIBOGRID_SERVERS, such a list, that would be done first"},
    {.word = WORD_KERNEL, COMMON(kernel)},
    {.kind = OPTION_TABLE, .table = option_threads},
    {.kind = OPTION_END}};

const option_t option_force[] = {{OPTION_FLAG, "force", 0, COMMON(force), NULL,
                                  "replace existing files, also an unfinished run"},
                                 {.kind = OPTION_END}};

const option_t option_run[] = {{.kind = OPTION_GROUP, .name = "Run"},
                               {.kind = OPTION_TABLE, .table = option_force},
                               {OPTION_FLAG, "resume", 0, COMMON(resume), NULL,
                                "continue an unfinished run"},
                               {OPTION_FLAG, "plan", 0, COMMON(is_plan), NULL,
                                "print what a run computes, with which kernels and in "
                                "about what time, measured on a sample of its tasks, and "
                                "refuse what it refuses; keep no result; needs no -o"},
                               {.kind = OPTION_END}};

const option_t option_run_free[] = {
    {.kind = OPTION_TABLE, .table = option_run},
    {OPTION_INT, "task-timeout", 0, COMMON(task_timeout_s), "SECONDS",
     "give up the device of a rank that is silent for longer: other ranks compute its "
     "tasks, and it continues with its CPU (default: wait)",
     1, INT32_MAX},
    {.kind = OPTION_END}};

const option_t option_run_tasks[] = {
    {.kind = OPTION_TABLE, .table = option_run_free},
    {.word = WORD_LOG_SHARDS,
     COMMON(log_shards),
     .help = ", in files beside the output, which all nodes have to see"},
    {.kind = OPTION_END}};

const option_t option_job_tasks[] = {{.kind = OPTION_TABLE, .table = option_device},
                                     {.kind = OPTION_TABLE, .table = option_run_tasks},
                                     {.kind = OPTION_END}};

const option_t option_input[] = {
    {OPTION_MAX_INPUT, "max-input", 0, .at = 0, "SIZE",
     "refuse every input file that holds more than this, unpacked (no limit; HDF5 does "
     "not count)"},
    {.kind = OPTION_END}};

/* Add a manifest and the files in it, unless it is a pipe, which is read once.  One rank
 * reads it, so that one says what is wrong. */
static status_t option_manifest_files(const void *args, const char *manifest,
                                      option_files_t *to)
{
    seq_files_t files = {.n = 0};
    struct stat info;
    status_t st = option_files_add(to, manifest);

    (void)args;
    if (st == ST_OK && transport_launcher_rank() <= 0 && stat(manifest, &info) == 0 &&
        S_ISREG(info.st_mode))
        st = seq_files_list(&(seq_inputs_t){.manifest = manifest}, &files);
    for (int64_t i = 0; st == ST_OK && i < files.n; i++)
        st = option_files_add(to, files.paths[i]);
    seq_files_free(&files);
    return st;
}

const option_t option_manifest[] = {
    {OPTION_INPUT, "manifest", 0, OPTION_AT(seq_inputs_t, manifest), "FILE",
     "instead of READS: a table of samples and their files: sample TAB file",
     .files = option_manifest_files},
    {.kind = OPTION_END}};

static const option_t option_samplein[] = {
    {OPTION_FLAG, "samplein", 0, OPTION_AT(abundance_labels_t, samples), NULL,
     "read samples from ';sample=NAME' in the names, which is cut out"},
    {.kind = OPTION_END}};

const option_t option_labels[] = {
    {OPTION_FLAG, "sizein", 0, OPTION_AT(abundance_labels_t, sizes), NULL,
     "read abundances from ';size=N' in the names, which is cut out"},
    {.kind = OPTION_TABLE, .at = 0, .table = option_samplein},
    {.kind = OPTION_END}};

const option_t option_seed[] = {{OPTION_INT, "seed", 0, .at = 0, "N",
                                 "seed of all random numbers ({})", 0, INT64_MAX},
                                {.kind = OPTION_END}};

const option_t option_fasta[] = {
    {.word = WORD_SKIP_BAD, OPTION_AT(fasta_opts_t, skip_bad)},
    {OPTION_FLAG, "degap", 0, OPTION_AT(fasta_opts_t, degap), NULL,
     "remove '.' and '-' from the sequences, if they are aligned"},
    {OPTION_FLAG, "full-names", 0, OPTION_AT(fasta_opts_t, full_names), NULL,
     "names are whole headers, in all inputs; else they end at the first blank"},
    {.kind = OPTION_END}};

const option_t option_abundance[] = {
    {OPTION_FLAG, "derep", 0, OPTION_AT(prepare_opts_t, derep), NULL,
     "dereplicate: merge identical sequences, and add up their abundances"},
    {.word = WORD_COUNT_TABLE, OPTION_AT(prepare_opts_t, count_table)},
    {.word = WORD_SAMPLES, OPTION_AT(prepare_opts_t, samples)},
    {.kind = OPTION_END}};

const option_t option_amplicons[] = {{.kind = OPTION_TABLE,
                                      OPTION_AT(amplicon_inputs_t, inputs),
                                      .table = option_manifest},
                                     {.kind = OPTION_TABLE,
                                      OPTION_AT(amplicon_inputs_t, fasta),
                                      .table = option_fasta},
                                     {.kind = OPTION_TABLE,
                                      OPTION_AT(amplicon_inputs_t, prepare),
                                      .table = option_abundance},
                                     {.kind = OPTION_TABLE,
                                      OPTION_AT(amplicon_inputs_t, prepare.labels),
                                      .table = option_samplein},
                                     {.kind = OPTION_END}};

const option_t option_references[] = {{OPTION_FLAG, "skip-bad-references", 0,
                                       OPTION_AT(fasta_opts_t, skip_bad), NULL,
                                       "with --against: skip invalid records of REF"},
                                      {OPTION_FLAG, "degap-references", 0,
                                       OPTION_AT(fasta_opts_t, degap), NULL,
                                       "with --against: remove '.' and '-' from REF"},
                                      {.kind = OPTION_END}};

const option_t option_primers[] = {
    {OPTION_TEXT, "primers", 0, OPTION_AT(primer_trim_t, text), "FORWARD/REVERSE",
     "keep the part between these primers, such as 515F/806R or their sequences, on "
     "either strand"},
    {OPTION_INT, "primer-mismatches", 0, OPTION_AT(primer_trim_t, max_mismatches), "N",
     "with --primers: mismatches allowed in each (2)", 0, PRIMER_TRIM_MISMATCHES_MAX},
    {OPTION_CHOICE, "missing-primers", 0, OPTION_AT(primer_trim_t, missing), "drop|stop",
     "with --primers: drop records without both (default), or stop"},
    {.kind = OPTION_END}};

const option_t option_scores[] = {
    {OPTION_HALVES, "match", 0, SCORE(match), "N", "score of a match ({})", -SCORE_MAX,
     SCORE_MAX},
    {OPTION_HALVES, "mismatch", 0, SCORE(mismatch), "N", "score of a mismatch ({})",
     -SCORE_MAX, SCORE_MAX},
    {.word = WORD_GAP_OPEN, SCORE(gap_open), .help = ", instead of --gap"},
    {.word = WORD_GAP_EXTEND, SCORE(gap_extend), .help = ", with --gap-open"},
    {OPTION_HALVES, "end-gap-open", 0, SCORE(end_gap_open), "COST",
     "instead of --ends: cost of the first base in an end gap", 0, SCORE_MAX},
    {OPTION_HALVES, "end-gap-extend", 0, SCORE(end_gap_extend), "COST",
     "with it: cost of each further base in an end gap", 0, SCORE_MAX},
    {OPTION_CHOICE, "mode", 0, SCORE(mode), "global|local",
     "align whole sequences ({}, the default), or the parts of both that score "
     "best"},
    {OPTION_CHOICE, "ambiguity", 0, SCORE(ambiguity),
     "n-mismatch|match|mismatch|same|neutral",
     "codes match if they share a base, except N ({}, the default); also N "
     "(match); never; if they are the same code; as match, but score 0 (neutral)"},
    {.word = WORD_MATRIX,
     SCORE(matrix),
     .help = ", instead of --match and --mismatch; NUC.4.4, BLASTN.2.3 and BLOSUM62 are "
             "built in"},
    {.kind = OPTION_END}};

const option_t option_graph_input[] = {
    {OPTION_CHOICE, "input-format", 0, GRAPH(read.format),
     "auto|edges|csv|tsv|mtx|gr|metis|newick|csr|pairs",
     "format of GRAPH (auto: by its content and name)"},
    {.word = WORD_ID,
     GRAPH(read.id),
     .help = " of the pairs of PAIRS.h5 that are edges (all pairs)"},
    {.word = WORD_DIRECTED,
     GRAPH(read.is_directed),
     .help = "; edge lists only, also in spite of a comment 'Undirected'"},
    {OPTION_FLAG, "names", 0, GRAPH(read.has_names), NULL,
     "edge lists: nodes have names, also where these look like numbers"},
    {OPTION_FLAG, "symmetrize", 0, GRAPH(symmetrize), NULL,
     "add the reverse of every edge of a directed graph"},
    {.word = WORD_DEDUPE, GRAPH(dedupe), .help = ": the one with the smallest weight"},
    {.word = WORD_DROP_LOOPS, GRAPH(drop_loops)},
    {.kind = OPTION_TABLE, .table = option_input},
    {.kind = OPTION_END}};

const option_t option_images[] = {
    {OPTION_INPUT, "labels", 0, OPTION_AT(image_read_t, labels), "FILE",
     "idx: labels of the images (found by the images' name)"},
    {.word = WORD_TAXONOMY,
     OPTION_AT(image_read_t, taxonomy),
     .help = " of images in FASTA: the lowest taxa are the classes"},
    {.word = WORD_ALLOW_MISSING,
     OPTION_AT(image_read_t, allow_missing),
     .help = ": training leaves them out, and no answer is right for them"},
    {.kind = OPTION_END}};

const option_t option_number[] = {
    {.word = WORD_TYPE,
     .at = 0,
     .help = ": 32 bits (fp32); on a GPU also 19 bits in products, or 16 bits"},
    {.kind = OPTION_END}};

const option_t option_limit[] = {
    {.word = WORD_DEVICE_MEMORY,
     .at = offsetof(device_limit_t, bytes),
     .help = ": what does not fit waits in the host's (what is free)"},
    {.word = WORD_SWAP, .at = offsetof(device_limit_t, policy), .help = " ({})"},
    {.kind = OPTION_END}};

const option_t option_training_limit[] = {{.kind = OPTION_TABLE, .table = option_limit},
                                          {.word = WORD_REMATERIALIZE,
                                           .at = offsetof(device_limit_t, rematerialize),
                                           .help = ", with --swap plan ({})"},
                                          {.kind = OPTION_END}};

status_t option_job_files(const void *args, const char *output, option_files_t *to)
{
    status_t st = option_files_add(to, output);

    (void)args;
    if (st == ST_OK)
        st = option_files_add_beside(to, output, JOB_LOG_SUFFIX);
    return st == ST_OK
               ? option_files_add_beside(to, output, JOB_LOG_SUFFIX RESLOG_COPY_SUFFIX)
               : st;
}

status_t option_image_files(const void *args, const char *images, option_files_t *to)
{
    char *labels = idx_images_find_labels(images);
    status_t st = option_files_add(to, images);

    (void)args;
    if (st == ST_OK && labels != NULL)
        st = option_files_add(to, labels);
    free(labels);
    return st;
}

status_t option_graph_files(const void *args, const char *graph, option_files_t *to)
{
    static const char clone[] = "clone:";
    const size_t len = sizeof(clone) - 1;

    (void)args;
    return option_files_add(to, strncmp(graph, clone, len) == 0 ? graph + len : graph);
}

status_t one_device_find(const command_t *command, const char *text, device_t *out)
{
    const bool is_auto = strcmp(text, "auto") == 0, must = strncmp(text, "cuda", 4) == 0;
    device_t gpus[DEVICES_MAX];
    int index = 0, n = 0;
    char after;

    if (!is_auto && strcmp(text, "cpu") != 0 && strcmp(text, "cuda") != 0 &&
        (sscanf(text, "cuda:%d%c", &index, &after) != 1 || index < 0))
        return options_misuse(command, "--device %s: give auto, cpu, cuda or cuda:I",
                              text);
    *out = device_cpu();
    if (must || is_auto)
        n = device_list_cuda(gpus);
    if (index < n)
        *out = gpus[index];
    if (index < n || !must)
        return ST_OK;
    log_error("--device %s: not found: %s", text,
              n > 0 ? "this machine has fewer GPUs" : device_cuda_absence());
    return ST_EDEVICE;
}
