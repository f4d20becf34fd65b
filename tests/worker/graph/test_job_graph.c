/*
 * test_job_graph.c - tasks and records of the job "graph", and a result that is wrong.
 */
#include "tests/support/unit_test.h"

#include "tests/support/captured_log.h"
#include "tests/support/made_graph.h"
#include "worker/exchange.h"
#include "worker/graph/graph_blocks.h"
#include "worker/graph/job_graph_state.h"

static const char *const graph_text = "# Undirected\n1 2\n2 3\n3 4\n";

typedef struct {
    char input[PATH_BYTES], output[PATH_BYTES];
    graph_opts_t opts;
    job_graph_t *job;
} made_t;

/* Write a graph, and fill in the options of a job on it but for its algorithm. */
static void write_graph(made_t *m)
{
    dir_file("in.txt", m->input);
    dir_file("out.h5", m->output);
    dir_put(m->input, graph_text, strlen(graph_text));
    m->opts = graph_opts_defaults();
    m->opts.input = m->input;
    m->opts.common.output = m->output;
    m->opts.common.version = "1";
    m->opts.common.command_line = "";
    m->opts.common.n_threads = 1;
    m->opts.verify = true;
}

static void create_job(made_t *m)
{
    char why[JOB_OPTS_WHY_BYTES];
    job_t *job;

    assert_int_equal(graph_opts_settle(&m->opts.common, why), ST_OK);
    assert_int_equal(job_create(&job_graph_ops, &m->opts.common, &job), ST_OK);
    m->job = (job_graph_t *)job;
}

/* @param n_sources  0: not given */
static void make_job_on(graph_algorithm_t algorithm, int64_t n_sources,
                        graph_partition_t partition, made_t *m)
{
    exchange_t x = exchange_alone();

    write_graph(m);
    m->opts.algorithm = algorithm;
    m->opts.partition = partition;
    if (n_sources > 0)
        GIVE(&m->opts, n_sources, n_sources);
    create_job(m);
    assert_int_equal(job_begin(&m->job->base, &x), ST_OK);
    assert_int_equal(job_open(&m->job->base), ST_OK);
}

static void make_job(graph_algorithm_t algorithm, int64_t n_sources, made_t *m)
{
    make_job_on(algorithm, n_sources, GRAPH_PARTITION_AUTO, m);
}

static void end_job(made_t *m)
{
    job_destroy(&m->job->base);
    unlink(m->input);
}

static void a_task_is_a_source_or_a_block_or_all(void **state)
{
    made_t m;

    (void)state;
    make_job(GRAPH_BFS, 3, &m);
    assert_int_equal(m.job->base.plan.n_tasks, 3);
    assert_int_equal(job_graph_task(m.job, 2).n_sources, 1);
    end_job(&m);
    make_job(GRAPH_COMPONENTS, 0, &m);
    assert_int_equal(m.job->base.plan.n_tasks, 1);
    assert_int_equal(job_graph_task(m.job, 0).n_sources, 0);
    end_job(&m);
}

static void blocks_have_all_sources_once(void **state)
{
    int32_t sources[1000];
    job_graph_t j = {.info = graph_info(GRAPH_BETWEENNESS), .sources = sources};

    (void)state;
    for (j.n_sources = 1; j.n_sources <= 1000; j.n_sources += 37) {
        int64_t n = job_graph_n_tasks(&j), n_all = 0;

        assert_int_equal(n, j.n_sources < GRAPH_BLOCKS ? j.n_sources : GRAPH_BLOCKS);
        for (int64_t task = 0; task < n; task++) {
            graph_task_t t = job_graph_task(&j, task);

            assert_ptr_equal(t.sources, sources + n_all);
            assert_true(t.n_sources > 0);
            n_all += t.n_sources;
        }
        assert_int_equal(n_all, j.n_sources);
    }
}

/* A search from node 2 of a path of four nodes, which reaches the last one in two steps,
 * and finds no more in a third. */
