/*
 * gpu_mesh.c - meshes refined on a GPU have the bytes of those refined by the CPU; those
 * of variants that depend on who is first are as good.
 *
 * A plain program, without cmocka, which GPU machines may lack.  It exits with 1 if any
 * byte differs, 77 without a GPU.
 */
#include "io/mesh/mesh_make.h"
#include "kernels/mesh/mesh_build.h"
#include "kernels/mesh/mesh_check.h"
#include "kernels/mesh/refine/mesh_refine.h"
#include "tests/support/gpu_case.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

typedef struct {
    const char *name;
    mesh_make_kind_t kind;
    int64_t n_points;
    mesh_refine_spec_t spec;
} case_t;

static const case_t cases[] = {
    {"random", MESH_MAKE_RANDOM, 50, {.min_angle = 30, .off_center = true}},
    {"random", MESH_MAKE_RANDOM, 30000, {.min_angle = 30, .off_center = true}},
    {"random, circumcentres", MESH_MAKE_RANDOM, 3000, {.min_angle = 30}},
    {"grid",
     MESH_MAKE_GRID,
     3600,
     {.min_angle = 30, .max_area = .00004, .off_center = true}},
    {"grid, circumcentres", MESH_MAKE_GRID, 3600, {.min_angle = 25, .max_area = .00003}},
    {"grading", MESH_MAKE_GRADING, 2000, {.min_angle = 32, .off_center = true}},
    {"base",
     MESH_MAKE_RANDOM,
     5000,
     {.min_angle = 30, .off_center = true, .variant = MESH_BASE}},
    {"areas", MESH_MAKE_RANDOM, 500, {.min_angle = 20, .max_area = 1e-4}},
    {"points", MESH_MAKE_RANDOM, 9000, {.min_angle = 30, .max_points = 11111}},
};

enum { N_CASES = sizeof(cases) / sizeof(*cases) };

/* A triangle of points with a corner of 2 degrees, and a segment that ends inside. */
static mesh_data_t corner(void)
{
    static double p[][2] = {{0, 0}, {10, 0}, {10, .35}, {8, .1}, {9, .2}};
    static int32_t s[][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}};
    static int32_t marker[] = {1, 2, 3, 4};
    static int64_t lines[] = {1, 2, 3, 4};

    return (mesh_data_t){.n_points = 5,
                         .p = p,
                         .n_segments = 4,
                         .segment = s,
                         .segment_marker = marker,
                         .segment_line = lines};
}

enum { ON_CIRCLE = 300 };

/* Points on a circle: the first new vertex replaces all triangles, more than a GPU has
 * room for at first. */
static mesh_data_t circle(void)
{
    static double p[ON_CIRCLE][2];

    for (int k = 0; k < ON_CIRCLE; k++) {
        p[k][0] = cos(k * (2 * 3.14159265358979323846 / ON_CIRCLE));
        p[k][1] = sin(k * (2 * 3.14159265358979323846 / ON_CIRCLE));
    }
    return (mesh_data_t){.n_points = ON_CIRCLE, .p = p};
}

/* Print the first byte of an array that differs. @return whether none does */
static bool is_equal(const char *what, const void *a, const void *b, int64_t n,
                     size_t bytes)
{
    const char *x = a, *y = b;

    for (int64_t k = 0; k < n; k++)
        if (memcmp(x + (size_t)k * bytes, y + (size_t)k * bytes, bytes) != 0) {
            printf("  %s %" PRId64 " is the first that differs\n", what, k);
            return false;
        }
    return true;
}

/* The last two members of a subsegment serve the host's queues only. */
static bool are_equal(const tri_mesh_t *a, const tri_mesh_t *b)
{
    bool equal = a->n_points == b->n_points && a->n_triangles == b->n_triangles &&
                 a->n_subs == b->n_subs;

    for (int64_t k = 0; equal && k < a->n_subs; k++)
        equal = is_equal("subsegment", &a->s[k], &b->s[k], 1,
                         offsetof(mesh_sub_t, is_queued));
    return equal && is_equal("point", a->p, b->p, a->n_points, sizeof(*a->p)) &&
           is_equal("kind of point", a->on, b->on, a->n_points, sizeof(*a->on)) &&
           is_equal("triangle", a->t, b->t, a->n_triangles, sizeof(*a->t));
}

/* A mesh that is refined. */
typedef struct {
    mesh_build_t build;
    mesh_refine_report_t report;
} refined_t;

/* Build and refine. @param gpu  NULL: on the CPU */
static status_t refine(const mesh_data_t *d, mesh_refine_spec_t spec, pool_t *pool,
                       const device_t *gpu, refined_t *out)
{
    status_t st = mesh_build(d, false, &out->build);

    if (gpu != NULL) {
        spec.backend = &mesh_rounds_cuda_backend;
        spec.device = gpu;
    }
    return st == ST_OK ? mesh_refine(&out->build.m, &spec, pool, NULL, NULL, &out->report)
                       : st;
}

