/*
 * net_shape.h - sizes of all layers' outputs, and the checks that need them.
 */
#ifndef RIBOGRID_CNN_NET_NET_SHAPE_H
#define RIBOGRID_CNN_NET_NET_SHAPE_H

#include "cnn/net/cnn_net.h"

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

#endif
