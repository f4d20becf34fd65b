/*
 * storer.c - rank 0's thread that stores results: the only one that writes the log.  A
 * second one waits for the disk meanwhile.
 */
#include "dispatcher/storer.h"

#include "io/base/clock.h"
#include "io/base/fifo.h"
#include "io/base/logmsg.h"
#include "io/base/pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Milliseconds of finished work that a power cut may lose, and that the sync of a stopped
 * run waits for. */
enum { SYNC_MS = 500 };

/* Milliseconds that storer_has_room waits at most. */
enum { ROOM_MS = 20 };

typedef struct {
    int64_t task, version;
    size_t skip;
    buf_t data;
} entry_t;

struct storer {
    job_t *job;
    storer_store_fn store;
    storer_sync_fn sync;
    pthread_t thread, syncer;
    bool started, syncer_started;
    pthread_mutex_t lock; /* guards what follows */
    bool stop, stop_sync;
    pthread_cond_t wake, wake_syncer, stored_one;
    fifo_t todo, stored; /* of entry_t; stored: without data */
    size_t backlog;
    bool dirty; /* something was stored since the last sync */
    status_t state;
};

/* Store one result; the lock is released meanwhile. */
static void store(storer_t *s, entry_t *e)
{
    status_t st = s->state;
    size_t len = e->data.len;

    pthread_mutex_unlock(&s->lock);
    if (st == ST_OK)
        st = s->store(s->job, e->task, e->version, e->data.data + e->skip, len - e->skip);
    buf_free(&e->data);
    pthread_mutex_lock(&s->lock);
    s->backlog -= len;
    if (st == ST_OK)
        st = fifo_push(&s->stored, e, sizeof(*e));
    if (s->state == ST_OK)
        s->state = st;
    pthread_cond_signal(&s->stored_one);
}

static void sync_log(storer_t *s)
{
    status_t st;

    if (s->state != ST_OK)
        return;
    pthread_mutex_unlock(&s->lock);
    st = s->sync(s->job);
    pthread_mutex_lock(&s->lock);
    if (s->state == ST_OK)
        s->state = st;
}

static void *storer_main(void *arg)
{
    storer_t *s = arg;
    entry_t e;

    pthread_mutex_lock(&s->lock);
    for (;;) {
        while (fifo_len(&s->todo) == 0 && !s->stop)
            pthread_cond_wait(&s->wake, &s->lock);
        if (!fifo_pop(&s->todo, &e, sizeof(e)))
            break;
        store(s, &e);
        s->dirty = true;
        pthread_cond_signal(&s->wake_syncer);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* Sync what is stored, SYNC_MS after the last time; at the end what is left, if it is to
 * be. */
static void *syncer_main(void *arg)
{
    storer_t *s = arg;
    struct timespec next = clock_in_us(SYNC_MS * INT64_C(1000));

    pthread_mutex_lock(&s->lock);
    while (!s->stop_sync) {
        if (!s->dirty)
            pthread_cond_wait(&s->wake_syncer, &s->lock);
        else if (pthread_cond_timedwait(&s->wake_syncer, &s->lock, &next) == ETIMEDOUT) {
            s->dirty = false;
            sync_log(s);
            next = clock_in_us(SYNC_MS * INT64_C(1000));
        }
    }
    if (s->dirty)
        sync_log(s);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

status_t storer_create(job_t *job, storer_store_fn store_fn, storer_sync_fn sync_fn,
                       storer_t **out)
{
    storer_t *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return log_nomem("the log's thread");
    s->job = job;
    s->store = store_fn;
    s->sync = sync_fn;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->wake, NULL);
    clock_cond_init(&s->wake_syncer);
    clock_cond_init(&s->stored_one);
    s->started = thread_start(&s->thread, storer_main, s);
    s->syncer_started = thread_start(&s->syncer, syncer_main, s);
    if (!s->started || !s->syncer_started) {
        storer_destroy(s);
        return log_nomem("the log's thread");
    }
    *out = s;
    return ST_OK;
}

status_t storer_put(storer_t *s, int64_t task, int64_t version, buf_t *data, size_t skip)
{
    const entry_t e = {.task = task, .version = version, .skip = skip, .data = *data};
    status_t st;

    pthread_mutex_lock(&s->lock);
    if ((st = fifo_push(&s->todo, &e, sizeof(e))) == ST_OK) {
        s->backlog += e.data.len;
        *data = (buf_t){0};
        pthread_cond_signal(&s->wake);
    }
    pthread_mutex_unlock(&s->lock);
    return st;
}

bool storer_poll(storer_t *s, int64_t *task, int64_t *version)
{
    entry_t e;
    bool got;

    pthread_mutex_lock(&s->lock);
    got = fifo_pop(&s->stored, &e, sizeof(e));
    pthread_mutex_unlock(&s->lock);
    if (!got)
        return false;
    *task = e.task;
    *version = e.version;
    return true;
}

bool storer_has_room(storer_t *s, size_t bytes)
{
    const struct timespec until = clock_in_us(ROOM_MS * INT64_C(1000));
    bool has_room;

    pthread_mutex_lock(&s->lock);
    if (s->backlog >= bytes)
        (void)pthread_cond_timedwait(&s->stored_one, &s->lock, &until);
    has_room = s->backlog < bytes;
    pthread_mutex_unlock(&s->lock);
    return has_room;
}

size_t storer_backlog(storer_t *s)
{
    size_t backlog;

    pthread_mutex_lock(&s->lock);
    backlog = s->backlog;
    pthread_mutex_unlock(&s->lock);
    return backlog;
}

status_t storer_state(storer_t *s)
{
    status_t st;

    pthread_mutex_lock(&s->lock);
    st = s->state;
    pthread_mutex_unlock(&s->lock);
    return st;
}

/* End a thread. @param stop  what it waits for */
static void end_thread(storer_t *s, pthread_t thread, bool *started, bool *stop,
                       pthread_cond_t *wake)
{
    if (!*started)
        return;
    pthread_mutex_lock(&s->lock);
    *stop = true;
    pthread_cond_signal(wake);
    pthread_mutex_unlock(&s->lock);
    pthread_join(thread, NULL);
    *started = false;
}

status_t storer_stop(storer_t *s, bool sync)
{
    end_thread(s, s->thread, &s->started, &s->stop, &s->wake);
    pthread_mutex_lock(&s->lock);
    s->dirty = s->dirty && sync;
    pthread_mutex_unlock(&s->lock);
    end_thread(s, s->syncer, &s->syncer_started, &s->stop_sync, &s->wake_syncer);
    return s->state;
}

void storer_destroy(storer_t *s)
{
    entry_t e;

    if (s == NULL)
        return;
    storer_stop(s, true);
    while (fifo_pop(&s->todo, &e, sizeof(e)))
        buf_free(&e.data);
    fifo_free(&s->todo);
    fifo_free(&s->stored);
    pthread_cond_destroy(&s->wake);
    pthread_cond_destroy(&s->wake_syncer);
    pthread_cond_destroy(&s->stored_one);
    pthread_mutex_destroy(&s->lock);
    free(s);
}
