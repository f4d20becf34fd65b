/*
 * batch_split.c - parts of a batch by weights, or by speeds that are measured.
 */
#include "worker/cnn/batch_split.h"

#include "cnn/solve/cnn_runner.h"
#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "io/base/plural.h"
#include "worker/bind.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WEIGHT = 1000000 };

static const double min_gain = 1.02;

/* ---- weights ---- */

static bool is_auto(const char *text)
{
    return strcmp(text, "auto") == 0;
}

/* Read "A:B:...". @param weights  NULL, or [n] @return n; 0: it is no such text */
static int parse(const char *text, double *weights)
{
    int n = 0;

    for (const char *at = text;; n++) {
        char *end;
        const long value = *at >= '0' && *at <= '9' ? strtol(at, &end, 10) : 0;

        if (value < 1 || value > MAX_WEIGHT)
            return 0;
        if (weights != NULL)
            weights[n] = (double)value;
        if (*end == '\0')
            return n + 1;
        if (*end != ':')
            return 0;
        at = end + 1;
    }
}

status_t batch_split_check(const char *text, char why[JOB_OPTS_WHY_BYTES])
{
    return text == NULL || is_auto(text) || parse(text, NULL) > 0
               ? ST_OK
               : job_opts_misuse(why,
                                 "--split %.40s: give auto, or a whole number from 1 to "
                                 "%d for each rank, such as 3:1",
                                 text, MAX_WEIGHT);
}

void batch_split_divide(int64_t batch, const double *weights, int n_ranks, int64_t *parts)
{
    double sum = 0;
    int64_t left = batch;

    for (int r = 0; r < n_ranks; r++)
        sum += weights[r];
    for (int r = 0; r < n_ranks; r++) {
        const int64_t part = (int64_t)((double)batch * weights[r] / sum);

        left -= parts[r] = part > 0 ? part : 1;
    }
    while (left != 0) { /* to, or from, the rank that it leaves closest to its weight */
        const int64_t one = left > 0 ? 1 : -1;
        double best = 0;
        int at = -1;

        for (int r = 0; r < n_ranks; r++) {
            const double lacks =
                (double)one * ((double)batch * weights[r] / sum - (double)parts[r]);

            if (parts[r] + one >= 1 && (at < 0 || lacks > best)) {
                best = lacks;
                at = r;
            }
        }
        parts[at] += one;
        left -= one;
    }
}

static int64_t sum_before(const int64_t *parts, int rank)
{
    int64_t sum = 0;

    for (int r = 0; r < rank; r++)
        sum += parts[r];
    return sum;
}

static status_t by_weights(const exchange_t *x, const cnn_net_t *net, const char *text,
                           batch_split_t *out)
{
    const int n = parse(text, NULL);
    double *weights;

    if (n != x->n_ranks) {
        log_error("--split %.40s has %d weight%s, and the number of ranks is %d; give a "
                  "weight for each",
                  text, n, plural(n), x->n_ranks);
        return ST_EUSAGE;
    }
    weights = malloc((size_t)n * sizeof(*weights));
    out->parts = malloc((size_t)n * sizeof(*out->parts));
    if (weights == NULL || out->parts == NULL) {
        free(weights);
        return log_nomem("parts of a batch");
    }
    (void)parse(text, weights);
    batch_split_divide(net->solver.batch, weights, n, out->parts);
    out->first = sum_before(out->parts, x->rank);
    free(weights);
    return ST_OK;
}

/* ---- speeds ---- */

