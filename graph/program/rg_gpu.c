/*
 * rg_gpu.c - compiles the kernels of a program, and loads them.
 */
#include "graph/program/rg_gpu_state.h"

#include "graph/program/rg_emit.h"
#include "io/base/logmsg.h"
#include "kernels/device/nvrtc.h"

#include <stdio.h>
#include <stdlib.h>

enum { NAME_BYTES = 24 };

/* ---- loading ---- */

static status_t find_functions(rg_gpu_t *gpu)
{
    const rg_program_t *p = gpu->program;
    int n = 0;
    status_t st = cuda_module_function(gpu->module, "count_members", &gpu->count_members);

    for (const rg_kernel_t *k = p->kernels; k != NULL && st == ST_OK; k = k->next) {
        char name[NAME_BYTES];

        snprintf(name, sizeof(name), "kernel%d", n + 1);
        gpu->kernel[n].what = k;
        st = cuda_module_function(gpu->module, name, &gpu->kernel[n++].function);
    }
    gpu->launch_bytes = sizeof(rg_gpu_launch_t) +
                        ((size_t)p->n_attributes + 1) * sizeof(void *) +
                        ((size_t)p->n_sets + 1) * sizeof(rg_set_t) +
                        ((size_t)p->n_values + 1) * sizeof(rg_value_t);
    if (st == ST_OK)
        st = cuda_module_variable(gpu->module, "rg_launch", gpu->launch_bytes,
                                  &gpu->launch);
    return st;
}

status_t rg_gpu_reserve(rg_gpu_t *gpu, size_t bytes)
{
    const size_t need = sizeof(rg_gpu_found_t) + bytes, now = gpu->found_bytes;
    cuda_address_t there = 0;
    void *here = NULL;
    status_t st;

    if (need <= now)
        return ST_OK;
    if ((st = cuda_module_alloc(gpu->module, 2 * need, &there)) != ST_OK ||
        (st = cuda_module_alloc_host(gpu->module, 2 * need, &here)) != ST_OK ||
        (now > 0 && (st = cuda_module_get(gpu->module, here, gpu->found,
                                          sizeof(rg_gpu_found_t))) != ST_OK) ||
        (st = now > 0 ? cuda_module_put(gpu->module, there, here, sizeof(rg_gpu_found_t))
                      : cuda_module_zero(gpu->module, there, sizeof(rg_gpu_found_t))) !=
            ST_OK) {
        cuda_module_free(gpu->module, there);
        cuda_module_free_host(gpu->module, here);
        return st;
    }
    cuda_module_free(gpu->module, gpu->found);
    cuda_module_free_host(gpu->module, gpu->found_here);
    gpu->found = there;
    gpu->found_here = here;
    gpu->found_bytes = 2 * need;
    return ST_OK;
}

static status_t load(rg_gpu_t *gpu, const device_t *device, const buf_t *cubin)
{
    const size_t n_values = (size_t)gpu->program->n_values + 1;
    void *slots = NULL;
    status_t st = cuda_module_open(device, cubin, &gpu->module);

    if (st == ST_OK)
        st = rg_memory_create(gpu->program, gpu->module, &gpu->memory);
    if (st == ST_OK)
        st = find_functions(gpu);
    if (st == ST_OK)
        st = rg_gpu_reserve(gpu, n_values * sizeof(rg_value_t));
    if (st == ST_OK)
        st = cuda_module_alloc(gpu->module, n_values * sizeof(rg_value_t), &gpu->merged);
    if (st == ST_OK)
        st =
            cuda_module_alloc_host(gpu->module, RG_GPU_SLOTS * gpu->launch_bytes, &slots);
    gpu->slots = slots;
    return st;
}

/* Compile the kernels. @param why  out, on ST_EDEVICE */
static status_t compile(const rg_program_t *program, const device_t *device, buf_t *cubin,
                        char *why)
{
    buf_t text = {0};
    status_t st = rg_emit_cuda(program, &text);

    if (st == ST_OK)
        st = buf_append(&text, "", 1);
    if (st == ST_OK)
        st = nvrtc_compile((const char *)text.data, device->capability, cubin, why);
    buf_free(&text);
    return st;
}

