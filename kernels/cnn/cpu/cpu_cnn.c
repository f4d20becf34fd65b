/*
 * cpu_cnn.c - the CNN backend `cpu`: its tensors, the memory of its steps, their order.
 */
#include "kernels/cnn/common/cnn_backend.h"

#include "io/base/logmsg.h"
#include "kernels/cnn/cpu/cpu_step.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 256 };

/* scratch: NULL for an operation that needs none */
static const struct {
    void (*run)(const cpu_step_t *);
    cpu_scratch_t (*scratch)(const cpu_step_t *);
} operations[CNN_N_OPS] = {
    [CNN_CONVOLUTION] = {cpu_convolution, cpu_convolution_scratch},
    [CNN_CONVOLUTION_BACKWARD_DATA] = {cpu_convolution_backward_data,
                                       cpu_convolution_scratch},
    [CNN_CONVOLUTION_BACKWARD_FILTER] = {cpu_convolution_backward_filter,
                                         cpu_convolution_scratch},
    [CNN_POOL] = {cpu_pool, NULL},
    [CNN_POOL_BACKWARD] = {cpu_pool_backward, NULL},
    [CNN_LRN] = {cpu_lrn, cpu_lrn_scratch},
    [CNN_LRN_BACKWARD] = {cpu_lrn_backward, cpu_lrn_scratch},
    [CNN_LINEAR] = {cpu_linear, NULL},
    [CNN_LINEAR_BACKWARD_DATA] = {cpu_linear_backward_data, NULL},
    [CNN_LINEAR_BACKWARD_WEIGHTS] = {cpu_linear_backward_weights, NULL},
    [CNN_RELU] = {cpu_relu, NULL},
    [CNN_RELU_BACKWARD] = {cpu_relu_backward, NULL},
    [CNN_DROPOUT] = {cpu_dropout, NULL},
    [CNN_DROPOUT_BACKWARD] = {cpu_dropout, NULL},
    [CNN_BATCH_NORM] = {cpu_batch_norm, NULL},
    [CNN_BATCH_NORM_INFERENCE] = {cpu_batch_norm_inference, NULL},
    [CNN_BATCH_NORM_BACKWARD] = {cpu_batch_norm_backward, NULL},
    [CNN_BATCH_NORM_PART] = {cpu_batch_norm_part, NULL},
    [CNN_BATCH_NORM_WHOLE] = {cpu_batch_norm_whole, NULL},
    [CNN_BATCH_NORM_BACKWARD_PART] = {cpu_batch_norm_backward_part, NULL},
    [CNN_BATCH_NORM_BACKWARD_WHOLE] = {cpu_batch_norm_backward_whole, NULL},
    [CNN_CONCAT] = {cpu_concat, NULL},
    [CNN_CONCAT_BACKWARD] = {cpu_concat_backward, NULL},
    [CNN_ADD] = {cpu_add, NULL},
    [CNN_SOFTMAX_LOSS] = {cpu_softmax_loss, NULL},
    [CNN_SOFTMAX_LOSS_BACKWARD] = {cpu_softmax_loss_backward, NULL},
    [CNN_SOFTMAX] = {cpu_softmax, NULL},
    [CNN_SGD] = {cpu_sgd, NULL},
    [CNN_ADAM] = {cpu_adam, NULL},
    [CNN_FETCH] = {cpu_copy, NULL},
    [CNN_EVICT] = {cpu_copy, NULL},
};

typedef struct {
    const cnn_program_t *program;
    pool_t *pool;
    unsigned char *arena; /* with the scratch memory behind the tensors */
    unsigned char *swap;
    float *own, *shared; /* scratch of a step at a time */
    int64_t own_n;
    bool fills_gaps;
    bool
        is_beside; /* another device: it runs steps on the host alone, in its swap area */
} cpu_cnn_t;

static bool takes_tensors(const cnn_program_t *p, const int *tensors, int n)
{
    for (int i = 0; i < n; i++)
        if (p->tensors[tensors[i]].type != CNN_F32 &&
            p->tensors[tensors[i]].type != CNN_I32)
            return false;
    return true;
}

/* Beside another device it takes its steps of any math. */
static bool cpu_takes(const cnn_context_t *context)
{
    const cnn_program_t *p = context->program;

    for (int i = 0; i < p->n_steps; i++) {
        const cnn_step_t *s = &p->steps[i];

        if (context->is_beside && !s->on_host)
            continue;
        if ((operations[s->op].run == NULL && !cnn_op_exchanges(s->op)) ||
            !takes_tensors(p, s->reads, s->n_reads) ||
            !takes_tensors(p, s->writes, s->n_writes))
            return false;
    }
    return context->is_beside || p->math == CNN_STRICT;
}

static void cpu_destroy(void *state)
{
    cpu_cnn_t *c = state;

    if (c == NULL)
        return;
    free(c->arena);
    if (!c->is_beside)
        free(c->swap);
    free(c);
}

static void *tensor_at(const cpu_cnn_t *c, int tensor)
{
    const cnn_tensor_t *t = &c->program->tensors[tensor];

    return (t->on_host ? c->swap : c->arena) + t->offset;
}

static cpu_tensor_t tensor_of(const cpu_cnn_t *c, int tensor)
{
    const cnn_tensor_t *t = &c->program->tensors[tensor];
    void *at = c->arena != NULL ? tensor_at(c, tensor) : NULL; /* not yet */

    return (cpu_tensor_t){t->size, cnn_tensor_n(t), at, at};
}

