/*
 * job_classify_train.c - cases of samples, their examples, and the rules.
 */
#include "worker/classify/job_classify_train.h"

#include "io/base/logmsg.h"
#include "worker/classify/class_naming.h"

#include <inttypes.h>
#include <stdlib.h>

/* @return whether there is another taxon, and one with several references */
static bool can_learn(const job_classify_t *j)
{
    return j->classes.n > 1 && j->classes.n < j->model.refs->n;
}

void job_classify_train_plan(job_classify_t *j)
{
    const int64_t n = j->opts->n_samples;

    j->n_samples = n < j->model.refs->n ? n : j->model.refs->n;
    if (n > 0 && !can_learn(j))
        j->n_samples = 0;
}

status_t job_classify_train_prepare(job_classify_t *j)
{
    return class_train_create(j->counts, j->n_samples, (uint64_t)j->opts->seed, j->pool,
                              &j->train);
}

void job_classify_train_release(job_classify_t *j)
{
    class_train_free(&j->train);
    for (int p = 0; p < JOB_PLACES; p++) {
        free(j->collected[p].examples);
        j->collected[p].examples = NULL;
    }
}

/* @return the first case of a task */
static int64_t first_case(const job_classify_t *j, int64_t task)
{
    int64_t sample = task * JOB_CLASSIFY_SAMPLES;

    return (sample < j->n_samples ? sample : j->n_samples) * CLASS_TRAIN_GROUPS;
}

status_t job_classify_train_compute(job_classify_t *j, job_classify_collected_t *c)
{
    const int64_t first = first_case(j, c->batch.first_task);
    const int64_t n = first_case(j, c->batch.first_task + c->batch.n_tasks) - first;
    const nbc_context_t nbc = {.device = &j->device,
                               .model = j->counts,
                               .options = {.n_resamples = (int)j->opts->n_resamples,
                                           .seed = (uint64_t)j->opts->seed}};
    const class_case_context_t context = {&nbc, &j->known, j->model.refs, j->pool};
    int32_t *found = malloc((size_t)n * sizeof(*found) + 1);
    status_t st = ST_ENOMEM;

    free(c->examples);
    c->examples = calloc((size_t)n * (size_t)j->classes.n_ranks, sizeof(*c->examples));
    if (found != NULL && c->examples != NULL)
        st = class_case_run(&context, j->train.cases + first, n, found, c->examples);
    else
        (void)log_nomem("the examples of a classifier");
    free(found);
    return st;
}

status_t job_classify_train_pack(const job_classify_t *j,
                                 const job_classify_collected_t *c, int k, buf_t *out)
{
    const int64_t n_ranks = j->classes.n_ranks;
    const int64_t start = first_case(j, c->batch.first_task);
    const int64_t first = first_case(j, c->batch.first_task + k) - start;
    const int64_t end = first_case(j, c->batch.first_task + k + 1) - start;

    return buf_append(out, c->examples + first * n_ranks,
                      (size_t)((end - first) * n_ranks) * sizeof(*c->examples));
}

/* Read the examples of all tasks. @param out  [cases][n_ranks], empty */
static status_t read_examples(const job_classify_t *j, buf_t *out)
{
    const size_t row = (size_t)j->classes.n_ranks * sizeof(class_example_t);
    buf_t record = {0};
    status_t st = ST_OK;

    for (int64_t task = 0; st == ST_OK && task < job_classify_n_tasks(j); task++) {
        size_t len = (size_t)(first_case(j, task + 1) - first_case(j, task)) * row;

        if ((st = reslog_read(j->log, task, &record)) != ST_OK)
            break;
        if (record.len == len) {
            st = buf_append(out, record.data, record.len);
        } else {
            log_error("%s: the record of task %" PRId64
                      " is damaged; give --force to start over",
                      j->part_path, task);
            st = ST_EINPUT;
        }
    }
    buf_free(&record);
    return st;
}

status_t job_classify_train_learn(job_classify_t *j)
{
    buf_t examples = {0};
    status_t st;

    if (j->n_samples == 0) {
        if (j->opts->n_samples > 0)
            log_warn("%s: it takes two taxa, one with several references, to learn which "
                     "names to refuse; names will depend on --min-support alone",
                     j->opts->input);
        return ST_OK;
    }
    if ((st = read_examples(j, &examples)) == ST_OK)
        st = class_naming_learn((const class_example_t *)(const void *)examples.data,
                                j->n_samples * CLASS_TRAIN_GROUPS, j->classes.n_ranks,
                                &j->model);
    buf_free(&examples);
    return st;
}
