/*
 * compare_networks.c - the backends of neural networks compute every layer as `serial`
 * does, and the same bytes with any number of threads.
 */
#include "kernels/registry/backends.h"
#include "tests/kernels/registry/comparison.h"
#include "tests/support/layer_case.h"

#include <stdio.h>

/* Sums of up to some thousand products round in the 6th digit. */
#define TOLERANCE 1e-5

static void run(const layer_case_t *c, const cnn_backend_t *backend,
                const cnn_context_t *where, result_t *out)
{
    one_step_values_t in, values;
    layer_program_t p;

    layer_case_program(c, CNN_F32, CNN_STRICT, &p);
    layer_case_values(c, &p, &in);
    one_step_values_create(&p.one, &values);
    MUST(one_step_run(&p.one, backend, where, &layer_iteration, &in, &values) == ST_OK);
    for (int t = 0; t < p.one.program.n_tensors; t++) {
        char name[80]; /* several inputs may have one name */

        snprintf(name, sizeof(name), "%s, tensor %d", p.one.tensors[t].name, t);
        result_add(out, name, VALUE_F64, cnn_tensor_n(&p.one.tensors[t]), 1, values.of[t],
                   sizeof(double));
        out->column[t].tolerance = TOLERANCE;
    }
    one_step_values_free(&in);
    one_step_values_free(&values);
}

static void expect(void *one, result_t *out)
{
    const device_t cpu = device_cpu();

    run(one, &serial_cnn_backend, &(cnn_context_t){.device = &cpu}, out);
}

/* Casts are computed by `serial` alone: the CPU has no other precision. */
static computed_t compute(const void *one, const setting_t *s, result_t *out)
{
    const layer_case_t *c = one;
    layer_program_t p;
    const cnn_context_t context = {.device = &s->device,
                                   .pool = s->pool,
                                   .program = &p.one.program};

    layer_case_program(c, CNN_F32, CNN_STRICT, &p);
    if (c->op == CNN_CAST) {
        MUST(!cnn_table.takes(s->row, &context));
        return NO_CASE;
    }
    if (!cnn_table.takes(s->row, &context))
        return REFUSED;
    run(c, (const cnn_backend_t *)s->row, &context, out);
    return COMPUTED;
}

const comparison_kind_t compare_networks = {.name = "cnn",
                                            .table = &cnn_table,
                                            .reference = &serial_cnn_backend.base,
                                            .every_pool = true,
                                            .n_threads = (const int[]){1, 3, -1},
                                            .ways = (const char *const[]){"", NULL},
                                            .expect = expect,
                                            .compute = compute};

/* `serial` takes seconds with sanitizers. */
static bool is_long(const layer_case_t *c)
{
    const int64_t n_values = c->x[0] * c->x[1] * c->x[2] * c->x[3];

    return c->op == CNN_CONVOLUTION && n_values * c->n_out *
                                               c->params.convolution.kernel[0] *
                                               c->params.convolution.kernel[1] >
                                           20000000;
}

void compare_networks_cases(comparison_t *c)
{
    for (int i = 0; i < n_layer_cases; i++) {
        layer_case_t one = layer_cases[i];

        if (comparison_has(c, one.name, is_long(&one)))
            comparison_case(c, one.name, cnn_op_name(one.op), &one);
    }
}
