/*
 * gpu_nbc.c - the naive Bayes backend `cuda` returns the same integers as `cpu`, for
 * reads of every shape of its kernels.
 *
 * A plain program, without cmocka, which GPU machines may lack.  It prints one line per
 * model, and exits with 1 if any result differs, 77 without a GPU.
 */
#include "kernels/classify/nbc_backend.h"
#include "tests/kernels/classify/nbc_case.h"
#include "tests/support/gpu_case.h"

#include <stdio.h>

typedef struct {
    int64_t n_refs, len; /* of the references */
    int64_t n_reads, read_len_max;
    int n_resamples;
} gpu_model_t;

/* Reads that fit the shared memory of a multiprocessor six times, thrice, twice, once,
 * and not at all; many resamples, whose draws need several pieces; none at all; one
 * class; many classes, some without references. */
static const gpu_model_t models[] = {
    {300, 400, 500, 300, 100},  {200, 900, 200, 900, 100},   {100, 2000, 200, 2000, 100},
    {50, 6000, 60, 6000, 37},   {300, 400, 450, 300, 10000}, {300, 400, 50, 300, 0},
    {1, 300, 50, 300, 100},     {65, 300, 1, 300, 1},        {1500, 300, 700, 250, 100},
    {40, 40000, 5, 40000, 100},
};

typedef struct {
    device_t cpu, gpu;
    pool_t *pool;
    int n_failed;
} comparison_t;

/* @return how many of the rows of `got` differ from those of `want`, from `first` on */
static int64_t count_wrong(const nbc_results_t *want, int64_t first,
                           const nbc_results_t *got, int64_t n, int n_ranks)
{
    int64_t n_wrong = 0;

    for (int64_t i = 0; i < n; i++) {
        const int64_t k = first + i;
        const nbc_results_t a = {want->best + k, want->support + k * n_ranks,
                                 want->rival + k * n_ranks},
                            b = {got->best + i, got->support + i * n_ranks,
                                 got->rival + i * n_ranks};

        n_wrong += nbc_case_compare(&a, &b, 1, n_ranks) != -1;
    }
    return n_wrong;
}

/* Classify by a GPU: one read alone, then two batches in flight.
 * @return the number of reads whose results are wrong */
static int64_t compare(const nbc_context_t *gpu, const seqset_t *reads,
                       const nbc_results_t *want)
{
    const nbc_backend_t *cuda = &nbc_cuda_backend;
    const int n_ranks = gpu->model->classes->n_ranks;
    const nbc_batch_t batches[] = {{reads, 0, 1},
                                   {reads, 0, reads->n / 3},
                                   {reads, reads->n / 3, reads->n - reads->n / 3}};
    int64_t n_wrong = 0;
    void *state = NULL;
    status_t st = cuda->create(gpu, &state);

    for (int i = 0; st == ST_OK && i < 3; i++) {
        nbc_results_t got;

        if (i < 2)
            st = cuda->submit(state, &batches[i]);
        if (st == ST_OK && i == 1)
            st = cuda->submit(state, &batches[2]);
        if (st == ST_OK && (st = cuda->wait(state, &got)) == ST_OK)
            n_wrong += count_wrong(want, batches[i].first, &got, batches[i].n, n_ranks);
    }
    cuda->destroy(state);
    return st == ST_OK ? n_wrong : reads->n;
}

static void try_model(comparison_t *c, const gpu_model_t *m, uint64_t seed)
{
    static int32_t parent[NBC_CASE_TAXA];
    rng_t rng = rng_seed(seed);
    nbc_context_t context = {.device = &c->cpu,
                             .pool = c->pool,
                             .options = {m->n_resamples, seed,
                                         .both_strands = seed % 4 != 3}};
    int32_t *taxon_of = malloc((size_t)m->n_refs * sizeof(*taxon_of));
    seqset_t *refs = NULL, *reads = NULL;
    nbc_case_t model = {0};
    nbc_results_t want;
    int64_t n_wrong = -1;

    nbc_case_tree(parent);
    if (taxon_of != NULL &&
        nbc_case_refs(&rng, m->n_refs, m->len, &refs, taxon_of) == ST_OK &&
        nbc_case_reads(&rng, refs, m->n_reads, m->read_len_max, &reads) == ST_OK &&
        nbc_case_create(refs, parent, NBC_CASE_TAXA, taxon_of, c->pool, &model) ==
            ST_OK) {
        context.model = model.model;
        if (nbc_case_run(&nbc_cpu_backend, &context, reads, &want) == ST_OK) {
            context.device = &c->gpu;
            n_wrong = compare(&context, reads, &want);
            nbc_results_free(&want);
        }
    }
    printf("%s\t%lld references of %lld\t%lld reads of 1 .. %lld\t%d resamples\t%lld "
           "wrong\n",
           n_wrong == 0 ? "equal" : "WRONG", (long long)m->n_refs, (long long)m->len,
           (long long)m->n_reads, (long long)m->read_len_max, m->n_resamples,
           (long long)n_wrong);
    fflush(stdout);
    c->n_failed += n_wrong != 0;
    nbc_case_free(&model);
    seqset_destroy(refs);
    seqset_destroy(reads);
    free(taxon_of);
}

int main(void)
{
    comparison_t c = {0};
    const int code = gpu_case_begin(0, &c.cpu, &c.gpu, &c.pool);

    if (code != EXIT_SUCCESS)
        return code;
    for (size_t i = 0; i < sizeof(models) / sizeof(*models); i++)
        try_model(&c, &models[i], i);
    pool_destroy(c.pool);
    return c.n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
