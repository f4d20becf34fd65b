/*
 * device_sim.h - a simulated device, and a worker that drives it.
 */
#pragma once

#include "io/base/clock.h"
#include "worker/worker.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { N_MAX = 256, ROOM = 24, LIMIT = 4, WAIT_S = 20, NEVER = -1 };

static const double fast = 1e12; /* a guess with which the limit alone cuts batches */
static const double slow = 5e11; /* and another one */

/* What is not atomic belongs to the device thread, or is set before the first task is
 * given.  NEVER: not at all. */
typedef struct {
    job_t base;
    int64_t on_device[JOB_DEPTH_MAX][N_MAX], collected[JOB_PLACES][N_MAX];
    int max_begun;    /* batches at a time */
    int sizes[N_MAX]; /* [n_submits] batches */
    atomic_int n_submits, n_collects, n_packs;
    atomic_int n_packs_while_busy; /* packs while a batch was on the device */
    atomic_bool ignores;           /* the cancel has no effect */
    bool two_at_once;              /* every second batch ends with the one before */
    int collect_us;                /* how long a batch takes */
    bool waits_for_packs;          /* it ends after the packs of earlier batches */
    bool packs_wait;               /* the first batch's end after the second's collect */
    int hangs_at;                  /* the collect that waits for cancel */
    int held_at;                   /* the submit that waits for cancel */
    atomic_int is_held;
    int submit_fails_at, collect_fails_at;
    int has_memory_for; /* tasks in a batch of a GPU; 0: any number */
    int64_t pack_fails_of;
    int max_begins; /* tasks that a submit begins, whatever it is given; 0: all */
    int lost_at;    /* the collect that finds the device lost */
    atomic_int n_releases;
    atomic_bool release_waits; /* as long as this is set */
    int n_prepares;
    device_kind_t prepared_kind;
    bool prepare_fails, lost_again;
} device_sim_t;

static device_sim_t device;

static int64_t cost(const job_t *job, int64_t task)
{
    (void)job;
    (void)task;
    return 10;
}

static inline int n_begun(device_sim_t *d)
{
    return atomic_load(&d->n_submits) - atomic_load(&d->n_collects);
}

static inline status_t submit(job_t *job, const int64_t *tasks, int n, int *n_begun_of)
{
    device_sim_t *d = (device_sim_t *)job;
    int at = atomic_load(&d->n_submits);

    if (at == d->submit_fails_at)
        return ST_EDEVICE;
    if (d->has_memory_for != 0 && d->prepared_kind != DEVICE_CPU && n > d->has_memory_for)
        return ST_ENOMEM;
    if (at == d->held_at) {
        atomic_store(&d->is_held, 1);
        while (!job_is_cancelled(job))
            usleep(200);
    }
    if (d->max_begins > 0 && n > d->max_begins)
        n = d->max_begins;
    memcpy(d->on_device[at % JOB_DEPTH_MAX], tasks, (size_t)n * sizeof(*tasks));
    *n_begun_of = n;
    d->sizes[at] = n;
    atomic_store(&d->n_submits, at + 1);
    if (n_begun(d) > d->max_begun)
        d->max_begun = n_begun(d);
    return ST_OK;
}

/* Wait for what comes meanwhile, however slow the machine is; but not for ever. */
static inline void wait_until(atomic_int *count, int n)
{
    for (int ms = 0; atomic_load(count) < n && ms < 1000 * WAIT_S; ms++)
        usleep(1000);
}

static inline status_t collect(job_t *job, int place)
{
    device_sim_t *d = (device_sim_t *)job;
    int at = atomic_load(&d->n_collects);

    if (!d->two_at_once || at % 2 == 0)
        usleep((useconds_t)d->collect_us);
    if (d->waits_for_packs)
        wait_until(&d->n_packs, at * LIMIT);
    while (at == d->hangs_at && (!job_is_cancelled(job) || atomic_load(&d->ignores)))
        usleep(200);
    if (at == d->collect_fails_at)
        return ST_EDEVICE;
    if (at == d->lost_at) {
        d->lost_at = d->lost_again ? at : NEVER;
        return ST_ELOST;
    }
    memcpy(d->collected[place], d->on_device[at % JOB_DEPTH_MAX],
           sizeof(d->collected[place]));
    atomic_store(&d->n_collects, at + 1);
    return ST_OK;
}

static int64_t value_of(int64_t task)
{
    return task * task + 7;
}

static inline status_t pack(job_t *job, int place, int k, int thread, buf_t *out)
{
    device_sim_t *d = (device_sim_t *)job;
    int64_t value = value_of(d->collected[place][k]);

    (void)thread;
    if (d->collected[place][k] == d->pack_fails_of)
        return ST_EIO;
    if (d->packs_wait && d->collected[place][k] < LIMIT)
        wait_until(&d->n_collects, 2);
    if (n_begun(d) > 0)
        atomic_fetch_add(&d->n_packs_while_busy, 1);
    atomic_fetch_add(&d->n_packs, 1);
    return buf_append(out, &value, sizeof(value));
}

