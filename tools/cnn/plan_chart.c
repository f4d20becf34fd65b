/*
 * plan_chart.c - stacked bars, one per step: what is kept, activations, gradients, and
 * what is out; images per second over limits.
 */
#include "tools/cnn/cnn_pages.h"

#include "cnn/plan/plan_summary.h"
#include "io/base/byte_size.h"
#include "io/report/svg_draw.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { WIDTH = 720, HEIGHT = 492, LEFT = 84, RIGHT = 700, TOP = 60, BOTTOM = 360 };
enum { LEGEND = 424, LINE = 24 }; /* three lines, of two blocks each */

/* From the bottom of a bar to its top. */
enum { KEPT, ACTIVATIONS, GRADIENTS, OF_PARAMETERS, OUT, N_BLOCKS };

static const char *const block_names[N_BLOCKS] = {"parameters, states, images",
                                                  "activations", "their gradients",
                                                  "gradients of parameters",
                                                  "out, in the host's memory"};

typedef struct {
    const cnn_program_t *program;
    int *block;  /* [n_tensors] */
    int *home;   /* [n_tensors] the copy in the swap area; -1: none */
    bool *is_in; /* [n_tensors] of copies: the tensor is in the arena, too; scratch */
    double unit; /* of the axis */
    svg_axis_t x, y;
} chart_t;

static int block_of(const cnn_tensor_t *t)
{
    return cnn_tensor_lasts(t)         ? KEPT
           : t->role == CNN_ACTIVATION ? ACTIVATIONS
                                       : GRADIENTS;
}

/* Find what tensors are, each stay in the arena as its copy in the swap area. */
static void classify(chart_t *c)
{
    const cnn_program_t *p = c->program;

    for (int t = 0; t < p->n_tensors; t++) {
        c->block[t] = block_of(&p->tensors[t]);
        c->home[t] = -1;
    }
    for (int s = 0; s < p->n_steps; s++) {
        const cnn_step_t *step = &p->steps[s];

        if (step->op == CNN_FETCH)
            c->home[step->writes[0]] = step->reads[0];
        else if (step->op == CNN_EVICT)
            c->home[step->reads[0]] = step->writes[0];
        else if (cnn_op_kind(step->op) == CNN_KIND_UPDATE &&
                 c->block[step->reads[0]] == GRADIENTS)
            c->block[step->reads[0]] = OF_PARAMETERS;
    }
    for (int t = 0; t < p->n_tensors; t++) /* to the copies, then to all stays */
        if (c->home[t] >= 0 && c->block[t] != ACTIVATIONS && c->block[t] != GRADIENTS)
            c->block[c->home[t]] = c->block[t];
    for (int t = 0; t < p->n_tensors; t++)
        if (c->home[t] >= 0)
            c->block[t] = c->block[c->home[t]];
}

/* Add up, by block, the bytes that live at a step. */
static void measure(const chart_t *c, int step, double bytes[N_BLOCKS])
{
    const cnn_program_t *p = c->program;

    for (int b = 0; b < N_BLOCKS; b++)
        bytes[b] = 0;
    for (int t = 0; t < p->n_tensors; t++)
        c->is_in[t] = false;
    for (int t = 0; t < p->n_tensors; t++) {
        if (p->tensors[t].on_host || !cnn_tensor_lives(&p->tensors[t], step))
            continue;
        bytes[c->block[t]] += (double)cnn_tensor_bytes(&p->tensors[t]);
        if (c->home[t] >= 0)
            c->is_in[c->home[t]] = true;
    }
    for (int t = 0; t < p->n_tensors; t++)
        if (p->tensors[t].on_host && !c->is_in[t] &&
            cnn_tensor_lives(&p->tensors[t], step))
            bytes[OUT] += (double)cnn_tensor_bytes(&p->tensors[t]);
}

static const char *color_of(int block)
{
    return block == KEPT  ? svg_color_other[0]
           : block == OUT ? "#e8e8e8"
                          : svg_color_category[block - 1];
}

