/*
 * test_mesh_build.c - triangulations of points and segments, triangles of files, and what
 * is wrong with them.
 */
#include "kernels/mesh/mesh_build.h"

#include "io/base/rng.h"
#include "io/mesh/mesh_make.h"
#include "kernels/mesh/mesh_check.h"
#include "tests/support/captured_log.h"

/* Points and segments whose lines are their numbers. */
enum { MAX = 64 };

typedef struct {
    mesh_data_t d;
    int64_t line[MAX];
    int32_t marker[MAX];
    double zero[MAX];
} given_t;

static given_t given(double (*p)[2], int64_t n_points, int32_t (*segment)[2],
                     int64_t n_segments)
{
    given_t g = {.d = {.first_id = 0,
                       .n_points = n_points,
                       .p = p,
                       .n_segments = n_segments,
                       .segment = segment,
                       .point_path = (char *)(uintptr_t) "a.node",
                       .segment_path = (char *)(uintptr_t) "a.poly",
                       .triangle_path = (char *)(uintptr_t) "a.ele"}};

    for (int k = 0; k < MAX; k++)
        g.line[k] = k + 10;
    return g;
}

static void point_to_own(given_t *g)
{
    g->d.point_line = g->d.segment_line = g->d.triangle_line = g->line;
    g->d.hole_line = g->d.region_line = g->line;
    g->d.segment_marker = g->marker;
    g->d.region_attribute = g->d.region_area = g->zero;
    g->d.triangle_attribute = g->zero;
}

static void refuses(given_t *g, bool repair, const char *message)
{
    mesh_build_t b;

    point_to_own(g);
    capture_start();
    assert_int_equal(mesh_build(&g->d, repair, &b), ST_EINPUT);
    capture_stop();
    assert_logged(message);
    assert_logged_one_line();
}

/* Build, and check the mesh as one of a file. @return its triangles */
static int64_t builds(given_t *g, mesh_check_t *check)
{
    mesh_build_t b;
    mesh_data_t made;

    point_to_own(g);
    assert_int_equal(mesh_build(&g->d, true, &b), ST_OK);
    assert_int_equal(mesh_build_data(&b, &g->d, &made), ST_OK);
    made.triangle_path = made.segment_path = g->d.point_path;
    assert_int_equal(mesh_check(&made, &g->d, 0, check), ST_OK);
    made.triangle_path = made.segment_path = NULL;
    mesh_build_free(&b);
    mesh_data_free(&made);
    return check->n_triangles;
}

static double square[8][2] = {{0, 0}, {4, 0}, {4, 4}, {0, 4},
                              {1, 1}, {3, 1}, {3, 3}, {1, 3}};

static void a_hole_is_left_out(void **state)
{
    int32_t s[8][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}};
    double hole[1][2] = {{2, 2}};
    given_t g = given(square, 8, s, 8);
    mesh_check_t check;

    (void)state;
    assert_int_equal(builds(&g, &check), 10);
    g.d.hole = hole;
    g.d.n_holes = 1;
    assert_int_equal(builds(&g, &check), 8);
    assert_int_equal(check.n_loops, 2);
}

/* A concave corner is no part of the mesh; without segments the hull is. */
static void an_outline_need_not_be_convex(void **state)
{
    double p[5][2] = {{0, 0}, {4, 0}, {1, 1}, {0, 4}, {4, 4}};
    int32_t s[4][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
    given_t g = given(p, 4, s, 4);
    mesh_check_t check;

    (void)state;
    assert_int_equal(builds(&g, &check), 2);
    g = given(p, 4, NULL, 0);
    assert_int_equal(builds(&g, &check), 3);
}

/* Segments that cross hundreds of triangles become edges; one through points is cut. */
static void segments_become_chains_of_edges(void **state)
{
    enum { N = 1000, FIRST = 12 };
    static double p[N][2] = {{0, 0},    {1, 0},     {1, 1},    {0, 1},
                             {.01, .5}, {.99, .51}, {.02, .4}, {.98, .2},
                             {.1, .75}, {.25, .75}, {.5, .75}, {.9, .75}};
    int32_t s[7][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {6, 7}, {8, 11}};
    given_t g = given(p, N, s, 7);
    mesh_check_t check;
    rng_t rng = rng_seed(5);

    (void)state;
    for (int k = FIRST; k < N; k++)
        for (int i = 0; i < 2; i++)
            p[k][i] = (double)(rng_next(&rng) >> 11) * 0x1p-53;
    builds(&g, &check);
    assert_int_equal(check.n_segments, 6 + 3);
    assert_int_equal(check.n_triangles, 2 * N - 2 - 4);
}

static void crossing_segments_are_both_named(void **state)
{
    int32_t s[6][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}, {1, 3}};
    given_t g = given(square, 4, s, 6);

    (void)state;
    refuses(&g, false, "a.poly:15: segment 5 crosses segment 4 in line 14");
}

