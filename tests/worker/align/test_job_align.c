/*
 * test_job_align.c - tests batches of the job "align": several in flight, limited by
 * memory, and the counts of pairs that the filters rule out.
 */
#include "tests/support/unit_test.h"

#include "io/base/rng.h"
#include "io/pairs/write/pairs_hits.h"
#include "worker/align/job_align_state.h"
#include "worker/exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N_SEQUENCES = 70, N_BATCHES = 5, BASES_MIN = 5, BASES_RANGE = 60 };

static char dir[] = "/tmp/ribogrid_job.XXXXXX";
static char input[64], output[64];
static const char *const inputs[] = {input};
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
        int n = BASES_MIN + (int)rng_below(&rng, BASES_RANGE);

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
    job_t *job;
    double guess; /* of its rate */
} made_t;

/* What the job keeps: all pairs, hits, or the best hits of the input against itself. */
typedef enum { KEEP_ALL, KEEP_HITS, KEEP_TOP } keep_t;

static align_opts_t opts_of(const char *const *path, align_emit_t emit)
{
    align_opts_t opts = align_opts_defaults();

    opts.inputs = (seq_inputs_t){.paths = path, .n = 1};
    opts.common.output = output;
    opts.emit = emit;
    GIVE(&opts, batch_bytes, 1 << 24);
    opts.common.version = "1";
    return opts;
}

static void make_job_from(align_emit_t emit, keep_t keep, fraction_t min_identity,
                          made_t *m)
{
    char why[JOB_OPTS_WHY_BYTES];
    exchange_t x = exchange_alone();
    const char *kernel;

    *m = (made_t){.opts = opts_of(inputs, emit), .device = device_cpu()};
    if (keep != KEEP_ALL)
        m->opts.min_identity = min_identity;
    if (keep == KEEP_TOP) {
        m->opts.against = input;
        GIVE(&m->opts, strand, STRAND_BOTH);
        m->opts.top = N_SEQUENCES; /* so that tiles do not depend on each other */
    }
    assert_int_equal(align_opts_settle(&m->opts.common, why), ST_OK);
    assert_int_equal(job_create(&job_align_ops, &m->opts.common, &m->job), ST_OK);
    assert_int_equal(job_begin(m->job, &x), ST_OK);
    assert_int_equal(job_prepare(m->job, &m->device, pool, &kernel, &m->guess), ST_OK);
}

static void make_job(align_emit_t emit, keep_t keep, made_t *m)
{
    make_job_from(emit, keep, (fraction_t){3, 5}, m);
}

/* Batch k has tiles k, k + N_BATCHES, ... @return the number of tiles */
static int list_tasks(const made_t *m, int k, int64_t *tasks)
{
    int n = 0;

    for (int64_t t = k; t < m->job->plan.n_tasks; t += N_BATCHES)
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
        assert_int_equal(job_align_ops.pack(m->job, k % JOB_PLACES, i, 0,
                                            &packed[tasks[i]]),
                         ST_OK);
}

/* A batch is packed after the next one is collected.
 *
 * @param depth  batches in flight: the next one is submitted before the one just
 *               collected is packed */
static void compute(made_t *m, int depth, buf_t *packed)
{
    int begun = 0;

    for (int k = 0; k < N_BATCHES; k++) {
        while (begun < N_BATCHES && begun - k < depth)
            submit(m, begun++);
        assert_int_equal(job_align_ops.collect(m->job, k % JOB_PLACES), ST_OK);
        if (k > 0)
            pack(m, k - 1, packed);
    }
    pack(m, N_BATCHES - 1, packed);
}

static void assert_depths_agree(align_emit_t emit, keep_t keep)
{
    buf_t *packed[2];
    int64_t n_tasks = 0;
    made_t m;

    for (int depth = 1; depth <= 2; depth++) {
        make_job(emit, keep, &m);
        n_tasks = m.job->plan.n_tasks;
        packed[depth - 1] = calloc((size_t)n_tasks, sizeof(buf_t));
        assert_non_null(packed[depth - 1]);
        compute(&m, depth, packed[depth - 1]);
        job_destroy(m.job);
    }
    for (int64_t t = 0; t < n_tasks; t++) {
        assert_true(packed[0][t].len > 0);
        assert_int_equal(packed[0][t].len, packed[1][t].len);
        assert_memory_equal(packed[0][t].data, packed[1][t].data, packed[0][t].len);
        buf_free(&packed[0][t]);
        buf_free(&packed[1][t]);
    }
    free(packed[0]);
    free(packed[1]);
}

