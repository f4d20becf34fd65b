/*
 * align_plan.c - what a run of `align` takes, and whether it fits.
 */
#include "tools/align_plan.h"

#include "io/base/byte_size.h"
#include "io/base/logmsg.h"
#include "worker/align/job_align.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

enum { KERNEL_BYTES = 64 };

/* What a rank has. */
typedef struct {
    char host[BIND_HOST_BYTES], device[DEVICE_NAME_BYTES], kernel[KERNEL_BYTES];
    double cells_per_s;
    double memory;     /* of the rank's host, its part */
    double gpu_memory; /* 0: no GPU */
} rank_t;

typedef struct {
    job_plan_t job;
    job_align_size_t size;
    int64_t pairs;
    double cells, cells_per_s, free_bytes;
} plan_t;

static void count(const void *job, plan_t *p)
{
    for (int64_t k = 0; k < p->job.n_tasks; k++) {
        p->pairs += job_align_ops.items(job, k);
        p->cells += (double)job_align_ops.cost(job, k);
    }
}

/* @return bytes that the file system of a file to be has free; -1: unknown */
static double free_bytes(const char *path)
{
    char *folder = strdup(path), *slash = folder != NULL ? strrchr(folder, '/') : NULL;
    struct statvfs disk;
    bool good;

    if (folder == NULL)
        return -1;
    if (slash != NULL)
        slash[slash == folder] = '\0';
    good = statvfs(slash != NULL ? folder : ".", &disk) == 0;
    free(folder);
    return good ? (double)disk.f_bavail * (double)disk.f_frsize : -1;
}

static void print_size(const char *what, double bytes, const char *note)
{
    char text[BYTE_SIZE_TEXT_BYTES];

    printf("%s\t%s%s\n", what, byte_size_text(bytes, text), note);
}

static void print(const plan_t *p, const rank_t *ranks, int n_ranks)
{
    printf("pairs\t%" PRId64 "\ncells\t%.4g\ntiles\t%" PRId64 "\n", p->pairs, p->cells,
           p->job.n_tasks);
    if (p->size.output > 0)
        print_size("file", p->size.output, " before compression");
    else
        printf("file\tdepends on the number of hits\n");
    print_size("memory of a rank", p->size.sequences + p->size.batches, "");
    for (int i = 0; i < n_ranks; i++) {
        printf("rank %d\t%s, %s, kernel %s, %.4g cells/s\n", i, ranks[i].host,
               ranks[i].device, ranks[i].kernel, ranks[i].cells_per_s);
        if (ranks[i].gpu_memory > 0)
            print_size("GPU memory", ranks[i].gpu_memory, " available");
    }
    printf("time\t%.3g s\n", p->cells / p->cells_per_s);
}

/* @return ST_OK, or ST_EINPUT (logged) */
static status_t check_disk(const plan_t *p, const align_opts_t *o)
{
    char need[BYTE_SIZE_TEXT_BYTES], has[BYTE_SIZE_TEXT_BYTES];

    if (p->free_bytes < 0 || p->size.output <= p->free_bytes)
        return ST_OK;
    log_error(
        "%s: results take up to %s, and the disk has %s; give %s, or -o on a larger "
        "disk",
        o->output, byte_size_text(p->size.output, need),
        byte_size_text(p->free_bytes, has), p->size.smaller_output);
    return ST_EINPUT;
}

static status_t check_memory(const plan_t *p, const rank_t *r, int rank)
{
    char need[BYTE_SIZE_TEXT_BYTES], has[BYTE_SIZE_TEXT_BYTES];
    double bytes = p->size.sequences + p->size.batches;

    if (bytes > r->memory) {
        log_error("rank %d on %s needs %s of memory and has %s; give a smaller --memory, "
                  "or fewer ranks per node",
                  rank, r->host, byte_size_text(bytes, need),
                  byte_size_text(r->memory, has));
        return ST_EINPUT;
    }
    if (r->gpu_memory > 0 && p->size.sequences > r->gpu_memory) {
        log_error("rank %d: the sequences take %s, and %s has %s; give --device cpu",
                  rank, byte_size_text(p->size.sequences, need), r->device,
                  byte_size_text(r->gpu_memory, has));
        return ST_EINPUT;
    }
    return ST_OK;
}

static status_t report(plan_t *p, const align_opts_t *o, const rank_t *ranks, int n_ranks)
{
    status_t st;

    p->free_bytes = free_bytes(o->output);
    for (int i = 0; i < n_ranks; i++)
        p->cells_per_s += ranks[i].cells_per_s;
    print(p, ranks, n_ranks);
    st = check_disk(p, o);
    for (int i = 0; st == ST_OK && i < n_ranks; i++)
        st = check_memory(p, &ranks[i], i);
    return st;
}

static status_t measure(void *job, const binding_t *b, pool_t *pool, rank_t *out)
{
    const char *kernel = "";
    status_t st =
        job_align_ops.prepare(job, &b->device, pool, &kernel, &out->cells_per_s);

    memcpy(out->host, b->host, sizeof(out->host));
    memcpy(out->device, b->device.name, sizeof(out->device));
    snprintf(out->kernel, sizeof(out->kernel), "%s", kernel);
    out->memory = (double)b->memory_bytes;
    out->gpu_memory = b->device.kind != DEVICE_CPU ? (double)b->device.memory_bytes : 0;
    return st;
}

status_t align_plan_run(void *job, const align_opts_t *opts, exchange_t *x,
                        const binding_t *binding)
{
    plan_t p = {.pairs = 0};
    rank_t mine = {.cells_per_s = 0};
    rank_t *ranks = calloc((size_t)x->n_ranks, sizeof(*ranks));
    pool_t *pool = NULL;
    status_t st = ranks != NULL ? ST_OK : log_nomem("a plan");

    if ((st = exchange_agree(x, st)) == ST_OK)
        st = job_align_ops.begin(job, x, &p.job);
    if (st == ST_OK) {
        if ((st = pool_create(binding->n_threads, &pool)) == ST_OK)
            st = measure(job, binding, pool, &mine);
        st = exchange_agree(x, st);
    }
    if (st == ST_OK)
        st = x->gather(x, &mine, sizeof(mine), ranks);
    if (st == ST_OK) {
        p.size = job_align_size(job);
        count(job, &p);
        st =
            exchange_agree(x, x->rank == 0 ? report(&p, opts, ranks, x->n_ranks) : ST_OK);
    }
    job_align_ops.destroy(job);
    pool_destroy(pool);
    free(ranks);
    return st;
}
