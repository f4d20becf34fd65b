/*
 * graph_print.c - reads a result file of `graph` in portions, and prints them.
 */
#include "tools/print/graph_print.h"

#include "io/base/logmsg.h"
#include "io/graphfile/graph_result_format.h"

#include <inttypes.h>
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

/* Print nodes begin .. end-1 of a row. @param values  [columns] memory for a portion */
static status_t print_nodes(graph_result_file_t *f, int64_t row, int64_t begin,
                            int64_t end, void *const *values, FILE *to)
{
    const graph_result_info_t *i = graph_result_read_info(f);
    status_t st = ST_OK;

    for (int c = 0; st == ST_OK && c < i->n_columns; c++)
        st = graph_result_read_values(f, c, row, begin, end, values[c]);
    for (int64_t u = begin; st == ST_OK && u < end; u++) {
        if (i->n_rows > 1)
            fprintf(to, "%" PRId64 "\t", i->source[row]);
        fprintf(to, "%" PRId64, i->id[u]);
        if (i->name != NULL)
            fprintf(to, "\t%s", i->name[u]);
        for (int c = 0; c < i->n_columns; c++)
            print_value(to, i->column[c].type, values[c], u - begin);
        putc('\n', to);
    }
    return st;
}

static void print_node_header(const graph_result_info_t *i, FILE *to)
{
    fprintf(to, "%sid%s", i->n_rows > 1 ? "source\t" : "",
            i->name != NULL ? "\tname" : "");
    for (int c = 0; c < i->n_columns; c++)
        fprintf(to, "\t%s", i->column[c].name);
    putc('\n', to);
}

static status_t print_all_nodes(graph_result_file_t *f, bool has_header, FILE *to)
{
    const graph_result_info_t *i = graph_result_read_info(f);
    void *values[GRAPH_RESULT_MAX_COLUMNS] = {NULL};
    status_t st = ST_OK;

    for (int c = 0; st == ST_OK && c < i->n_columns; c++)
        if ((values[c] = malloc((size_t)PORTION * VALUE_BYTES)) == NULL)
            st = log_nomem("a result file");
    if (st == ST_OK && has_header)
        print_node_header(i, to);
    for (int64_t row = 0; row < i->n_rows; row++)
        for (int64_t u = 0; st == ST_OK && !ferror(to) && u < i->n_nodes; u += PORTION)
            st = print_nodes(f, row, u,
                             u + PORTION < i->n_nodes ? u + PORTION : i->n_nodes, values,
                             to);
    for (int c = 0; c < i->n_columns; c++)
        free(values[c]);
    return st;
}

/* The ends and weights of a portion of edges. */
typedef struct {
    int64_t source[PORTION], target[PORTION];
    double weight[PORTION]; /* or int32_t */
} edges_t;

static int by_id(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static const char *name_of(const graph_result_info_t *i, int64_t id)
{
    const int64_t *at = bsearch(&id, i->id, (size_t)i->n_nodes, sizeof(id), by_id);

    return at != NULL ? i->name[at - i->id] : "?";
}

static void print_edge(const graph_result_info_t *i, const edges_t *e, int64_t k,
                       FILE *to)
{
    fprintf(to, "%" PRId64 "\t%" PRId64, e->source[k], e->target[k]);
    if (i->name != NULL)
        fprintf(to, "\t%s\t%s", name_of(i, e->source[k]), name_of(i, e->target[k]));
    if (i->has_weight || i->has_value)
        print_value(to, i->has_value ? GRAPH_REAL : GRAPH_INT32, e->weight, k);
    putc('\n', to);
}

static status_t print_all_edges(graph_result_file_t *f, bool has_header, FILE *to)
{
    const graph_result_info_t *i = graph_result_read_info(f);
    edges_t *e = malloc(sizeof(*e));
    status_t st = ST_OK;

    if (e == NULL)
        return log_nomem("a result file");
    if (has_header)
        fprintf(to, "source\ttarget%s%s\n",
                i->name != NULL ? "\tsource_name\ttarget_name" : "",
                i->has_weight || i->has_value ? "\tweight" : "");
    for (int64_t k = 0; st == ST_OK && !ferror(to) && k < i->n_edges; k += PORTION) {
        int64_t n = i->n_edges - k < PORTION ? i->n_edges - k : PORTION;

        st = graph_result_read_edges(f, k, k + n, e->source, e->target, e->weight);
        for (int64_t at = 0; st == ST_OK && at < n; at++)
            print_edge(i, e, at, to);
    }
    free(e);
    return st;
}

status_t graph_print_values(const char *path, bool has_header, FILE *to)
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

status_t graph_print_info(const char *path, FILE *to)
{
    graph_result_file_t *f;
    const graph_result_info_t *i;
    status_t st = graph_result_read_open(path, &f);

    if (st != ST_OK)
        return st;
    i = graph_result_read_info(f);
    fprintf(to, "file\tformat\t%s %" PRId64 ".%" PRId64 "\n", graph_result_kind.format,
            i->version, i->version_minor);
    run_info_print_line("file", "algorithm", i->algorithm, to);
    fprintf(to, "file\tnodes\t%" PRId64 "\n", i->n_nodes);
    if (i->source != NULL)
        fprintf(to, "file\tsources\t%" PRId64 "\n", i->n_sources);
    if (i->n_edges >= 0)
        fprintf(to, "file\tedges\t%" PRId64 "\n", i->n_edges);
    for (int c = 0; c < i->n_columns; c++)
        run_info_print_line("file", "column", i->column[c].name, to);
    run_info_print_job(i->job, to);
    graph_result_read_close(f);
    return ST_OK;
}