/* Run forward and backward steps for a while, after some that are slower. */
static status_t run_steps(const cnn_runner_t *r, double *seconds)
{
    enum { WARM_UP = 3, MIN_RUNS = 3 };
    const double window_s = 0.5;
    const cnn_program_t *p = r->program;
    const cnn_iteration_t now = {.n_images = r->batch};
    double start = 0, passed = 0;
    status_t st = ST_OK;
    int n = 0;

    for (int i = 0; st == ST_OK && (n < MIN_RUNS || passed < window_s); i++) {
        if (i == WARM_UP)
            start = clock_now_s();
        if ((st = r->backend->run(r->state, 0, p->n_forward + p->n_backward, &now)) ==
            ST_OK)
            st = r->backend->wait(r->state);
        if (i >= WARM_UP) {
            n++;
            passed = clock_now_s() - start;
        }
    }
    *seconds = passed / n;
    return st;
}

static status_t measure(const cnn_net_t *net, const cnn_opts_t *opts, int64_t n_images,
                        double *images_per_s)
{
    const binding_t *b = opts->common.binding;
    const char *kernel = opts->common.kernel;
    const cnn_plan_options_t how = {n_images, opts->number, CNN_PLAN_TRAINING,
                                    opts->place == CNN_PLACE_AUTO ? CNN_PLACE_DEVICE
                                                                  : opts->place,
                                    false};
    cnn_context_t context = {.device = &b->device};
    cnn_program_t *program = NULL;
    cnn_runner_t runner = {.program = NULL};
    pool_t *pool = NULL;
    double seconds = 0;
    status_t st = cnn_plan_compile(net, &how, &program);

    if (st == ST_OK)
        st = pool_create(b->n_threads, &pool);
    context.program = program;
    context.pool = pool;
    if (st == ST_OK)
        st = cnn_runner_create(&context, strcmp(kernel, "auto") != 0 ? kernel : NULL,
                               NULL, &runner);
    if (st == ST_OK && (st = run_steps(&runner, &seconds)) == ST_OK)
        *images_per_s = (double)n_images / seconds;
    cnn_runner_destroy(&runner);
    pool_destroy(pool);
    cnn_program_destroy(program);
    return st;
}

/* Estimate how long the sums of all gradients take: they go to the other ranks and come
 * back. */
static status_t measure_sums(exchange_t *x, const cnn_net_t *net, double *seconds)
{
    enum { MAX_BYTES = 16 << 20 };
    const cnn_plan_options_t how = {1, CNN_PLAN_FP32, CNN_PLAN_TRAINING, CNN_PLACE_DEVICE,
                                    false};
    cnn_program_t *program = NULL;
    double bytes = 0, start;
    void *data = NULL;
    size_t len = 0;
    status_t st = cnn_plan_compile(net, &how, &program);

    for (int t = 0; st == ST_OK && t < program->n_tensors; t++)
        if (program->tensors[t].role == CNN_PARAMETER)
            bytes += (double)cnn_tensor_bytes(&program->tensors[t]);
    cnn_program_destroy(program);
    len = bytes < MAX_BYTES ? (size_t)bytes + 1 : MAX_BYTES;
    if (st == ST_OK && (data = calloc(1, len)) == NULL)
        st = log_nomem("parts of a batch");
    if ((st = exchange_agree(x, st)) == ST_OK &&
        (st = x->broadcast(x, data, len)) == ST_OK) { /* the first one is slower */
        start = clock_now_s();
        if ((st = x->broadcast(x, data, len)) == ST_OK)
            st = exchange_agree(x, ST_OK); /* until all ranks have it */
        *seconds = 2 * (clock_now_s() - start) * bytes / (double)len;
    }
    free(data);
    return st;
}

status_t batch_split_decide(int64_t batch, const batch_split_rate_t *rates, int n_ranks,
                            int rank, batch_split_t *out, double *gain)
{
    double *weights = calloc((size_t)n_ranks, sizeof(*weights));
    int64_t *parts = malloc((size_t)n_ranks * sizeof(*parts));
    double slowest = 0;
    int best = 0;

    if (weights == NULL || parts == NULL) {
        free(weights);
        free(parts);
        return log_nomem("parts of a batch");
    }
    for (int r = 0; r < n_ranks; r++) {
        weights[r] = rates[r].images_per_s;
        best = weights[r] > weights[best] ? r : best;
    }
    batch_split_divide(batch, weights, n_ranks, parts);
    for (int r = 0; r < n_ranks; r++)
        if ((double)parts[r] / weights[r] > slowest)
            slowest = (double)parts[r] / weights[r];
    *gain = (double)batch / weights[best] / (slowest + rates[0].sums_s);
    *out = *gain < min_gain
               ? (batch_split_t){.is_alone = true, .lead = best}
               : (batch_split_t){.parts = parts, .first = sum_before(parts, rank)};
    if (out->is_alone)
        free(parts);
    free(weights);
    return ST_OK;
}

