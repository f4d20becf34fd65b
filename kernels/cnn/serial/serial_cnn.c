/*
 * serial_cnn.c - the CNN backend `serial`: every tensor is an array of doubles, whose
 * values are those of its type.
 */
#include "kernels/cnn/common/cnn_backend.h"

#include "io/base/logmsg.h"
#include "kernels/cnn/common/cnn_program.h"
#include "kernels/cnn/serial/serial_step.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void (*const operations[CNN_N_OPS])(const serial_step_t *) = {
    [CNN_CONVOLUTION] = serial_convolution,
    [CNN_CONVOLUTION_BACKWARD_DATA] = serial_convolution_backward_data,
    [CNN_CONVOLUTION_BACKWARD_FILTER] = serial_convolution_backward_filter,
    [CNN_POOL] = serial_pool,
    [CNN_POOL_BACKWARD] = serial_pool_backward,
    [CNN_LRN] = serial_lrn,
    [CNN_LRN_BACKWARD] = serial_lrn_backward,
    [CNN_LINEAR] = serial_linear,
    [CNN_LINEAR_BACKWARD_DATA] = serial_linear_backward_data,
    [CNN_LINEAR_BACKWARD_WEIGHTS] = serial_linear_backward_weights,
    [CNN_RELU] = serial_relu,
    [CNN_RELU_BACKWARD] = serial_relu_backward,
    [CNN_DROPOUT] = serial_dropout,
    [CNN_DROPOUT_BACKWARD] = serial_dropout,
    [CNN_BATCH_NORM] = serial_batch_norm,
    [CNN_BATCH_NORM_INFERENCE] = serial_batch_norm_inference,
    [CNN_BATCH_NORM_BACKWARD] = serial_batch_norm_backward,
    [CNN_BATCH_NORM_PART] = serial_batch_norm_part,
    [CNN_BATCH_NORM_WHOLE] = serial_batch_norm_whole,
    [CNN_BATCH_NORM_BACKWARD_PART] = serial_batch_norm_backward_part,
    [CNN_BATCH_NORM_BACKWARD_WHOLE] = serial_batch_norm_backward_whole,
    [CNN_CONCAT] = serial_concat,
    [CNN_CONCAT_BACKWARD] = serial_concat_backward,
    [CNN_ADD] = serial_add,
    [CNN_SOFTMAX_LOSS] = serial_softmax_loss,
    [CNN_SOFTMAX_LOSS_BACKWARD] = serial_softmax_loss_backward,
    [CNN_SOFTMAX] = serial_softmax,
    [CNN_CAST] = serial_cast,
    [CNN_SGD] = serial_sgd,
    [CNN_ADAM] = serial_adam,
    [CNN_FETCH] = serial_cast,
    [CNN_EVICT] = serial_cast,
};

/* A value takes 8 bytes here: offsets are those of the program, times as many as the
 * smallest type takes less. */
typedef struct {
    const cnn_program_t *program;
    unsigned char *arena, *swap;
    size_t scale;
    bool fills_gaps;
} serial_t;

static bool serial_takes(const cnn_context_t *context)
{
    (void)context;
    return true;
}

static size_t serial_scratch(const cnn_context_t *context, int n_threads)
{
    (void)context;
    (void)n_threads;
    return 0;
}

static void serial_destroy(void *state)
{
    serial_t *s = state;

    if (s == NULL)
        return;
    free(s->arena);
    free(s->swap);
    free(s);
}

static double *value_of(const serial_t *s, int tensor)
{
    const cnn_tensor_t *t = &s->program->tensors[tensor];

    if (t->part_of > 0)
        return value_of(s, t->part_of - 1) + t->part_first;
    return (double *)(void *)((t->on_host ? s->swap : s->arena) + t->offset * s->scale);
}

static bool allocate(serial_t *s)
{
    const cnn_program_t *p = s->program;

    s->scale = 1;
    for (int i = 0; i < p->n_tensors; i++)
        if (sizeof(double) / cnn_type_bytes(p->tensors[i].type) > s->scale)
            s->scale = sizeof(double) / cnn_type_bytes(p->tensors[i].type);
    s->arena = calloc(p->arena_bytes + 1, s->scale);
    s->swap = calloc(p->swap_bytes + 1, s->scale);
    return s->arena != NULL && s->swap != NULL;
}

static void fill(const serial_t *s, int tensor)
{
    memset(value_of(s, tensor), 0xff,
           (size_t)cnn_tensor_n(&s->program->tensors[tensor]) * sizeof(double));
}

static status_t serial_create(const cnn_context_t *context, void **out)
{
    serial_t *s = calloc(1, sizeof(*s));

    assert(cnn_program_check(context->program, NULL));
    if (s != NULL) {
        s->program = context->program;
        s->fills_gaps = context->fills_gaps;
    }
    if (s == NULL || !allocate(s)) {
        serial_destroy(s);
        return log_nomem("a network");
    }
    *out = s;
    return ST_OK;
}

static status_t serial_write(void *state, int tensor, const void *from)
{
    serial_t *s = state;
    const cnn_tensor_t *t = &s->program->tensors[tensor];

    cnn_value_load(t->type, cnn_tensor_n(t), from, value_of(s, tensor));
    return ST_OK;
}

static status_t serial_read(void *state, int tensor, void *to)
{
    serial_t *s = state;
    const cnn_tensor_t *t = &s->program->tensors[tensor];

    cnn_value_store(t->type, cnn_tensor_n(t), value_of(s, tensor), to);
    return ST_OK;
}

static serial_tensor_t tensor_of(const serial_t *s, int tensor)
{
    const cnn_tensor_t *t = &s->program->tensors[tensor];

    return (serial_tensor_t){t->size, cnn_tensor_n(t), value_of(s, tensor)};
}

static void run_step(const serial_t *s, const cnn_step_t *step, const cnn_iteration_t *it)
{
    serial_step_t work = {.params = &step->params,
                          .iteration = it,
                          .n_in = step->n_reads,
                          .n_out = step->n_writes};

    for (int i = 0; i < step->n_reads; i++)
        work.in[i] = tensor_of(s, step->reads[i]);
    for (int i = 0; i < step->n_writes; i++)
        work.out[i] = tensor_of(s, step->writes[i]);
    operations[step->op](&work);
    for (int i = 0; i < step->n_writes; i++) {
        cnn_type_t type = s->program->tensors[step->writes[i]].type;

        for (int64_t k = 0; k < work.out[i].n; k++)
            work.out[i].value[k] = cnn_value_round(type, work.out[i].value[k]);
    }
}

static status_t serial_run(void *state, int first, int last, const cnn_iteration_t *it)
{
    const serial_t *s = state;

    for (int i = first; i < last; i++) {
        run_step(s, &s->program->steps[i], it);
        for (int t = 0; s->fills_gaps && t < s->program->n_tensors; t++)
            if (cnn_program_leaves(s->program, t, i))
                fill(s, t);
    }
    return ST_OK;
}

static status_t serial_wait(void *state)
{
    (void)state;
    return ST_OK;
}

static status_t serial_choices(void *state, buf_t *out)
{
    (void)state;
    (void)out;
    return ST_OK;
}

const cnn_backend_t serial_cnn_backend = {
    .base = {.name = "serial", .kind = DEVICE_CPU, .rate = 1e8},
    .takes = serial_takes,
    .scratch = serial_scratch,
    .create = serial_create,
    .write = serial_write,
    .read = serial_read,
    .run = serial_run,
    .wait = serial_wait,
    .choices = serial_choices,
    .destroy = serial_destroy,
};
