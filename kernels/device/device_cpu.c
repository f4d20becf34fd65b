/*
 * device_cpu.c - the CPU: its name, processors, memory limit and SIMD level; and what a
 * device is by its kind.
 */
#include "kernels/device/device.h"

#include "io/base/logmsg.h"
#include "io/base/memory_limit.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_BYTES = 512 };

const char *const device_kind_name[DEVICE_N_KINDS] = {
    [DEVICE_CPU] = "cpu", [DEVICE_CUDA] = "cuda"};

unsigned device_option_kinds(const char *option)
{
    if (strcmp(option, "auto") == 0)
        return DEVICE_BIT(DEVICE_N_KINDS) - 1;
    if (strcmp(option, "cpu") == 0)
        return DEVICE_BIT(DEVICE_CPU);
    return strcmp(option, "cuda") == 0 || strncmp(option, "cuda:", 5) == 0
               ? DEVICE_BIT(DEVICE_CUDA)
               : 0;
}

int device_n_units(device_kind_t kind, const pool_t *pool)
{
    return device_kind_is_gpu(kind) ? 1 : pool_n_threads(pool);
}

static void cpu_name(char *out, size_t size)
{
    char line[LINE_BYTES];
    FILE *file = fopen("/proc/cpuinfo", "r");

    snprintf(out, size, "CPU");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        char *colon = strchr(line, ':');

        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(out, size, "%s", colon + 2);
            break;
        }
    }
    if (file != NULL)
        fclose(file);
}

static simd_level_t simd_level(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
        return SIMD_AVX512;
    if (__builtin_cpu_supports("avx2"))
        return SIMD_AVX2;
    return __builtin_cpu_supports("sse4.1") ? SIMD_128 : SIMD_NONE;
#elif defined(__aarch64__)
    return SIMD_128; /* all of them have NEON */
#else
    return SIMD_NONE;
#endif
}

device_t device_cpu(void)
{
    device_t cpu = {.kind = DEVICE_CPU, .simd = simd_level()};
    cpu_set_t mask;

    cpu_name(cpu.name, sizeof(cpu.name));
    cpu.n_cores = sched_getaffinity(0, sizeof(mask), &mask) == 0
                      ? CPU_COUNT(&mask)
                      : (int)sysconf(_SC_NPROCESSORS_ONLN);
    cpu.memory_bytes = memory_limit();
    return cpu;
}

const char *device_simd_name(simd_level_t level)
{
#if defined(__aarch64__)
    static const char *const names[] = {"none", "neon", "avx2", "avx512"};
#else
    static const char *const names[] = {"none", "sse4.1", "avx2", "avx512"};
#endif

    return names[level];
}

const char *device_simd_built(void)
{
#if defined(__x86_64__)
    return "avx512 avx2 sse4.1";
#elif defined(__aarch64__)
    return "neon";
#else
    return "none";
#endif
}

#ifndef RIBOGRID_HAVE_CUDA
int device_list_cuda(device_t *out)
{
    (void)out;
    return 0;
}

void device_open(const device_t *device)
{
    (void)device;
}

int64_t device_free_bytes(const device_t *device)
{
    (void)device;
    return 0;
}

void device_set_quota(int64_t bytes)
{
    (void)bytes;
}

/* There is no GPU to call them for. */
status_t device_get(const device_t *gpu, const device_array_t *from, void *stream,
                    void *to)
{
    (void)stream;
    (void)to;
    log_error("%s: %s is no GPU", from->name, gpu->name);
    return ST_EUSAGE;
}

status_t device_put(const device_t *gpu, const void *from, void *stream,
                    const device_array_t *to)
{
    (void)stream;
    (void)from;
    log_error("%s: %s is no GPU", to->name, gpu->name);
    return ST_EUSAGE;
}

int device_in_use(void)
{
    return -1;
}

void device_use_again(int index)
{
    (void)index;
}

const char *device_cuda_absence(void)
{
    return "this build has no CUDA backends: nvcc was not found when it was configured";
}
#endif
