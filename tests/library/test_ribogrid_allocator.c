/*
 * test_ribogrid_allocator.c - the caller's allocator: the arrays of results are in its
 * memory, it gets each of them back, and where it has none the call fails.
 */
#include "tests/library/library_files.h"

enum { BLOCKS = 64 };

/* An allocator that knows its blocks. */
typedef struct {
    struct {
        char *at;
        size_t bytes;
    } blocks[BLOCKS];
    int n_taken, n_alive;
    int n_left; /* blocks that it still gives; then NULL */
} keeper_t;

static void *allocate(void *arg, size_t bytes)
{
    keeper_t *k = arg;
    int i = 0;

    assert_true(bytes > 0);
    if (k->n_left-- == 0)
        return NULL;
    while (k->blocks[i].at != NULL)
        assert_true(++i < BLOCKS);
    k->blocks[i].at = malloc(bytes);
    k->blocks[i].bytes = bytes;
    k->n_taken++;
    k->n_alive++;
    return k->blocks[i].at;
}

static void release(void *arg, void *memory)
{
    keeper_t *k = arg;
    int i = 0;

    assert_non_null(memory);
    while (k->blocks[i].at != memory)
        assert_true(++i < BLOCKS); /* else it is none of these, or was released before */
    free(memory);
    k->blocks[i].at = NULL;
    k->n_alive--;
}

static void assert_kept(const keeper_t *k, const void *array, size_t bytes)
{
    const char *at = array;

    for (int i = 0; i < BLOCKS; i++)
        if (k->blocks[i].at != NULL && at >= k->blocks[i].at &&
            at + bytes <= k->blocks[i].at + k->blocks[i].bytes)
            return;
    fail_msg("an array is not in the caller's memory");
}

static rg_context_t *context_of(keeper_t *k)
{
    rg_context_options_t options;
    rg_context_t *context = NULL;

    *k = (keeper_t){.n_left = BLOCKS};
    rg_context_options_init(&options, sizeof(options));
    options.device = "cpu";
    options.threads = 2;
    options.allocate = allocate;
    options.release = release;
    options.allocator_arg = k;
    assert_int_equal(rg_context_create(&options, &context), RG_OK);
    return context;
}

/* What results are made of. */
typedef struct {
    rg_context_t *context;
    const keeper_t *keeper;
    rg_set_t *set;
    rg_aligner_t *aligner, *hits; /* of all pairs, and of similar ones */
    rg_result_t *pairs;           /* of another context, without such memory */
    rg_graph_t *graph;
    rg_model_t *model;
    char result_path[TEMP_PATH_BYTES], groups_path[TEMP_PATH_BYTES],
        names_path[TEMP_PATH_BYTES];
} given_t;

/* Makes one, checks its arrays, and destroys it. */
typedef rg_status_t (*make_t)(const given_t *g);

static rg_status_t check_pairs(const given_t *g, rg_status_t status, rg_result_t *r)
{
    const size_t n = (size_t)rg_result_count(r);

    if (status != RG_OK)
        return status;
    assert_true(n > 0);
    assert_kept(g->keeper, rg_result_queries(r), 4 * n);
    assert_kept(g->keeper, rg_result_targets(r), 4 * n);
    assert_kept(g->keeper, rg_result_scores(r), 4 * n);
    assert_kept(g->keeper, rg_result_matches(r), 4 * n);
    assert_kept(g->keeper, rg_result_columns(r), 4 * n);
    assert_kept(g->keeper, rg_result_cigar_starts(r), 8 * (n + 1));
    assert_kept(g->keeper, rg_result_cigar_runs(r),
                4 * (size_t)rg_result_cigar_starts(r)[n]);
    assert_int_equal(rg_result_cigar_runs(r)[0], 14 << 4);
    rg_result_destroy(r);
    return RG_OK;
}

static rg_status_t all_pairs(const given_t *g)
{
    rg_result_t *r = NULL;
    const rg_status_t status = rg_aligner_all(g->aligner, &r);

    return check_pairs(g, status, r);
}

static rg_status_t similar_pairs(const given_t *g)
{
    rg_result_t *r = NULL;
    const rg_status_t status = rg_aligner_all(g->hits, &r);

    return check_pairs(g, status, r);
}

