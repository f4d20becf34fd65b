#include "dispatcher/taskset.h"

#include "io/base/logmsg.h"

#include <stdlib.h>

typedef struct {
    int64_t cost;
    int64_t task;
} ordered_t;

typedef enum { TASK_TO_DO, TASK_OUT, TASK_DONE } task_state_t;

struct taskset {
    int64_t n, n_done;
    ordered_t *order; /* [n_order] the costliest first */
    int64_t n_order, next;
    int64_t *lost; /* [n_lost] a stack */
    int64_t n_lost, lost_capacity;
    unsigned char *state; /* [n] task_state_t */
    double cost_left;
    int64_t (*cost)(const void *ctx, int64_t task);
    const void *ctx;
};

/* Ties by number: the order is the same on every machine. */
static int costlier(const void *a, const void *b)
{
    const ordered_t *x = a, *y = b;

    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
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
        if (is_done(ctx, task)) {
            ts->state[task] = TASK_DONE;
            ts->n_done++;
            continue;
        }
        ts->order[ts->n_order++] = (ordered_t){cost(ctx, task), task};
        ts->cost_left += (double)ts->order[ts->n_order - 1].cost;
    }
    qsort(ts->order, (size_t)ts->n_order, sizeof(*ts->order), costlier);
    *out = ts;
    return ST_OK;
}

/* Keep finished tasks from being next: a lost one's result may come late. */
static void skip_finished(taskset_t *ts)
{
    while (ts->n_lost > 0 && ts->state[ts->lost[ts->n_lost - 1]] == TASK_DONE)
        ts->n_lost--;
    while (ts->next < ts->n_order && ts->state[ts->order[ts->next].task] == TASK_DONE)
        ts->next++;
}

int64_t taskset_next(const taskset_t *ts)
{
    if (ts->n_lost > 0)
        return ts->lost[ts->n_lost - 1];
    return ts->next < ts->n_order ? ts->order[ts->next].task : -1;
}

void taskset_take(taskset_t *ts)
{
    int64_t task = taskset_next(ts);

    if (ts->n_lost > 0)
        ts->n_lost--;
    else
        ts->next++;
    ts->state[task] = TASK_OUT;
    ts->cost_left -= (double)ts->cost(ts->ctx, task);
    skip_finished(ts);
}

status_t taskset_put_back(taskset_t *ts, int64_t task)
{
    if (ts->state[task] != TASK_OUT)
        return ST_OK;
    if (ts->n_lost == ts->lost_capacity) {
        int64_t capacity = ts->lost_capacity * 2 + 16;
        int64_t *lost = realloc(ts->lost, (size_t)capacity * sizeof(*lost));

        if (lost == NULL)
            return log_nomem("lost tasks");
        ts->lost = lost;
        ts->lost_capacity = capacity;
    }
    ts->lost[ts->n_lost++] = task;
    ts->state[task] = TASK_TO_DO;
    ts->cost_left += (double)ts->cost(ts->ctx, task);
    return ST_OK;
}

bool taskset_finish(taskset_t *ts, int64_t task)
{
    if (ts->state[task] == TASK_DONE)
        return false;
    if (ts->state[task] == TASK_TO_DO)
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
    free(ts->lost);
    free(ts->state);
    free(ts);
}