static cpu_step_t step_of(const cpu_cnn_t *c, const cnn_step_t *step,
                          const cnn_iteration_t *it)
{
    cpu_step_t s = {.op = step->op,
                    .params = &step->params,
                    .iteration = it,
                    .n_in = step->n_reads,
                    .n_out = step->n_writes,
                    .pool = c->pool,
                    .own = c->own,
                    .shared = c->shared,
                    .own_n = c->own_n};

    for (int i = 0; i < step->n_reads; i++)
        s.in[i] = tensor_of(c, step->reads[i]);
    for (int i = 0; i < step->n_writes; i++)
        s.out[i] = tensor_of(c, step->writes[i]);
    return s;
}

/* @return zeroed memory, at least a byte, or NULL */
static void *allocate(size_t bytes)
{
    size_t whole = (bytes / ALIGNMENT + 1) * ALIGNMENT;
    void *p = aligned_alloc(ALIGNMENT, whole);

    return p == NULL ? NULL : memset(p, 0, whole);
}

static int64_t rounded(int64_t n)
{
    return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* @return what the step with the largest need takes, rounded */
static cpu_scratch_t find_scratch(const cpu_cnn_t *c)
{
    cpu_scratch_t most = {0, 0};

    for (int i = 0; i < c->program->n_steps; i++) {
        const cnn_step_t *step = &c->program->steps[i];
        cpu_step_t s = step_of(c, step, NULL);
        cpu_scratch_t need = {0, 0};

        if ((step->on_host || !c->is_beside) && operations[step->op].scratch != NULL)
            need = operations[step->op].scratch(&s);
        if (need.own > most.own)
            most.own = need.own;
        if (need.shared > most.shared)
            most.shared = need.shared;
    }
    return (cpu_scratch_t){rounded(most.own), rounded(most.shared)};
}

static size_t scratch_bytes(cpu_scratch_t s, int n_threads)
{
    return (size_t)(s.own * n_threads + s.shared) * sizeof(float);
}

static size_t cpu_scratch(const cnn_context_t *context, int n_threads)
{
    const cpu_cnn_t c = {.program = context->program, .is_beside = context->is_beside};

    return scratch_bytes(find_scratch(&c), n_threads);
}

static bool allocate_all(cpu_cnn_t *c)
{
    const cnn_program_t *p = c->program;
    const cpu_scratch_t scratch = find_scratch(c);
    const size_t arena_bytes = c->is_beside ? 0 : p->arena_bytes;

    c->arena = allocate(arena_bytes + scratch_bytes(scratch, pool_n_threads(c->pool)));
    if (!c->is_beside)
        c->swap = allocate(p->swap_bytes);
    if (c->arena == NULL || c->swap == NULL)
        return false;
    c->shared = (float *)(void *)(c->arena + arena_bytes);
    c->own = c->shared + scratch.shared;
    c->own_n = scratch.own;
    return true;
}

static status_t cpu_create(const cnn_context_t *context, void **out)
{
    status_t st = cpu_blas_open();
    cpu_cnn_t *c;

    assert(cnn_program_check(context->program, NULL));
    if (st != ST_OK)
        return st;
    if ((c = calloc(1, sizeof(*c))) == NULL)
        return log_nomem("a network");
    c->program = context->program;
    c->pool = context->pool;
    c->fills_gaps = context->fills_gaps && !context->is_beside;
    c->is_beside = context->is_beside;
    c->swap = context->is_beside ? context->swap : NULL;
    if (!allocate_all(c)) {
        cpu_destroy(c);
        return log_nomem("a network");
    }
    *out = c;
    return ST_OK;
}

static status_t cpu_write(void *state, int tensor, const void *from)
{
    const cpu_cnn_t *c = state;

    memcpy(tensor_at(c, tensor), from, cnn_tensor_bytes(&c->program->tensors[tensor]));
    return ST_OK;
}

static status_t cpu_read(void *state, int tensor, void *to)
{
    const cpu_cnn_t *c = state;

    memcpy(to, tensor_at(c, tensor), cnn_tensor_bytes(&c->program->tensors[tensor]));
    return ST_OK;
}

static status_t cpu_run(void *state, int first, int last, const cnn_iteration_t *it)
{
    const cpu_cnn_t *c = state;

    for (int i = first; i < last; i++) {
        cpu_step_t s = step_of(c, &c->program->steps[i], it);

        operations[s.op].run(&s);
        for (int t = 0; c->fills_gaps && t < c->program->n_tensors; t++)
            if (cnn_program_leaves(c->program, t, i))
                memset(tensor_at(c, t), 0xff, cnn_tensor_bytes(&c->program->tensors[t]));
    }
    return ST_OK;
}

static status_t cpu_wait(void *state)
{
    (void)state;
    return ST_OK;
}

static status_t cpu_choices(void *state, buf_t *out)
{
    (void)state;
    (void)out;
    return ST_OK;
}

const cnn_backend_t cpu_cnn_backend = {
    .base = {.name = "cpu", .kind = DEVICE_CPU, .rate = 1e10},
    .takes = cpu_takes,
    .scratch = cpu_scratch,
    .create = cpu_create,
    .write = cpu_write,
    .read = cpu_read,
    .run = cpu_run,
    .wait = cpu_wait,
    .choices = cpu_choices,
    .destroy = cpu_destroy,
};