/* Load what was compiled, if there is memory for the graph. */
static status_t open_gpu(rg_gpu_t *gpu, const csr_t *graph, const device_t *device,
                         const buf_t *cubin, char *why)
{
    const double bytes = rg_memory_bytes(gpu->program, graph);
    const status_t st = load(gpu, device, cubin);
    double available;

    if (st != ST_OK) {
        snprintf(why, NVRTC_WHY_BYTES, "its kernels cannot be loaded");
        return st;
    }
    available = (double)cuda_module_free_bytes(gpu->module);
    if (bytes <= available)
        return ST_OK;
    snprintf(why, NVRTC_WHY_BYTES,
             "it needs %.3g GB of the GPU's memory, of which %.3g "
             "are free",
             bytes / 1e9, available / 1e9);
    return ST_EDEVICE;
}

status_t rg_gpu_create(const rg_program_t *program, const csr_t *graph,
                       const device_t *device, bool is_optional, rg_gpu_t **out)
{
    rg_gpu_t *gpu = calloc(1, sizeof(*gpu));
    char why[NVRTC_WHY_BYTES] = "";
    buf_t cubin = {0};
    status_t st = ST_ENOMEM;

    if (gpu == NULL || (gpu->kernel = calloc((size_t)program->n_kernels + 1,
                                             sizeof(*gpu->kernel))) == NULL) {
        free(gpu);
        return log_nomem("a graph program");
    }
    gpu->program = program;
    gpu->n_cores = device->n_cores;
    st = program->n_kernels == 0 ? ST_EDEVICE : compile(program, device, &cubin, why);
    if (program->n_kernels == 0)
        snprintf(why, sizeof(why), "it has no loop for a GPU");
    if (st == ST_OK)
        st = open_gpu(gpu, graph, device, &cubin, why);
    buf_free(&cubin);
    if (st == ST_OK) {
        *out = gpu;
        return ST_OK;
    }
    rg_gpu_destroy(gpu);
    if (st == ST_EDEVICE && is_optional)
        log_verbose("the program does not run on the GPU: %s", why);
    else if (st == ST_EDEVICE)
        log_error("%s: %s; give --device cpu", program->path, why);
    return st;
}

void rg_gpu_destroy(rg_gpu_t *gpu)
{
    if (gpu == NULL)
        return;
    if (gpu->module != NULL) {
        rg_memory_free(gpu->program, &gpu->memory);
        cuda_module_free(gpu->module, gpu->found);
        cuda_module_free(gpu->module, gpu->merged);
        cuda_module_free_host(gpu->module, gpu->found_here);
        cuda_module_free_host(gpu->module, gpu->slots);
        cuda_module_close(gpu->module);
    }
    free(gpu->kernel);
    free(gpu);
}

/* ---- messages ---- */

/* Append the lines of loops that the host runs, behind others. */
static status_t describe_host(const rg_stmt_t *s, int *n, buf_t *out)
{
    status_t st = ST_OK;

    for (; s != NULL && st == ST_OK; s = s->next) {
        if (s->kind == STMT_FOREACH && s->kernel == 0)
            st = buf_printf(out, "%s%d", (*n)++ == 0 ? "; the host line " : ", ",
                            s->at.line);
        if (s->kind == STMT_FOREACH)
            continue;
        if (st == ST_OK)
            st = describe_host(s->body, n, out);
        if (st == ST_OK)
            st = describe_host(s->otherwise, n, out);
    }
    return st;
}

status_t rg_gpu_describe(const rg_program_t *program, buf_t *out)
{
    status_t st = buf_printf(out, "the GPU computes %s",
                             program->n_kernels > 0 ? "line " : "nothing");
    int n = 0;

    for (const rg_kernel_t *k = program->kernels; k != NULL && st == ST_OK; k = k->next)
        st = buf_printf(out, "%s%d", n++ == 0 ? "" : ", ",
                        k->loop != NULL ? k->loop->at.line : k->aggregate->at.line);
    n = 0;
    if (st == ST_OK)
        st = describe_host(program->body, &n, out);
    return st == ST_OK ? buf_append(out, "", 1) : st;
}
