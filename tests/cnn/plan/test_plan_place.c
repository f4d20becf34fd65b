/*
 * test_plan_place.c - layers on the CPU: what crosses is copied, and nothing else
 * changes.
 */
#include "tests/support/unit_test.h"

#include "cnn/memory/swap_program.h"
#include "cnn/plan/plan_summary.h"
#include "tests/cnn/plan/plan_case.h"
#include "tests/cnn/plan/plan_train.h"
#include "tests/support/captured_log.h"

enum { N_IMAGES = 3 };

static cnn_program_t *compile(const cnn_net_t *net, int64_t n_images,
                              cnn_plan_purpose_t purpose, cnn_place_t place)
{
    const cnn_plan_options_t options = {n_images, CNN_PLAN_FP32, purpose, place, false};
    cnn_program_t *p;
    buf_t why = {0};

    assert_int_equal(cnn_plan_compile(net, &options, &p), ST_OK);
    if (!cnn_program_check(p, &why))
        fail_msg("%s: %.*s", net->name, (int)why.len, (const char *)why.data);
    return p;
}

/* The softmax stays on the device: the outputs of b come back, and their gradients leave;
 * the gradient of a's outputs comes back. */
static void what_crosses_is_copied(void **state)
{
    plan_case_t c = plan_case_layers("a = convolution 2 kernel=3\n"
                                     "b = linear classes place=cpu\n"
                                     "s = softmax place=device\n"
                                     "[solver]\nmomentum = 0\n",
                                     N_IMAGES, CNN_PLAN_FP32, CNN_PLAN_TRAINING);
    char steps[2048];

    (void)state;
    plan_case_steps(c.program, 0, c.program->n_steps, steps);
    assert_string_equal(
        steps, "convolution input a.weight a.bias > a\n"
               "evict a > a.cpu\n"
               "linear a.cpu b.weight b.bias > b\n"
               "fetch b > b.device\n"
               "softmax-loss b.device labels > probabilities loss right\n"
               "softmax-loss-backward probabilities labels > d.b\n"
               "evict d.b > d.b.cpu\n"
               "linear-backward-weights a.cpu d.b.cpu > d.b.weight d.b.bias\n"
               "linear-backward-data d.b.cpu b.weight > d.a\n"
               "fetch d.a > d.a.device\n"
               "convolution-backward-filter input d.a.device > d.a.weight d.a.bias\n"
               "sgd d.a.weight > a.weight a.weight.v\n"
               "sgd d.a.bias > a.bias a.bias.v\n"
               "sgd d.b.weight > b.weight b.weight.v\n"
               "sgd d.b.bias > b.bias b.bias.v\n");
    assert_int_equal(c.program->n_forward, 5);
    assert_int_equal(c.program->n_backward, 6);
    for (int s = 0; s < c.program->n_steps; s++)
        assert_int_equal(c.program->steps[s].on_host,
                         strcmp(c.program->layers[c.program->steps[s].layer], "b") == 0 &&
                             cnn_op_kind(c.program->steps[s].op) != CNN_KIND_COPY);
    assert_true(c.program->tensors[cnn_plan_tensor(c.program, "b.weight")].on_host);
    assert_false(c.program->tensors[cnn_plan_tensor(c.program, "a.weight")].on_host);
    plan_case_free(&c);
}

static void assert_rules(const cnn_program_t *p, bool are_kept)
{
    buf_t why = {0};

    assert_int_equal(cnn_program_check(p, &why), are_kept);
    buf_free(&why);
}

