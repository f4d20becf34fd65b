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
#include "io/store/reslog.h"
#include "tests/kernels/gang/gang_case.h"

#include <inttypes.h>
#include <unistd.h>

typedef struct {
    const char *output, *device;
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
    const opts_t *opts;
    int rank, n_ranks;
    int64_t first, last; /* the blocks that this rank holds: first .. last-1 */
    uint64_t *x, *next;  /* [last - first][len] */
    reslog_t *log;
    char *part_path;
} job_t;

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Blocks are dealt out evenly, in order; with many ranks some hold none. */
static int64_t first_of(const job_t *j, int rank)
{
    return j->opts->blocks * rank / j->n_ranks;
}

static int holder_of(const job_t *j, int64_t block)
{
    int rank = 0;

    while (first_of(j, rank + 1) <= block)
        rank++;
    return rank;
}

static uint64_t *block_at(const job_t *j, int64_t block)
{
    return j->x + (block - j->first) * j->opts->len;
}

static status_t begin(void *job, exchange_t *x, job_plan_t *out)
{
    job_t *j = job;
    const opts_t *o = j->opts;

    j->rank = x->rank;
    j->n_ranks = x->n_ranks;
    j->first = first_of(j, j->rank);
    j->last = first_of(j, j->rank + 1);
    *out = (job_plan_t){.kind = JOB_GANG,
                        .n_tasks = o->blocks,
                        .task_word = "blocks",
                        .item_word = "numbers",
                        .cost_word = "updates",
                        .n_steps = o->steps,
                        .checkpoint_steps = o->every,
                        .checkpoint_s = 1};
    return ST_OK;
}

static int64_t cost(const void *job, int64_t task)
{
    (void)task;
    return ((const job_t *)job)->opts->len;
}

static status_t open_log(void *job)
{
    job_t *j = job;
    const opts_t *o = j->opts;
    char text[200];

    snprintf(text, sizeof(text),
             "job=gang\nblocks=%" PRId64 "\nlen=%" PRId64 "\nsteps=%" PRId64 "\n",
             o->blocks, o->len, o->steps);
    return reslog_open(j->part_path, text, o->blocks, !o->resume, &j->log);
}

/* The state before the first step. */
static status_t prepare(void *job, const device_t *device, pool_t *pool,
                        const char **kernel_name, double *guess)
{
    job_t *j = job;
    size_t n = (size_t)((j->last - j->first) * j->opts->len);

    (void)device;
    (void)pool;
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

static void release(void *job)
{
    job_t *j = job;

    free(j->x);
    free(j->next);
    j->x = j->next = NULL;
}

static bool is_over(const void *job, int64_t k)
{
    return k >= ((const job_t *)job)->opts->steps;
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

static void plan_halo(const job_t *j, halo_t *h)
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
static status_t exchange_halo(const job_t *j, gang_t *g, uint64_t *left, uint64_t *right)
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

static status_t measure(const job_t *j, gang_t *g)
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

static status_t step(void *job, gang_t *g, int64_t k)
{
    job_t *j = job;
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

static bool holds(const void *job, int64_t task)
{
    const job_t *j = job;

    return task >= j->first && task < j->last;
}

static status_t save(void *job, int64_t task, buf_t *out)
{
    job_t *j = job;

    return buf_append(out, block_at(j, task), (size_t)j->opts->len * sizeof(*j->x));
}

static status_t checkpoint(void *job, int64_t *version)
{
    job_t *j = job;
    status_t st = reslog_rewind(j->log);

    *version = reslog_complete(j->log);
    return st;
}

static status_t load(void *job, int64_t task, buf_t *out)
{
    return reslog_read(((job_t *)job)->log, task, out);
}

static status_t restore(void *job, int64_t task, int64_t version, const void *data,
                        size_t len)
{
    job_t *j = job;

    (void)version;
    if (holds(j, task))
        memcpy(block_at(j, task), data, len);
    return ST_OK;
}

static void cancel(void *job)
{
    (void)job; /* steps are short */
}

static status_t store(void *job, int64_t task, int64_t version, const void *data,
                      size_t len)
{
    return reslog_append(((job_t *)job)->log, task, version, data, len);
}

static status_t sync_log(void *job)
{
    return reslog_sync(((job_t *)job)->log);
}

static status_t finish(void *job, const job_report_t *report)
{
    job_t *j = job;
    FILE *file = fopen(j->opts->output, "wb");
    buf_t data = {0};
    status_t st = file != NULL ? ST_OK : ST_EIO;

    (void)report;
    for (int64_t task = 0; st == ST_OK && task < j->opts->blocks; task++) {
        st = reslog_read(j->log, task, &data);
        if (st == ST_OK && fwrite(data.data, 1, data.len, file) != data.len)
            st = ST_EIO;
    }
    buf_free(&data);
    if (file != NULL && fclose(file) != 0)
        st = ST_EIO;
    if (st == ST_OK)
        reslog_remove(j->log);
    else
        log_error("%s: cannot write", j->opts->output);
    return st;
}

static void destroy(void *job)
{
    job_t *j = job;

    release(j);
    if (j->log != NULL && reslog_n_done(j->log) == 0)
        reslog_remove(j->log);
    reslog_close(j->log);
    free(j->part_path);
}

static const job_ops_t ops = {.name = "gang",
                              .begin = begin,
                              .cost = cost,
                              .items = cost,
                              .open = open_log,
                              .prepare = prepare,
                              .release = release,
                              .is_over = is_over,
                              .step = step,
                              .holds = holds,
                              .save = save,
                              .checkpoint = checkpoint,
                              .load = load,
                              .restore = restore,
                              .cancel = cancel,
                              .store = store,
                              .sync = sync_log,
                              .finish = finish,
                              .destroy = destroy};

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
            o->device = argv[i] + len + 1;
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
    opts_t o = {.device = "auto", .blocks = 7, .len = 100, .steps = 50, .fails_at = -1};
    job_t job = {.opts = &o};
    transport_t *t = NULL;
    binding_t binding;
    status_t st;

    if (argc < 2 || parse(argc, argv, &o) != ST_OK) {
        fprintf(stderr, "usage: gang_job OUT [name=value]...\n");
        return EXIT_USAGE;
    }
    o.output = argv[1];
    if (o.check || o.measure > 0)
        o.steps = 1;
    if (asprintf(&job.part_path, "%s.part", o.output) < 0 ||
        (st = transport_create(&t)) != ST_OK)
        return EXIT_FAILED;
    st = bind_choose(&t->exchange, o.device, 1, &binding);
    if (st == ST_OK)
        st = run_job(&ops, &job, t, &binding);
    t->destroy(t);
    return status_exit_code(st);
}