static void two_batches_in_flight_give_the_same_as_one(void **state)
{
    (void)state;
    for (int emit = EMIT_SCORE; emit <= EMIT_CIGAR; emit++)
        assert_depths_agree((align_emit_t)emit, KEEP_ALL);
    for (int keep = KEEP_HITS; keep <= KEEP_TOP; keep++) {
        assert_depths_agree(EMIT_IDENTITY, (keep_t)keep);
        assert_depths_agree(EMIT_CIGAR, (keep_t)keep);
    }
}

/* Every tile, while a batch is in flight; its own result is not disturbed. */
static void assert_checks_agree(align_emit_t emit, keep_t keep)
{
    buf_t *packed, again = {0};
    made_t m;
    bool equal;

    make_job(emit, keep, &m);
    packed = calloc((size_t)m.job->plan.n_tasks, sizeof(buf_t));
    assert_non_null(packed);
    compute(&m, 1, packed);
    submit(&m, 0);
    for (int64_t t = 0; t < m.job->plan.n_tasks; t++) {
        for (int how = JOB_ALTERNATIVE; how <= JOB_REFERENCE; how++) {
            again.len = 0;
            assert_int_equal(job_align_ops.check(m.job, t, (job_how_t)how, &again),
                             ST_OK);
            assert_int_equal(job_align_ops.equal(m.job, &packed[t], &again, &equal),
                             ST_OK);
            assert_true(equal);
        }
        buf_free(&packed[t]);
    }
    assert_int_equal(job_align_ops.collect(m.job, 0), ST_OK);
    job_destroy(m.job);
    buf_free(&again);
    free(packed);
}

static void other_kernels_give_every_tile_again(void **state)
{
    (void)state;
    for (int emit = EMIT_SCORE; emit <= EMIT_CIGAR; emit++)
        assert_checks_agree((align_emit_t)emit, KEEP_ALL);
    assert_checks_agree(EMIT_IDENTITY, KEEP_HITS);
    assert_checks_agree(EMIT_CIGAR, KEEP_HITS);
}

static int64_t n_ruled_out(const pairs_hits_t *hits)
{
    int64_t n = 0;

    for (int stage = 0; stage < PAIRS_STAGES_MAX; stage++)
        n += hits->n_dropped[stage];
    return n;
}

/* Add up the records of all tiles, in batches of at most max_tiles.
 * @param of_tile  [n_tasks] out: pairs of each tile that were ruled out; may be NULL
 * @return the number of batches */
static int compute_hits(made_t *m, int max_tiles, pairs_hits_t *out, int64_t *of_tile)
{
    int64_t tasks[4096], n_before;
    int n = (int)m->job->plan.n_tasks, first = 0, n_batches = 0;
    buf_t record = {0};

    assert_in_range(n, 1, 4096);
    for (int k = 0; k < n; k++)
        tasks[k] = k;
    for (int begun; first < n; first += begun, n_batches++) {
        int wanted = n - first < max_tiles ? n - first : max_tiles;

        assert_int_equal(job_align_ops.submit(m->job, tasks + first, wanted, &begun),
                         ST_OK);
        assert_in_range(begun, 1, wanted);
        assert_int_equal(job_align_ops.collect(m->job, 0), ST_OK);
        for (int k = 0; k < begun; k++) {
            n_before = n_ruled_out(out);
            record.len = 0;
            assert_int_equal(job_align_ops.pack(m->job, 0, k, 0, &record), ST_OK);
            assert_int_equal(pairs_hits_unpack(record.data, record.len, out), ST_OK);
            if (of_tile != NULL)
                of_tile[first + k] = n_ruled_out(out) - n_before;
        }
    }
    buf_free(&record);
    return n_batches;
}

