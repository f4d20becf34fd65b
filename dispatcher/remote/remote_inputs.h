/*
 * remote_inputs.h - the inputs that a server has kept, for the process that serves a
 * client.
 */
#pragma once

#include "dispatcher/transport/transport_stream.h"

typedef struct {
    stream_inputs_t inputs; /* first */
    int control;            /* to the process that keeps them */
} remote_inputs_t;

/* @param control  borrowed */
void remote_inputs_begin(int control, remote_inputs_t *out);
