/*
 * gpu_gang.c - every operation of the gang through NCCL, with one rank on one GPU.
 */
#include "io/base/clock.h"
#include "kernels/gang/gang_nccl.h"
#include "tests/kernels/gang/gang_case.h"

enum { SKIPPED = 77, N_TIMES = 1000 };

static int later(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* @return whether all of them succeeded */
static bool print_latency(gang_t *g)
{
    static double us[N_TIMES];
    void *data = NULL;

    if (g->alloc(g, 16, &data) != ST_OK)
        return false;
    for (int i = 0; i < N_TIMES; i++) {
        double start = clock_now_s();

        if (g->allreduce(g, data, data, 1, GANG_INT64, GANG_MAX) != ST_OK)
            return false;
        us[i] = 1e6 * (clock_now_s() - start);
    }
    g->free(g, data);
    qsort(us, N_TIMES, sizeof(us[0]), later);
    printf("allreduce/8B, one rank: %.1f us median\n", us[N_TIMES / 2]);
    return true;
}

int main(void)
{
    device_t gpus[DEVICES_MAX];
    gang_nccl_id_t id;
    gang_t *g = NULL;
    int n_failures;

    if (!gang_nccl_is_built() || device_list_cuda(gpus) == 0) {
        printf("skipped: %s\n",
               gang_nccl_is_built() ? device_cuda_absence() : "built without NCCL");
        return SKIPPED;
    }
    if (gang_nccl_make_id(&id) != ST_OK ||
        gang_nccl_create(&gpus[0], 0, 1, &id, &g) != ST_OK)
        return 1;
    n_failures = gang_case_run(g) + !print_latency(g);
    if (g->memory != GANG_DEVICE)
        n_failures++;
    g->cancel(g);
    if (g->barrier(g) != ST_ESTOPPED)
        n_failures++;
    g->destroy(g);
    printf("%d checks failed\n", n_failures);
    return n_failures > 0;
}
