/*
 * test_graph_choices.c - tests that choices of a template or variant are refused where no
 * kernel obeys them, and where they exclude each other.
 *
 * Most need a build with CUDA, but no GPU.
 */
#include "tests/support/unit_test.h"

#include "kernels/registry/backends.h"
#include "tests/support/captured_log.h"
#include "worker/graph/graph_choices.h"

static graph_opts_t opts;    /* as given */
static graph_opts_t settled; /* by the last assert */

static bool has_gpu_kernels(void)
{
    return backend_find(&graph_table, NULL, DEVICE_CUDA) != NULL;
}

static void start(graph_algorithm_t algorithm)
{
    opts = graph_opts_defaults();
    opts.algorithm = algorithm;
    opts.input = "in.mtx";
    opts.common.output = "out.h5";
}

static void assert_settled(void)
{
    char why[JOB_OPTS_WHY_BYTES] = "";

    settled = opts;
    if (graph_opts_settle(&settled.common, why) != ST_OK)
        fail_msg("refused: %s", why);
}

static void assert_refused(const char *expected)
{
    char why[JOB_OPTS_WHY_BYTES] = "";

    settled = opts;
    assert_int_equal(graph_opts_settle(&settled.common, why), ST_EUSAGE);
    if (strstr(why, expected) == NULL)
        fail_msg("'%s' does not contain '%s'", why, expected);
}

/* Give each choice in turn; even one that asks for the default is refused where nothing
 * obeys it. */
static void give(int k)
{
    switch (k) {
    case 0:
        GIVE(&opts, loop_template, GRAPH_TEMPLATE_AUTO);
        break;
    case 1:
        GIVE(&opts, loop_template, GRAPH_DUAL_QUEUE);
        GIVE(&opts, lb_threshold, 64);
        break;
    case 2:
        GIVE(&opts, variant, GRAPH_U_B_QU);
        break;
    case 3:
        GIVE(&opts, adaptive, GRAPH_ADAPTIVE_ON);
        break;
    case 4:
        GIVE(&opts, update, GRAPH_ATOMIC);
        break;
    default:
        opts.split_text = "none";
        break;
    }
}
enum { N_GIVEN = 6, N_TEMPLATES_GIVEN = 2 };

static void nothing_obeys_in_a_build_for_cpus(void **state)
{
    (void)state;
    for (int k = 0; k < N_GIVEN; k++) {
        start(GRAPH_BFS);
        give(k);
        if (has_gpu_kernels())
            assert_settled();
        else
            assert_refused("is for kernels on GPUs, which this build does not have");
    }
}

static void nothing_obeys_on_a_cpu(void **state)
{
    const device_t cpu = device_cpu();

    (void)state;
    if (!has_gpu_kernels())
        skip();
    for (int k = 0; k < N_GIVEN; k++) {
        start(GRAPH_BFS);
        opts.common.device = "cpu";
        give(k);
        assert_refused("is for --device cuda, not for --device cpu");
        start(GRAPH_BFS);
        opts.common.kernel = "serial";
        give(k);
        assert_refused("is for --kernel cuda, not for --kernel serial");
        start(GRAPH_BFS);
        give(k);
        assert_settled();
        capture_start();
        assert_int_equal(graph_choices_check_device(&settled, &cpu), ST_EDEVICE);
        capture_stop();
        assert_logged_one_line();
        assert_logged("is for kernels on GPUs, but there is no GPU to use: ");
    }
}

static void a_choice_of_another_algorithm_is_refused(void **state)
{
    (void)state;
    if (!has_gpu_kernels())
        skip();
    for (int k = 0; k < N_GIVEN; k++) {
        start(GRAPH_PAGERANK);
        give(k);
        if (k < N_TEMPLATES_GIVEN)
            assert_settled();
        else
            assert_refused(" is for bfs, sssp, not for pagerank");
    }
}

