/*
 * swap_slices.c - steps that are divided, so that large tensors pass through the arena in
 * slices: updates over elements, steps of layers over images.
 *
 * A slice is some rows of every tensor of the step that has rows: elements of an update,
 * else images.  No sum is over rows, so that the results are the same bytes, but for
 * batch norms of swap_parts.c, whose slices are their parts.
 */
#include "cnn/memory/swap_gaps.h"

#include "kernels/cnn/common/cnn_shape.h"

/* Slices of one step that are in the arena at once: one is copied while another is
 * computed.  Tensors of at most MIN_SLICES slices are not worth it. */
enum { N_SLICES = 2, MIN_SLICES = 4, ALIGNMENT = 256 };

enum { ALL_READS = CNN_MAX_READS };

/* How many of the first tensors that a step reads are images, each of which gives one
 * image of the first tensor that it writes; 0: the step is not divided.  Dropout draws by
 * the number of an element in its tensor. */
static const int n_images_read[CNN_N_OPS] = {
    [CNN_CONVOLUTION] = 1,
    [CNN_CONVOLUTION_BACKWARD_DATA] = 1,
    [CNN_POOL] = ALL_READS,
    [CNN_POOL_BACKWARD] = ALL_READS,
    [CNN_LRN] = ALL_READS,
    [CNN_LRN_BACKWARD] = ALL_READS,
    [CNN_RELU] = ALL_READS,
    [CNN_RELU_BACKWARD] = ALL_READS,
    [CNN_BATCH_NORM_INFERENCE] = 1,
    [CNN_BATCH_NORM_PART] = 1,
    [CNN_BATCH_NORM_WHOLE] = 1,
    [CNN_BATCH_NORM_BACKWARD_PART] = 2,
    [CNN_BATCH_NORM_BACKWARD_WHOLE] = 2,
    [CNN_CONCAT] = ALL_READS,
    [CNN_CONCAT_BACKWARD] = ALL_READS,
    [CNN_ADD] = ALL_READS,
};

bool swap_slices_changes(const cnn_step_t *s)
{
    return cnn_op_kind(s->op) == CNN_KIND_UPDATE && s->op != CNN_SUM;
}

bool swap_slices_has_rows(const cnn_step_t *s, int i)
{
    if (swap_slices_changes(s))
        return true;
    return i < s->n_reads ? i < n_images_read[s->op] : i == s->n_reads;
}

bool swap_slices_may_leave(const swap_gaps_t *g, int tensor)
{
    const cnn_tensor_t *t = &g->program->tensors[tensor];

    return !t->on_host && t->role != CNN_LABELS && t->role != CNN_OUTPUT &&
           cnn_tensor_bytes(t) >= g->keep_bytes;
}

/* @return whether a step uses a tensor before its i-th one */
static bool is_again(const cnn_step_t *s, int i)
{
    for (int k = 0; k < i; k++)
        if (cnn_step_tensor(s, k) == cnn_step_tensor(s, i))
            return true;
    return false;
}

/* @return whether a tensor is what parts of a batch norm write, two rows each */
static bool is_moments(const cnn_step_t *s, int tensor)
{
    return (s->op == CNN_BATCH_NORM_PART || s->op == CNN_BATCH_NORM_BACKWARD_PART) &&
           s->writes[0] == tensor;
}

/* @return of how many parts of a batch norm a step is; 0: of none, or of ranks' */
static int64_t parts_of(const swap_gaps_t *g, const cnn_step_t *s)
{
    const bool is_whole =
        s->op == CNN_BATCH_NORM_WHOLE || s->op == CNN_BATCH_NORM_BACKWARD_WHOLE;

    if (g->gathers || (!is_whole && !is_moments(s, s->writes[0])))
        return 0;
    return g->program->tensors[is_whole ? s->reads[s->n_reads - 1] : s->writes[0]]
               .size[0] /
           2;
}

/* @return bytes of the images of a step of a layer; 0: it is not divided */
static size_t images_of(const swap_gaps_t *g, const cnn_step_t *s)
{
    size_t bytes = 0;

    for (int i = 0; n_images_read[s->op] > 0 && i < s->n_reads + s->n_writes; i++)
        if (swap_slices_has_rows(s, i) && !is_again(s, i))
            bytes += cnn_tensor_room(&g->program->tensors[cnn_step_tensor(s, i)]);
    return bytes;
}

