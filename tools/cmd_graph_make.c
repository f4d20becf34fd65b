/*
 * cmd_graph_make.c - `ribogrid graph make`: generates a graph.
 */
#include "io/base/logmsg.h"
#include "io/graphfile/make/graph_make.h"
#include "io/graphfile/make/graph_write.h"
#include "kernels/device/device.h"
#include "tools/options/command_run.h"
#include "tools/options/commands.h"
#include "worker/graph/graph_opts.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

enum { NOT_GIVEN = -1 };

typedef struct {
    const char *output, *weights, *probabilities;
    int64_t scale, edge_factor, rows, columns, nodes, depth, min_children, max_children,
        sparsity, seed, threads;
    bool directed, dedupe, drop_loops, force, quiet;
} args_t;

#define AT(member) offsetof(args_t, member)

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Size"},
    {OPTION_INT, "scale", 0, AT(scale), "N", "rmat: 2^N nodes (16)", 1,
     GRAPH_MAKE_MAX_SCALE},
    {OPTION_INT, "edge-factor", 0, AT(edge_factor), "N", "rmat: edges per node (16)", 1,
     1 << 20},
    {OPTION_TEXT, "probabilities", 0, AT(probabilities), "A,B,C,D",
     "rmat: of the quadrants, which add up to 1 (0.57,0.19,0.19,0.05)", 0, 0},
    {OPTION_INT, "rows", 0, AT(rows), "N", "grid: rows of nodes (1500)", 1, INT32_MAX},
    {OPTION_INT, "columns", 0, AT(columns), "N", "grid: columns of nodes (1500)", 1,
     INT32_MAX},
    {OPTION_INT, "nodes", 0, AT(nodes), "N", "road: nodes (435666)", 1, INT32_MAX},
    {OPTION_INT, "depth", 0, AT(depth), "N", "tree: levels (4)", 1, 64},
    {OPTION_INT, "min-children", 0, AT(min_children), "N",
     "tree: minimum children of a node that has any (32)", 1, INT32_MAX},
    {OPTION_INT, "max-children", 0, AT(max_children), "N",
     "tree: maximum children of a node (32, or the minimum)", 1, INT32_MAX},
    {OPTION_INT, "sparsity", 0, AT(sparsity), "N",
     "tree: a node has children with probability 1/2^N (0)", 0, 62},
    {OPTION_INT, "seed", 0, AT(seed), "N", "seed of all random numbers (1)", 0,
     INT64_MAX},
    OPTIONS_MAX_INPUT,

    {.kind = OPTION_GROUP, .name = "Edges"},
    {OPTION_FLAG, "directed", 0, AT(directed), NULL,
     "edges lead from the first node to the second only", 0, 0},
    {OPTION_FLAG, "dedupe", 0, AT(dedupe), NULL, "drop repeated edges", 0, 0},
    {OPTION_FLAG, "drop-loops", 0, AT(drop_loops), NULL,
     "drop edges from a node to itself", 0, 0},
    {OPTION_TEXT, "weights", 0, AT(weights), "unit|uniform:LOW-HIGH[:SEED]",
     "no weights (unit, the default), or random ones", 0, 0},

    {.kind = OPTION_GROUP, .name = "Output"},
    {OPTION_OUTPUT, "output", 'o', AT(output), "FILE",
     "the graph, as its name ends: .h5, .mtx, .txt (edge list), .gr or .graph", 0, 0},
    {OPTION_FLAG, "force", 0, AT(force), NULL, "replace an existing file", 0, 0},

    {.kind = OPTION_GROUP, .name = "Run"},
    {OPTION_INT, "threads", 't', AT(threads), "N", "threads (all processors)", 1, 4096},
    {OPTION_FLAG, "quiet", 'q', AT(quiet), NULL, "print only errors", 0, 0},
    {OPTION_END, NULL, 0, 0, NULL, NULL, 0, 0}};

