/*
 * cudnn_cnn.cu - the table of the backend "cudnn".
 */
#include "kernels/cnn/cudnn/cudnn_state.cuh"

extern "C" {
#include "io/base/buf.h"
#include "kernels/cnn/common/cnn_backend.h"
}

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace
{

/* Tensor cores want the channels of a pixel together. */
bool channels_last(const cnn_program_t *program)
{
    for (int t = 0; t < program->n_tensors; t++)
        if (program->tensors[t].type == CNN_BF16)
            return true;
    return program->math == CNN_TF32;
}

bool joins(const cnn_gpu_t *g, int first, int next)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);

    return next == first + 1 && (s->op == CNN_CONVOLUTION || s->op == CNN_LINEAR) &&
           s->n_reads == 3 && cudnn_is_relu_of(g, first, next);
}

status_t open_lane(cnn_gpu_t *g, cnn_lane_t *lane)
{
    cudnn_lane_t *l = static_cast<cudnn_lane_t *>(calloc(1, sizeof(*l)));
    status_t st;

    (void)g;
    if (l == nullptr)
        return log_nomem("a stream of a neural network");
    lane->own = l;
    if ((st = CUDNN_TRY(cudnnCreate(&l->cudnn))) != ST_OK ||
        (st = CUDNN_TRY(cudnnSetStream(l->cudnn, lane->stream))) != ST_OK ||
        (st = CUDNN_TRY(cudnnCreateTensorDescriptor(&l->tensor))) != ST_OK ||
        (st = CUDNN_TRY(cudnnCreateLRNDescriptor(&l->lrn))) != ST_OK)
        return st;
    return CUBLAS_TRY(cublas.cublasLtCreate(&l->cublas));
}

void close_lane(cnn_lane_t *lane)
{
    cudnn_lane_t *l = static_cast<cudnn_lane_t *>(lane->own);

    if (l == nullptr)
        return;
    if (l->lrn != nullptr)
        cudnnDestroyLRNDescriptor(l->lrn);
    if (l->tensor != nullptr)
        cudnnDestroyTensorDescriptor(l->tensor);
    if (l->cublas != nullptr)
        cublas.cublasLtDestroy(l->cublas);
    if (l->cudnn != nullptr)
        cudnnDestroy(l->cudnn);
    free(l);
    lane->own = nullptr;
}

status_t prepare_step(cnn_gpu_t *g, int step)
{
    if (!cnn_gpu_runs(g, step))
        return ST_OK;
    switch (cnn_gpu_step(g, step)->op) {
    case CNN_CONVOLUTION:
    case CNN_CONVOLUTION_BACKWARD_DATA:
    case CNN_CONVOLUTION_BACKWARD_FILTER:
        return cudnn_convolution_prepare(g, step);
    case CNN_LINEAR:
    case CNN_LINEAR_BACKWARD_DATA:
    case CNN_LINEAR_BACKWARD_WEIGHTS:
        return cublas_linear_prepare(g, step);
    default:
        return ST_OK;
    }
}

status_t prepare(cnn_gpu_t *g)
{
    const size_t n = size_t(g->program->n_steps);
    cudnn_state_t *c = static_cast<cudnn_state_t *>(calloc(1, sizeof(*c)));
    status_t st = ST_OK;

    g->own = c;
    if (c == nullptr)
        return log_nomem("a neural network");
    /* at most two plans for each step, or one for each number of parts */
    c->convolutions =
        static_cast<cudnn_plan_t *>(calloc(CUDNN_MAX_PARTS * n, sizeof(cudnn_plan_t)));
    c->products = static_cast<cublas_plan_t *>(calloc(2 * n, sizeof(cublas_plan_t)));
    c->choices = static_cast<cudnn_choice_t *>(calloc(n, sizeof(cudnn_choice_t)));
    if (c->convolutions == nullptr || c->products == nullptr || c->choices == nullptr)
        return log_nomem("a neural network");
    for (int k = 0; k < g->program->n_steps && st == ST_OK; k++)
        st = prepare_step(g, k);
    g->context.hints = nullptr; /* the caller's */
    return st;
}

void close_state(cnn_gpu_t *g)
{
    cudnn_state_t *c = cudnn_state(g);

    if (c == nullptr)
        return;
    for (int k = 0; k < c->n_convolutions; k++)
        cudnn_plan_free(&c->convolutions[k]);
    for (int k = 0; k < c->n_products; k++)
        cublas_plan_free(&c->products[k]);
    free(c->convolutions);
    free(c->products);
    free(c->choices);
    free(c);
    g->own = nullptr;
}