static void a_divided_graph_is_a_gang_whose_records_are_checked(void **state)
{
    const device_t cpu = device_cpu();
    const char *kernel;
    buf_t record = {0};
    double guess;
    int64_t k = 0;
    gang_t *gang;
    made_t m;

    (void)state;
    make_job_on(GRAPH_BFS, 0, GRAPH_PARTITION_ON, &m);
    assert_int_equal(m.job->base.plan.kind, JOB_GANG);
    assert_int_equal(m.job->base.plan.n_tasks, 1);
    assert_true(job_graph_ops.holds(&m.job->base, 0));
    assert_int_equal(job_prepare(&m.job->base, &cpu, NULL, &kernel, &guess), ST_OK);
    assert_int_equal(gang_one_create(&gang), ST_OK);
    while (!job_graph_ops.is_over(&m.job->base, k))
        assert_int_equal(job_graph_ops.step(&m.job->base, gang, k++), ST_OK);
    assert_int_equal(k, 3);
    assert_memory_equal(m.job->gang.column[0], ((int32_t[]){1, 0, 1, 2}), 16);
    assert_memory_equal(m.job->gang.column[1], ((int32_t[]){1, 1, 1, 2}), 16);
    assert_int_equal(job_graph_ops.save(&m.job->base, 0, &record), ST_OK);
    capture_start();
    for (size_t len = 0; len < record.len - m.job->gang.decisions.len; len++)
        assert_int_equal(job_graph_ops.restore(&m.job->base, 0, k, record.data, len),
                         ST_EINPUT);
    capture_stop();
    assert_logged("the record of task 0 is damaged; give --force to start over");
    assert_int_equal(job_graph_ops.restore(&m.job->base, 0, k, record.data, record.len),
                     ST_OK);
    assert_true(job_graph_ops.is_over(&m.job->base, k));
    buf_free(&record);
    end_job(&m);
    gang->destroy(gang);
}

/* The same search: the last node has depth 2, which the second step finds. */
static void a_checkpoint_has_no_depths_of_later_steps(void **state)
{
    const device_t cpu = device_cpu();
    buf_t record = {0};
    const char *kernel;
    int64_t version;
    double guess;
    gang_t *gang;
    made_t m;

    (void)state;
    for (int64_t done = 1; done <= 2; done++) {
        make_job_on(GRAPH_BFS, 0, GRAPH_PARTITION_ON, &m);
        assert_int_equal(job_prepare(&m.job->base, &cpu, NULL, &kernel, &guess), ST_OK);
        assert_int_equal(gang_one_create(&gang), ST_OK);
        for (int64_t k = 0; k < 2; k++)
            assert_int_equal(job_graph_ops.step(&m.job->base, gang, k), ST_OK);
        record.len = 0;
        assert_int_equal(job_graph_ops.save(&m.job->base, 0, &record), ST_OK);
        assert_int_equal(job_store(&m.job->base, 0, done, record.data, record.len),
                         ST_OK);
        capture_start();
        assert_int_equal(job_checkpoint(&m.job->base, &version),
                         done == 2 ? ST_OK : ST_EINPUT);
        capture_stop();
        assert_int_equal(strstr(logged, "depths that no step has reached yet") != NULL,
                         done == 1);
        unlink(m.job->base.part_path);
        end_job(&m);
        gang->destroy(gang);
    }
    buf_free(&record);
}

/* As rank 0 of two ranks that are alike. */
static status_t allgather_twice(exchange_t *x, const void *in, size_t len, void *out)
{
    (void)x;
    memcpy(out, in, len);
    memcpy((char *)out + len, in, len);
    return ST_OK;
}

/* A device with a byte of memory. */
static void a_graph_that_has_to_be_divided_has_no_task_timeout(void **state)
{
    exchange_t x = exchange_alone();
    made_t m;

    (void)state;
    x.n_ranks = 2;
    x.allgather = allgather_twice;
    write_graph(&m);
    m.opts.algorithm = GRAPH_BFS;
    m.opts.device_bytes = 1;
    m.opts.common.task_timeout_s = 9;
    create_job(&m);
    capture_start();
    assert_int_equal(job_begin(&m.job->base, &x), ST_EUSAGE);
    capture_stop();
    assert_logged_one_line();
    assert_logged("is divided among the ranks, and then has no tasks that another rank "
                  "could compute; leave out --task-timeout, or give --partition off");
    end_job(&m);
}

