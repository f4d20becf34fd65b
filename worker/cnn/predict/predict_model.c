/*
 * predict_model.c - carries a trained network from its file to all ranks.
 */
#include "worker/cnn/predict/predict_model.h"

#include "cnn/plan/cnn_plan.h"
#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/modelfile/cnn_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* What has to be known before texts and values. */
typedef struct {
    int64_t net_bytes, names_bytes; /* of texts with their NULs */
    int n_classes;                  /* that the network is read for */
    int n_named;
} head_t;

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
    return m->values != NULL ? ST_OK : log_nomem("a trained network");
}

/* ---- the child ---- */

status_t predict_child_prepare(predict_opts_t *o)
{
    o->carrier = memfd_create("model", MFD_CLOEXEC);
    return o->carrier >= 0 ? image_exchange_prepare(&o->images) : log_nomem("a model");
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

static bool put(FILE *to, const void *data, size_t bytes)
{
    return fwrite(data, 1, bytes, to) == bytes;
}

/* Write texts and values into the file in memory. @param out  the head */
static status_t put_model(const cnn_model_info_t *info, const predict_model_t *m,
                          FILE *to, head_t *out)
{
    head_t h = {.net_bytes = (int64_t)strlen(info->net) + 1,
                .n_classes = info->n_classes,
                .n_named = info->classes != NULL ? info->n_classes : 0};
    bool good = put(to, info->net, (size_t)h.net_bytes);

    for (int c = 0; good && c < h.n_named; c++) {
        const size_t len = strlen(info->classes[c]) + 1;

        good = put(to, info->classes[c], len);
        h.names_bytes += (int64_t)len;
    }
    good = good && put(to, m->values,
                       (size_t)predict_model_n_values(m->program) * sizeof(*m->values));
    if (!good)
        return log_nomem("a trained network");
    *out = h;
    return ST_OK;
}

static status_t answer_model(const predict_opts_t *o, buf_t *out)
{
    predict_model_t m = {.net = NULL};
    cnn_model_t *file;
    FILE *to = NULL;
    head_t h;
    status_t st = cnn_model_open(o->model, &file);

    if (st != ST_OK)
        return st;
    const cnn_model_info_t *info = cnn_model_info(file);

    if ((st = compile(o, info->net, info->n_classes, &m)) == ST_OK &&
        (st = read_values(file, &m)) == ST_OK)
        st = (to = fdopen(o->carrier, "wb")) != NULL ? put_model(info, &m, to, &h)
                                                     : log_nomem("a trained network");
    if (to != NULL && fclose(to) != 0 && st == ST_OK)
        st = log_nomem("a trained network");
    predict_model_free(&m);
    cnn_model_close(file);
    return st == ST_OK ? buf_append(out, &h, sizeof(h)) : st;
}

status_t predict_child_answer(const void *opts, int what, buf_t *out)
{
    const predict_opts_t *o = opts;

    return what == PREDICT_CHILD_MODEL ? answer_model(o, out)
                                       : image_exchange_answer(&o->images, out);
}

/* ---- the run ---- */

/* @return the next bytes of the file in memory, with a NUL after them, or NULL (logged)
 */
static char *get(FILE *from, int64_t bytes)
{
    char *data = malloc((size_t)bytes + 1);

    if (data != NULL && fread(data, 1, (size_t)bytes, from) == (size_t)bytes) {
        data[bytes] = '\0';
        return data;
    }
    free(data);
    (void)log_nomem("a trained network");
    return NULL;
}

static status_t get_model(const predict_opts_t *o, const head_t *h, FILE *from,
                          predict_model_t *m)
{
    char *text = get(from, h->net_bytes);
    status_t st = text != NULL && (m->names = get(from, h->names_bytes)) != NULL
                      ? ST_OK
                      : ST_ENOMEM;
    int64_t n;

    m->n_named = h->n_named;
    if (st == ST_OK && (st = compile(o, text, h->n_classes, m)) == ST_OK &&
        (st = create_values(m)) == ST_OK) {
        n = predict_model_n_values(m->program);
        if (fread(m->values, sizeof(*m->values), (size_t)n, from) != (size_t)n)
            st = log_nomem("a trained network");
    }
    free(text);
    return st;
}

status_t predict_model_read(const predict_opts_t *o, predict_model_t *out)
{
    buf_t head = {0};
    FILE *from = NULL;
    head_t h;
    status_t st = child_fetch(o->reader, PREDICT_CHILD_MODEL, &head);

    if (st == ST_OK) {
        memcpy(&h, head.data, sizeof(h));
        from = fdopen(o->carrier, "rb");
        if (from != NULL)
            rewind(from);
        st = from != NULL ? get_model(o, &h, from, out) : log_nomem("a trained network");
    }
    if (from != NULL)
        fclose(from);
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
    st = exchange_agree(x, text != NULL ? ST_OK : log_nomem("a trained network"));
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
