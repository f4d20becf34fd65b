/*
 * cnn_plan.c - puts the parts of a program together.
 */
#include "cnn/plan/cnn_plan.h"

#include "cnn/plan/plan_builder.h"
#include "cnn/plan/plan_summary.h"
#include "io/base/logmsg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double max_bytes = 1125899906842624; /* 1 PiB; far below overflow */

/* Copy the names of the layers into one allocation, after the pointers to them. */
static status_t copy_names(const cnn_net_t *net, cnn_program_t *p)
{
    size_t n = (size_t)net->n_layers;
    char *text;

    p->layers = malloc(n * (sizeof(*p->layers) + CNN_LAYER_NAME_BYTES));
    if (p->layers == NULL)
        return log_nomem("the plan of a network");
    text = (char *)(p->layers + n);
    for (size_t i = 0; i < n; i++, text += CNN_LAYER_NAME_BYTES) {
        memcpy(text, net->layers[i].name, CNN_LAYER_NAME_BYTES);
        p->layers[i] = text;
    }
    p->n_layers = net->n_layers;
    return ST_OK;
}

/* Add all steps, and take the lists. */
static status_t build(plan_builder_t *b, cnn_program_t *p)
{
    bool is_training = b->options->purpose == CNN_PLAN_TRAINING;

    plan_forward_add(b);
    p->n_forward = (int)(b->steps.len / sizeof(cnn_step_t));
    if (is_training)
        plan_backward_add(b);
    p->n_backward = (int)(b->steps.len / sizeof(cnn_step_t)) - p->n_forward;
    if (is_training)
        plan_update_add(b);
    p->n_steps = (int)(b->steps.len / sizeof(cnn_step_t));
    p->n_tensors = (int)(b->tensors.len / sizeof(cnn_tensor_t));
    p->steps = (cnn_step_t *)(void *)b->steps.data;
    p->tensors = (cnn_tensor_t *)(void *)b->tensors.data;
    p->math = b->options->types == CNN_PLAN_TF32 ? CNN_TF32 : CNN_STRICT;
    return b->st;
}

static status_t check_bytes(const cnn_net_t *net, const cnn_program_t *p)
{
    double bytes = 0;

    for (int i = 0; i < p->n_tensors; i++)
        bytes += (double)cnn_tensor_bytes(&p->tensors[i]);
    if (bytes <= max_bytes)
        return ST_OK;
    log_error("%s: %.0f TiB of memory for this batch; use a smaller batch or network",
              net->name, bytes / 1099511627776);
    return ST_EINPUT;
}

status_t cnn_plan_compile(const cnn_net_t *net, const cnn_plan_options_t *options,
                          cnn_program_t **out)
{
    return cnn_plan_compile_part(net, options, 1, 0, out);
}

status_t cnn_plan_compile_part(const cnn_net_t *net, const cnn_plan_options_t *options,
                               int n_parts, int64_t n_whole, cnn_program_t **out)
{
    cnn_type_t wide = options->types == CNN_PLAN_FP64 ? CNN_F64 : CNN_F32;
    plan_builder_t b = {.net = net,
                        .options = options,
                        .n_parts = n_parts,
                        .n_whole = n_whole,
                        .narrow = options->types == CNN_PLAN_BF16 ? CNN_BF16 : wide,
                        .wide = wide,
                        .layers = malloc((size_t)net->n_layers * sizeof(*b.layers))};
    cnn_program_t *p = calloc(1, sizeof(*p));
    status_t st = ST_ENOMEM;

    if (b.layers == NULL || p == NULL) {
        log_nomem("the plan of a network");
        goto done;
    }
    if ((st = build(&b, p)) != ST_OK || (st = copy_names(net, p)) != ST_OK ||
        (st = check_bytes(net, p)) != ST_OK || (st = plan_arena_place(p)) != ST_OK)
        goto done;
    for (int s = 0; s < p->n_steps; s++)
        plan_cost_fill(p, &p->steps[s]);
    if ((st = plan_place(net, options, &p)) != ST_OK)
        goto done;
    *out = p;
    p = NULL;
done:
    cnn_program_destroy(p);
    free(b.layers);
    return st;
}

int cnn_plan_tensor(const cnn_program_t *p, const char *name)
{
    for (int i = 0; i < p->n_tensors; i++)
        if (!plan_arena_has(&p->tensors[i]) && strcmp(p->tensors[i].name, name) == 0)
            return i;
    return -1;
}

static cnn_plan_start_t constant(double value)
{
    return (cnn_plan_start_t){CNN_START_CONSTANT, value};
}

static cnn_plan_start_t start_of_weights(const cnn_layer_t *l, const cnn_tensor_t *t)
{
    double fan_in = (double)(cnn_tensor_n(t) / t->size[0]);

    switch (l->init.kind) {
    case CNN_INIT_DEFAULT:
    case CNN_INIT_XAVIER:
        return (cnn_plan_start_t){CNN_START_UNIFORM, sqrt(3 / fan_in)};
    case CNN_INIT_HE:
        return (cnn_plan_start_t){CNN_START_NORMAL, sqrt(2 / fan_in)};
    case CNN_INIT_GAUSSIAN:
        return (cnn_plan_start_t){CNN_START_NORMAL, l->init.value};
    case CNN_INIT_CONSTANT:
        break;
    }
    return constant(l->init.value);
}

cnn_plan_start_t cnn_plan_start(const cnn_net_t *net, const cnn_program_t *p, int tensor)
{
    const cnn_tensor_t *t = &p->tensors[tensor];
    const char *what = strrchr(t->name, '.');

    if (strcmp(what, ".weight") == 0)
        for (int i = 0; i < net->n_layers; i++)
            if (strncmp(net->layers[i].name, t->name, (size_t)(what - t->name)) == 0 &&
                net->layers[i].name[what - t->name] == '\0')
                return start_of_weights(&net->layers[i], t);
    /* A batch norm begins as one that changes nothing. */
    return constant(strcmp(what, ".scale") == 0 || strcmp(what, ".variance") == 0);
}
