/*
 * graph_read.c - recognises the format of a graph and calls its reader.
 */
#include "io/graphfile/read/graph_read.h"

#include "io/base/logmsg.h"
#include "io/file/unpack.h"
#include "io/graphfile/csr_file.h"
#include "io/graphfile/graph_result_format.h"
#include "io/graphfile/read/graph_formats.h"
#include "io/hdf5/h5check.h"
#include "io/hdf5/h5text.h"
#include "io/hdf5/h5util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *const graph_format_name[] = {"auto", "edges", "csv",    "tsv", "mtx",
                                         "gr",   "metis", "newick", "csr", "pairs"};

/* Ends of file names, before those of compressed files. */
static const struct {
    const char *suffix;
    graph_format_t format;
} suffixes[] = {
    {".mtx", GRAPH_FORMAT_MATRIX_MARKET}, {".gr", GRAPH_FORMAT_DIMACS},
    {".graph", GRAPH_FORMAT_METIS},       {".metis", GRAPH_FORMAT_METIS},
    {".edgelist", GRAPH_FORMAT_EDGES},    {".edges", GRAPH_FORMAT_EDGES},
    {".el", GRAPH_FORMAT_EDGES},          {".wel", GRAPH_FORMAT_EDGES},
    {".csv", GRAPH_FORMAT_CSV},           {".tsv", GRAPH_FORMAT_TSV},
    {".nwk", GRAPH_FORMAT_NEWICK},        {".newick", GRAPH_FORMAT_NEWICK},
    {".tre", GRAPH_FORMAT_NEWICK},        {".tree", GRAPH_FORMAT_NEWICK},
    {".dnd", GRAPH_FORMAT_NEWICK},
};

static const char banner[] = "%%MatrixMarket";

static bool ends_with(const char *path, size_t len, const char *suffix)
{
    size_t n = strlen(suffix);

    return len >= n && strncasecmp(path + len - n, suffix, n) == 0;
}

static graph_format_t format_of_name(const char *path)
{
    const size_t len = unpack_stem(path);

    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
        if (ends_with(path, len, suffixes[i].suffix))
            return suffixes[i].format;
    return GRAPH_FORMAT_AUTO;
}

/* @param line  the first one, or NULL */
static graph_format_t format_of_text(const char *path, const char *line)
{
    graph_format_t format = format_of_name(path);

    if (format != GRAPH_FORMAT_AUTO || line == NULL)
        return format;
    if (strncasecmp(line, banner, sizeof(banner) - 1) == 0)
        return GRAPH_FORMAT_MATRIX_MARKET;
    if (strncmp(line, "c ", 2) == 0 || strcmp(line, "c") == 0 ||
        strncmp(line, "p ", 2) == 0)
        return GRAPH_FORMAT_DIMACS;
    if (line[0] == '(' || strncmp(line, "[&", 2) == 0)
        return GRAPH_FORMAT_NEWICK;
    return GRAPH_FORMAT_EDGES;
}

/* Refuse options of edge lists for other files: these have only ids, and say themselves
 * whether they are directed. */
static status_t check_edge_options(const char *path, const graph_read_options_t *options,
                                   graph_format_t format)
{
    if ((!options->has_names && !options->is_directed) || format == GRAPH_FORMAT_EDGES ||
        format == GRAPH_FORMAT_CSV || format == GRAPH_FORMAT_TSV)
        return ST_OK;
    log_error("%s: %s is for edge lists, and this file is none; leave it out", path,
              options->has_names ? "--names" : "--directed");
    return ST_EINPUT;
}

static status_t read_text(const char *path, const graph_read_options_t *options,
                          graph_edges_t *out)
{
    graph_read_options_t o = *options;
    graph_text_t t = {.weights = options->weights};
    status_t st = lines_open(path, &t.lines);

    if (st != ST_OK)
        return st;
    if ((st = graph_text_next(&t)) != ST_OK)
        goto done;
    t.is_pending = true;
    if (o.format == GRAPH_FORMAT_AUTO)
        o.format = format_of_text(path, t.line);
    if ((st = check_edge_options(path, options, o.format)) != ST_OK)
        goto done;
    if (o.format == GRAPH_FORMAT_MATRIX_MARKET)
        st = matrix_market_read(&t, out);
    else if (o.format == GRAPH_FORMAT_DIMACS)
        st = dimacs_read(&t, out);
    else if (o.format == GRAPH_FORMAT_METIS)
        st = metis_read(&t, out);
    else if (o.format == GRAPH_FORMAT_NEWICK)
        st = newick_tree_read(&t, out);
    else
        st = edge_list_read(&t, &o, out);
done:
    lines_close(t.lines);
    return st;
}

/* Find out what an HDF5 file is; GRAPH_FORMAT_AUTO: none of these. */
static status_t format_of_hdf5(const char *path, graph_format_t *out)
{
    char *format;
    hid_t file;

    h5util_init();
    if ((file = h5check_open_file(path)) < 0)
        return ST_EINPUT;
    format = h5text_get(file, "format");
    H5Fclose(file);
    *out = GRAPH_FORMAT_PAIRS; /* its reader says what else a file may be */
    if (format != NULL && strcmp(format, csr_file_kind.format) == 0)
        *out = GRAPH_FORMAT_CSR;
    if (format != NULL && strcmp(format, graph_result_kind.format) == 0)
        *out = GRAPH_FORMAT_AUTO;
    free(format);
    return ST_OK;
}

