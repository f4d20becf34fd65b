/*
 * cudnn_convolution.cu - convolutions of a program: their plans, biases and gradients.
 *
 * A bias is added by our own kernel, together with a ReLU in place behind it; a plan that
 * does all three is taken where it is faster and the program is not strict.  cuDNN may
 * lack filter gradients in 32 bits from bf16 tensors: then they are computed as bf16 and
 * converted.  Where memory is limited, a filter's gradient may be the sum of those of
 * parts of the batch, for which fast algorithms need less workspace.
 */
#include "kernels/cnn/cuda/cnn_layers.cuh"
#include "kernels/cnn/cuda/cnn_pointwise.cuh"
#include "kernels/cnn/cuda/cnn_vector.cuh"
#include "kernels/cnn/cudnn/cudnn_state.cuh"

#include <cstdlib>
#include <cstring>

namespace
{

constexpr int N_TIMED = 3;

__global__ void widen_kernel(const bf16_t *from, float *to, int64_t n)
{
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;

    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride)
        to[i] = cnn_load(&from[i]);
}

/* to = sum of n_parts filters, in their order */
__global__ void add_filters_kernel(const float *from, float *to, int64_t n,
                                   int64_t distance, int n_parts)
{
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;

    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
        float sum = from[i];

        for (int part = 1; part < n_parts; part++)
            sum += from[part * distance + i];
        to[i] = sum;
    }
}

/* The numbers of a step's x, w and y tensors, whatever of these it writes */
typedef struct {
    int x, w, y;
} roles_t;

roles_t roles_of(const cnn_step_t *s)
{
    switch (s->op) {
    case CNN_CONVOLUTION_BACKWARD_DATA:
        return {s->writes[0], s->reads[1], s->reads[0]};
    case CNN_CONVOLUTION_BACKWARD_FILTER:
        return {s->reads[0], s->writes[0], s->reads[1]};
    default:
        return {s->reads[0], s->reads[1], s->writes[0]};
    }
}

cudnn_data_t data_of(const cnn_gpu_t *g, const cnn_step_t *s)
{
    const roles_t r = roles_of(s);

    return {g->at[r.x], g->at[r.w], g->at[r.y],
            s->op == CNN_CONVOLUTION && s->n_reads == 3 ? g->at[s->reads[2]] : nullptr};
}

void set_problem(const cnn_gpu_t *g, const cnn_step_t *s, cudnn_problem_t *out)
{
    const roles_t r = roles_of(s);

    memset(out, 0, sizeof(*out)); /* compared as bytes */
    out->op = s->op;
    memcpy(out->x, cnn_gpu_tensor(g, r.x)->size, sizeof(out->x));
    memcpy(out->w, cnn_gpu_tensor(g, r.w)->size, sizeof(out->w));
    memcpy(out->y, cnn_gpu_tensor(g, r.y)->size, sizeof(out->y));
    out->type = cnn_gpu_tensor(g, r.x)->type;
    out->dw_type = cnn_gpu_tensor(g, r.w)->type;
    memcpy(&out->params, &s->params.convolution, sizeof(out->params));
    out->channels_last = g->channels_last;
    out->strict = out->type == CNN_F32 && g->program->math == CNN_STRICT;
    out->any_order = g->context.any_order;
}

/* Find a plan within a workspace; one that could not be made had at most as much. */
int find_plan(const cudnn_state_t *c, const cudnn_problem_t *p, size_t bytes)
{
    for (int k = 0; k < c->n_convolutions; k++) {
        const cudnn_plan_t *plan = &c->convolutions[k];

        if (memcmp(&plan->problem, p, sizeof(*p)) == 0 &&
            (plan->is_made ? plan->workspace_bytes <= bytes
                           : plan->workspace_bytes >= bytes))
            return k;
    }
    return -1;
}

/* Bytes of the filter gradient in bf16, in front of the plan's workspace */
size_t narrow_bytes(const cudnn_problem_t *p)
{
    const size_t n = size_t(p->w[0] * p->w[1] * p->w[2] * p->w[3]);

    return p->op == CNN_CONVOLUTION_BACKWARD_FILTER && p->dw_type == CNN_BF16
               ? (n * 2 + 255) / 256 * 256
               : 0;
}

