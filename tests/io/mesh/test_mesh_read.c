/*
 * test_mesh_read.c - Triangle's files: what they may look like, and what is wrong in
 * them.
 */
#include "io/mesh/mesh_data.h"

#include "io/mesh/mesh_make.h"
#include "tests/support/captured_log.h"

#include <math.h>

/* Read a text as a file NAME in the test's folder. */
static status_t read_text(const char *name, const char *text, const char *triangles,
                          mesh_data_t *d)
{
    char path[PATH_BYTES], ele[PATH_BYTES];
    status_t st;

    dir_file(name, path);
    dir_file("t.ele", ele);
    dir_put(path, text, strlen(text));
    if (triangles != NULL)
        dir_put(ele, triangles, strlen(triangles));
    memset(d, 0, sizeof(*d));
    capture_start();
    st = mesh_data_read(path, triangles != NULL ? ele : NULL, d);
    capture_stop();
    unlink(path);
    unlink(ele);
    return st;
}

static void refuses(const char *name, const char *text, const char *triangles,
                    const char *message)
{
    mesh_data_t d;

    assert_int_equal(read_text(name, text, triangles, &d), ST_EINPUT);
    assert_logged(message);
    assert_logged_one_line();
}

/* Comments, numbers from 0, attributes, markers, a hole and regions with and without an
 * area. */
static void a_poly_file_may_have_everything(void **state)
{
    mesh_data_t d;

    (void)state;
    assert_int_equal(read_text("a.poly",
                               "# an outline\n\n4 2 1 1 # points\n0 0 0 1.5 7\n"
                               "1 1 0 2.5 -7\n2 1e0 1 .5 0\n3 0 1 0 0\n"
                               "4 1\n0 0 1 3\n1 1 2 3\n2 2 3 4\n3 3 0 -5\n"
                               "1\n0 .5 .5\n2\n0 .25 .25 10 .01\n1 .75 .75 20\n",
                               NULL, &d),
                     ST_OK);
    assert_logged_nothing();
    assert_int_equal(d.first_id, 0);
    assert_int_equal(d.n_points, 4);
    assert_true(d.p[2][0] == 1 && d.attribute[1] == 2.5);
    assert_int_equal(d.marker[1], -7);
    assert_int_equal(d.n_segments, 4);
    assert_int_equal(d.segment[3][0], 3);
    assert_int_equal(d.segment[3][1], 0);
    assert_int_equal(d.segment_marker[3], -5);
    assert_int_equal(d.segment_line[3], 12);
    assert_int_equal(d.n_holes, 1);
    assert_int_equal(d.n_regions, 2);
    assert_true(d.region_area[0] == .01 && d.region_area[1] == 0);
    assert_true(d.region_attribute[1] == 20);
    mesh_data_free(&d);
}

static void numbers_of_triangles_count_from_1_as_well(void **state)
{
    mesh_data_t d;

    (void)state;
    assert_int_equal(read_text("a.node", "3 2\n1 0 0\n2 1 0\n3 0 1\n",
                               "1 3 1\n1 1 2 3 9\n", &d),
                     ST_OK);
    assert_int_equal(d.triangle[0][0], 0);
    assert_int_equal(d.triangle[0][2], 2);
    assert_true(d.triangle_attribute[0] == 9);
    mesh_data_free(&d);
}

static void what_is_wrong_with_points_is_named(void **state)
{
    (void)state;
    refuses("a.node", "3 2\n1 0 0\n3 1 0\n2 0 1\n", NULL,
            "a.node:3: point 2 is missing, or stands here under another number");
    refuses("a.node", "3 2\n1 0 0\n1 1 0\n2 0 1\n", NULL, "a.node:3: point 2 is missing");
    refuses("a.node", "3 2\n7 0 0\n8 1 0\n9 0 1\n", NULL,
            "a.node:2: the first point is not number 0 or 1");
    refuses("a.node", "3 2\n1 0 nan\n", NULL,
            "a.node:2: the y coordinate 'nan' is not a finite number");
    refuses("a.node", "3 2\n1 inf 0\n", NULL, "a.node:2: the x coordinate 'inf'");
    refuses("a.node", "3 2\n1 1e99 0\n", NULL, "a.node:2: the coordinate 1e+99");
    refuses("a.node", "3 2\n1 1e-99 0\n", NULL, "a.node:2: the coordinate 1e-99");
    refuses("a.node", "3 2\n1 0 0\n2 1 0\n", NULL,
            "a.node:3: the file ends before its last point");
    refuses("a.node", "3 2\n1 0 0\n2 1 0\n3 0 1\n4 1 1\n", NULL,
            "a.node:5: a line too many");
    refuses("a.node", "3 3\n", NULL, "a.node:1: the dimension '3'");
    refuses("a.node", "2 2\n1 0 0\n2 1 1\n", NULL, "a mesh has at least three points");
    refuses("a.node", "3 2 0 1\n1 0 0 1.5\n", NULL, "a.node:2: the marker 1.5");
    refuses("a.node", "3 2\n1 0 0 5\n", NULL, "a.node:2: unexpected '5'");
    refuses("a.txt", "3 2\n", NULL, "name it FILE.node, FILE.poly or FILE.h5");
}

