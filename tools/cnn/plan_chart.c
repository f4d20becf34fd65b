/*
 * plan_chart.c - stacked bars, one per step: what is kept, activations, gradients.
 */
#include "tools/cnn/cnn_pages.h"

#include "cnn/plan/plan_summary.h"
#include "io/base/byte_size.h"
#include "io/report/svg_draw.h"

#include <math.h>

enum { WIDTH = 720, HEIGHT = 468, LEFT = 84, RIGHT = 700, TOP = 60, BOTTOM = 360 };
enum { LEGEND = 424, LINE = 24 }; /* two lines, of two blocks each */

/* From the bottom of a bar to its top. */
enum { KEPT, ACTIVATIONS, GRADIENTS, OF_PARAMETERS, N_BLOCKS };

static const char *const block_names[N_BLOCKS] = {"parameters, states, images",
                                                  "activations", "their gradients",
                                                  "gradients of parameters"};

typedef struct {
    const cnn_program_t *program;
    double kept, unit; /* bytes; unit: of the axis */
    svg_axis_t x, y;
} chart_t;

/* Add up, by block, the bytes that live at a step. */
static void measure(const chart_t *c, int step, double bytes[N_BLOCKS])
{
    const cnn_program_t *p = c->program;

    for (int b = 0; b < N_BLOCKS; b++)
        bytes[b] = b == KEPT ? c->kept : 0;
    for (int i = 0; i < p->n_tensors; i++) {
        const cnn_tensor_t *t = &p->tensors[i];
        double n = (double)cnn_tensor_bytes(t);

        if (!cnn_tensor_lives(t, step))
            continue;
        if (t->role == CNN_ACTIVATION)
            bytes[ACTIVATIONS] += n;
        else if (t->role == CNN_GRADIENT) /* updates read those of parameters */
            bytes[plan_summary_part(p, t->last_step) == PLAN_UPDATE ? OF_PARAMETERS
                                                                    : GRADIENTS] += n;
    }
}

static const char *color_of(int block)
{
    return block == KEPT ? svg_color_other[0] : svg_color_category[block - 1];
}

static void draw_step(FILE *to, const chart_t *c, int step)
{
    const cnn_program_t *p = c->program;
    double bytes[N_BLOCKS], below = 0, left = svg_draw_at(&c->x, step);
    double width = svg_draw_at(&c->x, step + 1) - left;
    char text[BYTE_SIZE_TEXT_BYTES];

    measure(c, step, bytes);
    fprintf(to, "<g shape-rendering=\"crispEdges\"><title>%d ", step);
    svg_draw_text(to, p->layers[p->steps[step].layer]);
    fprintf(to, " %s", cnn_op_name(p->steps[step].op));
    for (int b = 0; b < N_BLOCKS; b++)
        fprintf(to, "; %s %s", block_names[b], byte_size_text(bytes[b], text));
    fputs("</title>", to);
    for (int b = 0; b < N_BLOCKS; b++) {
        double top = svg_draw_at(&c->y, (below + bytes[b]) / c->unit);

        if (bytes[b] > 0)
            fprintf(to,
                    "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
                    "fill=\"%s\"/>",
                    left, top, width, svg_draw_at(&c->y, below / c->unit) - top,
                    color_of(b));
        below += bytes[b];
    }
    fputs("</g>\n", to);
}

static void draw_legend(FILE *to)
{
    for (int b = 0; b < N_BLOCKS; b++) {
        const int x = LEFT + b % 2 * (RIGHT - LEFT) / 2, y = LEGEND + b / 2 * LINE;

        fprintf(to,
                "<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/>"
                "<text x=\"%d\" y=\"%d\">%s</text>\n",
                x, y, color_of(b), x + 18, y + 11, block_names[b]);
    }
}

/* Mark where backward steps and updates begin. */
static void draw_parts(FILE *to, const chart_t *c)
{
    const cnn_program_t *p = c->program;
    int starts[PLAN_N_PARTS] = {0, p->n_forward, p->n_forward + p->n_backward};

    for (int i = 0; i < PLAN_N_PARTS; i++) {
        double x = svg_draw_at(&c->x, starts[i]);

        if (starts[i] < p->n_steps)
            fprintf(to,
                    "<path class=\"part\" d=\"M%.1f %dV%d\"/>"
                    "<text x=\"%.1f\" y=\"%d\">%s</text>\n",
                    x, TOP - 12, BOTTOM, x + 4, TOP - 4,
                    plan_summary_part_name((plan_part_t)i));
    }
}

/* Draw all but the frame. */
static void draw_chart(FILE *to, const cnn_program_t *p)
{
    plan_summary_t s = plan_summary_of(p);
    double all = (double)s.arena_bytes;
    double unit = all >= 1073741824 ? 1073741824 : 1048576;
    chart_t c = {.program = p,
                 .kept = all - (double)s.shared_bytes,
                 .unit = unit,
                 .x = {0, p->n_steps, LEFT, RIGHT, false},
                 .y = {0, 1.05 * all / unit, BOTTOM, TOP, false}};

    draw_legend(to);
    svg_draw_left(to, &c.y, LEFT, RIGHT - LEFT, "",
                  unit > 1048576 ? "memory, GiB" : "memory, MiB");
    svg_draw_bottom(to, &c.x, BOTTOM, 0, "", "step");
    for (int i = 0; i < p->n_steps; i++)
        draw_step(to, &c, i);
    draw_parts(to, &c);
    fprintf(to,
            "<path class=\"arena\" d=\"M%d %.1fH%d\"/>"
            "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">allocated</text>\n</svg>\n",
            LEFT, svg_draw_at(&c.y, all / unit), RIGHT, RIGHT,
            svg_draw_at(&c.y, all / unit) - 5);
}

void plan_chart_draw(FILE *to, const char *title, const cnn_program_t *p)
{
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"13\" fill=\"#222\">\n"
            "<style>.grid,.tick,.part,.arena{fill:none;stroke:#333}.grid{stroke:#ddd}"
            ".part{stroke-dasharray:2 3}.arena{stroke-width:1.5;stroke-dasharray:7 4}"
            "</style>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n"
            "<text x=\"%d\" y=\"26\" font-size=\"16\">",
            WIDTH, HEIGHT, WIDTH, HEIGHT, LEFT);
    svg_draw_text(to, title);
    fputs("</text>\n", to);
    draw_chart(to, p);
}

void plan_chart_embed(FILE *to, int number, const char *label, const cnn_program_t *p)
{
    fprintf(to,
            "<svg id=\"memory-%d\" class=\"memory\" "
            "xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 30 %d "
            "%d\" font-family=\"system-ui,sans-serif\" font-size=\"15\" "
            "fill=\"currentColor\" role=\"img\" aria-label=\"",
            number, WIDTH, HEIGHT - 30);
    svg_draw_text(to, label);
    fputs("\">\n", to);
    draw_chart(to, p);
}
