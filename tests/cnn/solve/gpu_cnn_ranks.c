/*
 * gpu_cnn_ranks.c - ranks on GPUs learn what one does: several ranks on one GPU, whose
 * gradients go by way of the host, and ranks with a GPU each, through NCCL.
 *
 * Ranks are threads.  Iterations are enough for steps to run as CUDA graphs.
 */
#include "kernels/cnn/engine/cnn_engine.h"
#include "kernels/gang/gang_nccl.h"
#include "tests/support/rank_train.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77 };

/* Strict: sums in another order.  TF32 rounds factors to 11 bits, each way if their last
 * bits differ: ranks may differ twice as much as TF32 and fp32 do on one rank. */
static const double strict_tolerance = 1e-4, tf32_share = 2;

static const char layers[] = "a = convolution 8 kernel=3 pad=1 batch-norm relu\n"
                             "b = max 2\n"
                             "b1 = convolution 4 kernel=1 batch-norm relu from=b\n"
                             "b2 = convolution 4 kernel=3 pad=1 batch-norm from=b\n"
                             "c = concat from=b1,b2\n"
                             "d = linear 16 relu dropout\n"
                             "e = linear classes\n"
                             "f = softmax\n"
                             "[solver]\nmomentum = 0.9\ndecay = 0.001\n";

/* Members of a gang through NCCL. */
typedef struct {
    const device_t *gpus;
    gang_nccl_id_t id;
    gang_t *members[THREAD_GANG_RANKS_MAX];
} nccl_t;

static gang_t *join_nccl(void *arg, gang_t *threads)
{
    nccl_t *n = arg;
    const int r = threads->rank;

    if (gang_nccl_create(&n->gpus[r], r, threads->n_ranks, &n->id, &n->members[r]) !=
        ST_OK)
        abort();
    return n->members[r];
}

/* @param one  what one rank learned @return whether n_ranks learn the same */
static bool learn_as(rank_train_t how, int n_ranks, size_t bucket_bytes, double tolerance,
                     const rank_trained_t *one, const char *what)
{
    rank_trained_t more;
    double difference = INFINITY, loss = INFINITY;
    bool same = true;

    how.n_ranks = n_ranks;
    how.bucket_bytes = bucket_bytes;
    if (rank_train(&how, &more) == ST_OK) {
        difference = rank_trained_difference(one, &more);
        loss = fabs(one->test_loss[0] - more.test_loss[0]);
        for (int r = 1; r < n_ranks; r++)
            same = same && memcmp(more.values[0], more.values[r],
                                  (size_t)more.n * sizeof(float)) == 0;
    }
    rank_trained_free(&more);
    printf("%s, %s, %d ranks, buckets of %zu: difference %.2g, of the loss %.2g%s\n",
           how.kernel, what, n_ranks, bucket_bytes, difference, loss,
           same ? "" : "; the ranks differ");
    return same && difference <= tolerance && loss <= tolerance;
}

/* @param one  what one rank learned @return how many other numbers of ranks do not */
static int try_ranks(rank_train_t how, const device_t *gpus, int n_gpus, double tolerance,
                     const rank_trained_t *one)
{
    const char *what = how.is_tf32 ? "TF32" : "fp32";
    nccl_t nccl = {.gpus = gpus};
    int failed = 0;

    failed += !learn_as(how, 2, 0, tolerance, one, what);
    failed += !learn_as(how, 3, 100, tolerance, one, what);
    how.devices = gpus;
    how.gang_of = join_nccl;
    how.arg = &nccl;
    for (int n = 2; n_gpus > 1 && n <= 3 && n <= n_gpus; n++) {
        if (gang_nccl_make_id(&nccl.id) != ST_OK)
            return failed + 1;
        failed += !learn_as(how, n, n == 2 ? 100 : 0, tolerance, one, "NCCL");
        for (int r = 0; r < n; r++)
            nccl.members[r]->destroy(nccl.members[r]);
    }
    return failed;
}

static int try_backend(const char *kernel, const device_t *gpus, int n_gpus)
{
    const device_t same[] = {gpus[0], gpus[0], gpus[0]};
    rank_train_t how = {.layers = layers,
                        .devices = same,
                        .kernel = kernel,
                        .n_ranks = 1,
                        .n_iterations = 20};
    rank_trained_t strict = {0}, tf32 = {0};
    int failed = 1;

    if (rank_train(&how, &strict) == ST_OK) {
        failed = try_ranks(how, gpus, n_gpus, strict_tolerance, &strict);
        how.is_tf32 = true;
        if (rank_train(&how, &tf32) == ST_OK) {
            const double rounding = rank_trained_difference(&strict, &tf32);

            printf("%s: TF32 and fp32 differ by %.2g\n", kernel, rounding);
            failed += try_ranks(how, gpus, n_gpus, tf32_share * rounding, &tf32);
        } else {
            failed++;
        }
    }
    rank_trained_free(&strict);
    rank_trained_free(&tf32);
    return failed;
}

int main(void)
{
    device_t gpus[DEVICES_MAX];
    int n_gpus = device_list_cuda(gpus), failed = 0;

    if (n_gpus == 0) {
        printf("skipped: %s\n", device_cuda_absence());
        return SKIPPED;
    }
    if (!gang_nccl_is_built())
        n_gpus = 1;
    printf("%d GPUs%s\n", n_gpus, n_gpus == 1 ? ": NCCL is not tried" : "");
    for (int b = 0; cnn_backends()[b] != NULL; b++)
        if (cnn_backends()[b]->kind == DEVICE_CUDA)
            failed += try_backend(cnn_backends()[b]->name, gpus, n_gpus);
    printf("%d cases failed\n", failed);
    return failed > 0;
}