/* Set the kind from its word; clone:DEGREES has a parameter. */
static status_t find_kind(const char *word, graph_make_options_t *out)
{
    size_t len = strcspn(word, ":");

    for (int k = 0; k < GRAPH_MAKE_N_KINDS; k++)
        if (strlen(graph_make_name[k]) == len &&
            strncmp(graph_make_name[k], word, len) == 0 &&
            (k == GRAPH_MAKE_CLONE) == (word[len] == ':' && word[len + 1] != '\0') &&
            (k == GRAPH_MAKE_CLONE || word[len] == '\0')) {
            out->kind = (graph_make_kind_t)k;
            out->degrees = k == GRAPH_MAKE_CLONE ? word + len + 1 : NULL;
            return ST_OK;
        }
    return options_misuse(&cmd_graph_make,
                          "'%s': give rmat, grid, road, clone:DEGREES or tree", word);
}

/* Parse four decimals, separated by commas. @return whether they add up to 1 */
static bool parse_probabilities(const char *text, fraction_t out[4])
{
    static const int64_t unit = 1000000000; /* a multiple of all denominators */
    int64_t sum = 0;
    char word[16];

    for (int k = 0; k < 4; k++) {
        size_t len = strcspn(text, ",");

        if (len >= sizeof(word) || (k == 3) != (text[len] == '\0'))
            return false;
        memcpy(word, text, len);
        word[len] = '\0';
        if (!fraction_from_decimal(word, &out[k]))
            return false;
        sum += out[k].numerator * (unit / out[k].denominator);
        text += len + 1;
    }
    return sum == unit;
}

static status_t settle_probabilities(const args_t *a, graph_make_options_t *o)
{
    fraction_t p[4];

    if (a->probabilities == NULL)
        return ST_OK;
    if (o->kind != GRAPH_MAKE_RMAT)
        return options_misuse(&cmd_graph_make, "--probabilities is for rmat, not for %s",
                              graph_make_name[o->kind]);
    if (!parse_probabilities(a->probabilities, p))
        return options_misuse(&cmd_graph_make,
                              "--probabilities %s: give four decimals that add up to 1, "
                              "such as 0.57,0.19,0.19,0.05",
                              a->probabilities);
    o->a = p[0];
    o->b = p[1];
    o->c = p[2];
    return ST_OK;
}

/* An option of one kind of graph, and its default. */
typedef struct {
    const char *name;
    graph_make_kind_t kind;
    int64_t *value, standard;
} sized_t;

static status_t settle(args_t *a, graph_make_options_t *o)
{
    const sized_t all[] = {
        {"scale", GRAPH_MAKE_RMAT, &a->scale, 16},
        {"edge-factor", GRAPH_MAKE_RMAT, &a->edge_factor, 16},
        {"rows", GRAPH_MAKE_GRID, &a->rows, 1500},
        {"columns", GRAPH_MAKE_GRID, &a->columns, 1500},
        {"nodes", GRAPH_MAKE_ROAD, &a->nodes, 435666},
        {"depth", GRAPH_MAKE_TREE, &a->depth, 4},
        {"min-children", GRAPH_MAKE_TREE, &a->min_children, 32},
        {"max-children", GRAPH_MAKE_TREE, &a->max_children, 32},
        {"sparsity", GRAPH_MAKE_TREE, &a->sparsity, 0},
    };

    if (a->min_children > 32 && a->max_children == NOT_GIVEN)
        a->max_children = a->min_children;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (*all[i].value != NOT_GIVEN && all[i].kind != o->kind)
            return options_misuse(&cmd_graph_make, "--%s is for %s, not for %s",
                                  all[i].name, graph_make_name[all[i].kind],
                                  graph_make_name[o->kind]);
        if (*all[i].value == NOT_GIVEN)
            *all[i].value = all[i].standard;
    }
    o->seed = (uint64_t)a->seed;
    o->scale = a->scale;
    o->edge_factor = a->edge_factor;
    o->rows = a->rows;
    o->columns = a->columns;
    o->n_nodes = a->nodes;
    o->depth = a->depth;
    o->min_children = a->min_children;
    o->max_children = a->max_children;
    o->sparsity = a->sparsity;
    return ST_OK;
}

