/*
 * cuda_module.c - opens the CUDA driver and calls it.
 */
#include "kernels/device/cuda_module.h"

#include "io/base/logmsg.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

/* Prototypes and values after the driver's public documentation (CUDA Driver API). */
typedef int result_t; /* 0: success */
typedef struct context *context_t;
typedef struct module *module_t;
typedef struct stream *stream_t;

enum { OUT_OF_MEMORY = 2, FIRST_LOSS = 700, LAST_LOSS = 719, UNCORRECTABLE = 214 };

typedef struct {
    result_t (*init)(unsigned);
    result_t (*error)(result_t, const char **);
    result_t (*device)(int *, int);
    result_t (*retain)(context_t *, int);
    result_t (*release)(int);
    result_t (*set)(context_t);
    result_t (*load)(module_t *, const void *);
    result_t (*unload)(module_t);
    result_t (*function)(cuda_function_t **, module_t, const char *);
    result_t (*global)(cuda_address_t *, size_t *, module_t, const char *);
    result_t (*memory)(size_t *, size_t *);
    result_t (*alloc)(cuda_address_t *, size_t);
    result_t (*free)(cuda_address_t);
    result_t (*alloc_host)(void **, size_t, unsigned);
    result_t (*free_host)(void *);
    result_t (*put)(cuda_address_t, const void *, size_t);
    result_t (*get)(void *, cuda_address_t, size_t);
    result_t (*put_later)(cuda_address_t, const void *, size_t, stream_t);
    result_t (*zero)(cuda_address_t, unsigned char, size_t, stream_t);
    result_t (*launch)(cuda_function_t *, unsigned, unsigned, unsigned, unsigned,
                       unsigned, unsigned, unsigned, stream_t, void **, void **);
    result_t (*wait)(void);
} functions_t;

static const struct {
    const char *name;
    size_t at;
} symbols[] = {
    {"cuInit", offsetof(functions_t, init)},
    {"cuGetErrorString", offsetof(functions_t, error)},
    {"cuDeviceGet", offsetof(functions_t, device)},
    {"cuDevicePrimaryCtxRetain", offsetof(functions_t, retain)},
    {"cuDevicePrimaryCtxRelease_v2", offsetof(functions_t, release)},
    {"cuCtxSetCurrent", offsetof(functions_t, set)},
    {"cuModuleLoadData", offsetof(functions_t, load)},
    {"cuModuleUnload", offsetof(functions_t, unload)},
    {"cuModuleGetFunction", offsetof(functions_t, function)},
    {"cuModuleGetGlobal_v2", offsetof(functions_t, global)},
    {"cuMemGetInfo_v2", offsetof(functions_t, memory)},
    {"cuMemAlloc_v2", offsetof(functions_t, alloc)},
    {"cuMemFree_v2", offsetof(functions_t, free)},
    {"cuMemHostAlloc", offsetof(functions_t, alloc_host)},
    {"cuMemFreeHost", offsetof(functions_t, free_host)},
    {"cuMemcpyHtoD_v2", offsetof(functions_t, put)},
    {"cuMemcpyDtoH_v2", offsetof(functions_t, get)},
    {"cuMemcpyHtoDAsync_v2", offsetof(functions_t, put_later)},
    {"cuMemsetD8Async", offsetof(functions_t, zero)},
    {"cuLaunchKernel", offsetof(functions_t, launch)},
    {"cuCtxSynchronize", offsetof(functions_t, wait)},
};

struct cuda_module {
    int device;
    context_t context;
    module_t module;
    bool is_lost;
};

/* ---- the library ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static functions_t call;
static const char *absence; /* why there is no driver, or NULL */

static void open_library(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

    absence = library == NULL ? "libcuda.so.1 of the NVIDIA driver is missing" : NULL;
    for (size_t i = 0; absence == NULL && i < sizeof(symbols) / sizeof(symbols[0]); i++)
        if ((*(void **)((char *)&call + symbols[i].at) =
                 dlsym(library, symbols[i].name)) == NULL)
            absence = "libcuda.so.1 of the NVIDIA driver is too old; install a newer one";
    if (absence == NULL && call.init(0) != 0)
        absence = "the NVIDIA driver does not begin";
}

