/*
 * taskset.c - which tasks nobody holds yet, which are held by workers, and which are
 * finished.
 */
#include "dispatcher/free_state.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int cost_class;
    int64_t task;
} ordered_t;

/* TASK_FRESH: never granted; TASK_ANSWERED: it has its result, which is not stored yet */
typedef enum { TASK_FRESH, TASK_GRANTED, TASK_ANSWERED, TASK_DONE } task_state_t;

typedef struct {
    uint8_t state;  /* task_state_t */
    uint8_t n_held; /* copies that workers hold */
    uint8_t n_back; /* copies in `back` */
} task_t;

struct taskset {
    int64_t n, n_done;
    int n_copies;     /* of each task, to be granted */
    ordered_t *order; /* [n_order] the most expensive classes first */
    int64_t n_order, next;
    buf_t back;    /* int64_t: further copies, and tasks that were put back: a stack */
    task_t *tasks; /* [n] */
    double cost_left;
    int64_t (*cost)(const void *ctx, int64_t task);
    const void *ctx;
};

/* @return the same number for costs up to half as much again: two classes per power of
 *         two, the position of the highest bit and the bit below it */
static int cost_class(int64_t cost)
{
    int bit = 62;

    if (cost < 1)
        return -1;
    while (cost >> bit == 0)
        bit--;
    return 2 * bit + (bit > 0 ? (int)(cost >> (bit - 1) & 1) : 0);
}

/* Within a class tasks are in the order of their numbers. */
static int by_cost(const void *a, const void *b)
{
    const ordered_t *x = a, *y = b;

    if (x->cost_class != y->cost_class)
        return x->cost_class > y->cost_class ? -1 : 1;
    return x->task < y->task ? -1 : 1;
}

status_t taskset_create(int64_t n, int n_copies,
                        int64_t (*cost)(const void *ctx, int64_t task),
                        bool (*is_done)(const void *ctx, int64_t task), const void *ctx,
                        taskset_t **out)
{
    taskset_t *ts = calloc(1, sizeof(*ts));

    if (ts == NULL)
        return log_nomem("the tasks");
    ts->n = n;
    ts->n_copies = n_copies;
    ts->cost = cost;
    ts->ctx = ctx;
    ts->order = malloc(((size_t)n + 1) * sizeof(*ts->order));
    ts->tasks = calloc((size_t)n + 1, sizeof(*ts->tasks));
    if (ts->order == NULL || ts->tasks == NULL) {
        taskset_destroy(ts);
        return log_nomem("the tasks");
    }
    for (int64_t task = 0; task < n; task++) {
        int64_t task_cost;

        if (is_done(ctx, task)) {
            ts->tasks[task].state = TASK_DONE;
            ts->n_done++;
            continue;
        }
        task_cost = cost(ctx, task);
        ts->order[ts->n_order++] = (ordered_t){cost_class(task_cost), task};
        ts->cost_left += (double)task_cost * n_copies;
    }
    qsort(ts->order, (size_t)ts->n_order, sizeof(*ts->order), by_cost);
    *out = ts;
    return ST_OK;
}

int64_t taskset_next(const taskset_t *ts, taskset_may_t *may, const void *who)
{
    const int64_t *back = (const int64_t *)(const void *)ts->back.data;

    for (size_t n = ts->back.len / sizeof(*back); n > 0; n--)
        if (may == NULL || may(who, back[n - 1]))
            return back[n - 1];
    return ts->next < ts->n_order ? ts->order[ts->next].task : -1;
}

static double cost_of(const taskset_t *ts, int64_t task)
{
    return (double)ts->cost(ts->ctx, task);
}

/* Remove the topmost copy. */
static void remove_back(taskset_t *ts, int64_t task)
{
    int64_t *back = (int64_t *)(void *)ts->back.data;
    size_t n = ts->back.len / sizeof(*back) - 1, i = n;

    while (back[i] != task)
        i--;
    memmove(back + i, back + i + 1, (n - i) * sizeof(*back));
    ts->back.len -= sizeof(*back);
    ts->tasks[task].n_back--;
    ts->cost_left -= cost_of(ts, task);
}

status_t taskset_add(taskset_t *ts, int64_t task)
{
    status_t st = buf_append(&ts->back, &task, sizeof(task));

    if (st != ST_OK)
        return st;
    ts->tasks[task].n_back++;
    ts->cost_left += cost_of(ts, task);
    return ST_OK;
}

/* Answered tasks are not next: the result of one that was put back may still arrive. */
static void skip_answered(taskset_t *ts)
{
    while (ts->next < ts->n_order &&
           ts->tasks[ts->order[ts->next].task].state >= TASK_ANSWERED)
        ts->next++;
}

status_t taskset_take(taskset_t *ts, int64_t task)
{
    task_t *t = &ts->tasks[task];
    status_t st = ST_OK;

    t->n_held++;
    if (t->state != TASK_FRESH) {
        remove_back(ts, task);
        return ST_OK;
    }
    t->state = TASK_GRANTED;
    ts->cost_left -= cost_of(ts, task) * ts->n_copies;
    ts->next++;
    skip_answered(ts);
    for (int k = 1; st == ST_OK && k < ts->n_copies; k++)
        st = taskset_add(ts, task);
    return st;
}

void taskset_copy(taskset_t *ts, int64_t task)
{
    ts->tasks[task].n_held++;
}

int taskset_n_held(const taskset_t *ts, int64_t task)
{
    return ts->tasks[task].n_held;
}

void taskset_release(taskset_t *ts, int64_t task)
{
    if (ts->tasks[task].n_held > 0)
        ts->tasks[task].n_held--;
}

status_t taskset_put_back(taskset_t *ts, int64_t task)
{
    task_t *t = &ts->tasks[task];

    if (t->n_held == 0)
        return ST_OK;
    t->n_held--;
    return t->state == TASK_GRANTED ? taskset_add(ts, task) : ST_OK;
}

bool taskset_answer(taskset_t *ts, int64_t task)
{
    task_t *t = &ts->tasks[task];

    if (t->state >= TASK_ANSWERED)
        return false;
    if (t->state == TASK_FRESH)
        ts->cost_left -= cost_of(ts, task) * ts->n_copies;
    while (t->n_back > 0)
        remove_back(ts, task);
    t->state = TASK_ANSWERED;
    skip_answered(ts);
    return true;
}

bool taskset_is_answered(const taskset_t *ts, int64_t task)
{
    return ts->tasks[task].state >= TASK_ANSWERED;
}

bool taskset_finish(taskset_t *ts, int64_t task)
{
    if (ts->tasks[task].state == TASK_DONE)
        return false;
    taskset_answer(ts, task);
    ts->tasks[task].state = TASK_DONE;
    ts->n_done++;
    return true;
}

double taskset_cost_left(const taskset_t *ts)
{
    return ts->cost_left;
}

int64_t taskset_n_done(const taskset_t *ts)
{
    return ts->n_done;
}

void taskset_destroy(taskset_t *ts)
{
    if (ts == NULL)
        return;
    free(ts->order);
    buf_free(&ts->back);
    free(ts->tasks);
    free(ts);
}
