/*
 * cublas_linear.cu - fully connected layers by cuBLASLt.
 *
 * By columns, as cuBLAS counts, the tensors are x [in, n], w [in, out] and y [out, n],
 * and the products y = w^T x, dx = w dy, dw = x dy^T.  Algorithms that add parts in the
 * order of their arrival are left out.
 */
#include "kernels/cnn/cuda/cnn_layers.cuh"
#include "kernels/cnn/cuda/cnn_pointwise.cuh"
#include "kernels/cnn/cudnn/cudnn_state.cuh"

#include <cstdio>
#include <cstring>

namespace
{

constexpr int MAX_RUN = 8, N_TIMED = 3;
constexpr size_t MAX_WORKSPACE = size_t(64) << 20;

cudaDataType_t type_of(cnn_type_t type)
{
    return type == CNN_BF16 ? CUDA_R_16BF : CUDA_R_32F;
}

typedef struct {
    void *a, *b, *d, *bias;
} factors_t;

factors_t factors_of(const cnn_gpu_t *g, const cnn_step_t *s)
{
    void *const first = g->at[s->reads[0]], *const second = g->at[s->reads[1]];
    void *const d = g->at[s->writes[0]];

    if (s->op == CNN_LINEAR_BACKWARD_WEIGHTS) { /* x, dy */
        const cnn_type_t type = cnn_gpu_tensor(g, s->reads[1])->type;

        return {first,
                static_cast<char *>(second) +
                    size_t(s->params.linear.first) * cnn_type_bytes(type),
                d, nullptr};
    }
    return {second, first, d,
            s->op == CNN_LINEAR && s->n_reads == 3 ? g->at[s->reads[2]] : nullptr};
}

void set_problem(const cnn_gpu_t *g, const cnn_step_t *s, cublas_problem_t *p)
{
    const bool by_weights = s->op == CNN_LINEAR_BACKWARD_WEIGHTS;
    const cnn_tensor_t *w = cnn_gpu_tensor(g, by_weights ? s->writes[0] : s->reads[1]);
    const cnn_tensor_t *from = cnn_gpu_tensor(g, s->reads[0]);

    memset(p, 0, sizeof(*p)); /* compared as bytes */
    p->op = s->op;
    p->n = from->size[0];
    p->out = w->size[0];
    p->in = cnn_tensor_n(w) / w->size[0];
    p->dy_stride = by_weights ? cnn_gpu_tensor(g, s->reads[1])->size[1] : p->out;
    p->type = from->type;
    p->result_type = cnn_gpu_tensor(g, s->writes[0])->type;
    p->bias = s->op == CNN_LINEAR && s->n_reads == 3 && p->type == CNN_F32;
    p->tf32 = g->program->math == CNN_TF32;
}

/* Rows and columns of a, b and d as stored, and which of a and b are transposed */
status_t describe(cublas_plan_t *plan)
{
    const cublas_problem_t *p = &plan->problem;
    const bool forward = p->op == CNN_LINEAR;
    const bool by_weights = p->op == CNN_LINEAR_BACKWARD_WEIGHTS;
    const cublasOperation_t transpose = CUBLAS_OP_T;
    const cublasLtEpilogue_t epilogue =
        p->relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS;
    const int64_t a_columns = by_weights ? p->n : p->out;
    const int64_t b_rows = forward ? p->in : p->out;
    const int64_t d_rows = forward ? p->out : p->in;
    const int64_t d_columns = by_weights ? p->out : p->n;
    const cublasComputeType_t compute =
        p->type == CNN_F32 && p->tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
    status_t st;

    if ((st = CUBLAS_TRY(cublas.cublasLtMatmulDescCreate(&plan->multiply, compute,
                                                         CUDA_R_32F))) != ST_OK ||
        (st = CUBLAS_TRY(cublas.cublasLtMatrixLayoutCreate(&plan->a, type_of(p->type),
                                                           p->in, a_columns, p->in))) !=
            ST_OK ||
        (st = CUBLAS_TRY(
             cublas.cublasLtMatrixLayoutCreate(&plan->b, type_of(p->type), b_rows, p->n,
                                               forward ? b_rows : p->dy_stride))) !=
            ST_OK ||
        (st = CUBLAS_TRY(cublas.cublasLtMatrixLayoutCreate(
             &plan->d, type_of(p->result_type), d_rows, d_columns, d_rows))) != ST_OK)
        return st;
    if (forward)
        st = CUBLAS_TRY(cublas.cublasLtMatmulDescSetAttribute(
            plan->multiply, CUBLASLT_MATMUL_DESC_TRANSA, &transpose, sizeof(transpose)));
    if (by_weights)
        st = CUBLAS_TRY(cublas.cublasLtMatmulDescSetAttribute(
            plan->multiply, CUBLASLT_MATMUL_DESC_TRANSB, &transpose, sizeof(transpose)));
    if (st == ST_OK && p->bias)
        st = CUBLAS_TRY(cublas.cublasLtMatmulDescSetAttribute(
            plan->multiply, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof(epilogue)));
    return st;
}

cublasStatus_t run_plan(const cublas_plan_t *plan, const factors_t *f,
                        const cnn_lane_t *lane)
{
    const float one = 1, zero = 0;

    if (plan->problem.bias) {
        const cublasStatus_t status =
            cublas.cublasLtMatmulDescSetAttribute(plan->multiply,
                                                  CUBLASLT_MATMUL_DESC_BIAS_POINTER,
                                                  &f->bias, sizeof(f->bias));

        if (status != CUBLAS_STATUS_SUCCESS)
            return status;
    }
    return cublas.cublasLtMatmul(cudnn_lane(lane)->cublas, plan->multiply, &one, f->a,
                                 plan->a, f->b, plan->b, &zero, f->d, plan->d, f->d,
                                 plan->d, &plan->algo, lane->workspace,
                                 plan->workspace_bytes, lane->stream);
}

/* @param seconds  the shortest of some runs; 0 if it does not run */
status_t time_plan(const cublas_plan_t *plan, const factors_t *f, const cnn_lane_t *lane,
                   double *seconds)
{
    cudaEvent_t begin = nullptr, end = nullptr;
    float best = 0;
    status_t st = CUDA_TRY(cudaEventCreate(&begin));

    if (st == ST_OK)
        st = CUDA_TRY(cudaEventCreate(&end));
    for (int k = 0; k <= N_TIMED && st == ST_OK; k++) {
        float ms = 0;

        cudaEventRecord(begin, lane->stream);
        if (run_plan(plan, f, lane) != CUBLAS_STATUS_SUCCESS) {
            cudaGetLastError(); /* this algorithm is not for this device */
            best = 0;
            break;
        }
        cudaEventRecord(end, lane->stream);
        if ((st = CUDA_TRY(cudaEventSynchronize(end))) != ST_OK ||
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

/* @return their number */
status_t propose(cublas_plan_t *plan, const cnn_lane_t *lane, size_t limit,
                 cublasLtMatmulHeuristicResult_t *found, int *n)
{
    const uint32_t reductions =
        CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE | CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE;
    const size_t bytes = limit < MAX_WORKSPACE ? limit : MAX_WORKSPACE;
    cublasLtMatmulPreference_t preference = nullptr;
    status_t st = CUBLAS_TRY(cublas.cublasLtMatmulPreferenceCreate(&preference));

    if (st == ST_OK)
        st = CUBLAS_TRY(cublas.cublasLtMatmulPreferenceSetAttribute(
            preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof(bytes)));
    if (st == ST_OK)
        st = CUBLAS_TRY(cublas.cublasLtMatmulPreferenceSetAttribute(
            preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &reductions,
            sizeof(reductions)));
    if (st == ST_OK)
        st = CUBLAS_TRY(cublas.cublasLtMatmulAlgoGetHeuristic(
            cudnn_lane(lane)->cublas, plan->multiply, plan->a, plan->b, plan->d, plan->d,
            preference, MAX_RUN, found, n));
    if (preference != nullptr)
        cublas.cublasLtMatmulPreferenceDestroy(preference);
    return st;
}

status_t measure(cnn_gpu_t *g, cublas_plan_t *plan, const factors_t *f)
{
    const cnn_lane_t *lane = &g->lanes[0];
    cublasLtMatmulHeuristicResult_t found[MAX_RUN];
    int n = 0, best = -1;
    double seconds = 0;
    status_t st = propose(plan, lane, g->workspace_limit, found, &n);

    for (int k = 0; k < n && st == ST_OK; k++) {
        if (found[k].state != CUBLAS_STATUS_SUCCESS)
            continue;
        plan->algo = found[k].algo;
        plan->workspace_bytes = found[k].workspaceSize;
        st = time_plan(plan, f, lane, &seconds);
        if (seconds > 0 && (best < 0 || seconds < plan->seconds)) {
            best = k;
            plan->seconds = seconds;
        }
    }
    if (best < 0)
        return st == ST_OK ? ST_EDEVICE : st;
    plan->algo = found[best].algo;
    plan->workspace_bytes = found[best].workspaceSize;
    return st;
}

/* An algorithm is 64 bytes; the tag has them as hexadecimal words. */
status_t restore(const cnn_lane_t *lane, cublas_plan_t *plan, const char *tag)
{
    cublasLtMatmulHeuristicResult_t result = {};
    unsigned long long word = 0;
    int used = 0;

    for (size_t k = 0; k < sizeof(plan->algo.data) / 8; k++) {
        if (sscanf(tag, "%llx%n", &word, &used) != 1)
            return ST_EDEVICE;
        plan->algo.data[k] = word;
        tag += used + (tag[used] == ',' ? 1 : 0);
    }
    if (cublas.cublasLtMatmulAlgoCheck(cudnn_lane(lane)->cublas, plan->multiply, plan->a,
                                       plan->b, plan->d, plan->d, &plan->algo,
                                       &result) != CUBLAS_STATUS_SUCCESS)
        return ST_EDEVICE;
    plan->workspace_bytes = result.workspaceSize;
    return ST_OK;
}

int add_plan(cnn_gpu_t *g, int step, const char *what, const cublas_problem_t *problem,
             status_t *st)
{
    cudnn_state_t *c = cudnn_state(g);
    cublas_plan_t *plan = &c->products[c->n_products];
    const factors_t f = factors_of(g, cnn_gpu_step(g, step));
    char tag[CUDNN_TAG_BYTES];
    bool is_measured;

    for (int k = 0; k < c->n_products; k++)
        if (memcmp(&c->products[k].problem, problem, sizeof(*problem)) == 0)
            return k;
    plan->problem = *problem;
    c->n_products++;
    *st = describe(plan);
    is_measured = !cudnn_find_choice(g, step, what, tag);
    if (*st == ST_OK && !is_measured)
        *st = restore(&g->lanes[0], plan, tag);
    if (*st == ST_EDEVICE && cudnn_is_hinted(g)) {
        *st = ST_OK;
        is_measured = true;
    }
    if (*st == ST_OK && is_measured)
        *st = measure(g, plan, &f);
    if (*st == ST_EDEVICE)
        log_error("layer %s: cuBLAS has no algorithm for %s; use the backend native",
                  g->program->layers[cnn_gpu_step(g, step)->layer],
                  cnn_op_name(problem->op));
    cnn_gpu_needs(g, plan->workspace_bytes);
    return c->n_products - 1;
}

} // namespace

status_t cublas_linear_prepare(cnn_gpu_t *g, int step)
{
    cudnn_choice_t *choice = &cudnn_state(g)->choices[step];
    cublas_problem_t problem;
    status_t st = ST_OK;

    set_problem(g, cnn_gpu_step(g, step), &problem);
    choice->fused = -1;
    choice->plan = add_plan(g, step, "plan", &problem, &st);
    if (st != ST_OK || !problem.bias || !cudnn_is_relu_of(g, step, step + 1))
        return st;
    problem.relu = true;
    choice->fused = add_plan(g, step, "fused", &problem, &st);
    return st;
}

status_t cublas_linear(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);
    const cudnn_choice_t *choice = &cudnn_state(g)->choices[first];
    const bool joined = last - first == 2;
    const int number = joined && choice->fused >= 0 ? choice->fused : choice->plan;
    const cublas_plan_t *plan = &cudnn_state(g)->products[number];
    const factors_t f = factors_of(g, s);
    const status_t st = CUBLAS_TRY(run_plan(plan, &f, lane));

    if (st != ST_OK || f.bias == nullptr || plan->problem.bias)
        return st;
    return cnn_bias(g, s->writes[0], s->reads[2], joined, lane);
}

status_t cublas_linear_backward(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);
    const cublas_plan_t *plan =
        &cudnn_state(g)->products[cudnn_state(g)->choices[first].plan];
    const factors_t f = factors_of(g, s);
    const status_t st = CUBLAS_TRY(run_plan(plan, &f, lane));

    (void)last;
    if (st == ST_OK && s->op == CNN_LINEAR_BACKWARD_WEIGHTS && s->n_writes == 2)
        return cnn_sums(g, s->reads[1], static_cast<float *>(g->at[s->writes[1]]), lane);
    return st;
}

void cublas_plan_tag(const cublas_plan_t *plan, char *tag)
{
    size_t len = 0;

    tag[0] = '\0';
    for (uint64_t word : plan->algo.data)
        len +=
            size_t(snprintf(tag + len, CUDNN_TAG_BYTES - len, "%s%llx",
                            len > 0 ? "," : "", static_cast<unsigned long long>(word)));
}

void cublas_plan_free(cublas_plan_t *plan)
{
    if (plan->multiply != nullptr)
        cublas.cublasLtMatmulDescDestroy(plan->multiply);
    if (plan->a != nullptr)
        cublas.cublasLtMatrixLayoutDestroy(plan->a);
    if (plan->b != nullptr)
        cublas.cublasLtMatrixLayoutDestroy(plan->b);
    if (plan->d != nullptr)
        cublas.cublasLtMatrixLayoutDestroy(plan->d);
    memset(plan, 0, sizeof(*plan));
}
