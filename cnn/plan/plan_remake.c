/*
 * plan_remake.c - lists of tensors and steps, and the program that they become.
 */
#include "cnn/plan/plan_remake.h"

#include "cnn/plan/plan_builder.h"
#include "cnn/plan/plan_summary.h"
#include "io/base/logmsg.h"
#include "kernels/cnn/common/cnn_scratch.h"

#include <stdlib.h>
#include <string.h>

int plan_remake_tensor(plan_remake_t *r, const cnn_tensor_t *tensor)
{
    if (r->st == ST_OK)
        r->st = buf_append(&r->tensors, tensor, sizeof(*tensor));
    return r->n_tensors++;
}

void plan_remake_step(plan_remake_t *r, const cnn_step_t *step)
{
    if (r->st == ST_OK)
        r->st = buf_append(&r->steps, step, sizeof(*step));
    r->n_steps++;
}

void plan_remake_copy(plan_remake_t *r, cnn_op_t op, int layer, int read, int write)
{
    const cnn_step_t step = {.op = op,
                             .layer = layer,
                             .n_reads = 1,
                             .n_writes = 1,
                             .reads = {read},
                             .writes = {write}};

    plan_remake_step(r, &step);
}

/* Copy the names of the layers into one allocation, after the pointers to them. */
static status_t copy_layers(const cnn_program_t *from, cnn_program_t *to)
{
    size_t bytes = (size_t)from->n_layers * sizeof(*to->layers);
    char *text;

    for (int i = 0; i < from->n_layers; i++)
        bytes += strlen(from->layers[i]) + 1;
    if ((to->layers = malloc(bytes)) == NULL)
        return log_nomem("the plan of a network");
    text = (char *)(to->layers + from->n_layers);
    for (int i = 0; i < from->n_layers; i++) {
        to->layers[i] = text;
        text = stpcpy(text, from->layers[i]) + 1;
    }
    to->n_layers = from->n_layers;
    return ST_OK;
}

static void take_lists(plan_remake_t *r, cnn_program_t *p)
{
    p->tensors = (cnn_tensor_t *)(void *)r->tensors.data;
    p->n_tensors = r->n_tensors;
    p->steps = (cnn_step_t *)(void *)r->steps.data;
    p->n_steps = r->n_steps;
    p->n_forward = r->n_forward;
    p->n_backward = r->n_backward;
    p->copies_wait = r->copies_wait;
    p->n_lanes = cnn_scratch_lanes(r->from);
    p->math = r->from->math;
    r->tensors = r->steps = (buf_t){.data = NULL};
}

status_t plan_remake_end(plan_remake_t *r, cnn_program_t **out)
{
    cnn_program_t *p = calloc(1, sizeof(*p));
    status_t st = r->st;

    if (p == NULL) {
        st = log_nomem("the plan of a network");
    } else if (st == ST_OK) {
        take_lists(r, p);
        if ((st = copy_layers(r->from, p)) == ST_OK)
            st = plan_arena_place(p);
        for (int s = 0; st == ST_OK && s < p->n_steps; s++)
            plan_cost_fill(p, &p->steps[s]);
    }
    buf_free(&r->tensors);
    buf_free(&r->steps);
    if (st == ST_OK)
        *out = p;
    else
        cnn_program_destroy(p);
    return st;
}
