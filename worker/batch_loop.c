/*
 * batch_loop.c - a device thread's work on free tasks: batch after batch, until a stop.
 */
#include "worker/mailbox.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "io/fault/fault.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Short enough to lose little, long enough to outweigh the time that the last pairs of a
 * batch leave most of a GPU idle, which is up to a tenth of a second. */
static const double batch_s[] = {[DEVICE_CPU] = 0.25, [DEVICE_CUDA] = 1};

/* Where batches overlap, the last ones, or those of a small job, are shorter, so that
 * little is left to do when the device has no more work; but they fill the device, as far
 * as its rate is known. */
static const double min_batch_s[] = {[DEVICE_CPU] = 0.02, [DEVICE_CUDA] = 0.1};
enum { MIN_BATCHES = 2 }; /* that the waiting tasks are divided into */

/* Of a device that others use, too: they wait for the end of batches. */
static const double shared_batch_s = 0.25;

/* The weight of all earlier batches in the rate, against the newest one.  Costs and times
 * are summed, not rates: of two batches that are found finished at once, because the
 * thread was late, the second took no time at all. */
static const double rate_decay = 0.5;

typedef struct {
    int64_t *tasks; /* [n] */
    int n, capacity;
    double cost;
    double begun_s;
    int place; /* of its results in the job, once it is collected */
} batch_t;

/* A collected batch that the pool packs in the background. */
typedef struct {
    batch_t batch;            /* n = 0: none */
    worker_result_t *results; /* [capacity] */
    status_t *state;          /* [capacity] of each of them */
    int capacity;
    atomic_int n_left; /* to be packed */
    status_t failed;   /* the first failure; nothing is packed after it */
} packing_t;

typedef struct {
    mailbox_t *mail;
    const worker_opts_t *opts;
    batch_t begun[JOB_DEPTH_MAX]; /* [n_begun] on the device, the oldest first */
    int n_begun, depth;
    double collected_s;           /* when a batch was collected last */
    double recent_cost, recent_s; /* of the last batches, older ones weighing less */
    batch_t collected;            /* that is packed next; n = 0: none */
    int free_place;               /* that the next batch is collected into */
    packing_t packing;
    device_t device; /* that the job is prepared for */
    int max_tasks;   /* of a batch, after one that had no memory; 0: not limited */
    int failed_n;    /* tasks of the batch that failed last */
    bool replaced;   /* the device is the CPU since another was lost */
    bool faulty;     /* the loss was a test's */
} batches_t;

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

static double cost_of(const batches_t *b, int64_t task)
{
    return (double)job_cost(b->opts->job, task);
}

static double max_batch_s(const batches_t *b)
{
    turns_t *t = b->opts->turns;
    const double seconds = batch_s[b->device.kind];

    return t != NULL && t->is_shared(t) && seconds > shared_batch_s ? shared_batch_s
                                                                    : seconds;
}

/* What the next batch should cost. Called with the lock held. */
static double target_cost(const batches_t *b)
{
    const worker_stats_t *stats = &b->mail->stats;
    double max_cost = stats->rate * max_batch_s(b),
           cost = b->mail->inbox_cost / MIN_BATCHES;
    double min_cost = stats->n_tasks > 0 ? stats->rate * min_batch_s[b->device.kind] : 0;

    if (b->depth == 1 || cost > max_cost)
        return max_cost;
    return cost > min_cost ? cost : min_cost;
}

/* Copy the next batch from the front of the inbox, where its tasks stay until the job has
 * begun them. */
static status_t choose_batch(batches_t *b, batch_t *out)
{
    const int64_t *tasks;
    int limit = b->opts->job->max_batch, n_waiting, n = 0;
    double target, cost = 0;
    status_t st = ST_OK;

    if (b->max_tasks > 0 && b->max_tasks < limit)
        limit = b->max_tasks;
    out->n = 0;
    pthread_mutex_lock(&b->mail->lock);
    target = target_cost(b);
    tasks = fifo_data(&b->mail->inbox);
    n_waiting = (int)(fifo_len(&b->mail->inbox) / sizeof(*tasks));
    if (!b->mail->stop)
        while (n < n_waiting && n < limit && (n == 0 || cost < target))
            cost += cost_of(b, tasks[n++]);
    if (n > 0 && (st = batch_reserve(out, n)) == ST_OK) {
        memcpy(out->tasks, tasks, (size_t)n * sizeof(*tasks));
        out->n = n;
        out->cost = cost;
    }
    pthread_mutex_unlock(&b->mail->lock);
    return st;
}