static bool have_equal_reports(const mesh_refine_report_t *a,
                               const mesh_refine_report_t *b)
{
    const bool equal = a->n_rounds == b->n_rounds && a->n_cavities == b->n_cavities &&
                       a->n_conflicts == b->n_conflicts && a->n_cut == b->n_cut &&
                       a->n_stuck == b->n_stuck && a->is_partial == b->is_partial;

    if (!equal)
        printf("  rounds, cavities, conflicts, cut, stuck: %" PRId64 "/%" PRId64
               " %" PRId64 "/%" PRId64 " %" PRId64 "/%" PRId64 " %" PRId64 "/%" PRId64
               " %" PRId64 "/%" PRId64 "\n",
               a->n_rounds, b->n_rounds, a->n_cavities, b->n_cavities, a->n_conflicts,
               b->n_conflicts, a->n_cut, b->n_cut, a->n_stuck, b->n_stuck);
    return equal;
}

/* Check a mesh as `ribogrid mesh check` does. */
static bool is_good(const mesh_data_t *d, const refined_t *r, double angle)
{
    mesh_data_t made = {0};
    mesh_check_t check;
    const bool good = mesh_build_data(&r->build, d, &made) == ST_OK &&
                      mesh_check(&made, d, angle, &check) == ST_OK;

    mesh_data_free(&made);
    return good;
}

static void free_refined(refined_t *r)
{
    mesh_build_free(&r->build);
}

static int compare(const char *name, const mesh_data_t *d, const mesh_refine_spec_t *spec,
                   pool_t *pool, const device_t *gpu)
{
    refined_t a = {.report = {0}}, b = {.report = {0}};
    const bool good = refine(d, *spec, pool, NULL, &a) == ST_OK &&
                      refine(d, *spec, pool, gpu, &b) == ST_OK &&
                      have_equal_reports(&a.report, &b.report) &&
                      are_equal(&a.build.m, &b.build.m);

    printf("%s, %" PRId64 " points: %" PRId64 " triangles, %" PRId64 " rounds: %s\n",
           name, d->n_points, b.build.m.n_triangles, b.report.n_rounds,
           good ? "the same bytes" : "NOT THE SAME");
    free_refined(&a);
    free_refined(&b);
    return !good;
}

/* Refine by a variant that depends on who is first, and by rounds. */
static int compare_variant(const char *name, const mesh_data_t *d,
                           mesh_refine_spec_t spec, pool_t *pool, const device_t *gpu)
{
    refined_t a = {.report = {0}}, b = {.report = {0}};
    bool good;

    good = refine(d, spec, pool, gpu, &b) == ST_OK && is_good(d, &b, spec.min_angle);
    spec.variant = MESH_ROUNDS;
    good = good && refine(d, spec, pool, gpu, &a) == ST_OK;
    good = good &&
           fabs((double)b.build.m.n_triangles / (double)a.build.m.n_triangles - 1) < .15;
    printf("%s, %" PRId64 " points: %" PRId64 " triangles (%" PRId64 "), %" PRId64
           " rounds: %s\n",
           name, d->n_points, b.build.m.n_triangles, a.build.m.n_triangles,
           b.report.n_rounds, good ? "as good" : "NOT AS GOOD");
    free_refined(&a);
    free_refined(&b);
    return !good;
}

/* Refine points by a variant. */
static int compare_points(mesh_variant_t variant, int64_t n_points, pool_t *pool,
                          const device_t *gpu)
{
    const mesh_refine_spec_t spec = {.min_angle = 30,
                                     .off_center = true,
                                     .variant = variant};
    mesh_data_t d;
    int n_failed = 1;

    if (mesh_make(MESH_MAKE_RANDOM, n_points, 1, &d) == ST_OK)
        n_failed = compare_variant(mesh_variant_name[variant], &d, spec, pool, gpu);
    mesh_data_free(&d);
    return n_failed;
}

int main(void)
{
    device_t cpu, gpu;
    pool_t *pool = NULL;
    mesh_data_t d;
    int n_failed = 0, n_meshes;
    const int code = gpu_case_begin(0, &cpu, &gpu, &pool);

    if (code != EXIT_SUCCESS)
        return code;
    setvbuf(stdout, NULL, _IOLBF, 0); /* what has passed if it is stopped */
    for (int k = 0; k < N_CASES; k++) {
        const bool is_made =
            mesh_make(cases[k].kind, cases[k].n_points, k + 1, &d) == ST_OK;

        n_failed += is_made ? compare(cases[k].name, &d, &cases[k].spec, pool, &gpu) : 1;
        mesh_data_free(&d);
    }
    d = corner();
    n_failed += compare("a sharp corner", &d, &cases[0].spec, pool, &gpu);
    d = circle();
    n_failed +=
        compare("a circle", &d, &(mesh_refine_spec_t){.min_angle = 30}, pool, &gpu);
    for (mesh_variant_t v = MESH_ATOMIC; v < MESH_VARIANTS; v++)
        n_failed +=
            compare_points(v, 300, pool, &gpu) + compare_points(v, 20000, pool, &gpu);
    n_meshes = N_CASES + 2 + 2 * (MESH_VARIANTS - MESH_ATOMIC);
    printf("%d passed, %d failed\n", n_meshes - n_failed, n_failed);
    pool_destroy(pool);
    return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
