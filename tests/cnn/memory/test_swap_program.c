/*
 * test_swap_program.c - networks learn the same within any limit, and what they read is
 * there.
 */
#include "tests/support/unit_test.h"

#include "cnn/memory/swap_program.h"
#include "io/base/rng.h"
#include "tests/cnn/plan/plan_case.h"
#include "tests/cnn/plan/plan_train.h"
#include "tests/support/random_set.h"

#include <math.h>
#include <stdlib.h>

enum { N_IMAGES = 3, N_RANDOM = 200, TEXT_BYTES = 1024 };

/* ---- limits ---- */

/* Of all programs that were made: updates of slices of a parameter that is in the arena,
 * and of such that passes through it; steps of some images, by operation. */
static int n_of_parts, n_of_slices, n_of_images[CNN_N_OPS];
static int n_of_tiles;        /* of gradients of weights */
static int n_of_slices_again; /* of what is computed again for some images */
static int n_with_parts;      /* programs whose rounding may differ by cuDNN */

/* @return the steps of those whose algorithms may differ for a part */
static int count_parts(void)
{
    return n_of_tiles + n_of_images[CNN_CONVOLUTION] +
           n_of_images[CNN_CONVOLUTION_BACKWARD_DATA];
}

static void count_slices(const cnn_program_t *p)
{
    for (int s = 0; s < p->n_steps; s++) {
        n_of_images[p->steps[s].op] +=
            strstr(p->tensors[p->steps[s].writes[0]].name, ".part") != NULL;
        n_of_slices_again +=
            cnn_program_repeats(p, s) && p->tensors[p->steps[s].reads[0]].part_of > 0 &&
            strstr(p->tensors[p->steps[s].writes[0]].name, ".again") != NULL;
        n_of_tiles += p->steps[s].op == CNN_LINEAR_BACKWARD_WEIGHTS &&
                      strstr(p->tensors[p->steps[s].writes[0]].name, ".tile") != NULL;
        if (cnn_op_kind(p->steps[s].op) == CNN_KIND_UPDATE) {
            const cnn_tensor_t *w = &p->tensors[p->steps[s].writes[0]];

            n_of_parts += w->part_of > 0;
            n_of_slices += w->part_of == 0 && strstr(w->name, ".part") != NULL;
        }
    }
}

static cnn_program_t *make(const cnn_program_t *program, const swap_opts_t *opts,
                           size_t bytes)
{
    const int n_parts = count_parts();
    cnn_program_t *made;
    buf_t why = {0};

    assert_int_equal(swap_program_make(program, opts, bytes, &made), ST_OK);
    if (made->arena_bytes > bytes)
        fail_msg("%zu bytes in an arena of %zu", made->arena_bytes, bytes);
    if (!cnn_program_check(made, &why))
        fail_msg("%.*s", (int)why.len, (const char *)why.data);
    assert_true((made->swap_bytes > 0) == (swap_program_traffic(made).n_fetches > 0));
    count_slices(made);
    assert_true(count_parts() == n_parts || swap_program_traffic(made).has_parts);
    n_with_parts += swap_program_traffic(made).has_parts;
    return made;
}

/* @return how many steps are repeated within a limit of `part` of 1 between the smallest
 * one and all */
static int learn_within(const plan_train_t *whole, const char *what,
                        const swap_opts_t *opts, double part)
{
    const cnn_program_t *program = whole->program;
    swap_need_t need;
    cnn_program_t *made;
    int n_repeats;
    plan_train_t n;

    assert_int_equal(swap_program_need(program, opts, &need), ST_OK);
    assert_true(need.arena_bytes <= program->arena_bytes);
    made = make(program, opts,
                need.arena_bytes +
                    (size_t)((double)(program->arena_bytes - need.arena_bytes) * part));
    assert_true(part < 1 || made->swap_bytes == 0);
    n_repeats = swap_program_traffic(made).n_repeats;
    assert_true(
        (opts->policy == SWAP_PLAN && opts->rematerialize == SWAP_REMATERIALIZE_AUTO) ||
        n_repeats == 0);
    plan_train_create(&n, made, whole->backend);
    plan_train_run(&n);
    plan_train_assert_equal(whole, &n, what);
    n.backend->destroy(n.state);
    cnn_program_destroy(made);
    return n_repeats;
}