/* The batches of a lost device are gone. */
static inline void release(job_t *job)
{
    device_sim_t *d = (device_sim_t *)job;

    while (atomic_load(&d->release_waits))
        usleep(200);
    atomic_fetch_add(&d->n_releases, 1);
    atomic_store(&d->n_collects, atomic_load(&d->n_submits));
}

static inline status_t prepare(job_t *job, const char **kernel_name, double *guess)
{
    device_sim_t *d = (device_sim_t *)job;

    d->n_prepares++;
    d->prepared_kind = job->device.kind;
    *kernel_name = "slow";
    *guess = slow;
    return d->prepare_fails ? ST_ENOMEM : ST_OK;
}

static const job_ops_t ops = {.name = "fake",
                              .cost = cost,
                              .prepare = prepare,
                              .release = release,
                              .submit = submit,
                              .collect = collect,
                              .pack = pack};

static pool_t *pool;
static worker_t *w;
static notifier_t notifier;
static const device_t gpu = {.kind = DEVICE_CUDA, .name = "a simulated GPU"};
static int times[N_MAX]; /* how often a task was returned */

static turns_t *turns; /* NULL: nobody else uses the device */

static inline status_t create_worker(double guess)
{
    const worker_opts_t opts = {.job = &device.base,
                                .pool = pool,
                                .device = &gpu,
                                .guess = guess,
                                .notifier = &notifier,
                                .head_bytes = ROOM,
                                .turns = turns};

    return worker_create(&opts, &w);
}

static inline int begin_device(int n)
{
    memset(&device, 0, sizeof(device));
    memset(times, 0, sizeof(times));
    device.hangs_at = device.submit_fails_at = device.collect_fails_at = NEVER;
    device.pack_fails_of = device.held_at = device.lost_at = NEVER;
    device.base.ops = &ops;
    device.base.plan = (job_plan_t){.kind = JOB_FREE, .n_tasks = N_MAX};
    device.base.max_batch = LIMIT;
    device.base.depth = n;
    device.prepared_kind = DEVICE_CUDA;
    notifier_begin(&notifier);
    if (pool_create(2, &pool) != ST_OK)
        return -1;
    return create_worker(fast) == ST_OK ? 0 : -1;
}

static inline int begin(void **state)
{
    (void)state;
    return begin_device(1);
}

/* With a device that computes two batches at a time. */
static inline int begin_two(void **state)
{
    (void)state;
    return begin_device(2);
}

static inline int end(void **state)
{
    (void)state;
    atomic_store(&device.ignores, false);
    atomic_store(&device.release_waits, false);
    if (w != NULL && !worker_stop(w, WAIT_S))
        return -1;
    worker_destroy(w);
    pool_destroy(pool);
    return 0;
}

/* Give tasks first .. first+n-1. */
static inline void give(int first, int n)
{
    int64_t tasks[N_MAX];

    for (int i = 0; i < n; i++)
        tasks[i] = first + i;
    assert_int_equal(worker_give(w, tasks, n), ST_OK);
}

/* Take a result, if there is one, and check it. */
static inline bool take(void)
{
    worker_result_t r;
    int64_t value;

    if (!worker_take(w, &r))
        return false;
    assert_int_equal(r.data.len, ROOM + sizeof(value));
    memcpy(&value, r.data.data + ROOM, sizeof(value));
    memset(r.data.data, 0xff, ROOM); /* the owner's to fill */
    assert_int_equal(value, value_of(r.task));
    times[r.task]++;
    buf_free(&r.data);
    return true;
}

/* @return how many of n results arrived in time */
static inline int take_all(int n)
{
    double until = clock_now_s() + WAIT_S;
    int got = 0;

    while (got < n && clock_now_s() < until)
        if (take())
            got++;
        else
            usleep(200);
    return got;
}

static inline bool reached(const atomic_int *number, int min)
{
    double until = clock_now_s() + WAIT_S;

    while (atomic_load(number) < min && clock_now_s() < until)
        usleep(200);
    return atomic_load(number) >= min;
}

/* @return the worker's error, once it has one */
static inline status_t failure(void)
{
    double until = clock_now_s() + WAIT_S;

    while (worker_state(w) == ST_OK && clock_now_s() < until)
        usleep(200);
    return worker_state(w);
}

static inline void assert_returned_once(int n)
{
    for (int i = 0; i < N_MAX; i++)
        assert_int_equal(times[i], i < n ? 1 : 0);
}
