/*
 * cpu_linear.c - fully connected layers: y = x w^T + b, cut along the longer side of w.
 */
#include "kernels/cnn/cpu/cpu_step.h"

enum { OUTPUTS = CNN_LINEAR_UNIT, INPUTS = 256 }; /* per block */

static int64_t n_blocks(int64_t n, int64_t per_block)
{
    return (n + per_block - 1) / per_block;
}

/* @return the length of a block, the last of which may be shorter */
static int64_t length(int64_t index, int64_t n, int64_t per_block)
{
    int64_t left = n - index * per_block;

    return left < per_block ? left : per_block;
}

static void forward(void *ctx, int64_t index, int thread)
{
    const cpu_step_t *s = ctx;
    const cpu_tensor_t *x = &s->in[0], *w = &s->in[1], *y = &s->out[0];
    int64_t n = x->size[0], n_in = w->size[1], n_out = w->size[0];
    int64_t first = index * OUTPUTS, count = length(index, n_out, OUTPUTS);
    bool has_bias = s->n_in > 2;

    (void)thread;
    for (int64_t i = 0; has_bias && i < n; i++)
        for (int64_t o = first; o < first + count; o++)
            y->value[i * n_out + o] = s->in[2].value[o];
    cpu_blas_multiply(n, count, n_in, (cpu_matrix_t){x->value, n_in, false},
                      (cpu_matrix_t){w->value + first * n_in, n_in, true},
                      has_bias ? 1 : 0, y->value + first, n_out);
}

void cpu_linear(const cpu_step_t *s)
{
    cpu_step_run(s, n_blocks(s->in[1].size[0], OUTPUTS), forward);
}

static void backward_data(void *ctx, int64_t index, int thread)
{
    const cpu_step_t *s = ctx;
    const cpu_tensor_t *dy = &s->in[0], *w = &s->in[1], *dx = &s->out[0];
    int64_t n_in = w->size[1], n_out = w->size[0], first = index * INPUTS;

    (void)thread;
    cpu_blas_multiply(dy->size[0], length(index, n_in, INPUTS), n_out,
                      (cpu_matrix_t){dy->value, n_out, false},
                      (cpu_matrix_t){w->value + first, n_in, false}, 0, dx->value + first,
                      n_in);
}

void cpu_linear_backward_data(const cpu_step_t *s)
{
    cpu_step_run(s, n_blocks(s->in[1].size[1], INPUTS), backward_data);
}

static void backward_weights(void *ctx, int64_t index, int thread)
{
    const cpu_step_t *s = ctx;
    const cpu_tensor_t *x = &s->in[0], *dy = &s->in[1], *dw = &s->out[0];
    int64_t n = x->size[0], n_in = dw->size[1], n_out = dy->size[1];
    int64_t first = index * OUTPUTS, count = length(index, dw->size[0], OUTPUTS);
    const float *from = dy->value + s->params->linear.first;

    (void)thread;
    cpu_blas_multiply(count, n_in, n, (cpu_matrix_t){from + first, n_out, true},
                      (cpu_matrix_t){x->value, n_in, false}, 0, dw->value + first * n_in,
                      n_in);
}

static void backward_bias(void *ctx, int64_t index, int thread)
{
    const cpu_step_t *s = ctx;
    const cpu_tensor_t *dy = &s->in[1];
    int64_t n_out = dy->size[1], first = index * OUTPUTS;

    (void)thread;
    for (int64_t o = first; o < first + length(index, n_out, OUTPUTS); o++) {
        double sum = 0;

        for (int64_t i = 0; i < dy->size[0]; i++)
            sum += (double)dy->value[i * n_out + o];
        s->out[1].value[o] = (float)sum;
    }
}

void cpu_linear_backward_weights(const cpu_step_t *s)
{
    cpu_step_run(s, n_blocks(s->out[0].size[0], OUTPUTS), backward_weights);
    if (s->n_out > 1)
        cpu_step_run(s, n_blocks(s->in[1].size[1], OUTPUTS), backward_bias);
}