/* Note that the job has begun the first n tasks of a batch; the others stay in the inbox.
 */
static void note_begun(batches_t *b, batch_t *batch, int n)
{
    if (n < batch->n) {
        batch->cost = 0;
        for (int k = 0; k < n; k++)
            batch->cost += cost_of(b, batch->tasks[k]);
        batch->n = n;
    }
    mailbox_drop(b->mail, n, batch->cost);
    b->n_begun++;
}

/* @return whether a batch may begin */
static bool has_turn(const batches_t *b)
{
    turns_t *t = b->opts->turns;

    if (t == NULL || b->n_begun == 0)
        return turns_next(t);
    return !t->is_over(t) && t->take(t);
}

/* Submit batches until the device has as many as it computes at a time. */
static status_t submit_batches(batches_t *b)
{
    while (b->n_begun < b->depth) {
        batch_t *batch = &b->begun[b->n_begun];
        status_t st = choose_batch(b, batch);
        int n;

        if (b->n_begun == 0 && batch->n == 0)
            turns_end(b->opts->turns);
        if (st != ST_OK || batch->n == 0 || !has_turn(b))
            return st;
        b->failed_n = batch->n;
        batch->begun_s = clock_now_s();
        st = job_submit(b->opts->job, batch->tasks, batch->n, &n);
        if (st != ST_OK)
            return st;
        note_begun(b, batch, n);
    }
    return ST_OK;
}

/* Pass the results on, up to the first that failed. */
static void deliver(batches_t *b)
{
    packing_t *p = &b->packing;
    int n = p->batch.n, n_good = 0;
    status_t st;

    while (n_good < n && p->state[n_good] == ST_OK)
        n_good++;
    for (int k = n_good; k < n; k++)
        buf_free(&p->results[k].data);
    st = mailbox_deliver(b->mail, p->results, n_good);
    p->failed = n_good < n ? p->state[n_good] : st;
}

/* Faults of a plan in a packed result. */
static status_t corrupt(buf_t *result, size_t head_bytes)
{
    if (fault_now(FAULT_MALLOC))
        return log_nomem("a result, by a plan of faults");
    if (fault_now(FAULT_WRONG) && result->len > head_bytes)
        result->data[(result->len + head_bytes) / 2] ^= 1;
    return ST_OK;
}

/* Pack a task's result; whichever thread packs the last one delivers them all. */
static void pack_one(void *ctx, int64_t k, int thread)
{
    batches_t *b = ctx;
    packing_t *p = &b->packing;
    worker_result_t *r = &p->results[k];

    *r = (worker_result_t){.task = p->batch.tasks[k]};
    p->state[k] = worker_result_begin(r, b->opts);
    if (p->state[k] == ST_OK)
        p->state[k] = b->opts->job->ops->pack(b->opts->job, p->batch.place, (int)k,
                                              thread, &r->data);
    if (p->state[k] == ST_OK)
        p->state[k] = corrupt(&r->data, b->opts->head_bytes);
    if (atomic_fetch_sub(&p->n_left, 1) == 1)
        deliver(b);
}

static status_t packing_reserve(packing_t *p, int n)
{
    if (n <= p->capacity)
        return ST_OK;
    free(p->results);
    free(p->state);
    p->capacity = 0;
    p->results = calloc((size_t)n, sizeof(*p->results));
    p->state = calloc((size_t)n, sizeof(*p->state));
    if (p->results == NULL || p->state == NULL)
        return log_nomem("results");
    p->capacity = n;
    return ST_OK;
}

