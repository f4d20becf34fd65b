/*
 * predict_model.c - a trained network from its file to a program.
 */
#include "worker/cnn/predict/predict_model.h"

#include "cnn/plan/cnn_plan.h"
#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/base/texts.h"
#include "io/file/memfd_stream.h"
#include "io/modelfile/cnn_model.h"
#include "kernels/registry/backends.h"

#include <stdlib.h>
#include <string.h>

/* ---- programs ---- */

/* @return whether a tensor's values are the model's */
static bool is_kept(const cnn_program_t *program, int tensor)
{
    const cnn_role_t role = program->tensors[tensor].role;

    return role == CNN_PARAMETER || role == CNN_STATE;
}

/* @return the number of elements of all parameters and states */
static int64_t count_values(const cnn_program_t *program)
{
    int64_t n = 0;

    for (int i = 0; i < program->n_tensors; i++)
        if (is_kept(program, i))
            n += cnn_tensor_n(&program->tensors[i]);
    return n;
}

status_t predict_model_compile(const predict_opts_t *o, predict_model_t *m)
{
    status_t st;

    if (m->net != NULL)
        return ST_OK;
    st = cnn_net_parse(o->model, m->stored.text, m->stored.n_classes, &m->net);
    if (st != ST_OK)
        return st;
    st = cnn_plan_compile(m->net,
                          &(cnn_plan_options_t){.n_images = o->batch > 0
                                                                ? o->batch
                                                                : m->net->solver.batch,
                                                .types = o->number,
                                                .purpose = CNN_PLAN_INFERENCE},
                          &m->program);
    if (st == ST_OK)
        st = cnn_limit_apply(&o->limit, &o->common, false, &m->program, 1,
                             &m->memory_bytes);
    if (st != ST_OK ||
        m->stored.values == NULL || /* in the child, before they are read */
        m->stored.n_values == count_values(m->program))
        return st;
    log_error("%s: its values are not those of its network", o->model);
    return ST_EINPUT;
}

/* ---- arrays ---- */

ARRAY_COUNT(text_len, predict_stored_t, o->text_len)
ARRAY_COUNT(n_named, predict_stored_t, o->n_named)
ARRAY_COUNT(n_values, predict_stored_t, o->n_values)

/* All are optional, because a job may have no network. */
static const array_t rows[] = {
    ARRAY_VALUE(predict_stored_t, n_classes, ARRAY_INT32, .has_no_digest = true),
    ARRAY_VALUE(predict_stored_t, n_named, ARRAY_INT32, .has_no_digest = true),
    ARRAY_VALUE(predict_stored_t, text_len, ARRAY_INT64, .has_no_digest = true),
    ARRAY_VALUE(predict_stored_t, n_values, ARRAY_INT64, .has_no_digest = true),
    ARRAY_OF(predict_stored_t, text, ARRAY_BYTES, text_len, .is_optional = true),
    ARRAY_OF(predict_stored_t, names, ARRAY_TEXTS, n_named, .is_optional = true,
             .stays = true),
    ARRAY_OF(predict_stored_t, values, ARRAY_FLOAT, n_values, .is_optional = true),
    ARRAYS_END};

const arrays_t predict_stored_arrays = {"a trained network", sizeof(predict_stored_t),
                                        rows, NULL};

uint64_t predict_model_digest(const predict_model_t *m)
{
    return arrays_digest(&predict_stored_arrays, DIGEST_START, &m->stored);
}

void predict_model_free(predict_model_t *m)
{
    cnn_net_destroy(m->net);
    cnn_program_destroy(m->program);
    arrays_free(&predict_stored_arrays, &m->stored);
    *m = (predict_model_t){.net = NULL};
}

/* ---- the child ---- */

status_t predict_child_prepare(predict_opts_t *o)
{
    status_t st = memfd_stream_create(predict_stored_arrays.what, &o->stream);

    return st == ST_OK ? image_exchange_prepare(&o->images) : st;
}

