/*
 * plan_backward.c - the backward steps, from the last layer to the first, and the updates
 * of the parameters.
 *
 * The gradient of a layer's parameters comes before that of its input, whose memory may
 * then be that of what the former reads alone.
 */
#include "cnn/plan/plan_builder.h"

static int add_gradient(plan_builder_t *b, int layer)
{
    int64_t size[4];

    return plan_builder_tensor(b, CNN_GRADIENT, b->narrow,
                               plan_builder_size(b, layer, size), "d.%s",
                               b->net->layers[layer].name);
}

/* The gradient of a parameter. */
static int add_of_parameter(plan_builder_t *b, int parameter)
{
    const cnn_tensor_t *t =
        (const cnn_tensor_t *)(const void *)b->tensors.data + parameter;
    char name[sizeof(t->name)];
    int64_t size[4];

    if (b->st != ST_OK)
        return 0;
    for (size_t i = 0; i < sizeof(name); i++) /* adding a tensor may move this one */
        name[i] = t->name[i];
    for (int i = 0; i < 4; i++)
        size[i] = t->size[i];
    return plan_builder_tensor(b, CNN_GRADIENT, b->wide, size, "d.%.40s", name);
}

/* Take what one of its readers computed as the gradient of a layer, or add it. */
static void contribute(plan_builder_t *b, int layer, int gradient)
{
    plan_layer_t *t = &b->layers[layer];

    if (t->gradient < 0)
        t->gradient = gradient;
    else
        plan_builder_step(b, CNN_ADD, layer, NULL, (int[]){t->gradient, gradient, -1},
                          (int[]){t->gradient, -1});
}

static void add_weighted(plan_builder_t *b, int layer, cnn_op_t of_input,
                         cnn_op_t of_weight)
{
    const cnn_layer_t *l = &b->net->layers[layer];
    plan_layer_t *t = &b->layers[layer];
    int in = l->inputs[0], x = b->layers[in].value, dx;

    t->d_weight = add_of_parameter(b, t->weight);
    if (t->bias >= 0)
        t->d_bias = add_of_parameter(b, t->bias);
    plan_builder_step(b, of_weight, layer, &l->params, (int[]){x, t->gradient, -1},
                      (int[]){t->d_weight, t->d_bias, -1});
    if (!b->layers[in].needs_gradient)
        return;
    dx = add_gradient(b, in);
    plan_builder_step(b, of_input, layer, &l->params, (int[]){t->gradient, t->factor, -1},
                      (int[]){dx, -1});
    contribute(b, in, dx);
}

static void add_batch_norm_part(plan_builder_t *b, int layer, int x, int dx)
{
    const plan_layer_t *t = &b->layers[layer];
    const plan_parts_t parts = plan_builder_parts(b, CNN_GRADIENT, layer, "d.");

    plan_builder_step(b, CNN_BATCH_NORM_BACKWARD_PART, layer, &parts.params,
                      (int[]){x, t->gradient, t->mean, t->deviation, -1},
                      (int[]){parts.own, t->d_weight, t->d_bias, -1});
    plan_builder_step(b, CNN_GATHER, layer, NULL, (int[]){parts.own, -1},
                      (int[]){parts.all, -1});
    plan_builder_step(b, CNN_BATCH_NORM_BACKWARD_WHOLE, layer, &parts.params,
                      (int[]){x, t->gradient, t->weight, t->mean, t->deviation, parts.all,
                              -1},
                      (int[]){dx, -1});
}

static void add_batch_norm(plan_builder_t *b, int layer)
{
    const cnn_layer_t *l = &b->net->layers[layer];
    plan_layer_t *t = &b->layers[layer];
    int in = l->inputs[0], x = b->layers[in].value, dx = add_gradient(b, in);

    t->d_weight = add_of_parameter(b, t->weight);
    t->d_bias = add_of_parameter(b, t->bias);
    if (b->n_parts > 1)
        add_batch_norm_part(b, layer, x, dx);
    else
        plan_builder_step(b, CNN_BATCH_NORM_BACKWARD, layer, &l->params,
                          (int[]){x, t->gradient, t->weight, t->mean, t->deviation, -1},
                          (int[]){dx, t->d_weight, t->d_bias, -1});
    if (b->layers[in].needs_gradient)
        contribute(b, in, dx);
}

/* Layers without parameters, whose gradient reads x and y too, or y, or neither. */
static void add_simple(plan_builder_t *b, int layer, cnn_op_t op)
{
    const cnn_layer_t *l = &b->net->layers[layer];
    const plan_layer_t *t = &b->layers[layer];
    int in = l->inputs[0], x = b->layers[in].value;
    int dx = op == CNN_RELU_BACKWARD ? t->gradient : add_gradient(b, in);
    int reads[4] = {x, t->value, t->gradient, -1};
    int first = op == CNN_RELU_BACKWARD ? 1 : op == CNN_DROPOUT_BACKWARD ? 2 : 0;

    plan_builder_step(b, op, layer, &l->params, reads + first, (int[]){dx, -1});
    contribute(b, in, dx);
}

