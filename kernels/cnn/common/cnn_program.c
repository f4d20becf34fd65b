/*
 * cnn_program.c - names of operations, sizes of tensors, values of elements.
 */
#include "kernels/cnn/common/cnn_program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    cnn_kind_t kind;
    bool may_repeat;
} ops[CNN_N_OPS] = {
    [CNN_CONVOLUTION] = {"convolution", CNN_KIND_CONVOLUTION, true},
    [CNN_CONVOLUTION_BACKWARD_DATA] = {"convolution-backward-data", CNN_KIND_CONVOLUTION,
                                       false},
    [CNN_CONVOLUTION_BACKWARD_FILTER] = {"convolution-backward-filter",
                                         CNN_KIND_CONVOLUTION, false},
    [CNN_POOL] = {"pool", CNN_KIND_POOL, true},
    [CNN_POOL_BACKWARD] = {"pool-backward", CNN_KIND_POOL, false},
    [CNN_LRN] = {"lrn", CNN_KIND_LRN, true},
    [CNN_LRN_BACKWARD] = {"lrn-backward", CNN_KIND_LRN, false},
    [CNN_LINEAR] = {"linear", CNN_KIND_LINEAR, false},
    [CNN_LINEAR_BACKWARD_DATA] = {"linear-backward-data", CNN_KIND_LINEAR, false},
    [CNN_LINEAR_BACKWARD_WEIGHTS] = {"linear-backward-weights", CNN_KIND_LINEAR, false},
    [CNN_RELU] = {"relu", CNN_KIND_ELEMENTWISE, true},
    [CNN_RELU_BACKWARD] = {"relu-backward", CNN_KIND_ELEMENTWISE, false},
    [CNN_DROPOUT] = {"dropout", CNN_KIND_ELEMENTWISE, true},
    [CNN_DROPOUT_BACKWARD] = {"dropout-backward", CNN_KIND_ELEMENTWISE, false},
    [CNN_BATCH_NORM] = {"batch-norm", CNN_KIND_BATCH_NORM, true},
    [CNN_BATCH_NORM_INFERENCE] = {"batch-norm-inference", CNN_KIND_BATCH_NORM, false},
    [CNN_BATCH_NORM_BACKWARD] = {"batch-norm-backward", CNN_KIND_BATCH_NORM, false},
    [CNN_BATCH_NORM_PART] = {"batch-norm-part", CNN_KIND_BATCH_NORM, false},
    [CNN_BATCH_NORM_WHOLE] = {"batch-norm-whole", CNN_KIND_BATCH_NORM, true},
    [CNN_BATCH_NORM_BACKWARD_PART] = {"batch-norm-backward-part", CNN_KIND_BATCH_NORM,
                                      false},
    [CNN_BATCH_NORM_BACKWARD_WHOLE] = {"batch-norm-backward-whole", CNN_KIND_BATCH_NORM,
                                       false},
    [CNN_GATHER] = {"gather", CNN_KIND_BATCH_NORM, false},
    [CNN_SUM] = {"sum", CNN_KIND_UPDATE, false},
    [CNN_CONCAT] = {"concat", CNN_KIND_CONCAT, true},
    [CNN_CONCAT_BACKWARD] = {"concat-backward", CNN_KIND_CONCAT, false},
    [CNN_ADD] = {"add", CNN_KIND_ELEMENTWISE, false},
    [CNN_SOFTMAX_LOSS] = {"softmax-loss", CNN_KIND_LOSS, false},
    [CNN_SOFTMAX_LOSS_BACKWARD] = {"softmax-loss-backward", CNN_KIND_LOSS, false},
    [CNN_SOFTMAX] = {"softmax", CNN_KIND_LOSS, false},
    [CNN_CAST] = {"cast", CNN_KIND_ELEMENTWISE, false},
    [CNN_SGD] = {"sgd", CNN_KIND_UPDATE, false},
    [CNN_ADAM] = {"adam", CNN_KIND_UPDATE, false},
    [CNN_FETCH] = {"fetch", CNN_KIND_COPY, false},
    [CNN_EVICT] = {"evict", CNN_KIND_COPY, false},
};

