/*
 * cnn_gpu.cuh - what the GPU backends of neural networks share: tensors on the device,
 * lanes, and the kernels of all operations but convolution and fully connected layers.
 *
 * All tensors are in the program's arena, and in the swap area, which is pinned memory of
 * the host.  With `channels_last` they are stored as NHWC, and weights as out, h, w, in;
 * read and write convert.  A fully connected layer sees its input in the stored order, so
 * that its weights are stored in that order too (`shape` is theirs).
 *
 * A lane is a stream with a workspace of its own; steps of different lanes may run side
 * by side.  Results do not depend on the number of lanes.  Copies from and to the swap
 * area have a lane each, so that they run beside the steps.
 */
#pragma once

#include "kernels/device/cuda_try.cuh"

extern "C" {
#include "kernels/cnn/common/cnn_backend.h"
#include "kernels/cnn/common/cnn_scratch.h"
}

/* Of steps, and behind these the lanes of copies from and to the swap area */
constexpr int CNN_GPU_MAX_LANES = CNN_SCRATCH_MAX_LANES, CNN_GPU_COPY_LANES = 2;

typedef struct cnn_gpu cnn_gpu_t;

typedef struct {
    cudaStream_t stream;
    void *workspace; /* cnn_gpu_t.workspace_bytes */
    void *own;       /* the backend's: handles of libraries */
} cnn_lane_t;

/* Enqueue steps [first, last), which run as one: several only where `joins` said so. */
typedef status_t (*cnn_gpu_launch_t)(cnn_gpu_t *g, int first, int last,
                                     const cnn_lane_t *lane);

typedef struct {
    bool (*channels_last)(const cnn_program_t *program);
    /* Whether step `next` runs with [first, next). NULL: never, beyond cnn_gpu_joins */
    bool (*joins)(const cnn_gpu_t *g, int first, int next);
    cnn_gpu_launch_t launch[CNN_N_OPS]; /* NULL: cnn_gpu_launch */
    status_t (*open_lane)(cnn_gpu_t *g, cnn_lane_t *lane);
    void (*close_lane)(cnn_lane_t *lane);
    /* Prepare all steps: choose algorithms, call cnn_gpu_needs_at.  Lane 0 is open and
     * has a workspace of workspace_limit bytes.  Tensors may be overwritten. */
    status_t (*prepare)(cnn_gpu_t *g);
    status_t (*choices)(const cnn_gpu_t *g, buf_t *out);
    void (*close)(cnn_gpu_t *g); /* free what prepare made; may be called without it */
} cnn_gpu_kind_t;

/* A captured range of steps; exec is NULL after its first run, which is not captured. */
typedef struct {
    int first, last;
    bool is_plain; /* cannot be captured */
    cudaGraphExec_t exec;
} cnn_gpu_graph_t;

typedef struct {
    void *at;
    size_t bytes;
    cudaEvent_t used;
} cnn_staging_t;

/* Workspace of a step in the arena, where no tensor is meanwhile */
typedef struct {
    char *at;
    size_t bytes;
} cnn_room_t;

/* Where pieces of large tensors land on the host; nothing until it is used. */
typedef struct {
    char *at[2];
    cudaEvent_t landed[2];
} cnn_gpu_landing_t;

/* What runs beside the steps; nothing until it is used. */
typedef struct {
    cudaStream_t stream;
    cudaEvent_t forked, joined;
    cudaEvent_t *copied; /* [n_steps] of each read_begin; created on first use */
    void *staging;       /* on the device */
    size_t staging_bytes;
    void *host[CNN_SIDE_HOST_MAX]; /* [n_host] */
    int n_host;
} cnn_gpu_side_t;

struct cnn_gpu {
    const cnn_gpu_kind_t *kind;
    cnn_context_t context;
    const cnn_program_t *program;
    bool channels_last;
    char *arena, *swap;
    void **at;                  /* [n_tensors] */
    int64_t (*shape)[4];        /* [n_tensors] n, c, h, w that the layout converts */
    cnn_iteration_t *iteration; /* on the device */
    cnn_lane_t lanes[CNN_GPU_MAX_LANES + CNN_GPU_COPY_LANES];
    int n_lanes;            /* of steps */
    size_t workspace_limit; /* while algorithms are chosen */
    size_t workspace_bytes; /* of each lane afterwards */
    cnn_room_t *rooms; /* [n_steps] of steps that need more than workspace_limit, within a
                        * limit of memory; 0 bytes: none */
    cudaStream_t upload;
    cnn_staging_t staging[2]; /* of images, and of all else */
    cudaEvent_t *done;        /* [n_steps] */
    cudaEvent_t forked;
    void *updates;           /* cnn_update_cuda.cu: tables on the device */
    int *first_piece;        /* [n_steps + 1] of these tables */
    cnn_gpu_graph_t *graphs; /* [n_steps] of captured ranges, n_graphs of them used */
    int n_graphs;
    cnn_gpu_side_t side;
    cnn_gpu_landing_t landing;
    void *beside; /* of the CPU's backend, for steps on the host; NULL: there are none */
    void *own;    /* the backend's */
};

/* The functions of cnn_backend_t, for all kinds. */
status_t cnn_gpu_create(const cnn_gpu_kind_t *kind, const cnn_context_t *context,
                        void **state);