static void choices_have_to_go_together(void **state)
{
    (void)state;
    if (!has_gpu_kernels())
        skip();
    start(GRAPH_PAGERANK);
    GIVE(&opts, lb_threshold, 64);
    assert_refused("--lb-threshold needs --template");
    start(GRAPH_SSSP);
    GIVE(&opts, adaptive, GRAPH_ADAPTIVE_OFF);
    assert_refused("--adaptive off needs");
    GIVE(&opts, variant, GRAPH_U_B_QU);
    assert_settled();
    GIVE(&opts, adaptive, GRAPH_ADAPTIVE_ON);
    assert_refused("leave out --adaptive on");
    start(GRAPH_BFS);
    GIVE(&opts, variant, GRAPH_U_T_QU);
    GIVE(&opts, loop_template, GRAPH_WARP_MAPPED);
    assert_refused("--variant U_T_QU takes a thread per node, --template warp-mapped");
    GIVE(&opts, variant, GRAPH_O_B_QU);
    assert_settled();
    GIVE(&opts, update, GRAPH_RACY);
    assert_refused("give --variant U_B_QU");
    GIVE(&opts, variant, GRAPH_U_B_QU);
    assert_settled();
    opts.split_text = "auto";
    assert_refused("--split auto needs --update atomic; give virtual:auto");
    opts.split_text = "virtual:auto";
    assert_settled();
    start(GRAPH_BFS);
    opts.split_text = "0";
    assert_refused("--split 0: give");
    opts.split_text = "virtual:x";
    assert_refused("--split virtual:x: give");
    opts.split_text = "12x";
    assert_refused("--split 12x: give");
}

static void choices_become_a_run(void **state)
{
    buf_t text = {0};

    (void)state;
    if (!has_gpu_kernels())
        skip();
    start(GRAPH_SSSP);
    GIVE(&opts, loop_template, GRAPH_DBUF_SHARED);
    GIVE(&opts, lb_threshold, 128);
    GIVE(&opts, adaptive, GRAPH_ADAPTIVE_OFF);
    opts.split_text = "20";
    assert_settled();
    assert_int_equal(settled.run.loop_template, GRAPH_DBUF_SHARED);
    assert_int_equal(settled.run.lb_threshold, 128);
    assert_int_equal(settled.run.variant, GRAPH_U_B_QU);
    assert_int_equal(settled.run.split_degree, 20);
    assert_int_equal(graph_choices_print(&settled.run, &text), ST_OK);
    assert_int_equal(buf_append(&text, "", 1), ST_OK);
    assert_string_equal(
        (char *)text.data,
        "template=dbuf-shared\nlb_threshold=128\nvariant=U_B_QU\nsplit=20\n");
    buf_free(&text);
    start(GRAPH_BFS);
    GIVE(&opts, loop_template, GRAPH_THREAD_MAPPED);
    GIVE(&opts, adaptive, GRAPH_ADAPTIVE_OFF);
    assert_settled();
    assert_int_equal(settled.run.variant, GRAPH_O_T_QU);
    start(GRAPH_BFS);
    opts.split_text = "virtual:64";
    assert_settled();
    assert_int_equal(settled.run.split, GRAPH_SPLIT_VIRTUAL);
    assert_int_equal(settled.run.split_degree, 64);
    assert_int_equal(graph_choices_print(&settled.run, &text), ST_OK);
    assert_memory_equal(text.data, "split=virtual:64\n", text.len);
    buf_free(&text);
    start(GRAPH_BFS);
    opts.split_text = "auto";
    assert_settled();
    assert_int_equal(settled.run.split_degree, -1);
    assert_int_equal(settled.run.variant, GRAPH_VARIANT_AUTO);
}

