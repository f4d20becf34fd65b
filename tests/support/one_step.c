/*
 * one_step.c - programs of one or a few steps, and their values as doubles.
 */
#include "tests/support/one_step.h"

#include "kernels/cnn/common/cnn_program.h"

#include <stdio.h>
#include <stdlib.h>

static void *allocate(size_t n, size_t bytes)
{
    void *p = calloc(n + 1, bytes);

    if (p == NULL)
        abort();
    return p;
}

void one_step_begin(one_step_t *o, const char *layer, cnn_math_t math)
{
    *o = (one_step_t){.layer = layer};
    o->program = (cnn_program_t){.tensors = o->tensors,
                                 .steps = o->steps,
                                 .layers = &o->layer,
                                 .n_layers = 1,
                                 .math = math};
}

int one_step_tensor(one_step_t *o, const char *name, cnn_role_t role, cnn_type_t type,
                    const int64_t size[4])
{
    cnn_tensor_t *t = &o->tensors[o->program.n_tensors];

    if (o->program.n_tensors == ONE_STEP_TENSORS)
        abort();
    *t = (cnn_tensor_t){.type = type, .role = role};
    snprintf(t->name, sizeof(t->name), "%s", name);
    for (int i = 0; i < 4; i++)
        t->size[i] = size[i];
    t->last_step = ONE_STEP_STEPS;
    t->offset = o->program.arena_bytes;
    o->program.arena_bytes += cnn_tensor_room(t);
    return o->program.n_tensors++;
}

void one_step_add(one_step_t *o, cnn_op_t op, const cnn_params_t *params,
                  const int *reads, const int *writes)
{
    cnn_step_t *step = &o->steps[o->program.n_steps];

    o->program.n_forward = o->program.n_steps + 1;
    if (o->program.n_steps++ == ONE_STEP_STEPS)
        abort();
    *step = (cnn_step_t){.op = op, .params = *params};
    while (reads[step->n_reads] >= 0) {
        step->reads[step->n_reads] = reads[step->n_reads];
        step->n_reads++;
    }
    while (writes[step->n_writes] >= 0) {
        step->writes[step->n_writes] = writes[step->n_writes];
        step->n_writes++;
    }
}

void one_step_values_create(const one_step_t *o, one_step_values_t *v)
{
    *v = (one_step_values_t){{NULL}};
    for (int i = 0; i < o->program.n_tensors; i++)
        v->of[i] = allocate((size_t)cnn_tensor_n(&o->tensors[i]), sizeof(double));
}

void one_step_values_free(one_step_values_t *v)
{
    for (int i = 0; i < ONE_STEP_TENSORS; i++)
        free(v->of[i]);
}

/* Write all tensors, or read them. */
static status_t transfer(const one_step_t *o, const cnn_backend_t *backend, void *state,
                         bool is_write, const one_step_values_t *v)
{
    status_t st = ST_OK;

    for (int i = 0; st == ST_OK && i < o->program.n_tensors; i++) {
        const cnn_tensor_t *t = &o->tensors[i];
        int64_t n = cnn_tensor_n(t);
        void *bytes = allocate((size_t)n, cnn_type_bytes(t->type));

        if (is_write) {
            cnn_value_store(t->type, n, v->of[i], bytes);
            st = backend->write(state, i, bytes);
        } else if ((st = backend->read(state, i, bytes)) == ST_OK) {
            cnn_value_load(t->type, n, bytes, v->of[i]);
        }
        free(bytes);
    }
    return st;
}

status_t one_step_run(const one_step_t *o, const cnn_backend_t *backend,
                      const cnn_context_t *where, const cnn_iteration_t *it,
                      const one_step_values_t *in, one_step_values_t *out)
{
    cnn_context_t context = *where;
    void *state = NULL;
    status_t st;

    context.program = &o->program;
    st = backend->create(&context, &state);

    if (st == ST_OK)
        st = transfer(o, backend, state, true, in);
    if (st == ST_OK)
        st = backend->run(state, 0, o->program.n_steps, it);
    if (st == ST_OK)
        st = backend->wait(state);
    if (st == ST_OK)
        st = transfer(o, backend, state, false, out);
    backend->destroy(state);
    return st;
}