/* Wait until the batch in the background is packed and delivered. */
static status_t finish_packing(batches_t *b)
{
    pool_finish(b->opts->pool);
    b->packing.batch.n = 0;
    return b->packing.failed;
}

/* Finish packing a batch, and begin to pack the one collected since. */
static status_t pack_collected(batches_t *b)
{
    packing_t *p = &b->packing;
    batch_t empty = p->batch;
    status_t st = finish_packing(b);

    if (st != ST_OK || b->collected.n == 0 ||
        (st = packing_reserve(p, b->collected.n)) != ST_OK)
        return st;
    empty.n = 0;
    p->batch = b->collected;
    b->collected = empty;
    atomic_store(&p->n_left, p->batch.n);
    pool_begin(b->opts->pool, p->batch.n, pack_one, b);
    return ST_OK;
}

/* A batch's time starts when it was begun, or when the one before it ended if that was
 * later. */
static void note_collected(batches_t *b, const batch_t *batch)
{
    worker_stats_t *stats = &b->mail->stats;
    double start = batch->begun_s > b->collected_s ? batch->begun_s : b->collected_s;
    double seconds;

    b->collected_s = clock_now_s();
    seconds = b->collected_s - start;
    pthread_mutex_lock(&b->mail->lock);
    if (batch->cost > 0 && seconds > 0) {
        b->recent_cost = rate_decay * b->recent_cost + batch->cost;
        b->recent_s = rate_decay * b->recent_s + seconds;
        stats->rate = b->recent_cost / b->recent_s; /* before: a guess */
    }
    stats->n_tasks += batch->n;
    stats->cost += batch->cost;
    stats->busy_s += seconds;
    pthread_mutex_unlock(&b->mail->lock);
}

/* Faults of a plan while a batch is on the device. */
static status_t inject_fault(batches_t *b, const batch_t *batch)
{
    status_t st = ST_OK;

    for (int k = 0; k < batch->n; k++) {
        if (fault_now(FAULT_KILL))
            raise(SIGKILL);
        if (fault_now(FAULT_STALL))
            while (!mailbox_is_stopped(b->mail) && !mailbox_hangs(b->mail))
                usleep(1000);
        if (fault_now(FAULT_MEMORY))
            st = log_nomem("a batch on the device, by a plan of faults");
        if (fault_now(FAULT_DEVICE) && !b->replaced) {
            b->faulty = true;
            st = ST_ELOST;
        }
    }
    return st;
}

/* Wait for the oldest batch. */
static status_t collect_oldest(batches_t *b)
{
    batch_t oldest = b->begun[0];
    status_t st;

    b->failed_n = oldest.n;
    st = job_collect(b->opts->job, b->free_place);

    if (st == ST_OK)
        st = inject_fault(b, &oldest);
    if (st != ST_OK)
        return st;
    if (mailbox_is_stopped(b->mail) || mailbox_hangs(b->mail))
        return ST_OK; /* cancelled: the results are not whole */
    note_collected(b, &oldest);
    memmove(b->begun, b->begun + 1, (JOB_DEPTH_MAX - 1) * sizeof(*b->begun));
    b->begun[JOB_DEPTH_MAX - 1] = b->collected;
    b->collected = oldest;
    b->collected.place = b->free_place;
    b->free_place = (b->free_place + 1) % JOB_PLACES;
    b->n_begun--;
    return ST_OK;
}

/* Compute tasks once more, one by one; a check uses what packing uses. */
static status_t run_checks(batches_t *b)
{
    worker_check_t check;
    status_t st = ST_OK;

    while (st == ST_OK && mailbox_take_check(b->mail, &check)) {
        worker_result_t r = {.task = check.task, .version = check.how};

        if ((st = finish_packing(b)) == ST_OK)
            st = worker_result_begin(&r, b->opts);
        if (st == ST_OK)
            st = b->opts->job->ops->check(b->opts->job, check.task, (job_how_t)check.how,
                                          &r.data);
        if (st == ST_OK && !mailbox_is_stopped(b->mail) && !mailbox_hangs(b->mail))
            st = mailbox_deliver(b->mail, &r, 1);
        else
            buf_free(&r.data);
    }
    return st;
}

