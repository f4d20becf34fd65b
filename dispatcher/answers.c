/*
 * answers.c - what several workers find for one task: who computes it, what has arrived,
 * and on what most of them agree.
 */
#include "dispatcher/free_state.h"

#include "io/base/logmsg.h"

#include <stdlib.h>

/* Few at a time: those of the tasks that are being computed. */
typedef struct {
    answer_t *list; /* [n] */
    int n, capacity;
} task_answers_t;

struct answers {
    int64_t n_tasks;
    task_answers_t *tasks; /* [n_tasks] */
};

status_t answers_create(int64_t n_tasks, answers_t **out)
{
    answers_t *a = calloc(1, sizeof(*a));

    if (a == NULL)
        return log_nomem("the answers of tasks");
    a->n_tasks = n_tasks;
    a->tasks = calloc((size_t)n_tasks + 1, sizeof(*a->tasks));
    if (a->tasks == NULL) {
        answers_destroy(a);
        return log_nomem("the answers of tasks");
    }
    *out = a;
    return ST_OK;
}

static answer_t *find(const answers_t *a, int64_t task, int w, job_how_t how)
{
    const task_answers_t *t = &a->tasks[task];

    for (int i = 0; i < t->n; i++)
        if (t->list[i].worker == w && t->list[i].how == how)
            return &t->list[i];
    return NULL;
}

status_t answers_expect(answers_t *a, int64_t task, int w, job_how_t how)
{
    task_answers_t *t = &a->tasks[task];

    if (find(a, task, w, how) != NULL)
        return ST_OK;
    if (t->n == t->capacity) {
        int capacity = t->capacity * 2 + 2;
        answer_t *list = realloc(t->list, (size_t)capacity * sizeof(*list));

        if (list == NULL)
            return log_nomem("the answers of tasks");
        t->list = list;
        t->capacity = capacity;
    }
    t->list[t->n++] = (answer_t){.worker = w, .how = how};
    return ST_OK;
}

void answers_forget(answers_t *a, int64_t task, int w)
{
    task_answers_t *t = &a->tasks[task];
    int n = 0;

    for (int i = 0; i < t->n; i++)
        if (t->list[i].worker != w || t->list[i].is_there)
            t->list[n++] = t->list[i];
    t->n = n;
}

bool answers_involves(const answers_t *a, int64_t task, int w)
{
    const task_answers_t *t = &a->tasks[task];

    for (int i = 0; i < t->n; i++)
        if (t->list[i].worker == w)
            return true;
    return false;
}

int answers_n(const answers_t *a, int64_t task)
{
    const task_answers_t *t = &a->tasks[task];
    int n = 0;

    for (int i = 0; i < t->n; i++)
        n += t->list[i].is_there;
    return n;
}

bool answers_has(const answers_t *a, int64_t task, int w, job_how_t how)
{
    const task_answers_t *t = &a->tasks[task];

    for (int i = 0; i < t->n; i++)
        if (t->list[i].is_there && t->list[i].how == how &&
            (w < 0 || t->list[i].worker == w))
            return true;
    return false;
}

status_t answers_put(answers_t *a, int64_t task, int w, job_how_t how, buf_t *data)
{
    status_t st = answers_expect(a, task, w, how);
    answer_t *answer;

    if (st != ST_OK)
        return st;
    answer = find(a, task, w, how);
    buf_free(&answer->data);
    answer->data = *data;
    answer->is_there = true;
    *data = (buf_t){0};
    return ST_OK;
}

status_t answers_equal(const answer_t *a, const answer_t *b, const job_t *job,
                       size_t skip, bool *equal)
{
    buf_t x = {.data = a->data.data + skip, .len = a->data.len - skip};
    buf_t y = {.data = b->data.data + skip, .len = b->data.len - skip};

    return job->ops->equal(job, &x, &y, equal);
}

status_t answers_compare(answers_t *a, int64_t task, const job_t *job, size_t skip,
                         answer_t **best)
{
    const task_answers_t *t = &a->tasks[task];
    answer_t *most = NULL;

    for (int i = 0; i < t->n; i++) {
        answer_t *one = &t->list[i];

        one->n_equal = one->is_there;
        for (int k = 0; one->is_there && k < t->n; k++) {
            bool equal = false;
            status_t st = ST_OK;

            if (k != i && t->list[k].is_there)
                st = answers_equal(one, &t->list[k], job, skip, &equal);
            if (st != ST_OK)
                return st;
            one->n_equal += equal;
        }
        if (one->is_there && (most == NULL || one->n_equal > most->n_equal))
            most = one;
    }
    *best = most;
    return ST_OK;
}

const answer_t *answers_of(const answers_t *a, int64_t task, int *n)
{
    *n = a->tasks[task].n;
    return a->tasks[task].list;
}

void answers_drop(answers_t *a, int64_t task)
{
    task_answers_t *t = &a->tasks[task];

    for (int i = 0; i < t->n; i++)
        buf_free(&t->list[i].data);
    free(t->list);
    *t = (task_answers_t){0};
}

void answers_destroy(answers_t *a)
{
    if (a == NULL)
        return;
    for (int64_t task = 0; a->tasks != NULL && task < a->n_tasks; task++)
        answers_drop(a, task);
    free(a->tasks);
    free(a);
}
