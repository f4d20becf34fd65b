#include "worker/worker.h"

#include "io/base/logmsg.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Short enough to lose little, long enough to outweigh what the last pairs of a batch
 * leave of a GPU idle: a quarter of a second gives 2 to 14 % more than a tenth. */
static const double batch_s = 0.25;
/* Where batches overlap, the last ones, or those of a small job, are shorter, so that
 * little is left to do when the device has no more work; but they fill it, as far as its
 * rate is known. */
static const double min_batch_s = 0.02;
enum { SHARES_MIN = 4 };
/* What batches before the newest one weigh in the rate.  Costs and times are summed up,
 * not rates: of two batches that are over at once, as the thread was late, the second
 * took no time at all. */
static const double rate_decay = 0.5;

typedef struct {
    int64_t *tasks;
    int n, capacity;
    double cost;
    double begun_s;
} batch_t;

/* Tasks that wait, the oldest first. */
typedef struct {
    int64_t *tasks; /* [n] of them from `first` on */
    int first, n, capacity;
    double cost;
} inbox_t;

struct worker {
    const job_ops_t *ops;
    void *job;
    pool_t *pool;
    size_t room;
    pthread_t thread;
    bool started;
    pthread_mutex_t lock; /* guards what follows, but for the device thread's own */
    pthread_cond_t wake;
    bool stop;
    status_t state;
    inbox_t inbox;
    worker_result_t *outbox;
    int out_first, n_out, out_capacity;
    worker_stats_t stats;
    /* the device thread's own */
    batch_t begun[JOB_DEPTH_MAX]; /* [n_begun] on the device, the oldest first */
    int n_begun, depth;
    double collected_s;           /* when a batch was collected last */
    double lately_cost, lately_s; /* of the last batches, the newest in full */
    batch_t before;               /* collected and to be packed */
    worker_result_t *packed;      /* [before.n] */
    status_t *pack_state;         /* [before.n] */
    int packed_capacity;
};

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static status_t batch_reserve(batch_t *b, int n)
{
    int64_t *tasks;

    if (n <= b->capacity)
        return ST_OK;
    n += n / 2;
    if ((tasks = realloc(b->tasks, (size_t)n * sizeof(*tasks))) == NULL)
        return log_nomem("tasks");
    b->tasks = tasks;
    b->capacity = n;
    return ST_OK;
}

/* Room for n more tasks. They are moved seldom enough that it does not matter how many
 * wait. */
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

/* What the next batch should cost. Called with the lock held. */
static double wanted_cost(const worker_t *w)
{
    double most = w->stats.rate * batch_s, share = w->inbox.cost / SHARES_MIN;
    double least = w->stats.n_tasks > 0 ? w->stats.rate * min_batch_s : 0;

    if (w->depth == 1 || share > most)
        return most;
    return share > least ? share : least;
}

/* See what the next batch should be, at the inbox's front. Called with the lock held. */
static status_t next_batch(const worker_t *w, batch_t *out)
{
    const int64_t *tasks = w->inbox.tasks + w->inbox.first;
    int limit = w->ops->batch_limit(w->job), n = 0;
    double wanted = wanted_cost(w), cost = 0;
    status_t st;

    while (n < w->inbox.n && n < limit && (n == 0 || cost < wanted))
        cost += (double)w->ops->cost(w->job, tasks[n++]);
    if ((st = batch_reserve(out, n)) != ST_OK)
        return st;
    out->n = n;
    out->cost = cost;
    if (n > 0)
        memcpy(out->tasks, tasks, (size_t)n * sizeof(*tasks));
    return ST_OK;
}

/* Note that the job has begun so many of a batch's tasks; the others wait on. */
static void note_begun(worker_t *w, batch_t *b, int n)
{
    if (n < b->n) {
        b->cost = 0;
        for (int k = 0; k < n; k++)
            b->cost += (double)w->ops->cost(w->job, b->tasks[k]);
        b->n = n;
    }
    pthread_mutex_lock(&w->lock);
    w->inbox.n -= n;
    w->inbox.first = w->inbox.n > 0 ? w->inbox.first + n : 0;
    w->inbox.cost = w->inbox.n > 0 ? w->inbox.cost - b->cost : 0;
    pthread_mutex_unlock(&w->lock);
}

