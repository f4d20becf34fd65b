/*
 * report_lines.c - lines and points over a linear or logarithmic axis.
 */
#include "io/report/report_figures.h"

#include "io/report/report_legend.h"
#include "io/report/svg_draw.h"

#include <math.h>

enum {
    WIDTH = 640,
    LEFT = 92,
    RIGHT = 616,
    TOP = 16,
    BOTTOM = 316,
    LEGEND = 388, /* baseline of its first line */
    LINE = 26,
    COLUMNS = 2, /* of the legend */
    NAME_BYTES = 28,
    TICK_GAP = 40 /* pixels between numbers below a logarithmic axis, at least */
};

typedef struct {
    svg_axis_t x, y;
} axes_t;

/* Where axes end: numbers beyond leave no room for steps between them. */
static const double smallest = 1e-9, largest = 1e300;

static bool is_shown(const report_series_t *s, int i)
{
    return fabs(s->x[i]) <= largest && fabs(s->y[i]) <= largest; /* of NAN: no */
}

/* @return whether there is any point */
static bool find_ranges(const report_lines_t *c, axes_t *a)
{
    double low = INFINITY, high = -INFINITY, top = -INFINITY;

    for (int s = 0; s < c->n_series; s++)
        for (int i = 0; i < c->series[s].n; i++)
            if (is_shown(&c->series[s], i)) {
                low = fmin(low, c->series[s].x[i]);
                high = fmax(high, c->series[s].x[i]);
                top = fmax(top, c->series[s].y[i]);
            }
    if (low > high)
        return false;
    if (c->is_x_log && high > low)
        a->x = (svg_axis_t){low, high, LEFT + 24, RIGHT - 24, true};
    else if (high > low)
        a->x = (svg_axis_t){c->x_min > 0 ? c->x_min : fmin(low, 0), high, LEFT, RIGHT,
                            false};
    else
        a->x = (svg_axis_t){low - fmax(1, fabs(low)), low + fmax(1, fabs(low)), LEFT,
                            RIGHT, false};
    if (c->y_max > 0)
        top = c->y_max;
    else
        top = top > smallest ? 1.06 * top : 1;
    a->y = (svg_axis_t){0, top, BOTTOM, TOP, false};
    return true;
}

/* Number the values of x themselves, as far as they are apart. */
static void draw_values(FILE *to, const report_lines_t *c, const svg_axis_t *x)
{
    double value = -INFINITY, last = -INFINITY;
    char text[SVG_NUMBER_BYTES];

    for (;;) {
        double next = INFINITY, at;

        for (int s = 0; s < c->n_series; s++)
            for (int i = 0; i < c->series[s].n; i++)
                if (is_shown(&c->series[s], i) && c->series[s].x[i] > value)
                    next = fmin(next, c->series[s].x[i]);
        if (isinf(next))
            break;
        value = next;
        if ((at = svg_draw_at(x, value)) < last + TICK_GAP)
            continue;
        last = at;
        fprintf(to,
                "<path class=\"tick\" d=\"M%.1f %dv5\"/>"
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
                at, BOTTOM, at, BOTTOM + 21, svg_draw_count(llround(value), text));
    }
    fprintf(to,
            "<path class=\"tick\" d=\"M%d %dH%d\"/><text class=\"title\" x=\"%d\" "
            "y=\"%d\" text-anchor=\"middle\">",
            LEFT, BOTTOM, RIGHT, (LEFT + RIGHT) / 2, BOTTOM + 44);
    svg_draw_text(to, c->x_title);
    fputs("</text>\n", to);
}

/* Colours repeat after the eighth series, which the next ones are dashed for. */
static void write_stroke(FILE *to, int series)
{
    fprintf(to, "fill=\"none\" stroke=\"%s\" stroke-width=\"2.5\"",
            svg_color_category[series % SVG_N_CATEGORIES]);
    if (series >= SVG_N_CATEGORIES)
        fprintf(to, " stroke-dasharray=\"%d 4\"", 4 * (series / SVG_N_CATEGORIES));
}

