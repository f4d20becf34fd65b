/*
 * option_tables.h - the options that several commands have, as tables for their tables.
 */
#pragma once

#include "kernels/device/device.h"
#include "tools/options/options.h"

/* ---- of a job_opts_t, with which the structure of every command begins ---- */

/* The group Device, with --device, --kernel, --threads: commands that compute on one. */
extern const option_t option_device[];

/* The same of jobs that also take remote devices (job_command_t). */
extern const option_t option_any_device[];

/* --threads: those that compute on processors only. */
extern const option_t option_threads[];

/* --force: those that write files. */
extern const option_t option_force[];

/* The group Run, with --force, --resume, --plan: jobs. */
extern const option_t option_run[];

/* These and --task-timeout: jobs whose tasks do not depend on each other. */
extern const option_t option_run_free[];

/* These and --log-shards: those of which rank 0 does not need all results before the end.
 */
extern const option_t option_run_tasks[];

/* Both groups, of such jobs. */
extern const option_t option_job_tasks[];

/* ---- of other structures ---- */

/* --max-input, of none: commands that read files other than HDF5. */
extern const option_t option_input[];

/* READS, into an array of SEQ_INPUTS_MAX + 1; the job_command_t has JOB_READS. */
#define OPTION_READS(args_t, files)                                      \
    {                                                                    \
        OPTION_INPUT, "READS.fa[.gz]|-...", 0, OPTION_AT(args_t, files), \
            .max = SEQ_INPUTS_MAX, .is_optional = true                   \
    }

/* --manifest, of a seq_inputs_t: commands that read sequences of samples. */
extern const option_t option_manifest[];

/* --sizein, --samplein, of an abundance_labels_t. */
extern const option_t option_labels[];

/* --seed, of an int64_t: commands that use random numbers. */
extern const option_t option_seed[];

/* --skip-bad, --degap, --full-names, of a fasta_opts_t. */
extern const option_t option_fasta[];

/* --derep, --count-table, --samples, of a prepare_opts_t. */
extern const option_t option_abundance[];

/* Reads with abundances and samples, of an amplicon_inputs_t, without their files. */
extern const option_t option_amplicons[];

/* --skip-bad-references, --degap-references, of the fasta_opts_t of references. */
extern const option_t option_references[];

/* --primers and what goes with it, of a primer_trim_t. */
extern const option_t option_primers[];

/* --match, --mismatch, --gap-open and others, but --gap and --ends, of an align_opts_t.
 */
extern const option_t option_scores[];

/* --labels, --taxonomy, --allow-missing, of an image_read_t. */
extern const option_t option_images[];

/* How GRAPH is read, but its weights, of a graph_opts_t. */
extern const option_t option_graph_input[];

/* --type, of a cnn_plan_types_t. */
extern const option_t option_number[];

/* --device-memory, --swap, of a device_limit_t; of training --rematerialize, too. */
extern const option_t option_limit[];
extern const option_t option_training_limit[];

/* ---- functions `files` of rows ---- */

/* A job's output, and its log beside it. */
status_t option_job_files(const void *args, const char *output, option_files_t *to);

/* A graph, or how to make one: of clone:FILE the file. */
status_t option_graph_files(const void *args, const char *graph, option_files_t *to);

/* Images, and the labels that are found by their name. */
status_t option_image_files(const void *args, const char *images, option_files_t *to);

/*
 * Find the device that --device names, for commands that compute on one.
 *
 * @param command  whose --device it is
 * @param text     "auto" (the first GPU, else the CPU), "cpu", "cuda" or "cuda:I"
 * @return ST_OK, ST_EUSAGE or ST_EDEVICE (there is no such GPU)
 */
status_t one_device_find(const command_t *command, const char *text,
                         device_t *out) MUST_CHECK;