status_t write_choice(const cnn_gpu_t *g, int step, const char *what, int number,
                      buf_t *out)
{
    const cudnn_state_t *c = cudnn_state(g);
    char key[256], tag[CUDNN_TAG_BYTES];

    if (cnn_op_kind(cnn_gpu_step(g, step)->op) == CNN_KIND_LINEAR)
        cublas_plan_tag(&c->products[number], tag);
    else
        snprintf(tag, sizeof(tag), "%s", c->convolutions[number].tag);
    cudnn_choice_key(g, step, what, key, sizeof(key));
    return buf_printf(out, "%s%s\n", key, tag);
}

status_t choices(const cnn_gpu_t *g, buf_t *out)
{
    const cudnn_state_t *c = cudnn_state(g);
    char head[64];
    status_t st = buf_append(out, head, size_t(cudnn_choice_head(head, sizeof(head))));

    for (int k = 0; k < g->program->n_steps && st == ST_OK; k++) {
        const cnn_kind_t kind = cnn_op_kind(cnn_gpu_step(g, k)->op);
        const bool is_narrow =
            kind == CNN_KIND_CONVOLUTION &&
            cnn_gpu_step(g, k)->op == CNN_CONVOLUTION_BACKWARD_FILTER &&
            c->convolutions[c->choices[k].plan].problem.dw_type == CNN_BF16;

        if ((kind != CNN_KIND_CONVOLUTION && kind != CNN_KIND_LINEAR) ||
            !cnn_gpu_runs(g, k) || cnn_gpu_first(g, k) != k)
            continue;
        st = write_choice(g, k, is_narrow ? "narrow" : "plan", c->choices[k].plan, out);
        if (st == ST_OK && c->choices[k].fused >= 0)
            st = write_choice(g, k, "fused", c->choices[k].fused, out);
        if (st == ST_OK && c->choices[k].n_parts > 1)
            st = write_choice(g, k, cudnn_parts_name(c->choices[k].n_parts),
                              c->choices[k].part, out);
    }
    return st;
}

status_t create(const cnn_context_t *context, void **state)
{
    static const cnn_gpu_kind_t kind = {
        channels_last,
        joins,
        {
            /* CNN_CONVOLUTION */ cudnn_convolution,
            /* CNN_CONVOLUTION_BACKWARD_DATA */ cudnn_convolution_backward,
            /* CNN_CONVOLUTION_BACKWARD_FILTER */ cudnn_convolution_backward,
            /* CNN_POOL */ nullptr,
            /* CNN_POOL_BACKWARD */ nullptr,
            /* CNN_LRN */ cudnn_lrn,
            /* CNN_LRN_BACKWARD */ cudnn_lrn_backward,
            /* CNN_LINEAR */ cublas_linear,
            /* CNN_LINEAR_BACKWARD_DATA */ cublas_linear_backward,
            /* CNN_LINEAR_BACKWARD_WEIGHTS */ cublas_linear_backward,
        },
        open_lane,
        close_lane,
        prepare,
        choices,
        close_state,
    };

    const status_t st = cublas_library_load();

    return st == ST_OK ? cnn_gpu_create(&kind, context, state) : st;
}

/* Both stay loaded when their handles are gone; cuDNN loads its parts when one is used.
 */
void load(void)
{
    cudnnHandle_t cudnn = nullptr;
    cublasLtHandle_t blas = nullptr;

    if (cublas_library_load() != ST_OK)
        return;
    if (cublas.cublasLtCreate(&blas) == CUBLAS_STATUS_SUCCESS)
        cublas.cublasLtDestroy(blas);
    if (cudnnCreate(&cudnn) == CUDNN_STATUS_SUCCESS)
        cudnnDestroy(cudnn);
    (void)cudnnGraphVersionCheck();
    (void)cudnnCnnVersionCheck();
}

} // namespace

extern "C" const cnn_backend_t cudnn_cnn_backend = {
    /* .base = */ {/* .name = */ "cudnn", /* .kind = */ DEVICE_CUDA, /* .rate = */ 1e13},
    /* .takes = */ cnn_gpu_takes,
    /* .scratch = */ cnn_gpu_scratch,
    /* .create = */ create,
    /* .write = */ cnn_gpu_write,
    /* .read = */ cnn_gpu_read,
    /* .run = */ cnn_gpu_run,
    /* .wait = */ cnn_gpu_wait,
    /* .choices = */ cnn_gpu_choices,
    /* .destroy = */ cnn_gpu_destroy,
    /* .group = */ cnn_gpu_group,
    /* .side = */ &cnn_gpu_side,
    /* .load = */ load,
};