void swap_slices_find(swap_gaps_t *g, const swap_opts_t *opts)
{
    size_t bytes = opts->slice_bytes > 0 ? opts->slice_bytes : SWAP_SLICE_BYTES, most = 0;

    if (bytes < opts->keep_bytes) /* tensors that stay do not pass */
        bytes = opts->keep_bytes;
    g->slice = (int64_t)(bytes / sizeof(float));
    for (int s = 0; s < g->program->n_steps; s++) {
        const size_t images = images_of(g, &g->program->steps[s]);

        g->gathers = g->gathers || g->program->steps[s].op == CNN_GATHER;
        most = images > most ? images : most;
    }
    most >>= g->divide >= SWAP_DIVIDE_LAYERS ? g->divide - SWAP_DIVIDE_LAYERS + 1 : 0;
    g->whole_bytes = most > MIN_SLICES * bytes ? most : MIN_SLICES * bytes;
}

int64_t swap_slices_row(const swap_gaps_t *g, const cnn_step_t *s, int tensor)
{
    const cnn_tensor_t *t = &g->program->tensors[tensor];

    return swap_slices_changes(s) ? 1 : cnn_tensor_n(t) / t->size[0];
}

int64_t swap_slices_n_rows(const swap_gaps_t *g, const cnn_step_t *s)
{
    const cnn_tensor_t *t = &g->program->tensors[s->reads[0]];

    return swap_slices_changes(s) ? cnn_tensor_n(t) : t->size[0];
}

static bool is_aligned(const swap_gaps_t *g, const cnn_step_t *s, int tensor, int64_t n)
{
    const cnn_type_t type = g->program->tensors[tensor].type;

    return (size_t)(n * swap_slices_row(g, s, tensor)) * cnn_type_bytes(type) %
               ALIGNMENT ==
           0;
}

/* @return whether a tensor is images of a step: input, which the program does not write,
 * stays */
static bool passes_in_layer(const swap_gaps_t *g, const cnn_step_t *s, int tensor)
{
    if (cnn_tensor_lasts(&g->program->tensors[tensor]) ||
        !swap_slices_may_leave(g, tensor) || is_moments(s, tensor))
        return false;
    if (g->divide == SWAP_DIVIDE_POOLS && s->op == CNN_POOL_BACKWARD)
        return s->reads[0] == tensor;
    for (int i = 0; i < s->n_reads + s->n_writes; i++)
        if (cnn_step_tensor(s, i) == tensor && swap_slices_has_rows(s, i))
            return true;
    return false;
}

/* @return how many images a kernel computes at once */
static int64_t images_at_once(const swap_gaps_t *g, const cnn_step_t *s)
{
    const cnn_tensor_t *y =
        &g->program->tensors[s->op == CNN_CONVOLUTION_BACKWARD_DATA ? s->reads[0]
                                                                    : s->writes[0]];

    return cnn_op_kind(s->op) == CNN_KIND_CONVOLUTION
               ? cnn_shape_images(y->size[2] * y->size[3])
               : 1;
}

int64_t swap_slices_unit(const swap_gaps_t *g, const cnn_step_t *s, bool passes)
{
    int64_t n = images_at_once(g, s);

    if (!swap_slices_changes(s) && (n_images_read[s->op] == 0 || s->on_host))
        return 0;
    for (int i = 0; i < s->n_reads + s->n_writes; i++)
        while (swap_slices_has_rows(s, i) &&
               (!passes || swap_slices_changes(s) ||
                !passes_in_layer(g, s, cnn_step_tensor(s, i))) &&
               !is_aligned(g, s, cnn_step_tensor(s, i), n))
            n *= 2;
    return n;
}

/* @return the step whose slices a step follows: kernels compute a ReLU together with the
 * step whose output it changes */
static const cnn_step_t *head_of(const swap_gaps_t *g, const cnn_step_t *s)
{
    const bool follows = s->op == CNN_RELU && s > g->program->steps &&
                         s->reads[0] == s->writes[0] && s->reads[0] == s[-1].writes[0];

    return follows ? s - 1 : s;
}

/* @return rows of a slice of an update, if it is divided; of a step of a layer: the
 * slices of all of its images are an eighth of what a step may be that is whole */
static int64_t update_rows(const swap_gaps_t *g, const cnn_step_t *s)
{
    const bool is_tile = g->program->tensors[s->writes[0]].part_of > 0;
    const bool is_divided = g->divide != SWAP_DIVIDE_NOTHING && !s->on_host && !is_tile &&
                            swap_slices_n_rows(g, s) > MIN_SLICES * g->slice;

    return is_divided ? g->slice : 0;
}

