/*
 * plan_forward.c - the forward steps, and the parameters of all layers.
 */
#include "cnn/plan/plan_builder.h"

static bool is_training(const plan_builder_t *b)
{
    return b->options->purpose == CNN_PLAN_TRAINING;
}

static int add_value(plan_builder_t *b, int layer)
{
    int64_t size[4];

    return plan_builder_tensor(b, CNN_ACTIVATION, b->narrow,
                               plan_builder_size(b, layer, size), "%s",
                               b->net->layers[layer].name);
}

static int add_vector(plan_builder_t *b, int layer, cnn_role_t role, const char *what,
                      int64_t n)
{
    return plan_builder_tensor(b, role, b->wide, (int64_t[4]){1, n, 1, 1}, "%s.%s",
                               b->net->layers[layer].name, what);
}

/* A copy of a tensor in the type of the activations; the tensor itself if it has it. */
static int add_narrow(plan_builder_t *b, int layer, int tensor, const int64_t size[4],
                      const char *name, const char *what)
{
    int copy;

    if (b->narrow == b->wide)
        return tensor;
    copy = plan_builder_tensor(b, CNN_ACTIVATION, b->narrow, size, "%s%s.narrow", name,
                               what);
    plan_builder_step(b, CNN_CAST, layer, NULL, (int[]){tensor, -1}, (int[]){copy, -1});
    return copy;
}

static void add_input(plan_builder_t *b, int layer)
{
    const char *name = b->net->layers[layer].name;
    int64_t size[4];
    int input;

    plan_builder_size(b, layer, size);
    input = plan_builder_tensor(b, CNN_INPUT, b->wide, size, "%s", name);
    b->layers[layer].value = add_narrow(b, layer, input, size, name, "");
}

/* A convolution or a linear layer. */
static void add_weighted(plan_builder_t *b, int layer, cnn_op_t op,
                         const int64_t weight_size[4])
{
    const cnn_layer_t *l = &b->net->layers[layer];
    plan_layer_t *t = &b->layers[layer];

    t->weight =
        plan_builder_tensor(b, CNN_PARAMETER, b->wide, weight_size, "%s.weight", l->name);
    if (l->has_bias)
        t->bias = add_vector(b, layer, CNN_PARAMETER, "bias", l->n_out);
    t->factor = add_narrow(b, layer, t->weight, weight_size, l->name, ".weight");
    t->value = add_value(b, layer);
    plan_builder_step(b, op, layer, &l->params,
                      (int[]){b->layers[l->inputs[0]].value, t->factor, t->bias, -1},
                      (int[]){t->value, -1});
}

static void add_convolution(plan_builder_t *b, int layer)
{
    const cnn_layer_t *l = &b->net->layers[layer];
    const cnn_convolution_t *p = &l->params.convolution;
    int64_t in = b->net->layers[l->inputs[0]].size[0];

    add_weighted(b, layer, CNN_CONVOLUTION,
                 (int64_t[4]){l->n_out, in / p->groups, p->kernel[0], p->kernel[1]});
}

static void add_linear(plan_builder_t *b, int layer)
{
    const cnn_layer_t *l = &b->net->layers[layer];
    const int64_t *in = b->net->layers[l->inputs[0]].size;

    add_weighted(b, layer, CNN_LINEAR,
                 (int64_t[4]){l->n_out, in[0] * in[1] * in[2], 1, 1});
}

/* Batch norm of a part of the batch: its moments, those of all parts, and the rest. */
static void add_batch_norm_part(plan_builder_t *b, int layer, int x, const int *writes)
{
    const plan_layer_t *t = &b->layers[layer];
    const plan_parts_t parts = plan_builder_parts(b, CNN_ACTIVATION, layer, "");

    plan_builder_step(b, CNN_BATCH_NORM_PART, layer, &parts.params, (int[]){x, -1},
                      (int[]){parts.own, -1});
    plan_builder_step(b, CNN_GATHER, layer, NULL, (int[]){parts.own, -1},
                      (int[]){parts.all, -1});
    plan_builder_step(b, CNN_BATCH_NORM_WHOLE, layer, &parts.params,
                      (int[]){x, t->weight, t->bias, parts.all, -1}, writes);
}

static void add_batch_norm(plan_builder_t *b, int layer)
{
    const cnn_layer_t *l = &b->net->layers[layer];
    plan_layer_t *t = &b->layers[layer];
    int x = b->layers[l->inputs[0]].value, mean, variance;
    int64_t n = l->size[0];

    t->weight = add_vector(b, layer, CNN_PARAMETER, "scale", n);
    t->bias = add_vector(b, layer, CNN_PARAMETER, "shift", n);
    mean = add_vector(b, layer, CNN_STATE, "mean", n);
    variance = add_vector(b, layer, CNN_STATE, "variance", n);
    t->value = add_value(b, layer);
    if (!is_training(b)) {
        plan_builder_step(b, CNN_BATCH_NORM_INFERENCE, layer, &l->params,
                          (int[]){x, t->weight, t->bias, mean, variance, -1},
                          (int[]){t->value, -1});
        return;
    }
    t->mean = add_vector(b, layer, CNN_ACTIVATION, "batch-mean", n);
    t->deviation = add_vector(b, layer, CNN_ACTIVATION, "batch-deviation", n);
    if (b->n_parts > 1)
        add_batch_norm_part(b, layer, x,
                            (int[]){t->value, t->mean, t->deviation, mean, variance, -1});
    else
        plan_builder_step(b, CNN_BATCH_NORM, layer, &l->params,
                          (int[]){x, t->weight, t->bias, -1},
                          (int[]){t->value, t->mean, t->deviation, mean, variance, -1});
}

