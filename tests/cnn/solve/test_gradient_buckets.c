/*
 * test_gradient_buckets.c - gradients are divided in the order of the backward steps.
 */
#include "tests/support/unit_test.h"

#include <stdint.h>
#include <stdio.h>

#include "cnn/solve/cnn_trainer.h"
#include "tests/cnn/plan/plan_case.h"

/* Values of gradients: c 12 + 3, b 4 * 32 + 4, a 2 * 2 * 3 * 3 + 2. */
static const char layers[] = "a = convolution 2 kernel=3\n"
                             "b = linear 4\n"
                             "c = linear classes\n"
                             "d = softmax\n"
                             "[solver]\n";

static gradient_buckets_t buckets_of(const plan_case_t *c, size_t min_values)
{
    gradient_buckets_t b;

    assert_int_equal(gradient_buckets_make(c->program, min_values * sizeof(float), &b),
                     ST_OK);
    return b;
}

static plan_case_t compile(void)
{
    return plan_case_layers(layers, 5, CNN_PLAN_FP32, CNN_PLAN_TRAINING);
}

static void expect_names(const plan_case_t *c, const gradient_bucket_t *b,
                         const char *names)
{
    char text[256] = "";

    for (int i = 0; i < b->n; i++) {
        strcat(text, i > 0 ? " " : "");
        strcat(text, c->program->tensors[b->tensors[i]].name);
    }
    assert_string_equal(text, names);
}

static void a_bucket_ends_where_it_is_large_enough(void **state)
{
    plan_case_t c = compile();
    gradient_buckets_t b = buckets_of(&c, 17);

    (void)state;
    assert_int_equal(b.n, 3);
    expect_names(&c, &b.buckets[0], "loss right d.c.weight d.c.bias");
    expect_names(&c, &b.buckets[1], "d.b.weight d.b.bias");
    expect_names(&c, &b.buckets[2], "d.a.weight d.a.bias");
    assert_int_equal(b.buckets[0].n_values, 17);
    assert_int_equal(b.buckets[1].n_values, 132);
    assert_int_equal(b.buckets[2].n_values, 38);
    assert_int_equal(b.buckets[1].at, 17);
    assert_int_equal(b.buckets[2].at, 149);
    assert_int_equal(b.n_values, 187);
    gradient_buckets_free(&b);
    plan_case_free(&c);
}

static void small_ones_join_those_of_the_layers_before(void **state)
{
    plan_case_t c = compile();
    gradient_buckets_t b = buckets_of(&c, 18);

    (void)state;
    assert_int_equal(b.n, 2);
    expect_names(&c, &b.buckets[0], "loss right d.c.weight d.c.bias d.b.weight d.b.bias");
    gradient_buckets_free(&b);
    b = buckets_of(&c, 1000);
    assert_int_equal(b.n, 1);
    gradient_buckets_free(&b);
    plan_case_free(&c);
}

/* No step behind a bucket's end writes its tensors, and the last ends with the backward
 * steps. */
static void what_is_in_a_bucket_is_final(void **state)
{
    plan_case_t c = plan_case_shipped("googlenet", 2, CNN_PLAN_BF16, CNN_PLAN_TRAINING);
    const cnn_program_t *p = c.program;
    const int n_gradients = p->n_forward + p->n_backward;
    gradient_buckets_t b = buckets_of(&c, 1 << 20);
    int64_t n_values = 0;

    (void)state;
    assert_int_equal(b.n, 6);
    for (int k = 0; k < b.n; k++) {
        assert_true(k == 0 || b.buckets[k].end > b.buckets[k - 1].end);
        for (int i = 0; i < b.buckets[k].n; i++) {
            n_values += cnn_tensor_n(&p->tensors[b.buckets[k].tensors[i]]);
            for (int s = b.buckets[k].end; s < n_gradients; s++)
                for (int w = 0; w < p->steps[s].n_writes; w++)
                    assert_int_not_equal(p->steps[s].writes[w], b.buckets[k].tensors[i]);
        }
    }
    assert_int_equal(b.buckets[b.n - 1].end, n_gradients);
    assert_int_equal(n_values, 6624904 + 2);
    gradient_buckets_free(&b);
    plan_case_free(&c);
}

static bool reads(const cnn_step_t *step, int tensor)
{
    for (int r = 0; r < step->n_reads; r++)
        if (step->reads[r] == tensor)
            return true;
    return false;
}

/* Steps: forward a, b, c, loss; backward loss, c's weights, c's input, b's weights, b's
 * input, a's weights; updates of a, b, c, the weights before the biases. */
static void a_bucket_is_updated_when_nothing_else_reads_its_parameters(void **state)
{
    plan_case_t c = compile();
    gradient_buckets_t b = buckets_of(&c, 17);

    (void)state;
    for (int k = 0; k < 3; k++) {
        assert_int_equal(b.buckets[k].update, 10 + 2 * (2 - k));
        assert_int_equal(b.buckets[k].end_update, 12 + 2 * (2 - k));
    }
    assert_int_equal(b.buckets[0].unread, 7);
    assert_int_equal(b.buckets[1].unread, 9);
    assert_int_equal(b.buckets[2].unread, 1); /* images have no gradient */
    gradient_buckets_free(&b);
    plan_case_free(&c);
}

/* With copies of the weights in 16 bits, and branches. */
static void each_update_is_of_one_bucket(void **state)
{
    plan_case_t c = plan_case_shipped("googlenet", 2, CNN_PLAN_BF16, CNN_PLAN_TRAINING);
    const cnn_program_t *p = c.program;
    const int n_gradients = p->n_forward + p->n_backward;
    gradient_buckets_t b = buckets_of(&c, 1 << 20);
    int end = p->n_steps;

    (void)state;
    for (int k = 0; k < b.n; k++) {
        const gradient_bucket_t *bucket = &b.buckets[k];

        assert_int_equal(bucket->end_update, end);
        for (int u = end = bucket->update; u < bucket->end_update; u++)
            for (int s = bucket->unread; s < n_gradients; s++)
                assert_false(reads(&p->steps[s], p->steps[u].writes[0]));
    }
    assert_int_equal(end, n_gradients);
    gradient_buckets_free(&b);
    plan_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bucket_ends_where_it_is_large_enough),
        cmocka_unit_test(small_ones_join_those_of_the_layers_before),
        cmocka_unit_test(what_is_in_a_bucket_is_final),
        cmocka_unit_test(a_bucket_is_updated_when_nothing_else_reads_its_parameters),
        cmocka_unit_test(each_update_is_of_one_bucket),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
