/*
 * test_cnn_plan.c - programs of small networks by hand, and of all shipped ones.
 */
#include "tests/support/unit_test.h"

#include <stdint.h>
#include <stdio.h>

#include "cnn/net/cnn_net.h"
#include "kernels/cnn/common/cnn_backend.h"
#include "tests/cnn/plan/plan_case.h"

static void assert_steps(const cnn_program_t *p, int first, int last, const char *steps)
{
    static char got[8192];

    plan_case_steps(p, first, last, got);
    assert_string_equal(got, steps);
}

static void training_has_forward_backward_and_update_steps(void **state)
{
    plan_case_t c = plan_case_layers("a = convolution 4 kernel=3 relu\n"
                                     "b = max 2\n"
                                     "c = linear classes bias=no\n"
                                     "e = softmax\n",
                                     5, CNN_PLAN_FP32, CNN_PLAN_TRAINING);
    const cnn_program_t *p = c.program;

    (void)state;
    assert_steps(p, 0, p->n_forward,
                 "convolution input a.weight a.bias > a\n"
                 "relu a > a\n"
                 "pool a > b\n"
                 "linear b c.weight > c\n"
                 "softmax-loss c labels > probabilities loss right\n");
    assert_steps(p, p->n_forward, p->n_forward + p->n_backward,
                 "softmax-loss-backward probabilities labels > d.c\n"
                 "linear-backward-weights b d.c > d.c.weight\n"
                 "linear-backward-data d.c c.weight > d.b\n"
                 "pool-backward a b d.b > d.a.relu\n"
                 "relu-backward a d.a.relu > d.a.relu\n"
                 "convolution-backward-filter input d.a.relu > d.a.weight d.a.bias\n");
    assert_steps(p, p->n_forward + p->n_backward, p->n_steps,
                 "sgd d.a.weight > a.weight a.weight.v\n"
                 "sgd d.a.bias > a.bias a.bias.v\n"
                 "sgd d.c.weight > c.weight c.weight.v\n");
    assert_string_equal(p->layers[p->steps[1].layer], "a.relu");
    plan_case_free(&c);
}

static void inference_has_no_dropout_and_no_loss(void **state)
{
    plan_case_t c = plan_case_layers("a = linear 4 batch-norm relu dropout\n"
                                     "c = linear classes\n"
                                     "e = softmax\n",
                                     5, CNN_PLAN_FP32, CNN_PLAN_INFERENCE);
    const cnn_program_t *p = c.program;

    (void)state;
    assert_steps(p, 0, p->n_steps,
                 "linear input a.weight > a\n"
                 "batch-norm-inference a a.batch-norm.scale a.batch-norm.shift "
                 "a.batch-norm.mean a.batch-norm.variance > a.batch-norm\n"
                 "relu a.batch-norm > a.batch-norm\n"
                 "linear a.batch-norm c.weight c.bias > c\n"
                 "softmax c > probabilities\n");
    assert_int_equal(p->n_forward, 5);
    assert_int_equal(p->n_backward, 0);
    plan_case_free(&c);
}

static void gradients_of_several_readers_are_added_from_the_last_to_the_first(
    void **state)
{
    plan_case_t c = plan_case_layers("a = convolution 2 kernel=1\n"
                                     "b = relu\n"
                                     "c = max 1 from=a\n"
                                     "d = concat from=b,a,c\n"
                                     "f = linear classes\n"
                                     "g = softmax\n",
                                     1, CNN_PLAN_FP32, CNN_PLAN_TRAINING);
    const cnn_program_t *p = c.program;

    (void)state;
    assert_steps(p, 0, 4,
                 "convolution input a.weight a.bias > a\n"
                 "relu a > b\n" /* not in place: others read a */
                 "pool a > c\n"
                 "concat b a c > d\n");
    assert_steps(p, p->n_forward + 3, p->n_forward + p->n_backward,
                 "concat-backward d.d > d.b\n"
                 "concat-backward d.d > d.a\n"
                 "concat-backward d.d > d.c\n"
                 "pool-backward a c d.c > d.a\n"
                 "add d.a d.a > d.a\n"
                 "relu-backward b d.b > d.b\n"
                 "add d.a d.b > d.a\n"
                 "convolution-backward-filter input d.a > d.a.weight d.a.bias\n");
    assert_int_equal(p->steps[p->n_forward + 5].params.concat.from_channel, 4);
    assert_true(cnn_program_check(p, NULL));
    plan_case_free(&c);
}

