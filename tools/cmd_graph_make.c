/*
 * cmd_graph_make.c - `ribogrid graph make`: generates a graph.
 */
#include "io/base/logmsg.h"
#include "io/base/near_word.h"
#include "io/graphfile/make/graph_make.h"
#include "tools/options/commands.h"
#include "tools/options/job_run.h"
#include "tools/options/option_tables.h"
#include "worker/graph/graph_opts.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

typedef struct {
    job_opts_t common;
    graph_make_options_t how;
    csr_options_t build;
    const char *kind, *weights, *probabilities;
    bool directed;
    int format; /* graph_output_t */
} args_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t words[] = {{OPTION_INPUT, "rmat|grid|road|clone:DEGREES|tree", 0,
                                  AT(kind), .files = option_graph_files},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Size"},
    {OPTION_INT, "scale", 0, AT(how.scale), "N", "rmat: 2^N nodes ({})", 1,
     GRAPH_MAKE_MAX_SCALE},
    {OPTION_INT, "edge-factor", 0, AT(how.edge_factor), "N", "rmat: edges per node ({})",
     1, 1 << 20},
    {OPTION_TEXT, "probabilities", 0, AT(probabilities), "A,B,C,D",
     "rmat: of the quadrants, which add up to 1 (0.57,0.19,0.19,0.05)"},
    {OPTION_INT, "rows", 0, AT(how.rows), "N", "grid: rows of nodes ({})", 1, INT32_MAX},
    {OPTION_INT, "columns", 0, AT(how.columns), "N", "grid: columns of nodes ({})", 1,
     INT32_MAX},
    {OPTION_INT, "nodes", 0, AT(how.n_nodes), "N", "road: nodes ({})", 1, INT32_MAX},
    {OPTION_INT, "depth", 0, AT(how.depth), "N", "tree: levels ({})", 1, 64},
    {OPTION_INT, "min-children", 0, AT(how.min_children), "N",
     "tree: minimum children of a node that has any ({})", 1, INT32_MAX},
    {OPTION_INT, "max-children", 0, AT(how.max_children), "N",
     "tree: maximum children of a node ({}, or the minimum)", 1, INT32_MAX},
    {OPTION_INT, "sparsity", 0, AT(how.sparsity), "N",
     "tree: a node has children with probability 1/2^N ({})", 0, 62},
    {.kind = OPTION_TABLE, AT(how.seed), .table = option_seed},
    {.kind = OPTION_TABLE, .table = option_input},

    {.kind = OPTION_GROUP, .name = "Edges"},
    {.word = WORD_DIRECTED, AT(directed)},
    {.word = WORD_DEDUPE, AT(build.dedupe)},
    {.word = WORD_DROP_LOOPS, AT(build.drop_loops)},
    {.word = WORD_WEIGHTS,
     AT(weights),
     .value = "unit|uniform:LOW-HIGH[:SEED]",
     .help = ": none ({}, the default), or random ones"},

    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_OUTPUT,
     AT(common.output),
     .help = ": the graph; text may go to stdout (-)"},
    {.word = WORD_FORMAT,
     AT(format),
     .value = "auto|hdf5|mtx|edges|gr|metis",
     .help = " (auto: as FILE ends: .h5, .mtx, .txt, .gr or .graph)"},
    {.kind = OPTION_TABLE, .table = option_force},

    {.kind = OPTION_GROUP, .name = "Run"},
    {.kind = OPTION_TABLE, .table = option_threads},
    {.kind = OPTION_END}};