static void draw_line(FILE *to, const axes_t *a, const report_series_t *s, int number)
{
    bool is_begun = false;

    fputs("<path class=\"series\" stroke-linejoin=\"round\" ", to);
    write_stroke(to, number);
    fputs(" d=\"", to);
    for (int i = 0; i < s->n; i++)
        if (is_shown(s, i)) {
            fprintf(to, "%c%.1f %.1f", is_begun ? 'L' : 'M', svg_draw_at(&a->x, s->x[i]),
                    svg_draw_at(&a->y, s->y[i]));
            is_begun = true;
        }
    fputs("\"/>\n", to);
}

static void draw_points(FILE *to, const report_lines_t *c, const axes_t *a, int number)
{
    const report_series_t *s = &c->series[number];

    for (int i = 0; i < s->n; i++) {
        if (!is_shown(s, i))
            continue;
        fprintf(to,
                "<circle class=\"point\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\" "
                "fill=\"%s\"><title>",
                svg_draw_at(&a->x, s->x[i]), svg_draw_at(&a->y, s->y[i]),
                svg_color_category[number % SVG_N_CATEGORIES]);
        svg_draw_text(to, s->name);
        fprintf(to, ": %.6g at %.6g</title></circle>\n", s->y[i], s->x[i]);
    }
}

static void draw_legend(FILE *to, const report_lines_t *c)
{
    for (int s = 0; s < c->n_series; s++) {
        const int x = LEFT + s % COLUMNS * (RIGHT - LEFT) / COLUMNS;
        const int y = LEGEND + s / COLUMNS * LINE;

        fputs("<g class=\"legend\">", to);
        if (c->series[s].has_line) {
            fprintf(to, "<path d=\"M%d %dh26\" ", x, y - 5);
            write_stroke(to, s);
            fputs("/>", to);
        }
        if (c->series[s].has_points)
            fprintf(to, "<circle cx=\"%d\" cy=\"%d\" r=\"4.5\" fill=\"%s\"/>", x + 13,
                    y - 5, svg_color_category[s % SVG_N_CATEGORIES]);
        fprintf(to, "<text x=\"%d\" y=\"%d\">", x + 34, y);
        report_legend_name(to, c->series[s].name, NAME_BYTES);
        fputs("</text></g>\n", to);
    }
}

static int height_of(const report_lines_t *c)
{
    const int n_lines = (c->n_series + COLUMNS - 1) / COLUMNS;

    return LEGEND + (n_lines - 1) * LINE + 14;
}

bool report_lines_draw(FILE *to, const report_lines_t *c)
{
    axes_t a;

    if (!find_ranges(c, &a))
        return false;
    svg_draw_begin(to, c->id, WIDTH, height_of(c), 17, c->label);
    svg_draw_left(to, &a.y, LEFT, RIGHT - LEFT, c->y_unit, c->y_title);
    if (a.x.is_log)
        draw_values(to, c, &a.x);
    else
        svg_draw_bottom(to, &a.x, BOTTOM, 0, "", c->x_title);
    for (int s = 0; s < c->n_series; s++) {
        if (c->series[s].has_line)
            draw_line(to, &a, &c->series[s], s);
        if (c->series[s].has_points)
            draw_points(to, c, &a, s);
    }
    draw_legend(to, c);
    fputs("</svg>\n", to);
    return true;
}

void report_lines_picture(FILE *to, const char *title, const report_lines_t *charts,
                          int n)
{
    enum { HEAD = 44, PER_ROW = 3 };
    const int n_columns = n < PER_ROW ? n : PER_ROW, n_rows = (n + PER_ROW - 1) / PER_ROW;
    int height = 0;

    for (int i = 0; i < n; i++)
        if (height_of(&charts[i]) > height)
            height = height_of(&charts[i]);
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "color=\"#222\">\n<style>.tick{stroke:#222;stroke-width:1;fill:none}"
            ".grid{stroke:#ddd;stroke-width:1}.title{font-weight:600}</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
            "<text x=\"%d\" y=\"28\" font-family=\"sans-serif\" font-size=\"18\">",
            n_columns * WIDTH, HEAD + n_rows * height, LEFT);
    svg_draw_text(to, title);
    fputs("</text>\n", to);
    for (int i = 0; i < n; i++) {
        fprintf(to, "<svg x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\">\n",
                i % PER_ROW * WIDTH, HEAD + i / PER_ROW * height, WIDTH,
                height_of(&charts[i]));
        (void)report_lines_draw(to, &charts[i]);
        fputs("</svg>\n", to);
    }
    fputs("</svg>\n", to);
}