static void relu_keeps_what_a_gradient_reads(void **state)
{
    static const char layers[] = "a = lrn\nb = relu\nc = max 2\nd = relu\n"
                                 "e = linear classes\nf = softmax\n";
    static const char weighted[] = "w = convolution 2 kernel=1\n"
                                   "a = lrn\nb = relu\nc = max 2\nd = relu\n"
                                   "e = linear classes\nf = softmax\n";
    plan_case_t c = plan_case_layers(weighted, 1, CNN_PLAN_FP32, CNN_PLAN_TRAINING);

    (void)state;
    assert_steps(c.program, 1, 5, "lrn w > a\nrelu a > b\npool b > c\nrelu c > d\n");
    plan_case_free(&c);
    c = plan_case_layers(weighted, 1, CNN_PLAN_FP32, CNN_PLAN_INFERENCE);
    assert_steps(c.program, 1, 5, "lrn w > a\nrelu a > a\npool a > c\nrelu c > c\n");
    plan_case_free(&c);
    /* and nothing in front of the first parameters has a gradient */
    c = plan_case_layers(layers, 1, CNN_PLAN_FP32, CNN_PLAN_TRAINING);
    assert_int_equal(c.program->n_backward, 2);
    plan_case_free(&c);
}

/* What a relu behind each kind of layer reads and writes. */
static void relu_writes_over_what_nothing_else_reads(void **state)
{
    const struct {
        const char *layers, *training, *inference;
    } rows[] = {
        {"a = convolution 2 kernel=1\n", "a > a", "a > a"},
        {"a = linear 3\n", "a > a", "a > a"},
        {"a = convolution 2 kernel=1 batch-norm\n", "a.batch-norm > a.batch-norm",
         "a.batch-norm > a.batch-norm"},
        {"w = convolution 2 kernel=1\na = concat from=w,w\n", "a > a", "a > a"},
        {"w = convolution 2 kernel=1\na = dropout\n", "a > a", "w > r"},
        {"w = convolution 2 kernel=1\na = max 2\n", "a > r", "a > a"},
        {"w = convolution 2 kernel=1\na = lrn\n", "a > r", "a > a"},
        {"w = convolution 2 kernel=1\na = relu from=w\n", "w > r", "w > w"},
        {"a = max 1\n", "a > r", "a > a"},
    };

    (void)state;
    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++)
        for (int purpose = 0; purpose < 2; purpose++) {
            const bool trains = purpose == 0;
            char layers[512], steps[8192], want[64];
            plan_case_t c;

            snprintf(layers, sizeof(layers),
                     "%sr = relu\ny = linear classes\nz = softmax\n", rows[k].layers);
            c = plan_case_layers(layers, 1, CNN_PLAN_FP32,
                                 trains ? CNN_PLAN_TRAINING : CNN_PLAN_INFERENCE);
            plan_case_steps(c.program, 0, c.program->n_forward, steps);
            snprintf(want, sizeof(want), "relu %s\nlinear ",
                     trains ? rows[k].training : rows[k].inference);
            if (strstr(steps, want) == NULL)
                fail_msg("no '%s' in '%s'", want, steps);
            plan_case_free(&c);
        }
}

