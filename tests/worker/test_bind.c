/*
 * test_bind.c - ranks divide processors and GPUs; each rank is a thread here, and hosts
 * and devices are made up.
 *
 * The system's functions that bind.c calls are replaced by the ones below.
 */
#include "tests/support/unit_test.h"

#include "io/base/logmsg.h"
#include "tests/support/captured_log.h"
#include "worker/bind.h"

#include <pthread.h>
#include <sched.h>

enum { RANKS_MAX = 4, GPUS_MAX = 3, MEMORY = 1 << 20 };

typedef struct {
    exchange_t exchange;
    const char *host;
    int mask, n_cores;          /* masks of equal numbers are equal */
    const char *uuid[GPUS_MAX]; /* of the GPUs that it sees, until a NULL */
    const char *option;
    int n_threads;
    status_t status;
    binding_t binding;
} rank_t;

static rank_t ranks[RANKS_MAX];
static int n_ranks;
static pthread_barrier_t barrier;
static const void *sent[RANKS_MAX];
static _Thread_local const rank_t *me;

int gethostname(char *name, size_t len)
{
    snprintf(name, len, "%s", me->host);
    return 0;
}

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *mask)
{
    (void)pid;
    if (me == NULL)
        return -1;
    CPU_ZERO_S(size, mask);
    for (int i = 0; i < me->n_cores; i++)
        CPU_SET_S((size_t)(me->mask * 16 + i), size, mask);
    return 0;
}

device_t device_cpu(void)
{
    return (device_t){.kind = DEVICE_CPU,
                      .name = "a CPU",
                      .memory_bytes = MEMORY,
                      .n_cores = me->n_cores};
}

int device_list_cuda(device_t *out)
{
    int n = 0;

    for (; n < GPUS_MAX && me->uuid[n] != NULL; n++) {
        out[n] = (device_t){.kind = DEVICE_CUDA, .index = n, .name = "a GPU"};
        snprintf(out[n].uuid, sizeof(out[n].uuid), "%s", me->uuid[n]);
    }
    return n;
}

const char *device_cuda_absence(void)
{
    return "there is no driver";
}

static status_t allgather(exchange_t *x, const void *in, size_t len, void *out)
{
    sent[x->rank] = in;
    pthread_barrier_wait(&barrier);
    for (int r = 0; r < x->n_ranks; r++)
        memcpy((char *)out + (size_t)r * len, sent[r], len);
    pthread_barrier_wait(&barrier);
    return ST_OK;
}

static void *rank_main(void *arg)
{
    rank_t *r = arg;

    me = r;
    r->status = bind_choose(&r->exchange, r->option, r->n_threads, &r->binding);
    return NULL;
}

/* Set up n ranks with 8 processors on one host, which a test may change. */
static void set_up(int n, const char *option)
{
    n_ranks = n;
    memset(ranks, 0, sizeof(ranks));
    for (int r = 0; r < n; r++)
        ranks[r] = (rank_t){.exchange = {.rank = r, .n_ranks = n, .allgather = allgather},
                            .host = "node1",
                            .n_cores = 8,
                            .option = option};
}

/* All ranks choose; their messages are captured. */
static void choose(void)
{
    pthread_t threads[RANKS_MAX];

    assert_int_equal(pthread_barrier_init(&barrier, NULL, (unsigned)n_ranks), 0);
    capture_start();
    for (int r = 0; r < n_ranks; r++)
        assert_int_equal(pthread_create(&threads[r], NULL, rank_main, &ranks[r]), 0);
    for (int r = 0; r < n_ranks; r++)
        pthread_join(threads[r], NULL);
    capture_stop();
    pthread_barrier_destroy(&barrier);
}

static void choose_without_errors(void)
{
    choose();
    for (int r = 0; r < n_ranks; r++)
        assert_int_equal(ranks[r].status, ST_OK);
}

static void assert_threads(int a, int b, int c, int d)
{
    const int expected[RANKS_MAX] = {a, b, c, d};

    for (int r = 0; r < n_ranks; r++)
        assert_int_equal(ranks[r].binding.n_threads, expected[r]);
}

static void assert_gpu(int rank, const char *uuid, int index)
{
    assert_int_equal(ranks[rank].binding.device.kind, DEVICE_CUDA);
    assert_string_equal(ranks[rank].binding.device.uuid, uuid);
    assert_int_equal(ranks[rank].binding.device.index, index);
}

