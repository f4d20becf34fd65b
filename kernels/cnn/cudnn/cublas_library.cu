/*
 * cublas_library.cu - loads cuBLAS.  No kernels here.
 */
#include "kernels/cnn/cudnn/cublas_library.cuh"

extern "C" {
#include "io/base/logmsg.h"
}

#include <dlfcn.h>
#include <mutex>

cublas_library_t cublas;

namespace
{

std::once_flag once;
bool is_loaded;

const struct {
    const char *name;
    void **at;
} functions[] = {
#define CUBLAS_FUNCTION(name) {#name, reinterpret_cast<void **>(&cublas.name)},
    CUBLAS_FUNCTIONS(CUBLAS_FUNCTION)
#undef CUBLAS_FUNCTION
};

#define SPELL(x)  #x
#define SONAME(x) "libcublasLt.so." SPELL(x)

void load()
{
    /* the library that CMake found, or the system's of the same version */
    void *library = dlopen(RIBOGRID_CUBLAS, RTLD_NOW | RTLD_LOCAL);

    if (library == nullptr)
        library = dlopen(SONAME(CUBLAS_VER_MAJOR), RTLD_NOW | RTLD_LOCAL);
    is_loaded = library != nullptr;
    for (const auto &f : functions)
        if (is_loaded)
            is_loaded = (*f.at = dlsym(library, f.name)) != nullptr;
    if (!is_loaded)
        log_error("cuBLAS, which the backend cudnn needs, cannot be loaded: %s; install "
                  "cuBLAS %d, or give --kernel native",
                  dlerror(), CUBLAS_VER_MAJOR);
}

} // namespace

status_t cublas_library_load(void)
{
    std::call_once(once, load);
    return is_loaded ? ST_OK : ST_EDEVICE;
}
