/*
 * gpu_mesh.c - meshes refined on a GPU have the bytes of those refined by the CPU.
 *
 * A plain program, without cmocka, which GPU machines may lack.  It exits with 1 if any
 * byte differs, 77 without a GPU.
 */
#include "io/mesh/mesh_make.h"
#include "kernels/mesh/mesh_build.h"
#include "kernels/mesh/refine/mesh_refine.h"
#include "tests/support/gpu_case.h"

#include <inttypes.h>
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
    {"grid", MESH_MAKE_GRID, 3600, {.min_angle = 30, .off_center = true}},
    {"grid, circumcentres", MESH_MAKE_GRID, 3600, {.min_angle = 25}},
    {"grading", MESH_MAKE_GRADING, 2000, {.min_angle = 32, .off_center = true}},
    {"areas", MESH_MAKE_RANDOM, 500, {.min_angle = 20, .max_area = 1e-5}},
    {"points", MESH_MAKE_RANDOM, 9000, {.min_angle = 30, .max_points = 11111}},
};

enum { N_CASES = sizeof(cases) / sizeof(*cases) };

/* A triangle of points with a corner of 2 degrees, and a segment that ends inside. */
static status_t make_corner(mesh_data_t *d)
{
    static double p[][2] = {{0, 0}, {10, 0}, {10, .35}, {8, .1}, {9, .2}};
    static int32_t s[][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}};
    static int32_t marker[] = {1, 2, 3, 4};
    static int64_t lines[] = {1, 2, 3, 4};

    *d = (mesh_data_t){.n_points = 5,
                       .p = p,
                       .n_segments = 4,
                       .segment = s,
                       .segment_marker = marker,
                       .segment_line = lines};
    return ST_OK;
}

static bool are_equal(const tri_mesh_t *a, const tri_mesh_t *b)
{
    if (a->n_points != b->n_points || a->n_triangles != b->n_triangles ||
        a->n_subs != b->n_subs)
        return false;
    for (int64_t k = 0; k < a->n_subs; k++)
        if (a->s[k].a != b->s[k].a || a->s[k].b != b->s[k].b ||
            a->s[k].part != b->s[k].part || a->s[k].edge != b->s[k].edge)
            return false;
    return memcmp(a->p, b->p, (size_t)a->n_points * sizeof(*a->p)) == 0 &&
           memcmp(a->on, b->on, (size_t)a->n_points * sizeof(*a->on)) == 0 &&
           memcmp(a->t, b->t, (size_t)a->n_triangles * sizeof(*a->t)) == 0;
}

/* Build and refine. */
static status_t refine(const mesh_data_t *d, mesh_refine_spec_t spec, pool_t *pool,
                       const device_t *gpu, mesh_build_t *b, mesh_refine_report_t *r)
{
    status_t st = mesh_build(d, false, b);

    if (gpu != NULL) {
        spec.backend = &mesh_rounds_cuda_backend;
        spec.device = gpu;
    }
    return st == ST_OK ? mesh_refine(&b->m, &spec, pool, NULL, NULL, r) : st;
}

static int compare(const char *name, const mesh_data_t *d, const mesh_refine_spec_t *spec,
                   pool_t *pool, const device_t *gpu)
{
    mesh_refine_report_t on_cpu = {0}, on_gpu = {0};
    mesh_build_t a = {0}, b = {0};
    const bool good = refine(d, *spec, pool, NULL, &a, &on_cpu) == ST_OK &&
                      refine(d, *spec, pool, gpu, &b, &on_gpu) == ST_OK &&
                      memcmp(&on_cpu, &on_gpu, sizeof(on_cpu)) == 0 &&
                      are_equal(&a.m, &b.m);

    if (!good)
        printf("%s, %" PRId64 " points: %" PRId64 " rounds, %" PRId64
               " triangles on the CPU, %" PRId64 " rounds, %" PRId64
               " triangles on the GPU: not the same bytes\n",
               name, d->n_points, on_cpu.n_rounds, a.m.n_triangles, on_gpu.n_rounds,
               b.m.n_triangles);
    mesh_build_free(&a);
    mesh_build_free(&b);
    return !good;
}

int main(void)
{
    device_t cpu, gpu;
    pool_t *pool = NULL;
    mesh_data_t d;
    int n_failed = 0;
    const int code = gpu_case_begin(0, &cpu, &gpu, &pool);

    if (code != EXIT_SUCCESS)
        return code;
    for (int k = 0; k < N_CASES; k++) {
        const bool is_made =
            mesh_make(cases[k].kind, cases[k].n_points, k + 1, &d) == ST_OK;

        n_failed += is_made ? compare(cases[k].name, &d, &cases[k].spec, pool, &gpu) : 1;
        mesh_data_free(&d);
    }
    if (make_corner(&d) == ST_OK)
        n_failed += compare("a sharp corner", &d, &cases[0].spec, pool, &gpu);
    printf("%d of %d meshes differ\n", n_failed, N_CASES + 1);
    pool_destroy(pool);
    return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
