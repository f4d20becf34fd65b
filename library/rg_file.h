/*
 * rg_file.h - what the files that the library writes have in common: how they were made.
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

/* @param st  what came of writing a file @return it; the error has a remedy for callers
 */
status_t rg_file_end(rg_context_t *context, status_t st) MUST_CHECK;

/* Log that what was read from a file is not written again. @return ST_EUSAGE */
status_t rg_file_refuse_copy(void);
