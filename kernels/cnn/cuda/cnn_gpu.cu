/*
 * cnn_gpu.cu - tensors of a network on a GPU: allocation, copies, lanes.
 */
#include "kernels/cnn/cuda/cnn_gpu.cuh"

#include "kernels/device/cuda_host.cuh"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace
{

constexpr size_t ALIGNMENT = 256;
constexpr size_t MIN_WORKSPACE = size_t(1) << 24, MAX_WORKSPACE = size_t(1) << 32;
/* Kernels and libraries count the elements of a tensor in 32 bits. */
constexpr int64_t MAX_ELEMENTS = INT32_MAX;

/* @return the tensor of weights of a fully connected step, and its image; or -1 */
int weights_of(const cnn_step_t *s, int *image)
{
    switch (s->op) {
    case CNN_LINEAR:
        *image = s->reads[0];
        return s->reads[1];
    case CNN_LINEAR_BACKWARD_DATA:
        *image = s->writes[0];
        return s->reads[1];
    case CNN_LINEAR_BACKWARD_WEIGHTS:
        *image = s->reads[0];
        return s->writes[0];
    default:
        return -1;
    }
}

/* Give all tensors of a step that are alike, or those that they are parts of, the shape
 * of one that is known, but for the number of rows.  @return whether that changed any */
bool share_shape(cnn_gpu_t *g, const cnn_step_t *s, bool *is_known)
{
    int tensors[CNN_MAX_READS + CNN_MAX_WRITES], n = 0, known = -1;
    bool changes = false;

    if (s->op != CNN_CAST && s->op != CNN_SGD && s->op != CNN_ADAM &&
        s->op != CNN_FETCH && s->op != CNN_EVICT)
        return false;
    tensors[n++] = cnn_program_whole(g->program, s->reads[0]);
    for (int w = 0; w < s->n_writes; w++)
        tensors[n++] = cnn_program_whole(g->program, s->writes[w]);
    for (int i = 0; i < n; i++)
        if (is_known[tensors[i]])
            known = tensors[i];
    for (int i = 0; known >= 0 && i < n; i++) {
        if (is_known[tensors[i]])
            continue;
        memcpy(&g->shape[tensors[i]][1], &g->shape[known][1], 3 * sizeof(int64_t));
        is_known[tensors[i]] = changes = true;
    }
    return changes;
}

/* Weights of fully connected layers have the shape of what they read, one per output;
 * gradients, states and copies have the shape of their parameter. */
status_t set_shapes(cnn_gpu_t *g)
{
    const cnn_program_t *p = g->program;
    bool *is_known = static_cast<bool *>(calloc(p->n_tensors + 1, sizeof(bool)));
    bool changes = true;

    if (is_known == nullptr)
        return log_nomem("a neural network");
    for (int t = 0; t < p->n_tensors; t++)
        memcpy(g->shape[t], p->tensors[t].size, sizeof(g->shape[t]));
    for (int k = 0; k < p->n_steps; k++) {
        int image = -1;
        const int weights = weights_of(&p->steps[k], &image);

        if (weights < 0)
            continue;
        memcpy(&g->shape[weights][1], &p->tensors[image].size[1], 3 * sizeof(int64_t));
        is_known[weights] = true;
    }
    while (changes) {
        changes = false;
        for (int k = 0; k < p->n_steps; k++)
            changes = share_shape(g, &p->steps[k], is_known) || changes;
    }
    free(is_known);
    return ST_OK;
}

/* Offsets are the program's. */
status_t allocate(cnn_gpu_t *g)
{
    const cnn_program_t *p = g->program;
    status_t st = CUDA_TRY(cudaMalloc(&g->arena, p->arena_bytes + ALIGNMENT));

    if (st == ST_OK)
        st = CUDA_TRY(cudaMalloc(&g->iteration, sizeof(*g->iteration)));
    if (st == ST_OK && p->swap_bytes > 0)
        st = cuda_host_alloc(g->context.pool, &g->swap, p->swap_bytes);
    for (int t = 0; t < p->n_tensors; t++)
        g->at[t] = (p->tensors[t].on_host ? g->swap : g->arena) + p->tensors[t].offset;
    return st == ST_OK ? cnn_gpu_open_beside(g) : st;
}

status_t open_lane(cnn_gpu_t *g, cnn_lane_t *lane)
{
    const status_t st =
        CUDA_TRY(cudaStreamCreateWithFlags(&lane->stream, cudaStreamNonBlocking));

    return st == ST_OK ? g->kind->open_lane(g, lane) : st;
}

/* Choose algorithms with a large workspace, then keep what they need. */
status_t prepare(cnn_gpu_t *g)
{
    cnn_lane_t *lane = &g->lanes[0];
    size_t free_bytes, bytes;
    status_t st;

    if ((st = CUDA_TRY(cudaMemGetInfo(&free_bytes, &bytes))) != ST_OK)
        return st;
    g->workspace_limit = g->context.workspace_bytes;
    if (g->workspace_limit == 0)
        g->workspace_limit =
            g->context.memory_bytes != 0
                ? cnn_scratch_workspace(g->program->math, g->context.memory_bytes)
                : std::max(MIN_WORKSPACE, std::min(MAX_WORKSPACE, bytes / 16));
    while (cudaMalloc(&lane->workspace, g->workspace_limit) != cudaSuccess &&
           g->workspace_limit > MIN_WORKSPACE) {
        cudaGetLastError(); /* a smaller one will do */
        g->workspace_limit /= 2;
    }
    if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK ||
        (st = cnn_gpu_prepare(g)) != ST_OK || (st = g->kind->prepare(g)) != ST_OK ||
        (st = cnn_gpu_wait(g)) != ST_OK ||
        (st = CUDA_TRY(cudaFree(lane->workspace))) != ST_OK)
        return st;
    lane->workspace = nullptr;
    return ST_OK;
}

