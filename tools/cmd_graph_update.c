/*
 * cmd_graph_update.c - `ribogrid graph update`: a graph without some edges, and with
 * others.
 */
#include "io/base/logmsg.h"
#include "io/base/texts.h"
#include "io/graphfile/csr_update.h"
#include "io/graphfile/make/graph_make.h"
#include "io/graphfile/read/graph_read.h"
#include "kernels/registry/backends.h"
#include "tools/options/commands.h"
#include "tools/options/job_run.h"
#include "tools/options/option_tables.h"
#include "worker/graph/graph_digest.h"

#include <inttypes.h>
#include <string.h>

typedef struct {
    job_opts_t common;
    const char *input;
    csr_change_t remove, add; /* path: NULL if not given */
    csr_update_t how;
    int format; /* graph_output_t */
    csr_merge_gpu_t gpu;
} args_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t words[] = {{OPTION_INPUT, "GRAPH", 0, AT(input)},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Edges"},
    {OPTION_INPUT, "remove", 0, AT(remove.path), "FILE",
     "remove these edges, whatever their weights; all between the same nodes"},
    {OPTION_INPUT, "add", 0, AT(add.path), "FILE",
     "then add these edges, with weights if GRAPH has some"},
    {.word = WORD_DIRECTED,
     AT(how.is_directed),
     .help = ", also where GRAPH has all edges in both directions"},
    {.word = WORD_DEDUPE, AT(how.dedupe), .help = ": the one with the smallest weight"},
    {OPTION_FLAG, "allow-absent", 0, AT(how.allow_absent), NULL,
     "accept edges to remove that GRAPH does not have"},
    {.kind = OPTION_TABLE, .table = option_input},

    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_OUTPUT,
     AT(common.output),
     .help = ": the graph; text may go to stdout (-)"},
    {.word = WORD_FORMAT,
     AT(format),
     .value = "auto|hdf5|mtx|edges|gr|metis",
     .help = " (auto: as FILE ends: .h5, .mtx, .txt, .gr or .graph)"},
    {.kind = OPTION_TABLE, .table = option_force},

    {.kind = OPTION_GROUP, .name = "Device"},
    {.word = WORD_DEVICE,
     AT(common.device),
     .help = "; files take longer than merging rows, so a GPU seldom pays (cpu)"},
    {.kind = OPTION_TABLE, .table = option_threads},
    {.kind = OPTION_END}};

static status_t refuse_names(const char *path)
{
    log_error("%s: its nodes have names, which no graph that is written keeps; give ids",
              path);
    return ST_EINPUT;
}

static status_t read_graph(const char *path, pool_t *pool, csr_t *out)
{
    const graph_read_options_t any = {.ids_only = true, .weights = GRAPH_WEIGHTS_ANY};
    const csr_options_t as_given = {0};
    graph_nodes_t nodes;
    status_t st = graph_read_csr(path, &any, &as_given, pool, out, &nodes);

    if (st != ST_OK || (nodes.name == NULL && !nodes.are_sequences))
        return st;
    texts_free(nodes.name);
    csr_free(out);
    return refuse_names(path);
}

/* Read edges, if a file of them is given. */
static status_t read_change(csr_change_t *change, graph_weights_t weights)
{
    const graph_read_options_t any = {.ids_only = true, .weights = weights};
    status_t st;

    if (change->path == NULL)
        return ST_OK;
    st = graph_read(change->path, &any, &change->edges);
    if (st == ST_OK && (change->edges.name != NULL || change->edges.are_sequences))
        st = refuse_names(change->path);
    return st;
}

/* Note the digest of the graph before, which results on it have. */
static status_t note_from(const csr_t *old, csr_changes_t *changes)
{
    char digest[GRAPH_DIGEST_BYTES];
    status_t st = graph_digest_structure(old, digest);

    if (st == ST_OK && (changes->from = strdup(digest)) == NULL)
        st = log_nomem("changes of a graph");
    return st;
}

static status_t update(void *args, command_run_t *run)
{
    args_t *a = args;
    csr_t old = {0}, g = {0};
    csr_changes_t changes = {0};
    status_t st = read_graph(a->input, run->pool, &old);

    if (st == ST_OK)
        st = read_change(&a->remove, GRAPH_WEIGHTS_UNREAD);
    if (st == ST_OK)
        st = read_change(&a->add, GRAPH_WEIGHTS_ANY);
    a->how.remove = a->remove.path != NULL ? &a->remove : NULL;
    a->how.add = a->add.path != NULL ? &a->add : NULL;
    if (st == ST_OK &&
        (st = csr_update(&old, &a->how, run->pool, &g, &changes)) == ST_OK &&
        (st = note_from(&old, &changes)) == ST_OK &&
        (st = graph_write(a->common.output, (graph_output_t)a->format, a->common.force,
                          &g, &changes, command_run_end(run), run->pool)) == ST_OK)
        log_info("%s: %" PRId64 " nodes (%+" PRId64 "), %" PRId64 " arcs (%+" PRId64
                 "), %s",
                 a->common.output, g.n_nodes, g.n_nodes - old.n_nodes, g.n_arcs,
                 g.n_arcs - old.n_arcs, g.is_symmetric ? "undirected" : "directed");
    if (st == ST_OK && a->how.merge != NULL)
        log_verbose("the GPU merged rows in %.2f ms; %.2f ms for copies",
                    1e3 * a->gpu.seconds, 1e3 * a->gpu.copying_s);
    csr_free(&old);
    csr_free(&g);
    csr_changes_free(&changes);
    graph_edges_free(&a->remove.edges);
    graph_edges_free(&a->add.edges);
    return st;
}

/* Have a GPU merge, if one is to. */
static status_t choose_device(args_t *a)
{
    device_t device;
    status_t st = one_device_find(&cmd_graph_update, a->common.device, &device);

    if (st != ST_OK || !device_is_gpu(&device))
        return st;
    if (a->how.dedupe)
        return strcmp(a->common.device, "auto") == 0
                   ? ST_OK
                   : options_misuse(&cmd_graph_update,
                                    "--dedupe needs the CPU; leave out --device");
    a->gpu.index = device.index;
    a->how.merge = merge_on_gpu;
    a->how.ctx = &a->gpu;
    return ST_OK;
}

static status_t run(void *args)
{
    args_t *a = args;
    status_t st;

    if (a->common.output == NULL)
        return options_misuse(&cmd_graph_update, "give -o FILE");
    if (a->remove.path == NULL && a->add.path == NULL)
        return options_misuse(&cmd_graph_update, "give --add, --remove or both");
    if (a->remove.path == NULL && a->how.allow_absent)
        return options_misuse(&cmd_graph_update, "--allow-absent is for --remove");
    if ((st = graph_write_check(a->common.output, (graph_output_t)a->format)) != ST_OK ||
        (st = choose_device(a)) != ST_OK)
        return st;
    return command_run_with_pool(&a->common, NULL, update, a);
}

static void defaults(void *args)
{
    ((args_t *)args)->common.device = "cpu";
}

const command_t cmd_graph_update = {
    .name = "graph update",
    .summary = "remove edges from a graph and add others",
    .words = words,
    .usage = "-o FILE [--remove FILE] [--add FILE] [options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .defaults = defaults,
    .notes =
        "GRAPH and both FILEs may have any format that `ribogrid graph` reads, but\n"
        "names. Nodes are never removed; ids that GRAPH lacks become nodes.\n"
        "In a graph that has every edge in both directions, so do the edges of FILE.\n",
    .example = "ribogrid graph update web.h5 --remove dead.txt --add new.txt -o today.h5",
    .run = run,
    .reads_results = true,
};
