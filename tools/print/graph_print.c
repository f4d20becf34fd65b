/*
 * graph_print.c - results of `graph`, read in portions: their values, and a page on how
 * these are distributed, or on the sizes of the groups that they make, or on the weights
 * of the edges.
 */
#include "tools/print/file_printers.h"

#include "io/base/compare.h"
#include "io/base/logmsg.h"
#include "io/graphfile/graph_result_format.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PORTION = 1 << 16, REAL_BYTES = 32, VALUE_BYTES = 8 };

/* Print the shortest of 15 to 17 digits that give the number back. */
static void print_real(FILE *to, double x)
{
    char text[REAL_BYTES];

    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    fputs(text, to);
}

static void print_value(FILE *to, graph_type_t type, const void *values, int64_t k)
{
    putc('\t', to);
    switch (type) {
    case GRAPH_INT32:
        fprintf(to, "%" PRId32, ((const int32_t *)values)[k]);
        break;
    case GRAPH_REAL:
        print_real(to, ((const double *)values)[k]);
        break;
    case GRAPH_FLAG:
        fprintf(to, "%d", ((const uint8_t *)values)[k]);
        break;
    default:
        fprintf(to, "%" PRId64, ((const int64_t *)values)[k]);
    }
}

/* @return the name of the node with an id; "-" of none */
static const char *name_of(const graph_result_info_t *i, int64_t id)
{
    const int64_t *at =
        bsearch(&id, i->id, (size_t)i->n_nodes, sizeof(id), compare_int64);

    return at != NULL ? i->name[at - i->id] : "-";
}

/* Values of successive nodes. */
typedef struct {
    int64_t n; /* of nodes, at most */
    void *values[GRAPH_RESULT_MAX_COLUMNS];
    int64_t *counts; /* [samples][n] */
} portion_t;

static void print_node(const graph_result_info_t *i, int64_t row, int64_t u,
                       const portion_t *p, int64_t at, FILE *to)
{
    if (i->n_rows > 1)
        fprintf(to, "%" PRId64 "\t", i->source[row]);
    if (i->n_rows > 1 && i->name != NULL)
        fprintf(to, "%s\t", name_of(i, i->source[row]));
    fprintf(to, "%" PRId64, i->id[u]);
    if (i->name != NULL)
        fprintf(to, "\t%s", i->name[u]);
    for (int c = 0; c < i->n_columns; c++) {
        print_value(to, i->column[c].type, p->values[c], at);
        if (i->column[c].type == GRAPH_NODE && i->name != NULL)
            fprintf(to, "\t%s", name_of(i, ((const int64_t *)p->values[c])[at]));
    }
    for (int64_t s = 0; s < i->n_samples; s++)
        print_value(to, GRAPH_INT64, p->counts, s * p->n + at);
    putc('\n', to);
}

/* Print nodes begin .. end-1 of a row. @param p  memory for a portion */
static status_t print_nodes(graph_result_file_t *f, int64_t row, int64_t begin,
                            int64_t end, const portion_t *p, FILE *to)
{
    const graph_result_info_t *i = graph_result_read_info(f);
    status_t st = ST_OK;

    for (int c = 0; st == ST_OK && c < i->n_columns; c++)
        st = graph_result_read_values(f, c, row, begin, end, p->values[c]);
    for (int64_t s = 0; st == ST_OK && s < i->n_samples; s++)
        st = graph_result_read_counts(f, s, begin, end, p->counts + s * p->n);
    for (int64_t u = begin; st == ST_OK && u < end; u++)
        print_node(i, row, u, p, u - begin, to);
    return st;
}

static void print_node_header(const graph_result_info_t *i, FILE *to)
{
    const bool has_names = i->name != NULL;

    fprintf(to, "%s%sid%s", i->n_rows > 1 ? "source\t" : "",
            i->n_rows > 1 && has_names ? "source_name\t" : "", has_names ? "\tname" : "");
    for (int c = 0; c < i->n_columns; c++) {
        fprintf(to, "\t%s", i->column[c].name);
        if (has_names && i->column[c].type == GRAPH_NODE)
            fprintf(to, "\t%s_name", i->column[c].name);
    }
    for (int64_t s = 0; s < i->n_samples; s++)
        fprintf(to, "\t%s", i->sample[s]);
    putc('\n', to);
}

