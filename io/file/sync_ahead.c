/*
 * sync_ahead.c - a thread that waits for the disk while another one writes.
 */
#include "io/file/sync_ahead.h"

#include "io/base/clock.h"
#include "io/base/pool.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Before each sync; a file that is finished earlier is never synced here. */
enum { PAUSE_MS = 50 };

struct sync_ahead {
    int fd;
    pthread_t thread;
    int error; /* the thread's, until it has ended */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stop; /* under the lock */
};

/* @return whether to sync now; false: to stop */
static bool wait_pause(sync_ahead_t *s)
{
    struct timespec until = clock_in_us(PAUSE_MS * INT64_C(1000));
    bool stop;

    pthread_mutex_lock(&s->lock);
    while (!s->stop && pthread_cond_timedwait(&s->wake, &s->lock, &until) != ETIMEDOUT)
        ;
    stop = s->stop;
    pthread_mutex_unlock(&s->lock);
    return !stop;
}

static void *sync_main(void *arg)
{
    sync_ahead_t *s = arg;

    while (s->error == 0 && wait_pause(s))
        s->error = fdatasync(s->fd) == 0 ? 0 : errno;
    return NULL;
}

static void destroy(sync_ahead_t *s)
{
    pthread_cond_destroy(&s->wake);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

sync_ahead_t *sync_ahead_begin(int fd)
{
    sync_ahead_t *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return NULL;
    s->fd = fd;
    pthread_mutex_init(&s->lock, NULL);
    clock_cond_init(&s->wake);
    if (thread_start(&s->thread, sync_main, s))
        return s;
    destroy(s);
    return NULL;
}

int sync_ahead_end(sync_ahead_t *s)
{
    int error;

    if (s == NULL)
        return 0;
    pthread_mutex_lock(&s->lock);
    s->stop = true;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    error = s->error;
    destroy(s);
    return error;
}
