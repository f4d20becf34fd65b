/*
 * plan_arena.c - lifetimes, and offsets by best fit.
 */
#include "cnn/plan/plan_summary.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

bool plan_arena_has(const cnn_tensor_t *t)
{
    return t->role == CNN_ACTIVATION || t->role == CNN_GRADIENT;
}

/* From the first step that uses a tensor, or a part of it, to the last one. */
static void use(cnn_program_t *p, int tensor, int step)
{
    cnn_tensor_t *t = &p->tensors[tensor];

    if (t->part_of > 0)
        use(p, t->part_of - 1, step);
    if (t->first_step < 0)
        t->first_step = step;
    t->last_step = step;
}

/* A tensor that lasts and is fetched was away between its last use before and that. */
static void lives_on(const cnn_program_t *p, int tensor)
{
    cnn_tensor_t *t = &p->tensors[tensor];
    int fetched = p->n_steps;

    while (fetched > 0 && (p->steps[fetched - 1].op != CNN_FETCH ||
                           p->steps[fetched - 1].writes[0] != tensor))
        fetched--;
    if (fetched == 0) {
        t->first_step = 0;
        t->last_step = p->n_steps - 1;
        return;
    }
    t->first_step = --fetched;
    for (int s = 0; s < fetched; s++) {
        const cnn_step_t *step = &p->steps[s];

        for (int i = 0; i < step->n_reads; i++)
            if (step->reads[i] == tensor)
                t->last_step = s;
        for (int i = 0; i < step->n_writes; i++)
            if (step->writes[i] == tensor)
                t->last_step = s;
    }
}

static void find_lifetimes(cnn_program_t *p)
{
    for (int i = 0; i < p->n_tensors; i++)
        p->tensors[i].first_step = p->tensors[i].last_step = -1;
    for (int s = 0; s < p->n_steps; s++) {
        const cnn_step_t *step = &p->steps[s];

        for (int i = 0; i < step->n_reads; i++)
            use(p, step->reads[i], s);
        for (int i = 0; i < step->n_writes; i++)
            use(p, step->writes[i], s);
    }
    for (int i = 0; i < p->n_tensors; i++)
        if (cnn_tensor_lasts(&p->tensors[i]))
            lives_on(p, i);
}

static bool is_whole(const cnn_tensor_t *t)
{
    return cnn_tensor_lasts(t) && t->first_step <= t->last_step;
}

/* A tensor that is to be placed; all that is compared often is here, close together. */
typedef struct {
    cnn_tensor_t *tensor;
    size_t bytes, offset;
    int first, last; /* steps */
} spot_t;

static bool meet(const spot_t *a, const spot_t *b)
{
    return cnn_steps_have(a->first, a->last, b->first) ||
           cnn_steps_have(b->first, b->last, a->first);
}

/* Those that are never away come first, then larger ones; among equals the order of the
 * program. */
static int compare_sizes(const void *a, const void *b)
{
    const spot_t *x = a, *y = b;

    if (is_whole(x->tensor) != is_whole(y->tensor))
        return is_whole(x->tensor) ? -1 : 1;
    return x->bytes != y->bytes && !is_whole(x->tensor)
               ? (x->bytes < y->bytes ? 1 : -1)
               : (x->tensor > y->tensor) - (x->tensor < y->tensor);
}

/* @param placed  [n] in the order of their offsets
 * @return the offset for a tensor */
static size_t best_offset(const spot_t *placed, int n, const spot_t *spot)
{
    size_t end = 0, best = 0, best_gap = SIZE_MAX;

    for (int i = 0; i < n; i++) {
        const spot_t *p = &placed[i];

        if (!meet(p, spot))
            continue;
        if (p->offset >= end + spot->bytes && p->offset - end < best_gap) {
            best_gap = p->offset - end;
            best = end;
        }
        if (p->offset + p->bytes > end)
            end = p->offset + p->bytes;
    }
    return best_gap < SIZE_MAX ? best : end;
}

/* Place the tensors of one memory. @param list  [2 n_tensors] scratch
 * @return the bytes that they take */
static size_t place(const cnn_program_t *p, bool on_host, spot_t *list)
{
    spot_t *placed = list + p->n_tensors;
    size_t all = 0;
    int n = 0;

    for (int i = 0; i < p->n_tensors; i++) {
        cnn_tensor_t *t = &p->tensors[i];

        if (t->on_host == on_host && t->first_step >= 0 && t->part_of == 0)
            list[n++] = (spot_t){t, cnn_tensor_room(t), 0, t->first_step, t->last_step};
    }
    qsort(list, (size_t)n, sizeof(*list), compare_sizes);
    for (int i = 0; i < n; i++) {
        spot_t spot = list[i];
        int at = i;

        spot.tensor->offset = spot.offset = best_offset(placed, i, &spot);
        for (; at > 0 && placed[at - 1].offset > spot.offset; at--)
            placed[at] = placed[at - 1];
        placed[at] = spot;
        if (spot.offset + spot.bytes > all)
            all = spot.offset + spot.bytes;
    }
    return all;
}

/* Parts lie in whole tensors. */
static void place_parts(cnn_program_t *p)
{
    for (int i = 0; i < p->n_tensors; i++) {
        cnn_tensor_t *t = &p->tensors[i];

        if (t->part_of > 0)
            t->offset = p->tensors[t->part_of - 1].offset +
                        (size_t)t->part_first * cnn_type_bytes(t->type);
    }
}

status_t plan_arena_place(cnn_program_t *p)
{
    spot_t *list = malloc((size_t)p->n_tensors * 2 * sizeof(*list) + 1);

    if (list == NULL)
        return log_nomem("the plan of a network");
    find_lifetimes(p);
    p->arena_bytes = place(p, false, list);
    p->swap_bytes = place(p, true, list);
    place_parts(p);
    free(list);
    return ST_OK;
}

size_t plan_arena_live(const cnn_program_t *p, int step)
{
    size_t bytes = 0;

    for (int i = 0; i < p->n_tensors; i++) {
        const cnn_tensor_t *t = &p->tensors[i];

        if (plan_arena_has(t) && !t->on_host && t->part_of == 0 &&
            cnn_tensor_lives(t, step))
            bytes += cnn_tensor_room(t);
    }
    return bytes;
}
