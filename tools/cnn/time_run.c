/*
 * time_run.c - windows of iterations.
 */
#include "tools/cnn/cnn_times.h"

#include "cnn/memory/swap_program.h"
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

/* What is run: all steps, those of a kind, or those of an operation. */
enum { ALL = CNN_N_KINDS, OF_OP };

static bool is_of(const cnn_step_t *s, int what)
{
    return what >= OF_OP ? (int)s->op == what - OF_OP : (int)cnn_op_kind(s->op) == what;
}

/* Steps that run as one count for their first one. */
static status_t run_once(const runner_t *r, int what, int64_t iteration)
{
    const cnn_iteration_t now = {.iteration = iteration,
                                 .seed = r->opts->seed,
                                 .n_images = r->program->tensors[0].size[0]};
    status_t st = ST_OK;
    int end;

    if (what == ALL)
        return r->backend->run(r->state, 0, r->n_steps, &now);
    for (int s = 0; st == ST_OK && s < r->n_steps; s = end) {
        end = group_end(r, s);
        if (is_of(&r->program->steps[s], what))
            st = r->backend->run(r->state, s, end, &now);
    }
    return st;
}

static status_t run_many(const runner_t *r, int what, int64_t n, double *seconds)
{
    const double start = clock_now_s();
    status_t st = ST_OK;

    for (int64_t i = 0; st == ST_OK && i < n; i++)
        st = run_once(r, what, i);
    if (st == ST_OK)
        st = r->backend->wait(r->state);
    *seconds = clock_now_s() - start;
    return st;
}

/* Add up operations and bytes of what is run. */
static void add_costs(const runner_t *r, int what, time_run_t *out)
{
    int end;

    out->flops = out->bytes = 0;
    for (int s = 0; s < r->n_steps; s = end) {
        const cnn_step_t *first = &r->program->steps[s];

        end = group_end(r, s);
        for (int k = s; k < end && (what == ALL || is_of(first, what)); k++) {
            const cnn_step_t *step = &r->program->steps[k];
            const bool is_copy = cnn_op_kind(step->op) == CNN_KIND_COPY;

            out->flops += step->flops;
            out->bytes += is_copy ? step->bytes / 2 : step->bytes;
        }
    }
}

static bool has(const runner_t *r, int what)
{
    for (int s = 0; s < r->n_steps; s = group_end(r, s))
        if (is_of(&r->program->steps[s], what))
            return true;
    return false;
}

/* Find the number of iterations of a window. */
static status_t probe(const runner_t *r, int what, int64_t *n)
{
    double seconds = 0;
    status_t st = run_many(r, what, WARM_UP, &seconds);

    for (*n = 1; st == ST_OK; *n *= 2) {
        if ((st = run_many(r, what, *n, &seconds)) == ST_OK && seconds >= probe_s)
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

static status_t measure(const runner_t *r, int what, const char *layers, time_run_t *out)
{
    double gpu[TIME_RUN_WINDOWS_MAX], cpu[TIME_RUN_WINDOWS_MAX],
        idle[TIME_RUN_WINDOWS_MAX];
    const int n_windows = r->opts->n_windows;
    int64_t n = 1;
    status_t st = probe(r, what, &n);

    out->layers = layers;
    for (int w = 0; st == ST_OK && w < n_windows; w++) {
        energy_window_t window;

        energy_meter_begin(r->opts->meter);
        st = run_many(r, what, n, &out->seconds[w]);
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
    add_costs(r, what, out);
    median(out->seconds, n_windows);
    out->gpu_j = median(gpu, n_windows);
    out->gpu_spread = gpu[n_windows - 1] / gpu[0] - 1;
    out->cpu_j = median(cpu, n_windows);
    out->cpu_idle = median(idle, n_windows);
    return ST_OK;
}

/* ---- programs ---- */

static status_t open_runner(const time_run_opts_t *opts, const cnn_context_t *context,
                            runner_t *out)
{
    status_t st;

    *out = (runner_t){.opts = opts,
                      .program = context->program,
                      .backend = opts->backend,
                      .n_steps = context->program->n_steps};
    if ((st = out->backend->create(context, &out->state)) != ST_OK)
        return st;
    if ((st = fill(out)) != ST_OK)
        out->backend->destroy(out->state);
    return st;
}

static status_t measure_whole(runner_t *r, buf_t *choices, time_run_t *out, int *n)
{
    const int n_steps = r->program->n_forward + r->program->n_backward;
    status_t st = ST_OK;

    if (n_steps < r->program->n_steps) {
        r->n_steps = n_steps;
        st = measure(r, ALL, time_all, &out[(*n)++]);
        r->n_steps = r->program->n_steps;
    }
    if (st == ST_OK)
        st = measure(r, ALL, time_training, &out[(*n)++]);
    for (int k = 0; st == ST_OK && r->opts->is_by_kind && k < CNN_N_KINDS; k++)
        if (has(r, k))
            st = measure(r, k, cnn_kind_name((cnn_kind_t)k), &out[(*n)++]);
    return st == ST_OK && choices != NULL ? r->backend->choices(r->state, choices) : st;
}

/* Measure copies of a program that moves as much as any: that of the least memory. */
static status_t measure_copies(const time_run_opts_t *opts, time_run_t *out, int *n)
{
    static const cnn_op_t ops[] = {CNN_FETCH, CNN_EVICT};
    const swap_opts_t swap = {.policy = SWAP_DEMAND, .keep_bytes = SWAP_KEEP_BYTES};
    cnn_context_t context = *opts->context;
    cnn_program_t *least = NULL;
    swap_need_t need;
    runner_t r;
    status_t st = swap_program_need(context.program, &swap, &need);

    if (st == ST_OK)
        st = swap_program_make(context.program, &swap, need.arena_bytes, &least);
    context.program = least;
    if (st == ST_OK && least->swap_bytes > 0 &&
        (st = open_runner(opts, &context, &r)) == ST_OK) {
        for (int i = 0; st == ST_OK && i < 2; i++)
            if (has(&r, OF_OP + (int)ops[i]))
                st = measure(&r, OF_OP + (int)ops[i], cnn_op_name(ops[i]), &out[(*n)++]);
        r.backend->destroy(r.state);
    }
    cnn_program_destroy(least);
    return st;
}

status_t time_run_measure(const time_run_opts_t *opts, buf_t *choices, time_run_t *out,
                          int *n_out)
{
    int n = 0;
    runner_t r;
    status_t st = open_runner(opts, opts->context, &r);

    if (st != ST_OK)
        return st;
    st = measure_whole(&r, choices, out, &n);
    r.backend->destroy(r.state);
    if (st == ST_OK && opts->is_by_kind && r.program->swap_bytes == 0)
        st = measure_copies(opts, out, &n);
    *n_out = n;
    return st;
}
