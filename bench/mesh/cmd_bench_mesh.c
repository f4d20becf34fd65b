/*
 * cmd_bench_mesh.c - `ribogrid-bench mesh`: times triangulation and refinement of points
 * in memory, and verifies the mesh.
 */
#include "bench/options/benchmarks.h"
#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "io/mesh/mesh_make.h"
#include "kernels/mesh/mesh_build.h"
#include "kernels/mesh/mesh_check.h"
#include "kernels/registry/backends.h"
#include "tools/options/option_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

enum { RUNS_MAX = 100 };

typedef struct {
    job_opts_t common;
    const char *input;
    int64_t n_points, seed, n_runs;
    double angle;
    int steiner; /* 0: off-centres */
    int variant; /* mesh_variant_t, or MESH_VARIANTS: those of the device */
} args_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t words[] = {{OPTION_INPUT, "[IN.poly|IN.node]", 0, AT(input),
                                  .is_optional = true},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {OPTION_INT, "points", 0, AT(n_points), "N", "random points without an input ({})", 4,
     MESH_MAX_POINTS},
    {.kind = OPTION_TABLE, AT(seed), .table = option_seed},
    {.word = WORD_ANGLE, AT(angle), .help = " ({})"},
    {OPTION_CHOICE, "steiner", 0, AT(steiner), "offcenter|circumcenter",
     "new points ({})"},
    {.word = WORD_VARIANT,
     AT(variant),
     .value = "rounds|base|atomic|3-phase|stealing|dpar|all",
     .help = " ({})"},
    {.word = WORD_DEVICE, AT(common.device)},
    {.word = WORD_THREADS, AT(common.n_threads), .help = " ({})"},
    {.word = WORD_RUNS,
     AT(n_runs),
     .max = RUNS_MAX,
     .help = ", after one to warm up ({})"},
    {.kind = OPTION_END}};

/* Seconds of runs, and of all processors together. */
typedef struct {
    double build[RUNS_MAX], refine[RUNS_MAX], build_cpu[RUNS_MAX], refine_cpu[RUNS_MAX];
    double kernels[RUNS_MAX]; /* of a GPU */
} seconds_t;

/* @param b  out: freed by the caller, also after an error */
static status_t run_once(const args_t *a, const mesh_data_t *d, const device_t *device,
                         pool_t *pool, int64_t k, seconds_t *out, int64_t *n_before,
                         mesh_build_t *b)
{
    const mesh_refine_spec_t spec = {.backend = (const mesh_backend_t *)
                                         backend_find(&mesh_table, "auto", device->kind),
                                     .device = device,
                                     .min_angle = a->angle,
                                     .off_center = a->steiner == 0,
                                     .variant = (mesh_variant_t)a->variant};
    const double begin = clock_now_s(),
                 begin_cpu = bench_processor_s(CLOCK_PROCESS_CPUTIME_ID);
    double built, built_cpu;
    mesh_refine_report_t report = {.n_rounds = 0};
    status_t st = mesh_build(d, false, b);

    built = clock_now_s();
    built_cpu = bench_processor_s(CLOCK_PROCESS_CPUTIME_ID);
    *n_before = b->m.n_triangles;
    if (st == ST_OK)
        st = mesh_refine(&b->m, &spec, pool, NULL, NULL, &report);
    out->build[k] = built - begin;
    out->build_cpu[k] = built_cpu - begin_cpu;
    out->refine[k] = clock_now_s() - built;
    out->kernels[k] = report.kernel_s;
    out->refine_cpu[k] = bench_processor_s(CLOCK_PROCESS_CPUTIME_ID) - built_cpu;
    return st;
}

static status_t verify(const args_t *a, const mesh_data_t *d, const mesh_build_t *b)
{
    mesh_data_t made = {0};
    mesh_check_t check;
    status_t st = mesh_build_data(b, d, &made);

    if (st == ST_OK)
        st = mesh_check(&made, NULL, a->angle, &check);
    mesh_data_free(&made);
    return st;
}

