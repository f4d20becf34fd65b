/*
 * option_files.h - the files that a command line names, of which no output may be
 * another file.
 *
 * A file is known by its device and inode, or, before it exists, by its folder's and its
 * name: other paths, symbolic links and hard links to a file count as that file.  Pipes
 * and devices may be named several times, and so may what stdout is, as an output.
 */
#pragma once

#include "tools/options/options.h"

/* Add a file to those that a value names: for the function `files` of a row.
 * @return ST_OK, ST_ENOMEM or ST_EUSAGE (logged) */
status_t option_files_add(option_files_t *to, const char *path) MUST_CHECK;

/* Add PATH with something appended. @return as option_files_add */
status_t option_files_add_beside(option_files_t *to, const char *path,
                                 const char *suffix) MUST_CHECK;

/*
 * Refuse a command line that names a file as an output and as another output or an input,
 * or stdin for two inputs; then check that the outputs can be written.
 *
 * Outputs of jobs, and those of rows with a function `files`, are only compared: other
 * checks of them come later.
 *
 * @param options  the command's rows, as options_list lists them
 * @param args     parsed
 * @return ST_OK, ST_ENOMEM, ST_EUSAGE, ST_EINPUT or ST_EIO (logged)
 */
status_t option_files_check(const command_t *command, const option_t *options,
                            const job_opts_t *args) MUST_CHECK;
