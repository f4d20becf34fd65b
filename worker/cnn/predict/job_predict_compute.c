/*
 * job_predict_compute.c - runs batches of images, and picks their most probable classes.
 */
#include "worker/cnn/predict/job_predict_state.h"

#include "io/base/logmsg.h"
#include "worker/cnn/predict/predict_model.h"

#include <stdlib.h>
#include <string.h>

status_t job_predict_prepare(job_t *job, const char **kernel_name, double *guess)
{
    job_predict_t *j = (job_predict_t *)job;
    const size_t n = (size_t)(JOB_PREDICT_TASKS * job_predict_batch(j) * j->top);
    status_t st = predict_model_runner(&j->model, &j->opts->common, &job->device,
                                       job->pool, &j->runner);

    job->depth = 1;
    job->max_batch = JOB_PREDICT_TASKS;
    if (st != ST_OK)
        return st;
    for (int p = 0; p < JOB_PLACES; p++)
        if ((j->answers[p] = malloc(n * sizeof(*j->answers[p]))) == NULL)
            return log_nomem("answers");
    *kernel_name = j->runner.backend->base.name;
    *guess = backend_rate(&j->runner.backend->base, job->pool);
    return ST_OK;
}

void job_predict_release(job_t *job)
{
    job_predict_t *j = (job_predict_t *)job;

    cnn_runner_destroy(&j->runner);
    for (int p = 0; p < JOB_PLACES; p++) {
        free(j->answers[p]);
        j->answers[p] = NULL;
    }
    j->n_tasks = 0;
}

/* ---- batches ---- */

status_t job_predict_submit(job_t *job, const int64_t *tasks, int n, int *n_begun)
{
    job_predict_t *j = (job_predict_t *)job;

    j->n_tasks = n < JOB_PREDICT_TASKS ? n : JOB_PREDICT_TASKS;
    memcpy(j->tasks, tasks, (size_t)j->n_tasks * sizeof(*tasks));
    *n_begun = j->n_tasks;
    return ST_OK;
}

/* Pick the most probable classes; equal ones in the order of their numbers. */
static void pick(const float *probabilities, int64_t n_classes, int top,
                 job_predict_answer_t *out)
{
    int n = 0;

    for (int64_t c = 0; c < n_classes; c++) {
        const float p = probabilities[c];
        int at = n;

        if (n == top && !(p > out[top - 1].probability))
            continue;
        if (n < top)
            n++;
        else
            at--;
        for (; at > 0 && p > out[at - 1].probability; at--)
            out[at] = out[at - 1];
        out[at] = (job_predict_answer_t){(int32_t)c, p};
    }
}

status_t job_predict_collect(job_t *job, int place)
{
    job_predict_t *j = (job_predict_t *)job;
    const int64_t batch = job_predict_batch(j);
    status_t st = ST_OK;

    memcpy(j->placed[place], j->tasks, sizeof(j->tasks));
    for (int k = 0; st == ST_OK && k < j->n_tasks && !job_is_cancelled(job); k++) {
        const int64_t n = job_predict_n_images(j, j->tasks[k]);

        st = cnn_runner_classify(&j->runner, &j->images, j->tasks[k] * batch, n);
        for (int64_t i = 0; st == ST_OK && i < n; i++)
            pick(j->runner.probabilities + i * j->runner.n_classes, j->runner.n_classes,
                 j->top, j->answers[place] + (k * batch + i) * j->top);
    }
    return st;
}

status_t job_predict_pack(job_t *job, int place, int k, int thread, buf_t *out)
{
    const job_predict_t *j = (const job_predict_t *)job;
    const job_predict_answer_t *from =
        j->answers[place] + k * job_predict_batch(j) * j->top;
    const int64_t n = job_predict_n_images(j, j->placed[place][k]) * j->top;

    (void)thread;
    return buf_append(out, from, (size_t)n * sizeof(*from));
}
