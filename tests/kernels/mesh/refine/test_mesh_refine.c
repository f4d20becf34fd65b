/*
 * test_mesh_refine.c - refined meshes: angles, areas, counts, and the same bytes with any
 * number of threads.
 */
#include "kernels/mesh/refine/mesh_refine.h"

#include "io/mesh/mesh_make.h"
#include "kernels/mesh/mesh_build.h"
#include "kernels/mesh/mesh_check.h"
#include "tests/support/captured_log.h"

/* Build and refine, and check the result. */
static void refine(const mesh_data_t *d, const mesh_refine_spec_t *spec, int n_threads,
                   mesh_data_t *made, mesh_check_t *check, mesh_refine_report_t *report)
{
    pool_t *pool = NULL;
    mesh_build_t b;

    assert_int_equal(pool_create(n_threads, &pool), ST_OK);
    assert_int_equal(mesh_build(d, false, &b), ST_OK);
    assert_int_equal(mesh_refine(&b.m, spec, pool, NULL, NULL, report), ST_OK);
    assert_int_equal(mesh_build_data(&b, d, made), ST_OK);
    made->triangle_path = strdup("made.ele");
    made->segment_path = strdup("made.poly");
    assert_int_equal(mesh_check(made, d, 0, check), ST_OK);
    mesh_build_free(&b);
    pool_destroy(pool);
}

static bool are_equal(const mesh_data_t *a, const mesh_data_t *b)
{
    return a->n_points == b->n_points && a->n_triangles == b->n_triangles &&
           a->n_segments == b->n_segments &&
           memcmp(a->p, b->p, (size_t)a->n_points * sizeof(*a->p)) == 0 &&
           memcmp(a->triangle, b->triangle,
                  (size_t)a->n_triangles * sizeof(*a->triangle)) == 0 &&
           memcmp(a->segment, b->segment, (size_t)a->n_segments * sizeof(*a->segment)) ==
               0;
}

static const mesh_refine_spec_t thirty = {.min_angle = 30, .off_center = true};

static void random_points_get_all_angles(void **state)
{
    const mesh_make_kind_t kinds[] = {MESH_MAKE_RANDOM, MESH_MAKE_GRID,
                                      MESH_MAKE_GRADING};

    (void)state;
    for (int k = 0; k < 6; k++) {
        const mesh_refine_spec_t spec = {.min_angle = 30, .off_center = k % 2 == 0};
        mesh_data_t d, made;
        mesh_check_t check;
        mesh_refine_report_t report;

        assert_int_equal(mesh_make(kinds[k / 2], 700, 1, &d), ST_OK);
        refine(&d, &spec, 1, &made, &check, &report);
        assert_true(check.min_angle >= 30 && report.n_stuck == 0);
        assert_int_equal(made.n_points, d.n_points + report.n_cavities);
        mesh_data_free(&d);
        mesh_data_free(&made);
    }
}

static void threads_make_the_same_bytes(void **state)
{
    mesh_data_t d, first, made;
    mesh_check_t check;
    mesh_refine_report_t report;

    (void)state;
    assert_int_equal(mesh_make(MESH_MAKE_RANDOM, 3000, 2, &d), ST_OK);
    refine(&d, &thirty, 1, &first, &check, &report);
    for (int k = 0; k < 12; k++) {
        refine(&d, &thirty, 1 + k % 4, &made, &check, &report);
        assert_true(are_equal(&first, &made));
        mesh_data_free(&made);
    }
    mesh_data_free(&first);
    mesh_data_free(&d);
}

/* A corner of 10 degrees keeps its angle; all triangles but those between its segments,
 * at the same distance from it, get theirs. */
static void a_sharp_corner_keeps_its_angle(void **state)
{
    double p[3][2] = {{0, 0}, {10, 0}, {10, 1.7632698070846497}};
    int32_t s[3][2] = {{0, 1}, {1, 2}, {2, 0}}, marker[3] = {1, 2, 3};
    int64_t lines[3] = {1, 2, 3};
    mesh_data_t made;
    mesh_check_t check;
    mesh_refine_report_t report;
    mesh_build_t b;
    const mesh_data_t d = {.n_points = 3,
                           .p = p,
                           .n_segments = 3,
                           .segment = s,
                           .segment_marker = marker,
                           .segment_line = lines};

    (void)state;
    assert_int_equal(mesh_build(&d, false, &b), ST_OK);
    assert_int_equal(b.n_sharp, 1);
    mesh_build_free(&b);
    refine(&d, &thirty, 1, &made, &check, &report);
    assert_true(check.min_angle > 9.99 && check.min_angle < 10.01);
    assert_int_equal(check.histogram[0], 0);
    assert_int_equal(check.histogram[1] + check.histogram[2], 1); /* 5 to 15 degrees */
    assert_true(check.histogram[3] + check.histogram[4] + check.histogram[5] <= 1);
    for (int64_t k = 0; k < made.n_segments; k++)
        assert_in_range(made.segment_marker[k], 1, 3);
    mesh_data_free(&made);
}