static int n_lines_logged(void)
{
    int n = 0;

    for (const char *c = logged; *c != '\0'; c++)
        n += *c == '\n';
    return n;
}

static void a_single_rank_uses_all_processors(void **state)
{
    (void)state;
    set_up(1, "auto");
    choose_without_errors();
    assert_threads(8, 0, 0, 0);
    assert_int_equal(ranks[0].binding.memory_bytes, MEMORY);
    assert_string_equal(ranks[0].binding.host, "node1");
    assert_int_equal(ranks[0].binding.device.kind, DEVICE_CPU);
    assert_logged_nothing();
}

static void ranks_with_the_same_mask_divide_its_processors(void **state)
{
    (void)state;
    set_up(4, "auto");
    choose_without_errors();
    assert_threads(2, 2, 2, 2);
    for (int r = 0; r < 4; r++)
        assert_int_equal(ranks[r].binding.memory_bytes, MEMORY / 4);
}

static void ranks_with_different_masks_use_them_whole(void **state)
{
    (void)state;
    set_up(4, "auto");
    ranks[2].mask = ranks[3].mask = 1;
    ranks[3].n_cores = 6; /* a third mask */
    choose_without_errors();
    assert_threads(4, 4, 8, 6);
    assert_int_equal(ranks[3].binding.memory_bytes, MEMORY / 4);
}

static void ranks_of_different_hosts_do_not_divide_processors(void **state)
{
    (void)state;
    set_up(4, "auto");
    ranks[1].host = ranks[2].host = ranks[3].host = "node2";
    choose_without_errors();
    assert_threads(8, 2, 2, 2);
    assert_int_equal(ranks[0].binding.memory_bytes, MEMORY);
    assert_int_equal(ranks[1].binding.memory_bytes, MEMORY / 3);
    assert_string_equal(ranks[3].binding.host, "node2");
}

static void every_rank_has_a_thread(void **state)
{
    (void)state;
    set_up(4, "auto");
    for (int r = 0; r < 4; r++)
        ranks[r].n_cores = 2;
    choose_without_errors();
    assert_threads(1, 1, 1, 1);
}

static void an_explicit_number_of_threads_is_used(void **state)
{
    (void)state;
    set_up(2, "auto");
    ranks[0].n_threads = ranks[1].n_threads = 5;
    choose_without_errors();
    assert_threads(5, 5, 0, 0);
}

static void ranks_bound_to_one_processor_get_one_warning(void **state)
{
    (void)state;
    set_up(2, "auto");
    ranks[0].n_cores = ranks[1].n_cores = 1;
    ranks[1].mask = 1;
    choose_without_errors();
    assert_threads(1, 1, 0, 0);
    assert_int_equal(n_lines_logged(), sysconf(_SC_NPROCESSORS_ONLN) > 2 ? 1 : 0);
    if (n_lines_logged() == 1)
        assert_logged("warning: node1: a rank may use one processor of ");
}

static void without_a_gpu_auto_is_the_cpu_and_cuda_is_an_error(void **state)
{
    (void)state;
    set_up(1, "cuda");
    choose();
    assert_int_equal(ranks[0].status, ST_EDEVICE);
    assert_logged("--device cuda: no GPU to use: there is no driver; give --device cpu");
    assert_logged_one_line();
    set_up(1, "cuda:0");
    choose();
    assert_int_equal(ranks[0].status, ST_EDEVICE);
    assert_logged("--device cuda:0: no GPU to use");
    set_up(1, "auto");
    choose_without_errors();
    assert_int_equal(ranks[0].binding.device.kind, DEVICE_CPU);
}

static void one_rank_without_a_gpu_stops_all_ranks(void **state)
{
    (void)state;
    set_up(3, "cuda");
    ranks[0].uuid[0] = ranks[2].uuid[0] = "GPU-a";
    choose();
    for (int r = 0; r < 3; r++)
        assert_int_equal(ranks[r].status, ST_EDEVICE);
    assert_logged_one_line();
}

