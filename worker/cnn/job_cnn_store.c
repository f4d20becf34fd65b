/*
 * job_cnn_store.c - the job "cnn" on rank 0: its outputs and its text.
 */
#include "worker/cnn/job_cnn_state.h"

#include "io/base/digest.h"
#include "io/base/logmsg.h"

#include <inttypes.h>
#include <string.h>

void job_cnn_outputs(const job_opts_t *opts, job_outputs_t *out)
{
    const cnn_opts_t *o = (const cnn_opts_t *)opts;

    out->extra[0] = o->csv;
    out->extra[1] = o->svg;
}

static status_t add_images(buf_t *text, const char *name, const image_set_t *set)
{
    return buf_printf(text, "%s=%" PRId64 "\n%s_digest=%016" PRIx64 "\n", name, set->n,
                      name, image_set_digest(set));
}

status_t job_cnn_describe(job_t *job)
{
    const job_cnn_t *j = (const job_cnn_t *)job;
    const cnn_opts_t *o = j->opts;
    const cnn_solver_t *solver = &j->net->solver;
    status_t st = buf_printf(&job->text,
                             "job=cnn\nnet_digest=%016" PRIx64 "\nbatch=%d"
                             "\nepochs=%.17g\nrate=%.17g\nseed=%" PRId64 "\ntype=%s\n",
                             digest_add(DIGEST_START, j->net->text, strlen(j->net->text)),
                             solver->batch, solver->epochs, solver->rate, o->seed,
                             cnn_number_name[o->number]);

    if (st == ST_OK)
        st = add_images(&job->text, "images", &j->images);
    return st == ST_OK && j->test.n > 0 ? add_images(&job->text, "test_images", &j->test)
                                        : st;
}

status_t job_cnn_opened(job_t *job)
{
    const job_cnn_t *j = (const job_cnn_t *)job;
    const image_set_t *images = &j->images;

    log_info("%s: %" PRId64 " images of %d x %d x %d, %d classes; %" PRId64
             " batches of %d",
             j->net->name, images->n, images->size[0], images->size[1], images->size[2],
             images->n_classes, j->n_iterations, j->net->solver.batch);
    return ST_OK;
}