static void templates_that_launch_are_for_some_algorithms(void **state)
{
    (void)state;
    if (!has_gpu_kernels())
        skip();
    start(GRAPH_BFS);
    GIVE(&opts, loop_template, GRAPH_REC_HIER);
    assert_refused(
        "--template rec-hier is for tree-descendants, tree-heights, not for bfs");
    GIVE(&opts, loop_template, GRAPH_RECURSIVE);
    assert_settled();
    GIVE(&opts, lb_threshold, 64);
    assert_refused("--lb-threshold needs --template");
    start(GRAPH_SSSP);
    GIVE(&opts, loop_template, GRAPH_RECURSIVE);
    assert_refused("--template recursive is for bfs, not for sssp");
    GIVE(&opts, loop_template, GRAPH_DPAR_NAIVE);
    assert_settled();
    start(GRAPH_COMPONENTS);
    GIVE(&opts, loop_template, GRAPH_DPAR_OPT);
    assert_refused("--template dpar-opt is for bfs, sssp, pagerank, betweenness, spmv, "
                   "coloring, not for components");
    start(GRAPH_HEIGHTS);
    GIVE(&opts, loop_template, GRAPH_FLAT);
    assert_settled();
    GIVE(&opts, lb_threshold, 64);
    assert_refused("--lb-threshold needs --template");
    start(GRAPH_DESCENDANTS);
    GIVE(&opts, loop_template, GRAPH_REC_NAIVE);
    assert_settled();
    opts.common.kernel = "cuda";
    assert_refused("--template rec-naive is for --kernel nested, not for --kernel cuda");
    opts.common.kernel = "nested";
    assert_settled();
    opts.leaf_weights = "counts.tsv";
    assert_refused("--leaf-weights is not for --template rec-naive");
}

static void kernels_can_be_launched_for_nodes_that_would_be_split(void **state)
{
    (void)state;
    if (!has_gpu_kernels())
        skip();
    for (int a = GRAPH_BFS; a <= GRAPH_SSSP; a++) {
        start((graph_algorithm_t)a);
        opts.split_text = "64";
        GIVE(&opts, loop_template, GRAPH_DPAR_NAIVE);
        assert_settled();
        assert_int_equal(settled.run.split_degree, 64);
        GIVE(&opts, lb_threshold, 64);
        assert_refused("--split and --lb-threshold are the same threshold");
        start((graph_algorithm_t)a);
        opts.split_text = "virtual:64";
        GIVE(&opts, loop_template, GRAPH_DPAR_OPT);
        assert_refused("give --split without 'virtual:'");
    }
    start(GRAPH_SPMV);
    opts.split_text = "64";
    GIVE(&opts, loop_template, GRAPH_DPAR_NAIVE);
    assert_refused("--split is for bfs, sssp, not for spmv");
    start(GRAPH_BFS);
    opts.split_text = "64";
    GIVE(&opts, loop_template, GRAPH_RECURSIVE);
    assert_refused("--template recursive and --split are for different kernels");
    start(GRAPH_BFS);
    opts.split_text = "64";
    opts.common.kernel = "nested";
    assert_refused("--split is for --kernel cuda, not for --kernel nested");
}

static void assert_choices_are(const char *expected)
{
    buf_t text = {0};

    assert_settled();
    assert_int_equal(graph_choices_print(&settled.run, &text), ST_OK);
    assert_int_equal(buf_append(&text, "", 1), ST_OK);
    assert_string_equal((char *)text.data, expected);
    buf_free(&text);
}

