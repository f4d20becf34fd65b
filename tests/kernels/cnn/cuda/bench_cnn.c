/*
 * bench_cnn.c - images per second of forward and backward passes, on random images.
 *
 * usage: bench_cnn NET[,NET...] BATCH[,BATCH...] TYPE[,TYPE...] BACKEND[,BACKEND...]
 *                  [--kinds] [--choices] [--windows N] [--any-order]
 *        TYPE: fp32, tf32 or bf16; BACKEND: a name, or cpu:NAME for one of the CPU
 *        --kinds: then each kind of layer alone, its steps one by one; steps that run as
 *        one count for the kind of the first
 *        --choices: print the algorithms
 *
 * A line: net/type/backend[/kind], device, batch, minimum, median and maximum seconds of
 * an iteration over windows of at least WINDOW_S, images per second by the median, TFLOP
 * per second.
 */
#include "cnn/net/cnn_net.h"
#include "cnn/plan/cnn_plan.h"
#include "io/base/clock.h"
#include "io/base/rng.h"
#include "kernels/cnn/common/cnn_value.h"
#include "kernels/cnn/engine/cnn_engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_S 0.25

enum {
    MAX_WINDOWS = 99,
    MAX_NAME = 200,
    PERIOD = 65521 /* of random values: drawing all of them takes seconds */
};

typedef struct {
    const cnn_backend_t *backend;
    const cnn_program_t *program;
    const device_t *device;
    void *state;
    int64_t n_images;
    int n_windows;
    char name[MAX_NAME];
} bench_t;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The end of the steps that run as one with step `first` */
static int group_end(const bench_t *b, int first)
{
    int n_steps = b->program->n_forward + b->program->n_backward;

    return b->backend->group == NULL ? first + 1
                                     : b->backend->group(b->state, first, n_steps);
}

/* One iteration, or one pass over the steps of a kind. @param kind  CNN_N_KINDS: all */
static status_t run(bench_t *b, cnn_kind_t kind, int64_t iteration)
{
    const cnn_iteration_t it = {.iteration = iteration,
                                .seed = 1,
                                .rate = 0,
                                .first_image = 0,
                                .n_images = b->n_images};
    int n_steps = b->program->n_forward + b->program->n_backward;
    status_t st = ST_OK;

    if (kind == CNN_N_KINDS)
        return b->backend->run(b->state, 0, n_steps, &it);
    for (int s = 0, end; st == ST_OK && s < n_steps; s = end) {
        end = group_end(b, s);
        if (cnn_op_kind(b->program->steps[s].op) == kind)
            st = b->backend->run(b->state, s, end, &it);
    }
    return st;
}

static status_t run_many(bench_t *b, cnn_kind_t kind, int n, double *seconds)
{
    double start = clock_now_s();
    status_t st = ST_OK;

    for (int i = 0; st == ST_OK && i < n; i++)
        st = run(b, kind, i);
    if (st == ST_OK)
        st = b->backend->wait(b->state);
    *seconds = clock_now_s() - start;
    return st;
}

static double flops(const bench_t *b, cnn_kind_t kind)
{
    double sum = 0;

    for (int s = 0, end; s < b->program->n_forward + b->program->n_backward; s = end) {
        cnn_kind_t first = cnn_op_kind(b->program->steps[s].op);

        for (end = group_end(b, s); s < end; s++)
            if (kind == CNN_N_KINDS || first == kind)
                sum += b->program->steps[s].flops;
    }
    return sum;
}

