/*
 * gang_job.c - a small gang job, run by gang.sh: blocks of made numbers that depend on
 * each other more with every step.
 *
 *   gang_job OUT [name=value]...
 *
 * Each step adds all numbers up (an allreduce of int64) and sends the numbers at the
 * borders of blocks to the ranks that hold their neighbours (an alltoallv); both go into
 * the next state.  OUT holds the numbers in the order of the blocks: the same bytes on
 * any number of ranks, however often the run was killed and resumed.
 *
 * It is also the smallest example of a gang job (worker/job.h).
 */
#include "dispatcher/run.h"
#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "tests/kernels/gang/gang_case.h"
#include "worker/job_output.h"

#include <inttypes.h>
#include <unistd.h>

typedef struct {
    job_opts_t common;
    int64_t blocks, len, steps;
    int64_t every;    /* steps between checkpoints */
    int64_t sleep_us; /* in each step */
    int64_t fails_on; /* this rank fails, */
    int64_t fails_at; /* in this step; -1: none */
    int64_t resume;
    int64_t check;   /* check every operation of the gang instead */
    int64_t measure; /* time this number of 8-byte allreduces instead */
} opts_t;

typedef struct {
    job_t base;
    const opts_t *opts;
    int rank, n_ranks;
    int64_t first, last; /* the blocks that this rank holds: first .. last-1 */
    uint64_t *x, *next;  /* [last - first][len] */
} gang_job_t;

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Blocks are dealt out evenly, in order; with many ranks some hold none. */
static int64_t first_of(const gang_job_t *j, int rank)
{
    return j->opts->blocks * rank / j->n_ranks;
}

static int holder_of(const gang_job_t *j, int64_t block)
{
    int rank = 0;

    while (first_of(j, rank + 1) <= block)
        rank++;
    return rank;
}

static uint64_t *block_at(const gang_job_t *j, int64_t block)
{
    return j->x + (block - j->first) * j->opts->len;
}

static void outputs(const job_opts_t *opts, job_outputs_t *out)
{
    (void)opts;
    out->is_text = true;
}

static status_t begin(job_t *job, exchange_t *x)
{
    gang_job_t *j = (gang_job_t *)job;
    const opts_t *o = (const opts_t *)job->opts;

    j->opts = o;
    j->rank = x->rank;
    j->n_ranks = x->n_ranks;
    j->first = first_of(j, j->rank);
    j->last = first_of(j, j->rank + 1);
    job->plan = (job_plan_t){.kind = JOB_GANG,
                             .n_tasks = o->blocks,
                             .task_word = "blocks",
                             .item_word = "numbers",
                             .cost_word = "updates",
                             .n_steps = o->steps,
                             .checkpoint_steps = o->every,
                             .checkpoint_bytes = 4e6};
    return ST_OK;
}

static int64_t cost(const job_t *job, int64_t task)
{
    (void)task;
    return ((const gang_job_t *)job)->opts->len;
}

static status_t describe(job_t *job)
{
    const opts_t *o = (const opts_t *)job->opts;

    return buf_printf(&job->text,
                      "job=gang\nblocks=%" PRId64 "\nlen=%" PRId64 "\nsteps=%" PRId64
                      "\n",
                      o->blocks, o->len, o->steps);
}

static const char *check_record(job_t *job, int64_t task, int64_t version,
                                const buf_t *record)
{
    const opts_t *o = (const opts_t *)job->opts;

    (void)task;
    (void)version;
    return record->len == (size_t)o->len * sizeof(uint64_t) ? NULL : "has another length";
}

static status_t opened(job_t *job)
{
    (void)job;
    return ST_OK;
}

/* The state before the first step. */
static status_t prepare(job_t *job, const char **kernel_name, double *guess)
{
    gang_job_t *j = (gang_job_t *)job;
    size_t n = (size_t)((j->last - j->first) * j->opts->len);

    j->x = malloc((n + 1) * sizeof(*j->x));
    j->next = malloc((n + 1) * sizeof(*j->next));
    if (j->x == NULL || j->next == NULL)
        return log_nomem("blocks");
    for (size_t i = 0; i < n; i++)
        j->x[i] = mix((uint64_t)(j->first * j->opts->len) + i);
    *kernel_name = "made";
    *guess = 1e6;
    return ST_OK;
}

static void release(job_t *job)
{
    gang_job_t *j = (gang_job_t *)job;

    free(j->x);
    free(j->next);
    j->x = j->next = NULL;
}

static bool is_over(const job_t *job, int64_t k)
{
    return k >= ((const gang_job_t *)job)->opts->steps;
}

/* One collective on numbers of the host, in whatever memory the gang works. */
static status_t all_sum(gang_t *g, int64_t mine, int64_t *sum)
{
    void *data;
    status_t st = g->alloc(g, sizeof(mine), &data), freed = st;

    if (st == ST_OK && (st = g->put(g, data, &mine, sizeof(mine))) == ST_OK &&
        (st = g->allreduce(g, data, data, 1, GANG_INT64, GANG_SUM)) == ST_OK)
        st = g->get(g, sum, data, sizeof(*sum));
    if (freed == ST_OK)
        g->free(g, data);
    return st;
}

