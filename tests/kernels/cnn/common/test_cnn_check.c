/* test_cnn_check.c - which programs keep the rules. */
#include "tests/support/unit_test.h"

#include "kernels/cnn/common/cnn_backend.h"
#include "tests/support/layer_case.h"

#include <string.h>

static void expect_violation(const cnn_program_t *p, const char *text)
{
    buf_t why = {0};

    assert_false(cnn_program_check(p, &why));
    assert_non_null(memmem(why.data, why.len, text, strlen(text)));
    buf_free(&why);
}

static void all_cases_keep_the_rules(void **state)
{
    static const cnn_type_t types[3] = {CNN_F32, CNN_F64, CNN_BF16};

    (void)state;
    for (int i = 0; i < n_layer_cases; i++)
        for (int t = 0; t < 3; t++) {
            layer_program_t p;

            layer_case_program(&layer_cases[i], types[t], CNN_STRICT, &p);
            assert_true(cnn_program_check(&p.one.program, NULL));
        }
}

/* One more row, column, channel or image in any tensor of each operation's first case.
 * The gradient of a concatenation may have channels that a step does not take. */
static void no_size_may_differ(void **state)
{
    (void)state;
    for (int i = 0; i < n_layer_cases; i++) {
        layer_program_t p;

        if (layer_cases[i].op == CNN_CONCAT ||
            (i > 0 && layer_cases[i].op == layer_cases[i - 1].op))
            continue;
        layer_case_program(&layer_cases[i], CNN_F32, CNN_STRICT, &p);
        for (int t = 0; t < p.one.program.n_tensors; t++)
            for (int axis = 0; axis < 4; axis++) {
                p.one.tensors[t].size[axis]++;
                expect_violation(&p.one.program, layer_cases[i].name);
                p.one.tensors[t].size[axis]--;
            }
    }
}

static void a_step_has_the_tensors_of_its_operation(void **state)
{
    layer_program_t p;

    (void)state;
    layer_case_program(&layer_cases[0], CNN_F32, CNN_STRICT, &p);
    p.one.steps[1].n_reads = 1;
    expect_violation(&p.one.program, "not the tensors of");
    p.one.steps[1].n_reads = 2;
    p.one.steps[2].writes[0] = p.one.program.n_tensors;
    expect_violation(&p.one.program, "not the tensors of");
    p.one.steps[2].writes[0] = p.one.steps[0].reads[0]; /* the input */
    expect_violation(&p.one.program, "not the tensors of");
}

/* relu of relu of relu: the third result may take the place of the first one */
static void tensors_share_memory_one_after_the_other(void **state)
{
    cnn_params_t none = {.update = {0}};
    int64_t size[4] = {1, 1, 1, 65}; /* 260 bytes */
    one_step_t o;

    (void)state;
    one_step_begin(&o, "layer", CNN_STRICT);
    one_step_tensor(&o, "x", CNN_INPUT, CNN_F32, size);
    for (int i = 0; i < 3; i++) {
        int y = one_step_tensor(&o, "yyy" + i, CNN_ACTIVATION, CNN_F32, size);

        one_step_add(&o, CNN_RELU, &none, (int[]){y - 1, -1}, (int[]){y, -1});
        o.tensors[y].first_step = i;
        o.tensors[y].last_step = i + 1;
        o.tensors[y].offset = 512 + (size_t)(i % 2) * 512; /* behind x */
    }
    o.program.arena_bytes = 1024 + 260;
    assert_true(cnn_program_check(&o.program, NULL));
    o.tensors[2].offset = 768;
    expect_violation(&o.program, "yy: shares memory with yyy");
    o.tensors[2].offset = 1000;
    expect_violation(&o.program, "outside the arena");
    o.tensors[2].offset = 1024;
    o.program.arena_bytes--;
    expect_violation(&o.program, "outside the arena");
    o.program.arena_bytes++;
    o.tensors[1].last_step = 0; /* step 1 still reads it */
    expect_violation(&o.program, "yyy: used before or after");
}

/* A parameter w is updated in the arena, leaves, and comes back as v, of which r is made.
 * Step 0: SGD of w; 1: w to home; 2: home to v; 3: ReLU of v. */
static void begin_copies(one_step_t *o)
{
    cnn_params_t none = {.update = {0}};
    int64_t size[4] = {1, 4, 1, 1};
    int w, g, m, home, v, r;

    one_step_begin(o, "layer", CNN_STRICT);
    g = one_step_tensor(o, "g", CNN_INPUT, CNN_F32, size);
    w = one_step_tensor(o, "w", CNN_PARAMETER, CNN_F32, size);
    m = one_step_tensor(o, "m", CNN_STATE, CNN_F32, size);
    home = one_step_tensor(o, "home", CNN_ACTIVATION, CNN_F32, size);
    v = one_step_tensor(o, "v", CNN_ACTIVATION, CNN_F32, size);
    r = one_step_tensor(o, "r", CNN_ACTIVATION, CNN_F32, size);
    o->tensors[home].on_host = true;
    o->program.swap_bytes = o->program.arena_bytes;
    one_step_add(o, CNN_SGD, &none, (int[]){g, -1}, (int[]){w, m, -1});
    one_step_add(o, CNN_EVICT, &none, (int[]){w, -1}, (int[]){home, -1});
    one_step_add(o, CNN_FETCH, &none, (int[]){home, -1}, (int[]){v, -1});
    one_step_add(o, CNN_RELU, &none, (int[]){v, -1}, (int[]){r, -1});
}

