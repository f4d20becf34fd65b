/*
 * class_child.c - reads the model, and carries it from the child to the run.
 */
#include "worker/classify/job_classify_state.h"

#include "io/file/memfd_stream.h"
#include "io/modelfile/file_kind.h"
#include "worker/classify/class_net.h"

#include <string.h>

status_t class_child_prepare(class_opts_t *o)
{
    return o->is_training ? ST_OK
                          : memfd_stream_create(class_model_arrays.what, &o->stream);
}

/* ---- the child ---- */

_Static_assert((int)CLASS_CHILD_MODEL == (int)PREDICT_CHILD_MODEL,
               "predict_model_read asks for it");

static status_t find_kind(const class_opts_t *o, bool *is_net)
{
    file_kind_t kind;
    status_t st = file_kind_read(o->model, &kind);

    if (st == ST_OK)
        *is_net = kind == FILE_CNN_MODEL;
    return st;
}

static status_t send_model(const class_opts_t *o)
{
    class_model_t m;
    status_t st = class_model_read(o->model, &m, NULL);

    if (st != ST_OK)
        return st;
    st = memfd_stream_put_object(o->stream, &class_model_arrays, &m);
    class_model_free(&m);
    return st;
}

status_t class_child_answer(const void *opts, int question, buf_t *out)
{
    const class_opts_t *o = opts;
    predict_opts_t net;
    bool is_net;
    status_t st;

    if ((st = find_kind(o, &is_net)) != ST_OK)
        return st;
    if (question == CLASS_CHILD_KIND)
        return buf_append(out, &is_net, sizeof(is_net));
    if (!is_net)
        return send_model(o);
    net = class_net_opts(o);
    return predict_child_answer(&net, PREDICT_CHILD_MODEL, out);
}

/* ---- the run ---- */

/* Fetch a model, or a network. */
static status_t fetch(const class_opts_t *o, class_model_t *out, predict_model_t *net)
{
    const predict_opts_t net_opts = class_net_opts(o);
    buf_t answer = {0};
    bool is_net;
    status_t st = child_fetch(o->common.reader, CLASS_CHILD_KIND, &answer);

    if (st == ST_OK) {
        memcpy(&is_net, answer.data, sizeof(is_net));
        st = is_net ? predict_model_read(&net_opts, net)
                    : memfd_stream_fetch(o->common.reader, CLASS_CHILD_MODEL, o->stream,
                                         &class_model_arrays, out);
    }
    buf_free(&answer);
    return st;
}

/* Read it here. */
static status_t read_model(const class_opts_t *o, class_model_t *out,
                           predict_model_t *net)
{
    const predict_opts_t net_opts = class_net_opts(o);
    bool is_net;
    status_t st = find_kind(o, &is_net);

    if (st != ST_OK)
        return st;
    return is_net ? predict_model_read(&net_opts, net)
                  : class_model_read(o->model, out, NULL);
}

status_t class_child_read_model(const class_opts_t *o, class_model_t *out,
                                predict_model_t *net)
{
    status_t st;

    if (o->common.reader == NULL)
        return read_model(o, out, net);
    st = fetch(o, out, net);
    if (!o->common.resume) /* nothing else will be asked */
        child_reader_stop(o->common.reader);
    return st;
}
