/*
 * progress.h - how far a run is: a bar on a terminal, a line every 10 s in a log file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The caller fills in what progress_begin does not set. */
typedef struct {
    const char *task_word, *item_word, *cost_word, *rate_word; /* as in job_plan_t */
    int64_t n_tasks, n_items;                                  /* in all */
    int64_t tasks_before, items_before; /* finished by an earlier run */
    int64_t n_steps, steps_before;      /* a gang's; n_steps 0: unknown */
    double cost_left;                   /* for this run, at its start */
    double start_s, last_s;             /* progress_begin sets these */
    bool terminal;
} progress_t;

/* Begin.  What an earlier run finished counts as done, but not for the speed. */
void progress_begin(progress_t *p);

/* Show the state if it is time to. @param cost  computed in this run */
void progress_show(progress_t *p, int64_t tasks_done, int64_t items_done, double cost);

/* Likewise of a gang. @param steps_done  including earlier runs */
void progress_show_steps(progress_t *p, int64_t steps_done, double cost);

/* Remove the bar and log how long the run took and how fast it was, if it did anything.
 */
void progress_end(progress_t *p, int64_t items_done, double cost);

/* Write a count for people: 31125 as 31125, 224600000 as 224.6 M. @return out */
const char *progress_count(double count, char *out, size_t size);
