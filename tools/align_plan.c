/*
 * align_plan.c - what a run of `align` takes, and whether it fits.
 */
#include "tools/align_plan.h"

#include "io/base/byte_size.h"
#include "io/base/logmsg.h"
#include "worker/align/align_opts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNEL_BYTES = 64 };

/* What a rank has. */
typedef struct {
    char host[BIND_HOST_BYTES], device[DEVICE_NAME_BYTES], kernel[KERNEL_BYTES];
    double cells_per_s;
    double gpu_memory; /* 0: no GPU */
} rank_t;

static void print_size(const char *what, double bytes, const char *note)
{
    char text[BYTE_SIZE_TEXT_BYTES];

    printf("%s\t%s%s\n", what, byte_size_text(bytes, text), note);
}

/* @return the cells of all pairs */
static double print_sizes(const job_t *job)
{
    const job_align_size_t size = job_align_size(job);
    double cells = 0;
    int64_t pairs = 0;

    for (int64_t k = 0; k < job->plan.n_tasks; k++) {
        pairs += job_items(job, k);
        cells += (double)job_cost(job, k);
    }
    printf("pairs\t%" PRId64 "\ncells\t%.4g\ntiles\t%" PRId64 "\n", pairs, cells,
           job->plan.n_tasks);
    if (size.output > 0)
        print_size("file", size.output, " before compression");
    else
        printf("file\tdepends on the number of hits\n");
    print_size("memory of a rank", size.sequences + size.batches, "");
    return cells;
}

static void print_rates(const job_t *job, double cells, const rank_t *ranks, int n_ranks)
{
    const job_align_size_t size = job_align_size(job);
    double cells_per_s = 0;

    for (int i = 0; i < n_ranks; i++) {
        const rank_t *r = &ranks[i];
        char of[BYTE_SIZE_TEXT_BYTES], note[64 + BYTE_SIZE_TEXT_BYTES];

        printf("rank %d\t%s, %s, kernel %s, %.4g cells/s\n", i, r->host, r->device,
               r->kernel, r->cells_per_s);
        cells_per_s += r->cells_per_s;
        if (r->gpu_memory == 0)
            continue;
        snprintf(note, sizeof(note), " for sequences, and batches, of %s",
                 byte_size_text(r->gpu_memory, of));
        print_size("GPU memory", size.sequences, note);
    }
    /* there is no word for the cells of a job that may leave out pairs */
    printf("time\t%s%.3g s\n", job->plan.cost_word == NULL ? "at most " : "",
           cells / cells_per_s);
}

static status_t measure(job_t *job, const binding_t *b, pool_t *pool, rank_t *out)
{
    const char *kernel = "";
    status_t st = job_prepare(job, &b->device, pool, &kernel, &out->cells_per_s);

    memcpy(out->host, b->host, sizeof(out->host));
    memcpy(out->device, b->device.name, sizeof(out->device));
    snprintf(out->kernel, sizeof(out->kernel), "%s", kernel);
    out->gpu_memory = device_is_gpu(&b->device) ? (double)b->device.memory_bytes : 0;
    return st;
}

status_t align_plan_run(job_t *job, exchange_t *x)
{
    const binding_t *binding = job->opts->binding;
    rank_t mine = {.cells_per_s = 0};
    rank_t *ranks = calloc((size_t)x->n_ranks, sizeof(*ranks));
    pool_t *pool = NULL;
    double cells = 0;
    status_t st = exchange_agree(x, ranks != NULL ? ST_OK : log_nomem("a plan"));

    if (st == ST_OK && (st = job_begin(job, x)) == ST_OK) {
        if (x->rank == 0)
            cells = print_sizes(job);
        st = job_align_check_fit(job, x);
    }
    if (st == ST_OK) {
        if ((st = pool_create(binding->n_threads, &pool)) == ST_OK)
            st = measure(job, binding, pool, &mine);
        st = exchange_agree(x, st);
    }
    if (st == ST_OK)
        st = x->allgather(x, &mine, sizeof(mine), ranks);
    if (st == ST_OK && x->rank == 0)
        print_rates(job, cells, ranks, x->n_ranks);
    job_destroy(job);
    pool_destroy(pool);
    free(ranks);
    return st;
}
