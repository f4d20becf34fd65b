/*
 * predict_model.c - carries a trained network from its file to all ranks.
 */
#include "worker/cnn/predict/predict_model.h"

#include "cnn/plan/cnn_plan.h"
#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/file/memfd_stream.h"
#include "io/modelfile/cnn_model.h"

#include <stdlib.h>
#include <string.h>

/* What has to be known before texts and values. */
typedef struct {
    int64_t net_bytes, names_bytes; /* of texts with their NULs */
    int n_classes;                  /* that the network is read for */
    int n_named;
} head_t;

static const char what[] = "a trained network";

/* ---- programs ---- */

bool predict_model_has(const cnn_program_t *program, int tensor)
{
    const cnn_role_t role = program->tensors[tensor].role;

    return role == CNN_PARAMETER || role == CNN_STATE;
}

int64_t predict_model_n_values(const cnn_program_t *program)
{
    int64_t n = 0;

    for (int i = 0; i < program->n_tensors; i++)
        if (predict_model_has(program, i))
            n += cnn_tensor_n(&program->tensors[i]);
    return n;
}

/* Read the network's text and compile it. */
static status_t compile(const predict_opts_t *o, const char *text, int n_classes,
                        predict_model_t *m)
{
    static const cnn_plan_types_t types[] = {CNN_PLAN_FP32, CNN_PLAN_TF32, CNN_PLAN_BF16};
    status_t st = cnn_net_parse(o->model, text, n_classes, &m->net);

    if (st != ST_OK)
        return st;
    m->n_classes = n_classes;
    return cnn_plan_compile(m->net,
                            &(cnn_plan_options_t){.n_images = job_opts_is_given(o->batch)
                                                                  ? o->batch
                                                                  : m->net->solver.batch,
                                                  .types = types[o->number],
                                                  .purpose = CNN_PLAN_INFERENCE},
                            &m->program);
}

static status_t create_values(predict_model_t *m)
{
    m->values =
        malloc((size_t)predict_model_n_values(m->program) * sizeof(*m->values) + 1);
    return m->values != NULL ? ST_OK : log_nomem(what);
}

/* ---- the child ---- */

status_t predict_child_prepare(predict_opts_t *o)
{
    status_t st = memfd_stream_create(what, &o->stream);

    return st == ST_OK ? image_exchange_prepare(&o->images) : st;
}

