/*
 * bench_nbc.c - reads per second of naive Bayes, per backend of the CPU and of the first
 * GPU.
 *
 * usage: bench_nbc REFERENCES TAXONOMY READS [THREADS [ROUNDS [BACKEND [BATCH [GB/S]]]]]
 *
 * 100 resamples, both strands; BATCH (2048) reads per batch, two of them in flight.
 * All reads are classified in every round, after a first one to warm up.  Prints a line
 * per backend: what, device, reads x mean distinct words x classes, minimum, median and
 * maximum seconds, minimum seconds of processor time, reads per second (from the median),
 * the bytes of the matrix that a read needs at least (each of its words once per strand,
 * and once for its resamples), the GB/s that follow, and the reads per second that memory
 * of GB/S (0: unknown) would allow.
 */
#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "io/seq/fasta.h"
#include "io/seq/taxonomy.h"
#include "kernels/classify/nbc_matrix.h"
#include "kernels/registry/backends.h"
#include "tests/kernels/classify/nbc_case.h"

#include <stdio.h>
#include <time.h>

enum { ROUNDS_MAX = 100, RESAMPLES = 100 };

typedef struct {
    seqset_t *reads;
    int64_t batch_reads;
    int n_rounds;
    double gb_per_s;
    double n_words; /* mean of the reads */
} bench_t;

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Classify all reads once, with two batches in flight. */
static status_t classify_all(const nbc_backend_t *backend, void *state, bench_t *b)
{
    const int64_t n_batches = (b->reads->n + b->batch_reads - 1) / b->batch_reads;
    nbc_batch_t batch[NBC_DEPTH];
    status_t st = ST_OK;

    b->n_words = 0;
    for (int64_t i = 0; st == ST_OK && i <= n_batches; i++) {
        nbc_results_t results;
        const int64_t first = i * b->batch_reads, left = b->reads->n - first;

        if (i < n_batches) {
            batch[i % NBC_DEPTH] =
                (nbc_batch_t){b->reads, first,
                              left < b->batch_reads ? left : b->batch_reads};
            st = backend->submit(state, &batch[i % NBC_DEPTH]);
        }
        if (st != ST_OK || i == 0 || (st = backend->wait(state, &results)) != ST_OK)
            continue;
        for (int64_t k = 0; k < batch[(i - 1) % NBC_DEPTH].n; k++)
            b->n_words += results.best[k].n_words / (double)b->reads->n;
    }
    return st;
}

static status_t bench(const nbc_backend_t *backend, const nbc_context_t *context,
                      bench_t *b)
{
    double seconds[ROUNDS_MAX], min_processor_s = INFINITY, bytes, rate;
    void *state = NULL;
    status_t st = backend->create(context, &state);

    for (int i = -1; st == ST_OK && i < b->n_rounds; i++) { /* -1: to warm up */
        const double start = clock_now_s();
        const clock_t begun = clock();

        st = classify_all(backend, state, b);
        if (i < 0)
            continue;
        seconds[i] = clock_now_s() - start;
        min_processor_s =
            fmin(min_processor_s, (double)(clock() - begun) / CLOCKS_PER_SEC);
    }
    if (state != NULL)
        backend->destroy(state);
    if (st != ST_OK)
        return st;
    qsort(seconds, (size_t)b->n_rounds, sizeof(*seconds), by_value);
    rate = (double)b->reads->n / seconds[b->n_rounds / 2];
    bytes = 3 * b->n_words * (double)nbc_matrix_bytes(context->model->classes->n, 1);
    printf("nbc/%s\t%s\t%lldx%.0fx%d\t%.3e\t%.3e\t%.3e\t%.3e\t%.0f\t%.3e\t%.1f\t%.0f\n",
           backend->base.name, context->device->name, (long long)b->reads->n, b->n_words,
           context->model->classes->n, seconds[0], seconds[b->n_rounds / 2],
           seconds[b->n_rounds - 1], min_processor_s, rate, bytes, 1e-9 * bytes * rate,
           1e9 * b->gb_per_s / bytes);
    fflush(stdout);
    return ST_OK;
}

