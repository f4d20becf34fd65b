/*
 * known_tasks.c - a thread that takes known results from the job, and passes them on to
 * be stored: at most half of what may wait for the disk, so that workers do not wait.
 */
#include "dispatcher/known_tasks.h"

#include "dispatcher/dispatcher.h"
#include "io/base/logmsg.h"
#include "io/base/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct known_tasks {
    job_t *job;
    storer_t *storer;
    pthread_t thread;
    atomic_bool is_ending;
    _Atomic status_t state;
};

static status_t put(void *ctx, int64_t task, buf_t *data)
{
    known_tasks_t *k = ctx;

    while (!atomic_load(&k->is_ending) && storer_state(k->storer) == ST_OK)
        if (storer_has_room(k->storer, DISPATCHER_BACKLOG_BYTES / 2))
            return storer_put(k->storer, task, 0, data, 0);
    return ST_ESTOPPED;
}

static void *bring(void *arg)
{
    known_tasks_t *k = arg;
    const status_t st = k->job->ops->bring(k->job, put, k);

    atomic_store(&k->state, st == ST_ESTOPPED ? ST_OK : st);
    return NULL;
}

status_t known_tasks_begin(job_t *job, storer_t *storer, known_tasks_t **out)
{
    known_tasks_t *k = calloc(1, sizeof(*k));

    if (k == NULL)
        return log_nomem("the results that are known");
    k->job = job;
    k->storer = storer;
    if (!thread_start(&k->thread, bring, k)) {
        free(k);
        return log_nomem("the results that are known");
    }
    *out = k;
    return ST_OK;
}

status_t known_tasks_state(const known_tasks_t *k)
{
    return k != NULL ? atomic_load(&k->state) : ST_OK;
}

void known_tasks_end(known_tasks_t *k)
{
    if (k == NULL)
        return;
    atomic_store(&k->is_ending, true);
    pthread_join(k->thread, NULL);
    free(k);
}