/* @param cpu  seconds of processors; NULL: none */
static void print_row(const args_t *a, const char *what, device_kind_t kind,
                      const mesh_data_t *d, int64_t n_triangles, double *seconds,
                      double *cpu)
{
    double min, median, max, min_cpu = 0, ignored;

    bench_times(seconds, (int)a->n_runs, &min, &median, &max);
    if (cpu != NULL)
        bench_times(cpu, (int)a->n_runs, &min_cpu, &ignored, &ignored);
    printf("%s\t%s\t%" PRId64 "\t%" PRId64 "\t%.3e\t%.3e\t%.3e\t%.3e\t%s\n", what,
           device_kind_name[kind], d->n_points, n_triangles, min, median, max, min_cpu,
           mesh_variant_name[a->variant]);
    fflush(stdout);
}

static status_t measure(const args_t *a, const mesh_data_t *d, const device_t *device,
                        pool_t *pool, bool has_head)
{
    seconds_t s;
    mesh_build_t b = {.n_merged = 0};
    int64_t n_before = 0;
    status_t st = ST_OK;

    for (int64_t k = -1; st == ST_OK && k < a->n_runs; k++) {
        mesh_build_free(&b);
        st = run_once(a, d, device, pool, k < 0 ? 0 : k, &s, &n_before, &b);
    }
    if (st == ST_OK)
        st = verify(a, d, &b);
    if (st == ST_OK) {
        if (has_head)
            puts("what\tdevice\tpoints\ttriangles\tmin_s\tmedian_s\tmax_s\t"
                 "processor_s\tvariant");
        print_row(a, "triangulate", DEVICE_CPU, d, n_before, s.build, s.build_cpu);
        print_row(a, "refine", device->kind, d, b.m.n_triangles, s.refine, s.refine_cpu);
        if (device_is_gpu(device))
            print_row(a, "kernels", device->kind, d, b.m.n_triangles, s.kernels, NULL);
    }
    mesh_build_free(&b);
    return st;
}

/* Measure a variant, or all that a device has. */
static status_t measure_all(const args_t *a, const mesh_data_t *d, const device_t *device,
                            pool_t *pool)
{
    const int end = device_is_gpu(device) ? MESH_VARIANTS : MESH_BASE + 1;
    args_t one = *a;
    status_t st = ST_OK;

    if (a->variant != MESH_VARIANTS)
        return measure(a, d, device, pool, true);
    for (one.variant = 0; st == ST_OK && one.variant < end; one.variant++)
        st = measure(&one, d, device, pool, one.variant == 0);
    return st;
}

static status_t run(void *args)
{
    const args_t *a = args;
    mesh_data_t d = {0};
    pool_t *pool = NULL;
    device_t device;
    status_t st = one_device_find(&cmd_bench_mesh, a->common.device, &device);

    if (st == ST_OK)
        st = a->input != NULL ? mesh_data_read(a->input, NULL, &d)
                              : mesh_make(MESH_MAKE_RANDOM, a->n_points, a->seed, &d);

    if (st == ST_OK && (st = job_opts_pool(&a->common, &pool)) == ST_OK)
        st = measure_all(a, &d, &device, pool);
    pool_destroy(pool);
    mesh_data_free(&d);
    return st;
}

static void defaults(void *args)
{
    *(args_t *)args = (args_t){.common = job_opts_defaults(),
                               .n_points = 1000000,
                               .seed = 1,
                               .n_runs = 3,
                               .angle = 30};
    ((args_t *)args)->common.n_threads = 1;
}

const command_t cmd_bench_mesh = {
    .name = "mesh",
    .summary = "time triangulation and refinement",
    .words = words,
    .usage = "[options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes = "In memory, without reading and writing files; a GPU refines, with all "
             "copies; `kernels`\nare its seconds from the first kernel of each round to "
             "the last. The last mesh is verified as\n"
             "`ribogrid mesh check` does: a fault ends the benchmark with exit code 1.\n",
    .example = "ribogrid-bench mesh --points 100000 --threads 2",
    .defaults = defaults,
    .run = run,
};