/* A copy that is left out, and a step that runs on the other side, are found. */
static void a_step_reads_what_lies_on_its_side(void **state)
{
    plan_case_t c = plan_case_layers("a = convolution 2 kernel=3\n"
                                     "b = linear classes place=cpu\n"
                                     "s = softmax\n",
                                     N_IMAGES, CNN_PLAN_FP32, CNN_PLAN_TRAINING);
    cnn_step_t *steps = c.program->steps;
    cnn_step_t right;

    (void)state;
    assert_rules(c.program, true);
    assert_int_equal(steps[1].op, CNN_EVICT);
    assert_int_equal(steps[2].op, CNN_LINEAR);
    steps[2].on_host = false;
    assert_rules(c.program, false);
    steps[2].on_host = true;
    right = steps[2];
    steps[2].reads[0] = steps[1].reads[0]; /* a itself */
    assert_rules(c.program, false);
    steps[2] = right;
    steps[1].on_host = true;
    assert_rules(c.program, false);
    steps[1].on_host = false;
    right = steps[1];
    steps[1] = steps[2]; /* before a arrives */
    steps[2] = right;
    assert_rules(c.program, false);
    plan_case_free(&c);
}

/* ---- parameters after training ---- */

/* Train with a placement, in all memory and in the least, as without one. */
static void assert_learns_the_same(const cnn_net_t *net, cnn_place_t place,
                                   const cnn_backend_t *backend)
{
    const swap_opts_t opts = {SWAP_PLAN, 1, SWAP_REMATERIALIZE_AUTO, 1024};
    cnn_program_t *programs[3] = {compile(net, N_IMAGES, CNN_PLAN_TRAINING,
                                          CNN_PLACE_DEVICE),
                                  compile(net, N_IMAGES, CNN_PLAN_TRAINING, place)};
    plan_train_t trained[3];
    swap_need_t need;
    buf_t why = {0};

    assert_int_equal(programs[0]->swap_bytes, 0);
    assert_true(programs[1]->swap_bytes > 0);
    assert_true(programs[1]->arena_bytes < programs[0]->arena_bytes);
    assert_int_equal(swap_program_need(programs[1], &opts, &need), ST_OK);
    assert_int_equal(swap_program_make(programs[1], &opts, need.arena_bytes,
                                       &programs[2]),
                     ST_OK);
    if (!cnn_program_check(programs[2], &why))
        fail_msg("%.*s", (int)why.len, (const char *)why.data);
    for (int i = 0; i < 3; i++) {
        plan_train_create(&trained[i], programs[i], backend);
        plan_train_run(&trained[i]);
        if (i > 0)
            plan_train_assert_equal(&trained[0], &trained[i], net->name);
    }
    for (int i = 0; i < 3; i++) {
        backend->destroy(trained[i].state);
        cnn_program_destroy(programs[i]);
    }
}

/* Layers take turns, also a ReLU that writes over what the device has computed; one
 * output is read on both sides, so that gradients from both are added. */
static const char turns[] = "a = convolution 4 kernel=3 pad=1 batch-norm relu\n"
                            "b = max 2\n"
                            "c = linear 9\n"
                            "d = relu place=cpu\n"
                            "e = linear 8 batch-norm relu from=d\n"
                            "f = linear 7 relu dropout place=cpu from=d\n"
                            "g = concat from=e,f\n"
                            "h = dropout place=cpu\n"
                            "i = linear classes\n"
                            "s = softmax place=cpu\n"
                            "[solver]\n";

static const char *const solvers[] = {"momentum = 0.9\ndecay = 0.001\n", "type = adam\n"};

static void parameters_do_not_depend_on_the_place(void **state)
{
    const cnn_backend_t *const backends[] = {&cpu_cnn_backend, &serial_cnn_backend};

    (void)state;
    for (int i = 0; i < 4; i++) {
        char text[1024];
        plan_case_t c;

        snprintf(text, sizeof(text), "%s%s", turns, solvers[i % 2]);
        c = plan_case_layers(text, N_IMAGES, CNN_PLAN_FP32, CNN_PLAN_TRAINING);
        assert_learns_the_same(c.net, CNN_PLACE_NET, backends[i / 2]);
        assert_learns_the_same(c.net, CNN_PLACE_HYBNET, backends[i / 2]);
        plan_case_free(&c);
    }
}

/* ---- shipped networks ---- */