/* The pool reads what the convolution wrote, so that relu leaves it alone. */
static void relu_does_not_write_over_what_another_layer_reads(void **state)
{
    plan_case_t c = plan_case_layers("a = convolution 2 kernel=1\n"
                                     "b = relu\n"
                                     "c = max 1 from=a\n"
                                     "d = concat from=b,c\n"
                                     "e = linear classes\nf = softmax\n",
                                     1, CNN_PLAN_FP32, CNN_PLAN_INFERENCE);

    (void)state;
    assert_steps(c.program, 1, 2, "relu a > b\n");
    plan_case_free(&c);
}

static void batch_norm_of_a_part_gathers_moments(void **state)
{
    plan_case_t c = plan_case_layers("a = convolution 2 kernel=1 batch-norm\n"
                                     "b = linear classes\n"
                                     "c = softmax\n",
                                     4, CNN_PLAN_FP32, CNN_PLAN_TRAINING);
    const cnn_plan_options_t options = {2, CNN_PLAN_FP32, CNN_PLAN_TRAINING,
                                        CNN_PLACE_NET, false};
    cnn_program_t *p;

    (void)state;
    assert_int_equal(cnn_plan_compile_part(c.net, &options, 3, 0, &p), ST_OK);
    assert_steps(
        p, 1, 4,
        "batch-norm-part a > a.batch-norm.part\n"
        "gather a.batch-norm.part > a.batch-norm.parts\n"
        "batch-norm-whole a a.batch-norm.scale a.batch-norm.shift "
        "a.batch-norm.parts > a.batch-norm a.batch-norm.batch-mean "
        "a.batch-norm.batch-deviation a.batch-norm.mean a.batch-norm.variance\n");
    assert_steps(p, p->n_forward + 3, p->n_forward + 6,
                 "batch-norm-backward-part a d.a.batch-norm a.batch-norm.batch-mean "
                 "a.batch-norm.batch-deviation > d.a.batch-norm.part "
                 "d.a.batch-norm.scale d.a.batch-norm.shift\n"
                 "gather d.a.batch-norm.part > d.a.batch-norm.parts\n"
                 "batch-norm-backward-whole a d.a.batch-norm a.batch-norm.scale "
                 "a.batch-norm.batch-mean a.batch-norm.batch-deviation "
                 "d.a.batch-norm.parts > d.a\n");
    assert_int_equal(p->tensors[p->steps[2].writes[0]].size[0], 6);
    assert_true(cnn_program_check(p, NULL));
    cnn_program_destroy(p);
    plan_case_free(&c);
}

static void bf16_copies_images_and_weights(void **state)
{
    plan_case_t c = plan_case_layers("a = convolution 4 kernel=3 relu\n"
                                     "c = linear classes\n"
                                     "e = softmax\n",
                                     5, CNN_PLAN_BF16, CNN_PLAN_TRAINING);
    const cnn_program_t *p = c.program;

    (void)state;
    assert_steps(p, 0, 5,
                 "cast input > input.narrow\n"
                 "cast a.weight > a.weight.narrow\n"
                 "convolution input.narrow a.weight.narrow a.bias > a\n"
                 "relu a > a\n"
                 "cast c.weight > c.weight.narrow\n");
    assert_steps(p, p->n_forward + 1, p->n_forward + 3,
                 "linear-backward-weights a d.c > d.c.weight d.c.bias\n"
                 "linear-backward-data d.c c.weight.narrow > d.a.relu\n");
    for (int i = 0; i < p->n_tensors; i++) {
        const cnn_tensor_t *t = &p->tensors[i];
        bool is_of_parameter =
            strstr(t->name, ".weight") != NULL || strstr(t->name, ".bias") != NULL;
        bool is_narrow =
            t->role == CNN_ACTIVATION || (t->role == CNN_GRADIENT && !is_of_parameter);

        assert_int_equal(t->type, t->role == CNN_LABELS ? CNN_I32
                                  : is_narrow           ? CNN_BF16
                                                        : CNN_F32);
    }
    plan_case_free(&c);
}

