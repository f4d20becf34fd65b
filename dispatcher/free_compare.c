/*
 * free_compare.c - rank 0 compares several results of a task, has that stored on which
 * most agree, and names the others' devices.
 */
#include "dispatcher/free_state.h"
#include "io/base/logmsg.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { DESCRIPTION_BYTES = 256 };

static const char *const how_words[] = {"", ", with another kernel",
                                        ", with the reference kernel"};

static void describe(const free_tasks_t *f, int w, char out[DESCRIPTION_BYTES])
{
    snprintf(out, DESCRIPTION_BYTES, "device not known");
    if (f->opts.describe != NULL)
        f->opts.describe(f->opts.describe_ctx, w, out, DESCRIPTION_BYTES);
}

/* The first wrong result of a worker is logged; the others are counted. */
static void note_wrong(free_tasks_t *f, int64_t task, const answer_t *wrong)
{
    char device[DESCRIPTION_BYTES];

    if (f->n_wrong[wrong->worker]++ > 0)
        return;
    describe(f, wrong->worker, device);
    log_error("rank %d (%s)%s computed task %" PRId64 " wrongly; the result is not used: "
              "test this device with `ribogrid selftest`",
              wrong->worker, device, how_words[wrong->how], task);
}

void free_tasks_sum_up(const free_tasks_t *f)
{
    char device[DESCRIPTION_BYTES];

    for (int w = 0; w < f->n_workers; w++) {
        if (f->n_wrong[w] < 2)
            continue;
        describe(f, w, device);
        log_error("rank %d (%s): %" PRId64 " wrong results in all; none was used", w,
                  device, f->n_wrong[w]);
    }
}

static status_t note_all_wrong(free_tasks_t *f, int64_t task, const answer_t *best)
{
    int n;
    const answer_t *list = answers_of(f->answers, task, &n);
    status_t st = ST_OK;

    for (int i = 0; st == ST_OK && i < n; i++) {
        bool equal = true;

        if (list[i].is_there && &list[i] != best)
            st =
                answers_equal(&list[i], best, f->opts.job, sizeof(result_head_t), &equal);
        if (st == ST_OK && !equal)
            note_wrong(f, task, &list[i]);
    }
    return st;
}

/* Store the result on which most agree. */
static status_t settle(free_tasks_t *f, int64_t task, answer_t *best)
{
    status_t st = note_all_wrong(f, task, best);

    if (st != ST_OK)
        return st;
    taskset_answer(f->tasks, task);
    st = storer_put(f->storer, task, 0, &best->data, sizeof(result_head_t));
    answers_drop(f->answers, task);
    return st;
}

/* A task is to be computed once more. */
static status_t request(free_tasks_t *f, int64_t task)
{
    status_t st = buf_append(&f->due, &task, sizeof(task));

    return st == ST_OK ? free_compare_ask(f) : st;
}

static status_t compare(free_tasks_t *f, int64_t task, int n)
{
    bool verifies = f->opts.job->plan.redundancy <= 1;
    answer_t *best;
    status_t st =
        answers_compare(f->answers, task, f->opts.job, sizeof(result_head_t), &best);

    if (st != ST_OK)
        return st;
    if (2 * best->n_equal > n)
        return settle(f, task, best);
    if (verifies && n == 2)
        return request(f, task);
    log_error("%d results of task %" PRId64 " differ, and no majority agrees; finished "
              "work is kept: test all devices with `ribogrid selftest`, then run again "
              "with --resume",
              n, task);
    return ST_EDEVICE;
}

status_t free_compare_put(free_tasks_t *f, int w, const result_head_t *head, buf_t *data)
{
    int64_t task = head->task;
    int redundancy = f->opts.job->plan.redundancy, n;
    status_t st = answers_put(f->answers, task, w, (job_how_t)head->version, data);

    if (st != ST_OK)
        return st;
    n = answers_n(f->answers, task);
    if (redundancy > 1)
        return n < redundancy ? ST_OK : compare(f, task, n);
    return n == 1 ? request(f, task) : compare(f, task, n);
}

/* @return the worker that would finish a check first, if possible another one than those
 * that have computed the task; -1: none is open */
static int checker_of(const free_tasks_t *f, int64_t task)
{
    double best_s = 0;
    bool best_is_other = false;
    int best = -1;

    for (int w = 0; w < f->n_workers; w++) {
        const credit_t *c = &f->credit.worker[w];
        double seconds = (c->out_cost + free_cost(f, task)) / c->rate;
        bool is_other = !answers_involves(f->answers, task, w);

        if (!credit_is_open(&f->credit, w) || (best_is_other && !is_other))
            continue;
        if (best < 0 || (is_other && !best_is_other) || seconds < best_s) {
            best = w;
            best_s = seconds;
            best_is_other = is_other;
        }
    }
    return best;
}

static status_t ask(free_tasks_t *f, int64_t task, int w)
{
    job_how_t how = answers_n(f->answers, task) == 1 ? JOB_ALTERNATIVE : JOB_REFERENCE;
    const worker_check_t check = {.task = task, .how = how};
    buf_t message = {0};
    status_t st;

    if (credit_n_out(&f->credit.worker[w]) == 0)
        f->heard_s[w] = f->opts.clock();
    taskset_copy(f->tasks, task);
    if ((st = credit_grant(&f->credit, w, task, free_cost(f, task))) == ST_OK &&
        (st = answers_expect(f->answers, task, w, how)) == ST_OK)
        st = buf_append(&message, &check, sizeof(check));
    if (st == ST_OK)
        st = free_send(f, w, TAG_CHECK, &message);
    buf_free(&message);
    return st;
}

status_t free_compare_ask(free_tasks_t *f)
{
    size_t n = f->due.len / sizeof(int64_t), n_left = 0;
    status_t st = ST_OK;

    for (size_t i = 0; i < n; i++) {
        int64_t task;
        int w;

        memcpy(&task, f->due.data + i * sizeof(task), sizeof(task));
        w = checker_of(f, task);
        if (st == ST_OK && w >= 0)
            st = ask(f, task, w);
        else
            memcpy(f->due.data + n_left++ * sizeof(task), &task, sizeof(task));
    }
    f->due.len = n_left * sizeof(int64_t);
    return st;
}
