/*
 * rg_file.h - what the result files of the library have in common: how they are read and
 * written, and how those that it writes were made.
 */
#pragma once

#include "io/result/run_info.h"
#include "library/rg_context.h"

/* Points into itself: not to be copied. */
typedef struct {
    run_info_t info;
    char devices[160], program[64], time[RUN_TIME_BYTES];
} rg_file_run_t;

/* Describe a file that is written now. */
void rg_file_run(const rg_context_t *context, rg_file_run_t *out);

/* Reads a file or writes one, by HDF5. @param what  as given to rg_file_read or
 * rg_file_write */
typedef status_t (*rg_file_read_t)(rg_context_t *context, const char *path, void *what);
typedef status_t (*rg_file_write_t)(rg_context_t *context, const void *what,
                                    const char *path);

/*
 * Read a file in a call of the library, if the context is guarded first in a child.
 *
 * @param what  for `read`; NULL: an argument is missing
 * @return what the call returns
 */
rg_status_t rg_file_read(rg_context_t *context, const char *path, rg_file_read_t read,
                         void *what);

/* Write one. @param what  for `write`; NULL: an argument is missing */
rg_status_t rg_file_write(rg_context_t *context, const void *what, rg_file_write_t write,
                          const char *path);

/* Log that what was read from a file is not written again. @return ST_EUSAGE */
status_t rg_file_refuse_copy(void);