static size_t largest_parameter(const cnn_program_t *p)
{
    size_t most = 0;

    for (int t = 0; t < p->n_tensors; t++)
        if (p->tensors[t].role == CNN_PARAMETER &&
            cnn_tensor_bytes(&p->tensors[t]) > most)
            most = cnn_tensor_bytes(&p->tensors[t]);
    return most;
}

/* Train within the smallest limit, within all, and between them. @return how many steps
 * are repeated in all of them together */
static int assert_learns_the_same(const cnn_program_t *program, const char *what,
                                  const cnn_backend_t *backend, int n_limits)
{
    const size_t slice = largest_parameter(program) / 6;
    const swap_opts_t opts[] = {{SWAP_PLAN, 1, SWAP_REMATERIALIZE_AUTO, slice},
                                {SWAP_PLAN, 1, SWAP_REMATERIALIZE_OFF, 0},
                                {SWAP_DEMAND, 1, SWAP_REMATERIALIZE_AUTO, 0}};
    int n_repeats = 0;
    plan_train_t whole;

    plan_train_create(&whole, program, backend);
    plan_train_run(&whole);
    for (size_t k = 0; k < sizeof(opts) / sizeof(opts[0]); k++)
        for (int i = 0; i <= n_limits; i++)
            n_repeats += learn_within(&whole, what, &opts[k], (double)i / n_limits);
    backend->destroy(whole.state);
    return n_repeats;
}

/* With branches, a sum of gradients, and every kind of layer. */
static const char all_kinds[] = "a = convolution 4 kernel=3 pad=1 batch-norm relu\n"
                                "b = max 3 stride=2 ceil=yes\n"
                                "b1 = convolution 2 kernel=1 relu from=b\n"
                                "b2 = convolution 4 kernel=3 pad=1 groups=2 from=b\n"
                                "b3 = max 3 stride=1 pad=1 from=b\n"
                                "c = concat from=b1,b2,b3,b\n"
                                "d = lrn\n"
                                "e = average 2 stride=1\n"
                                "f = linear 7 relu dropout\n"
                                "g = linear classes\n"
                                "h = softmax\n"
                                "[solver]\n";

static const char *const solvers[] = {"momentum = 0.9\ndecay = 0.001\n",
                                      "type = adam\ndecay = 0.001\n"};

static void every_kind_of_layer_learns_the_same_within_any_limit(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[TEXT_BYTES];
        plan_case_t c;

        snprintf(text, sizeof(text), "%s%s", all_kinds, solvers[i]);
        c = plan_case_layers(text, N_IMAGES, CNN_PLAN_FP32, CNN_PLAN_TRAINING);
        assert_true(assert_learns_the_same(c.program, text, &cpu_cnn_backend, 8) > 0);
        assert_true(assert_learns_the_same(c.program, text, &serial_cnn_backend, 4) > 0);
        plan_case_free(&c);
    }
}

static void narrow_numbers_learn_the_same_within_any_limit(void **state)
{
    char text[TEXT_BYTES];
    plan_case_t c;

    (void)state;
    snprintf(text, sizeof(text), "%s%s", all_kinds, solvers[0]);
    c = plan_case_layers(text, N_IMAGES, CNN_PLAN_BF16, CNN_PLAN_TRAINING);
    assert_learns_the_same(c.program, text, &serial_cnn_backend, 4);
    plan_case_free(&c);
}

static void lenet_learns_the_same_within_any_limit(void **state)
{
    plan_case_t c = plan_case_shipped("lenet", 8, CNN_PLAN_FP32, CNN_PLAN_TRAINING);

    (void)state;
    assert_learns_the_same(c.program, "lenet", &cpu_cnn_backend, 4);
    plan_case_free(&c);
}

/* ---- random networks ---- */