static status_t bench_device(const device_t *device, const nbc_model_t *model,
                             pool_t *pool, const char *only, bench_t *b)
{
    const nbc_context_t context = {.device = device,
                                   .pool = pool,
                                   .model = model,
                                   .options = {.n_resamples = RESAMPLES,
                                               .seed = 1,
                                               .both_strands = true}};
    status_t st = ST_OK;

    for (const backend_t *const *row = nbc_table.rows; st == ST_OK && *row != NULL;
         row++) {
        const bool is_wanted = only != NULL ? strcmp((*row)->name, only) == 0
                                            : strcmp((*row)->name, "reference") != 0;

        if (is_wanted && (*row)->kind == device->kind && nbc_table.takes(*row, &context))
            st = bench((const nbc_backend_t *)*row, &context, b);
    }
    return st;
}

/* Find the lowest taxon of each reference. @param parent, taxon_of  the caller's */
static status_t read_taxa(const char *path, const seqset_t *refs, int32_t **parent,
                          int32_t **taxon_of, int32_t *n_taxa)
{
    taxonomy_t *t = NULL;
    status_t st = taxonomy_read(path, &t);

    if (st != ST_OK)
        return st;
    *n_taxa = taxonomy_n_taxa(t);
    *parent = malloc((size_t)*n_taxa * sizeof(**parent));
    *taxon_of = malloc(((size_t)refs->n + 1) * sizeof(**taxon_of));
    if (*parent == NULL || *taxon_of == NULL) {
        taxonomy_destroy(t);
        return log_nomem("taxa");
    }
    (*parent)[TAXONOMY_ROOT] = -1;
    for (int32_t taxon = 1; taxon < *n_taxa; taxon++)
        (*parent)[taxon] = taxonomy_ancestor(t, taxon, taxonomy_rank(t, taxon) - 1);
    for (int64_t i = 0; i < refs->n; i++)
        (*taxon_of)[i] = taxonomy_find(t, seqset_name(refs, i));
    taxonomy_destroy(t);
    return ST_OK;
}

static status_t run(char **argv, const char *only, pool_t *pool, bench_t *b)
{
    const fasta_opts_t options = {.skip_bad = true};
    const device_t cpu = device_cpu();
    device_t gpus[DEVICES_MAX];
    seqset_t *refs = NULL;
    int32_t *parent = NULL, *taxon_of = NULL, n_taxa = 0;
    nbc_case_t model = {0};
    double start;
    status_t st = fasta_read(argv[1], &options, NULL, &refs);

    if (st == ST_OK)
        st = fasta_read(argv[3], &options, NULL, &b->reads);
    if (st == ST_OK)
        st = read_taxa(argv[2], refs, &parent, &taxon_of, &n_taxa);
    start = clock_now_s();
    if (st == ST_OK)
        st = nbc_case_create(refs, parent, n_taxa, taxon_of, pool, &model);
    if (st == ST_OK) {
        fprintf(stderr, "%lld references, %d classes, %lld counts, in %.2f s\n",
                (long long)model.model->n_refs, model.classes.n,
                (long long)model.model->word_first[NBC_N_WORDS], clock_now_s() - start);
        st = bench_device(&cpu, model.model, pool, only, b);
    }
    if (st == ST_OK && device_list_cuda(gpus) > 0)
        st = bench_device(&gpus[0], model.model, pool, only, b);
    nbc_case_free(&model);
    free(parent);
    free(taxon_of);
    seqset_destroy(refs);
    seqset_destroy(b->reads);
    return st;
}

int main(int argc, char **argv)
{
    const int n_threads = argc > 4 ? atoi(argv[4]) : device_cpu().n_cores;
    bench_t b = {.n_rounds = argc > 5 ? atoi(argv[5]) : 5,
                 .batch_reads = argc > 7 ? atoi(argv[7]) : 2048,
                 .gb_per_s = argc > 8 ? atof(argv[8]) : 0};
    pool_t *pool = NULL;
    status_t st;

    if (argc < 4 || n_threads < 1 || b.n_rounds < 1 || b.n_rounds > ROUNDS_MAX ||
        b.batch_reads < 1) {
        fprintf(stderr, "usage: bench_nbc REFERENCES TAXONOMY READS [THREADS [ROUNDS "
                        "[BACKEND [BATCH [GB/S]]]]]\n");
        return EXIT_USAGE;
    }
    if ((st = pool_create(n_threads, &pool)) == ST_OK)
        st = run(argv, argc > 6 ? argv[6] : NULL, pool, &b);
    pool_destroy(pool);
    return status_exit_code(st);
}