status_t open_lanes(cnn_gpu_t *g)
{
    status_t st = CUDA_TRY(cudaEventCreateWithFlags(&g->forked, cudaEventDisableTiming));

    g->n_lanes = cnn_scratch_lanes(g->program);
    for (int k = 1; st == ST_OK && k < g->n_lanes; k++)
        st = open_lane(g, &g->lanes[k]);
    for (int k = 0; st == ST_OK && g->swap != nullptr && k < CNN_GPU_COPY_LANES; k++)
        st = CUDA_TRY(cudaStreamCreateWithFlags(&g->lanes[CNN_GPU_MAX_LANES + k].stream,
                                                cudaStreamNonBlocking));
    for (int k = 0; st == ST_OK && k < g->n_lanes; k++)
        st = CUDA_TRY(cudaMalloc(&g->lanes[k].workspace, g->workspace_bytes + ALIGNMENT));
    for (int k = 0; st == ST_OK && k < g->program->n_steps; k++)
        st = CUDA_TRY(cudaEventCreateWithFlags(&g->done[k], cudaEventDisableTiming));
    return st;
}

/* On the stream of steps: nothing else on the device is waited for, on which other
 * threads may capture graphs. */
status_t clear(cnn_gpu_t *g)
{
    const status_t st = CUDA_TRY(
        cudaMemsetAsync(g->arena, 0, g->program->arena_bytes, g->lanes[0].stream));

    if (g->swap != nullptr)
        memset(g->swap, 0, g->program->swap_bytes);
    return st == ST_OK ? cnn_gpu_wait(g) : st;
}

status_t create_state(cnn_gpu_t *g)
{
    const cnn_program_t *p = g->program;
    status_t st = CUDA_TRY(cudaSetDevice(g->context.device->index));

    g->at = static_cast<void **>(calloc(p->n_tensors + 1, sizeof(*g->at)));
    g->shape = static_cast<int64_t(*)[4]>(calloc(p->n_tensors + 1, sizeof(*g->shape)));
    g->done = static_cast<cudaEvent_t *>(calloc(p->n_steps + 1, sizeof(*g->done)));
    g->first_piece = static_cast<int *>(calloc(p->n_steps + 1, sizeof(int)));
    g->rooms = static_cast<cnn_room_t *>(calloc(p->n_steps + 1, sizeof(*g->rooms)));
    g->graphs =
        static_cast<cnn_gpu_graph_t *>(calloc(p->n_steps + 1, sizeof(*g->graphs)));
    if (g->at == nullptr || g->shape == nullptr || g->done == nullptr ||
        g->first_piece == nullptr || g->rooms == nullptr || g->graphs == nullptr)
        return log_nomem("a neural network");
    g->channels_last = g->kind->channels_last(p);
    if (st != ST_OK || (st = set_shapes(g)) != ST_OK || (st = allocate(g)) != ST_OK ||
        (st = CUDA_TRY(cudaStreamCreateWithFlags(&g->upload, cudaStreamNonBlocking))) !=
            ST_OK ||
        (st = open_lane(g, &g->lanes[0])) != ST_OK || (st = prepare(g)) != ST_OK ||
        (st = open_lanes(g)) != ST_OK)
        return st;
    for (cnn_staging_t &s : g->staging)
        if ((st = CUDA_TRY(cudaEventCreateWithFlags(&s.used, cudaEventDisableTiming))) !=
            ST_OK)
            return st;
    if ((st = clear(g)) != ST_OK || (st = cnn_gpu_load(g)) != ST_OK ||
        (st = cnn_gpu_wait(g)) != ST_OK)
        return st;
    return clear(g);
}