static void areas_and_points_are_limited(void **state)
{
    const mesh_refine_spec_t small = {.min_angle = 20,
                                      .max_area = .01,
                                      .off_center = true};
    const mesh_refine_spec_t few = {.min_angle = 30,
                                    .max_points = 50,
                                    .off_center = true};
    mesh_data_t d, made;
    mesh_check_t check;
    mesh_refine_report_t report;

    (void)state;
    assert_int_equal(mesh_make(MESH_MAKE_RANDOM, 40, 1, &d), ST_OK);
    refine(&d, &small, 1, &made, &check, &report);
    assert_true(check.max_area <= .01 && check.min_angle >= 20);
    assert_false(report.is_partial);
    mesh_data_free(&made);
    refine(&d, &few, 1, &made, &check, &report);
    assert_true(report.is_partial);
    assert_int_equal(made.n_points, 50);
    mesh_data_free(&made);
    mesh_data_free(&d);
}

/* A region has its own limit, and its attribute. An attribute of points that is linear
 * stays so. */
static void regions_and_attributes_are_kept(void **state)
{
    double p[6][2] = {{0, 0}, {2, 0}, {2, 1}, {0, 1}, {1, 0}, {1, 1}};
    int32_t s[7][2] = {{0, 4}, {4, 1}, {1, 2}, {2, 5}, {5, 3}, {3, 0}, {4, 5}};
    int32_t marker[7] = {0};
    int64_t lines[7] = {1, 2, 3, 4, 5, 6, 7};
    double region[2][2] = {{.5, .5}, {1.5, .5}}, attribute[2] = {7, 8},
           area[2] = {.001, 0};
    double value[6];
    mesh_data_t made;
    mesh_check_t check;
    mesh_refine_report_t report;
    const mesh_data_t d = {.n_points = 6,
                           .p = p,
                           .n_attributes = 1,
                           .attribute = value,
                           .n_segments = 7,
                           .segment = s,
                           .segment_marker = marker,
                           .segment_line = lines,
                           .n_regions = 2,
                           .region = region,
                           .region_attribute = attribute,
                           .region_area = area,
                           .region_line = lines};
    int64_t n[2] = {0, 0};

    (void)state;
    for (int k = 0; k < 6; k++)
        value[k] = 3 * p[k][0] - p[k][1] + 2;
    refine(&d, &thirty, 1, &made, &check, &report);
    for (int64_t k = 0; k < made.n_triangles; k++) {
        const int32_t *v = made.triangle[k];
        const double x = (made.p[v[0]][0] + made.p[v[1]][0] + made.p[v[2]][0]) / 3;

        assert_true(made.triangle_attribute[k] == (x < 1 ? 7 : 8));
        n[x < 1 ? 0 : 1]++;
    }
    assert_true(n[0] >= 1000 && n[1] < n[0] / 2);
    for (int64_t k = 0; k < made.n_points; k++) {
        const double error = made.attribute[k] - (3 * made.p[k][0] - made.p[k][1] + 2);

        assert_true(error < 1e-9 && error > -1e-9);
    }
    mesh_data_free(&made);
}

/* Counts of Triangle 1.6, with off-centres and with centres of circles. */
static void counts_are_near_those_of_triangle(void **state)
{
    static const struct {
        const char *name;
        double off, center, off_limit, center_limit;
    } all[] = {{"dots", 806, 1762, 1.3, 1.05},
               {"ladder", 748, 880, 1.3, 1.05},
               {"633", 3997, 6772, 1.15, 1.05},
               {"ttimeu10000", 57586, 106993, 1.15, 1.05}};
    const char *data = getenv("RIBOGRID_DATA");

    (void)state;
    for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++)
        for (int off = 0; off < 2; off++) {
            const mesh_refine_spec_t spec = {.min_angle = 30, .off_center = off == 1};
            char node[PATH_BYTES], ele[PATH_BYTES];
            mesh_data_t d, made;
            mesh_check_t check;
            mesh_refine_report_t report;
            double ratio;

            snprintf(node, sizeof(node), "%s/mesh/%s.2.node.gz", data == NULL ? "" : data,
                     all[k].name);
            snprintf(ele, sizeof(ele), "%s/mesh/%s.2.ele.gz", data == NULL ? "" : data,
                     all[k].name);
            if (access(node, R_OK) != 0)
                skip();
            assert_int_equal(mesh_data_read(node, ele, &d), ST_OK);
            refine(&d, &spec, 2, &made, &check, &report);
            ratio = (double)made.n_triangles / (off ? all[k].off : all[k].center);
            if (check.min_angle < 30 - 1e-7 ||
                ratio > (off ? all[k].off_limit : all[k].center_limit))
                fail_msg("%s: %g times the triangles, smallest angle %.9g", all[k].name,
                         ratio, check.min_angle);
            mesh_data_free(&d);
            mesh_data_free(&made);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_points_get_all_angles),
        cmocka_unit_test(threads_make_the_same_bytes),
        cmocka_unit_test(a_sharp_corner_keeps_its_angle),
        cmocka_unit_test(areas_and_points_are_limited),
        cmocka_unit_test(regions_and_attributes_are_kept),
        cmocka_unit_test(counts_are_near_those_of_triangle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
