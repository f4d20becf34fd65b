#include "io/base/pool.h"

#include "io/base/logmsg.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct {
    pool_t *pool;
    int index;
} seat_t;

struct pool {
    int n_threads, n_started;
    pthread_t *threads;
    seat_t *seats;
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    int64_t round; /* a loop's number; a thread joins each once */
    int n_busy;
    bool quit;
    pool_fn_t fn;
    void *ctx;
    int64_t n_items;
    atomic_llong next;
};

static void work(pool_t *pool, int thread)
{
    int64_t item;

    while ((item = atomic_fetch_add(&pool->next, 1)) < pool->n_items)
        pool->fn(pool->ctx, item, thread);
}

static void *thread_main(void *arg)
{
    seat_t *seat = arg;
    pool_t *pool = seat->pool;
    int64_t seen = 0;

    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->quit && pool->round == seen)
            pthread_cond_wait(&pool->begin, &pool->lock);
        if (pool->quit)
            break;
        seen = pool->round;
        pthread_mutex_unlock(&pool->lock);
        work(pool, seat->index);
        pthread_mutex_lock(&pool->lock);
        if (--pool->n_busy == 0)
            pthread_cond_signal(&pool->end);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* Threads of ours take no signals: the main thread alone is told to stop. */
static bool start_threads(pool_t *pool)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    for (int i = 1; i < pool->n_threads; i++) {
        pool->seats[i] = (seat_t){pool, i};
        if (pthread_create(&pool->threads[i], NULL, thread_main, &pool->seats[i]) != 0)
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
    pool->seats = calloc((size_t)n_threads, sizeof(*pool->seats));
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->begin, NULL);
    pthread_cond_init(&pool->end, NULL);
    if (pool->threads == NULL || pool->seats == NULL || !start_threads(pool)) {
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

void pool_run(pool_t *pool, int64_t n_items, pool_fn_t fn, void *ctx)
{
    pthread_mutex_lock(&pool->lock);
    pool->fn = fn;
    pool->ctx = ctx;
    pool->n_items = n_items;
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
    for (int i = 1; i <= pool->n_started; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->end);
    pthread_cond_destroy(&pool->begin);
    pthread_mutex_destroy(&pool->lock);
    free(pool->seats);
    free(pool->threads);
    free(pool);
}