/* Not for the device, on which other threads may capture graphs */
void wait_for_streams(const cnn_gpu_t *g)
{
    for (const cnn_lane_t &lane : g->lanes)
        if (lane.stream != nullptr)
            cudaStreamSynchronize(lane.stream);
    if (g->upload != nullptr)
        cudaStreamSynchronize(g->upload);
    if (g->side.stream != nullptr)
        cudaStreamSynchronize(g->side.stream);
}

/* The staging buffer of a tensor, when no copy uses it any more. */
status_t next_staging(cnn_gpu_t *g, int tensor, size_t bytes, cnn_staging_t **out)
{
    cnn_staging_t *s = &g->staging[cnn_gpu_tensor(g, tensor)->role != CNN_INPUT];
    status_t st = CUDA_TRY(cudaEventSynchronize(s->used));

    if (st == ST_OK && s->bytes < bytes) {
        cudaFree(s->at);
        s->at = nullptr;
        s->bytes = 0;
        if ((st = CUDA_TRY(cudaMalloc(&s->at, bytes))) == ST_OK)
            s->bytes = bytes;
    }
    *out = s;
    return st;
}

/* Copy to a staging buffer, beside the steps; what follows on the lane waits for them. */
status_t upload(cnn_gpu_t *g, int tensor, const void *from, size_t bytes,
                cnn_staging_t **out)
{
    status_t st = next_staging(g, tensor, bytes, out);

    if (st != ST_OK ||
        (st = CUDA_TRY(cudaMemcpyAsync((*out)->at, from, bytes, cudaMemcpyHostToDevice,
                                       g->upload))) != ST_OK)
        return st;
    return CUDA_TRY(cudaStreamSynchronize(g->upload));
}

/* Some of the first dimension of a tensor, which pass through a staging buffer at once */
typedef struct {
    int64_t shape[4];
    size_t at, bytes; /* in the tensor */
} piece_t;

/* @return the piece that begins with a row of the first dimension; shape[0] is 0 behind
 * the last one.  Images are one piece where memory is not limited, so that they are
 * copied beside the steps. */
piece_t piece_of(const cnn_gpu_t *g, int tensor, int64_t row)
{
    const cnn_tensor_t *t = cnn_gpu_tensor(g, tensor);
    const size_t bytes = cnn_tensor_bytes(t), row_bytes = bytes / size_t(t->size[0]);
    const bool is_whole = t->role == CNN_INPUT && g->context.memory_bytes == 0;
    const int64_t rows =
        is_whole ? t->size[0]
                 : std::max(int64_t(1), int64_t(cnn_scratch_staging(t) / row_bytes));
    piece_t p = {};

    memcpy(p.shape, g->shape[tensor], sizeof(p.shape));
    p.shape[0] = std::min(rows, t->size[0] - row);
    p.at = size_t(row) * row_bytes;
    p.bytes = size_t(p.shape[0]) * row_bytes;
    return p;
}

/* Between a staging buffer in NCHW order and a piece of the tensor. */
status_t convert(cnn_gpu_t *g, int tensor, const piece_t *p, const void *from, void *to,
                 bool is_write)
{
    cudaStream_t stream = g->lanes[0].stream;

    if (cnn_gpu_is_reordered(g, tensor))
        return cnn_layout_convert(from, to, p->shape,
                                  cnn_type_bytes(cnn_gpu_tensor(g, tensor)->type),
                                  is_write, stream);
    return CUDA_TRY(
        cudaMemcpyAsync(to, from, p->bytes, cudaMemcpyDeviceToDevice, stream));
}

