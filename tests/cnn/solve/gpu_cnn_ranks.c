/*
 * gpu_cnn_ranks.c - ranks on GPUs learn what one does: several ranks on one GPU, whose
 * gradients go by way of the host, and ranks with a GPU each, through NCCL.
 *
 * Ranks are threads.  Iterations are enough for steps to run as CUDA graphs.
 */
#include "kernels/gang/gang_nccl.h"
#include "kernels/registry/backends.h"
#include "tests/support/rank_train.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77 };

/* Strict: sums in another order.  TF32: algorithms for other batches may round factors to
 * 11 bits or may not, and some percent of the largest parameter come of it. */
static const struct {
    const char *name;
    bool is_tf32;
    double tolerance;
} precisions[] = {{"fp32", false, 1e-4}, {"TF32", true, 5e-2}};

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

static void free_members(nccl_t *nccl, int n)
{
    for (int r = 0; r < n; r++)
        nccl->members[r]->destroy(nccl->members[r]);
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
    printf("%s, %s%s, %d ranks, buckets of %zu: difference %.2g, of the loss %.2g%s\n",
           how.kernel, what, how.is_limited ? " within a limit" : "", n_ranks,
           bucket_bytes, difference, loss, same ? "" : "; the ranks differ");
    return same && difference <= tolerance && loss <= tolerance;
}

/* Choices of one training are taken by another: by their first line alone, which names
 * the library, a step has no algorithm.  @return whether that is so */
static bool takes_choices(rank_train_t how, const rank_trained_t *one)
{
    char *text = strdup((const char *)one->choices.data);
    rank_trained_t again, none;
    bool same = false, refused = true;

    how.choices = text;
    if (rank_train(&how, &again) == ST_OK)
        same = memcmp(one->values[0], again.values[0], (size_t)one->n * sizeof(float)) ==
                   0 &&
               strcmp(text, (const char *)again.choices.data) == 0;
    rank_trained_free(&again);
    if (strchr(text, '\n') != NULL) {
        strchr(text, '\n')[1] = '\0';
        refused = rank_train(&how, &none) == ST_EDEVICE;
        rank_trained_free(&none);
    }
    free(text);
    printf("%s: choices of algorithms %s\n", how.kernel,
           !same     ? "change what is learned"
           : refused ? "are taken"
                     : "are ignored");
    return same && refused;
}

static int try_backend(const char *kernel, const device_t *gpus, int n_gpus)
{
    int failed = 0;

    for (int p = 0; p < 2; p++) {
        const device_t same[] = {gpus[0], gpus[0], gpus[0]};
        rank_train_t how = {.layers = layers,
                            .devices = same,
                            .kernel = kernel,
                            .is_tf32 = precisions[p].is_tf32,
                            .n_ranks = 1,
                            .n_iterations = 20};
        const double tolerance = precisions[p].tolerance;
        nccl_t nccl = {.gpus = gpus};
        rank_trained_t one;

        if (rank_train(&how, &one) != ST_OK)
            return 1;
        failed += !takes_choices(how, &one);
        failed += !learn_as(how, 2, 0, tolerance, &one, precisions[p].name);
        failed += !learn_as(how, 3, 100, tolerance, &one, precisions[p].name);
        how.is_limited = true;
        failed += !learn_as(how, 2, 0, tolerance, &one, precisions[p].name);
        how.is_limited = false;
        how.devices = gpus;
        how.gang_of = join_nccl;
        how.arg = &nccl;
        for (int n = 2; n_gpus > 1 && n <= 3 && n <= n_gpus; n++) {
            if (gang_nccl_make_id(&nccl.id) != ST_OK)
                return failed + 1;
            failed += !learn_as(how, n, n == 2 ? 100 : 0, tolerance, &one, "NCCL");
            free_members(&nccl, n);
            how.is_limited = true;
            if (gang_nccl_make_id(&nccl.id) != ST_OK)
                return failed + 1;
            failed += !learn_as(how, n, 0, tolerance, &one, "NCCL");
            how.is_limited = false;
            free_members(&nccl, n);
        }
        rank_trained_free(&one);
    }
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
    for (const backend_t *const *row = cnn_table.rows; *row != NULL; row++)
        if ((*row)->kind == DEVICE_CUDA)
            failed += try_backend((*row)->name, gpus, n_gpus);
    printf("%d cases failed\n", failed);
    return failed > 0;
}
