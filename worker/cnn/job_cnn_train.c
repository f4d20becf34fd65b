/*
 * job_cnn_train.c - steps and checkpoints on a rank's device thread.
 *
 * Parameters are the same on all ranks after every step: rank 0 saves them, because the
 * log is there.
 */
#include "worker/cnn/job_cnn_state.h"

#include "cnn/solve/cnn_runner.h"
#include "cnn/solve/cnn_trainer.h"
#include "cnn/solve/initial_values.h"
#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "kernels/registry/backends.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Batches of a run that are slower: steps are recorded, memory is touched first. */
enum { FIRST_BATCHES = 3 };

/* Task 0 of a checkpoint: this head, the choices, the points, the tests. */
typedef struct {
    int64_t iteration;
    double seconds;
    int64_t choices_len, n_points, n_tests;
} head_t;

double job_cnn_checkpoint_bytes(const job_cnn_t *j)
{
    double bytes = 0;

    for (int k = 0; k < j->n_kept; k++)
        bytes += (double)cnn_tensor_bytes(&j->training->tensors[j->kept[k]]);
    return bytes;
}

/* @return the epochs before an iteration */
static double epoch_at(const job_cnn_t *j, int64_t iteration)
{
    return (double)iteration * j->net->solver.batch / (double)j->images.n;
}

static double rate_at(const void *job, int64_t iteration)
{
    const job_cnn_t *j = job;

    return cnn_solver_rate(&j->net->solver, epoch_at(j, iteration));
}

/* @return a backend's name, or NULL */
static const char *kernel_of(const cnn_opts_t *opts)
{
    const char *name = opts->common.kernel;

    return strcmp(name, "auto") != 0 ? name : NULL;
}

/* Create the trainer. @param choices  of algorithms, or NULL: measure */
static status_t create_trainer(job_cnn_t *j, const char *choices)
{
    const cnn_opts_t *o = j->opts;
    const cnn_trainer_opts_t opts = {
        .program = j->training,
        .test = j->inference,
        .images = &j->images,
        .test_images = &j->test,
        .device = &j->base.device,
        .pool = j->base.pool,
        .kernel = kernel_of(o),
        .memory_bytes = j->memory_bytes,
        .choices = choices,
        .batch = j->net->solver.batch,
        .seed = (uint64_t)o->seed,
        .rate = rate_at,
        .rate_arg = j,
        .parts = j->split.parts,
        .late_steps = job_cnn_is_late(j) ? JOB_CNN_ITERATIONS : 0,
        .n_iterations = j->n_iterations,
        .rank = j->split.is_alone ? 0 : j->rank,
        .n_ranks = job_cnn_n_together(j),
    };
    status_t st = cnn_trainer_create(&opts, &j->trainer);

    if (st != ST_OK)
        return st;
    j->choices.len = 0;
    if ((st = cnn_trainer_choices(j->trainer, &j->choices)) == ST_OK)
        st = buf_append(&j->choices, "", 1);
    return st;
}

/* Create the trainer and give it first values, which are drawn meanwhile. */
static status_t begin_alone(job_cnn_t *j, const char *choices)
{
    initial_values_t *first = NULL;
    status_t st = initial_values_begin(j->net, j->training, j->kept, j->n_kept,
                                       (uint64_t)j->opts->seed, j->base.pool, &first);

    if (st == ST_OK)
        st = create_trainer(j, choices);
    log_phase("algorithms");
    for (int k = 0; st == ST_OK && k < j->n_kept; k++)
        if (initial_values_of(first, k) != NULL)
            st = cnn_trainer_put(j->trainer, k, initial_values_of(first, k));
    initial_values_destroy(first);
    log_phase("initial values");
    return st;
}

static const char *text_or_null(const buf_t *text)
{
    return text->len > 1 ? (const char *)text->data : NULL;
}

/* Take rank 0's choices of algorithms. */
static status_t agree(job_cnn_t *j, gang_t *gang)
{
    buf_t chosen = {0};
    status_t st = rank_choices_agree(gang, j->kernel, j->base.device.name,
                                     (const char *)j->choices.data, &chosen);
    const bool differs =
        chosen.len > 0 && (chosen.len != j->choices.len ||
                           memcmp(chosen.data, j->choices.data, chosen.len) != 0);

    log_phase("other ranks");
    if (st == ST_OK && (j->trainer == NULL || differs)) {
        job_cnn_release(&j->base);
        st = begin_alone(j, text_or_null(&chosen));
    }
    buf_free(&chosen);
    return st;
}

/* Begin training on all ranks with one choice of algorithms, unless it was begun or
 * restored: that of an earlier run, with which all begin at once, else rank 0 makes it
 * before the others begin. */
