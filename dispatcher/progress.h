/*
 * progress.h - how far a run is: a bar on a terminal, a line every 10 s in a log.
 */
#ifndef RIBOGRID_DISPATCHER_PROGRESS_H
#define RIBOGRID_DISPATCHER_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *task_word, *item_word, *cost_word;
    const char *rate_word;    /* as in job_plan_t */
    int64_t n_tasks, n_items; /* in all */
    int64_t tasks_before;     /* finished by an earlier run */
    int64_t items_before;
    double cost_left; /* of what this run has to do, at its start */
    double start_s, last_s;
    bool terminal;
} progress_t;

/* Begin; what an earlier run finished counts as done but not as speed. */
void progress_begin(progress_t *p);

/* Show the state, if it is time to. @param cost  finished in this run */
void progress_show(progress_t *p, int64_t tasks_done, int64_t items_done, double cost);

/* Take the bar away and say how long it took and how fast it was. */
void progress_end(progress_t *p, int64_t items_done, double cost);

/* @return seconds of a clock that never goes back */
double progress_now_s(void);

/* Write a count for people: 31,125 as 31125, 224.6 M. @return out */
const char *progress_count(double count, char *out, size_t size);

#endif
