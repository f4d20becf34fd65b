/*
 * test_rg_collection.c - changes of collections: what they count, and lists that grow and
 * that are taken from.
 */
#include "tests/support/unit_test.h"

#include "graph/program/rg_collection.h"

enum { N = 200 };

static rg_set_t made(rg_collection_t kind)
{
    rg_set_t s;

    assert_int_equal(rg_collection_create(&rg_collection_info[kind], N, &s), ST_OK);
    return s;
}

static void change(rg_set_t *s, int64_t node, rg_change_t how)
{
    assert_int_equal(rg_collection_change(s, N, node, how), ST_OK);
}

static void sets_have_a_node_once(void **state)
{
    static const rg_collection_t kinds[] = {RG_PLAIN_SET, RG_OSET};

    (void)state;
    for (int i = 0; i < 2; i++) {
        rg_set_t s = made(kinds[i]);

        change(&s, 64, RG_ADD);
        change(&s, 64, RG_ADD);
        change(&s, 3, RG_ADD);
        change(&s, 5, RG_REMOVE);
        assert_int_equal(s.n, 2);
        assert_int_equal(rg_collection_count(&s, 64), 1);
        change(&s, 64, RG_REMOVE);
        assert_false(rg_collection_has(&s, 64));
        assert_true(rg_collection_has(&s, 3));
        change(&s, 0, RG_CLEAR);
        assert_int_equal(s.n, 0);
        assert_false(rg_collection_has(&s, 3));
        rg_collection_free(&s);
    }
}

static void multisets_count(void **state)
{
    static const rg_collection_t kinds[] = {RG_MULTISET, RG_OMULTISET};

    (void)state;
    for (int i = 0; i < 2; i++) {
        rg_set_t s = made(kinds[i]);

        for (int k = 0; k < 3; k++)
            change(&s, 64, RG_ADD);
        change(&s, 64, RG_REMOVE);
        assert_int_equal(rg_collection_count(&s, 64), 2);
        change(&s, 64, RG_REMOVE);
        change(&s, 64, RG_REMOVE);
        change(&s, 64, RG_REMOVE);
        assert_int_equal(s.n, 0);
        assert_false(rg_collection_has(&s, 64));
        change(&s, 7, RG_ADD);
        change(&s, 0, RG_CLEAR);
        assert_int_equal(rg_collection_count(&s, 7), 0);
        rg_collection_free(&s);
    }
}

/* More elements pass through it than it has room for. */
static void a_queue_is_first_in_first_out(void **state)
{
    rg_set_t q = made(RG_QUEUE);
    int64_t in = 0, out = 0;

    (void)state;
    assert_int_equal(rg_collection_first(&q), -1);
    change(&q, 0, RG_POP);
    for (int round = 0; round < 400; round++) {
        for (int k = 0; k < 5; k++)
            change(&q, in++ % N, RG_ADD);
        for (int k = 0; k < (round < 200 ? 4 : 6) && q.n > 0; k++) {
            assert_int_equal(rg_collection_first(&q), out++ % N);
            change(&q, 0, RG_POP);
        }
    }
    assert_int_equal(in, out);
    assert_int_equal(q.n, 0);
    assert_true(q.capacity < 1024);
    rg_collection_free(&q);
}

static void a_sequence_keeps_its_order_without_what_is_removed(void **state)
{
    rg_set_t s = made(RG_OMULTISET);

    (void)state;
    for (int k = 0; k < 100; k++)
        change(&s, k % 10, RG_ADD);
    change(&s, 3, RG_REMOVE);
    assert_int_equal(s.n, 99);
    assert_int_equal(s.list[s.begin + 2], 2);
    assert_int_equal(s.list[s.begin + 3], 4);
    assert_int_equal(s.list[s.begin + 12], 3);
    assert_int_equal(rg_collection_count(&s, 3), 9);
    rg_collection_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_have_a_node_once),
        cmocka_unit_test(multisets_count),
        cmocka_unit_test(a_queue_is_first_in_first_out),
        cmocka_unit_test(a_sequence_keeps_its_order_without_what_is_removed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