static void adam_has_two_states_and_biases_their_own_rate(void **state)
{
    plan_case_t c = plan_case_layers("a = linear classes\n"
                                     "e = softmax\n"
                                     "[solver]\ntype = adam\nbias-rate = 2\n"
                                     "decay = 0.5\nbeta1 = 0.25\n",
                                     1, CNN_PLAN_FP32, CNN_PLAN_TRAINING);
    const cnn_program_t *p = c.program;
    const cnn_update_t *bias = &p->steps[p->n_steps - 1].params.update;

    (void)state;
    assert_steps(p, p->n_steps - 2, p->n_steps,
                 "adam d.a.weight > a.weight a.weight.m a.weight.v\n"
                 "adam d.a.bias > a.bias a.bias.m a.bias.v\n");
    assert_true(bias->rate_factor == 2 && bias->decay == 0.5 && bias->beta1 == 0.25);
    assert_true(p->steps[p->n_steps - 2].params.update.rate_factor == 1);
    plan_case_free(&c);
}

static void flops_and_bytes_are_counted(void **state)
{
    plan_case_t c = plan_case_layers("a = convolution 4 kernel=3 groups=2\n"
                                     "c = linear classes bias=no\n"
                                     "e = softmax\n",
                                     5, CNN_PLAN_FP32, CNN_PLAN_TRAINING);
    const cnn_step_t *steps = c.program->steps, *backward = steps + 3;

    (void)state;
    /* 5 x 4 x 4 x 4 outputs, each of 1 x 3 x 3 products, and the bias */
    assert_true(steps[0].flops == 320 * 18 + 320);
    assert_true(steps[0].bytes == 4 * (5 * 72 + 36 + 4 + 320));
    assert_true(steps[1].flops == 2 * 5 * 3 * 64);
    assert_true(backward[1].flops == 2 * 5 * 3 * 64); /* of c.weight */
    assert_true(backward[2].flops == 2 * 5 * 3 * 64); /* of a */
    assert_true(backward[3].flops == 320 * 18 + 320); /* of a.weight and a.bias */
    plan_case_free(&c);
}

static int64_t n_parameters(const cnn_program_t *p)
{
    int64_t n = 0;

    for (int i = 0; i < p->n_tensors; i++)
        if (p->tensors[i].role == CNN_PARAMETER)
            n += cnn_tensor_n(&p->tensors[i]);
    return n;
}

/* AlexNet: 61,100,840; VGG-A: 132,863,336; GoogLeNet: 6,624,904 in torchvision.  LeNet:
 * 520 + 25,050 + 400,500 + 5,010.  OverFeat: 34,944 + 614,656 + 1,180,160 + 4,719,616 +
 * 9,438,208 + 113,249,280 + 12,587,008 + 4,097,000.  kmer-lenet: 520 + 25,050 +
 * 4,225,500 + 501,000. */
static void shipped_nets_have_as_many_parameters_as_their_models(void **state)
{
    static const struct {
        const char *name;
        int64_t n;
    } all[] = {{"lenet", 431080},    {"alexnet", 61100840},  {"overfeat-fast", 145920872},
               {"vgg-a", 132863336}, {"googlenet", 6624904}, {"kmer-lenet", 4752070}};

    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        plan_case_t c =
            plan_case_shipped(all[i].name, 2, CNN_PLAN_FP32, CNN_PLAN_TRAINING);

        assert_string_equal(net_shipped[i].name, all[i].name);
        if (n_parameters(c.program) != all[i].n)
            fail_msg("%s: %lld", all[i].name, (long long)n_parameters(c.program));
        plan_case_free(&c);
    }
}

