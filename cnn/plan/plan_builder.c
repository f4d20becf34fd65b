/*
 * plan_builder.c - appends tensors and steps.
 */
#include "cnn/plan/plan_builder.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int plan_builder_tensor(plan_builder_t *b, cnn_role_t role, cnn_type_t type,
                        const int64_t size[4], const char *fmt, ...)
{
    cnn_tensor_t t = {.type = type, .role = role};
    int number = (int)(b->tensors.len / sizeof(t));
    va_list args;

    va_start(args, fmt);
    vsnprintf(t.name, sizeof(t.name), fmt, args);
    va_end(args);
    memcpy(t.size, size, sizeof(t.size));
    if (b->st == ST_OK)
        b->st = buf_append(&b->tensors, &t, sizeof(t));
    return b->st == ST_OK ? number : 0;
}

static int copy_numbers(const int *from, int *to)
{
    int n = 0;

    for (; from[n] >= 0; n++)
        to[n] = from[n];
    return n;
}

void plan_builder_step(plan_builder_t *b, cnn_op_t op, int layer,
                       const cnn_params_t *params, const int *reads, const int *writes)
{
    cnn_step_t step = {.op = op, .layer = layer};

    if (params != NULL)
        step.params = *params;
    step.n_reads = copy_numbers(reads, step.reads);
    step.n_writes = copy_numbers(writes, step.writes);
    if (b->st == ST_OK)
        b->st = buf_append(&b->steps, &step, sizeof(step));
}

const int64_t *plan_builder_size(const plan_builder_t *b, int layer, int64_t out[4])
{
    out[0] = b->options->n_images;
    memcpy(out + 1, b->net->layers[layer].size, 3 * sizeof(*out));
    return out;
}

plan_parts_t plan_builder_parts(plan_builder_t *b, cnn_role_t role, int layer,
                                const char *prefix)
{
    const cnn_layer_t *l = &b->net->layers[layer];
    int64_t size[4] = {2, l->size[0], 1, 1};
    plan_parts_t p;

    p.own = plan_builder_tensor(b, role, b->wide, size, "%s%s.part", prefix, l->name);
    p.params = l->params;
    p.params.batch_norm.n_images = b->n_whole;
    size[0] = 2 * (b->n_whole > 0 ? 1 : (int64_t)b->n_parts);
    p.all = plan_builder_tensor(b, role, b->wide, size, "%s%s.parts", prefix, l->name);
    return p;
}