static void copies_are_read_while_they_are_there_and_the_newest(void **state)
{
    one_step_t o;

    (void)state;
    begin_copies(&o);
    assert_true(cnn_program_check(&o.program, NULL));
    o.steps[3].reads[0] = 3; /* home */
    expect_violation(&o.program, "not the tensors of");
    begin_copies(&o);
    o.steps[1].op = CNN_CAST; /* writes into the swap area */
    expect_violation(&o.program, "not the tensors of");
    begin_copies(&o);
    o.tensors[4].last_step = 2; /* v is gone when it is read */
    expect_violation(&o.program, "v: used before or after");
    begin_copies(&o);
    o.steps[1] = o.steps[2]; /* home has nothing */
    expect_violation(&o.program, "home: read, or needed");
    begin_copies(&o);
    o.steps[3] = o.steps[0]; /* w is updated behind the copy */
    o.steps[0] = o.steps[1];
    assert_true(cnn_program_check(&o.program, NULL));
    o.steps[1] = o.steps[3];
    o.steps[3] = (cnn_step_t){
        .op = CNN_RELU, .n_reads = 1, .n_writes = 1, .reads = {4}, .writes = {5}};
    expect_violation(&o.program, "home: read, or needed");
}

/* Where w lies between two runs, its newest value must be. */
static void what_lasts_ends_with_its_newest_value(void **state)
{
    one_step_t o;

    (void)state;
    begin_copies(&o);
    o.steps[3] = o.steps[0];
    o.steps[3].writes[0] = 4; /* v is updated instead of w */
    expect_violation(&o.program, "w: read, or needed");
    o.tensors[1].on_host = true; /* w is in the swap area, and home is v's first stay */
    o.tensors[3].on_host = false;
    o.steps[0].writes[0] = 3;
    o.steps[0].op = CNN_FETCH;
    o.steps[0].n_writes = 1;
    o.steps[0].reads[0] = 1;
    o.steps[1].reads[0] = 3;
    o.steps[1].writes[0] = 1;
    o.steps[2].reads[0] = 1;
    expect_violation(&o.program, "w: read, or needed");
    o.steps[4] = o.steps[1];
    o.steps[4].reads[0] = 4;
    o.program.n_steps = 5;
    assert_true(cnn_program_check(&o.program, NULL));
}

/* A parameter w in the swap area, 128 elements, is updated in two slices: step 0 and 3
 * fetch one, 1 and 4 update it by a part of g, 2 and 5 bring it back; then all of w is
 * fetched. */
static void begin_slices(one_step_t *o)
{
    cnn_params_t none = {.update = {0}};
    int64_t whole[4] = {128, 1, 1, 1}, half[4] = {64, 1, 1, 1};
    int g, w, v;

    one_step_begin(o, "layer", CNN_STRICT);
    g = one_step_tensor(o, "g", CNN_INPUT, CNN_F32, whole);
    w = one_step_tensor(o, "w", CNN_PARAMETER, CNN_F32, whole);
    v = one_step_tensor(o, "v", CNN_ACTIVATION, CNN_F32, whole);
    o->tensors[w].on_host = true;
    o->program.swap_bytes = o->program.arena_bytes;
    for (int k = 0; k < 2; k++) {
        const int part = one_step_tensor(o, "g.part", CNN_GRADIENT, CNN_F32, half);
        const int home = one_step_tensor(o, "home", CNN_ACTIVATION, CNN_F32, half);
        const int here = one_step_tensor(o, "here", CNN_ACTIVATION, CNN_F32, half);
        const int m = one_step_tensor(o, "m", CNN_STATE, CNN_F32, half);

        o->tensors[home].on_host = true;
        o->tensors[part].part_of = 1 + g;
        o->tensors[home].part_of = 1 + w;
        o->tensors[part].part_first = o->tensors[home].part_first = 64 * k;
        o->tensors[part].offset = o->tensors[g].offset + (size_t)(256 * k);
        o->tensors[home].offset = o->tensors[w].offset + (size_t)(256 * k);
        one_step_add(o, CNN_FETCH, &none, (int[]){home, -1}, (int[]){here, -1});
        one_step_add(o, CNN_SGD, &none, (int[]){part, -1}, (int[]){here, m, -1});
        one_step_add(o, CNN_EVICT, &none, (int[]){here, -1}, (int[]){home, -1});
    }
    one_step_add(o, CNN_FETCH, &none, (int[]){w, -1}, (int[]){v, -1});
}

