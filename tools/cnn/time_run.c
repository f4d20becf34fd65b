/*
 * time_run.c - windows of iterations.
 */
#include "tools/cnn/cnn_times.h"

#include "cnn/solve/initial_values.h"
#include "io/base/clock.h"
#include "io/base/compare.h"
#include "io/base/logmsg.h"
#include "io/base/rng.h"

#include <math.h>
#include <stdlib.h>

enum { WARM_UP = 3 }; /* a backend may record the second run and repeat it from then on */

/* Long enough to tell how many iterations a window has. */
static const double probe_s = 0.1;

typedef struct {
    const time_run_opts_t *opts;
    const cnn_program_t *program;
    const cnn_backend_t *backend; /* that of the options */
    void *state;
    int n_steps; /* of an iteration: forward, backward, and perhaps the update */
} runner_t;

/* ---- tensors ---- */

static void draw(const runner_t *r, int tensor, rng_t *rng, void *values)
{
    const cnn_tensor_t *t = &r->program->tensors[tensor];
    const int64_t n = cnn_tensor_n(t);
    const uint64_t n_classes = (uint64_t)r->opts->net->n_classes;

    if (t->role == CNN_PARAMETER || t->role == CNN_STATE) {
        initial_values_draw(r->opts->net, r->program, tensor, r->opts->seed,
                            r->opts->context->pool, values);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        if (t->role == CNN_LABELS)
            ((int32_t *)values)[i] = (int32_t)rng_below(rng, n_classes);
        else
            ((float *)values)[i] = (float)(rng_next(rng) >> 40) * 0x1p-24F;
}

static status_t fill(runner_t *r)
{
    rng_t rng = rng_seed(r->opts->seed);
    status_t st = ST_OK;

    for (int i = 0; st == ST_OK && i < r->program->n_tensors; i++) {
        const cnn_tensor_t *t = &r->program->tensors[i];
        void *values;

        if (t->role >= CNN_OUTPUT)
            continue;
        if ((values = malloc(cnn_tensor_bytes(t))) == NULL)
            return log_nomem("a network");
        draw(r, i, &rng, values);
        st = r->backend->write(r->state, i, values);
        free(values);
    }
    return st;
}

/* ---- runs ---- */

/* @return the end of the steps that the backend runs as one with step s */
static int group_end(const runner_t *r, int s)
{
    return r->backend->group != NULL ? r->backend->group(r->state, s, r->n_steps) : s + 1;
}

/* Run all steps, or those of a kind; steps that run as one count for their first one. */
static status_t run_once(const runner_t *r, cnn_kind_t kind, int64_t iteration)
{
    const cnn_iteration_t now = {.iteration = iteration,
                                 .seed = r->opts->seed,
                                 .n_images = r->program->tensors[0].size[0]};
    status_t st = ST_OK;
    int end;

    if (kind == CNN_N_KINDS)
        return r->backend->run(r->state, 0, r->n_steps, &now);
    for (int s = 0; st == ST_OK && s < r->n_steps; s = end) {
        end = group_end(r, s);
        if (cnn_op_kind(r->program->steps[s].op) == kind)
            st = r->backend->run(r->state, s, end, &now);
    }
    return st;
}

static status_t run_many(const runner_t *r, cnn_kind_t kind, int64_t n, double *seconds)
{
    const double start = clock_now_s();
    status_t st = ST_OK;

    for (int64_t i = 0; st == ST_OK && i < n; i++)
        st = run_once(r, kind, i);
    if (st == ST_OK)
        st = r->backend->wait(r->state);
    *seconds = clock_now_s() - start;
    return st;
}

static double flops_of(const runner_t *r, cnn_kind_t kind)
{
    double sum = 0;
    int end;

    for (int s = 0; s < r->n_steps; s = end) {
        const cnn_kind_t first = cnn_op_kind(r->program->steps[s].op);

        end = group_end(r, s);
        for (int k = s; k < end; k++)
            if (kind == CNN_N_KINDS || first == kind)
                sum += r->program->steps[k].flops;
    }
    return sum;
}

static bool has_kind(const runner_t *r, cnn_kind_t kind)
{
    for (int s = 0; s < r->n_steps; s = group_end(r, s))
        if (cnn_op_kind(r->program->steps[s].op) == kind)
            return true;
    return false;
}

/* Find the number of iterations of a window. */
static status_t probe(const runner_t *r, cnn_kind_t kind, int64_t *n)
{
    double seconds = 0;
    status_t st = run_many(r, kind, WARM_UP, &seconds);

    for (*n = 1; st == ST_OK; *n *= 2) {
        if ((st = run_many(r, kind, *n, &seconds)) == ST_OK && seconds >= probe_s)
            break;
    }
    *n = (int64_t)ceil((double)*n * r->opts->window_s / seconds);
    return st;
}

static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof(*values), compare_double);
    return values[n / 2];
}

static status_t measure(const runner_t *r, cnn_kind_t kind, const char *layers,
                        time_run_t *out)
{
    double gpu[TIME_RUN_WINDOWS_MAX], cpu[TIME_RUN_WINDOWS_MAX],
        idle[TIME_RUN_WINDOWS_MAX];
    const int n_windows = r->opts->n_windows;
    int64_t n = 1;
    status_t st = probe(r, kind, &n);

    out->layers = layers;
    for (int w = 0; st == ST_OK && w < n_windows; w++) {
        energy_window_t window;

        energy_meter_begin(r->opts->meter);
        st = run_many(r, kind, n, &out->seconds[w]);
        if (w == n_windows - 1)
            out->gpu_mhz = energy_meter_clock_mhz(r->opts->meter);
        window = energy_meter_end(r->opts->meter);
        out->seconds[w] /= (double)n;
        gpu[w] = window.gpu_j / (double)n;
        cpu[w] = window.cpu_j / (double)n;
        idle[w] = window.cpu_idle;
    }
    if (st != ST_OK)
        return st;
    out->flops = flops_of(r, kind);
    median(out->seconds, n_windows);
    out->gpu_j = median(gpu, n_windows);
    out->gpu_spread = gpu[n_windows - 1] / gpu[0] - 1;
    out->cpu_j = median(cpu, n_windows);
    out->cpu_idle = median(idle, n_windows);
    return ST_OK;
}

status_t time_run_measure(const time_run_opts_t *opts, buf_t *choices, time_run_t *out,
                          int *n_out)
{
    runner_t r = {.opts = opts,
                  .program = opts->context->program,
                  .backend = opts->backend};
    int n = 0;
    status_t st = r.backend->create(opts->context, &r.state);

    if (st != ST_OK)
        return st;
    r.n_steps = r.program->n_forward + r.program->n_backward;
    if ((st = fill(&r)) == ST_OK && r.n_steps < r.program->n_steps)
        st = measure(&r, CNN_N_KINDS, time_all, &out[n++]);
    r.n_steps = r.program->n_steps;
    if (st == ST_OK)
        st = measure(&r, CNN_N_KINDS, time_training, &out[n++]);
    for (int k = 0; st == ST_OK && opts->is_by_kind && k < CNN_N_KINDS; k++)
        if (has_kind(&r, (cnn_kind_t)k))
            st = measure(&r, (cnn_kind_t)k, cnn_kind_name((cnn_kind_t)k), &out[n++]);
    if (st == ST_OK && choices != NULL)
        st = r.backend->choices(r.state, choices);
    r.backend->destroy(r.state);
    *n_out = n;
    return st;
}