static status_t make(const args_t *a, const graph_make_options_t *how,
                     const csr_options_t *build, command_run_t *run)
{
    graph_edges_t edges = {0};
    csr_t g = {0};
    pool_t *pool = NULL;
    status_t st = pool_create((int)a->threads, &pool);

    if (st == ST_OK && (st = graph_make(how, pool, &edges)) == ST_OK) {
        edges.is_directed = edges.is_directed || a->directed;
        st = csr_build(&edges, build, pool, &g);
    }
    graph_edges_free(&edges);
    if (st == ST_OK &&
        (st = graph_write(a->output, a->force, &g, command_run_end(run), pool)) == ST_OK)
        log_info("%s: %" PRId64 " nodes, %" PRId64 " arcs, %s", a->output, g.n_nodes,
                 g.n_arcs, g.is_symmetric ? "undirected" : "directed");
    csr_free(&g);
    pool_destroy(pool);
    return st;
}

static int run(int argc, char **argv)
{
    const char *words[OPTIONS_WORDS_MAX] = {NULL};
    args_t a = {.scale = NOT_GIVEN,
                .edge_factor = NOT_GIVEN,
                .rows = NOT_GIVEN,
                .columns = NOT_GIVEN,
                .nodes = NOT_GIVEN,
                .depth = NOT_GIVEN,
                .min_children = NOT_GIVEN,
                .max_children = NOT_GIVEN,
                .sparsity = NOT_GIVEN,
                .seed = 1,
                .threads = device_cpu().n_cores,
                .weights = "unit"};
    graph_make_options_t how = {0};
    csr_options_t build = {0};
    command_run_t run;
    status_t st = options_parse(&cmd_graph_make, argc, argv, &a, words);

    if (st != ST_OK || (st = find_kind(words[0], &how)) != ST_OK ||
        (st = settle(&a, &how)) != ST_OK ||
        (st = settle_probabilities(&a, &how)) != ST_OK)
        return status_exit_code(st);
    if (a.output == NULL)
        return status_exit_code(options_misuse(&cmd_graph_make, "give -o FILE"));
    if (!graph_opts_parse_weights(a.weights, &build) ||
        build.weights == CSR_WEIGHTS_GIVEN)
        return status_exit_code(
            options_misuse(&cmd_graph_make,
                           "--weights %s: give unit or uniform:LOW-HIGH[:SEED]",
                           a.weights));
    log_set_level(a.quiet ? LOG_QUIET : LOG_NORMAL);
    build.dedupe = a.dedupe;
    build.drop_loops = a.drop_loops;
    command_run_begin(&cmd_graph_make, argc, argv, NULL, &run);
    if ((st = graph_write_check(a.output)) == ST_OK)
        st = make(&a, &how, &build, &run);
    command_run_free(&run);
    return status_exit_code(st);
}

const command_t cmd_graph_make = {
    .name = "graph make",
    .summary = "generate a graph: the same for a seed on every machine",
    .usage = "rmat|grid|road|clone:DEGREES|tree -o FILE [options]",
    .options = options,
    .notes =
        "rmat: R-MAT, by default with the probabilities of Graph500. grid:\n"
        "rows and columns, four neighbors. road: planar, 2.4 neighbors on average.\n"
        "clone: random, with the degrees of another graph: co-road, citeseer, or those\n"
        "of a file with lines 'DEGREE NODES'. tree: arcs from parents to children.\n",
    .example = "ribogrid graph make rmat --scale 18 -o rmat.h5 && "
               "ribogrid graph bfs rmat.h5 -o bfs.h5",
    .n_words_min = 1,
    .n_words_max = 1,
    .run = run,
};