/* Keep the device supplied, pack what was collected, and collect.  The pool packs while
 * this thread waits for the device and submits. */
static status_t compute(batches_t *b)
{
    status_t st = ST_OK;

    while (st == ST_OK) {
        bool is_idle = b->n_begun == 0 && b->collected.n == 0 && b->packing.batch.n == 0;

        if ((is_idle ? mailbox_wait(b->mail) : mailbox_is_stopped(b->mail)) ||
            mailbox_hangs(b->mail))
            break;
        if ((st = run_checks(b)) == ST_OK && (st = submit_batches(b)) == ST_OK &&
            (st = pack_collected(b)) == ST_OK && b->n_begun > 0)
            st = collect_oldest(b);
    }
    return st;
}

/* Prepare a device again, another one after a loss.  The tasks that the worker holds are
 * given back. */
static status_t restart(batches_t *b, device_t device, bool lost)
{
    const char *kernel;
    double rate;
    status_t st;

    mailbox_lose_device(b->mail);
    b->device = device;
    b->n_begun = 0;
    b->recent_cost = b->recent_s = 0;
    job_release(b->opts->job);
    st = job_prepare(b->opts->job, &b->device, b->opts->pool, &kernel, &rate);
    if (st != ST_OK)
        return st;
    b->depth = b->opts->job->depth;
    mailbox_replace_device(b->mail, rate, lost);
    return ST_OK;
}

/* Go on with the CPU after the device was lost. @return ST_EDEVICE if it was the CPU */
static status_t replace_device(batches_t *b)
{
    bool hangs = mailbox_hangs(b->mail);

    if (b->replaced || (!device_is_gpu(&b->device) && !b->faulty && !hangs))
        return ST_EDEVICE;
    log_warn("rank %d %s its device %s: its tasks are given back, and it continues with "
             "its CPU",
             b->opts->rank, hangs ? "gave up" : "lost", b->device.name);
    b->replaced = true;
    return restart(b, device_cpu(), true);
}

/* Go on with half as many tasks in a batch, in the end with the CPU.
 * @return ST_ENOMEM if there is no memory for one task on the CPU */
static status_t shrink_batches(batches_t *b)
{
    bool is_gpu = device_is_gpu(&b->device);
    status_t st;

    if (b->failed_n <= 1)
        return is_gpu ? replace_device(b) : ST_ENOMEM;
    b->max_tasks = b->failed_n / 2;
    log_warn("rank %d had no memory for a batch on its device %s: its tasks are given "
             "back, and it continues with at most %d tasks in a batch",
             b->opts->rank, b->device.name, b->max_tasks);
    st = restart(b, b->device, false);
    return st == ST_ENOMEM && is_gpu ? replace_device(b) : st;
}

static void batches_free(batches_t *b)
{
    for (int i = 0; i < JOB_DEPTH_MAX; i++)
        free(b->begun[i].tasks);
    free(b->collected.tasks);
    free(b->packing.batch.tasks);
    free(b->packing.results);
    free(b->packing.state);
}

status_t batch_loop(mailbox_t *mail, const worker_opts_t *opts)
{
    batches_t b = {.mail = mail,
                   .opts = opts,
                   .device = *opts->device,
                   .depth = opts->job->depth};
    status_t st, packed;

    do {
        st = compute(&b);
        /* finished work survives a stop and a failure */
        if ((packed = pack_collected(&b)) == ST_OK)
            packed = finish_packing(&b);
        if (mailbox_is_stopped(mail) && st == ST_ELOST)
            st = ST_OK;
        if (mailbox_is_stopped(mail) || packed != ST_OK)
            break;
        if (st == ST_ELOST || mailbox_hangs(mail))
            st = replace_device(&b);
        else if (st == ST_ENOMEM)
            st = shrink_batches(&b);
        else
            break;
    } while (st == ST_OK);
    turns_end(opts->turns);
    batches_free(&b);
    return st != ST_OK ? st : packed;
}