/* Have the device begin batches, as many as it computes at a time. */
static status_t fill(worker_t *w)
{
    while (w->n_begun < w->depth) {
        batch_t *b = &w->begun[w->n_begun];
        status_t st = ST_OK;
        int n;

        b->n = 0;
        pthread_mutex_lock(&w->lock);
        if (!w->stop)
            st = next_batch(w, b);
        pthread_mutex_unlock(&w->lock);
        if (st != ST_OK || b->n == 0)
            return st;
        b->begun_s = now_s();
        if ((st = w->ops->submit(w->job, b->tasks, b->n, &n)) != ST_OK)
            return st;
        note_begun(w, b, n);
        w->n_begun++;
    }
    return ST_OK;
}

static void pack_one(void *ctx, int64_t k, int thread)
{
    worker_t *w = ctx;
    worker_result_t *r = &w->packed[k];

    *r = (worker_result_t){.task = w->before.tasks[k]};
    w->pack_state[k] = buf_reserve(&r->data, w->room);
    if (w->pack_state[k] != ST_OK)
        return;
    r->data.len = w->room;
    w->pack_state[k] = w->ops->pack(w->job, (int)k, thread, &r->data);
}

/* Hand packed results to the owner. */
static status_t deliver(worker_t *w, int n)
{
    status_t st = ST_OK;

    pthread_mutex_lock(&w->lock);
    if (w->out_first > 0) {
        memmove(w->outbox, w->outbox + w->out_first,
                (size_t)w->n_out * sizeof(*w->outbox));
        w->out_first = 0;
    }
    if (w->n_out + n > w->out_capacity) {
        int capacity = (w->n_out + n) * 2;
        worker_result_t *outbox = realloc(w->outbox, (size_t)capacity * sizeof(*outbox));

        if (outbox == NULL)
            st = log_nomem("results");
        else {
            w->outbox = outbox;
            w->out_capacity = capacity;
        }
    }
    for (int k = 0; k < n; k++) {
        if (st == ST_OK)
            st = w->pack_state[k];
        if (st == ST_OK)
            w->outbox[w->n_out++] = w->packed[k];
        else
            buf_free(&w->packed[k].data);
    }
    pthread_mutex_unlock(&w->lock);
    return st;
}

static status_t pack_before(worker_t *w)
{
    int n = w->before.n;

    if (n > w->packed_capacity) {
        free(w->packed);
        free(w->pack_state);
        w->packed_capacity = 0;
        w->packed = calloc((size_t)n, sizeof(*w->packed));
        w->pack_state = calloc((size_t)n, sizeof(*w->pack_state));
        if (w->packed == NULL || w->pack_state == NULL)
            return log_nomem("results");
        w->packed_capacity = n;
    }
    if (n == 0)
        return ST_OK;
    pool_run(w->pool, n, pack_one, w);
    w->before.n = 0;
    return deliver(w, n);
}

/* A batch's time starts when the one before it ends, if that was not over already. */
static void note_batch(worker_t *w, const batch_t *b)
{
    double start = b->begun_s > w->collected_s ? b->begun_s : w->collected_s, seconds;

    w->collected_s = now_s();
    seconds = w->collected_s - start;
    pthread_mutex_lock(&w->lock);
    if (b->cost > 0 && seconds > 0) {
        w->lately_cost = rate_decay * w->lately_cost + b->cost;
        w->lately_s = rate_decay * w->lately_s + seconds;
        w->stats.rate = w->lately_cost / w->lately_s; /* before: a guess */
    }
    w->stats.n_tasks += b->n;
    w->stats.cost += b->cost;
    w->stats.busy_s += seconds;
    pthread_mutex_unlock(&w->lock);
}

/* Wait for the oldest batch. */
static status_t collect(worker_t *w)
{
    batch_t oldest = w->begun[0];
    status_t st = w->ops->collect(w->job);
    bool stopped;

    if (st != ST_OK)
        return st;
    pthread_mutex_lock(&w->lock);
    stopped = w->stop;
    pthread_mutex_unlock(&w->lock);
    if (stopped) /* cancelled: the results are not whole */
        return ST_OK;
    note_batch(w, &oldest);
    memmove(w->begun, w->begun + 1, (JOB_DEPTH_MAX - 1) * sizeof(*w->begun));
    w->begun[JOB_DEPTH_MAX - 1] = w->before;
    w->before = oldest;
    w->n_begun--;
    return ST_OK;
}

