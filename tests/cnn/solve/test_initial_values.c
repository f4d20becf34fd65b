/*
 * test_initial_values.c - what parameters are before training, by one thread or several.
 */
#include "tests/support/unit_test.h"

#include "cnn/solve/initial_values.h"
#include "kernels/cnn/common/cnn_draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* 110,000 weights of a layer whose values are drawn. */
static const char layers[] =
    "[net]\ninput = 1x1x1000\nclasses = 10\ninit = %s\n"
    "[layers]\na = linear 110\nb = linear classes\nc = softmax\n";

enum { N = 110 * 1000 };

typedef struct {
    cnn_net_t *net;
    cnn_program_t *program;
    pool_t *pool;
} made_t;

static made_t make(const char *init, int n_threads)
{
    const cnn_plan_options_t options = {.n_images = 2};
    made_t m = {.pool = NULL};
    char text[256];

    snprintf(text, sizeof(text), layers, init);
    assert_int_equal(cnn_net_parse("x.ini", text, 0, &m.net), ST_OK);
    assert_int_equal(cnn_plan_compile(m.net, &options, &m.program), ST_OK);
    if (n_threads > 1)
        assert_int_equal(pool_create(n_threads, &m.pool), ST_OK);
    return m;
}

static void end(made_t *m)
{
    pool_destroy(m->pool);
    cnn_program_destroy(m->program);
    cnn_net_destroy(m->net);
}

static void draw(const char *init, int n_threads, float *out)
{
    made_t m = make(init, n_threads);

    initial_values_draw(m.net, m.program, cnn_plan_tensor(m.program, "a.weight"), 7,
                        m.pool, out);
    end(&m);
}

static void several_threads_draw_what_one_does(void **state)
{
    static const char *const inits[] = {"xavier", "gaussian:0.01"};
    float *one = malloc(N * sizeof(*one)), *more = malloc(N * sizeof(*more));

    (void)state;
    for (size_t k = 0; k < sizeof(inits) / sizeof(*inits); k++) {
        draw(inits[k], 1, one);
        draw(inits[k], 3, more);
        assert_memory_equal(one, more, N * sizeof(*one));
    }
    free(one);
    free(more);
}

/* Box and Muller's formula, of two numbers of the stream of the first parameter. */
static void a_normal_value_has_two_numbers_of_its_own(void **state)
{
    float *values = malloc(N * sizeof(*values));

    (void)state;
    draw("gaussian:0.01", 1, values);
    for (uint64_t i = 0; i < 5; i++) {
        const double a = (cnn_draw(7, CNN_INITIAL, 0, 2 * i) + 0.5) * 0x1p-32,
                     b = (cnn_draw(7, CNN_INITIAL, 0, 2 * i + 1) + 0.5) * 0x1p-32;
        const double x = 0.01 * sqrt(-2 * log(a)) * cos(6.283185307179586 * b);

        assert_true(fabs((double)values[i] - x) < 1e-9);
    }
    free(values);
}

static void a_uniform_value_has_a_number_of_its_own(void **state)
{
    float *values = malloc(N * sizeof(*values));
    const double limit = sqrt(3.0 / 1000);

    (void)state;
    draw("xavier", 1, values);
    for (uint64_t i = 0; i < N; i++) {
        const double u = (cnn_draw(7, CNN_INITIAL, 0, i) + 0.5) * 0x1p-32;

        assert_true((double)values[i] == (double)(float)(limit * (2 * u - 1)));
    }
    free(values);
}

/* A bias begins at 0, so that nothing is drawn. */
static void several_tensors_are_drawn_in_the_background(void **state)
{
    float *alone = malloc(N * sizeof(*alone));

    (void)state;
    for (int n_threads = 1; n_threads <= 3; n_threads += 2) {
        made_t m = make("xavier", n_threads);
        const int tensors[] = {cnn_plan_tensor(m.program, "b.weight"),
                               cnn_plan_tensor(m.program, "a.bias"),
                               cnn_plan_tensor(m.program, "a.weight")};
        initial_values_t *all;

        assert_int_equal(initial_values_begin(m.net, m.program, tensors, 3, 7, m.pool,
                                              &all),
                         ST_OK);
        assert_null(initial_values_of(all, 1));
        for (int k = 0; k < 3; k += 2) {
            const size_t n = (size_t)cnn_tensor_n(&m.program->tensors[tensors[k]]);

            initial_values_draw(m.net, m.program, tensors[k], 7, NULL, alone);
            assert_memory_equal(initial_values_of(all, k), alone, n * sizeof(*alone));
        }
        initial_values_destroy(all);
        end(&m);
    }
    free(alone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_threads_draw_what_one_does),
        cmocka_unit_test(several_tensors_are_drawn_in_the_background),
        cmocka_unit_test(a_uniform_value_has_a_number_of_its_own),
        cmocka_unit_test(a_normal_value_has_two_numbers_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
