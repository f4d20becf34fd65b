/*
 * graph_table.c - compares the settings of an algorithm, and prints and draws them.
 */
#include "bench/graph/graph_bench.h"

#include "io/report/svg_draw.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *name_of(int algorithm)
{
    return graph_info((graph_algorithm_t)algorithm)->name;
}

/* @return the time of the baseline / that of a setting, or 0: one was not measured */
static double speedup_of(const graph_table_t *t, int algorithm, int setting)
{
    const graph_cell_t *cells = t->cell[algorithm];

    if (t->baseline < 0 || !cells[t->baseline].is_measured || !cells[setting].is_measured)
        return 0;
    return cells[t->baseline].median / cells[setting].median;
}

/* @return the fastest setting of an algorithm but the automatic one, or -1 */
static int find_best(const graph_table_t *t, int algorithm)
{
    const graph_cell_t *cells = t->cell[algorithm];
    int best = -1;

    for (int s = 0; s < t->n_settings; s++)
        if (s != t->automatic && cells[s].is_measured &&
            (best < 0 || cells[s].median < cells[best].median))
            best = s;
    return best;
}

/* @return the time of the best setting but the automatic one / that of the automatic one,
 * or 0 */
static double automatic_ratio(const graph_table_t *t, int algorithm)
{
    const graph_cell_t *cells = t->cell[algorithm];
    int best = find_best(t, algorithm);

    if (best < 0 || t->automatic < 0 || !cells[t->automatic].is_measured)
        return 0;
    return cells[best].median / cells[t->automatic].median;
}

void graph_table_print_head(const graph_table_t *t, const char *reference)
{
    char nodes[SVG_NUMBER_BYTES], arcs[SVG_NUMBER_BYTES], degree[SVG_NUMBER_BYTES];

    printf("%s: %s nodes, %s arcs, %s, degrees up to %s; %s; compared with %s\n",
           t->input, svg_draw_count(t->graph->n_nodes, nodes),
           svg_draw_count(t->graph->n_arcs, arcs),
           t->graph->is_symmetric ? "undirected" : "directed",
           svg_draw_count(csr_max_degree(t->graph), degree), t->device->name, reference);
    fflush(stdout);
}

static void print_row(const graph_table_t *t, int algorithm, int setting)
{
    const graph_cell_t *c = &t->cell[algorithm][setting];
    double speedup = speedup_of(t, algorithm, setting);

    printf("%-14s  %10.4f  %10.4f  %10.4f  %4d  %10" PRId64 "  %8.2f",
           t->settings[setting].name, 1e3 * c->median, 1e3 * c->min, 1e3 * c->max,
           c->n_runs, c->n_iterations, 1e-9 * t->arcs[algorithm] / c->median);
    if (speedup > 0)
        printf("  %8.2f", speedup);
    putchar('\n');
}

void graph_table_print(const graph_table_t *t, int algorithm)
{
    const graph_cell_t *cells = t->cell[algorithm];
    int best = find_best(t, algorithm);
    double automatic = automatic_ratio(t, algorithm);
    bool has_slow = false;

    printf("\n%-14s  %10s  %10s  %10s  %4s  %10s  %8s", name_of(algorithm), "median ms",
           "min ms", "max ms", "runs", "iterations", "Garcs/s");
    if (t->baseline >= 0)
        printf("  x %s", t->settings[t->baseline].name);
    putchar('\n');
    for (int s = 0; s < t->n_settings; s++) {
        if (cells[s].is_measured)
            print_row(t, algorithm, s);
        has_slow = has_slow || (cells[s].is_measured && cells[s].n_runs == 0);
    }
    if (has_slow)
        printf("0 runs: the run to warm up took longer than --seconds; its time is "
               "shown\n");
    if (automatic > 0)
        printf("%s has %.0f %% of the speed of %s, the fastest of the others\n",
               t->settings[t->automatic].name, 100 * automatic, t->settings[best].name);
    fflush(stdout);
}

void graph_table_tsv_head(void)
{
    printf(
        "algorithm\tsetting\tinput\tnodes\tarcs\tdevice\truns\tmin_s\tmedian_s\tmax_s\t"
        "arcs_per_s\titerations\tarcs_visited\tspeedup\tof_best\n");
}

static void print_ratio(double ratio)
{
    if (ratio > 0)
        printf("\t%.4f", ratio);
    else
        printf("\tNA");
}

void graph_table_tsv(const graph_table_t *t, int algorithm)
{
    int best = find_best(t, algorithm);

    for (int s = 0; s < t->n_settings; s++) {
        const graph_cell_t *c = &t->cell[algorithm][s];

        if (!c->is_measured)
            continue;
        printf("%s\t%s\t%s\t%" PRId64 "\t%" PRId64
               "\t%s\t%d\t%.4e\t%.4e\t%.4e\t%.4e\t%" PRId64 "\t%" PRId64,
               name_of(algorithm), t->settings[s].name, t->input, t->graph->n_nodes,
               t->graph->n_arcs, t->device->name, c->n_runs, c->min, c->median, c->max,
               t->arcs[algorithm] / c->median, c->n_iterations, c->n_visited);
        print_ratio(speedup_of(t, algorithm, s));
        print_ratio(best >= 0 ? t->cell[algorithm][best].median / c->median : 0);
        putchar('\n');
    }
    fflush(stdout);
}

/* ---- the heat map ---- */

enum {
    MIN_LEFT = 120,
    LETTER = 7,
    TOP = 84,
    CELL_WIDTH = 104,
    CELL_HEIGHT = 34,
    LEGEND = 64
};

static const double slowest = 100; /* times the best: the end of the colours */

