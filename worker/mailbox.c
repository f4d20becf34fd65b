/*
 * mailbox.c - what a rank's device thread and its owner, the main thread, exchange.
 */
#include "worker/mailbox.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

void mailbox_begin(mailbox_t *m, notifier_t *notifier, double rate)
{
    *m = (mailbox_t){.notifier = notifier,
                     .stats = {.rate = rate},
                     .orders = {.kept = -1}};
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->wake, NULL);
    pthread_cond_init(&m->end, NULL);
}

/* Space for n more tasks.  They move to the front rarely enough that the cost per task
 * does not grow with the number that wait. */
static status_t inbox_reserve(inbox_t *in, int n)
{
    int64_t *tasks;
    int capacity;

    if (in->first + in->n + n <= in->capacity)
        return ST_OK;
    if (in->first > in->n && in->n + n <= in->capacity) {
        memcpy(in->tasks, in->tasks + in->first, (size_t)in->n * sizeof(*tasks));
        in->first = 0;
        return ST_OK;
    }
    capacity = in->first + in->n + n;
    capacity += capacity / 2;
    if ((tasks = realloc(in->tasks, (size_t)capacity * sizeof(*tasks))) == NULL)
        return log_nomem("tasks");
    in->tasks = tasks;
    in->capacity = capacity;
    return ST_OK;
}

status_t mailbox_give(mailbox_t *m, const int64_t *tasks, int n, double cost)
{
    inbox_t *in = &m->inbox;
    status_t st = ST_OK;

    pthread_mutex_lock(&m->lock);
    if (m->device == DEVICE_WORKS && (st = inbox_reserve(in, n)) == ST_OK) {
        in->cost += cost;
        memcpy(in->tasks + in->first + in->n, tasks, (size_t)n * sizeof(*tasks));
        in->n += n;
        pthread_cond_signal(&m->wake);
    }
    pthread_mutex_unlock(&m->lock);
    return st;
}

status_t mailbox_check(mailbox_t *m, const worker_check_t *checks, int n)
{
    status_t st = ST_OK;

    pthread_mutex_lock(&m->lock);
    if (m->device == DEVICE_WORKS) {
        st = buf_append(&m->checks, checks, (size_t)n * sizeof(*checks));
        pthread_cond_signal(&m->wake);
    }
    pthread_mutex_unlock(&m->lock);
    return st;
}

bool mailbox_take_check(mailbox_t *m, worker_check_t *out)
{
    bool got;

    pthread_mutex_lock(&m->lock);
    got = m->checks.len > 0 && !m->stop && !m->hangs;
    if (got) {
        memcpy(out, m->checks.data, sizeof(*out));
        m->checks.len -= sizeof(*out);
        memmove(m->checks.data, m->checks.data + sizeof(*out), m->checks.len);
    }
    pthread_mutex_unlock(&m->lock);
    return got;
}

bool mailbox_take(mailbox_t *m, worker_result_t *out)
{
    bool got;

    pthread_mutex_lock(&m->lock);
    got = m->n_out > 0;
    if (got) {
        *out = m->outbox[m->out_first++];
        m->n_out--;
    }
    pthread_mutex_unlock(&m->lock);
    return got;
}

static status_t outbox_reserve(mailbox_t *m, int n)
{
    int capacity = (m->n_out + n) * 2;
    worker_result_t *outbox;

    if (m->out_first > 0) {
        memmove(m->outbox, m->outbox + m->out_first,
                (size_t)m->n_out * sizeof(*m->outbox));
        m->out_first = 0;
    }
    if (m->n_out + n <= m->out_capacity)
        return ST_OK;
    if ((outbox = realloc(m->outbox, (size_t)capacity * sizeof(*outbox))) == NULL)
        return log_nomem("results");
    m->outbox = outbox;
    m->out_capacity = capacity;
    return ST_OK;
}

status_t mailbox_deliver(mailbox_t *m, worker_result_t *results, int n)
{
    status_t st;

    pthread_mutex_lock(&m->lock);
    st = outbox_reserve(m, n);
    for (int k = 0; k < n; k++)
        if (st == ST_OK)
            m->outbox[m->n_out++] = results[k];
        else
            buf_free(&results[k].data);
    pthread_mutex_unlock(&m->lock);
    notifier_notify(m->notifier);
    return st;
}

void mailbox_drop(mailbox_t *m, int n, double cost)
{
    inbox_t *in = &m->inbox;

    pthread_mutex_lock(&m->lock);
    in->n -= n;
    in->first = in->n > 0 ? in->first + n : 0;
    in->cost = in->n > 0 ? in->cost - cost : 0;
    pthread_mutex_unlock(&m->lock);
}

bool mailbox_wait(mailbox_t *m)
{
    bool stop;

    pthread_mutex_lock(&m->lock);
    while (!m->stop && !m->hangs && m->inbox.n == 0 && m->checks.len == 0)
        pthread_cond_wait(&m->wake, &m->lock);
    stop = m->stop;
    pthread_mutex_unlock(&m->lock);
    return stop;
}

void mailbox_stop(mailbox_t *m)
{
    pthread_mutex_lock(&m->lock);
    m->stop = true;
    pthread_cond_signal(&m->wake);
    pthread_mutex_unlock(&m->lock);
}

bool mailbox_is_stopped(mailbox_t *m)
{
    bool stop;

    pthread_mutex_lock(&m->lock);
    stop = m->stop;
    pthread_mutex_unlock(&m->lock);
    return stop;
}

void mailbox_give_up(mailbox_t *m)
{
    pthread_mutex_lock(&m->lock);
    m->hangs = m->device == DEVICE_WORKS;
    pthread_cond_signal(&m->wake);
    pthread_mutex_unlock(&m->lock);
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
    m->inbox.first = m->inbox.n = 0;
    m->checks.len = 0;
    m->inbox.cost = 0;
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

bool mailbox_wait_end(mailbox_t *m, const struct timespec *until)
{
    bool ended;

    pthread_mutex_lock(&m->lock);
    while (!m->ended && pthread_cond_timedwait(&m->end, &m->lock, until) == 0)
        ;
    ended = m->ended;
    pthread_mutex_unlock(&m->lock);
    return ended;
}

void mailbox_free(mailbox_t *m)
{
    for (int i = 0; i < m->n_out; i++)
        buf_free(&m->outbox[m->out_first + i].data);
    free(m->outbox);
    free(m->inbox.tasks);
    buf_free(&m->checks);
    pthread_cond_destroy(&m->end);
    pthread_cond_destroy(&m->wake);
    pthread_mutex_destroy(&m->lock);
}