static rg_status_t listed_pairs(const given_t *g)
{
    static const int32_t pairs[] = {0, 1, 2, 0};
    rg_result_t *r = NULL;
    const rg_status_t status = rg_aligner_pairs(g->aligner, pairs, 2, &r);

    return check_pairs(g, status, r);
}

static rg_status_t pairs_of_a_file(const given_t *g)
{
    rg_result_t *r = NULL;
    const rg_status_t status = rg_result_read(g->context, g->result_path, NULL, NULL, &r);

    return check_pairs(g, status, r);
}

static rg_status_t check_groups(const given_t *g, rg_status_t status, rg_groups_t *groups)
{
    if (status != RG_OK)
        return status;
    assert_kept(g->keeper, rg_groups_of(groups), 4 * 6);
    assert_kept(g->keeper, rg_groups_representatives(groups), 4 * 2);
    assert_kept(g->keeper, rg_groups_sizes(groups), 8 * 2);
    assert_int_equal(rg_groups_sizes(groups)[1], 3);
    rg_groups_destroy(groups);
    return RG_OK;
}

static rg_status_t groups(const given_t *g)
{
    rg_groups_t *made = NULL;
    rg_cluster_options_t options;
    rg_status_t status;

    rg_cluster_options_init(&options, sizeof(options));
    options.id = 0.9;
    status = rg_groups_create(g->context, g->pairs, &options, &made);
    if (status == RG_OK)
        assert_int_equal(rg_groups_write(g->context, made, g->groups_path), RG_OK);
    return check_groups(g, status, made);
}

static rg_status_t groups_of_a_file(const given_t *g)
{
    rg_groups_t *read = NULL;
    const rg_status_t status = rg_groups_read(g->context, g->groups_path, &read);

    return check_groups(g, status, read);
}

static rg_status_t check_names(const given_t *g, rg_status_t status, rg_names_t *names)
{
    const size_t n = (size_t)rg_names_count(names);
    const size_t n_taxa = n * (size_t)rg_names_ranks(names);

    if (status != RG_OK)
        return status;
    assert_kept(g->keeper, rg_names_taxa(names), 4 * n_taxa);
    assert_kept(g->keeper, rg_names_supports(names), 2 * n_taxa);
    assert_kept(g->keeper, rg_names_named(names), n);
    assert_kept(g->keeper, rg_names_strands(names), n);
    rg_names_destroy(names);
    return RG_OK;
}

static rg_status_t names(const given_t *g)
{
    rg_names_t *made = NULL;
    const rg_status_t status = rg_classify(g->context, g->model, g->set, NULL, &made);

    if (status == RG_OK)
        assert_int_equal(rg_names_write(g->context, made, g->names_path), RG_OK);
    return check_names(g, status, made);
}

static rg_status_t names_of_a_file(const given_t *g)
{
    rg_names_t *read = NULL;
    const rg_status_t status = rg_names_read(g->context, g->names_path, &read);

    return check_names(g, status, read);
}

static rg_status_t run_graph(const given_t *g, const char *algorithm, int64_t length)
{
    static const int32_t source = 0;
    rg_graph_options_t options;
    rg_columns_t *columns = NULL;
    rg_status_t status;

    rg_graph_options_init(&options, sizeof(options));
    options.sources = &source;
    options.n_sources = 1;
    status = rg_graph_run(g->context, g->graph, algorithm, &options, &columns);
    if (status != RG_OK)
        return status;
    assert_int_equal(rg_columns_length(columns), length);
    for (int i = 0; i < rg_columns_count(columns); i++)
        assert_kept(g->keeper, rg_columns_values(columns, i), (size_t)length * 4);
    rg_columns_destroy(columns);
    return RG_OK;
}

static rg_status_t depths(const given_t *g)
{
    return run_graph(g, "bfs", 3);
}

static rg_status_t arcs(const given_t *g)
{
    return run_graph(g, "mst", 2);
}

static const struct {
    make_t make;
    int n_blocks;
} makers[] = {{all_pairs, 2}, {similar_pairs, 2},    {listed_pairs, 2},
              {groups, 3},    {groups_of_a_file, 3}, {names, 4},
              {depths, 2},    {pairs_of_a_file, 2},  {names_of_a_file, 4},
              {arcs, 1}};
enum { N_MAKERS = sizeof(makers) / sizeof(makers[0]) };

