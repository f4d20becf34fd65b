/*
 * job_classify_text.c - the text of the job "classify": everything its result depends on,
 * one "name=value" per line.  Two runs with equal texts are the same job.
 */
#include "worker/classify/job_classify_state.h"

#include <inttypes.h>

static status_t add_model(const job_classify_t *j, buf_t *text)
{
    if (class_net_exists(&j->net))
        return buf_printf(text,
                          "classes=%" PRId32 "\ntaxa_digest=%016" PRIx64
                          "\nnetwork_digest=%016" PRIx64 "\n",
                          j->classes.n, class_model_digest(&j->model),
                          predict_model_digest(&j->net.model));
    return buf_printf(text,
                      "references=%" PRId64 "\nclasses=%" PRId32
                      "\nmodel_digest=%016" PRIx64 "\n",
                      j->model.refs->n, j->classes.n, class_model_digest(&j->model));
}

static status_t add_reads(const job_classify_t *j, buf_t *text)
{
    const class_opts_t *o = j->opts;
    status_t st =
        buf_printf(text, "reads=%" PRId64 "\nreads_digest=%016" PRIx64 "\nstrand=%s\n",
                   j->reads->n, seqset_digest(j->reads), class_strands_name[o->strands]);

    if (st == ST_OK && !class_net_exists(&j->net))
        st = buf_printf(text, "resamples=%" PRId64 "\nseed=%" PRId64 "\n", o->n_resamples,
                        o->seed);
    return st == ST_OK ? class_naming_print(&j->naming, o, text) : st;
}

static status_t add_samples(const job_classify_t *j, buf_t *text)
{
    if (j->n_samples == 0)
        return buf_printf(text, "samples=0\n");
    return buf_printf(text,
                      "samples=%" PRId64 "\nresamples=%" PRId64 "\nseed=%" PRId64
                      "\nalign=%d\n",
                      j->n_samples, j->opts->n_resamples, j->opts->seed,
                      j->opts->learns_align);
}

status_t job_classify_describe(job_t *job)
{
    job_classify_t *j = (job_classify_t *)job;
    buf_t *text = &job->text;
    status_t st =
        buf_printf(text, "job=classify%s\n", j->opts->is_training ? "-train" : "");

    if (st == ST_OK)
        st = add_model(j, text);
    if (st != ST_OK)
        return st;
    return j->opts->is_training ? add_samples(j, text) : add_reads(j, text);
}
