/*
 * answers.c - what several workers find for one task: who computes it, what has arrived,
 * and on what most of them agree.
 */
#include "dispatcher/free_state.h"

#include "io/base/logmsg.h"

#include <stdlib.h>

struct answers {
    int64_t n_tasks;
    buf_t *tasks; /* [n_tasks] of answer_t; few have any: those being computed */
};

static answer_t *list_of(const answers_t *a, int64_t task, int *n)
{
    *n = (int)(a->tasks[task].len / sizeof(answer_t));
    return (answer_t *)(void *)a->tasks[task].data;
}

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
    int n;
    answer_t *list = list_of(a, task, &n);

    for (int i = 0; i < n; i++)
        if (list[i].worker == w && list[i].how == how)
            return &list[i];
    return NULL;
}

status_t answers_expect(answers_t *a, int64_t task, int w, job_how_t how)
{
    const answer_t expected = {.worker = w, .how = how};

    return find(a, task, w, how) != NULL
               ? ST_OK
               : buf_append(&a->tasks[task], &expected, sizeof(expected));
}

void answers_forget(answers_t *a, int64_t task, int w)
{
    int n, n_left = 0;
    answer_t *list = list_of(a, task, &n);

    for (int i = 0; i < n; i++)
        if (list[i].worker != w || list[i].is_there)
            list[n_left++] = list[i];
    a->tasks[task].len = (size_t)n_left * sizeof(*list);
}

bool answers_involves(const answers_t *a, int64_t task, int w)
{
    int n;
    answer_t *list = list_of(a, task, &n);

    for (int i = 0; i < n; i++)
        if (list[i].worker == w)
            return true;
    return false;
}

int answers_n(const answers_t *a, int64_t task)
{
    int n, n_there = 0;
    const answer_t *list = list_of(a, task, &n);

    for (int i = 0; i < n; i++)
        n_there += list[i].is_there;
    return n_there;
}

bool answers_has(const answers_t *a, int64_t task, int w, job_how_t how)
{
    int n;
    answer_t *list = list_of(a, task, &n);

    for (int i = 0; i < n; i++)
        if (list[i].is_there && list[i].how == how && (w < 0 || list[i].worker == w))
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
    int n;
    answer_t *list = list_of(a, task, &n), *most = NULL;

    for (int i = 0; i < n; i++) {
        answer_t *one = &list[i];

        one->n_equal = one->is_there;
        for (int k = 0; one->is_there && k < n; k++) {
            bool equal = false;
            status_t st = ST_OK;

            if (k != i && list[k].is_there)
                st = answers_equal(one, &list[k], job, skip, &equal);
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
    return list_of(a, task, n);
}

void answers_drop(answers_t *a, int64_t task)
{
    int n;
    answer_t *list = list_of(a, task, &n);

    for (int i = 0; i < n; i++)
        buf_free(&list[i].data);
    buf_free(&a->tasks[task]);
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
