/*
 * cnn_child.c - answers of the child.
 */
#include "worker/cnn/cnn_child.h"

#include "io/modelfile/cnn_model.h"

#include <string.h>

status_t cnn_child_prepare(cnn_opts_t *opts)
{
    status_t st = image_exchange_prepare(&opts->images);

    return st == ST_OK ? image_exchange_prepare(&opts->test) : st;
}

/* Read the text of the job that made a model. */
static status_t read_finished(const char *path, buf_t *out)
{
    cnn_model_t *model;
    const char *job;
    status_t st = cnn_model_open(path, &model);

    if (st != ST_OK)
        return st;
    job = cnn_model_info(model)->job;
    st = buf_append(out, job, strlen(job));
    cnn_model_close(model);
    return st;
}

status_t cnn_child_answer(const void *opts, int what, buf_t *out)
{
    const cnn_opts_t *o = opts;

    if (what == CNN_CHILD_FINISHED)
        return read_finished(o->common.output, out);
    return image_exchange_answer(what == CNN_CHILD_IMAGES ? &o->images : &o->test);
}