/* @param what  was called, for messages */
static status_t try(cuda_module_t *m, result_t result, const char *what)
{
    const bool is_loss =
        (result >= FIRST_LOSS && result <= LAST_LOSS) || result == UNCORRECTABLE;
    const char *text = NULL;

    if (result == 0)
        return ST_OK;
    call.error(result, &text);
    if (!m->is_lost)
        log_error("CUDA: %s: %s", what, text != NULL ? text : "unknown error");
    m->is_lost |= is_loss;
    return is_loss ? ST_ELOST : result == OUT_OF_MEMORY ? ST_ENOMEM : ST_EDEVICE;
}

/* ---- a module ---- */

status_t cuda_module_open(const device_t *device, const buf_t *cubin, cuda_module_t **out)
{
    cuda_module_t *m;
    status_t st;

    pthread_once(&once, open_library);
    if (absence != NULL) {
        log_error("CUDA: %s", absence);
        return ST_EDEVICE;
    }
    if ((m = calloc(1, sizeof(*m))) == NULL)
        return log_nomem("code for a GPU");
    if ((st = try(m, call.device(&m->device, device->index), "cuDeviceGet")) == ST_OK &&
        (st = try(m, call.retain(&m->context, m->device), "a context")) == ST_OK &&
        (st = cuda_module_use(m)) == ST_OK)
        st = try(m, call.load(&m->module, cubin->data), "loading code");
    if (st == ST_OK)
        *out = m;
    else
        cuda_module_close(m);
    return st;
}

void cuda_module_close(cuda_module_t *m)
{
    if (m == NULL)
        return;
    if (m->module != NULL)
        call.unload(m->module);
    if (m->context != NULL)
        call.release(m->device);
    free(m);
}

status_t cuda_module_use(cuda_module_t *m)
{
    return try(m, call.set(m->context), "using a GPU");
}

status_t cuda_module_function(cuda_module_t *m, const char *name, cuda_function_t **out)
{
    return try(m, call.function(out, m->module, name), name);
}

status_t cuda_module_variable(cuda_module_t *m, const char *name, size_t bytes,
                              cuda_address_t *out)
{
    size_t found = 0;
    const status_t st = try(m, call.global(out, &found, m->module, name), name);

    if (st == ST_OK && found != bytes) {
        log_error("CUDA: %s has %zu bytes, not %zu", name, found, bytes);
        return ST_EDEVICE;
    }
    return st;
}

size_t cuda_module_free_bytes(cuda_module_t *m)
{
    size_t free_bytes = 0, all;

    return try(m, call.memory(&free_bytes, &all), "free memory") == ST_OK ? free_bytes
                                                                          : 0;
}

status_t cuda_module_alloc(cuda_module_t *m, size_t bytes, cuda_address_t *out)
{
    return try(m, call.alloc(out, bytes), "memory of the GPU");
}

void cuda_module_free(cuda_module_t *m, cuda_address_t at)
{
    if (at != 0)
        call.free(at);
    (void)m;
}

status_t cuda_module_alloc_host(cuda_module_t *m, size_t bytes, void **out)
{
    return try(m, call.alloc_host(out, bytes, 0), "pinned memory");
}

void cuda_module_free_host(cuda_module_t *m, void *memory)
{
    if (memory != NULL)
        call.free_host(memory);
    (void)m;
}

status_t cuda_module_put(cuda_module_t *m, cuda_address_t to, const void *from,
                         size_t bytes)
{
    return bytes == 0 ? ST_OK : try(m, call.put(to, from, bytes), "a copy to the GPU");
}

status_t cuda_module_get(cuda_module_t *m, void *to, cuda_address_t from, size_t bytes)
{
    return bytes == 0 ? ST_OK : try(m, call.get(to, from, bytes), "a copy from the GPU");
}

status_t cuda_module_put_later(cuda_module_t *m, cuda_address_t to, const void *from,
                               size_t bytes)
{
    return try(m, call.put_later(to, from, bytes, NULL), "a copy to the GPU");
}

status_t cuda_module_zero(cuda_module_t *m, cuda_address_t at, size_t bytes)
{
    return bytes == 0 ? ST_OK : try(m, call.zero(at, 0, bytes, NULL), "zeros on the GPU");
}

status_t cuda_module_launch(cuda_module_t *m, cuda_function_t *f, int64_t n_blocks,
                            int n_threads, void **params)
{
    return try(m,
               call.launch(f, (unsigned)n_blocks, 1, 1, (unsigned)n_threads, 1, 1, 0,
                           NULL, params, NULL),
               "a kernel");
}

status_t cuda_module_wait(cuda_module_t *m)
{
    return try(m, call.wait(), "waiting for the GPU");
}
