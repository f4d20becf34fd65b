/*
 * worker.c - a rank's device thread, from its start to its end, and the owner's calls.
 */
#include "worker/worker.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "io/base/pool.h"
#include "worker/mailbox.h"

#include <stdlib.h>

struct worker {
    worker_opts_t opts;
    mailbox_t mail;
    pthread_t thread;
    bool started;
};

/* Freeing gigabytes of pinned memory takes a while: the owner makes the output meanwhile.
 */
static void *device_main(void *arg)
{
    worker_t *w = arg;
    bool is_gang = w->opts.job->plan.kind == JOB_GANG;

    mailbox_end(&w->mail,
                is_gang ? gang_loop(&w->mail, &w->opts) : batch_loop(&w->mail, &w->opts));
    job_release(w->opts.job);
    return NULL;
}

status_t worker_create(const worker_opts_t *opts, worker_t **out)
{
    worker_t *w = calloc(1, sizeof(*w));

    if (w == NULL)
        return log_nomem("a worker");
    w->opts = *opts;
    mailbox_begin(&w->mail, opts->notifier, opts->guess);
    w->started = thread_start(&w->thread, device_main, w);
    if (!w->started) {
        worker_destroy(w);
        return log_nomem("a worker's thread");
    }
    *out = w;
    return ST_OK;
}

status_t worker_give(worker_t *w, const int64_t *tasks, int n)
{
    mailbox_t *m = &w->mail;
    status_t st = ST_OK;

    pthread_mutex_lock(&m->lock);
    if (m->device == DEVICE_WORKS &&
        (st = fifo_push(&m->inbox, tasks, (size_t)n * sizeof(*tasks))) == ST_OK) {
        for (int k = 0; k < n; k++)
            m->inbox_cost += (double)job_cost(w->opts.job, tasks[k]);
        pthread_cond_signal(&m->wake);
    }
    pthread_mutex_unlock(&m->lock);
    return st;
}

status_t worker_check(worker_t *w, const worker_check_t *checks, int n)
{
    mailbox_t *m = &w->mail;
    status_t st = ST_OK;

    pthread_mutex_lock(&m->lock);
    if (m->device == DEVICE_WORKS) {
        st = fifo_push(&m->checks, checks, (size_t)n * sizeof(*checks));
        pthread_cond_signal(&m->wake);
    }
    pthread_mutex_unlock(&m->lock);
    return st;
}

bool worker_take(worker_t *w, worker_result_t *out)
{
    bool got;

    pthread_mutex_lock(&w->mail.lock);
    got = fifo_pop(&w->mail.outbox, out, sizeof(*out));
    pthread_mutex_unlock(&w->mail.lock);
    return got;
}

bool worker_has_lost_device(worker_t *w, double *rate)
{
    bool lost;

    pthread_mutex_lock(&w->mail.lock);
    lost = w->mail.device == DEVICE_REPLACED;
    *rate = w->mail.stats.rate;
    pthread_mutex_unlock(&w->mail.lock);
    return lost;
}

void worker_give_up_device(worker_t *w)
{
    pthread_mutex_lock(&w->mail.lock);
    w->mail.hangs = w->mail.device == DEVICE_WORKS;
    pthread_cond_signal(&w->mail.wake);
    pthread_mutex_unlock(&w->mail.lock);
    job_cancel(w->opts.job);
}

void worker_resume(worker_t *w)
{
    pthread_mutex_lock(&w->mail.lock);
    if (w->mail.device == DEVICE_REPLACED)
        w->mail.device = DEVICE_WORKS;
    pthread_mutex_unlock(&w->mail.lock);
}

void worker_order(worker_t *w, const worker_orders_t *orders)
{
    pthread_mutex_lock(&w->mail.lock);
    w->mail.orders = *orders;
    pthread_mutex_unlock(&w->mail.lock);
}

bool worker_is_finished(worker_t *w, worker_finish_t *out)
{
    bool finished;

    pthread_mutex_lock(&w->mail.lock);
    finished = w->mail.finished;
    *out = w->mail.finish;
    pthread_mutex_unlock(&w->mail.lock);
    return finished;
}

status_t worker_state(worker_t *w)
{
    status_t st;

    pthread_mutex_lock(&w->mail.lock);
    st = w->mail.state;
    pthread_mutex_unlock(&w->mail.lock);
    return st;
}

worker_stats_t worker_stats(worker_t *w)
{
    worker_stats_t stats;

    pthread_mutex_lock(&w->mail.lock);
    stats = w->mail.stats;
    pthread_mutex_unlock(&w->mail.lock);
    return stats;
}

bool worker_stop(worker_t *w, int seconds)
{
    mailbox_t *m = &w->mail;
    struct timespec until;
    bool ended;

    pthread_mutex_lock(&m->lock);
    m->stop = true;
    pthread_cond_signal(&m->wake);
    pthread_mutex_unlock(&m->lock);
    job_cancel(w->opts.job);
    if (w->opts.gang != NULL)
        w->opts.gang->cancel(w->opts.gang);
    if (w->opts.control != NULL)
        w->opts.control->cancel(w->opts.control);
    until = clock_in_us(INT64_C(1000000) * seconds);
    pthread_mutex_lock(&m->lock);
    while (!m->ended && pthread_cond_timedwait(&m->end, &m->lock, &until) == 0)
        ;
    ended = m->ended;
    pthread_mutex_unlock(&m->lock);
    return ended;
}

void worker_destroy(worker_t *w)
{
    if (w == NULL)
        return;
    if (w->started)
        pthread_join(w->thread, NULL);
    mailbox_free(&w->mail);
    free(w);
}
