/*
 * cpu_concat.c - channels of several tensors one after the other, image by image.
 */
#include "kernels/cnn/cpu/cpu_step.h"

#include <string.h>

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