/* Append a random layer that keeps height and width. */
static int add_layer(rng_t *rng, int k, char *text)
{
    const int n = 1 + (int)rng_below(rng, 5), from = (int)rng_below(rng, (uint64_t)k);
    int len = sprintf(text, "l%d = ", k);

    switch (rng_below(rng, 6)) {
    case 0:
        len += sprintf(text + len, "convolution %d kernel=1 batch-norm relu", n);
        break;
    case 1:
        len += sprintf(text + len, "max 3 stride=1 pad=1");
        break;
    case 2:
        len += sprintf(text + len, "lrn");
        break;
    case 3:
        len += sprintf(text + len, "dropout 0.3");
        break;
    case 4:
        if (k > 1) {
            len +=
                sprintf(text + len, "concat from=l%d,l%d\n", k - 1, from > 0 ? from : 1);
            return len;
        } /* fall through */
    default:
        len += sprintf(text + len, "convolution %d kernel=3 pad=1%s", n,
                       rng_below(rng, 2) ? " relu" : "");
    }
    if (from > 0 && rng_below(rng, 2))
        len += sprintf(text + len, " from=l%d", from);
    return len + sprintf(text + len, "\n");
}

/* Half of the networks have batches that are divided into 8 images and more.  Layers that
 * nothing reads would be refused: the last one joins all. */
static void write_net(rng_t *rng, char text[TEXT_BYTES])
{
    const int n = 1 + (int)rng_below(rng, 6);
    int len = 0;

    for (int k = 1; k <= n; k++)
        len += add_layer(rng, k, text + len);
    len += sprintf(text + len, "all = concat from=l1");
    for (int k = 2; k <= n; k++)
        len += sprintf(text + len, ",l%d", k);
    sprintf(text + len, "\nend = linear classes\ns = softmax\n[solver]\n%s",
            solvers[rng_below(rng, 2)]);
}

static void random_networks_learn_the_same_within_any_limit(void **state)
{
    rng_t rng = rng_seed(49);
    int n_divided = 0;

    (void)state;
    for (int i = random_set_count(N_RANDOM); i > 0; i--) {
        char text[TEXT_BYTES];
        plan_case_t c;

        write_net(&rng, text);
        c = plan_case_layers(text, (1 + (int64_t)rng_below(&rng, 4)) * (i % 2 ? 1 : 8),
                             CNN_PLAN_FP32, CNN_PLAN_TRAINING);
        assert_learns_the_same(c.program, text, &cpu_cnn_backend, 3);
        plan_case_free(&c);
    }
    assert_true(n_of_parts > 0 && n_of_slices > 0);
    for (int op = 0; op < CNN_N_OPS; op++)
        if (cnn_op_kind(op) != CNN_KIND_COPY && cnn_op_kind(op) != CNN_KIND_UPDATE)
            n_divided += n_of_images[op];
    assert_true(n_divided > 0);
}

/* ---- shipped networks ---- */

static void shipped_networks_keep_the_rules_within_any_limit(void **state)
{
    static const cnn_plan_types_t types[] = {CNN_PLAN_FP32, CNN_PLAN_BF16};

    (void)state;
    for (int i = 0; net_shipped[i].name != NULL; i++)
        for (int k = i % CASE_STEP; k < 3; k += CASE_STEP) {
            plan_case_t c = plan_case_shipped(net_shipped[i].name, 32, types[k / 2],
                                              (cnn_plan_purpose_t)(k % 2));

            for (int policy = 0; policy < SWAP_N_POLICIES; policy++) {
                const swap_opts_t opts = {(swap_policy_t)policy, SWAP_KEEP_BYTES,
                                          SWAP_REMATERIALIZE_OFF, 0};
                swap_need_t need;

                assert_int_equal(swap_program_need(c.program, &opts, &need), ST_OK);
                for (size_t part = 0; part < 2; part++)
                    cnn_program_destroy(
                        make(c.program, &opts,
                             need.arena_bytes +
                                 (c.program->arena_bytes - need.arena_bytes) / 2 * part));
            }
            plan_case_free(&c);
        }
}

/* Parameters and states of a batch of 128 of AlexNet and all that lives with them are
 * 1,078 MiB; where updates follow their gradients, they are 971. */
static void updates_that_follow_their_gradients_need_less_memory(void **state)
{
    plan_case_t c = plan_case_shipped("alexnet", 128, CNN_PLAN_FP32, CNN_PLAN_TRAINING);
    const swap_opts_t opts = {SWAP_PLAN, SWAP_KEEP_BYTES, SWAP_REMATERIALIZE_AUTO, 0};
    const size_t gib = (size_t)1 << 30;
    cnn_program_t *made;

    (void)state;
    assert_true(c.program->arena_bytes > gib);
    made = make(c.program, &opts, gib);
    assert_int_equal(made->swap_bytes, 0);
    assert_int_equal(made->arena_bytes / 1048576, 970);
    assert_int_equal(made->n_forward + made->n_backward, made->n_steps);
    cnn_program_destroy(made);
    plan_case_free(&c);
}