/* Make the plan of a problem, as in an earlier run or by measuring.
 * @return its number; *st is set where there is none */
int add_plan(cnn_gpu_t *g, int step, const char *what, const cudnn_problem_t *p,
             status_t *st)
{
    cudnn_state_t *c = cudnn_state(g);
    const cnn_lane_t *lane = &g->lanes[0];
    const cnn_room_t room = cnn_gpu_room(g, step);
    const size_t narrow = narrow_bytes(p);
    const size_t bytes = room.bytes > narrow ? room.bytes - narrow : 0;
    cudnn_data_t data = data_of(g, cnn_gpu_step(g, step));
    cudnn_plan_t *plan = &c->convolutions[c->n_convolutions];
    const bool is_hinted = cudnn_is_hinted(g);
    bool is_measured = g->context.choices == nullptr && !is_hinted;
    char tag[CUDNN_TAG_BYTES];
    const int known = find_plan(c, p, bytes);

    if (known >= 0 && !c->convolutions[known].is_made)
        return -1;
    if (known >= 0) {
        cnn_gpu_needs_at(g, step, narrow + c->convolutions[known].workspace_bytes);
        return known;
    }
    if (narrow > 0)
        data.w = room.at;
    if (cudnn_find_choice(g, step, what, tag)) {
        cudnn_plan_restore(cudnn_lane(lane)->cudnn, p, tag, plan);
        is_measured = is_hinted && (!plan->is_made || plan->workspace_bytes > bytes);
        if (is_measured)
            cudnn_plan_free(plan);
    } else if (cudnn_is_part(g, step) ||
               (strncmp(what, "parts", 5) == 0 && g->context.choices == nullptr)) {
        is_measured = true;
    }
    if (is_measured)
        *st = cudnn_plan_measure(cudnn_lane(lane)->cudnn, p, &data, room.at + narrow,
                                 bytes, lane->stream, plan);
    plan->problem = *p; /* also where there is none: not to be looked for again */
    c->n_convolutions++;
    if (!plan->is_made) {
        plan->workspace_bytes = bytes;
        return -1;
    }
    cnn_gpu_needs_at(g, step, narrow + plan->workspace_bytes);
    return c->n_convolutions - 1;
}

status_t run_plan(cnn_gpu_t *g, int number, const cudnn_data_t *data,
                  const cnn_lane_t *lane)
{
    const cudnn_plan_t *plan = &cudnn_state(g)->convolutions[number];
    const size_t narrow = narrow_bytes(&plan->problem);
    cudnn_data_t d = *data;
    status_t st;

    if (narrow > 0)
        d.w = lane->workspace;
    st = CUDNN_TRY(cudnn_plan_run(cudnn_lane(lane)->cudnn, plan, &d,
                                  static_cast<char *>(lane->workspace) + narrow));
    if (narrow > 0 && st == ST_OK) {
        const int64_t *w = plan->problem.w, n = w[0] * w[1] * w[2] * w[3];

        widen_kernel<<<cnn_blocks(n), CNN_BLOCK, 0, lane->stream>>>(
            static_cast<const bf16_t *>(d.w), static_cast<float *>(data->w), n);
        st = CUDA_TRY(cudaGetLastError());
    }
    return st;
}

size_t filter_bytes(const cudnn_problem_t *p)
{
    return (size_t(p->w[0] * p->w[1] * p->w[2] * p->w[3]) * sizeof(float) + 255) / 256 *
           256;
}

size_t image_bytes(const int64_t size[4], cnn_type_t type)
{
    return size_t(size[1] * size[2] * size[3]) * cnn_type_bytes(type);
}