static status_t measure(bench_t *b, cnn_kind_t kind)
{
    double windows[MAX_WINDOWS], seconds = 0;
    int n = 1;
    status_t st = run_many(b, kind, 3, &seconds); /* the first is captured as a graph */

    while (st == ST_OK && seconds < WINDOW_S) {
        n = seconds > 0.01 ? (int)(n * 1.1 * WINDOW_S / seconds) + 1 : 4 * n;
        st = run_many(b, kind, n, &seconds);
    }
    for (int w = 0; st == ST_OK && w < b->n_windows; w++) {
        st = run_many(b, kind, n, &seconds);
        windows[w] = seconds / n;
    }
    if (st != ST_OK)
        return st;
    qsort(windows, (size_t)b->n_windows, sizeof(*windows), by_value);
    printf("%s%s%s\t%s\t%lld\t%.3e\t%.3e\t%.3e\t%.1f\t%.1f\n", b->name,
           kind < CNN_N_KINDS ? "/" : "", kind < CNN_N_KINDS ? cnn_kind_name(kind) : "",
           b->device->name, (long long)b->n_images, windows[0], windows[b->n_windows / 2],
           windows[b->n_windows - 1], (double)b->n_images / windows[b->n_windows / 2],
           flops(b, kind) / windows[b->n_windows / 2] * 1e-12);
    fflush(stdout);
    return ST_OK;
}

/* @param start  of parameters and states */
static double draw(const cnn_net_t *net, const cnn_tensor_t *t, cnn_plan_start_t start,
                   rng_t *rng)
{
    double uniform = (double)(rng_next(rng) >> 11) * 0x1p-52 - 1;

    if (t->role == CNN_LABELS)
        return (double)rng_below(rng, (uint64_t)net->n_classes);
    if (t->role != CNN_PARAMETER && t->role != CNN_STATE)
        return uniform;
    return start.kind == CNN_START_CONSTANT  ? start.value
           : start.kind == CNN_START_UNIFORM ? uniform * start.value
                                             : uniform * sqrt(3) * start.value;
}

static status_t fill(bench_t *b, const cnn_net_t *net)
{
    rng_t rng = rng_seed(1);
    status_t st = ST_OK;

    for (int t = 0; st == ST_OK && t < b->program->n_tensors; t++) {
        const cnn_tensor_t *tensor = &b->program->tensors[t];
        size_t n = (size_t)cnn_tensor_n(tensor), bytes = cnn_type_bytes(tensor->type);
        cnn_plan_start_t start = {CNN_START_CONSTANT, 0};
        void *values;

        if (tensor->role >= CNN_OUTPUT)
            continue;
        if ((values = malloc(cnn_tensor_bytes(tensor))) == NULL)
            return ST_ENOMEM;
        if (tensor->role == CNN_PARAMETER || tensor->role == CNN_STATE)
            start = cnn_plan_start(net, b->program, t);
        for (size_t i = 0; i < n; i++) {
            double x;

            if (i >= PERIOD) {
                memcpy((char *)values + i * bytes, (char *)values + (i - PERIOD) * bytes,
                       bytes);
                continue;
            }
            x = draw(net, tensor, start, &rng);
            cnn_value_store(tensor->type, 1, &x, (char *)values + i * bytes);
        }
        st = b->backend->write(b->state, t, values);
        free(values);
    }
    return st;
}

typedef struct {
    const char *nets, *batches, *types, *backends;
    bool kinds, choices, any_order;
    int n_windows;
} options_t;

static status_t bench(const options_t *o, bench_t *b, const cnn_net_t *net)
{
    cnn_context_t context = {.device = b->device,
                             .program = b->program,
                             .any_order = o->any_order};
    buf_t chosen = {0};
    double start = clock_now_s();
    status_t st;

    if (b->device->kind == DEVICE_CPU &&
        (st = pool_create(b->device->n_cores, &context.pool)) != ST_OK)
        return st;
    if ((st = b->backend->create(&context, &b->state)) == ST_OK) {
        fprintf(stderr, "%s: created in %.1f s\n", b->name, clock_now_s() - start);
        if ((st = fill(b, net)) == ST_OK)
            st = measure(b, CNN_N_KINDS);
        for (int k = 0; st == ST_OK && o->kinds && k < CNN_N_KINDS; k++)
            if (flops(b, (cnn_kind_t)k) > 0)
                st = measure(b, (cnn_kind_t)k);
        if (st == ST_OK && o->choices &&
            (st = b->backend->choices(b->state, &chosen)) == ST_OK)
            fprintf(stderr, "%.*s", (int)chosen.len, (const char *)chosen.data);
        buf_free(&chosen);
        b->backend->destroy(b->state);
    }
    pool_destroy(context.pool);
    return st;
}