/* Batch norms and their ReLUs are repeated at the first step that reads them, and what
 * the cheap convolution has written; the second convolution takes longer than copies. */
static void cheap_layers_are_computed_again_in_front_of_who_reads_them(void **state)
{
    plan_case_t c = plan_case_layers("a = convolution 64 kernel=3 pad=1 batch-norm relu\n"
                                     "b = convolution 64 kernel=9 pad=4 batch-norm relu\n"
                                     "c = linear classes\n"
                                     "d = softmax\n"
                                     "[solver]\n",
                                     64, CNN_PLAN_FP32, CNN_PLAN_TRAINING);
    const swap_opts_t opts = {SWAP_PLAN, 30000, SWAP_REMATERIALIZE_AUTO, 0};
    cnn_program_t *made;
    swap_traffic_t t;
    swap_need_t need;
    char steps[4096], *at;

    (void)state;
    assert_int_equal(swap_program_need(c.program, &opts, &need), ST_OK);
    made = make(c.program, &opts, (3 * need.arena_bytes + c.program->arena_bytes) / 4);
    t = swap_program_traffic(made);
    assert_true(t.n_repeats > 0 && t.repeats_flops > 0);
    plan_case_steps(made, made->n_forward, made->n_steps, steps);
    assert_non_null(at = strstr(steps, "convolution input a.weight > a.again"));
    assert_non_null(at = strstr(at, "batch-norm a.again"));
    assert_null(strstr(steps, "convolution a.batch-norm b.weight"));
    assert_non_null(strstr(at, "relu a.batch-norm"));
    assert_null(strstr(at, "a.batch-norm.mean\n"));
    cnn_program_destroy(made);
    plan_case_free(&c);
}

static void repeated_steps_save_most_of_what_googlenet_moves(void **state)
{
    plan_case_t c = plan_case_shipped("googlenet", 64, CNN_PLAN_FP32, CNN_PLAN_TRAINING);
    double moved[2];

    (void)state;
    for (int k = 0; k < 2; k++) {
        const swap_opts_t opts = {SWAP_PLAN, SWAP_KEEP_BYTES, (swap_rematerialize_t)k, 0};
        cnn_program_t *made = make(c.program, &opts, (size_t)1 << 30);
        const swap_traffic_t t = swap_program_traffic(made);

        moved[k] = t.in_bytes + t.out_bytes;
        cnn_program_destroy(made);
    }
    assert_true(moved[SWAP_REMATERIALIZE_AUTO] < moved[SWAP_REMATERIALIZE_OFF] / 8);
    plan_case_free(&c);
}

/* Images of each layer pass in slices of a few; the input, which stays in the arena, in
 * slices of 8 images, whose parts begin aligned. */
static void steps_of_layers_are_divided_where_they_do_not_fit(void **state)
{
    static const cnn_op_t divided[] = {
        CNN_CONVOLUTION, CNN_CONVOLUTION_BACKWARD_DATA,
        CNN_POOL,        CNN_POOL_BACKWARD,
        CNN_LRN,         CNN_LRN_BACKWARD,
        CNN_RELU,        CNN_RELU_BACKWARD,
        CNN_CONCAT,      CNN_CONCAT_BACKWARD,
        CNN_ADD,
    };
    plan_case_t c = plan_case_layers("a = convolution 8 kernel=3 pad=1 relu\n"
                                     "b = max 3 stride=1 pad=1\n"
                                     "c = lrn from=b\n"
                                     "d = convolution 5 kernel=3 pad=1 from=b\n"
                                     "e = concat from=c,d\n"
                                     "f = linear classes\n"
                                     "g = softmax\n"
                                     "[solver]\nmomentum = 0.9\n",
                                     24, CNN_PLAN_FP32, CNN_PLAN_TRAINING);
    const swap_opts_t opts = {SWAP_PLAN, 1, SWAP_REMATERIALIZE_AUTO, 16};
    const cnn_backend_t *const backends[] = {&cpu_cnn_backend, &serial_cnn_backend};

    (void)state;
    for (int i = 0; i < 2; i++) {
        plan_train_t whole;

        memset(n_of_images, 0, sizeof(n_of_images));
        plan_train_create(&whole, c.program, backends[i]);
        plan_train_run(&whole);
        for (int k = 0; k < 10; k++)
            learn_within(&whole, backends[i]->base.name, &opts, k / 10.0);
        for (size_t k = 0; k < sizeof(divided) / sizeof(divided[0]); k++)
            if (n_of_images[divided[k]] < 3)
                fail_msg("%s is not divided", cnn_op_name(divided[k]));
        backends[i]->destroy(whole.state);
    }
    plan_case_free(&c);
}