const char *cnn_op_name(cnn_op_t op)
{
    return ops[op].name;
}

cnn_kind_t cnn_op_kind(cnn_op_t op)
{
    return ops[op].kind;
}

bool cnn_op_may_repeat(cnn_op_t op)
{
    return ops[op].may_repeat;
}

const char *cnn_kind_name(cnn_kind_t kind)
{
    static const char *const names[CNN_N_KINDS] = {
        [CNN_KIND_CONVOLUTION] = "convolution",
        [CNN_KIND_POOL] = "pooling",
        [CNN_KIND_LRN] = "LRN",
        [CNN_KIND_LINEAR] = "fully connected",
        [CNN_KIND_ELEMENTWISE] = "elementwise",
        [CNN_KIND_BATCH_NORM] = "batch norm",
        [CNN_KIND_CONCAT] = "concat",
        [CNN_KIND_LOSS] = "loss",
        [CNN_KIND_UPDATE] = "update",
        [CNN_KIND_COPY] = "copies",
    };

    return names[kind];
}

size_t cnn_type_bytes(cnn_type_t type)
{
    static const size_t bytes[] = {
        [CNN_F32] = 4, [CNN_F64] = 8, [CNN_BF16] = 2, [CNN_I32] = 4};

    return bytes[type];
}

int64_t cnn_tensor_n(const cnn_tensor_t *t)
{
    return t->size[0] * t->size[1] * t->size[2] * t->size[3];
}

size_t cnn_tensor_bytes(const cnn_tensor_t *t)
{
    return (size_t)cnn_tensor_n(t) * cnn_type_bytes(t->type);
}

size_t cnn_tensor_room(const cnn_tensor_t *t)
{
    enum { ALIGNMENT = 256 };

    return (cnn_tensor_bytes(t) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void cnn_program_destroy(cnn_program_t *p)
{
    if (p == NULL)
        return;
    free(p->tensors);
    free(p->steps);
    free(p->layers);
    free(p);
}

/* ---- elements of any type as doubles ---- */

/* bf16 is the upper half of a 32-bit float. */
static float bf16_to_float(uint16_t x)
{
    uint32_t bits = (uint32_t)x << 16;
    float f;

    memcpy(&f, &bits, sizeof(f));
    return f;
}

/* @return the nearest number, of two the one whose last bit is 0; NaN stays NaN */
static uint16_t bf16_from_float(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof(bits));
    if ((bits & UINT32_C(0x7fffffff)) > UINT32_C(0x7f800000))
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static double load(cnn_type_t type, const void *from, int64_t i)
{
    switch (type) {
    case CNN_F32:
        return ((const float *)from)[i];
    case CNN_F64:
        return ((const double *)from)[i];
    case CNN_BF16:
        return bf16_to_float(((const uint16_t *)from)[i]);
    case CNN_I32:
        break;
    }
    return ((const int32_t *)from)[i];
}

static void store(cnn_type_t type, double x, void *to, int64_t i)
{
    switch (type) {
    case CNN_F32:
        ((float *)to)[i] = (float)x;
        return;
    case CNN_F64:
        ((double *)to)[i] = x;
        return;
    case CNN_BF16:
        ((uint16_t *)to)[i] = bf16_from_float((float)x);
        return;
    case CNN_I32:
        ((int32_t *)to)[i] = (int32_t)rint(x);
        return;
    }
}

double cnn_value_round(cnn_type_t type, double x)
{
    double bytes = 0; /* of any type: none is larger */

    store(type, x, &bytes, 0);
    return load(type, &bytes, 0);
}

void cnn_value_load(cnn_type_t type, int64_t n, const void *from, double *to)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = load(type, from, i);
}

void cnn_value_store(cnn_type_t type, int64_t n, const double *from, void *to)
{
    for (int64_t i = 0; i < n; i++)
        store(type, from[i], to, i);
}
