/*
 * cpu_blas.c - products of matrices by OpenBLAS, loaded on demand.
 */
#include "kernels/cnn/cpu/cpu_step.h"

#include "io/base/logmsg.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

/* of cblas.h */
enum { ROW_MAJOR = 101, AS_IT_IS = 111, TRANSPOSED = 112 };
typedef void sgemm_fn_t(int order, int transpose_a, int transpose_b, int m, int n, int k,
                        float alpha, const float *a, int lda, const float *b, int ldb,
                        float beta, float *c, int ldc);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static sgemm_fn_t *sgemm;

/* The library that CMake found, or the one that the system has. */
static const char *const names[] = {
#ifdef RIBOGRID_OPENBLAS
    RIBOGRID_OPENBLAS,
#endif
    "libopenblas.so.0",
    "libopenblas.so",
};

static void load(void)
{
    void *library = NULL;
    void (*set_num_threads)(int) = NULL;

    for (size_t i = 0; library == NULL && i < sizeof(names) / sizeof(*names); i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (library != NULL) {
        *(void **)&set_num_threads = dlsym(library, "openblas_set_num_threads");
        *(void **)&sgemm = dlsym(library, "cblas_sgemm");
    }
    if (sgemm != NULL && set_num_threads != NULL) {
        set_num_threads(1); /* the pool's threads call it */
        return;
    }
    sgemm = NULL;
    log_error("OpenBLAS, which networks on CPUs need, cannot be loaded: %s; install it "
              "(Debian: libopenblas0), or give --kernel serial, which is slow",
              dlerror());
}

status_t cpu_blas_open(void)
{
    pthread_once(&once, load);
    return sgemm != NULL ? ST_OK : ST_EDEVICE;
}

void cpu_blas_multiply(int64_t m, int64_t n, int64_t k, cpu_matrix_t a, cpu_matrix_t b,
                       float beta, float *c, int64_t c_stride)
{
    sgemm(ROW_MAJOR, a.is_transposed ? TRANSPOSED : AS_IT_IS,
          b.is_transposed ? TRANSPOSED : AS_IT_IS, (int)m, (int)n, (int)k, 1, a.value,
          (int)a.stride, b.value, (int)b.stride, beta, c, (int)c_stride);
}
