/*
 * device_cuda.cu - the GPUs that this process may use.
 */
#include "kernels/cuda_try.cuh"

extern "C" {
#include "kernels/device.h"
}

#include <cstdio>

namespace
{

char absence[512] = "no GPU is visible to this process";

/* Only asked whether this build holds code for a device. */
__global__ void probe()
{
}

void format_uuid(const cudaUUID_t &uuid, char *out, size_t size)
{
    const unsigned char *u = reinterpret_cast<const unsigned char *>(uuid.bytes);

    snprintf(out, size,
             "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
             u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11],
             u[12], u[13], u[14], u[15]);
}

bool has_code(int index, const cudaDeviceProp &p)
{
    cudaFuncAttributes attributes;
    cudaError_t err = cudaSetDevice(index);

    if (err == cudaSuccess)
        err = cudaFuncGetAttributes(&attributes, probe);
    if (err == cudaSuccess)
        return true;
    cudaGetLastError();
    snprintf(absence, sizeof(absence), "%s (compute capability %d.%d): %s", p.name,
             p.major, p.minor, cudaGetErrorString(err));
    return false;
}

} // namespace

extern "C" int device_list_cuda(device_t *out)
{
    int n_visible = 0, n = 0;
    cudaError_t err = cudaGetDeviceCount(&n_visible);

    if (err != cudaSuccess) {
        cudaGetLastError();
        snprintf(absence, sizeof(absence), "%s", cudaGetErrorString(err));
        return 0;
    }
    for (int i = 0; i < n_visible && n < DEVICES_MAX; i++) {
        cudaDeviceProp p;
        device_t *d = &out[n];

        if (cudaGetDeviceProperties(&p, i) != cudaSuccess || !has_code(i, p))
            continue;
        *d = device_t{};
        d->kind = DEVICE_CUDA;
        d->index = i;
        d->memory_bytes = static_cast<int64_t>(p.totalGlobalMem);
        d->n_cores = p.multiProcessorCount;
        d->capability = p.major * 10 + p.minor;
        snprintf(d->name, sizeof(d->name), "%.*s", DEVICE_NAME_BYTES - 1, p.name);
        format_uuid(p.uuid, d->uuid, sizeof(d->uuid));
        n++;
    }
    return n;
}

extern "C" const char *device_cuda_absence(void)
{
    return absence;
}