static status_t print_all_nodes(graph_result_file_t *f, bool has_header, FILE *to)
{
    const graph_result_info_t *i = graph_result_read_info(f);
    portion_t p = {.n = i->n_samples > 0 ? GRAPH_RESULT_COUNTS_CHUNK : PORTION};
    status_t st = ST_OK;

    for (int c = 0; st == ST_OK && c < i->n_columns; c++)
        if ((p.values[c] = malloc((size_t)p.n * VALUE_BYTES)) == NULL)
            st = log_nomem("a result file");
    p.counts = malloc((size_t)(p.n * i->n_samples) * sizeof(*p.counts) + 1);
    if (p.counts == NULL)
        st = log_nomem("a result file");
    if (st == ST_OK && has_header)
        print_node_header(i, to);
    for (int64_t row = 0; row < i->n_rows; row++)
        for (int64_t u = 0; st == ST_OK && !ferror(to) && u < i->n_nodes; u += p.n)
            st = print_nodes(f, row, u, u + p.n < i->n_nodes ? u + p.n : i->n_nodes, &p,
                             to);
    for (int c = 0; c < i->n_columns; c++)
        free(p.values[c]);
    free(p.counts);
    return st;
}

static void print_edge(const graph_result_info_t *i, int64_t k, FILE *to)
{
    const graph_result_edges_t *e = &i->edges;

    fprintf(to, "%" PRId64 "\t%" PRId64, e->source[k], e->target[k]);
    if (i->name != NULL)
        fprintf(to, "\t%s\t%s", name_of(i, e->source[k]), name_of(i, e->target[k]));
    if (i->has_weight)
        print_value(to, GRAPH_INT32, e->weight, k);
    if (i->has_value)
        print_value(to, GRAPH_REAL, e->value, k);
    putc('\n', to);
}

static status_t print_all_edges(graph_result_file_t *f, bool has_header, FILE *to)
{
    const graph_result_info_t *i = graph_result_read_info(f);

    if (has_header)
        fprintf(to, "source\ttarget%s%s\n",
                i->name != NULL ? "\tsource_name\ttarget_name" : "",
                i->has_weight || i->has_value ? "\tweight" : "");
    for (int64_t k = 0; !ferror(to) && k < i->n_edges; k++)
        print_edge(i, k, to);
    return ST_OK;
}

/* Print one line per node, for each source if there are several; or one per edge. */
static status_t print_values(const char *path, bool has_header, FILE *to)
{
    graph_result_file_t *f;
    status_t st = graph_result_read_open(path, &f);

    if (st != ST_OK)
        return st;
    st = graph_result_read_info(f)->n_edges >= 0 ? print_all_edges(f, has_header, to)
                                                 : print_all_nodes(f, has_header, to);
    graph_result_read_close(f);
    return st;
}

static status_t describe(const char *path, FILE *to)
{
    graph_result_file_t *f;
    const graph_result_info_t *i;
    status_t st = graph_result_read_open(path, &f);

    if (st != ST_OK)
        return st;
    i = graph_result_read_info(f);
    run_info_print_line("file", "algorithm", i->algorithm, to);
    fprintf(to, "file\tnodes\t%" PRId64 "\n", i->n_nodes);
    if (i->source != NULL)
        fprintf(to, "file\tsources\t%" PRId64 "\n", i->n_sources);
    if (i->n_samples > 0)
        fprintf(to, "file\tsamples\t%" PRId64 "\n", i->n_samples);
    if (i->n_edges >= 0)
        fprintf(to, "file\tedges\t%" PRId64 "\n", i->n_edges);
    for (int c = 0; c < i->n_columns; c++)
        run_info_print_line("file", "column", i->column[c].name, to);
    run_info_print_job(i->job, to);
    graph_result_read_close(f);
    return ST_OK;
}

/* ---- the page ---- */

enum { TITLE_BYTES = 96 };

