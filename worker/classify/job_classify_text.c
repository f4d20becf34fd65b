/*
 * job_classify_text.c - the text of the job "classify": everything its result depends on,
 * one "name=value" per line.  Two runs with equal texts are the same job.
 */
#include "worker/classify/job_classify_store.h"

#include <inttypes.h>

static status_t add_model(const job_classify_t *j, buf_t *text)
{
    return buf_printf(text,
                      "references=%" PRId64 "\nclasses=%" PRId32
                      "\nmodel_digest=%016" PRIx64 "\n",
                      j->model.refs->n, j->classes.n, class_model_digest(&j->model));
}

static status_t add_reads(const job_classify_t *j, buf_t *text)
{
    const class_opts_t *o = j->opts;
    char support[FRACTION_RATIO_BYTES];

    return buf_printf(text,
                      "reads=%" PRId64 "\nreads_digest=%016" PRIx64
                      "\nmethod=nbc\nstrand=%s\nresamples=%" PRId64 "\nseed=%" PRId64
                      "\nmin_support=%s\n",
                      j->reads->n, seqset_digest(j->reads),
                      class_strands_name[o->strands], o->n_resamples, o->seed,
                      fraction_to_ratio(&o->min_support, support));
}

status_t job_classify_write_text(job_classify_t *j)
{
    buf_t *text = &j->text;
    status_t st =
        buf_printf(text, "job=classify%s\n", j->opts->is_training ? "-train" : "");

    if (st == ST_OK)
        st = add_model(j, text);
    if (st == ST_OK && !j->opts->is_training)
        st = add_reads(j, text);
    return st == ST_OK ? buf_append(text, "", 1) : st;
}