/* Whether a ReLU may write over its input: nothing else reads that, and the step that
 * made it does not read it for its gradient. */
static bool is_in_place(const plan_builder_t *b, int layer)
{
    int in = b->net->layers[layer].inputs[0];

    if (b->layers[in].n_readers > 1)
        return false;
    switch (b->net->layers[in].kind) {
    case CNN_LAYER_CONVOLUTION:
    case CNN_LAYER_LINEAR:
    case CNN_LAYER_BATCH_NORM:
    case CNN_LAYER_CONCAT:
        return true;
    case CNN_LAYER_DROPOUT: /* in inference its value is another layer's */
        return is_training(b);
    case CNN_LAYER_POOL:
    case CNN_LAYER_LRN:
    case CNN_LAYER_RELU:
        return !is_training(b);
    case CNN_LAYER_INPUT:
    case CNN_LAYER_SOFTMAX:
        break;
    }
    return false;
}

/* Layers with one input and no parameters. */
static void add_simple(plan_builder_t *b, int layer, cnn_op_t op)
{
    const cnn_layer_t *l = &b->net->layers[layer];
    int x = b->layers[l->inputs[0]].value;
    bool in_place = op == CNN_RELU && is_in_place(b, layer);

    b->layers[layer].value = in_place ? x : add_value(b, layer);
    plan_builder_step(b, op, layer, &l->params, (int[]){x, -1},
                      (int[]){b->layers[layer].value, -1});
}

static void add_concat(plan_builder_t *b, int layer)
{
    const cnn_layer_t *l = &b->net->layers[layer];
    int reads[CNN_MAX_READS + 1];

    for (int i = 0; i < l->n_inputs; i++)
        reads[i] = b->layers[l->inputs[i]].value;
    reads[l->n_inputs] = -1;
    b->layers[layer].value = add_value(b, layer);
    plan_builder_step(b, CNN_CONCAT, layer, NULL, reads,
                      (int[]){b->layers[layer].value, -1});
}

static void add_softmax(plan_builder_t *b, int layer)
{
    static const int64_t one[4] = {1, 1, 1, 1};
    int x = b->layers[b->net->layers[layer].inputs[0]].value, labels, loss, right;
    int64_t size[4];
    int probabilities =
        plan_builder_tensor(b, CNN_OUTPUT, b->wide, plan_builder_size(b, layer, size),
                            "probabilities");

    b->layers[layer].value = probabilities;
    if (!is_training(b)) {
        plan_builder_step(b, CNN_SOFTMAX, layer, NULL, (int[]){x, -1},
                          (int[]){probabilities, -1});
        return;
    }
    labels = plan_builder_tensor(b, CNN_LABELS, CNN_I32,
                                 (int64_t[4]){b->options->n_images, 1, 1, 1}, "labels");
    loss = plan_builder_tensor(b, CNN_OUTPUT, b->wide, one, "loss");
    right = plan_builder_tensor(b, CNN_OUTPUT, b->wide, one, "right");
    b->layers[layer].factor = labels;
    plan_builder_step(b, CNN_SOFTMAX_LOSS, layer, NULL, (int[]){x, labels, -1},
                      (int[]){probabilities, loss, right, -1});
}

static void add_layer(plan_builder_t *b, int layer)
{
    const cnn_layer_t *l = &b->net->layers[layer];

    switch (l->kind) {
    case CNN_LAYER_INPUT:
        add_input(b, layer);
        break;
    case CNN_LAYER_CONVOLUTION:
        add_convolution(b, layer);
        break;
    case CNN_LAYER_LINEAR:
        add_linear(b, layer);
        break;
    case CNN_LAYER_POOL:
        add_simple(b, layer, CNN_POOL);
        break;
    case CNN_LAYER_LRN:
        add_simple(b, layer, CNN_LRN);
        break;
    case CNN_LAYER_RELU:
        add_simple(b, layer, CNN_RELU);
        break;
    case CNN_LAYER_DROPOUT:
        if (is_training(b))
            add_simple(b, layer, CNN_DROPOUT);
        else
            b->layers[layer].value = b->layers[l->inputs[0]].value;
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

static void init_layer(plan_builder_t *b, int layer)
{
    const cnn_layer_t *l = &b->net->layers[layer];
    plan_layer_t *t = &b->layers[layer];

    *t = (plan_layer_t){-1, -1, -1, -1, -1, -1, -1, -1, -1, 0, false};
    t->needs_gradient = l->kind == CNN_LAYER_CONVOLUTION || l->kind == CNN_LAYER_LINEAR ||
                        l->kind == CNN_LAYER_BATCH_NORM;
    for (int i = 0; i < l->n_inputs; i++) {
        plan_layer_t *in = &b->layers[l->inputs[i]];

        in->n_readers++;
        t->needs_gradient = t->needs_gradient || in->needs_gradient;
    }
}

void plan_forward_add(plan_builder_t *b)
{
    for (int i = 0; i < b->net->n_layers; i++)
        init_layer(b, i);
    for (int i = 0; i < b->net->n_layers; i++)
        add_layer(b, i);
}
