/*
 * curve_files.c - learning curves as CSV and SVG.
 */
#include "worker/cnn/curve_files.h"

#include "io/file/whole_file.h"
#include "io/report/svg_draw.h"

#include <inttypes.h>
#include <stdio.h>

enum { WIDTH = 640, HEIGHT = 280, LEFT = 64, RIGHT = 616, TOP = 40, BOTTOM = 232 };
enum { N_MEANS = CURVE_FILES_MEANS_MAX / 2, MIDDLE = 340, LEFT_2 = 404 };

static const char blue[] = "#1f5fa8", orange[] = "#c4541b";

void curve_files_print(const cnn_curve_t *curve, const cnn_curve_t *tests, char between,
                       bool has_header, FILE *to)
{
    const char c = between;
    int64_t test = 0;

    if (has_header)
        fprintf(to, "iteration%closs%caccuracy%crate%ctest_loss%ctest_accuracy\n", c, c,
                c, c, c);
    for (int64_t i = 0; i < curve->n; i++) {
        fprintf(to, "%" PRId64 "%c%.9g%c%.9g%c%.9g%c", i + 1, c, curve->loss[i], c,
                curve->accuracy[i], c, curve->rate[i], c);
        if (test < tests->n && tests->iteration[test] == i + 1) {
            fprintf(to, "%.9g%c%.9g", tests->loss[test], c, tests->accuracy[test]);
            test++;
        } else {
            putc(c, to);
        }
        putc('\n', to);
    }
}

status_t curve_files_csv(const char *path, bool force, const cnn_curve_t *curve,
                         const cnn_curve_t *tests)
{
    whole_file_t *file;
    status_t st = whole_file_open(path, WHOLE_FILE_TEXT, force, &file);

    if (st != ST_OK)
        return st;
    curve_files_print(curve, tests, ',', true, whole_file_stream(file));
    return whole_file_close(file, ST_OK);
}

/* A chart of one value: its axes and where it is in a curve. */
typedef struct {
    FILE *to;
    svg_axis_t x, y;
} chart_t;

int curve_files_means(const double *values, int64_t n, double *x, double *y)
{
    const int64_t piece = n > N_MEANS ? n / N_MEANS : 1;
    int count = 0;

    for (int64_t i = 0; i + piece <= n; i += piece) {
        double sum = 0;

        for (int64_t k = i; k < i + piece; k++)
            sum += values[k];
        x[count] = (double)i + 0.5 * (double)(piece + 1);
        y[count++] = sum / (double)piece;
    }
    return count;
}

static void draw_training(const chart_t *c, const double *values, int64_t n)
{
    double x[CURVE_FILES_MEANS_MAX], y[CURVE_FILES_MEANS_MAX];
    const int count = curve_files_means(values, n, x, y);

    fprintf(c->to, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"",
            blue);
    for (int i = 0; i < count; i++)
        fprintf(c->to, "%.1f,%.1f ", svg_draw_at(&c->x, x[i]), svg_draw_at(&c->y, y[i]));
    fprintf(c->to, "\"/>\n");
}

static void draw_tests(const chart_t *c, const cnn_curve_t *tests, const double *values)
{
    for (int64_t i = 0; i < tests->n; i++)
        fprintf(c->to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n",
                svg_draw_at(&c->x, (double)tests->iteration[i]),
                svg_draw_at(&c->y, values[i]), orange);
}

static double largest(const double *values, int64_t n, double at_least)
{
    for (int64_t i = 0; i < n; i++)
        if (values[i] > at_least)
            at_least = values[i];
    return at_least;
}

static void draw_chart(FILE *to, const cnn_curve_t *curve, const cnn_curve_t *tests,
                       bool is_loss)
{
    const double *values = is_loss ? curve->loss : curve->accuracy;
    const double *test_values = is_loss ? tests->loss : tests->accuracy;
    const double max =
        is_loss ? largest(test_values, tests->n, largest(values, curve->n, 1e-3)) : 1;
    const double left = is_loss ? LEFT : LEFT_2, right = is_loss ? MIDDLE - 16 : RIGHT;
    const chart_t c = {to,
                       {0, (double)curve->n, left, right, false},
                       {0, max, BOTTOM, TOP, false}};

    svg_draw_bottom(to, &c.x, BOTTOM, 0, "", "batches");
    svg_draw_left(to, &c.y, left, right - left, "", is_loss ? "loss" : "accuracy");
    draw_training(&c, values, curve->n);
    draw_tests(&c, tests, test_values);
}

status_t curve_files_svg(const char *path, bool force, const cnn_curve_t *curve,
                         const cnn_curve_t *tests)
{
    whole_file_t *file;
    FILE *to;
    status_t st = whole_file_open(path, WHOLE_FILE_TEXT, force, &file);

    if (st != ST_OK)
        return st;
    to = whole_file_stream(file);
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            WIDTH, HEIGHT);
    draw_chart(to, curve, tests, true);
    draw_chart(to, curve, tests, false);
    fprintf(to,
            "<text x=\"%d\" y=\"20\" fill=\"%s\">training, per batch</text>\n"
            "<text x=\"%d\" y=\"20\" fill=\"%s\">test images, per epoch</text>\n</svg>\n",
            LEFT, blue, LEFT_2, orange);
    return whole_file_close(file, ST_OK);
}
