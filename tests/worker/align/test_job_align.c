/*
 * test_job_align.c - batches that are under way at a time keep to themselves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/base/rng.h"
#include "io/pairs/write/pairs_hits.h"
#include "tests/worker/lone_exchange.h"
#include "worker/align/job_align.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N_SEQUENCES = 70, N_BATCHES = 5, LETTERS_MIN = 5, LETTERS_MORE = 60 };

static char dir[] = "/tmp/ribogrid_job.XXXXXX";
static char input[64], output[64];
static pool_t *pool;

/* Random sequences. */
static int make_input(void **state)
{
    rng_t rng = rng_seed(1);
    FILE *file;

    (void)state;
    if (mkdtemp(dir) == NULL || pool_create(3, &pool) != ST_OK)
        return -1;
    snprintf(input, sizeof(input), "%s/in.fa", dir);
    snprintf(output, sizeof(output), "%s/out.h5", dir);
    setenv("RIBOGRID_CACHE", dir, 1);
    if ((file = fopen(input, "w")) == NULL)
        return -1;
    for (int i = 0; i < N_SEQUENCES; i++) {
        int n = LETTERS_MIN + (int)rng_below(&rng, LETTERS_MORE);

        fprintf(file, ">s%d\n", i);
        for (int k = 0; k < n; k++)
            fputc("ACGT"[rng_below(&rng, 4)], file);
        fputc('\n', file);
    }
    return fclose(file);
}

static int remove_input(void **state)
{
    (void)state;
    pool_destroy(pool);
    unlink(input);
    return rmdir(dir);
}

typedef struct {
    align_opts_t opts;
    device_t device;
    void *job;
    job_plan_t plan;
} made_t;

/* What is kept: all pairs, hits, or the best hits of the input against itself. */
typedef enum { KEEP_ALL, KEEP_HITS, KEEP_TOP } keep_t;

static align_opts_t opts_of(const char *path, align_emit_t emit)
{
    align_opts_t opts = align_opts_defaults();

    opts.input = path;
    opts.output = output;
    opts.emit = emit;
    opts.batch_bytes = 1 << 24;
    opts.version = "1";
    return opts;
}

static void make_job(align_emit_t emit, keep_t keep, made_t *m)
{
    char why[ALIGN_OPTS_WHY_BYTES];
    exchange_t x = lone_exchange();
    const char *kernel;
    double guess;

    *m = (made_t){.opts = opts_of(input, emit), .device = device_cpu()};
    if (keep != KEEP_ALL)
        m->opts.min_identity = (fraction_t){3, 5};
    if (keep == KEEP_TOP) {
        m->opts.against = input;
        m->opts.strand = STRAND_BOTH;
        m->opts.top = N_SEQUENCES; /* so that tiles do not depend on each other */
    }
    assert_int_equal(align_opts_settle(&m->opts, why), ST_OK);
    assert_int_equal(job_align_create(&m->opts, &m->job), ST_OK);
    assert_int_equal(job_align_ops.begin(m->job, &x, &m->plan), ST_OK);
    assert_int_equal(job_align_ops.prepare(m->job, &m->device, pool, &kernel, &guess),
                     ST_OK);
}

/* Batch k has every N_BATCHES-th tile, the others one more or less. */
static int list_tasks(const made_t *m, int k, int64_t *tasks)
{
    int n = 0;

    for (int64_t t = k; t < m->plan.n_tasks; t += N_BATCHES)
        tasks[n++] = t;
    return n;
}

static void submit(made_t *m, int k)
{
    int64_t tasks[4096];
    int n = list_tasks(m, k, tasks), begun;

    assert_in_range(n, 1, 4096);
    assert_int_equal(job_align_ops.submit(m->job, tasks, n, &begun), ST_OK);
    assert_int_equal(begun, n);
}

static void pack(made_t *m, int k, buf_t *packed)
{
    int64_t tasks[4096];
    int n = list_tasks(m, k, tasks);

    for (int i = 0; i < n; i++)
        assert_int_equal(job_align_ops.pack(m->job, i, 0, &packed[tasks[i]]), ST_OK);
}

/* @param depth  batches under way at a time: a further one is begun before the one
 *               collected is packed */
static void compute(made_t *m, int depth, buf_t *packed)
{
    int begun = 0;

    for (int k = 0; k < N_BATCHES; k++) {
        while (begun < N_BATCHES && begun - k < depth)
            submit(m, begun++);
        if (k > 0)
            pack(m, k - 1, packed);
        assert_int_equal(job_align_ops.collect(m->job), ST_OK);
    }
    pack(m, N_BATCHES - 1, packed);
}

static void assert_depths_agree(align_emit_t emit, keep_t keep)
{
    buf_t *packed[2];
    made_t m;

    for (int depth = 1; depth <= 2; depth++) {
        make_job(emit, keep, &m);
        packed[depth - 1] = calloc((size_t)m.plan.n_tasks, sizeof(buf_t));
        assert_non_null(packed[depth - 1]);
        compute(&m, depth, packed[depth - 1]);
        job_align_ops.destroy(m.job);
    }
    for (int64_t t = 0; t < m.plan.n_tasks; t++) {
        assert_true(packed[0][t].len > 0);
        assert_int_equal(packed[0][t].len, packed[1][t].len);
        assert_memory_equal(packed[0][t].data, packed[1][t].data, packed[0][t].len);
        buf_free(&packed[0][t]);
        buf_free(&packed[1][t]);
    }
    free(packed[0]);
    free(packed[1]);
}