/* @return whether a step uses a part of a tensor: it is a slice already */
static bool uses_part(const swap_gaps_t *g, const cnn_step_t *s)
{
    for (int i = 0; i < s->n_reads + s->n_writes; i++)
        if (g->program->tensors[cnn_step_tensor(s, i)].part_of > 0)
            return true;
    return false;
}

static int64_t layer_rows(const swap_gaps_t *g, const cnn_step_t *s)
{
    const size_t slices = g->whole_bytes / 8;
    int64_t n, row;
    size_t images;

    if (g->divide < SWAP_DIVIDE_POOLS || s->on_host || n_images_read[s->op] == 0 ||
        uses_part(g, s) ||
        (cnn_op_kind(s->op) == CNN_KIND_BATCH_NORM && s->op != CNN_BATCH_NORM_INFERENCE))
        return -1;
    n = swap_slices_n_rows(g, s);
    row = swap_slices_row(g, s, s->reads[0]);
    if (g->divide == SWAP_DIVIDE_POOLS)
        return s->op == CNN_POOL_BACKWARD && n * row > MIN_SLICES * g->slice
                   ? g->slice / row
                   : -1;
    images = images_of(g, s);
    return images > g->whole_bytes && n % images_at_once(g, s) == 0
               ? (int64_t)((double)n * (double)slices / (double)images)
               : -1;
}

int64_t swap_slices_rows(const swap_gaps_t *g, const cnn_step_t *step)
{
    const cnn_step_t *s = head_of(g, step);
    const int64_t n_parts = parts_of(g, s);
    int64_t unit, n;

    if (n_parts > 0)
        return swap_slices_n_rows(g, s) / n_parts;
    n = swap_slices_changes(s) ? update_rows(g, s) : layer_rows(g, s);
    if (n < 0 || (n == 0 && swap_slices_changes(s)))
        return 0;
    unit = swap_slices_unit(g, s, true);
    n = n / unit * unit;
    n = n > 0 ? n : unit;
    return n < swap_slices_n_rows(g, s) ? n : 0;
}

bool swap_slices_pass(const swap_gaps_t *g, const cnn_step_t *s, int tensor)
{
    if (swap_slices_rows(g, s) == 0)
        return false;
    if (!swap_slices_changes(s))
        return passes_in_layer(g, s, tensor);
    return cnn_step_writes(s, tensor) && (g->divide >= SWAP_DIVIDE_ALL ||
                                          g->program->tensors[tensor].role == CNN_STATE);
}

bool swap_slices_any(const swap_gaps_t *g, int tensor)
{
    for (int s = g->program->n_forward; s < g->program->n_steps; s++)
        if (swap_slices_pass(g, &g->program->steps[s], tensor))
            return true;
    return false;
}

bool swap_slices_first(const swap_gaps_t *g, int tensor)
{
    if (cnn_tensor_lasts(&g->program->tensors[tensor]))
        return false;
    for (int k = 0; k < g->program->n_steps; k++) {
        const cnn_step_t *s = &g->program->steps[k];

        if (cnn_step_uses(s, tensor))
            return swap_slices_pass(g, s, tensor);
    }
    return false;
}

int64_t swap_slices_element(const swap_gaps_t *g, const cnn_step_t *s, int tensor,
                            int64_t row)
{
    if (is_moments(s, tensor))
        row = 2 * (row / swap_slices_rows(g, s));
    return row * swap_slices_row(g, s, tensor);
}

cnn_tensor_t swap_slices_like(const swap_gaps_t *g, const cnn_step_t *s, int tensor,
                              int64_t first)
{
    const int64_t rows = swap_slices_rows(g, s), left = swap_slices_n_rows(g, s) - first;
    cnn_tensor_t t = g->program->tensors[tensor];

    t.size[0] = is_moments(s, tensor) ? 2 : left < rows ? left : rows;
    if (swap_slices_changes(s))
        t.size[1] = t.size[2] = t.size[3] = 1;
    return t;
}

size_t swap_slices_room(const swap_gaps_t *g, const cnn_step_t *s)
{
    size_t bytes = 0;

    for (int i = 0; i < s->n_reads + s->n_writes; i++) {
        const int t = cnn_step_tensor(s, i);

        if (!is_again(s, i) && swap_slices_pass(g, s, t)) {
            const cnn_tensor_t slice = swap_slices_like(g, s, t, 0);

            bytes += N_SLICES * cnn_tensor_room(&slice);
        }
    }
    return bytes;
}