/* The arcs in are only kept beside those out if they are others. */
static void the_memory_of_a_graph_is_estimated(void **state)
{
    (void)state;
    assert_int_equal(job_graph_part_bytes(graph_info(GRAPH_COMPONENTS), 10, 100, false),
                     10 * (8 + 8) + 100 * 4);
    assert_int_equal(job_graph_part_bytes(graph_info(GRAPH_PAGERANK), 10, 100, true),
                     10 * (8 + 56) + 100 * 4);
    assert_int_equal(job_graph_part_bytes(graph_info(GRAPH_PAGERANK), 10, 100, false),
                     10 * (16 + 56) + 100 * 8);
}

static graph_result_t some_result(const graph_info_t *info)
{
    graph_result_t r;

    assert_int_equal(graph_result_create(info, 4, &r), ST_OK);
    for (int32_t u = 0; u < 4; u++) {
        ((int32_t *)r.column[0])[u] = u;
        ((int32_t *)r.column[1])[u] = u - 1;
    }
    r.n_iterations = 4;
    r.seconds = 0.5;
    assert_int_equal(buf_printf(&r.decisions, "push\npull\n"), ST_OK);
    return r;
}

static void a_record_gives_the_result_back(void **state)
{
    const graph_info_t *info = graph_info(GRAPH_BFS);
    const graph_task_t task = {NULL, 0, 0};
    graph_result_t r = some_result(info), got;
    job_graph_effort_t effort = {.copy_s = 0.25}, got_effort;
    buf_t record = {0};

    (void)state;
    assert_int_equal(job_graph_record_pack(info, 4, &task, &r, &effort, &record), ST_OK);
    assert_int_equal(job_graph_record_unpack(info, 4, &task, record.data, record.len,
                                             &got, &got_effort),
                     ST_OK);
    assert_memory_equal(got.column[0], r.column[0], 4 * sizeof(int32_t));
    assert_memory_equal(got.column[1], r.column[1], 4 * sizeof(int32_t));
    assert_int_equal(got.n_iterations, 4);
    assert_true(got.seconds == 0.5 && got_effort.copy_s == 0.25);
    assert_int_equal(got.decisions.len, 10);
    graph_result_free(&got);
    for (size_t len = 0; len < record.len - r.decisions.len; len++)
        assert_int_equal(job_graph_record_unpack(info, 4, &task, record.data, len, &got,
                                                 &got_effort),
                         ST_EINPUT);
    buf_free(&record);
    graph_result_free(&r);
}

static void a_record_of_a_sample_has_its_counts(void **state)
{
    const graph_info_t *info = graph_info(GRAPH_DESCENDANTS);
    const graph_task_t task = {NULL, 0, 1};
    const int64_t count[] = {7, 2, 0, 5};
    job_graph_effort_t effort = {.copy_s = 0.25}, got_effort;
    graph_result_t r, got;
    buf_t record = {0};

    (void)state;
    assert_int_equal(graph_result_create(info, 4, &r), ST_OK);
    memcpy(r.count, count, sizeof(count));
    assert_int_equal(job_graph_record_pack(info, 4, &task, &r, &effort, &record), ST_OK);
    assert_int_equal(job_graph_record_unpack(info, 4, &task, record.data, record.len,
                                             &got, &got_effort),
                     ST_OK);
    assert_memory_equal(got.count, count, sizeof(count));
    assert_int_equal(job_graph_record_unpack(info, 4, &task, record.data, record.len - 1,
                                             &got, &got_effort),
                     ST_EINPUT);
    graph_result_free(&got);
    graph_result_free(&r);
    buf_free(&record);
}