/* The images of the first convolution, which are most of the memory. */
static void large_images_are_computed_again_in_slices(void **state)
{
    plan_case_t c = plan_case_layers("a = convolution 16 kernel=3 pad=1 relu\n"
                                     "b = max 3 stride=2 ceil=yes\n"
                                     "c = convolution 8 kernel=3 pad=1 relu\n"
                                     "d = linear classes\n"
                                     "e = softmax\n"
                                     "[solver]\nmomentum = 0.9\n",
                                     32, CNN_PLAN_FP32, CNN_PLAN_TRAINING);
    const swap_opts_t opts = {SWAP_PLAN, 1, SWAP_REMATERIALIZE_AUTO, 4096};
    plan_train_t whole;

    (void)state;
    n_of_slices_again = n_with_parts = 0;
    assert_false(swap_program_traffic(c.program).has_parts);
    plan_train_create(&whole, c.program, &cpu_cnn_backend);
    plan_train_run(&whole);
    for (int k = 0; k < 10; k++)
        learn_within(&whole, "images", &opts, k / 10.0);
    assert_true(n_of_slices_again >= 8);
    assert_true(n_with_parts > 0);
    whole.backend->destroy(whole.state);
    plan_case_free(&c);
}

/* @return the largest difference of two backends' parameters and states */
static double largest_difference(const plan_train_t *a, const plan_train_t *b)
{
    double most = 0;

    for (int t = 0; t < a->program->n_tensors; t++) {
        const cnn_tensor_t *x = &a->program->tensors[t];
        const int64_t n = cnn_tensor_n(x);
        float *left, *right;

        if (x->role != CNN_PARAMETER && x->role != CNN_STATE)
            continue;
        left = calloc((size_t)n, sizeof(*left));
        right = calloc((size_t)n, sizeof(*right));
        assert_true(left != NULL && right != NULL);
        assert_int_equal(a->backend->read(a->state, t, left), ST_OK);
        assert_int_equal(b->backend->read(b->state, t, right), ST_OK);
        for (int64_t i = 0; i < n; i++)
            most = fmax(most, fabs((double)left[i] - (double)right[i]));
        free(left);
        free(right);
    }
    return most;
}

/* A batch of 24 has moments of 12 and more parts; running averages change once. */
static void sums_of_batch_norm_are_divided_where_nothing_else_fits(void **state)
{
    plan_case_t c = plan_case_layers("a = convolution 32 kernel=1 batch-norm relu\n"
                                     "b = max 3 stride=3\n"
                                     "c = linear classes\n"
                                     "d = softmax\n"
                                     "[solver]\nmomentum = 0.9\n",
                                     24, CNN_PLAN_FP32, CNN_PLAN_TRAINING);
    const swap_opts_t opts = {SWAP_PLAN, 1024, SWAP_REMATERIALIZE_AUTO, 1024};
    const cnn_backend_t *const backends[] = {&cpu_cnn_backend, &serial_cnn_backend};
    const size_t image = 32 * 36 * sizeof(float);
    cnn_program_t *made;
    swap_need_t need;

    (void)state;
    assert_int_equal(swap_program_need(c.program, &opts, &need), ST_OK);
    assert_in_range(need.arena_bytes, 1, 48 * image); /* not its input and output */
    made = make(c.program, &opts, need.arena_bytes);
    assert_int_equal(swap_program_traffic(made).n_split_sums, 2);
    for (int i = 0; i < 2; i++) {
        plan_train_t whole, parts;

        plan_train_create(&whole, c.program, backends[i]);
        plan_train_run(&whole);
        plan_train_create(&parts, made, backends[i]);
        plan_train_run(&parts);
        assert_true(largest_difference(&whole, &parts) < 1e-4);
        backends[i]->destroy(whole.state);
        backends[i]->destroy(parts.state);
    }
    cnn_program_destroy(made);
    plan_case_free(&c);
}