void cnn_gpu_destroy(void *state);
status_t cnn_gpu_write(void *state, int tensor, const void *from);
status_t cnn_gpu_write_bytes(void *state, int tensor, const uint8_t *from);
status_t cnn_gpu_read(void *state, int tensor, void *to);
status_t cnn_gpu_run(void *state, int first, int last, const cnn_iteration_t *i);
status_t cnn_gpu_wait(void *state);
status_t cnn_gpu_choices(void *state, buf_t *out);
int cnn_gpu_group(void *state, int first, int last);
size_t cnn_gpu_scratch(const cnn_context_t *context, int n_threads);
/* Run all steps once, so that their kernels are loaded.  Tensors are overwritten. */
status_t cnn_gpu_load(cnn_gpu_t *g);
extern const cnn_side_t cnn_gpu_side; /* cnn_gpu_side.cu */
void cnn_gpu_close_side(cnn_gpu_t *g);

/* cnn_gpu_swap.cu: the swap area, and steps that run there, on the CPU. */

/* Prepare steps that are placed on the host, if there are any. */
status_t cnn_gpu_open_beside(cnn_gpu_t *g);
/* Wait for the device, and run steps [first, last), all of which are placed there. */
status_t cnn_gpu_run_beside(cnn_gpu_t *g, int first, int last, const cnn_iteration_t *i);
bool cnn_gpu_takes_beside(const cnn_context_t *context);
void cnn_gpu_close_beside(cnn_gpu_t *g);

/* Enqueue a copy from or to it: a launch of CNN_FETCH and CNN_EVICT. */
status_t cnn_gpu_swap(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane);
/* Write or read a tensor that lies there, in NCHW order, behind the steps so far. */
status_t cnn_gpu_swap_write(cnn_gpu_t *g, int tensor, const void *from);
status_t cnn_gpu_swap_read(cnn_gpu_t *g, int tensor, void *to);

/* cnn_gpu_fetch.cu: copy to the host, behind what lane 0 has, and wait. */
status_t cnn_gpu_fetch(cnn_gpu_t *g, const void *from, void *to, size_t bytes);
void cnn_gpu_close_landing(cnn_gpu_t *g);

/* @return whether tensors are of types and sizes that the kernels know */
bool cnn_gpu_takes(const cnn_context_t *context);

/* What steps share */
static inline const cnn_step_t *cnn_gpu_step(const cnn_gpu_t *g, int step)
{
    return &g->program->steps[step];
}

static inline const cnn_tensor_t *cnn_gpu_tensor(const cnn_gpu_t *g, int tensor)
{
    return &g->program->tensors[tensor];
}

/* Whether a tensor is stored in another order than NCHW. */
static inline bool cnn_gpu_is_reordered(const cnn_gpu_t *g, int tensor)
{
    const int64_t *shape = g->shape[tensor];

    return g->channels_last && shape[1] > 1 && shape[2] * shape[3] > 1;
}

/* Whether a step runs on the device. */
static inline bool cnn_gpu_runs(const cnn_gpu_t *g, int step)
{
    return !cnn_gpu_step(g, step)->on_host;
}

/* A step needs that much workspace. */
static inline void cnn_gpu_needs(cnn_gpu_t *g, size_t bytes)
{
    if (bytes > g->workspace_bytes)
        g->workspace_bytes = bytes;
}

/* @return whether memory is limited, so that workspaces are small */
static inline bool cnn_gpu_is_limited(const cnn_gpu_t *g)
{
    return g->context.memory_bytes != 0 || g->context.workspace_bytes != 0;
}

/* @return the forward step that a step repeats, for as many images, whose algorithm it
 * has; or the step */
int cnn_gpu_first(const cnn_gpu_t *g, int step);

/* @return the workspace that a step may have, while steps are prepared: lane 0's, or what
 * is idle in the arena at that step, and at those that repeat it, if that is more and
 * memory is limited */
cnn_room_t cnn_gpu_room(const cnn_gpu_t *g, int step);

/* A step needs that much workspace: of its lane, or else in the arena. */
void cnn_gpu_needs_at(cnn_gpu_t *g, int step, size_t bytes);

/* @return the lane with the workspace of a step */
static inline cnn_lane_t cnn_gpu_lane_of(const cnn_gpu_t *g, int step,
                                         const cnn_lane_t *lane)
{
    cnn_lane_t own = *lane;

    if (g->rooms[step].bytes > 0)
        own.workspace = g->rooms[step].at;
    return own;
}

/* Whether step `next` may run with [first, next): rules of the shared kernels. */
bool cnn_gpu_joins(const cnn_gpu_t *g, int first, int next);

/* The shared kernels. */
extern const cnn_gpu_launch_t cnn_gpu_launch[CNN_N_OPS];
status_t cnn_gpu_prepare(cnn_gpu_t *g); /* workspace of the shared kernels, tables */

/* cnn_layout.cu: convert n images of c channels with hw pixels, between NCHW and NHWC. */
status_t cnn_layout_convert(const void *from, void *to, const int64_t shape[4],
                            size_t type_bytes, bool to_channels_last,
                            cudaStream_t stream);

/* The same from bytes as NCHW, each divided by 256; the result is NHWC or NCHW. */
status_t cnn_layout_from_bytes(const uint8_t *from, float *to, const int64_t shape[4],
                               bool to_channels_last, cudaStream_t stream);