static void what_is_wrong_with_triangles_is_named(void **state)
{
    const char *points = "3 2\n0 0 0\n1 1 0\n2 0 1\n";

    (void)state;
    refuses("a.node", points, "1 3\n0 0 1 3\n",
            "t.ele:2: the point '3' is not an integer of 0 .. 2");
    refuses("a.node", points, "1 3\n0 0 1 1\n", "t.ele:2: a triangle has a point twice");
    refuses("a.node", points, "1 6\n", "t.ele:1: the number of points of a triangle '6'");
    refuses("a.node", points, "2 3\n0 0 1 2\n", "t.ele:2: the file ends before its last");
    refuses("a.node", points, "1 3\n1 0 1 2\n", "t.ele:2: triangle 0 is missing");
}

static void what_is_wrong_with_segments_is_named(void **state)
{
    (void)state;
    refuses("a.poly", "3 2\n1 0 0\n2 1 0\n3 0 1\n1 0\n1 1 4\n0\n", NULL,
            "a.poly:6: the point '4' is not an integer of 1 .. 3");
    refuses("a.poly", "3 2\n1 0 0\n2 1 0\n3 0 1\n1 0\n1 2 2\n0\n", NULL,
            "a.poly:6: both ends of the segment are the same point");
    refuses("a.poly", "3 2\n1 0 0\n2 1 0\n3 0 1\n1 0\n1 1 2\n", NULL,
            "a.poly:6: the file ends before the number of holes");
    refuses("a.poly", "3 2\n1 0 0\n2 1 0\n3 0 1\n0\n1\n1 x 0\n", NULL,
            "a.poly:7: the x coordinate 'x'");
    refuses("b.poly", "0 2\n0\n0\n", NULL, "its points are in a .node file beside it");
}

/* What is written is read again, to the last bit. */
static void files_are_read_as_they_were_written(void **state)
{
    char prefix[PATH_BYTES], path[PATH_BYTES + 8];
    mesh_data_t d, e;

    (void)state;
    dir_file("made", prefix);
    assert_int_equal(mesh_make(MESH_MAKE_GRADING, 500, 3, &d), ST_OK);
    assert_int_equal(mesh_data_write(prefix, false, &d, NULL, NULL), ST_OK);
    snprintf(path, sizeof(path), "%s.poly", prefix);
    assert_int_equal(mesh_data_read(path, NULL, &e), ST_OK);
    assert_int_equal(e.n_points, 500);
    assert_memory_equal(e.p, d.p, 500 * sizeof(*d.p));
    assert_memory_equal(e.segment, d.segment, 4 * sizeof(*d.segment));
    unlink(path);
    snprintf(path, sizeof(path), "%s.node", prefix);
    unlink(path);
    mesh_data_free(&d);
    mesh_data_free(&e);
}

static void made_points_lie_in_the_square(void **state)
{
    const mesh_make_kind_t kinds[] = {MESH_MAKE_RANDOM, MESH_MAKE_GRID,
                                      MESH_MAKE_GRADING};
    const int64_t n[] = {1000, 961, 1000};

    (void)state;
    for (int k = 0; k < 3; k++) {
        int64_t n_near = 0;
        mesh_data_t d;

        assert_int_equal(mesh_make(kinds[k], 1000, 1, &d), ST_OK);
        assert_int_equal(d.n_points, n[k]);
        for (int64_t i = 0; i < d.n_points; i++) {
            assert_true(d.p[i][0] >= 0 && d.p[i][0] <= 1);
            assert_true(d.p[i][1] >= 0 && d.p[i][1] <= 1);
            n_near += hypot(d.p[i][0], d.p[i][1]) < .01;
        }
        assert_true(kinds[k] == MESH_MAKE_GRADING ? n_near > 300 : n_near < 10);
        mesh_data_free(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_poly_file_may_have_everything),
        cmocka_unit_test(numbers_of_triangles_count_from_1_as_well),
        cmocka_unit_test(what_is_wrong_with_points_is_named),
        cmocka_unit_test(what_is_wrong_with_triangles_is_named),
        cmocka_unit_test(what_is_wrong_with_segments_is_named),
        cmocka_unit_test(files_are_read_as_they_were_written),
        cmocka_unit_test(made_points_lie_in_the_square),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