/* A filter's gradient in parts, whose filters are in front of the plan's workspace */
status_t run_filter_parts(cnn_gpu_t *g, const cudnn_choice_t *choice,
                          const cudnn_data_t *data, const cnn_lane_t *lane)
{
    const cudnn_plan_t *plan = &cudnn_state(g)->convolutions[choice->part];
    const cudnn_problem_t *p = &plan->problem;
    const int64_t n = p->w[0] * p->w[1] * p->w[2] * p->w[3];
    const size_t bytes = filter_bytes(p);
    char *const filters = static_cast<char *>(lane->workspace);
    status_t st = ST_OK;

    for (int k = 0; st == ST_OK && k < choice->n_parts; k++) {
        const size_t first = size_t(k) * size_t(p->x[0]);
        cudnn_data_t part = *data;

        part.x = static_cast<char *>(data->x) + first * image_bytes(p->x, p->type);
        part.y = static_cast<char *>(data->y) + first * image_bytes(p->y, p->type);
        part.w = filters + k * bytes;
        st = CUDNN_TRY(cudnn_plan_run(cudnn_lane(lane)->cudnn, plan, &part,
                                      filters + choice->n_parts * bytes));
    }
    if (st != ST_OK)
        return st;
    add_filters_kernel<<<cnn_blocks(n), CNN_BLOCK, 0, lane->stream>>>(
        reinterpret_cast<const float *>(filters), static_cast<float *>(data->w), n,
        int64_t(bytes / sizeof(float)), choice->n_parts);
    return CUDA_TRY(cudaGetLastError());
}

/* The plan alone, bias and ReLU by our kernel */
status_t run_parts(cnn_gpu_t *g, int step, bool relu, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, step);
    const cudnn_data_t data = data_of(g, s);
    const status_t st = run_plan(g, cudnn_state(g)->choices[step].plan, &data, lane);

    if (st == ST_OK && data.bias != nullptr)
        return cnn_bias(g, s->writes[0], s->reads[2], relu, lane);
    return st;
}

/* @param seconds  of a run, the shortest of some */
status_t time_parts(cnn_gpu_t *g, int step, double *seconds)
{
    const cnn_lane_t lane = cnn_gpu_lane_of(g, step, &g->lanes[0]);
    cudaEvent_t begin = nullptr, end = nullptr;
    float best = 0;
    status_t st = CUDA_TRY(cudaEventCreate(&begin));

    if (st == ST_OK)
        st = CUDA_TRY(cudaEventCreate(&end));
    for (int k = 0; k <= N_TIMED && st == ST_OK; k++) {
        float ms = 0;

        if ((st = CUDA_TRY(cudaEventRecord(begin, lane.stream))) != ST_OK ||
            (st = run_parts(g, step, true, &lane)) != ST_OK ||
            (st = CUDA_TRY(cudaEventRecord(end, lane.stream))) != ST_OK ||
            (st = CUDA_TRY(cudaEventSynchronize(end))) != ST_OK ||
            (st = CUDA_TRY(cudaEventElapsedTime(&ms, begin, end))) != ST_OK)
            break;
        if (k < 2 || ms < best)
            best = ms;
    }
    *seconds = double(best) / 1000;
    if (begin != nullptr)
        cudaEventDestroy(begin);
    if (end != nullptr)
        cudaEventDestroy(end);
    return st;
}

/* A plan with bias and ReLU, if it is faster than three parts, or was. */
status_t choose_fused(cnn_gpu_t *g, int step)
{
    cudnn_choice_t *choice = &cudnn_state(g)->choices[step];
    const bool is_told = g->context.choices != nullptr || cudnn_is_hinted(g);
    cudnn_problem_t problem;
    char tag[CUDNN_TAG_BYTES];
    double seconds = 0;
    status_t st = ST_OK;

    if (is_told && !cudnn_find_choice(g, step, "fused", tag))
        return ST_OK;
    set_problem(g, cnn_gpu_step(g, step), &problem);
    problem.bias_relu = true;
    choice->fused = add_plan(g, step, "fused", &problem, &st);
    if (st != ST_OK || choice->fused < 0 || is_told)
        return st;
    st = time_parts(g, step, &seconds);
    if (cudnn_state(g)->convolutions[choice->fused].seconds >= seconds)
        choice->fused = -1;
    return st;
}

/* Parts of the batch, if these are faster within the workspace that there is, or were:
 * where cuDNN pads channels, it needs that of all images. */