typedef struct {
    graph_result_file_t *file;
    const graph_result_info_t *info;
    union {
        int32_t i32[PORTION];
        int64_t i64[PORTION];
        double real[PORTION];
        uint8_t flag[PORTION];
    } raw;
    double values[PORTION];
    char title[GRAPH_RESULT_MAX_COLUMNS][TITLE_BYTES];
    file_page_t page;
} report_t;

/* Convert a portion of a type. */
static void convert(report_t *r, graph_type_t type, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        switch (type) {
        case GRAPH_INT32:
            r->values[k] = r->raw.i32[k];
            break;
        case GRAPH_REAL:
            r->values[k] = r->raw.real[k];
            break;
        case GRAPH_FLAG:
            r->values[k] = r->raw.flag[k];
            break;
        default:
            r->values[k] = (double)r->raw.i64[k];
        }
}

/* Called with the values of a portion. */
typedef void take_t(void *ctx, const double *values, int64_t n);

/* Read all values of a column. */
static status_t each_value(report_t *r, int column, take_t *take, void *ctx)
{
    const graph_result_info_t *i = r->info;
    status_t st = ST_OK;

    for (int64_t row = 0; row < i->n_rows; row++)
        for (int64_t u = 0; st == ST_OK && u < i->n_nodes; u += PORTION) {
            const int64_t n = i->n_nodes - u < PORTION ? i->n_nodes - u : PORTION;

            st = graph_result_read_values(r->file, column, row, u, u + n, &r->raw);
            convert(r, i->column[column].type, n);
            if (st == ST_OK)
                take(ctx, r->values, n);
        }
    return st;
}

/* Take all counts. */
static status_t each_count(report_t *r, int column, take_t *take, void *ctx)
{
    const graph_result_info_t *i = r->info;
    status_t st = ST_OK;

    (void)column;
    for (int64_t s = 0; s < i->n_samples; s++)
        for (int64_t u = 0; st == ST_OK && u < i->n_nodes; u += PORTION) {
            const int64_t n = i->n_nodes - u < PORTION ? i->n_nodes - u : PORTION;

            st = graph_result_read_counts(r->file, s, u, u + n, r->raw.i64);
            convert(r, GRAPH_INT64, n);
            if (st == ST_OK)
                take(ctx, r->values, n);
        }
    return st;
}

/* Take all weights of edges. */
static status_t each_weight(report_t *r, int column, take_t *take, void *ctx)
{
    const graph_result_edges_t *e = &r->info->edges;

    (void)column;
    for (int64_t k = 0; k < r->info->n_edges; k++) {
        const double weight = r->info->has_value ? e->value[k] : e->weight[k];

        take(ctx, &weight, 1);
    }
    return ST_OK;
}

/* A distribution: its limits, then its bars. */
typedef struct {
    double min, max;
    bool is_whole;
    report_bins_t bins;
    report_bars_t *bars;
} spread_t;

/* Values that say that there is none, such as the depth of a node that is not reached,
 * are below 0 or not finite; they are left out. */
static bool has_value(double value)
{
    return value >= 0 && isfinite(value);
}

static void take_limits(void *ctx, const double *values, int64_t n)
{
    spread_t *s = ctx;

    for (int64_t k = 0; k < n; k++)
        if (has_value(values[k])) {
            s->min = fmin(s->min, values[k]);
            s->max = fmax(s->max, values[k]);
        }
}

static void count_values(void *ctx, const double *values, int64_t n)
{
    spread_t *s = ctx;

    for (int64_t k = 0; k < n; k++)
        if (has_value(values[k]))
            s->bars->bars[report_bins_of(&s->bins, values[k])].count++;
}

typedef status_t each_t(report_t *r, int column, take_t *take, void *ctx);

/* Draw values of a column, counts or weights. */
static status_t add_values(report_t *r, each_t *each, int column, bool is_whole,
                           report_bars_t *bars)
{
    spread_t s = {.min = INFINITY, .max = -INFINITY, .bars = bars};
    status_t st = each(r, column, take_limits, &s);

    if (st != ST_OK || s.min > s.max)
        return st;
    s.bins = report_bins(s.min, s.max, is_whole);
    report_bins_label(&s.bins, bars);
    return each(r, column, count_values, &s);
}

