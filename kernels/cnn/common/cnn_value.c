/*
 * cnn_value.c - elements of any type as doubles.
 */
#include "kernels/cnn/common/cnn_program.h"

#include <math.h>
#include <string.h>

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