/* Set the kind from its word; clone:DEGREES has a parameter. */
static status_t find_kind(const char *word, graph_make_options_t *out)
{
    const size_t len = strcspn(word, ":");
    near_word_t near = near_word_begin(word, len);
    char guess[NEAR_WORD_BYTES];

    for (int k = 0; k < GRAPH_MAKE_N_KINDS; k++)
        if (strlen(graph_make_name[k]) == len &&
            strncmp(graph_make_name[k], word, len) == 0 &&
            (k == GRAPH_MAKE_CLONE) == (word[len] == ':' && word[len + 1] != '\0') &&
            (k == GRAPH_MAKE_CLONE || word[len] == '\0')) {
            out->kind = (graph_make_kind_t)k;
            out->degrees = k == GRAPH_MAKE_CLONE ? word + len + 1 : NULL;
            return ST_OK;
        }
    for (int k = 0; k < GRAPH_MAKE_N_KINDS; k++)
        near_word_try(&near, graph_make_name[k]);
    return options_misuse(&cmd_graph_make,
                          "'%s': give rmat, grid, road, clone:DEGREES or tree%s", word,
                          near_word_text(&near, "", guess));
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

static status_t settle_probabilities(args_t *a)
{
    graph_make_options_t *o = &a->how;
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

/* Refuse options of another kind of graph. */
static status_t check_kind(const args_t *a)
{
    const struct {
        const char *name;
        graph_make_kind_t kind;
        bool is_given;
    } all[] = {
        {"scale", GRAPH_MAKE_RMAT, IS_GIVEN(a, how.scale)},
        {"edge-factor", GRAPH_MAKE_RMAT, IS_GIVEN(a, how.edge_factor)},
        {"rows", GRAPH_MAKE_GRID, IS_GIVEN(a, how.rows)},
        {"columns", GRAPH_MAKE_GRID, IS_GIVEN(a, how.columns)},
        {"nodes", GRAPH_MAKE_ROAD, IS_GIVEN(a, how.n_nodes)},
        {"depth", GRAPH_MAKE_TREE, IS_GIVEN(a, how.depth)},
        {"min-children", GRAPH_MAKE_TREE, IS_GIVEN(a, how.min_children)},
        {"max-children", GRAPH_MAKE_TREE, IS_GIVEN(a, how.max_children)},
        {"sparsity", GRAPH_MAKE_TREE, IS_GIVEN(a, how.sparsity)},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i].is_given && all[i].kind != a->how.kind)
            return options_misuse(&cmd_graph_make, "--%s is for %s, not for %s",
                                  all[i].name, graph_make_name[all[i].kind],
                                  graph_make_name[a->how.kind]);
    return ST_OK;
}

static status_t make(void *args, command_run_t *run)
{
    const args_t *a = args;
    graph_edges_t edges = {0};
    csr_t g = {0};
    status_t st = graph_make(&a->how, run->pool, &edges);

    if (st == ST_OK) {
        edges.is_directed = edges.is_directed || a->directed;
        st = csr_build(&edges, &a->build, run->pool, &g);
    }
    graph_edges_free(&edges);
    if (st == ST_OK &&
        (st = graph_write(a->common.output, (graph_output_t)a->format, a->common.force,
                          &g, NULL, command_run_end(run), run->pool)) == ST_OK)
        log_info("%s: %" PRId64 " nodes, %" PRId64 " arcs, %s", a->common.output,
                 g.n_nodes, g.n_arcs, g.is_symmetric ? "undirected" : "directed");
    csr_free(&g);
    return st;
}

static status_t settle(args_t *a)
{
    status_t st = find_kind(a->kind, &a->how);

    if (st != ST_OK || (st = check_kind(a)) != ST_OK ||
        (st = settle_probabilities(a)) != ST_OK)
        return st;
    if (!IS_GIVEN(a, how.max_children) && a->how.max_children < a->how.min_children)
        a->how.max_children = a->how.min_children;
    if (a->common.output == NULL)
        return options_misuse(&cmd_graph_make, "give -o FILE");
    if (!graph_opts_parse_weights(a->weights, &a->build) ||
        a->build.weights == CSR_WEIGHTS_GIVEN)
        return options_misuse(&cmd_graph_make,
                              "--weights %s: give unit or uniform:LOW-HIGH[:SEED]",
                              a->weights);
    return graph_write_check(a->common.output, (graph_output_t)a->format);
}

static void defaults(void *args)
{
    args_t *a = args;

    a->how = (graph_make_options_t){.seed = 1,
                                    .scale = 16,
                                    .edge_factor = 16,
                                    .rows = 1500,
                                    .columns = 1500,
                                    .n_nodes = 435666,
                                    .depth = 4,
                                    .min_children = 32,
                                    .max_children = 32};
    a->weights = "unit";
}

static status_t run(void *args)
{
    args_t *a = args;
    status_t st = settle(a);

    return st == ST_OK ? command_run_with_pool(&a->common, NULL, make, a) : st;
}

const command_t cmd_graph_make = {
    .name = "graph make",
    .summary = "generate a graph: the same for a seed on every machine",
    .words = words,
    .usage = "-o FILE [options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes =
        "rmat: R-MAT, by default with the probabilities of Graph500. grid:\n"
        "rows and columns, four neighbors. road: planar, 2.4 neighbors on average.\n"
        "clone: random, with the degrees of another graph: co-road, citeseer, or those\n"
        "of a file with lines 'DEGREE NODES'. tree: arcs from parents to children.\n",
    .example = "ribogrid graph make rmat --scale 18 -o rmat.h5 && "
               "ribogrid graph bfs rmat.h5 -o bfs.h5",
    .defaults = defaults,
    .run = run,
};
