/*
 * swap_parts.c - batch norm in parts, where a batch does not fit: the moments of parts of
 * the batch are merged, as those of several ranks are.
 *
 * In the program that is made here a step finds the moments of all parts, and another one
 * normalises with these: of both, swap_emit makes a step per part.  This divides sums, so
 * that results differ by rounding.
 */
#include "cnn/memory/swap_gaps.h"

#include "cnn/plan/plan_remake.h"

#include <stdio.h>

/* What passes in slices at once may take this part of what a step may be that is whole,
 * with two slices at a time.  Moments of a part begin aligned if there are as many
 * channels. */
enum { SLICES_PART = 8, CHANNELS = 32 };

/* @return bytes of the images of a batch norm; 0: of any other step, and of those whose
 * sums cannot be added up */
static double images_of(const cnn_program_t *p, const cnn_step_t *s)
{
    const cnn_tensor_t *x = &p->tensors[s->reads[0]], *scale = &p->tensors[s->reads[1]];

    if (s->op == CNN_BATCH_NORM_BACKWARD)
        scale = &p->tensors[s->reads[2]];
    else if (s->op != CNN_BATCH_NORM)
        return 0;
    if (s->on_host || x->type != scale->type || x->size[1] % CHANNELS != 0)
        return 0;
    return (double)cnn_tensor_bytes(x) * (s->op == CNN_BATCH_NORM ? 2 : 3);
}

/* @return the least number of equal parts of a batch that is not below n */
static int64_t n_parts_of(int64_t n_images, double n)
{
    int64_t parts = 2;

    while (parts < n_images && (n_images % parts != 0 || (double)parts < n))
        parts++;
    return parts;
}

static int add_moments(plan_remake_t *r, const cnn_step_t *s, int64_t n_parts)
{
    const cnn_tensor_t *x = &r->from->tensors[s->reads[0]];
    cnn_tensor_t t = {.size = {2 * n_parts, x->size[1], 1, 1}, .type = CNN_F32};

    t.role = s->op == CNN_BATCH_NORM ? CNN_ACTIVATION : CNN_GRADIENT;
    snprintf(t.name, sizeof(t.name), "%.34s.parts%d", r->from->tensors[s->reads[0]].name,
             r->n_tensors);
    return plan_remake_tensor(r, &t);
}

static void add_forward(plan_remake_t *r, const cnn_step_t *s, int moments)
{
    cnn_step_t part = *s, whole = *s;

    part.op = CNN_BATCH_NORM_PART;
    part.n_reads = part.n_writes = 1;
    part.writes[0] = moments;
    plan_remake_step(r, &part);
    whole.op = CNN_BATCH_NORM_WHOLE;
    whole.reads[whole.n_reads++] = moments;
    plan_remake_step(r, &whole);
}

/* Reads are x, dy, scale, mean and deviation; writes are dx and the two gradients. */
static void add_backward(plan_remake_t *r, const cnn_step_t *s, int moments)
{
    cnn_step_t part = *s, whole = *s;

    part.op = CNN_BATCH_NORM_BACKWARD_PART;
    part.n_reads = 4;
    part.reads[2] = s->reads[3];
    part.reads[3] = s->reads[4];
    part.writes[0] = moments;
    plan_remake_step(r, &part);
    whole.op = CNN_BATCH_NORM_BACKWARD_WHOLE;
    whole.reads[whole.n_reads++] = moments;
    whole.n_writes = 1;
    plan_remake_step(r, &whole);
}

/* @return how many steps there are instead of one */
static int add_step(plan_remake_t *r, const cnn_step_t *s, double whole_bytes)
{
    const double images = images_of(r->from, s);
    int moments;

    if (images <= whole_bytes) {
        plan_remake_step(r, s);
        return 1;
    }
    moments = add_moments(r, s,
                          n_parts_of(r->from->tensors[s->reads[0]].size[0],
                                     images / whole_bytes * SLICES_PART));
    if (s->op == CNN_BATCH_NORM)
        add_forward(r, s, moments);
    else
        add_backward(r, s, moments);
    return 2;
}

status_t swap_parts_make(const cnn_program_t *p, int level, cnn_program_t **out)
{
    plan_remake_t r = {.from = p};
    double most = 0;

    *out = NULL;
    for (int s = 0; s < p->n_steps; s++) {
        const double images = images_of(p, &p->steps[s]);

        most = images > most ? images : most;
    }
    if (most == 0 || p->tensors[p->steps[0].reads[0]].size[0] < 2)
        return ST_OK;
    for (int t = 0; t < p->n_tensors; t++)
        plan_remake_tensor(&r, &p->tensors[t]);
    for (int s = 0; s < p->n_steps; s++) {
        const int n = add_step(&r, &p->steps[s], most / (double)(2 << level));

        r.n_forward += s < p->n_forward ? n : 0;
        r.n_backward += s >= p->n_forward && s < p->n_forward + p->n_backward ? n : 0;
    }
    return plan_remake_end(&r, out);
}
