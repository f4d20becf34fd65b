/*
 * dpc_decls.c - what dpc declares of the CUDA runtime for libclang.
 *
 * Types, attributes and the variables of a thread, so that neither a toolkit nor its
 * version matters.  A function that is missing here is an error that dpc passes over, as
 * its call is nvcc's to judge; only `auto` variables need its type.
 */
#include "tools/dpc/dpc_unit.h"

/* Kept as short texts, as compilers need to accept at most 4095 bytes of one. */
#define VECTORS(type, name)                   \
    "struct " name "1 { " type " x; };"       \
    "struct " name "2 { " type " x, y; };"    \
    "struct " name "3 { " type " x, y, z; };" \
    "struct " name "4 { " type " x, y, z, w; };\n"

#define ATTRIBUTE(name, value) "#define __" name "__ __attribute__((" value "))\n"

const char dpc_decls[] =
    "#ifndef RIBOGRID_DPC_DECLS\n"
    "#define RIBOGRID_DPC_DECLS\n"
    "#define __CUDACC__ 1\n"
    "#define __NVCC__ 1\n"
    "#define __CUDACC_RDC__ 1\n"
    "#define __CUDACC_VER_MAJOR__ 13\n"
    "#define __CUDACC_VER_MINOR__ 0\n"
    "#define CUDART_VERSION 13000\n"
    "#define CUDA_VERSION 13000\n"
    "#define CUDART_CB\n"
    "#define CUDARTAPI\n" ATTRIBUTE("global", "global") ATTRIBUTE(
        "device", "device") ATTRIBUTE("host", "host") ATTRIBUTE("shared", "shared")
        ATTRIBUTE("constant", "constant") ATTRIBUTE("managed", "device") ATTRIBUTE(
            "noinline",
            "noinline") "#define __forceinline__ inline __attribute__((always_inline))\n"
                        "#define __launch_bounds__(...)\n"
                        "#define __cluster_dims__(...)\n"
                        "#define __maxnreg__(...)\n"
                        "#define __grid_constant__\n"
                        "#define __align__(n) __attribute__((aligned(n)))\n"
                        "#define __builtin_align__(n) __attribute__((aligned(n)))\n"
                        "#if __has_include(<math.h>) && __has_include(<stdio.h>)\n"
                        "#include <math.h>\n"
                        "#include <stddef.h>\n"
                        "#include <stdint.h>\n"
                        "#include <stdio.h>\n"
                        "#include <stdlib.h>\n"
                        "#include <string.h>\n"
                        "#else\n"
                        "typedef __SIZE_TYPE__ size_t;\n"
                        "typedef __INT32_TYPE__ int32_t; typedef __UINT32_TYPE__ "
                        "uint32_t;\n"
                        "typedef __INT64_TYPE__ int64_t; typedef __UINT64_TYPE__ "
                        "uint64_t;\n"
                        "#endif\n" VECTORS("char", "char") VECTORS(
                            "unsigned char",
                            "uchar") VECTORS("short",
                                             "short") VECTORS("unsigned short",
                                                              "ushort") VECTORS("int",
                                                                                "int")
                            VECTORS("unsigned", "uint") VECTORS("long", "long") VECTORS(
                                "unsigned long",
                                "ulong") VECTORS("long long",
                                                 "longlong") VECTORS("unsigned long long",
                                                                     "ulonglong")
                                VECTORS("float", "float") VECTORS(
                                    "double",
                                    "double") "struct dim3 { unsigned x, y, z;\n"
                                              "__host__ __device__ constexpr "
                                              "dim3(unsigned a = 1, unsigned b = 1, "
                                              "unsigned c = 1)\n"
                                              ": x(a), y(b), z(c) {}\n"
                                              "__host__ __device__ constexpr dim3(uint3 "
                                              "v) : x(v.x), y(v.y), z(v.z) {} };\n"
                                              "extern const uint3 threadIdx, blockIdx;\n"
                                              "extern const dim3 blockDim, gridDim;\n"
                                              "extern const int warpSize;\n"
                                              "typedef struct CUstream_st "
                                              "*cudaStream_t;\n"
                                              "typedef struct CUevent_st *cudaEvent_t;\n"
                                              "enum cudaError { cudaSuccess = 0 };\n"
                                              "typedef enum cudaError cudaError_t;\n"
                                              "#define cudaStreamNonBlocking 1\n"
                                              "#define cudaStreamTailLaunch "
                                              "((cudaStream_t)3)\n"
                                              "#define cudaStreamFireAndForget "
                                              "((cudaStream_t)4)\n"
                                              "extern \"C\" int "
                                              "__cudaPushCallConfiguration(dim3, dim3, "
                                              "unsigned long = 0,\n"
                                              "cudaStream_t = 0);\n"
                                              "extern \"C\" int cudaConfigureCall(dim3, "
                                              "dim3, unsigned long = 0, cudaStream_t = "
                                              "0);\n"
                                              "__host__ __device__ cudaError_t "
                                              "cudaDeviceSynchronize();\n"
                                              "__host__ __device__ cudaError_t "
                                              "cudaGetLastError();\n"
                                              "__host__ __device__ cudaError_t "
                                              "cudaPeekAtLastError();\n"
                                              "__host__ __device__ const char "
                                              "*cudaGetErrorString(cudaError_t);\n"
                                              "template <class T> __host__ __device__ T "
                                              "min(T, T);\n"
                                              "template <class T> __host__ __device__ T "
                                              "max(T, T);\n"
                                              "template <class T, class U> __device__ T "
                                              "atomicAdd(T *, U);\n"
                                              "template <class T, class U> __device__ T "
                                              "atomicSub(T *, U);\n"
                                              "template <class T, class U> __device__ T "
                                              "atomicMin(T *, U);\n"
                                              "template <class T, class U> __device__ T "
                                              "atomicMax(T *, U);\n"
                                              "template <class T, class U> __device__ T "
                                              "atomicExch(T *, U);\n"
                                              "template <class T, class U> __device__ T "
                                              "atomicAnd(T *, U);\n"
                                              "template <class T, class U> __device__ T "
                                              "atomicOr(T *, U);\n"
                                              "template <class T, class U> __device__ T "
                                              "atomicXor(T *, U);\n"
                                              "template <class T, class U, class V> "
                                              "__device__ T atomicCAS(T *, U, V);\n"
                                              "template <class T> __device__ T "
                                              "__ldg(const T *);\n"
                                              "#endif\n";
