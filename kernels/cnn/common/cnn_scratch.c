/*
 * cnn_scratch.c - lanes, workspaces, staging buffers and tables of a GPU.
 */
#include "kernels/cnn/common/cnn_scratch.h"

/* Steps of fewer flops on average leave parts of a GPU idle. */
static const double small_step_flops = 4e9;

int cnn_scratch_lanes(const cnn_program_t *p)
{
    double flops = 0;
    int n = 0;

    if (p->n_lanes > 0)
        return p->n_lanes;
    for (int s = 0; s < p->n_steps; s++) {
        if (p->steps[s].on_host)
            continue;
        flops += p->steps[s].flops;
        n += cnn_op_kind(p->steps[s].op) != CNN_KIND_COPY;
    }
    return flops < small_step_flops * n ? CNN_SCRATCH_MAX_LANES : 1;
}

/* Strict algorithms of gradients take some 64 MiB. */
size_t cnn_scratch_workspace(cnn_math_t math, size_t memory_bytes)
{
    const size_t min = (size_t)1 << 24, strict = (size_t)1 << 26, max = (size_t)1 << 32;
    const size_t part = memory_bytes / (math == CNN_TF32 ? 64 : 16);
    const size_t share = part > strict && math != CNN_TF32
                             ? (part / 2 > strict ? part / 2 : strict)
                             : part;

    return share < min ? min : share > max ? max : share;
}

/* @return the least offset of a tensor that lives at a step and ends behind `at`, or the
 * end of the arena @param end  out: the end of that tensor */
static size_t next_taken(const cnn_program_t *p, int step, size_t at, size_t *end)
{
    size_t first = p->arena_bytes;

    *end = p->arena_bytes;
    for (int i = 0; i < p->n_tensors; i++) {
        const cnn_tensor_t *t = &p->tensors[i];

        if (!t->on_host && t->part_of == 0 && t->first_step >= 0 && t->offset < first &&
            t->offset + cnn_tensor_room(t) > at && cnn_tensor_lives(t, step)) {
            first = t->offset;
            *end = t->offset + cnn_tensor_room(t);
        }
    }
    return first;
}

size_t cnn_scratch_idle(const cnn_program_t *p, int step, size_t *offset)
{
    size_t most = 0;

    for (size_t at = 0, end; at < p->arena_bytes; at = end) {
        const size_t taken = next_taken(p, step, at, &end);

        if (taken > at && taken - at > most) {
            most = taken - at;
            *offset = at;
        }
    }
    return most;
}

size_t cnn_scratch_staging(const cnn_tensor_t *t)
{
    const size_t bytes = cnn_tensor_bytes(t);
    const size_t most = t->role == CNN_INPUT && bytes / 4 > CNN_SCRATCH_PIECE
                            ? bytes / 4
                            : CNN_SCRATCH_PIECE;

    return bytes < most ? bytes : most;
}

/* @return of the tables of updates and casts, about */
static size_t table_bytes(const cnn_program_t *p)
{
    enum { ENTRY = 128, PIECE = 8192 };
    size_t bytes = ENTRY;

    for (int s = 0; s < p->n_steps; s++)
        if (!p->steps[s].on_host && (cnn_op_kind(p->steps[s].op) == CNN_KIND_UPDATE ||
                                     p->steps[s].op == CNN_CAST))
            bytes +=
                (size_t)(cnn_tensor_n(&p->tensors[p->steps[s].writes[0]]) / PIECE + 1) *
                ENTRY;
    return bytes;
}

size_t cnn_scratch_bytes(const cnn_program_t *p, size_t memory_bytes)
{
    const size_t lanes = (size_t)cnn_scratch_lanes(p);
    size_t images = 0, others = 0;

    for (int t = 0; t < p->n_tensors; t++) {
        const size_t bytes = cnn_scratch_staging(&p->tensors[t]);
        size_t *most = p->tensors[t].role == CNN_INPUT ? &images : &others;

        if (cnn_tensor_lasts(&p->tensors[t]) && !p->tensors[t].on_host && bytes > *most)
            *most = bytes;
    }
    return lanes * cnn_scratch_workspace(p->math, memory_bytes) + images + others +
           table_bytes(p);
}