static void add_concat(plan_builder_t *b, int layer)
{
    const cnn_layer_t *l = &b->net->layers[layer];
    cnn_params_t params = {.concat = {0}};

    for (int i = 0; i < l->n_inputs; i++) {
        int in = l->inputs[i], dx;

        if (b->layers[in].needs_gradient) {
            dx = add_gradient(b, in);
            plan_builder_step(b, CNN_CONCAT_BACKWARD, layer, &params,
                              (int[]){b->layers[layer].gradient, -1}, (int[]){dx, -1});
            contribute(b, in, dx);
        }
        params.concat.from_channel += b->net->layers[in].size[0];
    }
}

static void add_softmax(plan_builder_t *b, int layer)
{
    const plan_layer_t *t = &b->layers[layer];
    int in = b->net->layers[layer].inputs[0], dx = add_gradient(b, in);

    plan_builder_step(b, CNN_SOFTMAX_LOSS_BACKWARD, layer, NULL,
                      (int[]){t->value, t->factor, -1}, (int[]){dx, -1});
    contribute(b, in, dx);
}

static void add_layer(plan_builder_t *b, int layer)
{
    switch (b->net->layers[layer].kind) {
    case CNN_LAYER_INPUT:
        break;
    case CNN_LAYER_CONVOLUTION:
        add_weighted(b, layer, CNN_CONVOLUTION_BACKWARD_DATA,
                     CNN_CONVOLUTION_BACKWARD_FILTER);
        break;
    case CNN_LAYER_LINEAR:
        add_weighted(b, layer, CNN_LINEAR_BACKWARD_DATA, CNN_LINEAR_BACKWARD_WEIGHTS);
        break;
    case CNN_LAYER_POOL:
        add_simple(b, layer, CNN_POOL_BACKWARD);
        break;
    case CNN_LAYER_LRN:
        add_simple(b, layer, CNN_LRN_BACKWARD);
        break;
    case CNN_LAYER_RELU:
        add_simple(b, layer, CNN_RELU_BACKWARD);
        break;
    case CNN_LAYER_DROPOUT:
        add_simple(b, layer, CNN_DROPOUT_BACKWARD);
        break;
    case CNN_LAYER_BATCH_NORM:
        add_batch_norm(b, layer);
        break;
    case CNN_LAYER_CONCAT:
        add_concat(b, layer);
        break;
    case CNN_LAYER_SOFTMAX:
        add_softmax(b, layer);
        break;
    }
}

void plan_backward_add(plan_builder_t *b)
{
    for (int i = b->net->n_layers; i-- > 0;)
        if (b->layers[i].needs_gradient)
            add_layer(b, i);
}

static void add_up(plan_builder_t *b, int layer, int tensor)
{
    if (b->options->adds_up)
        plan_builder_step(b, CNN_SUM, layer, NULL, (int[]){tensor, -1},
                          (int[]){tensor, -1});
}

/* Add up loss and right answers. */
static void add_up_score(plan_builder_t *b)
{
    const int n = b->st == ST_OK ? (int)(b->steps.len / sizeof(cnn_step_t)) : 0;

    for (int s = 0; s < n; s++) {
        const cnn_step_t step = ((const cnn_step_t *)(const void *)b->steps.data)[s];

        for (int i = 1; step.op == CNN_SOFTMAX_LOSS && i < step.n_writes; i++)
            add_up(b, step.layer, step.writes[i]);
    }
}

static void update(plan_builder_t *b, int layer, int parameter, int gradient,
                   bool is_bias)
{
    const cnn_solver_t *s = &b->net->solver;
    bool is_adam = s->type == CNN_SOLVER_ADAM;
    const cnn_params_t params = {.update = {.momentum = s->momentum,
                                            .decay = s->decay,
                                            .beta1 = s->beta1,
                                            .beta2 = s->beta2,
                                            .epsilon = s->epsilon,
                                            .rate_factor = is_bias ? s->bias_rate : 1}};
    cnn_tensor_t p;
    int m = -1, v;

    if (b->st != ST_OK)
        return;
    p = ((const cnn_tensor_t *)(const void *)b->tensors.data)[parameter];
    if (is_adam)
        m = plan_builder_tensor(b, CNN_STATE, b->wide, p.size, "%.40s.m", p.name);
    v = plan_builder_tensor(b, CNN_STATE, b->wide, p.size, "%.40s.v", p.name);
    add_up(b, layer, gradient);
    plan_builder_step(b, is_adam ? CNN_ADAM : CNN_SGD, layer, &params,
                      (int[]){gradient, -1},
                      is_adam ? (int[]){parameter, m, v, -1} : (int[]){parameter, v, -1});
}

void plan_update_add(plan_builder_t *b)
{
    add_up_score(b);
    for (int i = 0; i < b->net->n_layers; i++) {
        const plan_layer_t *t = &b->layers[i];

        if (t->weight >= 0)
            update(b, i, t->weight, t->d_weight, false);
        if (t->bias >= 0)
            update(b, i, t->bias, t->d_bias,
                   b->net->layers[i].kind != CNN_LAYER_BATCH_NORM);
    }
}
