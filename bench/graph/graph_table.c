/*
 * graph_table.c - compares the settings of an algorithm, and prints them.
 */
#include "bench/graph/graph_table.h"

#include "io/report/svg_draw.h"

#include <inttypes.h>
#include <stdio.h>

static const char *name_of(int algorithm)
{
    return graph_info((graph_algorithm_t)algorithm)->name;
}

double graph_table_speedup(const graph_table_t *t, int algorithm, int setting)
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
    double speedup = graph_table_speedup(t, algorithm, setting);

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
        print_ratio(graph_table_speedup(t, algorithm, s));
        print_ratio(best >= 0 ? t->cell[algorithm][best].median / c->median : 0);
        putchar('\n');
    }
    fflush(stdout);
}
