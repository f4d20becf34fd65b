/*
 * net_shape.c - sizes by kind of layer.
 */

#include "cnn/net/net_layer.h"
#include "kernels/cnn/common/cnn_shape.h"

#include <inttypes.h>
#include <string.h>

/* Limits of an image's output and of a layer's weights; far below overflow. */
static const double max_output = 2147483647, max_weights = 17179869184;

typedef struct {
    net_source_t source;
    const cnn_layer_t *layers;
} net_t;

static status_t refuse_window(const net_t *n, const cnn_layer_t *l, const int kernel[2])
{
    const cnn_layer_t *in = &n->layers[l->inputs[0]];

    return net_refuse(&n->source,
                      "%s: a %dx%d window does not fit into the %" PRId64 "x%" PRId64
                      " output of %s; enlarge pad or input, or remove a layer that "
                      "shrinks it",
                      l->name, kernel[0], kernel[1], in->size[1], in->size[2], in->name);
}

static status_t infer_convolution(const net_t *n, cnn_layer_t *l)
{
    const cnn_convolution_t *p = &l->params.convolution;
    const int64_t *in = n->layers[l->inputs[0]].size;

    if (in[0] % p->groups != 0 || l->n_out % p->groups != 0)
        return net_refuse(&n->source,
                          "%s: %d groups do not divide %" PRId64
                          " channels into %d; groups must divide both",
                          l->name, p->groups, in[0], l->n_out);
    l->size[0] = l->n_out;
    for (int axis = 0; axis < 2; axis++)
        l->size[axis + 1] = cnn_shape_convolution(p, axis, in[axis + 1]);
    if (l->size[1] < 1 || l->size[2] < 1)
        return refuse_window(n, l, p->kernel);
    if ((double)l->n_out * (double)(in[0] / p->groups) * p->kernel[0] * p->kernel[1] >
        max_weights)
        return net_refuse(&n->source, "%s: more than 2^34 weights; use fewer channels",
                          l->name);
    return ST_OK;
}

static status_t infer_pool(const net_t *n, cnn_layer_t *l)
{
    const cnn_pool_t *p = &l->params.pool;
    const int64_t *in = n->layers[l->inputs[0]].size;

    if (p->pad[0] >= p->kernel[0] || p->pad[1] >= p->kernel[1])
        return net_refuse(&n->source,
                          "%s: pad must be smaller than the kernel; reduce pad", l->name);
    l->size[0] = in[0];
    for (int axis = 0; axis < 2; axis++)
        l->size[axis + 1] = cnn_shape_pool(p, axis, in[axis + 1]);
    if (l->size[1] < 1 || l->size[2] < 1)
        return refuse_window(n, l, p->kernel);
    return ST_OK;
}

static status_t infer_linear(const net_t *n, cnn_layer_t *l)
{
    const int64_t *in = n->layers[l->inputs[0]].size;

    l->size[0] = l->n_out;
    l->size[1] = l->size[2] = 1;
    if ((double)l->n_out * (double)(in[0] * in[1] * in[2]) > max_weights)
        return net_refuse(&n->source, "%s: more than 2^34 weights; use fewer outputs",
                          l->name);
    return ST_OK;
}

static status_t infer_concat(const net_t *n, cnn_layer_t *l)
{
    const cnn_layer_t *first = &n->layers[l->inputs[0]];

    memcpy(l->size, first->size, sizeof(l->size));
    for (int i = 1; i < l->n_inputs; i++) {
        const cnn_layer_t *in = &n->layers[l->inputs[i]];

        if (in->size[1] != first->size[1] || in->size[2] != first->size[2])
            return net_refuse(&n->source,
                              "%s: %s is %" PRId64 "x%" PRId64 " and %s is %" PRId64
                              "x%" PRId64 "; give all inputs one height and width",
                              l->name, first->name, first->size[1], first->size[2],
                              in->name, in->size[1], in->size[2]);
        l->size[0] += in->size[0];
    }
    return ST_OK;
}

