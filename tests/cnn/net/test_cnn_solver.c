/*
 * test_cnn_solver.c - the section [solver] and the policies of the rate.
 */
#include "tests/support/unit_test.h"

#include "cnn/net/cnn_net.h"
#include "tests/support/captured_log.h"

#define NET "[net]\ninput = 1x2x2\n[layers]\na = linear 2\nb = softmax\n[solver]\n"

static cnn_solver_t read_solver(const char *lines)
{
    char text[1024];
    cnn_solver_t solver;
    cnn_net_t *net;

    snprintf(text, sizeof(text), NET "%s", lines);
    assert_int_equal(cnn_net_parse("x.ini", text, 0, &net), ST_OK);
    solver = net->solver;
    cnn_net_destroy(net);
    return solver;
}

static void assert_refused(const char *lines, const char *message)
{
    char text[1024];
    cnn_net_t *net;
    status_t st;

    snprintf(text, sizeof(text), NET "%s", lines);
    capture_start();
    st = cnn_net_parse("x.ini", text, 0, &net);
    capture_stop();
    assert_int_equal(st, ST_EINPUT);
    assert_logged(message);
    assert_logged_one_line();
}

static void all_keys_are_read(void **state)
{
    cnn_solver_t s = read_solver("type = adam\nrate = 1e-3\nbias-rate = 2\nbeta1 = 0.8\n"
                                 "beta2 = 0.99\nepsilon = 1e-7\ndecay = 5e-4\n"
                                 "policy = poly\npower = 2\nepochs = 2.5\nbatch = 8\n");

    (void)state;
    assert_int_equal(s.type, CNN_SOLVER_ADAM);
    assert_true(s.rate == 1e-3 && s.bias_rate == 2 && s.beta1 == 0.8 && s.beta2 == 0.99);
    assert_true(s.epsilon == 1e-7 && s.decay == 5e-4 && s.power == 2 && s.epochs == 2.5);
    assert_int_equal(s.policy, CNN_RATE_POLY);
    assert_int_equal(s.batch, 8);
}

static void keys_that_mean_nothing_are_refused(void **state)
{
    (void)state;
    assert_refused("type = adam\nmomentum = 0.9\n", "[solver]: adam has no momentum");
    assert_refused("beta1 = 0.9\n", "[solver]: sgd has no beta1; remove it");
    assert_refused("gamma = 0.9\n", "[solver]: the policy fixed has no gamma; remove it");
    assert_refused("policy = step\ngamma = 1\n", "[solver]: the policy step needs step");
    assert_refused("policy = inv\n", "[solver]: the policy inv needs gamma; add it");
    assert_refused("policy = linear\n", "x.ini:7: policy = 'linear': give one of fixed|");
    assert_refused("rate = -1\n", "x.ini:7: rate = '-1': give a number from 0 to");
    assert_refused("rate = nan\n", "x.ini:7: rate = 'nan': give a number");
    assert_refused("rate = 1\nrate = 1\n", "x.ini:8: rate is given twice");
    assert_refused("batch = 0\n", "x.ini:7: batch = '0': give a whole number from 1");
    assert_refused("batch = 9999999999999999999\n", "batch = '9999999999999999999'");
}

static void assert_rate(const cnn_solver_t *s, double t, double rate)
{
    double got = cnn_solver_rate(s, t);

    if (got < rate * (1 - 1e-12) || got > rate * (1 + 1e-12))
        fail_msg("%g after %g epochs instead of %g", got, t, rate);
}

static void rates_follow_their_policies(void **state)
{
    cnn_solver_t s = read_solver("rate = 0.5\n");

    (void)state;
    assert_rate(&s, 7, 0.5);
    s = read_solver("rate = 0.5\npolicy = step\nstep = 2\ngamma = 0.1\n");
    assert_rate(&s, 1.99, 0.5);
    assert_rate(&s, 4, 0.005);
    s = read_solver("rate = 0.5\npolicy = exp\ngamma = 0.25\n");
    assert_rate(&s, 0.5, 0.25);
    s = read_solver("rate = 0.5\npolicy = inv\ngamma = 3\npower = 0.5\n");
    assert_rate(&s, 1, 0.25);
    s = read_solver("rate = 0.5\npolicy = poly\npower = 2\nepochs = 4\n");
    assert_rate(&s, 2, 0.125);
    s = read_solver("rate = 0.5\npolicy = cosine\nepochs = 4\n");
    assert_rate(&s, 0, 0.5);
    assert_rate(&s, 2, 0.25);
    assert_true(cnn_solver_rate(&s, 4) < 1e-16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_keys_are_read),
        cmocka_unit_test(keys_that_mean_nothing_are_refused),
        cmocka_unit_test(rates_follow_their_policies),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