status_t choose_parts(cnn_gpu_t *g, int step, const cudnn_problem_t *whole)
{
    const bool is_told = g->context.choices != nullptr;
    cudnn_choice_t *choice = &cudnn_state(g)->choices[step];
    double best = cudnn_state(g)->convolutions[choice->plan].seconds;
    status_t st = ST_OK;

    for (int parts = 2; st == ST_OK && parts <= CUDNN_MAX_PARTS; parts *= 2) {
        cudnn_problem_t p = *whole;
        const char *what = cudnn_parts_name(parts);
        char tag[CUDNN_TAG_BYTES];
        size_t bytes;
        int number;

        if (p.x[0] % parts != 0 ||
            (is_told ? !cudnn_find_choice(g, step, what, tag) : best == 0))
            continue;
        p.x[0] /= parts;
        p.y[0] /= parts;
        number = add_plan(g, step, what, &p, &st);
        if (st != ST_OK || number < 0)
            continue;
        bytes = parts * filter_bytes(&p) +
                cudnn_state(g)->convolutions[number].workspace_bytes;
        if (is_told || (bytes <= cnn_gpu_room(g, step).bytes &&
                        parts * cudnn_state(g)->convolutions[number].seconds < best)) {
            best = parts * cudnn_state(g)->convolutions[number].seconds;
            choice->part = number;
            choice->n_parts = parts;
            cnn_gpu_needs_at(g, step, bytes);
        }
    }
    return st;
}

/* What is computed again is the same bytes: by the plans of the first time. */
void repeat_choice(cnn_gpu_t *g, int step, const cudnn_choice_t *first)
{
    const cudnn_state_t *c = cudnn_state(g);

    c->choices[step] = *first;
    cnn_gpu_needs_at(g, step, c->convolutions[first->plan].workspace_bytes);
    if (first->fused >= 0)
        cnn_gpu_needs_at(g, step, c->convolutions[first->fused].workspace_bytes);
}

} // namespace

status_t cudnn_convolution_prepare(cnn_gpu_t *g, int step)
{
    const cnn_step_t *s = cnn_gpu_step(g, step);
    const int first = cnn_gpu_first(g, step);
    cudnn_choice_t *choice = &cudnn_state(g)->choices[step];
    cudnn_problem_t problem;
    status_t st = ST_OK;

    if (first != step) {
        repeat_choice(g, step, &cudnn_state(g)->choices[first]);
        return ST_OK;
    }
    set_problem(g, s, &problem);
    choice->fused = -1;
    choice->n_parts = 1;
    choice->plan = add_plan(g, step, "plan", &problem, &st);
    if (st == ST_OK && choice->plan < 0 && problem.type == CNN_BF16 &&
        s->op == CNN_CONVOLUTION_BACKWARD_FILTER) {
        problem.dw_type = CNN_BF16;
        choice->plan = add_plan(g, step, "narrow", &problem, &st);
    }
    if (st != ST_OK)
        return st;
    if (choice->plan < 0) {
        log_error("layer %s: cuDNN %zu has no %s for step %d within %zu bytes of "
                  "workspace%s; use the backend native",
                  g->program->layers[s->layer], cudnnGetVersion(), cnn_op_name(s->op),
                  step, cnn_gpu_room(g, step).bytes,
                  g->context.choices != nullptr ? " like the one stored" : "");
        return ST_EDEVICE;
    }
    if (s->op == CNN_CONVOLUTION_BACKWARD_FILTER && problem.dw_type == CNN_F32 &&
        problem.x[1] % 4 != 0 && cnn_gpu_is_limited(g))
        return choose_parts(g, step, &problem);
    return !problem.strict && s->n_reads == 3 && s->op == CNN_CONVOLUTION &&
                   cudnn_is_relu_of(g, step, step + 1)
               ? choose_fused(g, step)
               : ST_OK;
}

status_t cudnn_convolution(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    const int fused = cudnn_state(g)->choices[first].fused;
    const cudnn_data_t data = data_of(g, cnn_gpu_step(g, first));

    if (last - first == 2 && fused >= 0)
        return run_plan(g, fused, &data, lane);
    return run_parts(g, first, last - first == 2, lane);
}

status_t cudnn_convolution_backward(cnn_gpu_t *g, int first, int last,
                                    const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);
    const cudnn_data_t data = data_of(g, s);
    const cudnn_choice_t *choice = &cudnn_state(g)->choices[first];
    const status_t st = choice->n_parts > 1 ? run_filter_parts(g, choice, &data, lane)
                                            : run_plan(g, choice->plan, &data, lane);

    (void)last;
    if (st == ST_OK && s->op == CNN_CONVOLUTION_BACKWARD_FILTER && s->n_writes == 2)
        return cnn_sums(g, s->reads[1], static_cast<float *>(g->at[s->writes[1]]), lane);
    return st;
}
