/*
 * gpu_mesh.c - meshes refined on a GPU have the bytes of those refined by the CPU.
 *
 * A plain program, without cmocka, which GPU machines may lack.  It exits with 1 if any
 * byte differs, 77 without a GPU.
 */
#include "io/base/buf.h"
#include "io/mesh/mesh_make.h"
#include "kernels/mesh/mesh_build.h"
#include "kernels/mesh/refine/mesh_refine.h"
#include "tests/support/gpu_case.h"

#include <inttypes.h>
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

enum { COUNTS = 8 };

/* A mesh that is refined, and the counts behind each round. */
typedef struct {
    mesh_build_t build;
    mesh_refine_report_t report;
    buf_t rounds;
} refined_t;

static bool note_round(void *ctx, const tri_mesh_t *m, const mesh_refine_report_t *r)
{
    refined_t *to = ctx;
    const int64_t counts[COUNTS] = {m->n_points,   m->n_triangles, m->n_subs,
                                    r->n_cavities, r->n_conflicts, r->n_cut,
                                    r->n_stuck,    r->is_partial};

    return buf_append(&to->rounds, counts, sizeof(counts)) == ST_OK;
}

/* Build and refine. @param gpu  NULL: on the CPU */
static status_t refine(const mesh_data_t *d, mesh_refine_spec_t spec, pool_t *pool,
                       const device_t *gpu, refined_t *out)
{
    status_t st = mesh_build(d, false, &out->build);

    if (gpu != NULL) {
        spec.backend = &mesh_rounds_cuda_backend;
        spec.device = gpu;
    }
    return st == ST_OK
               ? mesh_refine(&out->build.m, &spec, pool, note_round, out, &out->report)
               : st;
}

/* Print the first round whose counts differ. */
static bool have_equal_rounds(const refined_t *a, const refined_t *b)
{
    const size_t bytes = COUNTS * sizeof(int64_t);
    const size_t len = a->rounds.len < b->rounds.len ? a->rounds.len : b->rounds.len;
    const int64_t n = (int64_t)(len / bytes);
    const int64_t *x = (const void *)a->rounds.data, *y = (const void *)b->rounds.data;

    for (int64_t k = 0; k < n; k++, x += COUNTS, y += COUNTS)
        if (memcmp(x, y, bytes) != 0) {
            printf("  round %" PRId64 ": points, triangles, subsegments, cavities, "
                   "conflicts, cut, stuck, partial:\n ",
                   k);
            for (int i = 0; i < COUNTS; i++)
                printf(" %" PRId64 "/%" PRId64, x[i], y[i]);
            puts("");
            return false;
        }
    return a->rounds.len == b->rounds.len;
}

static void free_refined(refined_t *r)
{
    mesh_build_free(&r->build);
    buf_free(&r->rounds);
}

static int compare(const char *name, const mesh_data_t *d, const mesh_refine_spec_t *spec,
                   pool_t *pool, const device_t *gpu)
{
    refined_t a = {.report = {0}}, b = {.report = {0}};
    const bool good = refine(d, *spec, pool, NULL, &a) == ST_OK &&
                      refine(d, *spec, pool, gpu, &b) == ST_OK &&
                      have_equal_rounds(&a, &b) && are_equal(&a.build.m, &b.build.m);

    printf("%s, %" PRId64 " points: %" PRId64 " triangles, %" PRId64 " rounds: %s\n",
           name, d->n_points, b.build.m.n_triangles, b.report.n_rounds,
           good ? "the same bytes" : "NOT THE SAME");
    free_refined(&a);
    free_refined(&b);
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