/* Log what was chosen, in words that --split takes. */
static status_t report(const exchange_t *x, const batch_split_rate_t *rates,
                       const batch_split_t *s, double gain)
{
    buf_t text = {0};
    status_t st = ST_OK;

    for (int r = 0; st == ST_OK && r < x->n_ranks; r++)
        st = buf_printf(&text, "%s%.1f", r > 0 ? ", " : "", rates[r].images_per_s);
    if (st == ST_OK)
        st = buf_printf(&text, " images/s");
    if (st == ST_OK && s->is_alone)
        st = buf_printf(&text,
                        ": rank %d trains alone, because parts would train at "
                        "%.2f times its speed, less than %.2f",
                        s->lead, gain, min_gain);
    for (int r = 0; st == ST_OK && !s->is_alone && r < x->n_ranks; r++)
        st = buf_printf(&text, "%s%" PRId64, r > 0 ? ":" : ": --split ", s->parts[r]);
    if (st == ST_OK && !s->is_alone)
        st = buf_printf(&text, ", %.2f times the fastest rank alone", gain);
    if (st == ST_OK && x->rank == 0)
        log_info("--split auto: %.*s", (int)text.len, (const char *)text.data);
    buf_free(&text);
    return st;
}

static status_t by_speed(exchange_t *x, const cnn_net_t *net, const cnn_opts_t *opts,
                         batch_split_t *out)
{
    const size_t n = (size_t)x->n_ranks;
    batch_split_rate_t mine = {0, 0}, *all = malloc(n * sizeof(*all));
    double gain = 0;
    status_t st = all != NULL ? measure_sums(x, net, &mine.sums_s)
                              : exchange_agree(x, log_nomem("parts of a batch"));

    if (all == NULL)
        return st;
    if (st == ST_OK)
        st = exchange_agree(x, measure(net, opts, net->solver.batch / x->n_ranks,
                                       &mine.images_per_s));
    if (st == ST_OK)
        st = x->allgather(x, &mine, sizeof(mine), all);
    if (st == ST_OK)
        st = batch_split_decide(net->solver.batch, all, x->n_ranks, x->rank, out, &gain);
    if (st == ST_OK)
        st = report(x, all, out, gain);
    free(all);
    return exchange_agree(x, st);
}

status_t batch_split_make(exchange_t *x, const cnn_net_t *net, const cnn_opts_t *opts,
                          batch_split_t *out)
{
    const bool measures = is_auto(opts->split);

    if (net->solver.batch < x->n_ranks) {
        if (x->rank == 0)
            log_error("batches of %d images cannot be split among %d ranks; give a "
                      "larger --batch",
                      net->solver.batch, x->n_ranks);
        return ST_EINPUT;
    }
    if (!measures && x->rank == 0)
        return exchange_agree(x, by_weights(x, net, opts->split, out));
    if (!measures) /* rank 0 says what is wrong */
        return exchange_agree(x, parse(opts->split, NULL) == x->n_ranks
                                     ? by_weights(x, net, opts->split, out)
                                     : ST_OK);
    return x->n_ranks > 1 && opts->common.binding != NULL ? by_speed(x, net, opts, out)
                                                          : ST_OK;
}

void batch_split_free(batch_split_t *s)
{
    free(s->parts);
    *s = (batch_split_t){.lead = 0};
}