static status_t begin_together(job_cnn_t *j, gang_t *gang)
{
    const char *known = text_or_null(&j->known);
    status_t st = ST_OK;

    if (j->trainer != NULL)
        return ST_OK;
    log_phases_begin();
    if (j->rank == 0 || known != NULL || gang->n_ranks == 1)
        st = begin_alone(j, j->rank > 0 ? known : NULL);
    return st == ST_OK && gang->n_ranks > 1 ? agree(j, gang) : st;
}

void job_cnn_load(const job_opts_t *opts, const device_t *device)
{
    const char *name = kernel_of((const cnn_opts_t *)opts);

    for (const backend_t *const *row = cnn_table.rows; *row != NULL; row++) {
        const cnn_backend_t *b = (const cnn_backend_t *)*row;

        if (b->load != NULL && b->base.kind == device->kind &&
            (name == NULL || strcmp(name, b->base.name) == 0))
            b->load();
    }
}

status_t job_cnn_prepare(job_t *job, const char **kernel_name, double *guess)
{
    job_cnn_t *j = (job_cnn_t *)job;
    const cnn_context_t context = {.device = &job->device,
                                   .pool = job->pool,
                                   .program = j->training};
    const backend_request_t request = {.name = kernel_of(j->opts),
                                       .device = &job->device};
    const backend_t *row;
    status_t st = backend_choose(&cnn_table, &request, &context, &row);

    if (st != ST_OK)
        return st;
    *kernel_name = j->kernel = row->name;
    *guess = backend_rate(row, job->pool);
    return ST_OK;
}

void job_cnn_release(job_t *job)
{
    job_cnn_t *j = (job_cnn_t *)job;

    cnn_trainer_destroy(j->trainer);
    j->trainer = NULL;
}

bool job_cnn_is_over(const job_t *job, int64_t k)
{
    const job_cnn_t *j = (const job_cnn_t *)job;

    return k * JOB_CNN_ITERATIONS >= j->n_iterations;
}

/* ---- steps ---- */

/* @return whether an epoch ends with an iteration, or all training */
static bool ends_epoch(const job_cnn_t *j, int64_t iteration)
{
    const int64_t batch = j->net->solver.batch;

    return iteration + 1 == j->n_iterations ||
           iteration * batch / j->images.n != (iteration + 1) * batch / j->images.n;
}

/* @return ST_EINPUT (logged): what training computes after n batches is not finite */
static status_t refuse_infinite(const char *what, int64_t n)
{
    log_error("%s after batch %" PRId64 " is no finite number: training diverges; give "
              "a smaller --rate",
              what, n);
    return ST_EINPUT;
}

static status_t check_finite(const char *what, int64_t n, double value)
{
    return isfinite(value) ? ST_OK : refuse_infinite(what, n);
}

/* @param data  n floats; all are looked at, which a compiler makes vectors of */
static bool are_finite(const void *data, int64_t n)
{
    const uint32_t exponent = UINT32_C(0x7f800000);
    uint32_t n_infinite = 0;

    for (int64_t i = 0; i < n; i++) {
        uint32_t bits;

        memcpy(&bits, (const float *)data + i, sizeof(bits));
        n_infinite += (bits & exponent) == exponent;
    }
    return n_infinite == 0;
}

static status_t test(job_cnn_t *j, gang_t *gang)
{
    job_cnn_test_t point = {.iteration = j->iteration};
    cnn_score_t score;
    status_t st = cnn_trainer_test(j->trainer, gang, &score);

    if (st != ST_OK ||
        (st = check_finite("the loss of test images", j->iteration, score.loss)) != ST_OK)
        return st;
    point.loss = score.loss;
    point.accuracy = score.accuracy;
    if (j->rank == j->split.lead)
        log_info("%.3g epochs: %.2f %% of the test images are right, loss %.4f",
                 epoch_at(j, j->iteration), 100 * score.accuracy, score.loss);
    return buf_append(&j->tests, &point, sizeof(point));
}

static status_t iterate(job_cnn_t *j, gang_t *gang)
{
    const int64_t iteration = j->iteration;
    job_cnn_point_t point = {.rate = rate_at(j, iteration)};
    const double start = clock_now_s();
    cnn_score_t score;
    status_t st = cnn_trainer_iterate(j->trainer, gang, iteration, &score);

    if (st != ST_OK)
        return st;
    if (j->n_run++ >= FIRST_BATCHES) {
        j->batches_s += clock_now_s() - start;
        j->n_timed++;
    }
    point.loss = score.loss;
    point.accuracy = score.accuracy;
    j->iteration++;
    if ((st = buf_append(&j->points, &point, sizeof(point))) != ST_OK)
        return st;
    if ((st = check_finite("the loss", iteration + 1, score.loss)) != ST_OK)
        return st;
    return j->test.n > 0 && ends_epoch(j, iteration) ? test(j, gang) : ST_OK;
}

