/*
 * gpu_sync.c - barriers of all blocks of a kernel: no read behind one is stale, grids of
 * any size that fit, and a grid that does not fit is refused.
 *
 * usage: gpu_sync [ROUNDS]
 *
 * With ROUNDS, only that many of each barrier on a block per multiprocessor, all barriers
 * at the same time.
 *
 * A plain program, without cmocka, which GPU machines may lack.  It exits with 1 if a
 * check fails, 77 without a GPU.
 */
#include "kernels/sync/sync_measure.h"
#include "tests/support/gpu_case.h"

#include <pthread.h>
#include <stdlib.h>

enum { ROUNDS = 100000 };

/* @return whether a barrier let no stale read pass */
static bool has_no_stale_read(const device_t *gpu, sync_kind_t kind, int n_blocks,
                              int n_threads, int cluster)
{
    const sync_setup_t setup = {kind, n_blocks, n_threads, cluster, ROUNDS, true};
    int64_t n_stale = 0;
    double s = 0;
    const bool good =
        sync_measure(gpu, &setup, &s, &n_stale) == ST_OK && n_stale == 0 && s > 0;

    printf("%s  %s, %d blocks of %d threads, clusters of %d\n",
           good ? "ok    " : "FAILED", sync_kind_name[kind], n_blocks, n_threads,
           cluster);
    return good;
}

/* @return the number of failures */
static int try_sizes(const device_t *gpu, sync_kind_t kind)
{
    const int sizes[] = {1, 2, gpu->n_cores, 2 * gpu->n_cores};
    int n_failed = 0;

    for (int k = 0; k < 4; k++)
        n_failed += !has_no_stale_read(gpu, kind, sizes[k], k == 1 ? 32 : 256, 1);
    return n_failed;
}

static int try_clusters(const device_t *gpu)
{
    return !has_no_stale_read(gpu, SYNC_CLUSTER, SYNC_CLUSTER_MAX, 256,
                              SYNC_CLUSTER_MAX) +
           !has_no_stale_read(gpu, SYNC_CLUSTER, 4, 1024, 4) +
           !has_no_stale_read(gpu, SYNC_CLUSTER_FIRST, 64, 256, 8);
}

static int try_a_grid_that_does_not_fit(const device_t *gpu)
{
    const sync_setup_t setup = {SYNC_ACQUIRE, 64 * gpu->n_cores, 1024, 1, 1, false};
    int64_t n_stale;
    double s;
    const bool good = sync_measure(gpu, &setup, &s, &n_stale) == ST_EUSAGE;

    printf("%s  a grid that does not fit is refused\n", good ? "ok    " : "FAILED");
    return !good;
}

/* What stands in a barrier's place: each round runs, or sync_measure fails. */
static int try_launches(const device_t *gpu)
{
    enum { LAUNCHES = 1000 };
    int n_failed = 0;

    for (int kind = SYNC_BARRIERS; kind < SYNC_KINDS; kind++) {
        const sync_setup_t setup = {(sync_kind_t)kind, gpu->n_cores, 256, 1,
                                    LAUNCHES,          false};
        int64_t n_stale = 0;
        double s = 0;
        const bool good = sync_measure(gpu, &setup, &s, &n_stale) == ST_OK && s > 0;

        printf("%s  %s\n", good ? "ok    " : "FAILED", sync_kind_name[kind]);
        n_failed += !good;
    }
    return n_failed;
}

/* A barrier in a thread of its own. */
typedef struct {
    pthread_t thread;
    const device_t *gpu;
    sync_setup_t setup;
    int64_t n_stale;
    double s;
    status_t st;
} long_run_t;

static void *run_long(void *run)
{
    long_run_t *r = run;

    r->st = sync_measure(r->gpu, &r->setup, &r->s, &r->n_stale);
    return NULL;
}

/* @return the number of failures, of all barriers, which run at the same time */
static int try_long_runs(const device_t *gpu, int64_t n_rounds)
{
    long_run_t runs[SYNC_BARRIERS];
    int n_failed = 0, n_begun = 0;

    for (int k = 0; k < SYNC_BARRIERS; k++) {
        const bool is_cluster = k == SYNC_CLUSTER, has_clusters = k == SYNC_CLUSTER_FIRST;
        const int n_blocks = is_cluster ? SYNC_CLUSTER_MAX : gpu->n_cores / 4 * 4;

        runs[k] = (long_run_t){.gpu = gpu,
                               .setup = {(sync_kind_t)k, n_blocks, 256,
                                         is_cluster     ? SYNC_CLUSTER_MAX
                                         : has_clusters ? 4
                                                        : 1,
                                         n_rounds, true}};
        if (pthread_create(&runs[k].thread, NULL, run_long, &runs[k]) != 0)
            break;
        n_begun++;
    }
    for (int k = 0; k < n_begun; k++) {
        bool good;

        pthread_join(runs[k].thread, NULL);
        good = runs[k].st == ST_OK && runs[k].n_stale == 0;
        printf("%s  %s, %d blocks, 3 runs of %lld rounds: %lld stale reads, %.2f us a "
               "round\n",
               good ? "ok    " : "FAILED", sync_kind_name[k], runs[k].setup.n_blocks,
               (long long)n_rounds, (long long)runs[k].n_stale, runs[k].s * 1e6);
        n_failed += !good;
    }
    return n_failed + SYNC_BARRIERS - n_begun;
}

int main(int argc, char **argv)
{
    const sync_kind_t kinds[] = {SYNC_LOCK, SYNC_ACQUIRE, SYNC_LOCK_FREE,
                                 SYNC_COOPERATIVE};
    device_t cpu, gpu;
    pool_t *pool;
    const long long n_rounds = argc > 1 ? atoll(argv[1]) : ROUNDS;
    int n_failed, code;

    if (argc > 2 || n_rounds < 1) {
        fputs("usage: gpu_sync [ROUNDS]\n", stderr);
        return 2;
    }
    code = gpu_case_begin(0, &cpu, &gpu, &pool);
    if (code != EXIT_SUCCESS)
        return code;
    if (argc > 1) {
        n_failed = try_long_runs(&gpu, n_rounds);
        pool_destroy(pool);
        printf("%d failed\n", n_failed);
        return n_failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
    }
    n_failed = try_a_grid_that_does_not_fit(&gpu);
    for (int k = 0; k < 4; k++)
        n_failed += try_sizes(&gpu, kinds[k]);
    n_failed += try_launches(&gpu);
    if (gpu.capability >= 90)
        n_failed += try_clusters(&gpu);
    pool_destroy(pool);
    printf("%d failed\n", n_failed);
    return n_failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