/* @return the width of the settings' names */
static int left_of(const graph_table_t *t)
{
    int left = MIN_LEFT;

    for (int s = 0; s < t->n_settings; s++) {
        const int width = LETTER * (int)strlen(t->settings[s].name) + 16;

        left = width > left ? width : left;
    }
    return left;
}

/* @return 1 for the fastest, 0 for `slowest` times its time or more */
static double shade(double ratio)
{
    return fmax(0, 1 - log(ratio) / log(slowest));
}

static void draw_text(FILE *to, double x, double y, const char *anchor, const char *color,
                      const char *text)
{
    fprintf(to, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">", x, y,
            anchor, color);
    svg_draw_text(to, text);
    fprintf(to, "</text>\n");
}

static void draw_cell(FILE *to, const graph_table_t *t, int algorithm, int setting,
                      double x, double y)
{
    const graph_cell_t *c = &t->cell[algorithm][setting];
    double speedup = speedup_of(t, algorithm, setting), best = INFINITY, light;
    svg_rgba_t color;
    const char *ink;
    char text[SVG_NUMBER_BYTES];

    for (int s = 0; s < t->n_settings; s++)
        if (t->cell[algorithm][s].is_measured)
            best = fmin(best, t->cell[algorithm][s].median);
    if (!c->is_measured) {
        draw_text(to, x + CELL_WIDTH / 2.0, y + 21, "middle", "#999", "-");
        return;
    }
    light = shade(c->median / best);
    color = svg_color_scale(light);
    ink = light < 0.6 ? "#fff" : "#000";
    fprintf(to,
            "<g data-algorithm=\"%s\" data-setting=\"%s\" data-ms=\"%.4f\">"
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" "
            "fill=\"#%02x%02x%02x\"/>\n",
            graph_info((graph_algorithm_t)algorithm)->name, t->settings[setting].name,
            1e3 * c->median, x + 1, y + 1, CELL_WIDTH - 2, CELL_HEIGHT - 2, color.red,
            color.green, color.blue);
    snprintf(text, sizeof(text), "%.3g ms", 1e3 * c->median);
    draw_text(to, x + CELL_WIDTH / 2.0, y + (speedup > 0 ? 15 : 21), "middle", ink, text);
    if (speedup > 0) {
        snprintf(text, sizeof(text), speedup < 9.95 ? "%.2fx" : "%.0fx", speedup);
        draw_text(to, x + CELL_WIDTH / 2.0, y + 28, "middle", ink, text);
    }
    fprintf(to, "</g>\n");
}

static void draw_legend(FILE *to, int left, double y)
{
    enum { STEPS = 48, WIDTH = 240 };
    static const double ticks[] = {1, 3, 10, 30, 100};
    char text[SVG_NUMBER_BYTES];

    for (int k = 0; k < STEPS; k++) {
        svg_rgba_t c = svg_color_scale(1 - (k + 0.5) / STEPS);

        fprintf(to,
                "<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"10\" "
                "fill=\"#%02x%02x%02x\"/>\n",
                left + k * (WIDTH / STEPS), y, WIDTH / STEPS + 1, c.red, c.green, c.blue);
    }
    for (size_t k = 0; k < sizeof(ticks) / sizeof(ticks[0]); k++) {
        snprintf(text, sizeof(text), "%gx", ticks[k]);
        draw_text(to, left + WIDTH * (1 - shade(ticks[k])), y + 24, "middle", "#222",
                  text);
    }
    draw_text(to, left + WIDTH + 20, y + 10, "start", "#222",
              "time / that of the fastest setting of the algorithm");
}

static void draw_head(FILE *to, const graph_table_t *t, int width, int height)
{
    char nodes[SVG_NUMBER_BYTES], arcs[SVG_NUMBER_BYTES];

    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n"
            "<text x=\"10\" y=\"24\" font-size=\"16\">",
            width, height, width, height);
    svg_draw_text(to, t->input);
    fprintf(to, "</text>\n<text x=\"10\" y=\"44\">%s nodes, %s arcs, ",
            svg_draw_count(t->graph->n_nodes, nodes),
            svg_draw_count(t->graph->n_arcs, arcs));
    svg_draw_text(to, t->device->name);
    if (t->baseline >= 0)
        fprintf(to, "; below the time: speed-up over %s", t->settings[t->baseline].name);
    fprintf(to, "</text>\n");
}

void graph_heat_draw(FILE *to, const graph_table_t *t)
{
    const int left = left_of(t);
    int n_columns = 0, column = 0, bottom = TOP + t->n_settings * CELL_HEIGHT;

    for (int a = 0; a < GRAPH_N_ALGORITHMS; a++)
        n_columns += t->arcs[a] > 0;
    draw_head(to, t, left + (n_columns < 6 ? 6 : n_columns) * CELL_WIDTH + 20,
              bottom + LEGEND);
    for (int s = 0; s < t->n_settings; s++)
        draw_text(to, left - 8, TOP + s * CELL_HEIGHT + 21, "end", "#222",
                  t->settings[s].name);
    for (int a = 0; a < GRAPH_N_ALGORITHMS; a++) {
        double x = left + column * CELL_WIDTH;

        if (t->arcs[a] <= 0)
            continue;
        draw_text(to, x + CELL_WIDTH / 2.0, TOP - 8, "middle", "#222",
                  graph_info((graph_algorithm_t)a)->name);
        for (int s = 0; s < t->n_settings; s++)
            draw_cell(to, t, a, s, x, TOP + s * CELL_HEIGHT);
        column++;
    }
    draw_legend(to, left, bottom + 16);
    fprintf(to, "</svg>\n");
}