static void overlapping_segments_are_both_named(void **state)
{
    double p[5][2] = {{0, 0}, {4, 0}, {4, 4}, {0, 4}, {2, 0}};
    int32_t s[5][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 1}};
    given_t g = given(p, 5, s, 5);

    (void)state;
    refuses(&g, false, "a.poly:14: segment 4 overlaps segment 0 in line 10");
}

static void holes_and_outlines_that_leave_nothing_are_named(void **state)
{
    int32_t s[8][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}};
    double hole[2][2] = {{9, 9}, {.5, .5}}, region[1][2] = {{-1, 2}};
    given_t g = given(square, 8, s, 8);

    (void)state;
    g.d.hole = hole;
    g.d.n_holes = 1;
    refuses(&g, false, "a.poly:10: the hole lies outside of the mesh");
    g = given(square, 4, s, 4);
    g.d.hole = hole + 1;
    g.d.n_holes = 1;
    refuses(&g, false, "a.poly:10: no triangle is left by this hole");
    g = given(square, 4, s, 4);
    g.d.region = region;
    g.d.n_regions = 1;
    refuses(&g, false, "a.poly:10: the region lies outside");
    g = given(square, 4, s, 3);
    refuses(&g, false, "a.poly: no triangle is left: the outline of segments is open");
}

static void equal_points_are_merged(void **state)
{
    double p[5][2] = {{0, 0}, {4, 0}, {4, 4}, {0, 4}, {4, 4}};
    int32_t s[4][2] = {{0, 1}, {1, 4}, {4, 3}, {3, 0}};
    given_t g = given(p, 5, s, 4);
    mesh_check_t check;
    mesh_build_t b;

    (void)state;
    point_to_own(&g);
    capture_start();
    assert_int_equal(mesh_build(&g.d, false, &b), ST_OK);
    capture_stop();
    assert_logged("point");
    assert_logged("1 point is merged");
    assert_int_equal(b.n_merged, 1);
    assert_int_equal(b.m.n_triangles, 2);
    mesh_build_free(&b);
    p[4][0] = 5;
    assert_int_equal(builds(&g, &check), 3); /* point 2 lies in the area now */
}

static void points_on_a_line_have_no_area(void **state)
{
    double p[3][2] = {{0, 0}, {1, 1}, {3, 3}};
    given_t g = given(p, 3, NULL, 0);

    (void)state;
    refuses(&g, false, "a.node: all points lie on a line");
}

/* ---- triangles of files ---- */

static given_t of_triangles(double (*p)[2], int64_t n_points, int32_t (*t)[3],
                            int64_t n_triangles)
{
    given_t g = given(p, n_points, NULL, 0);

    g.d.triangle = t;
    g.d.n_triangles = n_triangles;
    return g;
}

static void triangles_that_are_wrong_are_named(void **state)
{
    double p[6][2] = {{0, 0}, {4, 0}, {4, 4}, {0, 4}, {2, 0}, {2, -9}};
    int32_t flat[1][3] = {{0, 4, 1}}, right[1][3] = {{0, 2, 1}};
    int32_t three[3][3] = {{0, 1, 2}, {0, 1, 3}, {1, 0, 5}};
    int32_t touching[3][3] = {{0, 1, 2}, {0, 5, 4}, {4, 5, 1}};
    int32_t same[2][3] = {{0, 1, 2}, {0, 1, 3}};
    double twice[4][2] = {{0, 0}, {4, 0}, {4, 4}, {4, 4}};
    given_t g;

    (void)state;
    g = of_triangles(p, 6, flat, 1);
    refuses(&g, false, "a.ele:10: triangle 0 is flat");
    g = of_triangles(p, 6, right, 1);
    refuses(&g, false, "a.ele:10: triangle 0 turns right");
    g = of_triangles(p, 6, three, 3);
    refuses(&g, false, "has 3 triangles; an edge has two at most");
    g = of_triangles(p, 6, same, 2);
    refuses(&g, false, "a.ele:11: triangle 1 lies on the same side of an edge");
    g = of_triangles(p, 6, touching, 3);
    refuses(&g, false, "a.ele:10: point 4 lies within an edge of triangle 0 (a T-junct");
    g = of_triangles(twice, 4, same, 1);
    refuses(&g, false, "a.node:13: point 3 has the place of point 2");
}

