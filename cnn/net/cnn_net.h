/*
 * cnn_net.h - a network as a list of layers: docs/cnn.md describes its text.
 */
#ifndef RIBOGRID_CNN_NET_CNN_NET_H
#define RIBOGRID_CNN_NET_CNN_NET_H

#include "cnn/net/cnn_solver.h"
#include "io/base/buf.h"
#include "kernels/cnn/common/cnn_op.h"

#include <stdbool.h>

typedef enum {
    CNN_LAYER_INPUT, /* layer 0, and no other */
    CNN_LAYER_CONVOLUTION,
    CNN_LAYER_LINEAR,
    CNN_LAYER_POOL,
    CNN_LAYER_LRN,
    CNN_LAYER_RELU,
    CNN_LAYER_DROPOUT,
    CNN_LAYER_BATCH_NORM,
    CNN_LAYER_CONCAT,
    CNN_LAYER_SOFTMAX /* the last layer, and no other */
} cnn_layer_kind_t;

/* Author's names are shorter: layers that follow on the same line are "conv1.relu". */
enum { CNN_LAYER_NAME_BYTES = 32, CNN_NET_MAX_CLASSES = 1 << 20 };

typedef struct {
    char name[CNN_LAYER_NAME_BYTES]; /* unique */
    cnn_layer_kind_t kind;
    int line;                            /* of the text */
    int n_inputs, inputs[CNN_MAX_READS]; /* layers in front of this one */
    cnn_params_t params;
    int n_out;       /* CONVOLUTION, LINEAR: channels of the output */
    bool has_bias;   /* of these */
    cnn_init_t init; /* of their weights; never CNN_INIT_DEFAULT */
    int64_t size[3]; /* of an image's output: channels, height, width */
} cnn_layer_t;

typedef struct {
    char *name; /* that of a shipped net, or a path */
    char *text; /* its text */
    cnn_layer_t *layers;
    int n_layers;
    int n_classes; /* channels of the softmax */
    cnn_solver_t solver;
} cnn_net_t;

/*
 * Read a network.
 *
 * @param name       a shipped net (net_shipped.h), or the path of an INI file
 * @param n_classes  what the word `classes` of its layers means; 0: what the net says
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged with line and remedy)
 */
status_t cnn_net_read(const char *name, int n_classes, cnn_net_t **out) MUST_CHECK;

/* Read only the text, with its final NUL: of a pipe, too, which can be read once.
 * @param out  empty */
status_t cnn_net_load(const char *name, buf_t *out) MUST_CHECK;

/* As cnn_net_read, of a text, which is copied. @param name  for messages */
status_t cnn_net_parse(const char *name, const char *text, int n_classes,
                       cnn_net_t **out) MUST_CHECK;

/* Takes NULL. */
void cnn_net_destroy(cnn_net_t *net);

#endif
