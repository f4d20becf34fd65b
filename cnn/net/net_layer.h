/*
 * net_layer.h - one line of [layers]: the layer that it names, and those that follow it.
 */
#pragma once

#include "cnn/net/cnn_net.h"
#include "io/base/buf.h"

enum { NET_MAX_LAYERS = 4096, NET_MAX_NAME = 20 };

/* What [net] says about all layers. */
typedef struct {
    int64_t input[3]; /* 0: not given */
    int classes;      /* 0: not given */
    cnn_init_t init;
    double epsilon; /* of batch norms */
} net_head_t;

extern const net_head_t net_head_defaults;

/* The keys of [net]; the last has no name. */
extern const net_key_t net_head_keys[];

/*
 * Append the layers of a line NAME = VALUE.
 *
 * Their n_out is 0 for the word `classes`, their kind of init CNN_INIT_DEFAULT and their
 * epsilon 0 where the line does not give them.
 *
 * @param layers  cnn_layer_t, those before; the first is the input
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (logged)
 */
status_t net_layer_parse(const net_source_t *source, const char *name, const char *value,
                         buf_t *layers) MUST_CHECK;

/* net_shape.c: sizes of all layers' outputs, and the checks that need them. */

/*
 * Fill in the sizes of all layers but the first, whose size is given.
 *
 * Refuses windows that do not fit, parts of a concat that differ, layers whose output
 * nothing reads, and a network that does not end with its only softmax.
 *
 * @param name  of the network, for messages
 * @return ST_OK or ST_EINPUT (logged)
 */
status_t net_shape_infer(const char *name, cnn_layer_t *layers, int n_layers) MUST_CHECK;
