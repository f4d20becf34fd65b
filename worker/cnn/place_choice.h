/*
 * place_choice.h - whether layers run on the CPU beside the device, by measured rates.
 */
#pragma once

#include "cnn/memory/device_limit.h"
#include "cnn/net/cnn_net.h"
#include "cnn/plan/cnn_plan.h"
#include "cnn/rates/cnn_rates.h"

typedef struct {
    const cnn_net_t *net;
    const cnn_plan_options_t *how; /* whose place is CNN_PLACE_AUTO */
    const device_limit_t *limit;
    const device_place_t *device; /* its device may be NULL, as there */
    const cnn_rates_t *rates; /* of training on the device; NULL: those that were kept */
} place_choice_t;

/*
 * Choose CNN_PLACE_DEVICE or CNN_PLACE_HYBNET: what is predicted to train faster within
 * the limit, or what fits at all.
 *
 * @return ST_OK, ST_ENOMEM or ST_EUSAGE (logged: which rates are missing, and how to
 *         measure them)
 */
status_t place_choice_make(const place_choice_t *c, cnn_place_t *out) MUST_CHECK;

/* Find the rates of a network on this machine's CPU, which computes with fp32.
 * @param found  whether there are any @return ST_OK, ST_ENOMEM or ST_EINPUT (logged) */
status_t place_choice_cpu_rates(const cnn_net_t *net, const cnn_plan_options_t *how,
                                cnn_rates_t *out, bool *found) MUST_CHECK;
