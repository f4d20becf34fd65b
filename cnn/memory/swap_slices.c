/*
 * swap_slices.c - steps that are divided, so that large tensors pass through the arena in
 * slices: updates over elements, gradients of pooling over images.
 *
 * A slice is some rows of every tensor of the step: elements of an update, else images.
 * No sum is over rows, so that the results are the same bytes.
 */
#include "cnn/memory/swap_gaps.h"

/* Slices of one step that are in the arena at once: one is copied while another is
 * computed.  Tensors of at most MIN_SLICES slices are not worth it. */
enum { N_SLICES = 2, MIN_SLICES = 4, ALIGNMENT = 256 };

static bool has(const int *tensors, int n, int tensor)
{
    for (int i = 0; i < n; i++)
        if (tensors[i] == tensor)
            return true;
    return false;
}

static bool is_update(const cnn_step_t *s)
{
    return cnn_op_kind(s->op) == CNN_KIND_UPDATE && s->op != CNN_SUM;
}

void swap_slices_find(swap_gaps_t *g, const swap_opts_t *opts)
{
    size_t bytes = opts->slice_bytes > 0 ? opts->slice_bytes : SWAP_SLICE_BYTES;

    if (bytes < opts->keep_bytes) /* tensors that stay do not pass */
        bytes = opts->keep_bytes;
    g->slice = (int64_t)(bytes / sizeof(float));
}

int64_t swap_slices_row(const swap_gaps_t *g, const cnn_step_t *s, int tensor)
{
    const cnn_tensor_t *t = &g->program->tensors[tensor];

    return is_update(s) ? 1 : cnn_tensor_n(t) / t->size[0];
}

int64_t swap_slices_n_rows(const swap_gaps_t *g, const cnn_step_t *s)
{
    const cnn_tensor_t *t = &g->program->tensors[s->reads[0]];

    return is_update(s) ? cnn_tensor_n(t) : t->size[0];
}

static bool is_aligned(const swap_gaps_t *g, const cnn_step_t *s, int tensor, int64_t n)
{
    const cnn_type_t type = g->program->tensors[tensor].type;

    return (size_t)(n * swap_slices_row(g, s, tensor)) * cnn_type_bytes(type) %
               ALIGNMENT ==
           0;
}

/* @return the least number of rows whose parts of all tensors begin aligned */
static int64_t unit_of(const swap_gaps_t *g, const cnn_step_t *s)
{
    int64_t n = 1;

    for (int i = 0; i < s->n_reads; i++)
        while (!is_aligned(g, s, s->reads[i], n))
            n *= 2;
    for (int i = 0; i < s->n_writes; i++)
        while (!is_aligned(g, s, s->writes[i], n))
            n *= 2;
    return n;
}

/* @return whether a later step before the updates uses what this one reads first: else
 * nothing makes it leave before */
static bool is_used_later(const swap_gaps_t *g, const cnn_step_t *s)
{
    const cnn_program_t *p = g->program;
    const cnn_step_t *end = p->steps + p->n_forward + p->n_backward;

    for (const cnn_step_t *later = s + 1; later < end; later++)
        if (has(later->reads, later->n_reads, s->reads[0]) ||
            has(later->writes, later->n_writes, s->reads[0]))
            return true;
    return false;
}

static bool may_divide(const swap_gaps_t *g, const cnn_step_t *s)
{
    if (is_update(s))
        return g->divide != SWAP_DIVIDE_NOTHING && !s->on_host;
    return g->divide == SWAP_DIVIDE_LAYERS && s->op == CNN_POOL_BACKWARD &&
           g->program->tensors[s->reads[0]].role == CNN_ACTIVATION;
}

int64_t swap_slices_rows(const swap_gaps_t *g, const cnn_step_t *s)
{
    int64_t row, unit, n;

    if (!may_divide(g, s))
        return 0;
    row = swap_slices_row(g, s, s->reads[0]);
    if (swap_slices_n_rows(g, s) * row <= MIN_SLICES * g->slice ||
        (!is_update(s) && !is_used_later(g, s)))
        return 0;
    unit = unit_of(g, s);
    n = g->slice / row / unit * unit;
    n = n > 0 ? n : unit;
    return n < swap_slices_n_rows(g, s) ? n : 0;
}

bool swap_slices_pass(const swap_gaps_t *g, const cnn_step_t *s, int tensor)
{
    if (swap_slices_rows(g, s) == 0)
        return false;
    if (!is_update(s))
        return s->reads[0] == tensor;
    return has(s->writes, s->n_writes, tensor) &&
           (g->divide >= SWAP_DIVIDE_ALL ||
            g->program->tensors[tensor].role == CNN_STATE);
}

bool swap_slices_any(const swap_gaps_t *g, int tensor)
{
    for (int s = g->program->n_forward; s < g->program->n_steps; s++)
        if (swap_slices_pass(g, &g->program->steps[s], tensor))
            return true;
    return false;
}

cnn_tensor_t swap_slices_like(const swap_gaps_t *g, const cnn_step_t *s, int tensor,
                              int64_t first)
{
    const int64_t rows = swap_slices_rows(g, s), left = swap_slices_n_rows(g, s) - first;
    cnn_tensor_t t = g->program->tensors[tensor];

    t.size[0] = left < rows ? left : rows;
    if (is_update(s))
        t.size[1] = t.size[2] = t.size[3] = 1;
    return t;
}

size_t swap_slices_room(const swap_gaps_t *g, const cnn_step_t *s)
{
    size_t bytes = 0;

    for (int i = 0; i < s->n_reads + s->n_writes; i++) {
        const int t = i < s->n_reads ? s->reads[i] : s->writes[i - s->n_reads];

        if (swap_slices_pass(g, s, t)) {
            const cnn_tensor_t slice = swap_slices_like(g, s, t, 0);

            bytes += N_SLICES * cnn_tensor_room(&slice);
        }
    }
    return bytes;
}
