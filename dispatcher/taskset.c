/*
 * taskset.c - which tasks nobody holds yet, which are held by a worker, and which are
 * finished.
 */
#include "dispatcher/taskset.h"

#include "io/base/logmsg.h"

#include <stdlib.h>

typedef struct {
    int cost_class;
    int64_t task;
} ordered_t;

typedef enum { TASK_FREE, TASK_HELD, TASK_DONE } task_state_t;

struct taskset {
    int64_t n, n_done;
    ordered_t *order; /* [n_order] the most expensive classes first */
    int64_t n_order, next;
    int64_t *back; /* [n_back] tasks that were put back: a stack */
    int64_t n_back, back_capacity;
    unsigned char *state; /* [n] task_state_t */
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

status_t taskset_create(int64_t n, int64_t (*cost)(const void *ctx, int64_t task),
                        bool (*is_done)(const void *ctx, int64_t task), const void *ctx,
                        taskset_t **out)
{
    taskset_t *ts = calloc(1, sizeof(*ts));

    if (ts == NULL)
        return log_nomem("the tasks");
    ts->n = n;
    ts->cost = cost;
    ts->ctx = ctx;
    ts->order = malloc(((size_t)n + 1) * sizeof(*ts->order));
    ts->state = calloc((size_t)n + 1, sizeof(*ts->state));
    if (ts->order == NULL || ts->state == NULL) {
        taskset_destroy(ts);
        return log_nomem("the tasks");
    }
    for (int64_t task = 0; task < n; task++) {
        int64_t task_cost;

        if (is_done(ctx, task)) {
            ts->state[task] = TASK_DONE;
            ts->n_done++;
            continue;
        }
        task_cost = cost(ctx, task);
        ts->order[ts->n_order++] = (ordered_t){cost_class(task_cost), task};
        ts->cost_left += (double)task_cost;
    }
    qsort(ts->order, (size_t)ts->n_order, sizeof(*ts->order), by_cost);
    *out = ts;
    return ST_OK;
}

/* Keep finished tasks from being next: the result of a task that was put back may still
 * arrive. */
static void skip_finished(taskset_t *ts)
{
    while (ts->n_back > 0 && ts->state[ts->back[ts->n_back - 1]] == TASK_DONE)
        ts->n_back--;
    while (ts->next < ts->n_order && ts->state[ts->order[ts->next].task] == TASK_DONE)
        ts->next++;
}

int64_t taskset_next(const taskset_t *ts)
{
    if (ts->n_back > 0)
        return ts->back[ts->n_back - 1];
    return ts->next < ts->n_order ? ts->order[ts->next].task : -1;
}

void taskset_take(taskset_t *ts)
{
    int64_t task = taskset_next(ts);

    if (ts->n_back > 0)
        ts->n_back--;
    else
        ts->next++;
    ts->state[task] = TASK_HELD;
    ts->cost_left -= (double)ts->cost(ts->ctx, task);
    skip_finished(ts);
}

status_t taskset_put_back(taskset_t *ts, int64_t task)
{
    if (ts->state[task] != TASK_HELD)
        return ST_OK;
    if (ts->n_back == ts->back_capacity) {
        int64_t capacity = ts->back_capacity * 2 + 16;
        int64_t *back = realloc(ts->back, (size_t)capacity * sizeof(*back));

        if (back == NULL)
            return log_nomem("tasks");
        ts->back = back;
        ts->back_capacity = capacity;
    }
    ts->back[ts->n_back++] = task;
    ts->state[task] = TASK_FREE;
    ts->cost_left += (double)ts->cost(ts->ctx, task);
    return ST_OK;
}

bool taskset_finish(taskset_t *ts, int64_t task)
{
    if (ts->state[task] == TASK_DONE)
        return false;
    if (ts->state[task] == TASK_FREE)
        ts->cost_left -= (double)ts->cost(ts->ctx, task);
    ts->state[task] = TASK_DONE;
    ts->n_done++;
    skip_finished(ts);
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
    free(ts->back);
    free(ts->state);
    free(ts);
}