static status_t read_values(cnn_model_t *file, predict_model_t *m)
{
    float *at;
    status_t st = create_values(m);

    at = m->values;
    for (int i = 0; st == ST_OK && i < m->program->n_tensors; i++) {
        const cnn_tensor_t *t = &m->program->tensors[i];

        if (!predict_model_has(m->program, i))
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

/* Write texts and values into the file in memory. @param out  the head */
static status_t put_model(const cnn_model_info_t *info, const predict_model_t *m,
                          memfd_stream_t *to, head_t *out)
{
    const int n_named = info->classes != NULL ? (int)info->n_classes : 0;

    *out = (head_t){.net_bytes = (int64_t)strlen(info->net) + 1,
                    .names_bytes = memfd_stream_texts_bytes(info->classes, n_named),
                    .n_classes = (int)info->n_classes,
                    .n_named = n_named};
    (void)memfd_stream_put(to, info->net, out->net_bytes, 1);
    (void)memfd_stream_put_texts(to, info->classes, n_named);
    return memfd_stream_put(to, m->values, predict_model_n_values(m->program),
                            sizeof(*m->values));
}

static status_t answer_model(const predict_opts_t *o, buf_t *out)
{
    predict_model_t m = {.net = NULL};
    cnn_model_t *file;
    memfd_stream_t to;
    head_t h;
    status_t st = cnn_model_open(o->model, &file);

    if (st != ST_OK)
        return st;
    const cnn_model_info_t *info = cnn_model_info(file);

    if ((st = compile(o, info->net, (int)info->n_classes, &m)) == ST_OK &&
        (st = read_values(file, &m)) == ST_OK) {
        to = memfd_stream_write(o->stream, what);
        st = memfd_stream_end(&to, put_model(info, &m, &to, &h));
    }
    predict_model_free(&m);
    cnn_model_close(file);
    return st == ST_OK ? buf_append(out, &h, sizeof(h)) : st;
}

status_t predict_child_answer(const void *opts, int question, buf_t *out)
{
    const predict_opts_t *o = opts;

    return question == PREDICT_CHILD_MODEL ? answer_model(o, out)
                                           : image_exchange_answer(&o->images, out);
}

/* ---- the run ---- */

/* @return the next bytes of the file in memory, with a NUL after them, or NULL (logged)
 */
static char *get(memfd_stream_t *from, int64_t bytes)
{
    char *data = malloc((size_t)bytes + 1);

    if (data == NULL) {
        (void)log_nomem(what);
        return NULL;
    }
    if (memfd_stream_get(from, data, bytes, 1) != ST_OK) {
        free(data);
        return NULL;
    }
    data[bytes] = '\0';
    return data;
}

static status_t get_model(const predict_opts_t *o, const head_t *h, memfd_stream_t *from,
                          predict_model_t *m)
{
    char *text = get(from, h->net_bytes);
    status_t st = text != NULL && (m->names = get(from, h->names_bytes)) != NULL
                      ? ST_OK
                      : ST_ENOMEM;

    m->n_named = h->n_named;
    if (st == ST_OK && (st = compile(o, text, h->n_classes, m)) == ST_OK &&
        (st = create_values(m)) == ST_OK)
        st = memfd_stream_get(from, m->values, predict_model_n_values(m->program),
                              sizeof(*m->values));
    free(text);
    return st;
}

status_t predict_model_read(const predict_opts_t *o, predict_model_t *out)
{
    buf_t head = {0};
    memfd_stream_t from;
    head_t h;
    status_t st = child_fetch(o->common.reader, PREDICT_CHILD_MODEL, &head);

    if (st == ST_OK) {
        memcpy(&h, head.data, sizeof(h));
        from = memfd_stream_read(o->stream, what);
        st = memfd_stream_end(&from, get_model(o, &h, &from, out));
    }
    buf_free(&head);
    return st;
}

/* ---- all ranks ---- */

status_t predict_model_send(exchange_t *x, const predict_opts_t *o, predict_model_t *m)
{
    struct {
        size_t bytes;
        int n_classes;
    } head = {0, 0};
    char *text;
    status_t st;

    if (x->rank == 0) {
        head.bytes = strlen(m->net->text) + 1;
        head.n_classes = m->n_classes;
    }
    if ((st = x->broadcast(x, &head, sizeof(head))) != ST_OK)
        return st;
    text = malloc(head.bytes);
    st = exchange_agree(x, text != NULL ? ST_OK : log_nomem(what));
    if (st == ST_OK && x->rank == 0)
        memcpy(text, m->net->text, head.bytes);
    if (st == ST_OK)
        st = x->broadcast(x, text, head.bytes);
    if (st == ST_OK && x->rank != 0 &&
        (st = compile(o, text, head.n_classes, m)) == ST_OK)
        st = create_values(m);
    if ((st = exchange_agree(x, st)) == ST_OK)
        st =
            x->broadcast(x, m->values,
                         (size_t)predict_model_n_values(m->program) * sizeof(*m->values));
    free(text);
    return st;
}

uint64_t predict_model_digest(const predict_model_t *m)
{
    const size_t n = (size_t)predict_model_n_values(m->program);
    uint64_t d = digest_add(DIGEST_START, m->net->text, strlen(m->net->text));
    const char *name = m->names;

    for (int c = 0; c < m->n_named; c++, name += strlen(name) + 1)
        d = digest_add(d, name, strlen(name) + 1);
    return digest_add(d, m->values, n * sizeof(*m->values));
}

void predict_model_free(predict_model_t *m)
{
    cnn_net_destroy(m->net);
    cnn_program_destroy(m->program);
    free(m->values);
    free(m->names);
    *m = (predict_model_t){.net = NULL};
}
