/*
 * run_info.h - how a file was made: /run, which every kind of file has, and on which no
 * other dataset depends.
 */
#pragma once

#include "io/base/status.h"

#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { RUN_STAGES_MAX = 8, RUN_STAGE_BYTES = 32 };

/* Texts of a run that was read belong to the struct: run_info_free. */
typedef struct {
    const char *program; /* name and version */
    const char *command; /* line */
    const char *input;
    const char *started, *finished; /* UTC */
    double seconds;                 /* from the first task to the last result */
    int64_t ranks;                  /* -1: not known */
    const char *devices; /* a line per rank: host, device, kernel, tasks, ... */
    int n_stages;
    struct {
        char name[RUN_STAGE_BYTES]; /* of letters a-z and _ */
        double seconds;
    } stage[RUN_STAGES_MAX]; /* what took time, which may overlap */
} run_info_t;

enum { RUN_TIME_BYTES = 32 };

/* Format a time as "2026-01-31T12:00:00Z". @return out */
const char *run_info_time(time_t at, char out[RUN_TIME_BYTES]);

/* Add a stage. */
void run_info_add(run_info_t *run, const char *stage, double seconds);

/* @return the seconds of a stage; -1: there is none */
double run_info_stage(const run_info_t *run, const char *stage);

/* Free the texts of a run that was read. */
void run_info_free(run_info_t *run);

/*
 * Print /run of any file: lines "run TAB name TAB value", first what every kind has, then
 * the rest by name, one line per line of a text.
 *
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (logged)
 */
status_t run_info_print(const char *path, FILE *to) MUST_CHECK;

/* Print the line "file TAB format TAB NAME MAJOR.MINOR" of any file.
 * @return ST_OK or ST_EINPUT (logged) */
status_t run_info_print_format(const char *path, FILE *to) MUST_CHECK;

/* Print such a line, whatever name and text contain. @param section  "file", "run" */
void run_info_print_line(const char *section, const char *name, const char *text,
                         FILE *to);

/* Print the lines "name=value" of a job likewise. */
void run_info_print_job(const char *job, FILE *to);