status_t write_piece(cnn_gpu_t *g, int tensor, const piece_t *p, const void *from)
{
    char *to = static_cast<char *>(g->at[tensor]) + p->at;
    cnn_staging_t *s;
    status_t st =
        upload(g, tensor, static_cast<const char *>(from) + p->at, p->bytes, &s);

    if (st != ST_OK || (st = convert(g, tensor, p, s->at, to, true)) != ST_OK)
        return st;
    return CUDA_TRY(cudaEventRecord(s->used, g->lanes[0].stream));
}

status_t read_piece(cnn_gpu_t *g, int tensor, const piece_t *p, void *to)
{
    const void *from = static_cast<char *>(g->at[tensor]) + p->at;
    cnn_staging_t *s;
    status_t st = next_staging(g, tensor, p->bytes, &s);

    if (st != ST_OK || (st = convert(g, tensor, p, from, s->at, false)) != ST_OK)
        return st;
    return cnn_gpu_fetch(g, s->at, static_cast<char *>(to) + p->at, p->bytes);
}

} // namespace

status_t cnn_gpu_create(const cnn_gpu_kind_t *kind, const cnn_context_t *context,
                        void **state)
{
    cnn_gpu_t *g = static_cast<cnn_gpu_t *>(calloc(1, sizeof(*g)));
    status_t st;

    if (g == nullptr)
        return log_nomem("a neural network");
    g->kind = kind;
    g->context = *context;
    g->program = context->program;
    if ((st = create_state(g)) != ST_OK) {
        cnn_gpu_destroy(g);
        return st;
    }
    *state = g;
    return ST_OK;
}

void cnn_gpu_destroy(void *state)
{
    cnn_gpu_t *g = static_cast<cnn_gpu_t *>(state);

    if (g == nullptr)
        return;
    cudaSetDevice(g->context.device->index);
    wait_for_streams(g);
    for (int k = 0; k < g->n_graphs; k++)
        if (g->graphs[k].exec != nullptr)
            cudaGraphExecDestroy(g->graphs[k].exec);
    cnn_gpu_close_side(g);
    cnn_gpu_close_landing(g);
    g->kind->close(g);
    for (cnn_lane_t &lane : g->lanes) {
        g->kind->close_lane(&lane);
        if (lane.stream != nullptr)
            cudaStreamDestroy(lane.stream);
        cudaFree(lane.workspace);
    }
    for (int k = 0; g->done != nullptr && k < g->program->n_steps; k++)
        if (g->done[k] != nullptr)
            cudaEventDestroy(g->done[k]);
    for (cnn_staging_t &s : g->staging) {
        cudaFree(s.at);
        if (s.used != nullptr)
            cudaEventDestroy(s.used);
    }
    if (g->forked != nullptr)
        cudaEventDestroy(g->forked);
    if (g->upload != nullptr)
        cudaStreamDestroy(g->upload);
    cnn_gpu_close_beside(g);
    cudaFree(g->arena);
    cuda_host_free(g->swap);
    cudaFree(g->iteration);
    cudaFree(g->updates);
    free(g->at);
    free(g->shape);
    free(g->done);
    free(g->first_piece);
    free(g->rooms);
    free(g->graphs);
    free(g);
}

status_t cnn_gpu_write(void *state, int tensor, const void *from)
{
    cnn_gpu_t *g = static_cast<cnn_gpu_t *>(state);
    const int64_t n = cnn_gpu_tensor(g, tensor)->size[0];
    status_t st = CUDA_TRY(cudaSetDevice(g->context.device->index));

    if (st == ST_OK && cnn_gpu_tensor(g, tensor)->on_host)
        return cnn_gpu_swap_write(g, tensor, from);
    for (int64_t row = 0; st == ST_OK && row < n;) {
        const piece_t p = piece_of(g, tensor, row);

        st = write_piece(g, tensor, &p, from);
        row += p.shape[0];
    }
    return st;
}