static void auto_uses_a_gpu_and_cpu_does_not(void **state)
{
    (void)state;
    set_up(1, "auto");
    ranks[0].uuid[0] = "GPU-a";
    choose_without_errors();
    assert_gpu(0, "GPU-a", 0);
    ranks[0].option = "cpu";
    choose_without_errors();
    assert_int_equal(ranks[0].binding.device.kind, DEVICE_CPU);
    assert_logged_nothing();
}

static void a_gpu_is_chosen_by_its_index(void **state)
{
    (void)state;
    set_up(1, "cuda:1");
    ranks[0].uuid[0] = "GPU-a";
    ranks[0].uuid[1] = "GPU-b";
    choose_without_errors();
    assert_gpu(0, "GPU-b", 1);
}

static void an_unknown_gpu_index_is_refused(void **state)
{
    static const char *const bad[] = {"cuda:2", "cuda:-1", "cuda:", "cuda:x", "cuda:0x"};

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        set_up(1, bad[i]);
        ranks[0].uuid[0] = "GPU-a";
        ranks[0].uuid[1] = "GPU-b";
        choose();
        assert_int_equal(ranks[0].status, ST_EUSAGE);
        assert_logged(bad[i]);
        assert_logged(": there is no such GPU here");
        assert_logged_one_line();
    }
}

static void ranks_of_a_host_use_one_gpu_each(void **state)
{
    (void)state;
    set_up(4, "auto");
    ranks[2].host = ranks[3].host = "node2";
    for (int r = 0; r < 4; r++) {
        ranks[r].uuid[0] = r < 2 ? "GPU-a" : "GPU-c";
        ranks[r].uuid[1] = r < 2 ? "GPU-b" : "GPU-d";
    }
    choose_without_errors();
    assert_gpu(0, "GPU-a", 0);
    assert_gpu(1, "GPU-b", 1);
    assert_gpu(2, "GPU-c", 0);
    assert_gpu(3, "GPU-d", 1);
    assert_logged_nothing();
}

static void gpus_with_the_same_index_are_distinguished_by_uuid(void **state)
{
    (void)state;
    set_up(3, "auto");
    ranks[0].uuid[0] = "GPU-a"; /* CUDA_VISIBLE_DEVICES shows each rank its own */
    ranks[1].uuid[0] = "GPU-b";
    ranks[2].uuid[0] = "GPU-b"; /* and this rank one more */
    ranks[2].uuid[1] = "GPU-c";
    choose_without_errors();
    assert_gpu(0, "GPU-a", 0);
    assert_gpu(1, "GPU-b", 0);
    assert_gpu(2, "GPU-c", 1);
    assert_logged_nothing();
}

static void ranks_that_share_a_gpu_get_one_warning(void **state)
{
    (void)state;
    set_up(3, "auto");
    for (int r = 0; r < 3; r++) {
        ranks[r].uuid[0] = "GPU-a";
        ranks[r].uuid[1] = "GPU-b";
    }
    choose_without_errors();
    assert_gpu(0, "GPU-a", 0);
    assert_gpu(1, "GPU-b", 1);
    assert_gpu(2, "GPU-a", 0);
    assert_logged("warning: node1: 2 ranks share a GPU (GPU-a): start one rank per GPU");
    assert_logged_one_line();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_single_rank_uses_all_processors),
        cmocka_unit_test(ranks_with_the_same_mask_divide_its_processors),
        cmocka_unit_test(ranks_with_different_masks_use_them_whole),
        cmocka_unit_test(ranks_of_different_hosts_do_not_divide_processors),
        cmocka_unit_test(every_rank_has_a_thread),
        cmocka_unit_test(an_explicit_number_of_threads_is_used),
        cmocka_unit_test(ranks_bound_to_one_processor_get_one_warning),
        cmocka_unit_test(without_a_gpu_auto_is_the_cpu_and_cuda_is_an_error),
        cmocka_unit_test(one_rank_without_a_gpu_stops_all_ranks),
        cmocka_unit_test(auto_uses_a_gpu_and_cpu_does_not),
        cmocka_unit_test(a_gpu_is_chosen_by_its_index),
        cmocka_unit_test(an_unknown_gpu_index_is_refused),
        cmocka_unit_test(ranks_of_a_host_use_one_gpu_each),
        cmocka_unit_test(gpus_with_the_same_index_are_distinguished_by_uuid),
        cmocka_unit_test(ranks_that_share_a_gpu_get_one_warning),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