/* @return ST_OK; a rank that trains alone, or beside one, needs no other
 * @param gang  in and out */
static status_t leave_gang(job_cnn_t *j, gang_t **gang)
{
    status_t st = ST_OK;

    if (j->split.is_alone && j->lone == NULL)
        st = gang_one_create(&j->lone);
    if (j->split.is_alone)
        *gang = j->lone;
    return st;
}

static status_t step(job_cnn_t *j, gang_t *gang)
{
    status_t st = begin_together(j, gang);
    const double start = clock_now_s();

    for (int i = 0; st == ST_OK && i < JOB_CNN_ITERATIONS; i++)
        if (j->iteration < j->n_iterations)
            st = job_is_cancelled(&j->base) ? ST_ESTOPPED : iterate(j, gang);
    log_phase("batches");
    log_phases_end("first step");
    j->seconds += clock_now_s() - start;
    return st;
}

status_t job_cnn_step(job_t *job, gang_t *gang, int64_t k)
{
    job_cnn_t *j = (job_cnn_t *)job;
    const status_t st = leave_gang(j, &gang);

    (void)k;
    return st == ST_OK && job_cnn_trains(j) ? step(j, gang) : st;
}

/* ---- checkpoints ---- */

bool job_cnn_holds(const job_t *job, int64_t task)
{
    const job_cnn_t *j = (const job_cnn_t *)job;

    (void)task;
    return j->rank == j->split.lead;
}

static int64_t tensor_bytes(const job_cnn_t *j, int k)
{
    return cnn_tensor_n(&j->training->tensors[j->kept[k]]) * (int64_t)sizeof(float);
}

static status_t save_curves(const job_cnn_t *j, buf_t *out)
{
    const head_t head = {j->iteration, j->seconds, (int64_t)j->choices.len,
                         (int64_t)(j->points.len / sizeof(job_cnn_point_t)),
                         (int64_t)(j->tests.len / sizeof(job_cnn_test_t))};
    status_t st = buf_append(out, &head, sizeof(head));

    if (st == ST_OK)
        st = buf_append(out, j->choices.data, j->choices.len);
    if (st == ST_OK)
        st = buf_append(out, j->points.data, j->points.len);
    return st == ST_OK ? buf_append(out, j->tests.data, j->tests.len) : st;
}

status_t job_cnn_save(job_t *job, int64_t task, buf_t *out)
{
    job_cnn_t *j = (job_cnn_t *)job;
    const int k = (int)task - 1;
    const cnn_tensor_t *tensor;
    void *values;
    status_t st = ST_OK;

    if (j->trainer == NULL) /* stopped before the first step */
        st = begin_alone(j, NULL);
    if (st != ST_OK || task == 0)
        return st != ST_OK ? st : save_curves(j, out);
    tensor = &j->training->tensors[j->kept[k]];
    if ((st = buf_reserve(out, (size_t)tensor_bytes(j, k))) != ST_OK)
        return st;
    values = out->data + out->len;
    if ((st = cnn_trainer_get(j->trainer, k, values)) != ST_OK)
        return st;
    out->len += (size_t)tensor_bytes(j, k);
    return are_finite(values, cnn_tensor_n(tensor))
               ? ST_OK
               : refuse_infinite(tensor->name, j->iteration);
}

static const char bad_length[] = "has another length than that of its task";

/* @return whether the head of a record of `len` bytes can be true */
static bool is_valid(const job_cnn_t *j, const head_t *h, size_t len)
{
    const int64_t max = j->n_iterations, bytes = (int64_t)len;

    return h->n_points >= 0 && h->n_points <= max && h->n_tests >= 0 &&
           h->n_tests <= max && h->iteration == h->n_points && h->choices_len >= 1 &&
           h->choices_len <= bytes &&
           bytes == (int64_t)sizeof(*h) + h->choices_len +
                        h->n_points * (int64_t)sizeof(job_cnn_point_t) +
                        h->n_tests * (int64_t)sizeof(job_cnn_test_t);
}

/* @return whether a fraction of n images is a whole number of them */
static bool is_share(double fraction, int64_t n)
{
    const double images = fraction * (double)n;

    return fraction >= 0 && fraction <= 1 && fabs(images - round(images)) < 1e-3;
}

