/*
 * cpu_elementwise.c - operations on each element for itself: those of layers, copies of
 * channels, and the steps of solvers.
 *
 * Where the output may be the input, `INDEPENDENT` lets compilers use vectors anyway.
 */
#include "kernels/cnn/common/cnn_draw.h"
#include "kernels/cnn/cpu/cpu_step.h"

#include <math.h>
#include <string.h>

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

/* ---- channels of several tensors one after the other, image by image ---- */

/* @return where channel c of an image begins */
static float *channel_at(const cpu_tensor_t *t, int64_t image, int64_t c)
{
    return t->value + (image * t->size[1] + c) * t->size[2] * t->size[3];
}

static size_t image_bytes(const cpu_tensor_t *t)
{
    return (size_t)(t->size[1] * t->size[2] * t->size[3]) * sizeof(float);
}

static void concat(void *ctx, int64_t image, int thread)
{
    const cpu_step_t *s = ctx;
    int64_t first = 0;

    (void)thread;
    for (int i = 0; i < s->n_in; i++) {
        memcpy(channel_at(&s->out[0], image, first), channel_at(&s->in[i], image, 0),
               image_bytes(&s->in[i]));
        first += s->in[i].size[1];
    }
}

void cpu_concat(const cpu_step_t *s)
{
    cpu_step_run(s, s->out[0].size[0], concat);
}

static void concat_backward(void *ctx, int64_t image, int thread)
{
    const cpu_step_t *s = ctx;

    (void)thread;
    memcpy(channel_at(&s->out[0], image, 0),
           channel_at(&s->in[0], image, s->params->concat.from_channel),
           image_bytes(&s->out[0]));
}

void cpu_concat_backward(const cpu_step_t *s)
{
    cpu_step_run(s, s->out[0].size[0], concat_backward);
}

/* ---- the steps of solvers ---- */

static double rate_of(const cpu_step_t *s)
{
    return s->iteration->rate * s->params->update.rate_factor;
}

static void sgd(void *ctx, int64_t index, int thread)
{
    const cpu_step_t *s = ctx;
    const cnn_update_t *p = &s->params->update;
    float momentum = (float)p->momentum, decay = (float)p->decay,
          rate = (float)rate_of(s);
    const float *g = s->in[0].value;
    float *w = s->out[0].value, *v = s->out[1].value;
    int64_t end = cpu_block_end(index, s->in[0].n);

    (void)thread;
    for (int64_t i = index * CPU_BLOCK; i < end; i++) {
        v[i] = momentum * v[i] + g[i] + decay * w[i];
        w[i] -= rate * v[i];
    }
}

void cpu_sgd(const cpu_step_t *s)
{
    cpu_step_run(s, cpu_n_blocks(s->in[0].n), sgd);
}

static void adam(void *ctx, int64_t index, int thread)
{
    const cpu_step_t *s = ctx;
    const cnn_update_t *p = &s->params->update;
    double t = (double)(s->iteration->iteration + 1);
    float rate = (float)(rate_of(s) / (1 - pow(p->beta1, t)));
    float correction = (float)(1 / (1 - pow(p->beta2, t)));
    float beta1 = (float)p->beta1, beta2 = (float)p->beta2;
    float rest1 = (float)(1 - p->beta1), rest2 = (float)(1 - p->beta2);
    float decay = (float)p->decay, epsilon = (float)p->epsilon;
    const float *from = s->in[0].value;
    float *w = s->out[0].value, *m = s->out[1].value, *v = s->out[2].value;
    int64_t end = cpu_block_end(index, s->in[0].n);

    (void)thread;
    for (int64_t i = index * CPU_BLOCK; i < end; i++) {
        float g = from[i] + decay * w[i];

        m[i] = beta1 * m[i] + rest1 * g;
        v[i] = beta2 * v[i] + rest2 * g * g;
        w[i] -= rate * m[i] / (sqrtf(v[i] * correction) + epsilon);
    }
}

void cpu_adam(const cpu_step_t *s)
{
    cpu_step_run(s, cpu_n_blocks(s->in[0].n), adam);
}

/* ---- the swap area ---- */

void cpu_copy(const cpu_step_t *s)
{
    pool_copy(s->pool, s->out[0].value, s->in[0].value,
              (size_t)s->out[0].n * sizeof(*s->out[0].value));
}
