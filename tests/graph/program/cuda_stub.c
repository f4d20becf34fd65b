/*
 * cuda_stub.c - libraries in the place of NVRTC and of the CUDA driver: kernels are
 * compiled by the system's compiler of C++ ($CXX, or c++) and run by one thread, so that
 * tests need no GPU.
 *
 * Memory of the GPU is that of the process.  The threads of a block take turns, each up
 * to where it waits for the others; blocks come one after the other.
 */
#include <dlfcn.h>
#include <link.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { FAILED = 1, NOT_FOUND = 500, PATH_BYTES = 64, THREADS_MAX = 1024 };
enum { STACK_BYTES = 1 << 16 };

typedef unsigned long long address_t;

/* ---- NVRTC ---- */

/* What CUDA C++ has and C++ has not. */
static const char prelude[] =
    "#include <stdint.h>\n"
    "#include <string.h>\n"
    "#define __global__\n"
    "#define __constant__\n"
    "#define __shared__ static\n"
    "struct stub_t { unsigned x; };\n"
    "extern \"C\" {\n"
    "stub_t threadIdx, blockIdx, blockDim, gridDim;\n"
    "void (*stub_wait)(void);\n"
    "}\n"
    "static uint64_t stub_word[1024];\n"
    "static inline void __syncthreads() { stub_wait(); }\n"
    "static inline int __syncthreads_or(int x)\n"
    "{\n"
    "    int any = 0;\n"
    "    stub_word[threadIdx.x] = x != 0;\n"
    "    stub_wait();\n"
    "    for (unsigned t = 0; t < blockDim.x; t++) any |= (int)stub_word[t];\n"
    "    stub_wait();\n"
    "    return any;\n"
    "}\n"
    "template <typename T> static T __shfl_xor_sync(unsigned, T x, int k)\n"
    "{\n"
    "    memcpy(&stub_word[threadIdx.x], &x, sizeof(x));\n"
    "    stub_wait();\n"
    "    memcpy(&x, &stub_word[threadIdx.x ^ k], sizeof(x));\n"
    "    stub_wait();\n"
    "    return x;\n"
    "}\n"
    "static inline unsigned __ballot_sync(unsigned, int x)\n"
    "{\n"
    "    unsigned lanes = 0;\n"
    "    stub_word[threadIdx.x] = x != 0;\n"
    "    stub_wait();\n"
    "    for (unsigned t = 0; t < 32; t++)\n"
    "        lanes |= (unsigned)stub_word[threadIdx.x / 32 * 32 + t] << t;\n"
    "    stub_wait();\n"
    "    return lanes;\n"
    "}\n"
    "static inline void __threadfence() {}\n"
    "#define ATOMIC_STUB(NAME, NEXT) \\\n"
    "    template <typename T> static T NAME(T *at, T x) \\\n"
    "    { const T old = *at; *at = NEXT; return old; }\n"
    "ATOMIC_STUB(atomicAdd, old + x)\n"
    "ATOMIC_STUB(atomicOr, old | x)\n"
    "ATOMIC_STUB(atomicAnd, old & x)\n"
    "ATOMIC_STUB(atomicExch, x)\n"
    "template <typename T> static T atomicCAS(T *at, T want, T x)\n"
    "{ const T old = *at; if (old == want) *at = x; return old; }\n"
    "static inline int __ffs(int x) { return __builtin_ffs(x); }\n"
    "static inline int __ffsll(long long x) { return __builtin_ffsll(x); }\n"
    "static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); "
    "}\n";

typedef struct {
    int source, library; /* files in memory */
    int64_t bytes;       /* of the library */
} program_t;

const char *nvrtcGetErrorString(int result)
{
    (void)result;
    return "the compiler of C++ failed";
}

int nvrtcCreateProgram(program_t **out, const char *text, const char *name, int n_headers,
                       const char *const *headers, const char *const *names)
{
    program_t *p = calloc(1, sizeof(*p));

    (void)name, (void)n_headers, (void)headers, (void)names;
    if (p == NULL)
        return FAILED;
    p->source = memfd_create("program.cpp", 0);
    p->library = memfd_create("program.so", 0);
    *out = p;
    return write(p->source, prelude, strlen(prelude)) < 0 ||
           write(p->source, text, strlen(text)) < 0;
}

