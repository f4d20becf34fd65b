/*
 * bind.c - which device and how many threads each rank uses.
 */
#include "worker/bind.h"

#include "io/base/digest.h"
#include "io/base/logmsg.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What every rank has to choose from. */
typedef struct {
    char host[BIND_HOST_BYTES];
    uint64_t mask_digest; /* of its affinity mask */
    int64_t is_idle;
    int64_t n_gpus;
    char uuid[DEVICES_MAX][DEVICE_UUID_BYTES]; /* [n_gpus] */
} rank_devices_t;

static uint64_t mask_digest(void)
{
    cpu_set_t mask;

    CPU_ZERO(&mask);
    if (sched_getaffinity(0, sizeof(mask), &mask) != 0)
        return 0;
    return digest_add(DIGEST_START, &mask, sizeof(mask));
}

/* A rank that is not trusted may send anything: nothing is read behind what it can be. */
static void make_possible(rank_devices_t *ranks, int n)
{
    for (int r = 0; r < n; r++) {
        ranks[r].host[sizeof(ranks[r].host) - 1] = '\0';
        if (ranks[r].n_gpus < 0 || ranks[r].n_gpus > DEVICES_MAX)
            ranks[r].n_gpus = 0;
        for (int64_t g = 0; g < ranks[r].n_gpus; g++)
            ranks[r].uuid[g][DEVICE_UUID_BYTES - 1] = '\0';
    }
}

/* List the GPUs that the option allows. */
static status_t list_gpus(const char *option, device_t *gpus, int *n)
{
    bool must = strncmp(option, "cuda", 4) == 0;
    char *end;

    *n = strcmp(option, "cpu") == 0 || strcmp(option, "none") == 0
             ? 0
             : device_list_cuda(gpus);
    if (must && *n == 0) {
        log_error("--device %s: no GPU to use: %s; give --device cpu", option,
                  device_cuda_absence());
        return ST_EDEVICE;
    }
    if (must && option[4] == ':') {
        long index = strtol(option + 5, &end, 10);

        for (int i = 0; i < *n; i++)
            if (option[5] != '\0' && *end == '\0' && gpus[i].index == index) {
                gpus[0] = gpus[i];
                *n = 1;
                return ST_OK;
            }
        log_error("--device %s: there is no such GPU here; `ribogrid devices` lists them",
                  option);
        return ST_EUSAGE;
    }
    return ST_OK;
}

static bool same_host(const rank_devices_t *a, const rank_devices_t *b)
{
    return strcmp(a->host, b->host) == 0;
}

/* @return how many ranks before `rank` on its host have chosen this GPU */
static int users_of(const rank_devices_t *ranks, const char (*chosen)[DEVICE_UUID_BYTES],
                    int rank, const char *uuid)
{
    int n = 0;

    for (int r = 0; r < rank; r++)
        n += same_host(&ranks[r], &ranks[rank]) && strcmp(chosen[r], uuid) == 0;
    return n;
}

/*
 * Repeat the choices of all ranks of the host in order, on every rank alike: each rank
 * takes the GPU that it sees and that the fewest ranks before it have taken.
 *
 * @param n_sharing  out: ranks that use the chosen GPU, if this is the first of them;
 * else 0
 * @return the index of rank me's GPU in its list
 */
