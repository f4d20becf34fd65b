/*
 * pool_fixture.h - a CPU device and a pool of two threads for a group of tests.
 */
#pragma once

#include "io/base/pool.h"
#include "kernels/device/device.h"

static device_t cpu;
static pool_t *pool;

static int pool_fixture_start(void **state)
{
    (void)state;
    cpu = device_cpu();
    return pool_create(2, &pool) == ST_OK ? 0 : -1;
}

static int pool_fixture_stop(void **state)
{
    (void)state;
    pool_destroy(pool);
    return 0;
}