/* The leaves of 1>2, 1>3 have 2 and 5 in a sample. */
static void counts_that_a_sample_cannot_give_are_refused(void **state)
{
    int64_t first[] = {0, 2}, count[] = {2, 5};
    int32_t node[] = {1, 2};
    job_graph_t j = {
        .graph = made_graph_of("1>2 1>3", true),
        .info = graph_info(GRAPH_DESCENDANTS),
        .leaves = {.n_samples = 1, .first = first, .n = 2, .node = node, .count = count}};
    static const struct {
        int64_t root;
        bool is_refused;
    } cases[] = {{7, false}, {8, true}, {-1, true}};

    (void)state;
    for (int k = 0; k < 3; k++) {
        const graph_task_t task = job_graph_task(&j, 1);
        const job_graph_effort_t effort = {0};
        graph_result_t r;
        buf_t record = {0};

        assert_int_equal(task.sample, 1);
        assert_int_equal(graph_result_create(j.info, 3, &r), ST_OK);
        r.count[0] = cases[k].root;
        assert_int_equal(job_graph_record_pack(j.info, 3, &task, &r, &effort, &record),
                         ST_OK);
        assert_int_equal(job_graph_check_result(&j, 1, &record) != NULL,
                         cases[k].is_refused);
        buf_free(&record);
        graph_result_free(&r);
    }
    csr_free(&j.graph);
}

static void decisions_name_their_source(void **state)
{
    buf_t text = {0}, out = {0};
    made_t m;

    (void)state;
    make_job(GRAPH_BFS, 0, &m);
    assert_int_equal(buf_printf(&text, "push\npull"), ST_OK);
    assert_int_equal(job_graph_note_decisions(m.job, 0, &text, &out), ST_OK);
    assert_int_equal(buf_append(&out, "", 1), ST_OK);
    assert_string_equal((char *)out.data, "source 2: push\nsource 2: pull\n");
    buf_free(&text);
    buf_free(&out);
    end_job(&m);
}

/* All nodes are sources of distance 0. */
static void a_wrong_result_is_not_written(void **state)
{
    const graph_task_t task = {NULL, 0, 0};
    job_graph_effort_t effort = {0};
    job_report_t report = {.seconds = 1};
    buf_t record = {0};
    graph_result_t r;
    status_t st;
    made_t m;

    (void)state;
    make_job(GRAPH_SSSP, 0, &m);
    assert_int_equal(graph_result_create(m.job->info, 4, &r), ST_OK);
    assert_int_equal(job_graph_record_pack(m.job->info, 4, &task, &r, &effort, &record),
                     ST_OK);
    assert_int_equal(job_store(&m.job->base, 0, 0, record.data, record.len), ST_OK);
    capture_start();
    st = job_finish(&m.job->base, &report);
    capture_stop();
    assert_int_equal(st, ST_EINPUT);
    assert_non_null(strstr(logged, "sssp: the result is wrong: "));
    assert_non_null(strstr(logged, "no result is written; "));
    assert_int_equal(access(m.output, F_OK), -1);
    assert_int_equal(access(m.job->base.part_path, F_OK), 0);
    unlink(m.job->base.part_path);
    buf_free(&record);
    graph_result_free(&r);
    end_job(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_is_a_source_or_a_block_or_all),
        cmocka_unit_test(blocks_have_all_sources_once),
        cmocka_unit_test(a_divided_graph_is_a_gang_whose_records_are_checked),
        cmocka_unit_test(a_checkpoint_has_no_depths_of_later_steps),
        cmocka_unit_test(a_graph_that_has_to_be_divided_has_no_task_timeout),
        cmocka_unit_test(the_memory_of_a_graph_is_estimated),
        cmocka_unit_test(a_record_gives_the_result_back),
        cmocka_unit_test(a_record_of_a_sample_has_its_counts),
        cmocka_unit_test(counts_that_a_sample_cannot_give_are_refused),
        cmocka_unit_test(decisions_name_their_source),
        cmocka_unit_test(a_wrong_result_is_not_written),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