static void consolidation_has_options_of_its_own(void **state)
{
    static const char *const wrong[] = {"KC_",  "KC_0",  "KC_16x", "1-2",     "0x32",
                                        "3x40", "3x0",   "3x2048", "-3x32",   "3x32x",
                                        "x",    "KC_-1", "",       "KC_99999"};

    (void)state;
    if (!has_gpu_kernels())
        skip();
    start(GRAPH_COMPONENTS);
    GIVE(&opts, consolidate, GRAPH_CONSOLIDATE_WARP);
    assert_refused("--consolidate is for bfs, sssp, pagerank, betweenness, spmv, "
                   "coloring, tree-descendants, tree-heights, not for components");
    start(GRAPH_SSSP);
    opts.child_text = "1-1";
    assert_refused("need --consolidate warp, block or grid");
    GIVE(&opts, consolidate, GRAPH_CONSOLIDATE_BLOCK);
    GIVE(&opts, loop_template, GRAPH_DPAR_OPT);
    assert_refused("--consolidate needs --template dpar-naive");
    GIVE(&opts, loop_template, GRAPH_DPAR_NAIVE);
    assert_choices_are("template=dpar-naive\nconsolidate=block\nchild=1-1\n");
    for (size_t k = 0; k < sizeof(wrong) / sizeof(wrong[0]); k++) {
        opts.child_text = wrong[k];
        assert_refused(": give KC_1, KC_16, KC_32, 1-1, or blocks x threads");
    }
    opts.child_text = "KC_16";
    GIVE(&opts, buffer, 8);
    assert_choices_are("template=dpar-naive\nconsolidate=block\nbuffer=8\nchild=KC_16\n");
    GIVE(&opts, consolidate, GRAPH_CONSOLIDATE_GRID);
    assert_refused("--consolidate grid has one launch");
    start(GRAPH_BFS);
    GIVE(&opts, loop_template, GRAPH_RECURSIVE);
    GIVE(&opts, consolidate, GRAPH_CONSOLIDATE_WARP);
    assert_choices_are("template=recursive\nconsolidate=warp\n");
    GIVE(&opts, consolidate, GRAPH_CONSOLIDATE_GRID);
    assert_refused("give warp or block");
    start(GRAPH_SPMV);
    GIVE(&opts, consolidate, GRAPH_CONSOLIDATE_GRID);
    opts.child_text = "26x256";
    assert_choices_are("template=dpar-naive\nconsolidate=grid\nchild=26x256\n");
    start(GRAPH_HEIGHTS);
    GIVE(&opts, consolidate, GRAPH_CONSOLIDATE_WARP);
    assert_choices_are("template=rec-naive\nconsolidate=warp\n");
    GIVE(&opts, loop_template, GRAPH_REC_HIER);
    assert_refused("--consolidate needs --template rec-naive");
}

static void buffers_have_an_allocator(void **state)
{
    (void)state;
    if (!has_gpu_kernels())
        skip();
    start(GRAPH_COLORING);
    GIVE(&opts, allocator, GRAPH_ALLOCATOR_POOL);
    assert_refused("--pool-size and --child need --consolidate warp, block or grid");
    GIVE(&opts, consolidate, GRAPH_CONSOLIDATE_BLOCK);
    assert_choices_are("template=dpar-naive\nconsolidate=block\nallocator=pool\n"
                       "pool_size=524288000\n");
    GIVE(&opts, allocator, GRAPH_ALLOCATOR_MALLOC);
    GIVE(&opts, pool_bytes, 1 << 20);
    assert_choices_are("template=dpar-naive\nconsolidate=block\nallocator=malloc\n"
                       "pool_size=1048576\n");
    GIVE(&opts, consolidate, GRAPH_CONSOLIDATE_GRID);
    assert_choices_are("template=dpar-naive\nconsolidate=grid\nallocator=malloc\n"
                       "pool_size=1048576\n");
    GIVE(&opts, pool_bytes, 0);
    assert_refused("--pool-size: give a size above 0");
    GIVE(&opts, allocator, GRAPH_ALLOCATOR_FIXED);
    assert_refused("--pool-size needs --allocator pool or malloc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_obeys_in_a_build_for_cpus),
        cmocka_unit_test(nothing_obeys_on_a_cpu),
        cmocka_unit_test(a_choice_of_another_algorithm_is_refused),
        cmocka_unit_test(choices_have_to_go_together),
        cmocka_unit_test(choices_become_a_run),
        cmocka_unit_test(templates_that_launch_are_for_some_algorithms),
        cmocka_unit_test(kernels_can_be_launched_for_nodes_that_would_be_split),
        cmocka_unit_test(consolidation_has_options_of_its_own),
        cmocka_unit_test(buffers_have_an_allocator),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
