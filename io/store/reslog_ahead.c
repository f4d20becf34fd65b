/*
 * reslog_ahead.c - two groups of records: one is used while the other is read.
 */
#include "io/store/reslog_ahead.h"

#include "io/base/logmsg.h"

#include <stdatomic.h>
#include <stdlib.h>

/* Enough for every thread to have some while the caller writes.  Of short records, such
 * as those of hits, more: starting a group takes longer than reading one of them. */
enum { RECORDS_PER_THREAD = 2, SHORT_PER_THREAD = 256, BYTES_PER_THREAD = 256 << 10 };

typedef struct {
    buf_t *records; /* [n_together] */
    int64_t first;
    int n;
} group_t;

struct reslog_ahead {
    const reslog_t *log;
    pool_t *pool;
    int64_t n_tasks;
    int n_together;
    bool drops;
    group_t used, next;
    atomic_int state; /* ST_OK until reading fails; nothing is read after that */
};

static void read_one(void *ctx, int64_t k, int thread)
{
    reslog_ahead_t *a = ctx;
    status_t st;

    (void)thread;
    if (atomic_load(&a->state) != ST_OK)
        return;
    st = reslog_read(a->log, a->next.first + k, &a->next.records[k]);
    if (st != ST_OK)
        atomic_store(&a->state, st);
    else if (a->drops)
        reslog_drop(a->log, a->next.first + k, a->next.records[k].len);
}

/* Begin to read the group that starts at a task. */
static void begin_group(reslog_ahead_t *a, int64_t first)
{
    int64_t left = a->n_tasks - first;

    a->next.first = first;
    a->next.n = left < a->n_together ? (int)left : a->n_together;
    pool_begin(a->pool, a->next.n, read_one, a);
}

static status_t finish_group(reslog_ahead_t *a)
{
    pool_finish(a->pool);
    return (status_t)atomic_load(&a->state);
}

/* @return records per thread in a group, for their mean length */
static int64_t records_per_thread(const reslog_t *log, int64_t n_tasks)
{
    const int64_t bytes = reslog_end(log) - reslog_start(log);
    const int64_t n = bytes > 0 ? n_tasks * BYTES_PER_THREAD / bytes : 0;

    return n < RECORDS_PER_THREAD ? RECORDS_PER_THREAD
                                  : (n < SHORT_PER_THREAD ? n : SHORT_PER_THREAD);
}

status_t reslog_ahead_begin(const reslog_t *log, int64_t n_tasks, pool_t *pool,
                            bool drops, reslog_ahead_t **out)
{
    reslog_ahead_t *a = calloc(1, sizeof(*a));
    size_t n = (size_t)(records_per_thread(log, n_tasks) * pool_n_threads(pool));

    if (a == NULL)
        return log_nomem("reading the log");
    a->log = log;
    a->pool = pool;
    a->n_tasks = n_tasks;
    a->n_together = (int)n;
    a->drops = drops;
    a->used.records = calloc(n, sizeof(*a->used.records));
    a->next.records = calloc(n, sizeof(*a->next.records));
    if (a->used.records == NULL || a->next.records == NULL) {
        reslog_ahead_end(a);
        return log_nomem("reading the log");
    }
    begin_group(a, 0);
    *out = a;
    return ST_OK;
}

status_t reslog_ahead_next(reslog_ahead_t *a, reslog_group_t *out)
{
    status_t st = finish_group(a);
    group_t used = a->next;

    if (st != ST_OK)
        return st;
    a->next = a->used;
    a->used = used;
    begin_group(a, used.first + used.n);
    *out = (reslog_group_t){used.records, used.first, used.n};
    return ST_OK;
}

void reslog_ahead_end(reslog_ahead_t *a)
{
    if (a == NULL)
        return;
    (void)finish_group(a);
    for (int k = 0; k < a->n_together; k++) {
        if (a->used.records != NULL)
            buf_free(&a->used.records[k]);
        if (a->next.records != NULL)
            buf_free(&a->next.records[k]);
    }
    free(a->used.records);
    free(a->next.records);
    free(a);
}