/* What passes between two ranks: at most a last number for the block to the right and a
 * first one for the block to the left, in this order. */
typedef struct {
    int64_t send_len[GANG_CASE_RANKS_MAX], recv_len[GANG_CASE_RANKS_MAX];
    int64_t send_at[GANG_CASE_RANKS_MAX], recv_at[GANG_CASE_RANKS_MAX];
    uint64_t out[2 * GANG_CASE_RANKS_MAX], in[2 * GANG_CASE_RANKS_MAX];
} halo_t;

static void plan_halo(const gang_job_t *j, halo_t *h)
{
    int64_t n = j->opts->blocks, n_out = 0, n_in = 0;

    for (int r = 0; r < j->n_ranks; r++) {
        int64_t first = first_of(j, r), last = first_of(j, r + 1), sent = n_out;
        int64_t received = n_in;

        if (first < last && holder_of(j, (first + n - 1) % n) == j->rank)
            h->out[n_out++] = block_at(j, (first + n - 1) % n)[j->opts->len - 1];
        if (first < last && holder_of(j, last % n) == j->rank)
            h->out[n_out++] = block_at(j, last % n)[0];
        if (j->first < j->last)
            n_in += (holder_of(j, (j->first + n - 1) % n) == r) +
                    (holder_of(j, j->last % n) == r);
        h->send_at[r] = 8 * sent;
        h->send_len[r] = 8 * (n_out - sent);
        h->recv_at[r] = 8 * received;
        h->recv_len[r] = 8 * (n_in - received);
    }
}

/* @param left, right  out: the numbers beside this rank's blocks, if it holds any */
static status_t exchange_halo(const gang_job_t *j, gang_t *g, uint64_t *left,
                              uint64_t *right)
{
    int64_t n = j->opts->blocks;
    halo_t h = {0};
    void *out = NULL, *in = NULL;
    status_t st;

    plan_halo(j, &h);
    if ((st = g->alloc(g, sizeof(h.out), &out)) == ST_OK &&
        (st = g->alloc(g, sizeof(h.in), &in)) == ST_OK &&
        (st = g->put(g, out, h.out, sizeof(h.out))) == ST_OK &&
        (st = g->alltoallv(g, out, h.send_len, h.send_at, in, h.recv_len, h.recv_at)) ==
            ST_OK)
        st = g->get(g, h.in, in, sizeof(h.in));
    g->free(g, out);
    g->free(g, in);
    if (st == ST_OK && j->first < j->last) {
        int from_left = holder_of(j, (j->first + n - 1) % n);
        int from_right = holder_of(j, j->last % n);

        *left = h.in[h.recv_at[from_left] / 8];
        *right = h.in[h.recv_at[from_right] / 8 + (from_left == from_right)];
    }
    return st;
}

