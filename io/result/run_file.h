/*
 * run_file.h - writes and reads /run.
 */
#ifndef RIBOGRID_IO_RESULT_RUN_FILE_H
#define RIBOGRID_IO_RESULT_RUN_FILE_H

#include "io/result/result_table.h"
#include "io/result/run_info.h"

/* Members of run_info_t but for its stages, which are attributes "seconds_NAME". */
extern const result_field_t run_info_fields[];

/* @return whether it succeeded */
bool run_info_write(hid_t file, const run_info_t *run);

/* Read /run; names of earlier versions are known, too.
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (logged) */
status_t run_info_read(result_reader_t *r, run_info_t *out) MUST_CHECK;

/* Print /run of an open file, as run_info_print does. */
status_t run_info_print_open(hid_t file, FILE *to) MUST_CHECK;

#endif
