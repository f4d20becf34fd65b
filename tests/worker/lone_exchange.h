/*
 * lone_exchange.h - the exchange of a single rank: every call is a copy.
 */
#pragma once

#include "worker/exchange.h"

#include <string.h>

static inline status_t lone_broadcast(exchange_t *x, void *data, size_t len)
{
    (void)x;
    (void)data;
    (void)len;
    return ST_OK;
}

static inline status_t lone_allgather(exchange_t *x, const void *in, size_t len,
                                      void *out)
{
    (void)x;
    memcpy(out, in, len);
    return ST_OK;
}

static inline exchange_t lone_exchange(void)
{
    return (exchange_t){.n_ranks = 1,
                        .broadcast = lone_broadcast,
                        .allgather = lone_allgather};
}