static status_t read_values(cnn_model_t *file, predict_model_t *m)
{
    const int64_t n = count_values(m->program);
    float *at = malloc((size_t)n * sizeof(*at) + 1);
    status_t st = at != NULL ? ST_OK : log_nomem(predict_stored_arrays.what);

    m->stored.values = at;
    m->stored.n_values = n;
    for (int i = 0; st == ST_OK && i < m->program->n_tensors; i++) {
        const cnn_tensor_t *t = &m->program->tensors[i];

        if (!is_kept(m->program, i))
            continue;
        st = cnn_model_read(file,
                            &(cnn_model_array_t){.name = t->name,
                                                 .is_parameter = t->role == CNN_PARAMETER,
                                                 .rows = t->size[0],
                                                 .columns = cnn_tensor_n(t) / t->size[0]},
                            at);
        at += cnn_tensor_n(t);
    }
    return st;
}

static status_t copy_texts(const cnn_model_info_t *info, predict_stored_t *s)
{
    s->n_classes = (int)info->n_classes;
    s->n_named = info->classes != NULL ? (int)info->n_classes : 0;
    s->text_len = (int64_t)strlen(info->net);
    if ((s->text = strdup(info->net)) == NULL)
        return log_nomem(predict_stored_arrays.what);
    return texts_copy(s->n_named > 0 ? info->classes[0] : "", s->n_named, &s->names);
}

static status_t read_model(const predict_opts_t *o, predict_model_t *out)
{
    cnn_model_t *file;
    status_t st = cnn_model_open(o->model, &file);

    if (st != ST_OK)
        return st;
    if ((st = copy_texts(cnn_model_info(file), &out->stored)) == ST_OK &&
        (st = predict_model_compile(o, out)) == ST_OK)
        st = read_values(file, out);
    cnn_model_close(file);
    return st;
}

static status_t send_model(const predict_opts_t *o)
{
    predict_model_t m = {.net = NULL};
    status_t st = read_model(o, &m);

    if (st == ST_OK)
        st = memfd_stream_put_object(o->stream, &predict_stored_arrays, &m.stored);
    predict_model_free(&m);
    return st;
}

status_t predict_child_answer(const void *opts, int question, buf_t *out)
{
    const predict_opts_t *o = opts;

    (void)out;
    return question == PREDICT_CHILD_MODEL ? send_model(o)
                                           : image_exchange_answer(&o->images);
}

/* ---- the run ---- */

status_t predict_model_read(const predict_opts_t *o, predict_model_t *out)
{
    status_t st;

    if (o->common.reader == NULL)
        return read_model(o, out);
    st = memfd_stream_fetch(o->common.reader, PREDICT_CHILD_MODEL, o->stream,
                            &predict_stored_arrays, &out->stored);

    return st == ST_OK ? predict_model_compile(o, out) : st;
}

/* ---- its kernel ---- */

static const char *choose_kernel(const cnn_context_t *context, const char *kernel)
{
    const device_kind_t kind = context->device->kind;
    const backend_t *native = backend_find(&cnn_table, "native", kind);

    if (strcmp(kernel, "auto") != 0)
        return backend_name_on(&cnn_table, kernel, kind);
    return native != NULL && cnn_table.takes(native, context) ? native->name : NULL;
}

static status_t write_values(const predict_model_t *m, const cnn_runner_t *r)
{
    const cnn_program_t *p = m->program;
    const float *at = m->stored.values;
    status_t st = ST_OK;

    for (int i = 0; st == ST_OK && i < p->n_tensors; i++)
        if (is_kept(p, i)) {
            st = r->backend->write(r->state, i, at);
            at += cnn_tensor_n(&p->tensors[i]);
        }
    return st;
}

status_t predict_model_runner(const predict_model_t *m, const job_opts_t *opts,
                              device_t *device, pool_t *pool, cnn_runner_t *out)
{
    const cnn_context_t context = {.device = device,
                                   .pool = pool,
                                   .program = m->program,
                                   .memory_bytes = m->memory_bytes};
    status_t st =
        cnn_runner_create(&context, choose_kernel(&context, opts->kernel),
                          strcmp(opts->device, "auto") == 0 ? device : NULL, out);

    return st == ST_OK ? write_values(m, out) : st;
}