/* Groups of nodes that have the same node as their value. */
typedef struct {
    const graph_result_info_t *info;
    int64_t *size; /* [n_nodes] */
} groups_t;

static void count_groups(void *ctx, const double *values, int64_t n)
{
    groups_t *g = ctx;

    for (int64_t k = 0; k < n; k++) {
        const int64_t id = (int64_t)values[k];
        const int64_t *at = bsearch(&id, g->info->id, (size_t)g->info->n_nodes,
                                    sizeof(id), compare_int64);

        if (at != NULL)
            g->size[at - g->info->id]++;
    }
}

/* Draw the sizes of groups. */
static status_t add_groups(report_t *r, int column, report_bars_t *bars)
{
    groups_t g = {r->info, calloc((size_t)r->info->n_nodes + 1, sizeof(*g.size))};
    int64_t max = 0, n = 0;
    report_bins_t bins;
    status_t st;

    if (g.size == NULL)
        return log_nomem("groups");
    if ((st = each_value(r, column, count_groups, &g)) == ST_OK) {
        for (int64_t u = 0; u < r->info->n_nodes; u++) {
            max = g.size[u] > max ? g.size[u] : max;
            n += g.size[u] > 0;
        }
        bins = report_bins(1, (double)(max > 0 ? max : 1), true);
        report_bins_label(&bins, bars);
        for (int64_t u = 0; u < r->info->n_nodes; u++)
            if (g.size[u] > 0)
                bars->bars[report_bins_of(&bins, (double)g.size[u])].count++;
        file_page_card(&r->page, "n-groups", n, "nodes that others have as a value");
        file_page_card(&r->page, "largest", max, "nodes with the same one, at most");
    }
    free(g.size);
    return st;
}

static status_t add_column(report_t *r, int c)
{
    const graph_result_column_t *column = &r->info->column[c];
    const bool is_node = column->type == GRAPH_NODE;

    snprintf(r->title[c], TITLE_BYTES,
             is_node ? "Nodes with the same %s" : "Distribution of %s", column->name);
    if (is_node)
        return add_groups(r, c,
                          file_page_chart(&r->page, column->name, r->title[c], "node",
                                          "nodes"));
    return add_values(r, each_value, c, column->type != GRAPH_REAL,
                      file_page_chart(&r->page, column->name, r->title[c], "node",
                                      "nodes"));
}

static status_t fill(report_t *r)
{
    const graph_result_info_t *i = r->info;
    status_t st = ST_OK;

    file_page_card(&r->page, "n-nodes", i->n_nodes, "nodes");
    if (i->source != NULL)
        file_page_card(&r->page, "n-sources", i->n_sources, "sources");
    if (i->n_edges >= 0)
        file_page_card(&r->page, "n-edges", i->n_edges, "edges");
    file_page_card(&r->page, "n-iterations", i->run.iterations, "iterations");
    for (int c = 0; st == ST_OK && c < i->n_columns; c++)
        st = add_column(r, c);
    if (st == ST_OK && i->n_samples > 0)
        st = add_values(r, each_count, 0, true,
                        file_page_chart(&r->page, "count", "Distribution of counts",
                                        "node and sample", "counts"));
    if (st == ST_OK && i->n_edges > 0 && (i->has_weight || i->has_value))
        st = add_values(r, each_weight, 0, i->has_weight,
                        file_page_chart(&r->page, "weight", "Weights of the edges",
                                        "edge", "edges"));
    return st;
}

static status_t draw(const file_report_t *how)
{
    char title[TITLE_BYTES];
    report_t *r = calloc(1, sizeof(*r));
    status_t st =
        r != NULL ? graph_result_read_open(how->input, &r->file) : log_nomem("a page");

    if (st == ST_OK) {
        r->info = graph_result_read_info(r->file);
        snprintf(title, sizeof(title), "Result of graph %.64s", r->info->algorithm);
        r->page.title = title;
        if ((st = fill(r)) == ST_OK)
            st = file_page_write(&r->page, how, &graph_result_printer);
        graph_result_read_close(r->file);
    }
    free(r);
    return st;
}

const file_printer_t graph_result_printer = {"graph", describe, print_values, draw};