static status_t infer_softmax(const net_t *n, cnn_layer_t *l)
{
    const cnn_layer_t *in = &n->layers[l->inputs[0]];

    memcpy(l->size, in->size, sizeof(l->size));
    if (in->size[1] != 1 || in->size[2] != 1)
        return net_refuse(&n->source,
                          "%s: %s is %" PRId64 "x%" PRId64
                          ", not 1x1; put a linear layer in front",
                          l->name, in->name, in->size[1], in->size[2]);
    if (in->size[0] > CNN_NET_MAX_CLASSES)
        return net_refuse(&n->source, "%s: more than %d classes; use fewer", l->name,
                          CNN_NET_MAX_CLASSES);
    return ST_OK;
}

static status_t infer(const net_t *n, cnn_layer_t *l)
{
    switch (l->kind) {
    case CNN_LAYER_INPUT:
        break;
    case CNN_LAYER_CONVOLUTION:
        return infer_convolution(n, l);
    case CNN_LAYER_LINEAR:
        return infer_linear(n, l);
    case CNN_LAYER_POOL:
        return infer_pool(n, l);
    case CNN_LAYER_CONCAT:
        return infer_concat(n, l);
    case CNN_LAYER_SOFTMAX:
        return infer_softmax(n, l);
    case CNN_LAYER_LRN:
    case CNN_LAYER_RELU:
    case CNN_LAYER_DROPOUT:
    case CNN_LAYER_BATCH_NORM:
        memcpy(l->size, n->layers[l->inputs[0]].size, sizeof(l->size));
        break;
    }
    return ST_OK;
}

bool cnn_net_may_place(const cnn_layer_t *layers, int layer)
{
    const cnn_layer_t *l = &layers[layer];

    switch (l->kind) {
    case CNN_LAYER_LINEAR:
        return true;
    case CNN_LAYER_RELU:
    case CNN_LAYER_DROPOUT:
    case CNN_LAYER_BATCH_NORM:
    case CNN_LAYER_SOFTMAX:
        return l->size[1] == 1 && l->size[2] == 1;
    default:
        return false;
    }
}

static bool is_read(const cnn_layer_t *layers, int n_layers, int layer)
{
    for (int i = layer + 1; i < n_layers; i++)
        for (int k = 0; k < layers[i].n_inputs; k++)
            if (layers[i].inputs[k] == layer)
                return true;
    return false;
}

status_t net_shape_infer(const char *name, cnn_layer_t *layers, int n_layers)
{
    net_t n = {{name, 0}, layers};
    status_t st;

    for (int i = 1; i < n_layers; i++) {
        cnn_layer_t *l = &layers[i];

        n.source.line = l->line;
        if ((l->kind == CNN_LAYER_SOFTMAX) != (i == n_layers - 1))
            return net_refuse(&n.source, "%s: a network ends with its only softmax; %s",
                              l->name,
                              i == n_layers - 1 ? "add one"
                                                : "remove this one or move it there");
        if ((st = infer(&n, l)) != ST_OK)
            return st;
        if ((double)l->size[0] * (double)l->size[1] * (double)l->size[2] > max_output)
            return net_refuse(&n.source,
                              "%s: an image's output has more than 2^31 values; shrink "
                              "the input or the channels",
                              l->name);
        if (l->place == CNN_LAYER_ON_CPU && !cnn_net_may_place(layers, i))
            return net_refuse(&n.source,
                              "%s: place=cpu is for linear layers, and relu, dropout, "
                              "batch-norm and softmax of one pixel; leave it out",
                              l->name);
    }
    for (int i = 0; i < n_layers - 1; i++) {
        n.source.line = layers[i].line;
        if (!is_read(layers, n_layers, i))
            return net_refuse(&n.source,
                              "%s: no layer reads its output; name it in from= below, "
                              "or remove it",
                              layers[i].name);
    }
    return ST_OK;
}
