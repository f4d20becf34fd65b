/*
 * mesh_svg.c - triangles as paths, one for each class of angles.
 */
#include "io/mesh/mesh_svg.h"

#include "io/report/svg_draw.h"

#include <inttypes.h>
#include <math.h>

/* Pixels; classes of 5 degrees. */
enum { SIDE = 800, MARGIN = 10, KEY_WIDTH = 130, FONT = 12, N_CLASSES = 12, SWATCH = 18 };

typedef struct {
    FILE *to;
    const mesh_data_t *d;
    double left, top, scale; /* of the mesh; y grows downwards in the image */
} drawing_t;

static int class_of(double angle)
{
    return angle >= 60 ? N_CLASSES - 1 : (int)(angle / 5);
}

static void put_color(FILE *to, int class)
{
    const svg_rgba_t c = svg_color_scale((class + .5) / N_CLASSES);

    fprintf(to, "#%02x%02x%02x", c.red, c.green, c.blue);
}

static void put_point(const drawing_t *g, char letter, int32_t point)
{
    fprintf(g->to, "%c%.6g %.6g", letter,
            MARGIN + (g->d->p[point][0] - g->left) * g->scale,
            MARGIN + (g->top - g->d->p[point][1]) * g->scale);
}

/* @return the height of the image */
static double frame(drawing_t *g)
{
    const mesh_data_t *d = g->d;
    double right = -INFINITY, bottom = INFINITY;

    g->left = INFINITY;
    g->top = -INFINITY;
    for (int64_t k = 0; k < d->n_points; k++) {
        g->left = fmin(g->left, d->p[k][0]);
        right = fmax(right, d->p[k][0]);
        bottom = fmin(bottom, d->p[k][1]);
        g->top = fmax(g->top, d->p[k][1]);
    }
    g->scale = (SIDE - 2 * MARGIN) / fmax(right - g->left, g->top - bottom);
    return 2 * MARGIN + (g->top - bottom) * g->scale;
}

static void draw_class(const drawing_t *g, const double *angle, int class)
{
    const mesh_data_t *d = g->d;
    bool is_open = false;

    for (int64_t k = 0; k < d->n_triangles; k++) {
        if (class_of(angle[k]) != class)
            continue;
        if (!is_open) {
            fprintf(g->to, "<path fill=\"");
            put_color(g->to, class);
            fprintf(g->to, "\" d=\"");
        }
        is_open = true;
        for (int e = 0; e < 3; e++)
            put_point(g, e == 0 ? 'M' : 'L', d->triangle[k][e]);
        putc('Z', g->to);
    }
    if (is_open)
        fprintf(g->to, "\"/>\n");
}

static void draw_segments(const drawing_t *g)
{
    const mesh_data_t *d = g->d;

    if (d->n_segments == 0)
        return;
    fprintf(g->to, "<path fill=\"none\" stroke=\"#000\" stroke-width=\"1.2\" d=\"");
    for (int64_t k = 0; k < d->n_segments; k++) {
        put_point(g, 'M', d->segment[k][0]);
        put_point(g, 'L', d->segment[k][1]);
    }
    fprintf(g->to, "\"/>\n");
}

static void draw_key(FILE *to, const mesh_data_t *d, const double *angle)
{
    int64_t count[N_CLASSES] = {0};
    char number[SVG_NUMBER_BYTES];

    for (int64_t k = 0; k < d->n_triangles; k++)
        count[class_of(angle[k])]++;
    fprintf(to, "<text x=\"%d\" y=\"20\" fill=\"currentColor\">smallest angle</text>\n",
            SIDE + MARGIN);
    for (int k = 0; k < N_CLASSES; k++) {
        fprintf(to, "<rect x=\"%d\" y=\"%d\" width=\"14\" height=\"14\" fill=\"",
                SIDE + MARGIN, 30 + SWATCH * k);
        put_color(to, k);
        fprintf(
            to,
            "\"/><text x=\"%d\" y=\"%d\" fill=\"currentColor\">%d\xe2\x80\x93%d\xc2\xb0"
            ": %s</text>\n",
            SIDE + MARGIN + 20, 42 + SWATCH * k, 5 * k, 5 * k + 5,
            svg_draw_count(count[k], number));
    }
}

void mesh_svg_write(FILE *to, const mesh_data_t *d, const double *angle,
                    const char *title)
{
    drawing_t g = {.to = to, .d = d};
    const double height = frame(&g), least = 40 + SWATCH * N_CLASSES;

    svg_draw_begin(to, "mesh", SIDE + KEY_WIDTH, fmax(height, least), FONT, title);
    fprintf(to, "<g stroke=\"#fff\" stroke-width=\".3\" stroke-linejoin=\"round\">\n");
    for (int k = 0; k < N_CLASSES; k++)
        draw_class(&g, angle, k);
    fprintf(to, "</g>\n");
    draw_segments(&g);
    draw_key(to, d, angle);
    fprintf(to, "</svg>\n");
}