static void a_segment_is_an_edge_of_given_triangles(void **state)
{
    int32_t t[2][3] = {{0, 1, 2}, {0, 2, 3}}, s[2][2] = {{0, 1}, {1, 3}};
    given_t g = of_triangles(square, 4, t, 2);

    (void)state;
    g.d.segment = s;
    g.d.n_segments = 2;
    refuses(&g, false, "a.poly:11: segment 1 is no edge of the triangles");
}

static void triangles_that_are_not_delaunay_are_flipped_if_asked(void **state)
{
    double p[4][2] = {{0, 0}, {2, -1}, {4, 0}, {2, 1}};
    int32_t t[2][3] = {{0, 1, 2}, {0, 2, 3}};
    given_t g = of_triangles(p, 4, t, 2);
    mesh_check_t check;

    (void)state;
    refuses(&g, false, "a.ele:10: triangle 0 is not Delaunay");
    assert_int_equal(builds(&g, &check), 2);
    assert_true(check.min_angle > 50);
}

/* ---- the check itself ---- */

static void the_check_finds_faults(void **state)
{
    static const struct {
        int n;
        int32_t t[3][3];
        const char *message;
    } cases[] = {{1, {{0, 2, 1}}, "triangle 0 turns right"},
                 {2, {{0, 1, 2}, {0, 1, 3}}, "same side of an edge"},
                 {2, {{0, 1, 2}, {4, 5, 6}}, "meet other than at an edge"},
                 {2, {{4, 1, 2}, {4, 3, 0}}, NULL}}; /* they share a point */
    int32_t t[3][3];

    (void)state;
    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
        given_t g;
        mesh_check_t check;
        status_t st;

        memcpy(t, cases[k].t, sizeof(t));
        g = of_triangles(square, 8, t, cases[k].n);
        point_to_own(&g);
        capture_start();
        st = mesh_check(&g.d, NULL, 0, &check);
        capture_stop();
        assert_int_equal(st, cases[k].message != NULL ? ST_EINPUT : ST_OK);
        if (cases[k].message != NULL)
            assert_logged(cases[k].message);
    }
}

static void the_check_misses_no_circle_and_no_segment(void **state)
{
    double p[5][2] = {{0, 0}, {2, -1}, {4, 0}, {2, 1}, {9, 9}};
    int32_t t[2][3] = {{0, 1, 2}, {0, 2, 3}}, s[1][2] = {{0, 2}}, none[1][2] = {{1, 3}};
    given_t g = of_triangles(p, 5, t, 2);
    mesh_check_t check;

    (void)state;
    point_to_own(&g);
    capture_start();
    assert_int_equal(mesh_check(&g.d, NULL, 0, &check), ST_EINPUT);
    capture_stop();
    assert_logged("triangles 0 and 1 are not Delaunay");
    g.d.segment = none;
    g.d.n_segments = 1;
    capture_start();
    assert_int_equal(mesh_check(&g.d, NULL, 0, &check), ST_EINPUT);
    capture_stop();
    assert_logged("segment 0 is no edge");
    g.d.segment = s;
    capture_start();
    assert_int_equal(mesh_check(&g.d, NULL, 0, &check), ST_EINPUT);
    capture_stop();
    assert_logged("is on the outline, but no segment");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hole_is_left_out),
        cmocka_unit_test(an_outline_need_not_be_convex),
        cmocka_unit_test(segments_become_chains_of_edges),
        cmocka_unit_test(crossing_segments_are_both_named),
        cmocka_unit_test(overlapping_segments_are_both_named),
        cmocka_unit_test(holes_and_outlines_that_leave_nothing_are_named),
        cmocka_unit_test(equal_points_are_merged),
        cmocka_unit_test(points_on_a_line_have_no_area),
        cmocka_unit_test(triangles_that_are_wrong_are_named),
        cmocka_unit_test(a_segment_is_an_edge_of_given_triangles),
        cmocka_unit_test(triangles_that_are_not_delaunay_are_flipped_if_asked),
        cmocka_unit_test(the_check_finds_faults),
        cmocka_unit_test(the_check_misses_no_circle_and_no_segment),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
