/*
 * nvrtc.c - opens NVRTC and calls it.
 */
#include "kernels/device/nvrtc.h"

#include "io/base/logmsg.h"

#include <dlfcn.h>
#include <glob.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATTERN_BYTES = 512 };

/* Prototypes after the library's public documentation (NVRTC User Guide). */
typedef struct program *program_t;
typedef int result_t; /* 0: success */

typedef struct {
    const char *(*error)(result_t);
    result_t (*create)(program_t *, const char *source, const char *name, int n_headers,
                       const char *const *headers, const char *const *names);
    result_t (*destroy)(program_t *);
    result_t (*compile)(program_t, int n_options, const char *const *options);
    result_t (*log_bytes)(program_t, size_t *);
    result_t (*log)(program_t, char *);
    result_t (*cubin_bytes)(program_t, size_t *);
    result_t (*cubin)(program_t, char *);
} functions_t;

static const struct {
    const char *name;
    size_t at;
} symbols[] = {
    {"nvrtcGetErrorString", offsetof(functions_t, error)},
    {"nvrtcCreateProgram", offsetof(functions_t, create)},
    {"nvrtcDestroyProgram", offsetof(functions_t, destroy)},
    {"nvrtcCompileProgram", offsetof(functions_t, compile)},
    {"nvrtcGetProgramLogSize", offsetof(functions_t, log_bytes)},
    {"nvrtcGetProgramLog", offsetof(functions_t, log)},
    {"nvrtcGetCUBINSize", offsetof(functions_t, cubin_bytes)},
    {"nvrtcGetCUBIN", offsetof(functions_t, cubin)},
};

/* What the library lacks of the system's headers. */
static const char *const header_names[] = {"stdint.h", "stdbool.h", "stddef.h", "math.h"};
static const char *const headers[] = {
    "typedef signed char int8_t;\ntypedef unsigned char uint8_t;\n"
    "typedef int int32_t;\ntypedef unsigned uint32_t;\n"
    "typedef long int64_t;\ntypedef unsigned long uint64_t;\n"
    "#define INT64_C(x) x##L\n#define UINT64_C(x) x##UL\n"
    "#define INT64_MAX 0x7fffffffffffffffL\n#define INT64_MIN (-INT64_MAX - 1)\n"
    "#define UINT64_MAX 0xffffffffffffffffUL\n",
    "", "", "#define HUGE_VAL __longlong_as_double(0x7ff0000000000000LL)\n"};

enum { N_HEADERS = sizeof(headers) / sizeof(headers[0]) };

/* ---- the library ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *library;
static functions_t call;
static const char *missing; /* a function that it lacks, or NULL */

/* @param pattern  of paths, of which the last one that can be opened counts */
static void open_one_of(const char *pattern)
{
    glob_t paths;

    if (library != NULL || glob(pattern, 0, NULL, &paths) != 0)
        return;
    for (size_t i = paths.gl_pathc; library == NULL && i > 0; i--)
        library = dlopen(paths.gl_pathv[i - 1], RTLD_NOW | RTLD_LOCAL);
    globfree(&paths);
}

static void open_below(const char *folder)
{
    char pattern[PATTERN_BYTES];

    if (folder == NULL || folder[0] == '\0')
        return;
    snprintf(pattern, sizeof(pattern), "%s/lib*/libnvrtc.so", folder);
    open_one_of(pattern);
}

/* That of the environment, of the system, or of an installation of CUDA. */
static void open_library(void)
{
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12",
                                        "libnvrtc.so.11.2", "libnvrtc.so"};

    open_below(getenv("CUDA_HOME"));
    open_below(getenv("CUDA_PATH"));
    for (size_t i = 0; library == NULL && i < sizeof(names) / sizeof(names[0]); i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    open_below(getenv("CONDA_PREFIX"));
    open_one_of("/usr/local/cuda*/lib*/libnvrtc.so");
    for (size_t i = 0; library != NULL && i < sizeof(symbols) / sizeof(symbols[0]); i++)
        if ((*(void **)((char *)&call + symbols[i].at) =
                 dlsym(library, symbols[i].name)) == NULL)
            missing = symbols[i].name;
}

bool nvrtc_is_there(char why[NVRTC_WHY_BYTES])
{
    pthread_once(&once, open_library);
    if (library == NULL)
        snprintf(why, NVRTC_WHY_BYTES,
                 "libnvrtc.so is missing; install NVRTC, or set CUDA_HOME");
    else if (missing != NULL)
        snprintf(why, NVRTC_WHY_BYTES, "libnvrtc.so lacks %s; install CUDA 11.2 or newer",
                 missing);
    return library != NULL && missing == NULL;
}

/* ---- a program ---- */

/* Take the first line of the compiler's messages. */
static void take_reason(program_t program, result_t result, char *why)
{
    size_t bytes = 0;
    char *text = NULL;

    snprintf(why, NVRTC_WHY_BYTES, "%s", call.error(result));
    if (call.log_bytes(program, &bytes) != 0 || bytes <= 1 ||
        (text = calloc(bytes + 1, 1)) == NULL)
        return;
    if (call.log(program, text) == 0) {
        text[strcspn(text, "\n")] = '\0';
        snprintf(why, NVRTC_WHY_BYTES, "%s", text);
    }
    free(text);
}

static status_t take_cubin(program_t program, buf_t *cubin)
{
    size_t bytes = 0;
    status_t st;

    if (call.cubin_bytes(program, &bytes) != 0 || bytes == 0)
        return ST_EDEVICE;
    if ((st = buf_reserve(cubin, bytes)) != ST_OK)
        return st;
    if (call.cubin(program, (char *)cubin->data) != 0)
        return ST_EDEVICE;
    cubin->len = bytes;
    return ST_OK;
}

status_t nvrtc_compile(const char *source, int capability, buf_t *cubin,
                       char why[NVRTC_WHY_BYTES])
{
    char arch[32];
    const char *const options[] = {arch, "-std=c++17", "-default-device", "-fmad=false",
                                   "-w"};
    program_t program;
    result_t result;
    status_t st = ST_EDEVICE;

    if (!nvrtc_is_there(why))
        return ST_EDEVICE;
    snprintf(arch, sizeof(arch), "-arch=sm_%d", capability);
    if ((result = call.create(&program, source, "program.cu", N_HEADERS, headers,
                              header_names)) != 0) {
        snprintf(why, NVRTC_WHY_BYTES, "%s", call.error(result));
        return ST_EDEVICE;
    }
    if ((result = call.compile(program, sizeof(options) / sizeof(options[0]), options)) !=
        0)
        take_reason(program, result, why);
    else if ((st = take_cubin(program, cubin)) == ST_EDEVICE)
        snprintf(why, NVRTC_WHY_BYTES, "NVRTC made no machine code");
    call.destroy(&program);
    return st;
}