/* Rates of another host's library may be rounded otherwise. */
static bool points_fit(const job_cnn_t *j, const char *at, int64_t n)
{
    const int64_t n_images =
        job_cnn_is_late(j) ? job_cnn_part(j, 0) : j->net->solver.batch;
    job_cnn_point_t p;

    for (int64_t i = 0; i < n; i++) {
        const double rate = rate_at(j, i);

        memcpy(&p, at + i * (int64_t)sizeof(p), sizeof(p));
        if (!isfinite(p.loss) || !is_share(p.accuracy, n_images) ||
            !(fabs(p.rate - rate) <= 1e-9 * fabs(rate)))
            return false;
    }
    return true;
}

/* There is one test at the end of each epoch. */
static bool tests_fit(const job_cnn_t *j, const char *at, int64_t n, int64_t iteration)
{
    job_cnn_test_t t;
    int64_t k = 0;

    for (int64_t i = 0; i < iteration && j->test.n > 0; i++) {
        if (!ends_epoch(j, i))
            continue;
        if (k == n)
            return false;
        memcpy(&t, at + k++ * (int64_t)sizeof(t), sizeof(t));
        if (t.iteration != i + 1 || !isfinite(t.loss) || !is_share(t.accuracy, j->test.n))
            return false;
    }
    return k == n;
}

static const char *check_curves(const job_cnn_t *j, int64_t version, const buf_t *record)
{
    const char *at = (const char *)record->data;
    const int64_t steps = version * JOB_CNN_ITERATIONS;
    head_t head;

    if (record->len < sizeof(head))
        return bad_length;
    memcpy(&head, at, sizeof(head));
    if (!is_valid(j, &head, record->len) ||
        head.iteration != (steps < j->n_iterations ? steps : j->n_iterations) ||
        !(head.seconds >= 0) || !isfinite(head.seconds))
        return "has counts that no run makes";
    at += sizeof(head);
    if (memchr(at, '\0', (size_t)head.choices_len) != at + head.choices_len - 1)
        return "has choices of algorithms that are no text";
    at += head.choices_len;
    return points_fit(j, at, head.n_points) &&
                   tests_fit(j, at + head.n_points * (int64_t)sizeof(job_cnn_point_t),
                             head.n_tests, head.iteration)
               ? NULL
               : "has learning curves that no training makes";
}

const char *job_cnn_check_record(job_t *job, int64_t task, int64_t version,
                                 const buf_t *record)
{
    const job_cnn_t *j = (const job_cnn_t *)job;

    if (version > (j->n_iterations + JOB_CNN_ITERATIONS - 1) / JOB_CNN_ITERATIONS)
        return "is of a step that training does not have";
    if (task == 0)
        return check_curves(j, version, record);
    if (record->len != (size_t)tensor_bytes(j, (int)task - 1))
        return bad_length;
    return are_finite(record->data, (int64_t)(record->len / sizeof(float)))
               ? NULL
               : "has a value that is no number";
}

status_t job_cnn_restore_curves(job_cnn_t *j, const void *data, size_t len,
                                const char **choices)
{
    const char *at = data;
    head_t head;
    size_t points;
    status_t st;

    if (len < sizeof(head))
        return job_refuse(&j->base, 0);
    memcpy(&head, at, sizeof(head));
    if (!is_valid(j, &head, len) || at[sizeof(head) + (size_t)head.choices_len - 1] != 0)
        return job_refuse(&j->base, 0);
    *choices = at += sizeof(head);
    at += head.choices_len;
    points = (size_t)head.n_points * sizeof(job_cnn_point_t);
    j->iteration = head.iteration;
    j->seconds = head.seconds;
    j->points.len = j->tests.len = 0;
    if ((st = buf_append(&j->points, at, points)) != ST_OK)
        return st;
    return buf_append(&j->tests, at + points,
                      (size_t)head.n_tests * sizeof(job_cnn_test_t));
}

/* Task 0 comes first.  It has the algorithms of the run that was stopped, so that this
 * one ends as that would have ended. */
status_t job_cnn_restore(job_t *job, int64_t task, int64_t version, const void *data,
                         size_t len)
{
    job_cnn_t *j = (job_cnn_t *)job;
    const char *choices;
    status_t st;

    (void)version;
    if (task == 0) {
        st = job_cnn_restore_curves(j, data, len, &choices);
        return st == ST_OK && job_cnn_trains(j) ? create_trainer(j, choices) : st;
    }
    if (len != (size_t)tensor_bytes(j, (int)task - 1))
        return job_refuse(job, task);
    return job_cnn_trains(j) ? cnn_trainer_put(j->trainer, (int)task - 1, data) : ST_OK;
}