int nvrtcDestroyProgram(program_t **p)
{
    close((*p)->source);
    close((*p)->library);
    free(*p);
    return 0;
}

int nvrtcCompileProgram(program_t *p, int n, const char *const *options)
{
    const char *compiler = getenv("CXX");
    char command[256];

    (void)n, (void)options;
    snprintf(command, sizeof(command),
             "%s -x c++ -std=c++17 -O1 -w -ffp-contract=off -fno-strict-aliasing -shared "
             "-fPIC -o /proc/%d/fd/%d /proc/%d/fd/%d 1>&2",
             compiler != NULL && compiler[0] != '\0' ? compiler : "c++", (int)getpid(),
             p->library, (int)getpid(), p->source);
    if (system(command) != 0)
        return FAILED;
    p->bytes = lseek(p->library, 0, SEEK_END);
    return 0;
}

int nvrtcGetProgramLogSize(program_t *p, size_t *bytes)
{
    (void)p;
    *bytes = 1;
    return 0;
}

int nvrtcGetProgramLog(program_t *p, char *text)
{
    (void)p;
    *text = '\0';
    return 0;
}

int nvrtcGetCUBINSize(program_t *p, size_t *bytes)
{
    *bytes = sizeof(p->bytes) + (size_t)p->bytes;
    return 0;
}

/* The length of the library, and the library. */
int nvrtcGetCUBIN(program_t *p, char *cubin)
{
    memcpy(cubin, &p->bytes, sizeof(p->bytes));
    return pread(p->library, cubin + sizeof(p->bytes), (size_t)p->bytes, 0) != p->bytes;
}

/* ---- the driver: contexts, modules, memory ---- */

typedef struct {
    void *library;
    void *function;
    int n_params;
} function_t;

int cuInit(unsigned flags)
{
    return (int)flags;
}

int cuGetErrorString(int result, const char **text)
{
    *text = result == NOT_FOUND ? "not found" : "failed";
    return 0;
}

int cuDeviceGet(int *device, int index)
{
    *device = index;
    return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    (void)device;
    *context = context;
    return 0;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    return device;
}

int cuCtxSetCurrent(void *context)
{
    return context == NULL;
}

int cuModuleLoadData(void **module, const void *cubin)
{
    const int file = memfd_create("module.so", 0);
    char path[PATH_BYTES];
    int64_t bytes;

    memcpy(&bytes, cubin, sizeof(bytes));
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    if (write(file, (const char *)cubin + sizeof(bytes), (size_t)bytes) == bytes)
        *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    close(file);
    return *module == NULL;
}

int cuModuleUnload(void *module)
{
    return dlclose(module);
}

/* Functions of the program have no parameters; count_members has three of eight bytes. */
int cuModuleGetFunction(function_t **out, void *module, const char *name)
{
    function_t *f = calloc(1, sizeof(*f));

    if (f == NULL)
        return FAILED;
    *f = (function_t){module, dlsym(module, name),
                      strcmp(name, "count_members") == 0 ? 3 : 0};
    *out = f;
    return f->function != NULL ? 0 : NOT_FOUND;
}

int cuModuleGetGlobal_v2(address_t *at, size_t *bytes, void *module, const char *name)
{
    void *found = dlsym(module, name);
    const ElfW(Sym) *symbol = NULL;
    Dl_info info;

    if (found == NULL || dladdr1(found, &info, (void **)&symbol, RTLD_DL_SYMENT) == 0)
        return NOT_FOUND;
    *at = (address_t)(uintptr_t)found;
    *bytes = symbol->st_size;
    return 0;
}

int cuMemGetInfo_v2(size_t *free_bytes, size_t *bytes)
{
    *free_bytes = *bytes = (size_t)1 << 32;
    return 0;
}

/* What is new holds anything. */
int cuMemHostAlloc(void **out, size_t bytes, unsigned flags)
{
    (void)flags;
    if (bytes == 0 || (*out = malloc(bytes)) == NULL)
        return FAILED;
    memset(*out, 0xa5, bytes);
    return 0;
}