static int choose_gpu(const rank_devices_t *ranks, int n_ranks, int me, int *n_sharing)
{
    char(*chosen)[DEVICE_UUID_BYTES] = calloc((size_t)n_ranks, sizeof(*chosen));
    const char(*seen)[DEVICE_UUID_BYTES] = (const char(*)[DEVICE_UUID_BYTES])chosen;
    int mine = 0;

    *n_sharing = 0;
    for (int r = 0; chosen != NULL && r < n_ranks; r++) {
        int best = -1, min_users = 0;

        if (!same_host(&ranks[r], &ranks[me]))
            continue;
        for (int g = 0; g < ranks[r].n_gpus; g++) {
            int users = users_of(ranks, seen, r, ranks[r].uuid[g]);

            if (best < 0 || users < min_users) {
                best = g;
                min_users = users;
            }
        }
        if (best < 0)
            continue;
        memcpy(chosen[r], ranks[r].uuid[best], DEVICE_UUID_BYTES);
        mine = r == me ? best : mine;
    }
    if (chosen != NULL && ranks[me].n_gpus > 0 &&
        users_of(ranks, seen, me, ranks[me].uuid[mine]) == 0)
        for (int r = me; r < n_ranks; r++)
            *n_sharing += same_host(&ranks[r], &ranks[me]) &&
                          strcmp(chosen[r], ranks[me].uuid[mine]) == 0;
    free(chosen);
    return mine;
}

/* Ranks of one host with the same mask divide its processors; a launcher that binds ranks
 * gives each a mask of its own. */
static void divide_threads(const rank_devices_t *ranks, int n_ranks, int me,
                           int n_threads, binding_t *b)
{
    int n_cores = device_cpu().n_cores, n_mask = 0, n_host = 0;

    for (int r = 0; r < n_ranks; r++)
        if (same_host(&ranks[r], &ranks[me]) && (r == me || !ranks[r].is_idle)) {
            n_host++;
            n_mask += ranks[r].mask_digest == ranks[me].mask_digest;
        }
    b->memory_bytes = device_cpu().memory_bytes / n_host;
    b->n_threads = n_threads > 0 ? n_threads : n_cores / n_mask;
    if (b->n_threads < 1)
        b->n_threads = 1;
    if (n_threads == 0 && n_cores == 1 && sysconf(_SC_NPROCESSORS_ONLN) > n_host &&
        (me == 0 || !same_host(&ranks[me - 1], &ranks[me])))
        log_warn(
            "%s: a rank may use one processor of %ld; start it with `mpirun --bind-to "
            "none` or `srun --cpus-per-task=N`",
            b->host, sysconf(_SC_NPROCESSORS_ONLN));
}

status_t bind_choose(exchange_t *x, const char *option, int n_threads, binding_t *out)
{
    device_t gpus[DEVICES_MAX];
    rank_devices_t *ranks = calloc((size_t)x->n_ranks, sizeof(*ranks));
    rank_devices_t *mine = calloc(1, sizeof(*mine));
    int n_gpus = 0, n_sharing = 0, chosen = 0;
    binding_t b = {.device = device_cpu()};
    status_t st = ST_OK;

    if (ranks == NULL || mine == NULL)
        st = log_nomem("the ranks' devices");
    else
        st = list_gpus(option, gpus, &n_gpus);
    if ((st = exchange_agree(x, st)) != ST_OK)
        goto done;
    gethostname(mine->host, sizeof(mine->host) - 1);
    mine->mask_digest = mask_digest();
    mine->n_gpus = n_gpus;
    mine->is_idle = b.is_idle = strcmp(option, "none") == 0;
    for (int i = 0; i < n_gpus; i++)
        memcpy(mine->uuid[i], gpus[i].uuid, DEVICE_UUID_BYTES);
    if ((st = x->allgather(x, mine, sizeof(*mine), ranks)) != ST_OK)
        goto done;
    make_possible(ranks, x->n_ranks);
    memcpy(b.host, mine->host, sizeof(b.host));
    chosen = choose_gpu(ranks, x->n_ranks, x->rank, &n_sharing);
    if (n_gpus > 0)
        b.device = gpus[chosen];
    if (n_sharing > 1)
        log_warn("%s: %d ranks share %s (%s): start one rank per GPU", b.host, n_sharing,
                 b.device.name, b.device.uuid);
    divide_threads(ranks, x->n_ranks, x->rank, n_threads, &b);
    *out = b;
done:
    free(ranks);
    free(mine);
    return st;
}
