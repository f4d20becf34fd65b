/*
 * csr_print.c - prints a graph in compressed sparse rows.
 */
#include "io/graphfile/csr_file.h"
#include "tools/print/file_printers.h"

#include <inttypes.h>

static status_t describe(const char *path, FILE *to)
{
    csr_t g;
    status_t st = csr_file_read(path, GRAPH_WEIGHTS_ANY, &g);

    if (st != ST_OK)
        return st;
    fprintf(to,
            "file\tnodes\t%" PRId64 "\nfile\tarcs\t%" PRId64
            "\nfile\tweights\t%s\nfile\tsymmetric\t%d\nfile\tmax_degree\t%" PRId64 "\n",
            g.n_nodes, g.n_arcs,
            g.value != NULL    ? "real"
            : g.weight != NULL ? "int32"
                               : "none",
            g.is_symmetric, csr_max_degree(&g));
    csr_free(&g);
    return ST_OK;
}

/* An undirected edge is printed once in each direction. */
static status_t print_arcs(const char *path, bool has_header, FILE *to)
{
    csr_t g;
    status_t st = csr_file_read(path, GRAPH_WEIGHTS_ANY, &g);

    if (st != ST_OK)
        return st;
    if (has_header)
        fprintf(to, "source\ttarget%s\n",
                g.weight != NULL || g.value != NULL ? "\tweight" : "");
    for (int64_t u = 0; u < g.n_nodes && !ferror(to); u++)
        for (int64_t a = g.first[u]; a < g.first[u + 1]; a++) {
            fprintf(to, "%" PRId64 "\t%" PRId64, g.id[u], g.id[g.to[a]]);
            if (g.weight != NULL)
                fprintf(to, "\t%" PRId32, g.weight[a]);
            if (g.value != NULL)
                fprintf(to, "\t%.17g", g.value[a]);
            putc('\n', to);
        }
    csr_free(&g);
    return ST_OK;
}

static status_t draw(const file_report_t *how)
{
    file_page_t page = {.title = "Graph"};
    report_bars_t *bars =
        file_page_chart(&page, "degree", "Distribution of degrees", "node", "nodes");
    report_bins_t bins;
    csr_t g;
    status_t st = csr_file_read(how->input, GRAPH_WEIGHTS_ANY, &g);

    if (st != ST_OK)
        return st;
    file_page_card(&page, "n-nodes", g.n_nodes, "nodes");
    file_page_card(&page, "n-arcs", g.n_arcs,
                   g.is_symmetric ? "arcs, two per edge" : "arcs");
    file_page_card(&page, "max-degree", csr_max_degree(&g), "arcs of a node, at most");
    bins = report_bins(0, (double)csr_max_degree(&g), true);
    report_bins_label(&bins, bars);
    for (int64_t u = 0; u < g.n_nodes; u++)
        bars->bars[report_bins_of(&bins, (double)csr_degree(&g, (int32_t)u))].count++;
    csr_free(&g);
    return file_page_write(&page, how, &csr_file_printer);
}

const file_printer_t csr_file_printer = {"graph make", describe, print_arcs, draw};
