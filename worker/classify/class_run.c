/*
 * class_run.c - the tasks of the job "classify", one batch after the other.
 */
#include "worker/classify/class_run.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "worker/classify/job_classify_state.h"

#include <stdlib.h>
#include <string.h>

/* Seconds of a batch, between two reports of progress. */
static const double piece_s = 0.15;

/* Of a network the counts are NULL, and without rules known.model. */
struct class_loaded {
    char *path;
    class_model_t model;
    predict_model_t net;
    nbc_classes_t classes;
    int32_t *class_of;
    nbc_model_t *counts;
    class_statistics_t known;
};

static bool is_net(const class_loaded_t *l)
{
    return l->net.net != NULL;
}

static status_t load(class_loaded_t *l, pool_t *pool)
{
    class_opts_t opts = class_opts_defaults(false);
    const class_model_t *m = &l->model;
    status_t st;

    opts.model = l->path;
    if ((st = class_child_read_model(&opts, &l->model, &l->net)) != ST_OK ||
        (is_net(l) && (st = class_net_taxa(&opts, &l->net, &l->model)) != ST_OK))
        return st;
    if ((l->class_of = malloc((size_t)m->refs->n * sizeof(*l->class_of) + 1)) == NULL)
        return log_nomem("classes");
    st = nbc_classes_create(m->taxa.parent, m->taxa.n, m->taxon_of, m->refs->n,
                            &l->classes, l->class_of);
    if (st != ST_OK || is_net(l))
        return st;
    if ((st = nbc_model_create(m->refs, l->class_of, &l->classes, pool, &l->counts)) !=
            ST_OK ||
        m->n_rules == 0) /* evidence is for rules */
        return st;
    return class_statistics_create(l->counts, pool, &l->known);
}

status_t class_loaded_read(const char *path, pool_t *pool, class_loaded_t **out)
{
    class_loaded_t *l = calloc(1, sizeof(*l));
    status_t st = ST_ENOMEM;

    if (l == NULL || (l->path = strdup(path)) == NULL)
        st = log_nomem("a model");
    else if ((st = load(l, pool)) == ST_OK)
        *out = l;
    if (st != ST_OK)
        class_loaded_destroy(l);
    return st;
}

void class_loaded_destroy(class_loaded_t *l)
{
    if (l == NULL)
        return;
    class_statistics_free(&l->known);
    nbc_model_destroy(l->counts);
    nbc_classes_free(&l->classes);
    free(l->class_of);
    predict_model_free(&l->net);
    class_model_free(&l->model);
    free(l->path);
    free(l);
}

const class_taxa_t *class_loaded_taxa(const class_loaded_t *l)
{
    return &l->model.taxa;
}

/* ---- a run ---- */

/* The job borrows what the model has: give_back takes it away before the job ends. */
static void lend(const class_loaded_t *l, const class_run_input_t *input,
                 job_classify_t *j)
{
    j->base.pool = input->pool;
    j->opts = input->opts;
    j->files = seq_files_named("the set");
    j->model = l->model;
    j->net.model = l->net;
    j->classes = l->classes;
    j->class_of = l->class_of;
    j->counts = l->counts;
    j->known = l->known;
    j->reads = input->reads;
}

static void give_back(job_classify_t *j)
{
    job_release(&j->base); /* the kernel, while all is there */
    j->files = (seq_files_t){0};
    j->model = (class_model_t){0};
    j->net.model = (predict_model_t){0};
    j->classes = (nbc_classes_t){0};
    j->class_of = NULL;
    j->reads = NULL;
}

/* Compute a batch of n tasks from `first` on, or fewer. @param n  out: of the batch */
static status_t run_batch(job_classify_t *j, const int64_t *tasks, int *n)
{
    const int64_t first = tasks[0];
    status_t st = job_submit(&j->base, tasks, *n, n);

    if (st == ST_OK)
        st = job_collect(&j->base, 0);
    for (int k = 0; st == ST_OK && k < *n; k++)
        st = j->base.ops->pack(&j->base, 0, k, 0, &j->kept[first + k]);
    return st;
}

/* Batches are as large as takes a piece's time. */
static status_t run_tasks(job_classify_t *j, const class_run_input_t *input)
{
    const int64_t n_tasks = j->base.plan.n_tasks;
    const int max = j->base.max_batch;
    int64_t *tasks = malloc((size_t)n_tasks * sizeof(*tasks) + 1);
    int most = 1, n = 0;
    status_t st = tasks != NULL ? ST_OK : log_nomem("the reads");

    for (int64_t task = 0; st == ST_OK && task < n_tasks; task++)
        tasks[task] = task;
    for (int64_t at = 0; st == ST_OK && at < n_tasks; at += n) {
        const double begun = clock_now_s();

        n = n_tasks - at < most ? (int)(n_tasks - at) : most;
        if ((st = input->progress(input->ctx, (double)at / (double)n_tasks)) == ST_OK)
            st = run_batch(j, tasks + at, &n);
        if (clock_now_s() - begun < piece_s / 2 && most < max)
            most *= 2;
        most = most < max ? most : max;
    }
    free(tasks);
    return st == ST_OK ? input->progress(input->ctx, 1) : st;
}

static status_t begin(job_classify_t *j, const class_loaded_t *l)
{
    status_t st = class_naming_create(j->opts, &j->model, is_net(l), &j->naming);

    if (st == ST_OK && !is_net(l))
        st = job_classify_parts_plan(j);
    if (st != ST_OK)
        return st;
    if (!is_net(l))
        job_classify_parts_report(j);
    j->base.plan.n_tasks = job_classify_n_tasks(j);
    j->kept = calloc((size_t)j->base.plan.n_tasks + 1, sizeof(*j->kept));
    return j->kept != NULL ? ST_OK : log_nomem("the results of the reads");
}

static status_t run(const class_loaded_t *l, const class_run_input_t *input,
                    job_classify_t *j, class_calls_t *out, buf_t *text)
{
    const char *kernel;
    double guess;
    status_t st;

    if ((st = input->progress(input->ctx, 0)) != ST_OK || (st = begin(j, l)) != ST_OK ||
        (st = job_prepare(&j->base, input->device, input->pool, &kernel, &guess)) !=
            ST_OK ||
        (st = run_tasks(j, input)) != ST_OK ||
        (st = job_classify_describe(&j->base)) != ST_OK ||
        (st = buf_append(text, j->base.text.data, j->base.text.len)) != ST_OK ||
        (st = buf_append(text, "", 1)) != ST_OK)
        return st;
    return job_classify_name(j, out);
}

status_t class_run(const class_loaded_t *l, const class_run_input_t *input,
                   class_calls_t *out, buf_t *text)
{
    job_classify_t *j;
    job_t *job;
    status_t st;

    input->opts->model = l->path;
    if ((st = job_create(&job_classify_ops, &input->opts->common, &job)) != ST_OK)
        return st;
    j = (job_classify_t *)job;
    lend(l, input, j);
    st = run(l, input, j, out, text);
    for (int64_t task = 0; j->kept != NULL && task < job->plan.n_tasks; task++)
        buf_free(&j->kept[task]);
    free(j->kept);
    j->counts = NULL;
    if (l->known.model != NULL)
        j->known = (class_statistics_t){.model = NULL};
    give_back(j);
    job_destroy(job);
    return st;
}
