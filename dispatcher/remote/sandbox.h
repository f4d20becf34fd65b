/*
 * sandbox.h - confines a process that serves a client: whatever the client makes it do,
 * it gains no privileges, changes no file but caches of times and of CUDA, and reads only
 * programs, libraries and devices.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    SANDBOX_TALKS,    /* it computes nothing */
    SANDBOX_COMPUTES, /* it keeps which kernels are fast (trial_cache.h) */
    SANDBOX_HAS_GPU   /* likewise; device files and CUDA's caches are written */
} sandbox_t;

/*
 * Confine this process, before it has threads.
 *
 * @param memory_bytes  that it may use
 * @return whether the kernel confines its files (Landlock); the rest is done in any case
 */
bool sandbox_enter(sandbox_t kind, int64_t memory_bytes);

/* Lower the memory that it may use. */
void sandbox_limit_memory(int64_t bytes);