static void hybnet_places_the_fully_connected_layers_at_the_end(void **state)
{
    static const struct {
        const char *net, *first;
        int less; /* percent of the memory on the device, at 32 images */
    } cases[] = {{"lenet", "ip1", 54},
                 {"alexnet", "fc6", 84},
                 {"overfeat-fast", "fc6", 82},
                 {"vgg-a", "fc6", 53},
                 {"googlenet", "fc6", 0}}; /* its classifier of 1000 */

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cnn_program_t *placed, *device, *classes;
        cnn_net_t *net;
        int first = 0;

        assert_int_equal(cnn_net_read(cases[i].net, 0, &net), ST_OK);
        placed = compile(net, 32, CNN_PLAN_TRAINING, CNN_PLACE_HYBNET);
        device = compile(net, 32, CNN_PLAN_TRAINING, CNN_PLACE_DEVICE);
        classes = compile(net, 32, CNN_PLAN_INFERENCE, CNN_PLACE_HYBNET);
        while (!placed->steps[first].on_host)
            first++;
        assert_string_equal(placed->layers[placed->steps[first].layer], cases[i].first);
        assert_int_equal(100 - 100 * (double)placed->arena_bytes /
                                   (double)device->arena_bytes,
                         cases[i].less);
        assert_true(classes->swap_bytes > 0);
        cnn_program_destroy(placed);
        cnn_program_destroy(device);
        cnn_program_destroy(classes);
        cnn_net_destroy(net);
    }
}

/* ---- bad input ---- */

static void what_cannot_be_placed_is_refused(void **state)
{
    static const char head[] = "[net]\ninput = 2x6x6\nclasses = 3\n[layers]\n";
    static const struct {
        const char *layers, *message;
    } cases[] = {
        {"a = convolution 3 kernel=3 place=cpu\nb = linear classes\ns = softmax\n",
         "x.ini:5: a: place=cpu is for linear layers"},
        {"a = convolution 3 kernel=3\nr = relu place=cpu\nb = linear classes\n"
         "s = softmax\n",
         "x.ini:6: r: place=cpu is for linear layers"},
        {"a = linear classes place=gpu\ns = softmax\n",
         "x.ini:5: place = 'gpu': give one of device|cpu"},
        {"a = linear classes place=cpu place=cpu\ns = softmax\n",
         "x.ini:5: place is given twice"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[1024];
        cnn_net_t *net;

        snprintf(text, sizeof(text), "%s%s", head, cases[i].layers);
        capture_start();
        assert_int_equal(cnn_net_parse("x.ini", text, 0, &net), ST_EINPUT);
        capture_stop();
        assert_logged(cases[i].message);
    }
}

static void what_the_cpu_does_not_compute_is_refused(void **state)
{
    static const struct {
        const char *layers;
        cnn_plan_options_t options;
        const char *message;
    } cases[] = {
        {"a = linear classes\ns = softmax\n",
         {1, CNN_PLAN_BF16, CNN_PLAN_TRAINING, CNN_PLACE_HYBNET, false},
         "compute with fp32; give --type fp32 or tf32"},
        {"a = convolution classes kernel=6\ns = softmax\n",
         {1, CNN_PLAN_FP32, CNN_PLAN_TRAINING, CNN_PLACE_HYBNET, false},
         "no fully connected layers are at its end"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        plan_case_t c =
            plan_case_layers(cases[i].layers, 1, CNN_PLAN_FP32, CNN_PLAN_TRAINING);
        cnn_program_t *p;

        capture_start();
        assert_int_equal(cnn_plan_compile(c.net, &cases[i].options, &p), ST_EINPUT);
        capture_stop();
        assert_logged(cases[i].message);
        plan_case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_crosses_is_copied),
        cmocka_unit_test(a_step_reads_what_lies_on_its_side),
        cmocka_unit_test(parameters_do_not_depend_on_the_place),
        cmocka_unit_test(hybnet_places_the_fully_connected_layers_at_the_end),
        cmocka_unit_test(what_cannot_be_placed_is_refused),
        cmocka_unit_test(what_the_cpu_does_not_compute_is_refused),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
