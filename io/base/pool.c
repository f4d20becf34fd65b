/*
 * pool.c - persistent threads, an atomic index, and two conditions for the start and the
 * end.
 */
#include "io/base/pool.h"

#include "io/base/child.h"
#include "io/base/logmsg.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct {
    pool_t *pool;
    int thread; /* its number; the caller of pool_run is 0 */
    pthread_t id;
} pool_thread_t;

struct pool {
    int n_threads, n_started;
    pool_thread_t *threads; /* [n_threads - 1] */
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    int64_t round; /* number of the current loop; each thread works on it once */
    int n_busy;
    bool quit;
    pool_fn_t fn;
    void *ctx;
    int64_t n;
    atomic_llong next; /* index of the next call */
};

static void work(pool_t *pool, int thread)
{
    int64_t index;

    while ((index = atomic_fetch_add(&pool->next, 1)) < pool->n) {
        pool->fn(pool->ctx, index, thread);
        child_tick();
    }
}

static void *thread_main(void *arg)
{
    pool_thread_t *self = arg;
    pool_t *pool = self->pool;
    int64_t seen = 0;

    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->quit && pool->round == seen)
            pthread_cond_wait(&pool->begin, &pool->lock);
        if (pool->quit)
            break;
        seen = pool->round;
        pthread_mutex_unlock(&pool->lock);
        work(pool, self->thread);
        pthread_mutex_lock(&pool->lock);
        if (--pool->n_busy == 0)
            pthread_cond_signal(&pool->end);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* The threads block all signals, so that only the main thread handles them. */
static bool start_threads(pool_t *pool)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    for (int i = 0; i < pool->n_threads - 1; i++) {
        pool_thread_t *t = &pool->threads[i];

        *t = (pool_thread_t){.pool = pool, .thread = i + 1};
        if (pthread_create(&t->id, NULL, thread_main, t) != 0)
            break;
        pool->n_started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pool->n_started == pool->n_threads - 1;
}

status_t pool_create(int n_threads, pool_t **out)
{
    pool_t *pool = calloc(1, sizeof(*pool));

    if (pool == NULL)
        return log_nomem("threads");
    pool->n_threads = n_threads;
    pool->threads = calloc((size_t)n_threads, sizeof(*pool->threads));
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->begin, NULL);
    pthread_cond_init(&pool->end, NULL);
    if (pool->threads == NULL || !start_threads(pool)) {
        pool_destroy(pool);
        log_error("cannot start %d threads; give fewer with --threads", n_threads);
        return ST_ENOMEM;
    }
    *out = pool;
    return ST_OK;
}

int pool_n_threads(const pool_t *pool)
{
    return pool->n_threads;
}

void pool_run(pool_t *pool, int64_t n, pool_fn_t fn, void *ctx)
{
    pthread_mutex_lock(&pool->lock);
    pool->fn = fn;
    pool->ctx = ctx;
    pool->n = n;
    atomic_store(&pool->next, 0);
    pool->n_busy = pool->n_started;
    pool->round++;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    work(pool, 0);
    pthread_mutex_lock(&pool->lock);
    while (pool->n_busy > 0)
        pthread_cond_wait(&pool->end, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

void pool_destroy(pool_t *pool)
{
    if (pool == NULL)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->quit = true;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->n_started; i++)
        pthread_join(pool->threads[i].id, NULL);
    pthread_cond_destroy(&pool->end);
    pthread_cond_destroy(&pool->begin);
    pthread_mutex_destroy(&pool->lock);
    free(pool->threads);
    free(pool);
}
