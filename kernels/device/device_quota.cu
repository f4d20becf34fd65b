/*
 * device_quota.cu - a quota of the memory that this process allocates on GPUs.
 *
 * The linker puts these functions in the place of CUDA's (--wrap), so that all code that
 * asks for memory, or how much there is, keeps to it.  What CUDA and cuDNN
 * allocate for themselves does not count.
 */
extern "C" {
#include "kernels/device/device.h"
}

#include <cuda_runtime.h>
#include <pthread.h>
#include <stdlib.h>

extern "C" {
cudaError_t quota_malloc(void **at, size_t bytes) __asm__("__wrap_cudaMalloc");
cudaError_t quota_free(void *at) __asm__("__wrap_cudaFree");
cudaError_t quota_info(size_t *n_free, size_t *n_all) __asm__("__wrap_cudaMemGetInfo");
cudaError_t cuda_malloc(void **at, size_t bytes) __asm__("__real_cudaMalloc");
cudaError_t cuda_free(void *at) __asm__("__real_cudaFree");
cudaError_t cuda_info(size_t *n_free, size_t *n_all) __asm__("__real_cudaMemGetInfo");
}

namespace
{

typedef struct {
    void *at;
    size_t bytes;
} block_t;

size_t quota; /* 0: none */
size_t used;
block_t *blocks; /* [n_blocks] that are allocated */
size_t n_blocks, capacity;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Under the lock. @return whether there is room for one more */
bool reserve()
{
    const size_t n = capacity > 0 ? 2 * capacity : 64;
    block_t *more = n_blocks < capacity
                        ? blocks
                        : static_cast<block_t *>(realloc(blocks, n * sizeof(*blocks)));

    if (more == NULL)
        return false;
    capacity = n_blocks < capacity ? capacity : n;
    blocks = more;
    return true;
}

/* Under the lock. */
void forget(const void *at)
{
    for (size_t i = 0; i < n_blocks; i++)
        if (blocks[i].at == at) {
            used -= blocks[i].bytes;
            blocks[i] = blocks[--n_blocks];
            return;
        }
}

} // namespace

extern "C" void device_set_quota(int64_t bytes)
{
    quota = static_cast<size_t>(bytes);
}

extern "C" int64_t device_within_quota(int64_t bytes)
{
    const int64_t most = static_cast<int64_t>(quota);

    return quota > 0 && most < bytes ? most : bytes;
}

cudaError_t quota_malloc(void **at, size_t bytes)
{
    cudaError_t err = cudaErrorMemoryAllocation;

    if (quota == 0)
        return cuda_malloc(at, bytes);
    pthread_mutex_lock(&lock);
    if (bytes <= quota - used && reserve() &&
        (err = cuda_malloc(at, bytes)) == cudaSuccess) {
        blocks[n_blocks++] = {*at, bytes};
        used += bytes;
    }
    pthread_mutex_unlock(&lock);
    return err;
}

cudaError_t quota_free(void *at)
{
    if (quota > 0) {
        pthread_mutex_lock(&lock);
        forget(at);
        pthread_mutex_unlock(&lock);
    }
    return cuda_free(at);
}

cudaError_t quota_info(size_t *n_free, size_t *n_all)
{
    const cudaError_t err = cuda_info(n_free, n_all);

    if (err != cudaSuccess || quota == 0)
        return err;
    pthread_mutex_lock(&lock);
    *n_free = *n_free < quota - used ? *n_free : quota - used;
    *n_all = *n_all < quota ? *n_all : quota;
    pthread_mutex_unlock(&lock);
    return err;
}