static void a_batch_ends_early_where_more_pairs_pass_than_fit_the_memory(void **state)
{
    static const int64_t bytes[] = {1 << 26, 1 << 16, 1};
    pairs_hits_t hits[3] = {0};
    int n_batches[3];

    (void)state;
    for (int i = 0; i < 3; i++) {
        made_t m;

        make_job(EMIT_IDENTITY, KEEP_HITS, &m);
        GIVE(&m.opts, batch_bytes, bytes[i]);
        n_batches[i] = compute_hits(&m, (int)m.job->plan.n_tasks, &hits[i], NULL);
        job_destroy(m.job);
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

/* Records are stored one by one and added up again after a run was stopped, so each has
 * to be right.  A tile that is a batch by itself has the filter's own counts; in a batch
 * of all tiles, the filter counts the batch as a whole. */
static void a_tile_counts_the_pairs_ruled_out_of_it_whatever_its_batch(void **state)
{
    static int64_t of_tile[2][4096];

    (void)state;
    for (int keep = KEEP_HITS; keep <= KEEP_TOP; keep++) {
        pairs_hits_t hits[2] = {0};
        int64_t n_tiles = 0;

        for (int i = 0; i < 2; i++) {
            made_t m;

            make_job_from(EMIT_IDENTITY, (keep_t)keep, (fraction_t){9, 10}, &m);
            n_tiles = m.job->plan.n_tasks;
            assert_in_range(n_tiles, 2, 4096);
            compute_hits(&m, i == 0 ? 1 : (int)n_tiles, &hits[i], of_tile[i]);
            job_destroy(m.job);
        }
        assert_true(n_ruled_out(&hits[0]) > of_tile[0][0]); /* some outside of tile 0 */
        for (int64_t t = 0; t < n_tiles; t++)
            assert_int_equal(of_tile[1][t], of_tile[0][t]);
        /* of two strands one may be aligned although a stage has ruled it out */
        for (int stage = 0; keep == KEEP_HITS && stage < PAIRS_STAGES_MAX; stage++)
            assert_int_equal(hits[1].n_dropped[stage], hits[0].n_dropped[stage]);
        pairs_hits_free(&hits[0]);
        pairs_hits_free(&hits[1]);
    }
}

/* No pair of random sequences reaches 95 %; 1 % leaves nothing to filter. */
static void a_filter_that_rules_out_much_makes_a_job_faster(void **state)
{
    static const fraction_t identity[] = {{1, 100}, {19, 20}};
    double guess[2];

    (void)state;
    for (int k = 0; k < 2; k++) {
        made_t m;

        make_job_from(EMIT_IDENTITY, KEEP_HITS, identity[k], &m);
        guess[k] = m.guess;
        job_destroy(m.job);
    }
    assert_true(guess[1] > 4 * guess[0]);
}

/* Tiles are 4 x 4; a pair in flight or collected takes about 50 bytes. */
static void memory_limits_a_batch(void **state)
{
    made_t m;
    const job_align_t *j;
    int limit;

    (void)state;
    make_job(EMIT_SCORE, KEEP_ALL, &m);
    j = (const job_align_t *)m.job;
    assert_int_equal(m.job->depth, 1);
    assert_int_equal(m.job->max_batch, job_align_batch_limit(j));
    GIVE(&m.opts, batch_bytes, 1 << 16);
    limit = job_align_batch_limit(j);
    assert_in_range(limit, (1 << 16) / 17 / 100, (1 << 16) / 17 / 25);
    GIVE(&m.opts, batch_bytes, 1); /* one tile always fits */
    assert_int_equal(job_align_batch_limit(j), 1);
    GIVE(&m.opts, batch_bytes, INT64_C(1) << 40);
    assert_in_range(job_align_batch_limit(j), 1024, 4096);
    job_destroy(m.job);
}

/* @return tiles of a batch in 256 KiB of memory, of the host or the device */
static int tiles_with(align_emit_t emit, bool joined, bool on_device)
{
    const int64_t bytes = 1 << 18;
    made_t m;
    job_align_t *j;
    int limit;

    make_job(emit, KEEP_ALL, &m);
    j = (job_align_t *)m.job;
    j->spec.align.join_columns = joined;
    if (on_device)
        j->device_bytes = bytes;
    else
        GIVE(&m.opts, batch_bytes, bytes);
    limit = job_align_batch_limit(j);
    job_destroy(m.job);
    return limit;
}

/* With 34 bases in the mean a pair takes about 160 bytes of the host, a CIGAR 200, or
 * half of that with joined columns.  On the device a pair takes 64, a CIGAR 540. */
static void cigars_leave_less_memory_for_pairs(void **state)
{
    int identity = tiles_with(EMIT_IDENTITY, false, false);
    int joined = tiles_with(EMIT_CIGAR, true, false);

    (void)state;
    assert_true(joined < identity);
    assert_true(tiles_with(EMIT_CIGAR, false, false) < joined);
    identity = tiles_with(EMIT_IDENTITY, false, true);
    joined = tiles_with(EMIT_CIGAR, true, true);
    assert_in_range(joined, identity / 6, identity / 4); /* of twice the memory */
    assert_int_equal(tiles_with(EMIT_CIGAR, false, true), joined);
}

/* A limit above the memory that there is does not count. */
static void a_gpu_holds_parts_of_what_takes_more_than_half_of_its_memory(void **state)
{
    device_t gpu = {.kind = DEVICE_CUDA, .memory_bytes = 1 << 30};
    made_t m;
    const job_align_t *j;

    (void)state;
    make_job(EMIT_SCORE, KEEP_ALL, &m);
    j = (const job_align_t *)m.job;
    m.opts.composition = COMP_ADJUST;
    assert_false(job_align_in_windows(j, &gpu));
    assert_false(job_align_in_windows(j, &m.device));
    gpu.memory_bytes = 1 << 12;
    assert_true(job_align_in_windows(j, &gpu));
    GIVE(&m.opts, device_bytes, INT64_C(1) << 40);
    assert_true(job_align_in_windows(j, &gpu));
    gpu.memory_bytes = INT64_C(1) << 40;
    assert_false(job_align_in_windows(j, &gpu));
    GIVE(&m.opts, device_bytes, 1 << 12);
    assert_true(job_align_in_windows(j, &gpu));
    m.opts.composition = COMP_OFF; /* no kernel for parts */
    assert_false(job_align_in_windows(j, &gpu));
    job_destroy(m.job);
}

static int64_t n_tasks_of(const char *path, align_emit_t emit)
{
    char why[JOB_OPTS_WHY_BYTES];
    exchange_t x = exchange_alone();
    align_opts_t opts = opts_of(&path, emit);
    int64_t n_tasks;
    job_t *job;

    assert_int_equal(align_opts_settle(&opts.common, why), ST_OK);
    assert_int_equal(job_create(&job_align_ops, &opts.common, &job), ST_OK);
    assert_int_equal(job_begin(job, &x), ST_OK);
    n_tasks = job->plan.n_tasks;
    job_destroy(job);
    return n_tasks;
}

/* 3000 sequences make 24 rows of tiles of side 128, or 47 of side 64. */
static void tiles_with_cigars_have_sides_of_at_most_64(void **state)
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
        cmocka_unit_test(two_batches_in_flight_give_the_same_as_one),
        cmocka_unit_test(other_kernels_give_every_tile_again),
        cmocka_unit_test(a_filter_that_rules_out_much_makes_a_job_faster),
        cmocka_unit_test(memory_limits_a_batch),
        cmocka_unit_test(cigars_leave_less_memory_for_pairs),
        cmocka_unit_test(a_gpu_holds_parts_of_what_takes_more_than_half_of_its_memory),
        cmocka_unit_test(a_batch_ends_early_where_more_pairs_pass_than_fit_the_memory),
        cmocka_unit_test(a_tile_counts_the_pairs_ruled_out_of_it_whatever_its_batch),
        cmocka_unit_test(tiles_with_cigars_have_sides_of_at_most_64),
    };

    return cmocka_run_group_tests(tests, make_input, remove_input);
}