/* Times of operations, on rank 0: print the median. */
static int later(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static status_t measure(const gang_job_t *j, gang_t *g)
{
    int64_t n = j->opts->measure;
    double *us = calloc((size_t)n, sizeof(*us));
    int64_t value[2] = {j->rank, 0};
    void *data;
    status_t st = us == NULL ? ST_ENOMEM : g->alloc(g, 16, &data);

    if (st == ST_OK)
        st = g->put(g, data, value, sizeof(value));
    for (int64_t i = 0; st == ST_OK && i < n; i++) {
        double start = clock_now_s();

        st = g->allreduce(g, data, (char *)data + 8, 1, GANG_INT64, GANG_SUM);
        us[i] = 1e6 * (clock_now_s() - start);
    }
    if (st == ST_OK && j->rank == 0) {
        qsort(us, (size_t)n, sizeof(*us), later);
        printf("allreduce/8B\t%s\t%d ranks\t%.1f us median\t%.1f us 90 %%\n", g->name,
               j->n_ranks, us[n / 2], us[n * 9 / 10]);
    }
    if (st == ST_OK)
        g->free(g, data);
    free(us);
    return st;
}

static status_t check(gang_t *g)
{
    int n_failures = gang_case_run(g);

    if (n_failures > 0)
        log_error("rank %d: %d checks of the gang %s failed", g->rank, n_failures,
                  g->name);
    return n_failures > 0 ? ST_EINPUT : ST_OK;
}

static status_t step(job_t *job, gang_t *g, int64_t k)
{
    gang_job_t *j = (gang_job_t *)job;
    int64_t n = (j->last - j->first) * j->opts->len, sum = 0;
    uint64_t left = 0, right = 0, *old;
    status_t st;

    if (j->opts->fails_at == k && j->opts->fails_on == j->rank) {
        log_error("rank %d fails in step %" PRId64 ", as requested", j->rank, k);
        return ST_EDEVICE;
    }
    if (j->opts->check)
        return check(g);
    if (j->opts->measure > 0)
        return measure(j, g);
    for (int64_t i = 0; i < n; i++)
        sum += (int64_t)(j->x[i] >> 24);
    if ((st = all_sum(g, sum, &sum)) != ST_OK ||
        (st = exchange_halo(j, g, &left, &right)) != ST_OK)
        return st;
    for (int64_t i = 0; i < n; i++)
        j->next[i] = mix((i > 0 ? j->x[i - 1] : left) + 3 * j->x[i] +
                         5 * (i + 1 < n ? j->x[i + 1] : right) + (uint64_t)(sum + k));
    old = j->x;
    j->x = j->next;
    j->next = old;
    usleep((useconds_t)j->opts->sleep_us);
    return ST_OK;
}

static bool holds(const job_t *job, int64_t task)
{
    const gang_job_t *j = (const gang_job_t *)job;

    return task >= j->first && task < j->last;
}

static status_t save(job_t *job, int64_t task, buf_t *out)
{
    gang_job_t *j = (gang_job_t *)job;

    return buf_append(out, block_at(j, task), (size_t)j->opts->len * sizeof(*j->x));
}

static status_t restore(job_t *job, int64_t task, int64_t version, const void *data,
                        size_t len)
{
    gang_job_t *j = (gang_job_t *)job;

    (void)version;
    if (holds(job, task))
        memcpy(block_at(j, task), data, len);
    return ST_OK;
}

static status_t write_result(job_t *job, const job_report_t *report)
{
    gang_job_t *j = (gang_job_t *)job;
    FILE *file = fopen(job->opts->output, "wb");
    buf_t data = {0};
    status_t st = file != NULL ? ST_OK : ST_EIO;

    (void)report;
    for (int64_t task = 0; st == ST_OK && task < j->opts->blocks; task++) {
        st = reslog_read(job->log, task, &data);
        if (st == ST_OK && fwrite(data.data, 1, data.len, file) != data.len)
            st = ST_EIO;
    }
    buf_free(&data);
    if (st == ST_OK)
        st = job_output_label(job, file);
    if (file != NULL && fclose(file) != 0)
        st = ST_EIO;
    if (st != ST_OK)
        log_error("%s: cannot write", job->opts->output);
    return st;
}

static void free_job(job_t *job)
{
    (void)job;
}

static const job_ops_t ops = {.name = "gang",
                              .size = sizeof(gang_job_t),
                              .outputs = outputs,
                              .begin = begin,
                              .cost = cost,
                              .items = cost,
                              .describe = describe,
                              .check_record = check_record,
                              .opened = opened,
                              .prepare = prepare,
                              .release = release,
                              .is_over = is_over,
                              .step = step,
                              .holds = holds,
                              .save = save,
                              .restore = restore,
                              .write_result = write_result,
                              .free = free_job};

static status_t parse(int argc, char **argv, opts_t *o)
{
    const struct {
        const char *name;
        int64_t *value;
    } numbers[] = {{"blocks", &o->blocks},     {"len", &o->len},
                   {"steps", &o->steps},       {"every", &o->every},
                   {"sleep_us", &o->sleep_us}, {"fails_on", &o->fails_on},
                   {"fails_at", &o->fails_at}, {"resume", &o->resume},
                   {"check", &o->check},       {"measure", &o->measure}};

    for (int i = 2; i < argc; i++) {
        size_t len = strcspn(argv[i], "=");
        bool known = false;

        if (argv[i][len] == '\0')
            return ST_EUSAGE;
        if (strncmp(argv[i], "device=", len + 1) == 0) {
            o->common.device = argv[i] + len + 1;
            continue;
        }
        for (size_t k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++)
            if (strlen(numbers[k].name) == len &&
                memcmp(numbers[k].name, argv[i], len) == 0) {
                *numbers[k].value = strtoll(argv[i] + len + 1, NULL, 10);
                known = true;
            }
        if (!known)
            return ST_EUSAGE;
    }
    return ST_OK;
}

int main(int argc, char **argv)
{
    opts_t o = {.common = {.device = "auto"},
                .blocks = 7,
                .len = 100,
                .steps = 50,
                .fails_at = -1};
    transport_t *t = NULL;
    binding_t binding;
    job_t *job;
    status_t st;

    if (argc < 2 || parse(argc, argv, &o) != ST_OK) {
        fprintf(stderr, "usage: gang_job OUT [name=value]...\n");
        return EXIT_USAGE;
    }
    o.common.output = argv[1];
    o.common.resume = o.resume != 0;
    o.common.force = !o.common.resume;
    o.common.binding = &binding;
    if (o.check || o.measure > 0)
        o.steps = 1;
    if (transport_create(&t) != ST_OK)
        return EXIT_FAILED;
    st = bind_choose(&t->exchange, o.common.device, 1, &binding);
    if (st == ST_OK && (st = job_create(&ops, &o.common, &job)) == ST_OK)
        st = run_job(job, t);
    if (t->has_silent_rank)
        t->abandon(t, status_exit_code(st));
    t->destroy(t);
    return status_exit_code(st);
}