static void shipped_nets_keep_all_rules(void **state)
{
    (void)state;
    for (int i = 0; net_shipped[i].name != NULL; i++)
        for (int types = CNN_PLAN_FP32; types <= CNN_PLAN_FP64; types++)
            for (int purpose = CNN_PLAN_TRAINING; purpose <= CNN_PLAN_INFERENCE;
                 purpose++) {
                plan_case_t c =
                    plan_case_shipped(net_shipped[i].name, 16, (cnn_plan_types_t)types,
                                      (cnn_plan_purpose_t)purpose);
                buf_t why = {0};

                if (!cnn_program_check(c.program, &why))
                    fail_msg("%s: %.*s", net_shipped[i].name, (int)why.len,
                             (const char *)why.data);
                assert_int_equal(c.program->math,
                                 types == CNN_PLAN_TF32 ? CNN_TF32 : CNN_STRICT);
                plan_case_free(&c);
            }
}

static void parameters_start_as_the_net_says(void **state)
{
    plan_case_t c = plan_case_layers("a = convolution 4 kernel=3 batch-norm\n"
                                     "b = linear 12 init=he\n"
                                     "c = linear classes init=gaussian:0.25\n"
                                     "e = softmax\n",
                                     1, CNN_PLAN_FP32, CNN_PLAN_TRAINING);
    const struct {
        const char *name;
        cnn_plan_start_kind_t kind;
        double square;
    } all[] = {{"a.weight", CNN_START_UNIFORM, 3.0 / 18},
               {"a.batch-norm.scale", CNN_START_CONSTANT, 1},
               {"a.batch-norm.shift", CNN_START_CONSTANT, 0},
               {"a.batch-norm.mean", CNN_START_CONSTANT, 0},
               {"a.batch-norm.variance", CNN_START_CONSTANT, 1},
               {"a.weight.v", CNN_START_CONSTANT, 0},
               {"b.weight", CNN_START_NORMAL, 2.0 / 64},
               {"b.bias", CNN_START_CONSTANT, 0},
               {"c.weight", CNN_START_NORMAL, 0.0625}};

    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        int tensor = cnn_plan_tensor(c.program, all[i].name);
        cnn_plan_start_t start;

        assert_true(tensor >= 0);
        start = cnn_plan_start(c.net, c.program, tensor);
        assert_int_equal(start.kind, all[i].kind);
        assert_true(start.value * start.value >= all[i].square * (1 - 1e-12));
        assert_true(start.value * start.value <= all[i].square * (1 + 1e-12));
    }
    assert_int_equal(cnn_plan_tensor(c.program, "a"), -1);
    plan_case_free(&c);
}

static void more_memory_than_any_machine_has_is_refused(void **state)
{
    const cnn_plan_options_t options = {CNN_PLAN_MAX_IMAGES, CNN_PLAN_FP32,
                                        CNN_PLAN_TRAINING, CNN_PLACE_NET, false};
    cnn_program_t *p;
    cnn_net_t *net;

    (void)state;
    assert_int_equal(cnn_net_parse("x.ini",
                                   "[net]\ninput = 2000x1000x1000\n[layers]\n"
                                   "a = linear 2\nb = softmax\n",
                                   0, &net),
                     ST_OK);
    assert_int_equal(cnn_plan_compile(net, &options, &p), ST_EINPUT);
    cnn_net_destroy(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_has_forward_backward_and_update_steps),
        cmocka_unit_test(inference_has_no_dropout_and_no_loss),
        cmocka_unit_test(
            gradients_of_several_readers_are_added_from_the_last_to_the_first),
        cmocka_unit_test(relu_keeps_what_a_gradient_reads),
        cmocka_unit_test(relu_writes_over_what_nothing_else_reads),
        cmocka_unit_test(relu_does_not_write_over_what_another_layer_reads),
        cmocka_unit_test(batch_norm_of_a_part_gathers_moments),
        cmocka_unit_test(bf16_copies_images_and_weights),
        cmocka_unit_test(adam_has_two_states_and_biases_their_own_rate),
        cmocka_unit_test(flops_and_bytes_are_counted),
        cmocka_unit_test(shipped_nets_have_as_many_parameters_as_their_models),
        cmocka_unit_test(shipped_nets_keep_all_rules),
        cmocka_unit_test(parameters_start_as_the_net_says),
        cmocka_unit_test(more_memory_than_any_machine_has_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