/* @return how many blocks it may have: nothing is out without a swap area */
static int n_blocks(const cnn_program_t *p)
{
    return p->swap_bytes > 0 ? N_BLOCKS : OUT;
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
    for (int b = 0; b < n_blocks(p); b++)
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

static void draw_legend(FILE *to, int n)
{
    for (int b = 0; b < n; b++) {
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

/* @return the bytes of the highest bar, or of the arena */
static double highest(const chart_t *c)
{
    double most = (double)c->program->arena_bytes;

    for (int s = 0; s < c->program->n_steps; s++) {
        double bytes[N_BLOCKS], sum = 0;

        measure(c, s, bytes);
        for (int b = 0; b < N_BLOCKS; b++)
            sum += bytes[b];
        most = fmax(most, sum);
    }
    return most;
}

static void draw_bars(FILE *to, chart_t *c)
{
    const cnn_program_t *p = c->program;
    const double arena = (double)p->arena_bytes;
    double all;

    classify(c);
    all = highest(c);
    c->unit = all >= 1073741824 ? 1073741824 : 1048576;
    c->x = (svg_axis_t){0, p->n_steps, LEFT, RIGHT, false};
    c->y = (svg_axis_t){0, 1.05 * all / c->unit, BOTTOM, TOP, false};
    draw_legend(to, n_blocks(p));
    svg_draw_left(to, &c->y, LEFT, RIGHT - LEFT, "",
                  c->unit > 1048576 ? "memory, GiB" : "memory, MiB");
    svg_draw_bottom(to, &c->x, BOTTOM, 0, "", "step");
    for (int i = 0; i < p->n_steps; i++)
        draw_step(to, c, i);
    draw_parts(to, c);
    fprintf(to,
            "<path class=\"arena\" d=\"M%d %.1fH%d\"/>"
            "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">allocated</text>\n",
            LEFT, svg_draw_at(&c->y, arena / c->unit), RIGHT, RIGHT,
            svg_draw_at(&c->y, arena / c->unit) - 5);
}

/* Draw all but the frame. */
static void draw_chart(FILE *to, const cnn_program_t *p)
{
    const size_t n = (size_t)p->n_tensors + 1;
    chart_t c = {.program = p,
                 .block = malloc(n * sizeof(*c.block)),
                 .home = malloc(n * sizeof(*c.home)),
                 .is_in = malloc(n * sizeof(*c.is_in))};

    if (c.block != NULL && c.home != NULL && c.is_in != NULL)
        draw_bars(to, &c);
    free(c.block);
    free(c.home);
    free(c.is_in);
}

/* ---- speeds ---- */

static double most_of(const plan_panel_t *panels, int n, bool is_speed)
{
    double most = 0;

    for (int i = 0; i < n; i++)
        most = fmax(most, is_speed ? panels[i].full_images_per_s : panels[i].limit_bytes);
    return most;
}

/* Draw images per second over limits, in the order of the limits. */
static void draw_speeds(FILE *to, const plan_panel_t *panels, int n)
{
    const double full = most_of(panels, n, true), limit = most_of(panels, n, false);
    const double unit = limit >= 4294967296 ? 1073741824 : 1048576;
    const svg_axis_t x = {0, 1.05 * limit / unit, LEFT, RIGHT, false},
                     y = {0, 1.1 * full, BOTTOM, TOP, false};

    svg_draw_left(to, &y, LEFT, RIGHT - LEFT, "", "images per second, predicted");
    svg_draw_bottom(to, &x, BOTTOM, 0, "", unit > 1048576 ? "limit, GiB" : "limit, MiB");
    for (int i = 0; i < n; i++) {
        const double left = svg_draw_at(&x, panels[i].limit_bytes / unit);
        const double top = svg_draw_at(&y, panels[i].images_per_s);

        fprintf(to,
                "<circle class=\"speed\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\">"
                "<title>%s: %.1f images/s</title></circle>\n",
                left, top, svg_color_category[0], panels[i].label,
                panels[i].images_per_s);
    }
    fprintf(to,
            "<path class=\"arena\" d=\"M%d %.1fH%d\"/>"
            "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">without a limit</text>\n",
            LEFT, svg_draw_at(&y, full), RIGHT, RIGHT, svg_draw_at(&y, full) - 5);
}

static bool has_speeds(const plan_panel_t *panels, int n)
{
    int n_known = 0;

    for (int i = 0; i < n; i++)
        n_known += !isnan(panels[i].images_per_s);
    return n_known > 1;
}

/* ---- files ---- */

static void begin_panel(FILE *to, int i, const char *title, const char *label)
{
    fprintf(to,
            "<g transform=\"translate(0,%d)\"><text x=\"%d\" y=\"26\" "
            "font-size=\"16\">",
            i * HEIGHT, LEFT);
    svg_draw_text(to, title);
    if (label != NULL) {
        fputs(", ", to);
        svg_draw_text(to, label);
    }
    fputs("</text>\n", to);
}

void plan_chart_draw(FILE *to, const char *title, const plan_panel_t *panels, int n)
{
    const bool shows_speeds = has_speeds(panels, n);
    const int height = HEIGHT * (n + shows_speeds);

    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"13\" fill=\"#222\">\n"
            "<style>.grid,.tick,.part,.arena{fill:none;stroke:#333}.grid{stroke:#ddd}"
            ".part{stroke-dasharray:2 3}.arena{stroke-width:1.5;stroke-dasharray:7 4}"
            "</style>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
            WIDTH, height, WIDTH, height);
    for (int i = 0; i < n; i++) {
        begin_panel(to, i, title, panels[i].label);
        draw_chart(to, panels[i].program);
        fputs("</g>\n", to);
    }
    if (shows_speeds) {
        begin_panel(to, n, title, NULL);
        draw_speeds(to, panels, n);
        fputs("</g>\n", to);
    }
    fputs("</svg>\n", to);
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
    fputs("</svg>\n", to);
}
