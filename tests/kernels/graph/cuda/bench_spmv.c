/*
 * bench_spmv.c - times spmv of the graph backend `cuda` beside cuSPARSE: the kernels
 * alone, on the same double values.
 *
 * It prints one tab-separated line per kernel: graph, kernel, median milliseconds, 10^9
 * arcs per second, and the share of the memory's bandwidth if each number is read or
 * written once.  cuSPARSE's sums have another shape: results may differ by rounding.
 *
 * usage: bench_spmv GRAPH [RUNS]     (named_graph.h)
 */
#include "kernels/registry/backends.h"
#include "tests/support/gpu_case.h"
#include "tests/support/named_graph.h"

#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <math.h>
#include <string.h>

enum { MAX_RUNS = 1000 };

typedef struct {
    const char *name;
    csr_t graph;
    double *x, *y, *ours; /* [n_nodes] */
    double bytes_per_s;   /* of the device's memory */
    int n_runs;
} bench_t;

static void must(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "bench_spmv: %s failed\n", what);
    exit(EXIT_FAILURE);
}

/* Copy to the device; the program ends before anything is freed. */
static void *put(const void *data, size_t bytes)
{
    void *to = NULL;

    must(cudaMalloc(&to, bytes + 1) == cudaSuccess, "cudaMalloc");
    if (data != NULL)
        must(cudaMemcpy(to, data, bytes, cudaMemcpyHostToDevice) == cudaSuccess,
             "cudaMemcpy");
    return to;
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void print(const bench_t *b, const char *kernel, double *seconds)
{
    const csr_t *g = &b->graph;
    double n = (double)g->n_nodes, arcs = (double)g->n_arcs, median;
    double bytes = arcs * (sizeof(int32_t) + sizeof(double)) +
                   n * (sizeof(int32_t) + 2 * sizeof(double));

    qsort(seconds, (size_t)b->n_runs, sizeof(*seconds), by_value);
    median = seconds[b->n_runs / 2];
    printf("%s\t%s\t%.4f\t%.2f\t%.2f\n", b->name, kernel, median * 1e3,
           arcs / median / 1e9, bytes / median / b->bytes_per_s);
}

static void time_ours(const bench_t *b, const device_t *gpu, pool_t *pool)
{
    const graph_spec_t spec = {.algorithm = GRAPH_SPMV, .x = b->x};
    const graph_run_t run = {0};
    const graph_context_t context = {gpu, pool, &b->graph, &spec, &run};
    const graph_task_t task = {NULL, 0, 0};
    const graph_backend_t *backend;
    graph_result_t r = {0};
    double seconds[MAX_RUNS];
    void *state;

    must(graph_backend_choose(&context, &backend) == ST_OK &&
             graph_result_create(graph_info(GRAPH_SPMV), b->graph.n_nodes, &r) == ST_OK &&
             backend->create(&context, &state) == ST_OK,
         "the backend");
    for (int k = -1; k < b->n_runs; k++) { /* the first one warms up */
        r.seconds = 0;
        must(backend->compute(state, &task, &r) == ST_OK, "spmv");
        if (k >= 0)
            seconds[k] = r.seconds;
    }
    memcpy(b->ours, r.column[0], (size_t)b->graph.n_nodes * sizeof(*b->ours));
    print(b, "ribogrid", seconds);
    backend->destroy(state);
    graph_result_free(&r);
}

/* @return the largest relative difference of the results */
static double difference(const bench_t *b)
{
    double max = 0;

    for (int64_t u = 0; u < b->graph.n_nodes; u++)
        if (b->ours[u] != b->y[u])
            max = fmax(max, fabs(b->ours[u] - b->y[u]) / fabs(b->ours[u]));
    return max;
}

typedef struct {
    cusparseHandle_t handle;
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t x, y;
    void *y_data;
} sparse_t;

static void time_algorithm(const bench_t *b, const sparse_t *s,
                           cusparseSpMVAlg_t algorithm, const char *name)
{
    const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const double one = 1, zero = 0;
    cudaEvent_t begun, ended;
    double seconds[MAX_RUNS];
    size_t bytes = 0;
    float ms = 0;
    void *scratch;

    must(cusparseSpMV_bufferSize(s->handle, plain, &one, s->matrix, s->x, &zero, s->y,
                                 CUDA_R_64F, algorithm,
                                 &bytes) == CUSPARSE_STATUS_SUCCESS,
         "cusparseSpMV_bufferSize");
    scratch = put(NULL, bytes);
    must(cusparseSpMV_preprocess(s->handle, plain, &one, s->matrix, s->x, &zero, s->y,
                                 CUDA_R_64F, algorithm,
                                 scratch) == CUSPARSE_STATUS_SUCCESS,
         "cusparseSpMV_preprocess");
    must(cudaEventCreate(&begun) == cudaSuccess && cudaEventCreate(&ended) == cudaSuccess,
         "cudaEventCreate");
    for (int k = -1; k < b->n_runs; k++) {
        must(cudaEventRecord(begun, NULL) == cudaSuccess, "cudaEventRecord");
        must(cusparseSpMV(s->handle, plain, &one, s->matrix, s->x, &zero, s->y,
                          CUDA_R_64F, algorithm, scratch) == CUSPARSE_STATUS_SUCCESS,
             "cusparseSpMV");
        must(cudaEventRecord(ended, NULL) == cudaSuccess &&
                 cudaEventSynchronize(ended) == cudaSuccess &&
                 cudaEventElapsedTime(&ms, begun, ended) == cudaSuccess,
             "cudaEventElapsedTime");
        if (k >= 0)
            seconds[k] = (double)ms / 1e3;
    }
    print(b, name, seconds);
    must(cudaMemcpy(b->y, s->y_data, (size_t)b->graph.n_nodes * sizeof(*b->y),
                    cudaMemcpyDeviceToHost) == cudaSuccess,
         "cudaMemcpy");
    must(difference(b) < 1e-9, "the comparison with cuSPARSE");
}

static void time_cusparse(const bench_t *b)
{
    const csr_t *g = &b->graph;
    const size_t n = (size_t)g->n_nodes, arcs = (size_t)g->n_arcs;
    int32_t *first = malloc((n + 1) * sizeof(*first));
    sparse_t s;

    must(first != NULL && arcs < INT32_MAX, "a copy of the graph");
    for (size_t u = 0; u <= n; u++)
        first[u] = (int32_t)g->first[u];
    s.y_data = put(NULL, n * sizeof(double));
    must(cusparseCreate(&s.handle) == CUSPARSE_STATUS_SUCCESS &&
             cusparseCreateCsr(&s.matrix, (int64_t)n, (int64_t)n, (int64_t)arcs,
                               put(first, (n + 1) * sizeof(*first)),
                               put(g->to, arcs * sizeof(*g->to)),
                               put(g->value, arcs * sizeof(*g->value)),
                               CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_BASE_ZERO,
                               CUDA_R_64F) == CUSPARSE_STATUS_SUCCESS &&
             cusparseCreateDnVec(&s.x, (int64_t)n, put(b->x, n * sizeof(double)),
                                 CUDA_R_64F) == CUSPARSE_STATUS_SUCCESS &&
             cusparseCreateDnVec(&s.y, (int64_t)n, s.y_data, CUDA_R_64F) ==
                 CUSPARSE_STATUS_SUCCESS,
         "cuSPARSE");
    time_algorithm(b, &s, CUSPARSE_SPMV_CSR_ALG1, "cuSPARSE, ALG1");
    time_algorithm(b, &s, CUSPARSE_SPMV_CSR_ALG2, "cuSPARSE, ALG2");
    free(first);
}

/* Give the graph double weights, and find the bandwidth of the memory. */
static void prepare(bench_t *b, pool_t *pool, const device_t *gpu)
{
    csr_t *g = &b->graph;
    int kilohertz = 0, bits = 0;
    size_t n;

    must(named_graph(b->name, pool, g) == ST_OK, "the graph");
    n = (size_t)g->n_nodes;
    b->x = malloc(n * sizeof(*b->x));
    b->y = malloc(n * sizeof(*b->y));
    b->ours = malloc(n * sizeof(*b->ours));
    g->value = malloc((size_t)g->n_arcs * sizeof(*g->value));
    must(b->x != NULL && b->y != NULL && b->ours != NULL && g->value != NULL, "malloc");
    for (int64_t a = 0; a < g->n_arcs; a++)
        g->value[a] = g->weight[a];
    free(g->weight);
    g->weight = NULL;
    for (size_t u = 0; u < n; u++)
        b->x[u] = 1 / (double)(u + 1);
    must(cudaSetDevice(gpu->index) == cudaSuccess &&
             cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, gpu->index) ==
                 cudaSuccess &&
             cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, gpu->index) ==
                 cudaSuccess,
         "cudaDeviceGetAttribute");
    b->bytes_per_s = 2e3 * kilohertz * bits / 8; /* two transfers per cycle */
}

int main(int argc, char **argv)
{
    bench_t b = {.name = argc > 1 ? argv[1] : "rmat:20:16",
                 .n_runs = argc > 2 ? atoi(argv[2]) : 21};
    device_t cpu, gpu;
    pool_t *pool;
    int code = gpu_case_begin(0, &cpu, &gpu, &pool);

    if (code != EXIT_SUCCESS)
        return code;
    must(b.n_runs > 0 && b.n_runs <= MAX_RUNS, "RUNS");
    prepare(&b, pool, &gpu);
    time_ours(&b, &gpu, pool);
    time_cusparse(&b);
    return EXIT_SUCCESS;
}