/* The weights of `a`, 12 x 72, are updated in four slices of 192 and one of 96: what they
 * write is fetched one slice ahead. */
static void an_update_is_divided_where_it_does_not_fit(void **state)
{
    plan_case_t c = plan_case_layers("a = linear 12\n"
                                     "b = linear classes\n"
                                     "c = softmax\n"
                                     "[solver]\nmomentum = 0.9\n",
                                     1, CNN_PLAN_FP32, CNN_PLAN_TRAINING);
    const swap_opts_t opts = {SWAP_PLAN, 1, SWAP_REMATERIALIZE_OFF, 768};
    swap_need_t need;
    cnn_program_t *made;
    int n_updates = 0, at[8];

    (void)state;
    assert_int_equal(swap_program_need(c.program, &opts, &need), ST_OK);
    made = make(c.program, &opts, need.arena_bytes);
    for (int s = 0; s < made->n_steps; s++)
        if (made->steps[s].op == CNN_SGD &&
            strncmp(made->tensors[made->steps[s].writes[0]].name, "a.weight", 8) == 0)
            at[n_updates++] = s;
    assert_int_equal(n_updates, 5);
    for (int k = 0; k < 5; k++) {
        const cnn_step_t *s = &made->steps[at[k]];

        assert_int_equal(cnn_tensor_n(&made->tensors[s->writes[0]]), k < 4 ? 192 : 96);
        assert_int_equal(made->tensors[s->reads[0]].part_first, 192 * k);
        assert_int_equal(s[-1].op, k < 4 ? CNN_FETCH : CNN_EVICT);
        assert_int_equal(s[1].op, CNN_EVICT);
        assert_int_equal(s[2].op, CNN_EVICT);
    }
    cnn_program_destroy(made);
    plan_case_free(&c);
}

/* The weights of `b`, 520 x 288, in tiles of 128 outputs, the last one of 8, between the
 * backward steps of `a`, within some of the limits: they have too few slices of 160 KiB
 * for an update in these. */
static void gradients_of_weights_are_applied_tile_by_tile(const char *solver)
{
    const swap_opts_t opts = {SWAP_PLAN, 1024, SWAP_REMATERIALIZE_AUTO, 160 << 10};
    const cnn_backend_t *const backends[] = {&cpu_cnn_backend, &serial_cnn_backend};
    char text[TEXT_BYTES];
    plan_case_t c;

    snprintf(text, sizeof(text),
             "a = convolution 8 kernel=3 pad=1 relu\n"
             "b = linear 520 relu dropout\nc = linear classes\nd = softmax\n"
             "[solver]\n%s",
             solver);
    c = plan_case_layers(text, 3, CNN_PLAN_FP32, CNN_PLAN_TRAINING);
    for (int i = 0; i < 2; i++) {
        plan_train_t whole;

        n_of_tiles = 0;
        plan_train_create(&whole, c.program, backends[i]);
        plan_train_run(&whole);
        for (int k = 0; k < 10; k++)
            learn_within(&whole, backends[i]->base.name, &opts, k / 10.0);
        assert_true(n_of_tiles >= 5 && n_of_tiles % 5 == 0);
        backends[i]->destroy(whole.state);
    }
    plan_case_free(&c);
}

static void gradients_are_applied_tile_by_tile_with_momentum(void **state)
{
    (void)state;
    gradients_of_weights_are_applied_tile_by_tile("momentum = 0.9\n");
}

static void gradients_are_applied_tile_by_tile_with_adam(void **state)
{
    (void)state;
    gradients_of_weights_are_applied_tile_by_tile("type = adam\n");
}

/* The update of VGG-A's first fully connected layer takes 1,176 MiB as a whole. */
static void divided_updates_need_less_memory(void **state)
{
    static const char *const nets[] = {"vgg-a", "overfeat-fast"};
    static const int batches[] = {32, 128}, mib[] = {500, 500};
    const swap_opts_t opts = {SWAP_PLAN, SWAP_KEEP_BYTES, SWAP_REMATERIALIZE_AUTO, 0};
    swap_need_t need;

    (void)state;
    for (int i = 0; i < 2; i++) {
        plan_case_t c =
            plan_case_shipped(nets[i], batches[i], CNN_PLAN_FP32, CNN_PLAN_TRAINING);

        assert_int_equal(swap_program_need(c.program, &opts, &need), ST_OK);
        assert_in_range(need.arena_bytes >> 20, 256, mib[i]);
        plan_case_free(&c);
    }
}

