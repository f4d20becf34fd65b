/*
 * plan_arena.c - lifetimes, and offsets by best fit.
 */
#include "cnn/plan/plan_summary.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 256 };

bool plan_arena_has(const cnn_tensor_t *t)
{
    return t->role == CNN_ACTIVATION || t->role == CNN_GRADIENT;
}

static size_t aligned_bytes(const cnn_tensor_t *t)
{
    return (cnn_tensor_bytes(t) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void find_lifetimes(cnn_program_t *p)
{
    for (int i = 0; i < p->n_tensors; i++)
        p->tensors[i].first_step = p->tensors[i].last_step = -1;
    for (int s = 0; s < p->n_steps; s++) {
        const cnn_step_t *step = &p->steps[s];

        for (int i = 0; i < step->n_reads; i++)
            p->tensors[step->reads[i]].last_step = s;
        for (int i = 0; i < step->n_writes; i++) {
            cnn_tensor_t *t = &p->tensors[step->writes[i]];

            if (t->first_step < 0)
                t->first_step = s;
            t->last_step = s;
        }
    }
}

/* Larger ones first; among equals the order of the program. */
static int compare_sizes(const void *a, const void *b)
{
    const cnn_tensor_t *x = *(cnn_tensor_t *const *)a, *y = *(cnn_tensor_t *const *)b;
    size_t x_bytes = aligned_bytes(x), y_bytes = aligned_bytes(y);

    return x_bytes != y_bytes ? (x_bytes < y_bytes ? 1 : -1) : (x > y) - (x < y);
}

/* @param placed  [n] in the order of their offsets
 * @return the offset for a tensor */
static size_t best_offset(cnn_tensor_t *const *placed, int n, const cnn_tensor_t *t)
{
    size_t bytes = aligned_bytes(t), end = 0, best = 0, best_gap = SIZE_MAX;

    for (int i = 0; i < n; i++) {
        const cnn_tensor_t *p = placed[i];

        if (p->first_step > t->last_step || t->first_step > p->last_step)
            continue;
        if (p->offset >= end + bytes && p->offset - end < best_gap) {
            best_gap = p->offset - end;
            best = end;
        }
        if (p->offset + aligned_bytes(p) > end)
            end = p->offset + aligned_bytes(p);
    }
    return best_gap < SIZE_MAX ? best : end;
}

status_t plan_arena_place(cnn_program_t *p)
{
    cnn_tensor_t **list = malloc((size_t)p->n_tensors * 2 * sizeof(cnn_tensor_t *) + 1);
    cnn_tensor_t **placed = list + p->n_tensors;
    int n = 0;

    if (list == NULL)
        return log_nomem("the plan of a network");
    find_lifetimes(p);
    p->arena_bytes = 0;
    for (int i = 0; i < p->n_tensors; i++)
        if (plan_arena_has(&p->tensors[i]))
            list[n++] = &p->tensors[i];
    qsort(list, (size_t)n, sizeof(*list), compare_sizes);
    for (int i = 0; i < n; i++) {
        cnn_tensor_t *t = list[i];
        int at = i;

        t->offset = best_offset(placed, i, t);
        for (; at > 0 && placed[at - 1]->offset > t->offset; at--)
            placed[at] = placed[at - 1];
        placed[at] = t;
        if (t->offset + aligned_bytes(t) > p->arena_bytes)
            p->arena_bytes = t->offset + aligned_bytes(t);
    }
    free(list);
    return ST_OK;
}

size_t plan_arena_live(const cnn_program_t *p, int step)
{
    size_t bytes = 0;

    for (int i = 0; i < p->n_tensors; i++) {
        const cnn_tensor_t *t = &p->tensors[i];

        if (plan_arena_has(t) && t->first_step <= step && step <= t->last_step)
            bytes += aligned_bytes(t);
    }
    return bytes;
}