int cuMemFreeHost(void *memory)
{
    free(memory);
    return 0;
}

int cuMemAlloc_v2(address_t *out, size_t bytes)
{
    void *memory = NULL;
    const int result = cuMemHostAlloc(&memory, bytes, 0);

    *out = (address_t)(uintptr_t)memory;
    return result;
}

int cuMemFree_v2(address_t at)
{
    return cuMemFreeHost((void *)(uintptr_t)at);
}

int cuMemcpyHtoD_v2(address_t to, const void *from, size_t bytes)
{
    memcpy((void *)(uintptr_t)to, from, bytes);
    return 0;
}

int cuMemcpyDtoH_v2(void *to, address_t from, size_t bytes)
{
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return 0;
}

int cuMemcpyHtoDAsync_v2(address_t to, const void *from, size_t bytes, void *stream)
{
    return stream != NULL ? FAILED : cuMemcpyHtoD_v2(to, from, bytes);
}

int cuMemsetD8Async(address_t at, unsigned char value, size_t bytes, void *stream)
{
    memset((void *)(uintptr_t)at, value, bytes);
    return stream != NULL;
}

int cuCtxSynchronize(void)
{
    return 0;
}

/* ---- the driver: kernels ---- */

/* A thread of the block that runs. */
typedef struct {
    jmp_buf here; /* where it waits */
    bool is_begun, is_done;
} thread_t;

static thread_t threads[THREADS_MAX];
static char stacks[THREADS_MAX][STACK_BYTES];
static ucontext_t start, first[THREADS_MAX];
static jmp_buf turns;
static const function_t *running;
static void **arguments;
static unsigned *index_of_thread;
static unsigned now;

static void run_thread(void)
{
    void *f = running->function;

    if (running->n_params == 0)
        ((void (*)(void))(uintptr_t)f)();
    else
        ((void (*)(void *, void *, int64_t))(uintptr_t)f)(*(void **)arguments[0],
                                                          *(void **)arguments[1],
                                                          *(int64_t *)arguments[2]);
    threads[now].is_done = true;
    _longjmp(turns, 1);
}

/* A thread comes to a barrier. */
static void wait_for_others(void)
{
    const unsigned me = now;

    if (_setjmp(threads[me].here) == 0)
        _longjmp(turns, 1);
    *index_of_thread = me;
}

/* Let a thread go on to its next barrier, or to its end. */
static void take_turn(unsigned t)
{
    now = *index_of_thread = t;
    if (_setjmp(turns) != 0)
        return;
    if (threads[t].is_begun)
        _longjmp(threads[t].here, 1);
    threads[t].is_begun = true;
    getcontext(&first[t]);
    first[t].uc_stack.ss_sp = stacks[t];
    first[t].uc_stack.ss_size = STACK_BYTES;
    makecontext(&first[t], run_thread, 0);
    swapcontext(&start, &first[t]);
}

static void run_block(unsigned n_threads)
{
    bool is_left = true;

    memset(threads, 0, n_threads * sizeof(threads[0]));
    while (is_left) {
        is_left = false;
        for (unsigned t = 0; t < n_threads; t++)
            if (!threads[t].is_done) {
                take_turn(t);
                is_left |= !threads[t].is_done;
            }
    }
}

int cuLaunchKernel(const function_t *f, unsigned n_blocks, unsigned y, unsigned z,
                   unsigned n_threads, unsigned ty, unsigned tz, unsigned shared,
                   void *stream, void **params, void **extra)
{
    unsigned *block = dlsym(f->library, "blockIdx");

    if (n_blocks == 0 || n_threads == 0 || n_threads > THREADS_MAX || y * z != 1 ||
        ty * tz != 1 || shared != 0 || stream != NULL || extra != NULL)
        return FAILED;
    *(unsigned *)dlsym(f->library, "blockDim") = n_threads;
    *(unsigned *)dlsym(f->library, "gridDim") = n_blocks;
    *(void (**)(void))dlsym(f->library, "stub_wait") = wait_for_others;
    index_of_thread = dlsym(f->library, "threadIdx");
    running = f;
    arguments = params;
    for (*block = 0; *block < n_blocks; ++*block)
        run_block(n_threads);
    return 0;
}
