/*
 * plan_train.h - programs of training that run on a backend of the CPU, for tests.
 */
#pragma once

#include "io/base/rng.h"
#include "kernels/cnn/common/cnn_backend.h"
#include "kernels/device/device.h"

#include <stdlib.h>
#include <string.h>

enum { PLAN_TRAIN_ITERATIONS = 5 };

typedef struct {
    const cnn_program_t *program;
    const cnn_backend_t *backend;
    device_t device;
    void *state;
} plan_train_t;

static inline void plan_train_create(plan_train_t *n, const cnn_program_t *program,
                                     const cnn_backend_t *backend)
{
    cnn_context_t context;

    *n = (plan_train_t){.program = program, .backend = backend, .device = device_cpu()};
    context =
        (cnn_context_t){.device = &n->device, .program = program, .fills_gaps = true};
    assert_true(backend->takes(&context));
    assert_int_equal(backend->create(&context, &n->state), ST_OK);
}

/* Write random numbers from -0.5 to 0.5, the same for the same number of a tensor. */
static inline void plan_train_write(const plan_train_t *n, int t, uint64_t seed)
{
    const cnn_tensor_t *to = &n->program->tensors[t];
    rng_t rng = rng_seed(seed + (uint64_t)t);
    float *values = calloc(1, cnn_tensor_bytes(to));

    assert_non_null(values);
    for (int64_t i = 0; i < cnn_tensor_n(to); i++) {
        const float x = (float)(rng_next(&rng) >> 40) * 0x1p-24f - 0.5f;

        if (to->role == CNN_LABELS)
            ((int32_t *)(void *)values)[i] = (int32_t)(i % 3);
        else
            values[i] = x;
    }
    assert_int_equal(n->backend->write(n->state, t, values), ST_OK);
    free(values);
}

/* Every iteration has its own images. */
static inline void plan_train_run(const plan_train_t *n)
{
    for (int t = 0; t < n->program->n_tensors; t++)
        if (n->program->tensors[t].role == CNN_PARAMETER)
            plan_train_write(n, t, 1);
    for (int i = 0; i < PLAN_TRAIN_ITERATIONS; i++) {
        const cnn_iteration_t it = {.iteration = i,
                                    .seed = 5,
                                    .rate = 0.1,
                                    .n_images = n->program->tensors[0].size[0]};

        for (int t = 0; t < n->program->n_tensors; t++)
            if (n->program->tensors[t].role <= CNN_LABELS)
                plan_train_write(n, t, 1000 * (uint64_t)i);
        assert_int_equal(n->backend->run(n->state, 0, n->program->n_steps, &it), ST_OK);
        assert_int_equal(n->backend->wait(n->state), ST_OK);
    }
}

static inline void plan_train_assert_equal(const plan_train_t *a, const plan_train_t *b,
                                           const char *what)
{
    for (int t = 0; t < a->program->n_tensors; t++) {
        const cnn_tensor_t *x = &a->program->tensors[t], *y = &b->program->tensors[t];
        void *left, *right;

        if (x->role < CNN_PARAMETER || x->role > CNN_OUTPUT)
            continue;
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->role, y->role);
        left = calloc(1, cnn_tensor_bytes(x));
        right = calloc(1, cnn_tensor_bytes(x));
        assert_true(left != NULL && right != NULL);
        assert_int_equal(a->backend->read(a->state, t, left), ST_OK);
        assert_int_equal(b->backend->read(b->state, t, right), ST_OK);
        if (memcmp(left, right, cnn_tensor_bytes(x)) != 0)
            fail_msg("%s: %s differs", what, x->name);
        free(left);
        free(right);
    }
}
