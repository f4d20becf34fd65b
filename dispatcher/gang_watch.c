/*
 * gang_watch.c - rank 0's view of a gang: which checkpoint is in the log, when the next
 * one is due, and which ranks have finished.
 */
#include "dispatcher/gang_watch.h"

#include "io/base/clock.h"

void gang_watch_begin(gang_watch_t *g, const job_plan_t *plan, int n_ranks,
                      int64_t complete)
{
    *g = (gang_watch_t){.n_tasks = plan->n_tasks,
                        .n_ranks = n_ranks,
                        .version = -1,
                        .complete = complete,
                        .complete_s = clock_now_s(),
                        .first_step = complete < 0 ? 0 : complete};
    g->n_steps = g->first_step;
    if (plan->checkpoint_steps == 0)
        g->checkpoint_s = plan->checkpoint_s;
}

void gang_watch_restart(gang_watch_t *g, int64_t complete)
{
    g->version = -1;
    g->n_kept = 0;
    g->complete = complete;
    g->complete_s = clock_now_s();
}

void gang_watch_note_kept(gang_watch_t *g, int64_t version)
{
    if (version != g->version) {
        g->version = version;
        g->n_kept = 0;
    }
    if (++g->n_kept == g->n_tasks) {
        g->complete = version;
        g->complete_s = clock_now_s();
    }
}

bool gang_watch_note_finish(gang_watch_t *g, const worker_finish_t *finish)
{
    g->n_steps = finish->n_steps;
    g->is_over = finish->is_over;
    return ++g->n_finished == g->n_ranks;
}

worker_orders_t gang_watch_orders(const gang_watch_t *g)
{
    bool due = g->checkpoint_s > 0 && clock_now_s() - g->complete_s >= g->checkpoint_s;

    return (worker_orders_t){.stop = g->stop, .checkpoint = due, .kept = g->complete};
}
