/*
 * graph_choices.h - the options of the job "graph" that choose how a kernel computes:
 * template, variant, updates, splitting.  They change no result.
 *
 * Only some kernels obey them, and each only for some algorithms (graph_backend_t.obeys).
 * A choice that would not be obeyed is refused.
 */
#pragma once

#include "io/base/buf.h"
#include "kernels/device/device.h"
#include "worker/graph/graph_opts.h"

/* Check the choices and set o->run, as a part of graph_opts_settle.
 * @return ST_OK or ST_EUSAGE */
status_t graph_choices_settle(graph_opts_t *o, char why[JOB_OPTS_WHY_BYTES]) MUST_CHECK;

/* @return whether any choice was made: then no other kind of device takes over */
bool graph_choices_are_given(const graph_opts_t *o);

/* Check that a device has kernels that obey. @return ST_OK or ST_EDEVICE (logged) */
status_t graph_choices_check_device(const graph_opts_t *o,
                                    const device_t *device) MUST_CHECK;

/* @return whether a text is KC_X, 1-1 or BxT */
bool graph_choices_parse_child(const char *text, graph_child_t *out);

/* Append the choices that were made, one "name=value" per line.
 * @return ST_OK or ST_ENOMEM (logged) */
status_t graph_choices_print(const graph_run_t *run, buf_t *out) MUST_CHECK;
