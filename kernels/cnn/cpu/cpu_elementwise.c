/*
 * cpu_elementwise.c - operations on each element for itself, block by block.
 *
 * Where the output may be the input, `INDEPENDENT` lets compilers use vectors anyway.
 */
#include "kernels/cnn/common/cnn_draw.h"
#include "kernels/cnn/cpu/cpu_step.h"

/* The passes of the next loop do not depend on each other.  Clang compares the addresses
 * at run time. */
#ifdef __clang__
#define INDEPENDENT
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

static void relu(void *ctx, int64_t index, int thread)
{
    const cpu_step_t *s = ctx;
    const float *x = s->in[0].value;
    float *y = s->out[0].value;
    int64_t end = cpu_block_end(index, s->out[0].n);

    (void)thread;
    INDEPENDENT
    for (int64_t i = index * CPU_BLOCK; i < end; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
}

void cpu_relu(const cpu_step_t *s)
{
    cpu_step_run(s, cpu_n_blocks(s->out[0].n), relu);
}

static void relu_backward(void *ctx, int64_t index, int thread)
{
    const cpu_step_t *s = ctx;
    const float *y = s->in[0].value, *dy = s->in[1].value;
    float *dx = s->out[0].value;
    int64_t end = cpu_block_end(index, s->out[0].n);

    (void)thread;
    INDEPENDENT
    for (int64_t i = index * CPU_BLOCK; i < end; i++) {
        float d = dy[i]; /* always read, because vectors do */

        dx[i] = y[i] > 0 ? d : 0;
    }
}

void cpu_relu_backward(const cpu_step_t *s)
{
    cpu_step_run(s, cpu_n_blocks(s->out[0].n), relu_backward);
}

static void dropout(void *ctx, int64_t index, int thread)
{
    const cpu_step_t *s = ctx;
    const cnn_dropout_t *p = &s->params->dropout;
    const cnn_iteration_t *it = s->iteration;
    const cpu_tensor_t *y = &s->out[0];
    uint64_t offset = (uint64_t)(it->first_image * (y->n / y->size[0]));
    uint32_t limit = cnn_draw_limit(p->p);
    float scale = (float)(1 / (1 - p->p));
    philox_t bits = {{0}};
    const float *from = s->in[0].value;
    float *to = y->value;
    int64_t end = cpu_block_end(index, y->n);

    (void)thread;
    for (int64_t i = index * CPU_BLOCK; i < end; i++) {
        uint64_t element = offset + (uint64_t)i;

        if (element % 4 == 0 || i == index * CPU_BLOCK)
            bits =
                cnn_draw_block(it->seed, (uint32_t)p->layer, it->iteration, element / 4);
        to[i] = bits.word[element % 4] < limit ? 0 : from[i] * scale;
    }
}

void cpu_dropout(const cpu_step_t *s)
{
    cpu_step_run(s, cpu_n_blocks(s->out[0].n), dropout);
}

static void add(void *ctx, int64_t index, int thread)
{
    const cpu_step_t *s = ctx;
    const float *a = s->in[0].value, *b = s->in[1].value;
    float *y = s->out[0].value;
    int64_t end = cpu_block_end(index, s->out[0].n);

    (void)thread;
    INDEPENDENT
    for (int64_t i = index * CPU_BLOCK; i < end; i++)
        y[i] = a[i] + b[i];
}

void cpu_add(const cpu_step_t *s)
{
    cpu_step_run(s, cpu_n_blocks(s->out[0].n), add);
}
