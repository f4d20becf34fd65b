/*
 * sandbox.h - confines a process that serves a client: whatever the client makes it do,
 * it gains no privileges, changes no file, and reads only programs, libraries and
 * devices.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Confine this process, before it has threads.
 *
 * @param has_gpu       it may use GPUs: device files and CUDA's caches are written, and
 *                      memory is not limited, as CUDA reserves more than it uses
 * @param memory_bytes  that it may use
 * @return whether the kernel confines its files (Landlock); the rest is done in any case
 */
bool sandbox_enter(bool has_gpu, int64_t memory_bytes);
