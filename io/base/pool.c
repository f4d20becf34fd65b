/*
 * pool.c - persistent threads, two loops with an atomic index each, and two conditions
 * for the start and the end.
 */
#include "io/base/pool.h"

#include "io/base/child.h"
#include "io/base/logmsg.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    pool_t *pool;
    int thread; /* its number; the caller is 0 */
    pthread_t id;
} pool_thread_t;

/* The lock guards all but `next`.  Threads join a loop while it has calls left. */
typedef struct {
    pool_fn_t fn;
    void *ctx;
    int64_t n;
    atomic_llong next; /* index of the next call */
    int n_busy;        /* threads at work on it */
} loop_t;

struct pool {
    int n_threads, n_started;
    pool_thread_t *threads; /* [n_threads - 1] */
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    bool quit;
    loop_t front, back; /* of pool_run, and of pool_begin */
};

static bool has_calls(loop_t *loop)
{
    return atomic_load(&loop->next) < loop->n;
}

/* Make the next call. @return whether there was one */
static bool call_next(loop_t *loop, int thread)
{
    int64_t index = atomic_fetch_add(&loop->next, 1);

    if (index >= loop->n)
        return false;
    loop->fn(loop->ctx, index, thread);
    child_tick();
    return true;
}

/* Note, with the lock held, that a thread leaves a loop. */
static void leave(pool_t *pool, loop_t *loop)
{
    if (--loop->n_busy == 0 && !has_calls(loop))
        pthread_cond_broadcast(&pool->end);
}

/* The loop in front is worked on to its end, that in the back call by call. */
static void *thread_main(void *arg)
{
    pool_thread_t *self = arg;
    pool_t *pool = self->pool;

    pthread_mutex_lock(&pool->lock);
    while (!pool->quit) {
        loop_t *loop = has_calls(&pool->front) ? &pool->front : &pool->back;

        if (!has_calls(loop)) {
            pthread_cond_wait(&pool->begin, &pool->lock);
            continue;
        }
        loop->n_busy++;
        pthread_mutex_unlock(&pool->lock);
        while (call_next(loop, self->thread) && loop == &pool->front)
            ;
        pthread_mutex_lock(&pool->lock);
        leave(pool, loop);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static bool start_threads(pool_t *pool)
{
    for (int i = 0; i < pool->n_threads - 1; i++) {
        pool_thread_t *t = &pool->threads[i];

        *t = (pool_thread_t){.pool = pool, .thread = i + 1};
        if (!thread_start(&t->id, thread_main, t))
            break;
        pool->n_started++;
    }
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
    return pool != NULL ? pool->n_threads : 1;
}

static void begin(pool_t *pool, loop_t *loop, int64_t n, pool_fn_t fn, void *ctx)
{
    pthread_mutex_lock(&pool->lock);
    loop->fn = fn;
    loop->ctx = ctx;
    loop->n = n;
    atomic_store(&loop->next, 0);
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
}

/* Work on a loop until all its calls are done. */
static void finish(pool_t *pool, loop_t *loop)
{
    pthread_mutex_lock(&pool->lock);
    loop->n_busy++;
    pthread_mutex_unlock(&pool->lock);
    while (call_next(loop, 0))
        ;
    pthread_mutex_lock(&pool->lock);
    leave(pool, loop);
    while (loop->n_busy > 0)
        pthread_cond_wait(&pool->end, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

static void run_alone(int64_t n, pool_fn_t fn, void *ctx)
{
    for (int64_t i = 0; i < n; i++) {
        fn(ctx, i, 0);
        child_tick();
    }
}

/* A single call is made at once: it would end before another thread has woken up. */
void pool_run(pool_t *pool, int64_t n, pool_fn_t fn, void *ctx)
{
    if (pool == NULL || n == 1) {
        run_alone(n, fn, ctx);
        return;
    }
    begin(pool, &pool->front, n, fn, ctx);
    finish(pool, &pool->front);
}

enum { CHUNK_BYTES = 1 << 18 };

typedef struct {
    char *to;
    const char *from;
    size_t bytes;
} copy_t;

static void copy_chunk(void *ctx, int64_t chunk, int thread)
{
    const copy_t *c = ctx;
    const size_t at = (size_t)chunk * CHUNK_BYTES, left = c->bytes - at;

    (void)thread;
    memcpy(c->to + at, c->from + at, left < CHUNK_BYTES ? left : CHUNK_BYTES);
}

void pool_copy(pool_t *pool, void *to, const void *from, size_t bytes)
{
    copy_t copy = {to, from, bytes};

    pool_run(pool, (int64_t)((bytes + CHUNK_BYTES - 1) / CHUNK_BYTES), copy_chunk, &copy);
}

void pool_begin(pool_t *pool, int64_t n, pool_fn_t fn, void *ctx)
{
    if (pool == NULL)
        run_alone(n, fn, ctx);
    else
        begin(pool, &pool->back, n, fn, ctx);
}

void pool_finish(pool_t *pool)
{
    if (pool != NULL)
        finish(pool, &pool->back);
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

/* ---- a new thread inherits the signals that its creator blocks, and its sink ---- */

typedef struct {
    void *(*run)(void *arg);
    void *arg;
    log_sink_t *sink;
} start_t;

static void *run_with_sink(void *arg)
{
    start_t start = *(start_t *)arg;

    free(arg);
    log_set_sink(start.sink);
    return start.run(start.arg);
}

bool thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
    start_t *start = malloc(sizeof(*start));
    sigset_t all, before;
    bool started;

    if (start == NULL)
        return false;
    *start = (start_t){run, arg, log_sink()};
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    started = pthread_create(thread, NULL, run_with_sink, start) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!started)
        free(start);
    return started;
}
