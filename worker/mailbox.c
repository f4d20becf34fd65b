/*
 * mailbox.c - what a rank's device thread and its owner, the main thread, exchange.
 */
#include "worker/mailbox.h"

#include "io/base/clock.h"

void mailbox_begin(mailbox_t *m, notifier_t *notifier, double rate)
{
    *m = (mailbox_t){.notifier = notifier,
                     .stats = {.rate = rate},
                     .orders = {.kept = -1}};
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->wake, NULL);
    clock_cond_init(&m->end);
}

bool mailbox_take_check(mailbox_t *m, worker_check_t *out)
{
    bool got;

    pthread_mutex_lock(&m->lock);
    got = !m->stop && !m->hangs && fifo_pop(&m->checks, out, sizeof(*out));
    pthread_mutex_unlock(&m->lock);
    return got;
}

status_t mailbox_deliver(mailbox_t *m, worker_result_t *results, int n)
{
    status_t st;

    pthread_mutex_lock(&m->lock);
    st = fifo_push(&m->outbox, results, (size_t)n * sizeof(*results));
    for (int k = 0; st != ST_OK && k < n; k++)
        buf_free(&results[k].data);
    pthread_mutex_unlock(&m->lock);
    notifier_notify(m->notifier);
    return st;
}

void mailbox_drop(mailbox_t *m, int n, double cost)
{
    pthread_mutex_lock(&m->lock);
    fifo_drop(&m->inbox, (size_t)n * sizeof(int64_t));
    m->inbox_cost = fifo_len(&m->inbox) > 0 ? m->inbox_cost - cost : 0;
    pthread_mutex_unlock(&m->lock);
}

bool mailbox_wait(mailbox_t *m)
{
    bool stop;

    pthread_mutex_lock(&m->lock);
    while (!m->stop && !m->hangs && fifo_len(&m->inbox) == 0 && fifo_len(&m->checks) == 0)
        pthread_cond_wait(&m->wake, &m->lock);
    stop = m->stop;
    pthread_mutex_unlock(&m->lock);
    return stop;
}

bool mailbox_is_stopped(mailbox_t *m)
{
    bool stop;

    pthread_mutex_lock(&m->lock);
    stop = m->stop;
    pthread_mutex_unlock(&m->lock);
    return stop;
}

bool mailbox_hangs(mailbox_t *m)
{
    bool hangs;

    pthread_mutex_lock(&m->lock);
    hangs = m->hangs;
    pthread_mutex_unlock(&m->lock);
    return hangs;
}

void mailbox_lose_device(mailbox_t *m)
{
    pthread_mutex_lock(&m->lock);
    m->device = DEVICE_LOST;
    m->hangs = false;
    fifo_drop(&m->inbox, fifo_len(&m->inbox));
    fifo_drop(&m->checks, fifo_len(&m->checks));
    m->inbox_cost = 0;
    pthread_mutex_unlock(&m->lock);
}

void mailbox_replace_device(mailbox_t *m, double rate, bool lost)
{
    pthread_mutex_lock(&m->lock);
    m->device = DEVICE_REPLACED;
    m->stats.rate = rate;
    m->stats.n_lost_devices += lost;
    pthread_mutex_unlock(&m->lock);
    notifier_notify(m->notifier);
}

void mailbox_end(mailbox_t *m, status_t st)
{
    pthread_mutex_lock(&m->lock);
    m->state = st == ST_ESTOPPED && m->stop ? ST_OK : st; /* cancelled: no failure */
    m->ended = true;
    pthread_cond_signal(&m->end);
    pthread_mutex_unlock(&m->lock);
    notifier_notify(m->notifier);
}

void mailbox_free(mailbox_t *m)
{
    worker_result_t result;

    while (fifo_pop(&m->outbox, &result, sizeof(result)))
        buf_free(&result.data);
    fifo_free(&m->outbox);
    fifo_free(&m->inbox);
    fifo_free(&m->checks);
    pthread_cond_destroy(&m->end);
    pthread_cond_destroy(&m->wake);
    pthread_mutex_destroy(&m->lock);
}
