/*
 * test_choice_exchange.c - ranks with rank 0's device get its choices; each rank is a
 * thread here.
 */
#include "tests/support/unit_test.h"

#include "worker/cnn/job_cnn_state.h"

#include <pthread.h>
#include <string.h>

enum { N_RANKS = 3 };

typedef struct {
    exchange_t exchange; /* first: calls come with it */
    const char *device;
    buf_t known;
    status_t status;
} rank_t;

static pthread_barrier_t barrier;
static const void *sent[N_RANKS];

static status_t allgather(exchange_t *x, const void *in, size_t len, void *out)
{
    sent[x->rank] = in;
    pthread_barrier_wait(&barrier);
    for (int r = 0; r < N_RANKS; r++)
        memcpy((char *)out + (size_t)r * len, sent[r], len);
    pthread_barrier_wait(&barrier);
    return ST_OK;
}

static status_t broadcast(exchange_t *x, void *data, size_t len)
{
    sent[x->rank] = data;
    pthread_barrier_wait(&barrier);
    if (x->rank != 0)
        memcpy(data, sent[0], len);
    pthread_barrier_wait(&barrier);
    return ST_OK;
}

static void *rank_main(void *arg)
{
    rank_t *r = arg;

    r->status = choice_exchange(&r->exchange, r->device, &r->known);
    return NULL;
}

/* @param known  rank 0's, or NULL @param ranks  out; their texts are the caller's */
static void exchange(const char *known, rank_t ranks[N_RANKS])
{
    static const char *const devices[N_RANKS] = {"a GPU", "a GPU", "a GPU of another"};
    pthread_t threads[N_RANKS];

    assert_int_equal(pthread_barrier_init(&barrier, NULL, N_RANKS), 0);
    for (int r = 0; r < N_RANKS; r++)
        ranks[r] = (rank_t){.exchange = {.rank = r,
                                         .n_ranks = N_RANKS,
                                         .broadcast = broadcast,
                                         .allgather = allgather},
                            .device = devices[r]};
    if (known != NULL)
        assert_int_equal(buf_append(&ranks[0].known, known, strlen(known) + 1), ST_OK);
    for (int r = 0; r < N_RANKS; r++)
        assert_int_equal(pthread_create(&threads[r], NULL, rank_main, &ranks[r]), 0);
    for (int r = 0; r < N_RANKS; r++) {
        pthread_join(threads[r], NULL);
        assert_int_equal(ranks[r].status, ST_OK);
    }
    pthread_barrier_destroy(&barrier);
}

static void equal_devices_get_the_choices_of_rank_0(void **state)
{
    static const char known[] = "library 9\n0\tconv1\tplan\teng3\n";
    rank_t ranks[N_RANKS];

    (void)state;
    exchange(known, ranks);
    for (int r = 0; r < 2; r++) {
        assert_int_equal(ranks[r].known.len, sizeof(known));
        assert_memory_equal(ranks[r].known.data, known, sizeof(known));
        buf_free(&ranks[r].known);
    }
    assert_int_equal(ranks[2].known.len, 0);
}

static void no_choices_are_nothing_on_all_ranks(void **state)
{
    rank_t ranks[N_RANKS];

    (void)state;
    exchange(NULL, ranks);
    for (int r = 0; r < N_RANKS; r++)
        assert_int_equal(ranks[r].known.len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_devices_get_the_choices_of_rank_0),
        cmocka_unit_test(no_choices_are_nothing_on_all_ranks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