static void prepare(given_t *g, const keeper_t *keeper, rg_context_t *context)
{
    static const int64_t starts[] = {0, 1, 3, 4};
    static const int32_t targets[] = {1, 0, 2, 1}, weights[] = {1, 1, 1, 1};
    rg_align_options_t options = defaults();
    rg_context_t *other = new_context(1);

    *g = (given_t){.context = context, .keeper = keeper, .set = new_set(context, six)};
    options.emit = "cigar";
    g->aligner = new_aligner(context, g->set, NULL, &options);
    options.id = 0.9;
    g->hits = new_aligner(context, g->set, NULL, &options);
    g->pairs = align_all(other, g->set);
    new_path(g->result_path);
    new_path(g->groups_path);
    new_path(g->names_path);
    write_model(g->names_path);
    assert_int_equal(rg_model_read(context, g->names_path, &g->model), RG_OK);
    assert_int_equal(rg_result_write(other, g->pairs, g->result_path), RG_OK);
    assert_int_equal(rg_graph_create(context, 3, starts, targets, weights, NULL,
                                     &g->graph),
                     RG_OK);
    rg_context_destroy(other);
}

static void give_back(given_t *g)
{
    rg_graph_destroy(g->graph);
    rg_model_destroy(g->model);
    rg_result_destroy(g->pairs);
    rg_aligner_destroy(g->hits);
    rg_aligner_destroy(g->aligner);
    rg_set_destroy(g->set);
    unlink(g->result_path);
    unlink(g->groups_path);
    unlink(g->names_path);
}

static void arrays_of_results_are_the_callers_memory(void **state)
{
    keeper_t keeper;
    given_t g;

    (void)state;
    prepare(&g, &keeper, context_of(&keeper));
    assert_int_equal(keeper.n_taken, 0); /* all but results is the library's own */
    for (int i = 0; i < N_MAKERS; i++) {
        keeper.n_taken = 0;
        assert_int_equal(makers[i].make(&g), RG_OK);
        assert_int_equal(keeper.n_taken, makers[i].n_blocks);
        assert_int_equal(keeper.n_alive, 0);
    }
    rg_context_destroy(g.context);
    give_back(&g);
}

/* Whichever of its blocks there is no memory for. */
static void a_result_without_memory_fails_and_leaves_none(void **state)
{
    keeper_t keeper;
    given_t g;

    (void)state;
    prepare(&g, &keeper, context_of(&keeper));
    for (int i = 0; i < N_MAKERS; i++) {
        for (int n = 0; n < makers[i].n_blocks; n++) {
            keeper.n_left = n;
            assert_fails(g.context, makers[i].make(&g), RG_ENOMEM, "out of memory");
            assert_int_equal(keeper.n_alive, 0);
        }
        keeper.n_left = BLOCKS;
        assert_int_equal(makers[i].make(&g), RG_OK); /* the context goes on */
    }
    rg_context_destroy(g.context);
    give_back(&g);
}

static void results_outlive_their_context(void **state)
{
    keeper_t keeper;
    given_t g;
    rg_result_t *r = NULL;

    (void)state;
    prepare(&g, &keeper, context_of(&keeper));
    assert_int_equal(rg_aligner_all(g.aligner, &r), RG_OK);
    rg_context_destroy(g.context);
    give_back(&g);
    assert_int_equal(keeper.n_alive, 2);
    assert_int_equal(rg_result_scores(r)[0], 14 * 4);
    rg_result_destroy(r);
    assert_int_equal(keeper.n_alive, 0);
}

static void half_an_allocator_is_refused(void **state)
{
    rg_context_options_t options;
    rg_context_t *context = NULL;

    (void)state;
    rg_context_options_init(&options, sizeof(options));
    assert_null(options.allocate);
    options.device = "cpu";
    options.allocate = allocate;
    assert_fails(NULL, rg_context_create(&options, &context), RG_EINVAL, "release");
    options.allocate = NULL;
    options.release = release;
    assert_fails(NULL, rg_context_create(&options, &context), RG_EINVAL, "allocate");
    assert_null(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_of_results_are_the_callers_memory),
        cmocka_unit_test(a_result_without_memory_fails_and_leaves_none),
        cmocka_unit_test(results_outlive_their_context),
        cmocka_unit_test(half_an_allocator_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