/* One turn: keep the device supplied, pack what was collected meanwhile, and collect. */
static status_t turn(worker_t *w)
{
    status_t st;

    if ((st = fill(w)) != ST_OK || (st = pack_before(w)) != ST_OK || w->n_begun == 0)
        return st;
    return collect(w);
}

static void *device_main(void *arg)
{
    worker_t *w = arg;
    status_t st = ST_OK, packed;
    bool stopped = false;

    while (st == ST_OK && !stopped) {
        pthread_mutex_lock(&w->lock);
        while (!w->stop && w->inbox.n == 0 && w->n_begun == 0 && w->before.n == 0)
            pthread_cond_wait(&w->wake, &w->lock);
        stopped = w->stop;
        pthread_mutex_unlock(&w->lock);
        if (!stopped)
            st = turn(w);
    }
    packed = pack_before(w); /* what is finished is not lost to a stop or a failure */
    pthread_mutex_lock(&w->lock);
    w->state = st != ST_OK ? st : packed;
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

status_t worker_create(const job_ops_t *ops, void *job, pool_t *pool, double guess,
                       size_t room, worker_t **out)
{
    worker_t *w = calloc(1, sizeof(*w));
    sigset_t all, before;
    int failed;

    if (w == NULL)
        return log_nomem("a worker");
    w->ops = ops;
    w->job = job;
    w->pool = pool;
    w->room = room;
    w->depth = ops->depth(job);
    w->stats.rate = guess;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->wake, NULL);
    sigfillset(&all); /* signals are the main thread's */
    pthread_sigmask(SIG_BLOCK, &all, &before);
    failed = pthread_create(&w->thread, NULL, device_main, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    w->started = failed == 0;
    if (failed) {
        worker_destroy(w);
        return log_nomem("a worker's thread");
    }
    *out = w;
    return ST_OK;
}

status_t worker_give(worker_t *w, const int64_t *tasks, int n)
{
    double cost = 0;
    status_t st;

    for (int k = 0; k < n; k++)
        cost += (double)w->ops->cost(w->job, tasks[k]);
    pthread_mutex_lock(&w->lock);
    if ((st = inbox_reserve(&w->inbox, n)) == ST_OK) {
        w->inbox.cost += cost;
        memcpy(w->inbox.tasks + w->inbox.first + w->inbox.n, tasks,
               (size_t)n * sizeof(*tasks));
        w->inbox.n += n;
        pthread_cond_signal(&w->wake);
    }
    pthread_mutex_unlock(&w->lock);
    return st;
}

bool worker_take(worker_t *w, worker_result_t *out)
{
    bool got;

    pthread_mutex_lock(&w->lock);
    got = w->n_out > 0;
    if (got) {
        *out = w->outbox[w->out_first++];
        w->n_out--;
    }
    pthread_mutex_unlock(&w->lock);
    return got;
}

status_t worker_state(worker_t *w)
{
    status_t st;

    pthread_mutex_lock(&w->lock);
    st = w->state;
    pthread_mutex_unlock(&w->lock);
    return st;
}

worker_stats_t worker_stats(worker_t *w)
{
    worker_stats_t stats;

    pthread_mutex_lock(&w->lock);
    stats = w->stats;
    pthread_mutex_unlock(&w->lock);
    return stats;
}

bool worker_stop(worker_t *w, int seconds)
{
    struct timespec until;

    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
    if (!w->started)
        return true;
    w->ops->cancel(w->job);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += seconds;
    if (pthread_timedjoin_np(w->thread, NULL, &until) != 0)
        return false;
    w->started = false;
    return true;
}

void worker_destroy(worker_t *w)
{
    if (w == NULL)
        return;
    for (int i = 0; i < w->n_out; i++)
        buf_free(&w->outbox[w->out_first + i].data);
    pthread_cond_destroy(&w->wake);
    pthread_mutex_destroy(&w->lock);
    free(w->inbox.tasks);
    for (int i = 0; i < JOB_DEPTH_MAX; i++)
        free(w->begun[i].tasks);
    free(w->before.tasks);
    free(w->outbox);
    free(w->packed);
    free(w->pack_state);
    free(w);
}