/* List the arcs of a graph, of a symmetric one each edge once.
 * @param g  its ids are moved to the list */
static status_t list_arcs(csr_t *g, graph_edges_t *e)
{
    status_t st = graph_edges_create(0, g->weight != NULL, g->value != NULL, e);

    e->is_directed = !g->is_symmetric;
    for (int64_t u = 0; st == ST_OK && u < g->n_nodes; u++) {
        for (int64_t a = g->first[u]; st == ST_OK && a < g->first[u + 1]; a++) {
            if (g->is_symmetric && g->to[a] < u)
                continue;
            if ((st = graph_edges_add(e, g->id[u], g->id[g->to[a]])) != ST_OK)
                break;
            if (g->weight != NULL)
                e->weight[e->n - 1] = g->weight[a];
            if (g->value != NULL)
                e->value[e->n - 1] = g->value[a] + 0.0; /* no -0 */
        }
    }
    e->n_declared = g->n_nodes;
    e->id = g->id;
    g->id = NULL;
    return st;
}

/* @return whether a graph is already what the options ask for */
static bool is_as_wanted(const csr_t *g, const csr_options_t *options)
{
    bool has_weights = g->weight != NULL || g->value != NULL;

    if (options->weights == CSR_WEIGHTS_UNIFORM ||
        (options->weights == CSR_WEIGHTS_UNIT && has_weights) ||
        (options->symmetrize && !g->is_symmetric))
        return false;
    if (!options->dedupe && !options->drop_loops)
        return true;
    for (int64_t u = 0; u < g->n_nodes; u++)
        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++)
            if ((options->drop_loops && g->to[a] == u) ||
                (options->dedupe && a > g->first[u] && g->to[a] == g->to[a - 1]))
                return false;
    return true;
}

/* @return as graph_read_format, whatever options->id is */
static status_t find_format(const char *path, const graph_read_options_t *options,
                            graph_format_t *out)
{
    status_t st;

    *out = options->format;
    if (*out != GRAPH_FORMAT_AUTO || !h5check_is_hdf5(path))
        return ST_OK;
    if ((st = format_of_hdf5(path, out)) != ST_OK || *out != GRAPH_FORMAT_AUTO)
        return st;
    log_error("%s: a result of `ribogrid graph`, not a graph; give the graph it was "
              "computed from",
              path);
    return ST_EINPUT;
}

status_t graph_read_format(const char *path, const graph_read_options_t *options,
                           graph_format_t *out)
{
    status_t st = find_format(path, options, out);

    if (st != ST_OK || options->id.denominator == 0 || *out == GRAPH_FORMAT_PAIRS)
        return st;
    log_error("%s: --id is for the pairs of `ribogrid align`, and this file has none; "
              "leave it out",
              path);
    return ST_EINPUT;
}

/* Read a graph that is built already.
 * @param build  NULL: it is wanted as a list
 * @return it in *built, or a list of its arcs in *out, if it has to be built again */
static status_t read_built(const char *path, const graph_read_options_t *options,
                           const csr_options_t *build, csr_t *built, graph_edges_t *out)
{
    csr_t g;
    status_t st = csr_file_read(path, options->weights, &g);

    if (st != ST_OK)
        return st;
    if (build != NULL && is_as_wanted(&g, build)) {
        *built = g;
        return ST_OK;
    }
    st = list_arcs(&g, out);
    csr_free(&g);
    return st;
}

/* Read a graph as a list of edges, or built, if `build` is not NULL and it is as wanted.
 * The caller frees both. */
static status_t read_any(const char *path, const graph_read_options_t *options,
                         const csr_options_t *build, csr_t *built, graph_edges_t *out)
{
    graph_format_t format;
    status_t st = graph_read_format(path, options, &format);

    *out = (graph_edges_t){0};
    if (st != ST_OK)
        return st;
    if ((format == GRAPH_FORMAT_CSR || format == GRAPH_FORMAT_PAIRS) &&
        (st = check_edge_options(path, options, format)) != ST_OK)
        return st;
    if (format == GRAPH_FORMAT_CSR)
        return read_built(path, options, build, built, out);
    if (format == GRAPH_FORMAT_PAIRS)
        return graph_pairs_read(path, &options->id, out);
    return read_text(path, options, out);
}

status_t graph_read(const char *path, const graph_read_options_t *options,
                    graph_edges_t *out)
{
    status_t st = read_any(path, options, NULL, NULL, out);

    if (st != ST_OK)
        graph_edges_free(out);
    return st;
}

status_t graph_read_csr(const char *path, const graph_read_options_t *options,
                        const csr_options_t *build, pool_t *pool, csr_t *out,
                        graph_nodes_t *nodes)
{
    graph_edges_t edges;
    csr_t built = {0};
    status_t st = read_any(path, options, build, &built, &edges);

    if (st == ST_OK && built.first == NULL)
        st = csr_build(&edges, build, pool, &built);
    if (st == ST_OK) {
        *out = built;
        if (nodes != NULL) {
            *nodes = (graph_nodes_t){edges.name, edges.are_sequences};
            edges.name = NULL;
        }
    }
    graph_edges_free(&edges);
    return st;
}

bool graph_read_is_hdf5(const char *path, const graph_read_options_t *options)
{
    return options->format == GRAPH_FORMAT_CSR || options->format == GRAPH_FORMAT_PAIRS ||
           h5check_is_hdf5(path);
}