static bool find_device(const char **backend, device_t *out)
{
    device_t gpus[DEVICES_MAX];

    if (strncmp(*backend, "cpu:", 4) == 0) {
        *backend += 4;
        *out = device_cpu();
        return true;
    }
    if (device_list_cuda(gpus) == 0) {
        fprintf(stderr, "%s\n", device_cuda_absence());
        return false;
    }
    *out = gpus[0];
    return true;
}

static bool bench_named(const options_t *o, const char *net_name, const char *batch,
                        const char *type, const char *backend)
{
    static const char *const types[] = {"fp32", "tf32", "bf16"};
    cnn_plan_options_t plan = {.n_images = atoll(batch)};
    cnn_net_t *net = NULL;
    cnn_program_t *program = NULL;
    device_t device;
    bench_t b = {.n_images = plan.n_images, .n_windows = o->n_windows, .device = &device};
    bool ok = false;

    snprintf(b.name, sizeof(b.name), "%s/%s/%s", net_name, type, backend);
    while (plan.types < CNN_PLAN_BF16 && strcmp(types[plan.types], type) != 0)
        plan.types++;
    if (find_device(&backend, &device) && cnn_net_read(net_name, 0, &net) == ST_OK &&
        cnn_plan_compile(net, &plan, &program) == ST_OK) {
        const cnn_context_t context = {.device = &device, .program = program};

        b.program = program;
        ok = cnn_engine_choose(&context, backend, &b.backend) == ST_OK &&
             bench(o, &b, net) == ST_OK;
    }
    cnn_program_destroy(program);
    cnn_net_destroy(net);
    if (!ok)
        printf("%s\tFAILED\n", b.name);
    return ok;
}

/* The next name of a list. @param list  moves on; @return whether there is one */
static bool next_name(const char **list, char *name)
{
    size_t len = strcspn(*list, ",");

    snprintf(name, MAX_NAME / 4, "%.*s", (int)len, *list);
    *list += len + ((*list)[len] == ',');
    return len > 0;
}

static bool bench_all(const options_t *o)
{
    char net[MAX_NAME / 4], batch[MAX_NAME / 4], type[MAX_NAME / 4],
        backend[MAX_NAME / 4];
    bool ok = true;

    for (const char *n = o->nets; next_name(&n, net);)
        for (const char *i = o->batches; next_name(&i, batch);)
            for (const char *t = o->types; next_name(&t, type);)
                for (const char *b = o->backends; next_name(&b, backend);)
                    ok = bench_named(o, net, batch, type, backend) && ok;
    return ok;
}

int main(int argc, char **argv)
{
    options_t o = {.n_windows = 5};

    if (argc < 5) {
        fprintf(stderr, "usage: bench_cnn NETS BATCHES TYPES BACKENDS [--kinds] "
                        "[--choices] [--windows N] [--any-order]\n");
        return 2;
    }
    o.nets = argv[1];
    o.batches = argv[2];
    o.types = argv[3];
    o.backends = argv[4];
    for (int i = 5; i < argc; i++) {
        o.kinds = o.kinds || strcmp(argv[i], "--kinds") == 0;
        o.choices = o.choices || strcmp(argv[i], "--choices") == 0;
        o.any_order = o.any_order || strcmp(argv[i], "--any-order") == 0;
        if (strcmp(argv[i], "--windows") == 0 && i + 1 < argc)
            o.n_windows = atoi(argv[++i]);
    }
    if (o.n_windows < 1 || o.n_windows > MAX_WINDOWS)
        return 2;
    return bench_all(&o) ? EXIT_SUCCESS : EXIT_FAILURE;
}