/* ---- ranks ---- */

/* Write what ranks exchange, in the order of the steps: "sum d.a.weight", one per line.
 */
static void list_exchanges(const cnn_program_t *p, char *out)
{
    for (int s = 0; s < p->n_steps; s++) {
        const cnn_step_t *step = &p->steps[s];
        const char *name = p->tensors[step->reads[0]].name;
        const char *stay = strstr(name, ".stay"); /* of a tensor that was away */

        if (cnn_op_exchanges(step->op))
            out +=
                sprintf(out, "%s %.*s\n", cnn_op_name(step->op),
                        (int)(stay != NULL ? (size_t)(stay - name) : strlen(name)), name);
    }
}

/* Ranks with other parts and limits must meet in the same order. */
static void ranks_exchange_in_one_order_within_any_limit(void **state)
{
    enum { LIST_BYTES = 4096, N_LIMITS = 8 };
    char text[TEXT_BYTES], lists[SWAP_N_POLICIES][LIST_BYTES], list[LIST_BYTES];
    plan_case_t c;

    (void)state;
    snprintf(text, sizeof(text), "%s%s", all_kinds, solvers[0]);
    c = plan_case_layers(text, N_IMAGES, CNN_PLAN_FP32, CNN_PLAN_TRAINING);
    for (int k = 0; k < 2 * SWAP_N_POLICIES; k++) {
        const swap_opts_t opts = {(swap_policy_t)(k % 2), 1, SWAP_REMATERIALIZE_AUTO,
                                  256};
        const cnn_plan_options_t part = {1 + 5 * (k / 2), CNN_PLAN_FP32,
                                         CNN_PLAN_TRAINING, CNN_PLACE_NET, true};
        char *all = lists[k % 2];
        cnn_program_t *program;
        swap_need_t need;

        assert_int_equal(cnn_plan_compile_part(c.net, &part, 2, 7, &program), ST_OK);
        assert_int_equal(swap_program_need(program, &opts, &need), ST_OK);
        for (size_t i = 0; i <= N_LIMITS; i++) {
            cnn_program_t *made =
                make(program, &opts,
                     need.arena_bytes +
                         (program->arena_bytes - need.arena_bytes) * i / N_LIMITS);

            list_exchanges(made, list);
            if (k < SWAP_N_POLICIES && i == 0)
                strcpy(all, list);
            assert_string_equal(list, all);
            cnn_program_destroy(made);
        }
        assert_non_null(strstr(all, "gather a.batch-norm"));
        assert_non_null(strstr(all, "sum loss\nsum right\n"));
        assert_non_null(strstr(all, "sum d.g.weight\n"));
        cnn_program_destroy(program);
    }
    plan_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_layer_learns_the_same_within_any_limit),
        cmocka_unit_test(narrow_numbers_learn_the_same_within_any_limit),
        cmocka_unit_test(lenet_learns_the_same_within_any_limit),
        cmocka_unit_test(random_networks_learn_the_same_within_any_limit),
        cmocka_unit_test(shipped_networks_keep_the_rules_within_any_limit),
        cmocka_unit_test(updates_that_follow_their_gradients_need_less_memory),
        cmocka_unit_test(cheap_layers_are_computed_again_in_front_of_who_reads_them),
        cmocka_unit_test(repeated_steps_save_most_of_what_googlenet_moves),
        cmocka_unit_test(steps_of_layers_are_divided_where_they_do_not_fit),
        cmocka_unit_test(large_images_are_computed_again_in_slices),
        cmocka_unit_test(sums_of_batch_norm_are_divided_where_nothing_else_fits),
        cmocka_unit_test(an_update_is_divided_where_it_does_not_fit),
        cmocka_unit_test(gradients_are_applied_tile_by_tile_with_momentum),
        cmocka_unit_test(gradients_are_applied_tile_by_tile_with_adam),
        cmocka_unit_test(divided_updates_need_less_memory),
        cmocka_unit_test(ranks_exchange_in_one_order_within_any_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