static void parts_lie_in_the_whole_tensor_which_is_read_when_all_are_there(void **state)
{
    one_step_t o;

    (void)state;
    begin_slices(&o);
    assert_true(cnn_program_check(&o.program, NULL));
    o.tensors[7].offset += 256; /* the second part of g */
    expect_violation(&o.program, "outside the arena");
    begin_slices(&o);
    o.tensors[7].part_first = 65;
    expect_violation(&o.program, "outside the arena");
    begin_slices(&o);
    o.program.n_steps--;
    assert_true(cnn_program_check(&o.program, NULL));
    o.program.n_steps -= 2; /* one half of w is new */
    expect_violation(&o.program, "w: read, or needed");
    begin_slices(&o);
    o.steps[2] = o.steps[5]; /* the second half leaves before it is there */
    expect_violation(&o.program, "here: read, or needed");
}

/* All of y, which has no value before, is written half by half, and read. */
static void begin_halves(one_step_t *o)
{
    cnn_params_t none = {.update = {0}};
    int64_t whole[4] = {128, 1, 1, 1}, half[4] = {64, 1, 1, 1};
    int x, y, z;

    one_step_begin(o, "layer", CNN_STRICT);
    x = one_step_tensor(o, "x", CNN_INPUT, CNN_F32, whole);
    y = one_step_tensor(o, "y", CNN_ACTIVATION, CNN_F32, whole);
    z = one_step_tensor(o, "z", CNN_ACTIVATION, CNN_F32, whole);
    for (int k = 0; k < 2; k++) {
        const int from = one_step_tensor(o, "x.part", CNN_ACTIVATION, CNN_F32, half);
        const int to = one_step_tensor(o, "y.part", CNN_ACTIVATION, CNN_F32, half);

        o->tensors[from].part_of = 1 + x;
        o->tensors[to].part_of = 1 + y;
        o->tensors[from].part_first = o->tensors[to].part_first = 64 * k;
        o->tensors[from].offset = o->tensors[x].offset + (size_t)(256 * k);
        o->tensors[to].offset = o->tensors[y].offset + (size_t)(256 * k);
        one_step_add(o, CNN_RELU, &none, (int[]){from, -1}, (int[]){to, -1});
    }
    one_step_add(o, CNN_RELU, &none, (int[]){y, -1}, (int[]){z, -1});
}

static void a_tensor_has_a_value_when_all_parts_are_written(void **state)
{
    one_step_t o;

    (void)state;
    begin_halves(&o);
    assert_true(cnn_program_check(&o.program, NULL));
    o.steps[1] = o.steps[0];
    expect_violation(&o.program, "y: read, or needed");
    begin_halves(&o);
    o.steps[0].reads[0] = 6; /* the second half of y */
    expect_violation(&o.program, "y.part: read, or needed");
}

static void a_step_that_repeats_another_writes_nothing_that_lasts(void **state)
{
    cnn_params_t p = {.batch_norm = {1e-5, 0.1}};
    int64_t size[4] = {2, 3, 4, 4}, row[4] = {1, 3, 1, 1};
    int reads[4] = {0, 1, 2, -1}, writes[6] = {3, 4, 5, 6, 7, -1};
    one_step_t o;

    (void)state;
    one_step_begin(&o, "layer", CNN_STRICT);
    one_step_tensor(&o, "x", CNN_INPUT, CNN_F32, size);
    one_step_tensor(&o, "scale", CNN_PARAMETER, CNN_F32, row);
    one_step_tensor(&o, "shift", CNN_PARAMETER, CNN_F32, row);
    one_step_tensor(&o, "y", CNN_ACTIVATION, CNN_F32, size);
    one_step_tensor(&o, "saved", CNN_ACTIVATION, CNN_F32, row);
    one_step_tensor(&o, "deviation", CNN_ACTIVATION, CNN_F32, row);
    one_step_tensor(&o, "mean", CNN_STATE, CNN_F32, row);
    one_step_tensor(&o, "variance", CNN_STATE, CNN_F32, row);
    one_step_add(&o, CNN_BATCH_NORM, &p, reads, writes);
    assert_true(cnn_program_check(&o.program, NULL));
    o.program.n_forward = 0;
    expect_violation(&o.program, "not the tensors of");
    o.tensors[6].role = o.tensors[7].role = CNN_ACTIVATION;
    assert_true(cnn_program_check(&o.program, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_cases_keep_the_rules),
        cmocka_unit_test(no_size_may_differ),
        cmocka_unit_test(a_step_has_the_tensors_of_its_operation),
        cmocka_unit_test(tensors_share_memory_one_after_the_other),
        cmocka_unit_test(copies_are_read_while_they_are_there_and_the_newest),
        cmocka_unit_test(what_lasts_ends_with_its_newest_value),
        cmocka_unit_test(parts_lie_in_the_whole_tensor_which_is_read_when_all_are_there),
        cmocka_unit_test(a_tensor_has_a_value_when_all_parts_are_written),
        cmocka_unit_test(a_step_that_repeats_another_writes_nothing_that_lasts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