status_t cnn_gpu_write_bytes(void *state, int tensor, const uint8_t *from)
{
    cnn_gpu_t *g = static_cast<cnn_gpu_t *>(state);
    const size_t n = size_t(cnn_tensor_n(cnn_gpu_tensor(g, tensor)));
    cnn_staging_t *s;
    status_t st = CUDA_TRY(cudaSetDevice(g->context.device->index));

    if (st != ST_OK || (st = upload(g, tensor, from, n, &s)) != ST_OK ||
        (st = cnn_layout_from_bytes(static_cast<const uint8_t *>(s->at),
                                    static_cast<float *>(g->at[tensor]), g->shape[tensor],
                                    g->channels_last, g->lanes[0].stream)) != ST_OK)
        return st;
    return CUDA_TRY(cudaEventRecord(s->used, g->lanes[0].stream));
}

status_t cnn_gpu_read(void *state, int tensor, void *to)
{
    cnn_gpu_t *g = static_cast<cnn_gpu_t *>(state);
    const cnn_tensor_t *t = cnn_gpu_tensor(g, tensor);
    status_t st = CUDA_TRY(cudaSetDevice(g->context.device->index));

    if (st == ST_OK && t->on_host)
        return cnn_gpu_swap_read(g, tensor, to);
    if (st == ST_OK && !cnn_gpu_is_reordered(g, tensor))
        return cnn_gpu_fetch(g, g->at[tensor], to, cnn_tensor_bytes(t));
    for (int64_t row = 0; st == ST_OK && row < t->size[0];) {
        const piece_t p = piece_of(g, tensor, row);

        st = read_piece(g, tensor, &p, to);
        row += p.shape[0];
    }
    return st;
}

status_t cnn_gpu_wait(void *state)
{
    cnn_gpu_t *g = static_cast<cnn_gpu_t *>(state);
    const status_t st = CUDA_TRY(cudaSetDevice(g->context.device->index));

    return st == ST_OK ? CUDA_TRY(cudaStreamSynchronize(g->lanes[0].stream)) : st;
}

int cnn_gpu_first(const cnn_gpu_t *g, int step)
{
    const cnn_step_t *s = cnn_gpu_step(g, step);
    const int64_t n = cnn_gpu_tensor(g, s->writes[0])->size[0];

    for (int k = 0; cnn_program_repeats(g->program, step) && k < g->program->n_forward;
         k++) {
        const cnn_step_t *first = cnn_gpu_step(g, k);

        if (first->op == s->op && first->layer == s->layer &&
            cnn_gpu_tensor(g, first->writes[0])->size[0] == n)
            return k;
    }
    return step;
}

cnn_room_t cnn_gpu_room(const cnn_gpu_t *g, int step)
{
    size_t offset = 0, bytes = 0, other;

    if (cnn_gpu_is_limited(g))
        bytes = cnn_scratch_idle(g->program, step, &offset);
    for (int k = g->program->n_forward; bytes > 0 && k < g->program->n_steps; k++)
        if (k != step && cnn_gpu_first(g, k) == step)
            bytes = std::min(bytes, cnn_scratch_idle(g->program, k, &other));
    if (bytes > g->workspace_limit)
        return {g->arena + offset, bytes};
    return {static_cast<char *>(g->lanes[0].workspace), g->workspace_limit};
}

/* What else a step launches has the same workspace. */
void cnn_gpu_needs_at(cnn_gpu_t *g, int step, size_t bytes)
{
    const cnn_room_t room = cnn_gpu_room(g, step);
    const size_t all = std::max(bytes, g->workspace_bytes);

    if (bytes <= g->workspace_limit || all > room.bytes)
        cnn_gpu_needs(g, bytes);
    else if (all > g->rooms[step].bytes)
        g->rooms[step] = {room.at, all};
}

status_t cnn_gpu_choices(void *state, buf_t *out)
{
    const cnn_gpu_t *g = static_cast<const cnn_gpu_t *>(state);

    return g->kind->choices(g, out);
}

size_t cnn_gpu_scratch(const cnn_context_t *context, int n_threads)
{
    (void)n_threads;
    return cnn_scratch_bytes(context->program, context->memory_bytes);
}

bool cnn_gpu_takes(const cnn_context_t *context)
{
    const cnn_program_t *p = context->program;

    for (int t = 0; t < p->n_tensors; t++)
        if (p->tensors[t].type == CNN_F64 || cnn_tensor_n(&p->tensors[t]) > MAX_ELEMENTS)
            return false;
    return cnn_gpu_takes_beside(context);
}