static void two_batches_at_a_time_give_what_one_gives(void **state)
{
    (void)state;
    for (int emit = EMIT_SCORE; emit <= EMIT_CIGAR; emit++)
        assert_depths_agree((align_emit_t)emit, KEEP_ALL);
    for (int keep = KEEP_HITS; keep <= KEEP_TOP; keep++) {
        assert_depths_agree(EMIT_IDENTITY, (keep_t)keep);
        assert_depths_agree(EMIT_CIGAR, (keep_t)keep);
    }
}

/* All tiles in batches of what memory suffices for. @return how many batches */
static int compute_in_parts(made_t *m, pairs_hits_t *out)
{
    int64_t tasks[4096];
    int n = (int)m->plan.n_tasks, first = 0, n_batches = 0;
    buf_t record = {0};

    assert_in_range(n, 1, 4096);
    for (int k = 0; k < n; k++)
        tasks[k] = k;
    for (int begun; first < n; first += begun, n_batches++) {
        assert_int_equal(job_align_ops.submit(m->job, tasks + first, n - first, &begun),
                         ST_OK);
        assert_in_range(begun, 1, n - first);
        assert_int_equal(job_align_ops.collect(m->job), ST_OK);
        for (int k = 0; k < begun; k++) {
            record.len = 0;
            assert_int_equal(job_align_ops.pack(m->job, k, 0, &record), ST_OK);
            assert_int_equal(pairs_hits_unpack(record.data, record.len, out), ST_OK);
        }
    }
    buf_free(&record);
    return n_batches;
}

static void a_batch_that_memory_does_not_suffice_for_is_begun_in_part(void **state)
{
    static const int64_t bytes[] = {1 << 26, 1 << 16, 1};
    pairs_hits_t hits[3] = {0};
    int n_batches[3];

    (void)state;
    for (int i = 0; i < 3; i++) {
        made_t m;

        make_job(EMIT_IDENTITY, KEEP_HITS, &m);
        m.opts.batch_bytes = bytes[i];
        n_batches[i] = compute_in_parts(&m, &hits[i]);
        job_align_ops.destroy(m.job);
        assert_int_equal(hits[i].entries.len, hits[0].entries.len);
        for (int64_t k = 0; k < pairs_hits_n(&hits[0]); k++)
            assert_memory_equal(&pairs_hits_at(&hits[i], k)->hit,
                                &pairs_hits_at(&hits[0], k)->hit, sizeof(pairs_hit_t));
        assert_memory_equal(hits[i].n_dropped, hits[0].n_dropped,
                            sizeof(hits[0].n_dropped));
    }
    assert_int_equal(n_batches[0], 1);
    assert_true(n_batches[1] > 1 && n_batches[2] > n_batches[1]);
    for (int i = 0; i < 3; i++)
        pairs_hits_free(&hits[i]);
}

/* Tiles of 4 x 4: a pair of each under way and collected takes some 50 bytes. */
static void memory_limits_a_batch(void **state)
{
    made_t m;
    int limit;

    (void)state;
    make_job(EMIT_SCORE, KEEP_ALL, &m);
    assert_int_equal(job_align_ops.depth(m.job), 1);
    m.opts.batch_bytes = 1 << 16;
    limit = job_align_ops.batch_limit(m.job);
    assert_in_range(limit, (1 << 16) / 17 / 100, (1 << 16) / 17 / 25);
    m.opts.batch_bytes = 1; /* a tile it must be */
    assert_int_equal(job_align_ops.batch_limit(m.job), 1);
    m.opts.batch_bytes = INT64_C(1) << 40;
    assert_in_range(job_align_ops.batch_limit(m.job), 1024, 4096);
    job_align_ops.destroy(m.job);
}

static int64_t n_tasks_of(const char *path, align_emit_t emit)
{
    char why[ALIGN_OPTS_WHY_BYTES];
    exchange_t x = lone_exchange();
    align_opts_t opts = opts_of(path, emit);
    job_plan_t plan;
    void *job;

    assert_int_equal(align_opts_settle(&opts, why), ST_OK);
    assert_int_equal(job_align_create(&opts, &job), ST_OK);
    assert_int_equal(job_align_ops.begin(job, &x, &plan), ST_OK);
    job_align_ops.destroy(job);
    return plan.n_tasks;
}

/* 3000 sequences make 24 rows of tiles of 128, or 47 of 64. */
static void tiles_of_cigars_are_of_64_at_most(void **state)
{
    char path[64];
    FILE *file;

    (void)state;
    snprintf(path, sizeof(path), "%s/many.fa", dir);
    file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < 3000; i++)
        fprintf(file, ">s%d\nACGT\n", i);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(n_tasks_of(path, EMIT_IDENTITY), 24 * 25 / 2);
    assert_int_equal(n_tasks_of(path, EMIT_CIGAR), 47 * 48 / 2);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_batches_at_a_time_give_what_one_gives),
        cmocka_unit_test(memory_limits_a_batch),
        cmocka_unit_test(a_batch_that_memory_does_not_suffice_for_is_begun_in_part),
        cmocka_unit_test(tiles_of_cigars_are_of_64_at_most),
    };

    return cmocka_run_group_tests(tests, make_input, remove_input);
}
