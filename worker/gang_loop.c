/*
 * gang_loop.c - a device thread's work on a gang job: step after step, with checkpoints.
 */
#include "worker/mailbox.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"

#include <inttypes.h>

typedef struct {
    mailbox_t *mail;
    const worker_opts_t *opts;
    int64_t k;        /* steps done */
    int64_t saved;    /* the last version that was saved, or -1 */
    double step_cost; /* of this rank's tasks */
} gang_run_t;

/* What the ranks agree on: the maximum of each value over all ranks. */
typedef enum { AGREE_STOP, AGREE_SAVE, AGREE_OVER, AGREE_NOT_OVER, AGREE_N } agree_t;

/* Rank 0 alone: is a checkpoint due?  None is while the last one is still on its way to
 * the log, so that it becomes complete before the next one begins. */
static bool save_is_due(const gang_run_t *g, const worker_orders_t *orders)
{
    int64_t every = g->opts->job->plan.checkpoint_steps;

    if (g->saved >= 0 && orders->kept < g->saved)
        return false;
    return orders->checkpoint || (every > 0 && g->k > 0 && g->k % every == 0);
}

static status_t agree(gang_run_t *g, int64_t *all)
{
    gang_t *control = g->opts->control;
    bool is_over = g->opts->job->ops->is_over(g->opts->job, g->k);
    int64_t mine[AGREE_N] = {[AGREE_OVER] = is_over, [AGREE_NOT_OVER] = !is_over};
    worker_orders_t orders;
    status_t st;

    pthread_mutex_lock(&g->mail->lock);
    orders = g->mail->orders;
    pthread_mutex_unlock(&g->mail->lock);
    if (g->opts->rank == 0) {
        mine[AGREE_STOP] = orders.stop;
        mine[AGREE_SAVE] = save_is_due(g, &orders);
    }
    st = control->allreduce(control, mine, all, AGREE_N, GANG_INT64, GANG_MAX);
    if (st == ST_OK && all[AGREE_OVER] && all[AGREE_NOT_OVER]) {
        log_error("rank %d: the ranks disagree on whether the job is over after %" PRId64
                  " steps; this is an error in the job %s",
                  g->opts->rank, g->k, g->opts->job->ops->name);
        return ST_EINPUT;
    }
    return st;
}

/* Save what this rank holds, as version k. */
static status_t save(gang_run_t *g)
{
    const worker_opts_t *o = g->opts;
    const double start = clock_now_s();
    status_t st = ST_OK;

    if (g->saved == g->k)
        return ST_OK;
    for (int64_t task = 0; st == ST_OK && task < o->job->plan.n_tasks; task++) {
        worker_result_t r = {.task = task, .version = g->k};

        if (!o->job->ops->holds(o->job, task))
            continue;
        if ((st = worker_result_begin(&r, o)) == ST_OK)
            st = o->job->ops->save(o->job, task, &r.data);
        if (st == ST_OK)
            st = mailbox_deliver(g->mail, &r, 1);
        else
            buf_free(&r.data);
    }
    g->saved = g->k;
    if (st == ST_OK)
        log_verbose("checkpoint after %" PRId64 " steps in %.2f s", g->k,
                    clock_now_s() - start);
    return st;
}

static status_t step(gang_run_t *g)
{
    double start = clock_now_s();
    status_t st = g->opts->job->ops->step(g->opts->job, g->opts->gang, g->k);

    if (st != ST_OK)
        return st;
    g->k++;
    pthread_mutex_lock(&g->mail->lock);
    g->mail->stats.n_tasks++;
    g->mail->stats.cost += g->step_cost;
    g->mail->stats.busy_s += clock_now_s() - start;
    pthread_mutex_unlock(&g->mail->lock);
    return ST_OK;
}

static void note_finish(gang_run_t *g, bool is_over)
{
    pthread_mutex_lock(&g->mail->lock);
    g->mail->finish = (worker_finish_t){.n_steps = g->k, .is_over = is_over};
    g->mail->finished = true;
    pthread_mutex_unlock(&g->mail->lock);
}

static status_t run_steps(gang_run_t *g)
{
    for (;;) {
        int64_t agreed[AGREE_N] = {0};
        status_t st = agree(g, agreed);
        bool ends = agreed[AGREE_STOP] || agreed[AGREE_OVER];

        if (st == ST_OK && (ends || agreed[AGREE_SAVE]))
            st = save(g);
        if (st == ST_OK && ends) {
            note_finish(g, agreed[AGREE_OVER]);
            return ST_OK;
        }
        if (st == ST_OK && turns_next(g->opts->turns)) /* else there may be orders */
            st = step(g);
        if (st != ST_OK)
            return st;
    }
}

status_t gang_loop(mailbox_t *mail, const worker_opts_t *opts)
{
    gang_run_t g = {.mail = mail,
                    .opts = opts,
                    .k = opts->first_step,
                    .saved = opts->saved};
    status_t st;

    for (int64_t task = 0; task < opts->job->plan.n_tasks; task++)
        if (opts->job->ops->holds(opts->job, task))
            g.step_cost += (double)job_cost(opts->job, task);
    st = run_steps(&g);
    turns_end(opts->turns);
    return st;
}
