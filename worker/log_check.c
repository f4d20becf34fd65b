/*
 * log_check.c - reads and checks the records of a log in parallel.
 */
#include "worker/log_check.h"

#include "io/base/logmsg.h"

#include <stdatomic.h>
#include <stdlib.h>

typedef struct {
    const reslog_t *log;
    log_check_fn fn;
    void *ctx;
    buf_t *record;      /* [threads] */
    atomic_int state;   /* ST_OK until reading fails */
    atomic_llong wrong; /* the first task whose record is refused; INT64_MAX: none */
} check_t;

static void note_wrong(check_t *c, int64_t task)
{
    long long first = atomic_load(&c->wrong);

    while (task < first && !atomic_compare_exchange_weak(&c->wrong, &first, task)) {
    }
}

static void check_one(void *ctx, int64_t task, int thread)
{
    check_t *c = ctx;
    buf_t *record = &c->record[thread];
    status_t st;

    if (!reslog_has(c->log, task) || atomic_load(&c->state) != ST_OK ||
        task > atomic_load(&c->wrong))
        return;
    if ((st = reslog_read(c->log, task, record)) != ST_OK)
        atomic_store(&c->state, st);
    else if (c->fn(c->ctx, task, reslog_version(c->log, task), record) != NULL)
        note_wrong(c, task);
}

/* Find out again what is wrong with the first of the refused records. */
static status_t refuse(check_t *c)
{
    const int64_t task = atomic_load(&c->wrong);
    const char *why;
    status_t st = reslog_read(c->log, task, &c->record[0]);

    if (st != ST_OK)
        return st;
    why = c->fn(c->ctx, task, reslog_version(c->log, task), &c->record[0]);
    log_error("%s: the record of task %lld is impossible: it %s; give --force to start "
              "anew",
              reslog_path(c->log), (long long)task, why != NULL ? why : "changes");
    return ST_EINPUT;
}

status_t log_check(const reslog_t *log, int64_t n_tasks, pool_t *pool, log_check_fn fn,
                   void *ctx)
{
    const int n_threads = pool_n_threads(pool);
    check_t c = {.log = log, .fn = fn, .ctx = ctx};
    status_t st;

    if ((c.record = calloc((size_t)n_threads, sizeof(*c.record))) == NULL)
        return log_nomem("checking the log");
    atomic_init(&c.state, ST_OK);
    atomic_init(&c.wrong, INT64_MAX);
    pool_run(pool, n_tasks, check_one, &c);
    st = (status_t)atomic_load(&c.state);
    if (st == ST_OK && atomic_load(&c.wrong) != INT64_MAX)
        st = refuse(&c);
    for (int i = 0; i < n_threads; i++)
        buf_free(&c.record[i]);
    free(c.record);
    return st;
}
