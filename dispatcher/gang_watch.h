/*
 * gang_watch.h - rank 0's view of a gang: which checkpoint is in the log, when the next
 * one is due, and which ranks have finished.
 */
#pragma once

#include "worker/worker.h"

typedef struct {
    int64_t n_tasks;
    int n_ranks, n_finished;
    double checkpoint_s;         /* seconds between checkpoints; 0: the steps decide */
    int64_t version, n_kept;     /* being stored, and how many of its tasks are */
    int64_t complete;            /* the last version that is stored, or -1 */
    double complete_s;           /* when it was (clock_now_s), or the start */
    int64_t first_step, n_steps; /* done before this run, and in all */
    bool stop;                   /* was requested */
    bool is_over;                /* the finished ranks' state is final */
} gang_watch_t;

/* @param complete  the version that the log holds at the start, or -1 */
void gang_watch_begin(gang_watch_t *g, const job_plan_t *plan, int n_ranks,
                      int64_t complete);

/* The gang goes on from this version, or from the start (-1), with what was noted of
 * later ones forgotten. */
void gang_watch_restart(gang_watch_t *g, int64_t complete);

/* Note that a task of a version was stored. */
void gang_watch_note_kept(gang_watch_t *g, int64_t version);

/* Note that a rank has finished. @return whether all have */
bool gang_watch_note_finish(gang_watch_t *g, const worker_finish_t *finish);

/* @return what rank 0's worker has to bring about */
worker_orders_t gang_watch_orders(const gang_watch_t *g);
