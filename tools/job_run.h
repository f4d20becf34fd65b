/*
 * job_run.h - what commands that run a job on all ranks share.
 */
#ifndef RIBOGRID_TOOLS_JOB_RUN_H
#define RIBOGRID_TOOLS_JOB_RUN_H

#include "io/base/child_reader.h"
#include "tools/options.h"

#include <stdbool.h>

/*
 * Fork the child that reads an existing output, on rank 0 with --resume; it has to be
 * forked before MPI begins.
 *
 * @param read    of job_output_t's reader; gets the output's path
 * @param output  borrowed until the reader is destroyed
 * @param out     NULL where there is no child
 * @return ST_OK, ST_ENOMEM or ST_EIO
 */
status_t job_run_start_reader(bool resume, const char *output, child_reader_fn_t read,
                              child_reader_t **out) MUST_CHECK;

/* @return the command line, as the result file has it, or NULL without memory; the
 *         caller frees it */
char *job_run_command_line(const command_t *command, int argc, char **argv);

#endif
