/*
 * ihist_cuda.cu - the backends of GPUs: frames go to the device from pinned memory, as
 * many as a batch needs at a time, and tiles come back through pinned memory.
 *
 * Batches alternate between two holders, each of which has a stream and the numbers of
 * some frames: one computes while the other copies.  A frame that a holder has is not
 * computed again.
 */
#include "kernels/align/cuda/cuda_buffer.cuh"
#include "kernels/device/cuda_put.cuh"
#include "kernels/ihist/ihist_kernels.cuh"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace
{

enum { HOLDERS = 2, FRAMES_MAX = 64 };

/* Of images that are pinned, at least: smaller ones share pages with other things. */
constexpr size_t PINNED_BYTES = 1 << 20;

/* Of the numbers that a holder has, if that is one frame at least. */
constexpr int64_t HELD_BYTES = 2ll << 30;

struct holder_t {
    cudaStream_t stream;
    uint8_t *pixels; /* [n_held] frames */
    void *block;     /* what a launch reads and writes */
    ihist_launch_t launch;
    const uint8_t *held; /* the first of its frames; NULL: it has none */
    int64_t n;           /* frames that it has */
};

struct slot_t {
    cuda_pinned_t tiles;
    cudaEvent_t begun, ended; /* of the kernels */
    cudaEvent_t done;
    bool is_timed; /* there were kernels */
};

struct state_t {
    ihist_shape_t shape;
    int device;
    ihist_method_t *method;
    int64_t n_held;        /* frames of a holder */
    const uint8_t *frames; /* of batches */
    void *pinned;          /* the same memory, or NULL */
    uint32_t *in_turn;
    size_t zero_bytes; /* tickets and flags, at the begin of a block */
    holder_t holders[HOLDERS];
    slot_t slots[IHIST_SLOTS];
};

int64_t frame_bytes(const ihist_shape_t &s)
{
    return ihist_n_tiles(&s) * ihist_tile_values(&s) *
           static_cast<int64_t>(sizeof(int32_t));
}

int64_t held_frames(const ihist_shape_t &s)
{
    return std::min<int64_t>(std::max<int64_t>(HELD_BYTES / frame_bytes(s), 1),
                             FRAMES_MAX);
}

/* The arrays of a launch of n frames. @return bytes of those that begin as zeros */
size_t add_arrays(const ihist_shape_t &s, int64_t n_frames, ihist_launch_t *a,
                  cuda_scratch_t *out)
{
    const ihist_grid_t g = ihist_grid(s);
    const int64_t side = g.side, n = n_frames * g.n_groups * g.across * g.down;
    size_t zero_bytes;

    cuda_scratch_add(out, &a->messages.next, 1);
    cuda_scratch_add(out, &a->messages.row_flag, n);
    cuda_scratch_add(out, &a->messages.column_flag, n);
    zero_bytes = out->bytes;
    cuda_scratch_add(out, &a->messages.row_counts, n * side * IHIST_GROUP_WORDS);
    cuda_scratch_add(out, &a->messages.row_sums, n * side * IHIST_GROUP_BINS);
    cuda_scratch_add(out, &a->messages.column_counts, n * side * IHIST_GROUP_BINS);
    cuda_scratch_add(out, &a->left, n_frames * g.down * side * s.n_bins);
    cuda_scratch_add(out, &a->out,
                     n_frames * frame_bytes(s) / static_cast<int64_t>(sizeof(int32_t)));
    return zero_bytes;
}

/* @return bytes of a device that a state takes */
double device_bytes(const ihist_shape_t &s)
{
    ihist_launch_t launch = {};
    cuda_scratch_t arrays = {};
    const int64_t n = held_frames(s);

    add_arrays(s, n, &launch, &arrays);
    return HOLDERS * (static_cast<double>(arrays.bytes) +
                      static_cast<double>(n * s.height * s.width));
}

bool takes(const ihist_context_t *context)
{
    return !context->shape.is_wide &&
           device_bytes(context->shape) <
               static_cast<double>(context->device->memory_bytes);
}

/* ---- the state ---- */

void destroy(void *state)
{
    state_t *s = static_cast<state_t *>(state);

    if (s == nullptr)
        return;
    cudaSetDevice(s->device);
    for (holder_t &h : s->holders) {
        if (h.stream != nullptr) {
            cudaStreamSynchronize(h.stream);
            cudaStreamDestroy(h.stream);
        }
        cudaFree(h.pixels);
        cudaFree(h.block);
    }
    for (slot_t &slot : s->slots) {
        for (cudaEvent_t event : {slot.begun, slot.ended, slot.done})
            if (event != nullptr)
                cudaEventDestroy(event);
        cuda_pinned_free(&slot.tiles);
    }
    if (s->pinned != nullptr)
        cudaHostUnregister(s->pinned);
    cudaFree(s->in_turn);
    free(s);
}

/* Pin the images.  Where that is not allowed, the driver stages them. */
void pin(state_t *s, const ihist_frames_t &frames)
{
    const size_t bytes = static_cast<size_t>(frames.n * s->shape.height * s->shape.width);
    void *memory = const_cast<uint8_t *>(frames.pixels);

    s->frames = frames.pixels;
    if (bytes >= PINNED_BYTES &&
        cudaHostRegister(memory, bytes, cudaHostRegisterDefault) == cudaSuccess)
        s->pinned = memory;
    cudaGetLastError();
}

/* List the tiles of a frame by anti-diagonals. */
status_t put_turns(state_t *s)
{
    const ihist_grid_t g = ihist_grid(s->shape);
    const size_t n = static_cast<size_t>(g.across) * static_cast<size_t>(g.down);
    uint32_t *turns = static_cast<uint32_t *>(malloc(n * sizeof(*turns)));
    status_t st = turns != nullptr ? ST_OK : log_nomem("an integral histogram");
    size_t k = 0;

    for (int d = 0; st == ST_OK && d < g.across + g.down - 1; d++)
        for (int y = std::max(0, d - g.across + 1); y < std::min(d + 1, g.down); y++)
            turns[k++] = static_cast<uint32_t>(y << 16 | (d - y));
    if (st == ST_OK)
        st = cuda_put_new(&s->in_turn, turns, n);
    free(turns);
    return st;
}

status_t open_holder(state_t *s, holder_t *h)
{
    const size_t pixels =
        static_cast<size_t>(s->n_held * s->shape.height * s->shape.width);
    cuda_scratch_t arrays = {};
    status_t st = CUDA_TRY(cudaStreamCreateWithFlags(&h->stream, cudaStreamNonBlocking));

    s->zero_bytes = add_arrays(s->shape, s->n_held, &h->launch, &arrays);
    if (st == ST_OK)
        st = CUDA_TRY(cudaMalloc(&h->pixels, pixels));
    if (st == ST_OK)
        st = CUDA_TRY(cudaMalloc(&h->block, arrays.bytes));
    if (st != ST_OK)
        return st;
    cuda_scratch_place(&arrays, h->block);
    h->launch.shape = s->shape;
    h->launch.grid = ihist_grid(s->shape);
    h->launch.pixels = h->pixels;
    h->launch.messages.in_turn = s->in_turn;
    return ST_OK;
}

status_t open_slot(slot_t *slot)
{
    status_t st = CUDA_TRY(cudaEventCreate(&slot->begun));

    if (st == ST_OK)
        st = CUDA_TRY(cudaEventCreate(&slot->ended));
    if (st == ST_OK)
        st = CUDA_TRY(cudaEventCreateWithFlags(&slot->done, cudaEventDisableTiming));
    return st;
}

status_t open_all(const ihist_context_t *context, state_t *s)
{
    size_t n_free = 0, n_all;
    status_t st = CUDA_TRY(cudaSetDevice(s->device));

    if (st == ST_OK)
        st = CUDA_TRY(cudaMemGetInfo(&n_free, &n_all));
    if (st == ST_OK && device_bytes(s->shape) > static_cast<double>(n_free))
        return ST_EDEVICE;
    if (st == ST_OK)
        st = ihist_kernels_prepare();
    if (st == ST_OK)
        st = put_turns(s);
    if (st == ST_OK)
        pin(s, context->frames);
    for (holder_t &h : s->holders) {
        h.launch.n_cores = context->device->n_cores;
        if (st == ST_OK)
            st = open_holder(s, &h);
    }
    for (slot_t &slot : s->slots)
        if (st == ST_OK)
            st = open_slot(&slot);
    return st;
}

status_t create(const ihist_context_t *context, ihist_method_t *method, void **out)
{
    state_t *s = static_cast<state_t *>(calloc(1, sizeof(*s)));
    status_t st;

    if (s == nullptr)
        return log_nomem("an integral histogram");
    s->shape = context->shape;
    s->device = context->device->index;
    s->method = method;
    s->n_held = held_frames(s->shape);
    if ((st = open_all(context, s)) == ST_OK)
        *out = s;
    else
        destroy(s);
    return st;
}

/* ---- batches ---- */

/* Have a holder compute frames. */
status_t hold(const state_t *s, holder_t *h, slot_t *slot, const uint8_t *pixels,
              int64_t n)
{
    const size_t bytes = static_cast<size_t>(n * s->shape.height * s->shape.width);
    status_t st = CUDA_TRY(
        cudaMemcpyAsync(h->pixels, pixels, bytes, cudaMemcpyHostToDevice, h->stream));

    h->held = nullptr;
    if (st == ST_OK)
        st = CUDA_TRY(cudaMemsetAsync(h->block, 0, s->zero_bytes, h->stream));
    if (st == ST_OK && !slot->is_timed)
        st = CUDA_TRY(cudaEventRecord(slot->begun, h->stream));
    h->launch.n_frames = static_cast<int>(n);
    if (st == ST_OK)
        st = s->method(h->launch, h->stream);
    if (st == ST_OK)
        st = CUDA_TRY(cudaEventRecord(slot->ended, h->stream));
    slot->is_timed = true;
    h->n = n;
    if (st == ST_OK)
        h->held = pixels;
    return st;
}

/* @return frames from that of the first run on which the runs need, as far as a holder
 *         has room for them */
int64_t frames_needed(const state_t *s, const ihist_run_t *runs, int n_runs)
{
    int64_t n = 1;

    for (int k = 1; k < n_runs && runs[k].frame >= runs[k - 1].frame &&
                    runs[k].frame - runs[0].frame < s->n_held;
         k++)
        n = runs[k].frame - runs[0].frame + 1;
    return n;
}

/* Begin to copy tiles of a frame that a holder has. */
status_t fetch(const state_t *s, const holder_t *h, const uint8_t *pixels,
               const ihist_run_t &run, char *out)
{
    const int64_t in_frame = s->shape.height * s->shape.width;
    const int64_t tile =
        (pixels - h->held) / in_frame * ihist_n_tiles(&s->shape) + run.first;
    const int64_t values = ihist_tile_values(&s->shape);

    return run.n == 0 ? ST_OK
                      : CUDA_TRY(cudaMemcpyAsync(out, h->launch.out + tile * values,
                                                 static_cast<size_t>(run.n * values) *
                                                     sizeof(int32_t),
                                                 cudaMemcpyDeviceToHost, h->stream));
}

status_t start_frames(state_t *s, int slot, const uint8_t *first, const ihist_run_t *runs,
                      int n_runs)
{
    holder_t *h = &s->holders[slot % HOLDERS];
    slot_t *to = &s->slots[slot];
    const int64_t in_frame = s->shape.height * s->shape.width;
    const size_t tile_bytes =
        static_cast<size_t>(ihist_tile_values(&s->shape)) * sizeof(int32_t);
    size_t at = 0;
    status_t st = CUDA_TRY(cudaSetDevice(s->device));

    for (int k = 0; k < n_runs; k++)
        at += static_cast<size_t>(runs[k].n) * tile_bytes;
    if (st == ST_OK)
        st = cuda_pinned_reserve(&to->tiles, at);
    to->is_timed = false;
    at = 0;
    for (int k = 0; st == ST_OK && k < n_runs; k++) {
        const uint8_t *pixels = first + runs[k].frame * in_frame;

        if (h->held == nullptr || pixels < h->held || pixels >= h->held + h->n * in_frame)
            st = hold(s, h, to, pixels, frames_needed(s, runs + k, n_runs - k));
        if (st == ST_OK)
            st = fetch(s, h, pixels, runs[k], static_cast<char *>(to->tiles.at) + at);
        at += static_cast<size_t>(runs[k].n) * tile_bytes;
    }
    return st == ST_OK ? CUDA_TRY(cudaEventRecord(to->done, h->stream)) : st;
}

status_t start(void *state, int slot, const ihist_run_t *runs, int n_runs)
{
    state_t *s = static_cast<state_t *>(state);

    return start_frames(s, slot, s->frames, runs, n_runs);
}

status_t wait(void *state, int slot, const void **out, double *kernel_s)
{
    state_t *s = static_cast<state_t *>(state);
    slot_t *from = &s->slots[slot];
    status_t st = CUDA_TRY(cudaEventSynchronize(from->done));
    float milliseconds = 0;

    if (st == ST_OK && kernel_s != nullptr && from->is_timed)
        st = CUDA_TRY(cudaEventElapsedTime(&milliseconds, from->begun, from->ended));
    if (st != ST_OK)
        return st;
    if (kernel_s != nullptr)
        *kernel_s = static_cast<double>(milliseconds) / 1000;
    *out = from->tiles.at;
    return ST_OK;
}

status_t run(void *state, const uint8_t *pixels, int64_t first, int64_t n, void *out)
{
    state_t *s = static_cast<state_t *>(state);
    const ihist_run_t what = {0, first, n};
    const void *tiles = nullptr;
    status_t st = start_frames(s, 0, pixels, &what, 1);

    if (st == ST_OK)
        st = wait(state, 0, &tiles, nullptr);
    if (st == ST_OK)
        memcpy(out, tiles,
               static_cast<size_t>(n * ihist_tile_values(&s->shape)) * sizeof(int32_t));
    return st;
}

status_t create_look_back(const ihist_context_t *context, void **out)
{
    return create(context, ihist_look_back, out);
}

status_t create_wf_tiled(const ihist_context_t *context, void **out)
{
    return create(context, ihist_wf_tiled, out);
}

status_t create_cw_tiledhv(const ihist_context_t *context, void **out)
{
    return create(context, ihist_cw_tiledhv, out);
}

} // namespace

extern "C" const ihist_backend_t ihist_look_back_backend = {
    /* .base = */ {"look-back", DEVICE_CUDA, 1e10},
    /* .takes = */ takes,
    /* .create = */ create_look_back,
    /* .run = */ run,
    /* .start = */ start,
    /* .wait = */ wait,
    /* .destroy = */ destroy,
};

extern "C" const ihist_backend_t ihist_wf_tiled_backend = {
    /* .base = */ {"wf-tiled", DEVICE_CUDA, 1e10},
    /* .takes = */ takes,
    /* .create = */ create_wf_tiled,
    /* .run = */ run,
    /* .start = */ start,
    /* .wait = */ wait,
    /* .destroy = */ destroy,
};

extern "C" const ihist_backend_t ihist_cw_tiledhv_backend = {
    /* .base = */ {"cw-tiledhv", DEVICE_CUDA, 1e10},
    /* .takes = */ takes,
    /* .create = */ create_cw_tiledhv,
    /* .run = */ run,
    /* .start = */ start,
    /* .wait = */ wait,
    /* .destroy = */ destroy,
};
