/*
 * device_cuda.cu - the GPUs that this process may use.
 */
#include "kernels/device/cuda_try.cuh"

extern "C" {
#include "kernels/device/device.h"
}

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace
{

char absence[512] = "no GPU is visible to this process";

void format_uuid(const cudaUUID_t &uuid, char *out, size_t size)
{
    const unsigned char *u = reinterpret_cast<const unsigned char *>(uuid.bytes);

    snprintf(out, size,
             "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
             u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11],
             u[12], u[13], u[14], u[15]);
}

/*
 * Decide whether code for an entry of CMAKE_CUDA_ARCHITECTURES runs on a device.  Machine
 * code ("80-real") runs on its own major version, PTX ("80-virtual", or part of "80")
 * also on anything newer; code for an "a" version runs only on that version.
 *
 * The CUDA driver is not used, because that would create a context on every GPU listed.
 */
bool entry_runs(const char *entry, size_t len, int capability)
{
    const int number = atoi(entry);
    const bool real = len > 5 && strncmp(entry + len - 5, "-real", 5) == 0;

    if (number == 0) /* "native", "all", "all-major" */
        return true;
    if (memchr(entry, 'a', strcspn(entry, "- ")) != nullptr)
        return capability == number;
    return capability >= number && (!real || capability / 10 == number / 10);
}

bool has_code(const cudaDeviceProp &p)
{
    const char *entry = RIBOGRID_CUDA_ARCHITECTURES;

    while (*entry != '\0') {
        const size_t len = strcspn(entry, " ");

        if (entry_runs(entry, len, p.major * 10 + p.minor))
            return true;
        entry += len + strspn(entry + len, " ");
    }
    snprintf(absence, sizeof(absence),
             "%s has compute capability %d.%d; this build is for %s", p.name, p.major,
             p.minor, RIBOGRID_CUDA_ARCHITECTURES);
    return false;
}

/* Managed memory is on every GPU.  Addresses of the host are refused: a copy would read
 * what is there, or nothing. */
status_t check_array(const device_t *gpu, const device_array_t *array)
{
    cudaPointerAttributes a = {};
    status_t st = CUDA_TRY(cudaSetDevice(gpu->index));

    if (st != ST_OK)
        return st;
    if (cudaPointerGetAttributes(&a, array->at) != cudaSuccess)
        cudaGetLastError();
    if (a.type == cudaMemoryTypeManaged ||
        (a.type == cudaMemoryTypeDevice && a.device == gpu->index))
        return ST_OK;
    if (a.type == cudaMemoryTypeDevice)
        log_error("%s is in memory of GPU %d, but is computed with on GPU %d; copy it "
                  "there, or use that one",
                  array->name, a.device, gpu->index);
    else
        log_error("%s is in no memory of a GPU; give an address of cudaMalloc",
                  array->name);
    return ST_EUSAGE;
}

/* An error is forgotten: the next launch of a kernel would report it. */
status_t copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, void *stream)
{
    const cudaStream_t s = static_cast<cudaStream_t>(stream);
    status_t st = CUDA_TRY(cudaMemcpyAsync(to, from, bytes, kind, s));

    if (st == ST_OK)
        st = CUDA_TRY(cudaStreamSynchronize(s));
    if (st != ST_OK)
        cudaGetLastError();
    return st;
}

} // namespace

extern "C" status_t device_get(const device_t *gpu, const device_array_t *from,
                               void *stream, void *to)
{
    status_t st = ST_OK;

    if (from->bytes > 0 && (st = check_array(gpu, from)) == ST_OK)
        st = copy(to, from->at, from->bytes, cudaMemcpyDeviceToHost, stream);
    return st;
}

extern "C" status_t device_put(const device_t *gpu, const void *from, void *stream,
                               const device_array_t *to)
{
    status_t st = ST_OK;

    if (to->bytes > 0 && (st = check_array(gpu, to)) == ST_OK)
        st = copy(const_cast<void *>(to->at), from, to->bytes, cudaMemcpyHostToDevice,
                  stream);
    return st;
}

extern "C" int device_in_use(void)
{
    int index = -1;

    if (cudaGetDevice(&index) != cudaSuccess) {
        cudaGetLastError();
        return -1;
    }
    return index;
}

extern "C" void device_use_again(int index)
{
    if (index >= 0 && cudaSetDevice(index) != cudaSuccess)
        cudaGetLastError();
}

extern "C" int device_list_cuda(device_t *out)
{
    int n_visible = 0, n = 0;
    cudaError_t err = cudaGetDeviceCount(&n_visible);

    if (err != cudaSuccess) {
        cudaGetLastError();
        if (err == cudaErrorInsufficientDriver)
            snprintf(absence, sizeof(absence),
                     "there is no NVIDIA driver, or it is older than CUDA %d.%d",
                     CUDART_VERSION / 1000, CUDART_VERSION / 10 % 100);
        else
            snprintf(absence, sizeof(absence), "%s", cudaGetErrorString(err));
        return 0;
    }
    for (int i = 0; i < n_visible && n < DEVICES_MAX; i++) {
        cudaDeviceProp p;
        device_t *d = &out[n];

        if (cudaGetDeviceProperties(&p, i) != cudaSuccess || !has_code(p))
            continue;
        *d = device_t{};
        d->kind = DEVICE_CUDA;
        d->index = i;
        d->memory_bytes = device_within_quota(static_cast<int64_t>(p.totalGlobalMem));
        d->n_cores = p.multiProcessorCount;
        d->capability = p.major * 10 + p.minor;
        snprintf(d->name, sizeof(d->name), "%.*s", DEVICE_NAME_BYTES - 1, p.name);
        format_uuid(p.uuid, d->uuid, sizeof(d->uuid));
        n++;
    }
    return n;
}

extern "C" void device_open(const device_t *device)
{
    if (device->kind != DEVICE_CUDA)
        return;
    if (cudaSetDevice(device->index) == cudaSuccess)
        (void)cudaFree(nullptr);
    cudaGetLastError();
}

extern "C" int64_t device_free_bytes(const device_t *device)
{
    size_t free_bytes = 0, bytes;

    if (cudaSetDevice(device->index) != cudaSuccess ||
        cudaMemGetInfo(&free_bytes, &bytes) != cudaSuccess)
        free_bytes = 0;
    cudaGetLastError();
    return static_cast<int64_t>(free_bytes);
}

extern "C" const char *device_cuda_absence(void)
{
    return absence;
}
