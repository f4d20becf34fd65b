/*
 * cmd_graph_run.c - `ribogrid graph run`: a graph program on a graph, into one HDF5 file.
 */
#include "graph/program/rg_emit.h"
#include "graph/program/rg_native.h"
#include "io/base/clock.h"
#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/base/near_word.h"
#include "io/base/texts.h"
#include "io/graphfile/make/graph_make.h"
#include "tools/options/commands.h"
#include "tools/options/job_run.h"
#include "tools/options/option_tables.h"
#include "worker/graph/graph_digest.h"
#include "worker/graph/graph_opts.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As on the command line. */
typedef enum { BACKEND_AUTO, BACKEND_INTERPRETER, BACKEND_C } backend_choice_t;
typedef enum { CODE_NONE, CODE_C } code_t;

/* Compiling takes as long as interpreting some million arcs, of several iterations. */
enum { COMPILED_ARCS = 100000 };

typedef struct {
    graph_opts_t graph; /* its input and max_iterations */
    const char *program, *params;
    const char *output_graph; /* or NULL */
    int backend, code;
} args_t;

#define AT(member)    OPTION_AT(args_t, member)
#define GRAPH(member) AT(graph.member)

static const option_t words[] = {{OPTION_INPUT, "PROGRAM", 0, AT(program)},
                                 {OPTION_INPUT, "GRAPH", 0, GRAPH(input),
                                  .is_optional = true},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Program"},
    {OPTION_TEXT, "set", 0, AT(params), "NAME=VALUE,...",
     "values of the program's params; of a node its name or id, or max-degree"},
    {.word = WORD_MAX_ITERATIONS,
     GRAPH(max_iterations),
     .help = " of one loop, with an error ({})"},
    {OPTION_CHOICE, "backend", 0, AT(backend), "auto|interpreter|c",
     "interpret the program, or compile it as C by $CC or cc (auto: for graphs of "
     "100,000 arcs or more, where there is a compiler)"},
    {OPTION_CHOICE, "code", 0, AT(code), "none|c",
     "print the program as C to stdout instead of running it, without GRAPH and -o"},

    {.kind = OPTION_GROUP, .name = "Input"},
    {.kind = OPTION_TABLE, AT(graph), .table = option_graph_input},
    {.word = WORD_WEIGHTS,
     GRAPH(weights_text),
     .help = " that the program reads: those of the file (file, the default), all 1, or "
             "random ones"},

    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_OUTPUT,
     GRAPH(common.output),
     .value = "OUT.h5",
     .help = ": the output attributes of the nodes"},
    {OPTION_OUTPUT, "output-graph", 0, AT(output_graph), "FILE",
     "also write the graph as the program leaves it: .h5, .mtx, .txt, .gr or .graph"},
    {.kind = OPTION_TABLE, .table = option_force},

    {.kind = OPTION_GROUP, .name = "Run"},
    {.kind = OPTION_TABLE, .table = option_threads},
    {.kind = OPTION_END}};

/* What a run needs and makes. */
typedef struct {
    args_t *args;
    pool_t *pool;
    buf_t text; /* of the program */
    rg_program_t program;
    csr_t graph;
    graph_nodes_t nodes;
    rg_value_t *param; /* [n_values] */
    bool *is_given;    /* [n_values] */
    buf_t job;         /* text of the job */
    rg_result_t result;
    command_run_t run;
} run_t;

/* ---- the values of params ---- */

static status_t refuse_value(const rg_symbol_t *s, const char *value, const char *remedy)
{
    return options_misuse(&cmd_graph_run,
                          "--set %s=%s: the param has the type %s; give %s", s->name,
                          value, rg_type_name[s->type], remedy);
}

static status_t parse_node(const run_t *r, const char *value, rg_value_t *out)
{
    graph_sources_t how = {.n = 1};
    int32_t *nodes;
    int64_t n;
    status_t st;

    graph_opts_parse_source(value, &how);
    st = graph_sources_choose(&how, &r->graph, r->nodes.name, r->args->graph.input,
                              &nodes, &n);
    if (st != ST_OK)
        return st;
    out->i = n > 0 ? nodes[0] : -1;
    free(nodes);
    return ST_OK;
}

static status_t parse_value(const run_t *r, const rg_symbol_t *s, const char *value,
                            rg_value_t *out)
{
    char *end;

    errno = 0;
    switch (s->type) {
    case RG_INT:
        out->i = strtoll(value, &end, 10);
        if (end == value || *end != '\0' || errno != 0)
            return refuse_value(s, value, "a whole number");
        return ST_OK;
    case RG_REAL:
        out->r = strtod(value, &end);
        if (end == value || *end != '\0' || !isfinite(out->r))
            return refuse_value(s, value, "a number");
        return ST_OK;
    case RG_BOOL:
        out->i = strcmp(value, "true") == 0;
        if (out->i == 0 && strcmp(value, "false") != 0)
            return refuse_value(s, value, "true or false");
        return ST_OK;
    default:
        return parse_node(r, value, out);
    }
}

static status_t find_param(const run_t *r, const char *name, const rg_symbol_t **out)
{
    near_word_t near = near_word_begin(name, strlen(name));
    char guess[NEAR_WORD_BYTES];

    for (const rg_symbol_t *s = r->program.symbols; s != NULL; s = s->next) {
        if (s->kind != SYMBOL_PARAM)
            continue;
        if (strcmp(s->name, name) == 0) {
            *out = s;
            return ST_OK;
        }
        near_word_try(&near, s->name);
    }
    return options_misuse(&cmd_graph_run, "--set %s=...: %s has no such param%s", name,
                          r->program.path, near_word_text(&near, "", guess));
}

/* Take "NAME=VALUE", modified. */
static status_t set_param(run_t *r, char *entry)
{
    char *value = strchr(entry, '=');
    const rg_symbol_t *s = NULL;
    status_t st;

    if (value == NULL)
        return options_misuse(&cmd_graph_run, "--set %s: give NAME=VALUE", entry);
    *value++ = '\0';
    if ((st = find_param(r, entry, &s)) != ST_OK)
        return st;
    if (r->is_given[s->slot])
        return options_misuse(&cmd_graph_run, "--set %s=...: given twice; give one value",
                              entry);
    if ((st = parse_value(r, s, value, &r->param[s->slot])) != ST_OK)
        return st;
    r->is_given[s->slot] = true;
    if (s->type == RG_NODE && r->param[s->slot].i >= 0)
        return buf_printf(&r->job, "%s=%" PRId64 "\n", s->name,
                          r->graph.id[r->param[s->slot].i]);
    return buf_printf(&r->job, "%s=%s\n", s->name, value);
}

static status_t set_params(run_t *r)
{
    char *copy, *rest, *entry;
    status_t st = ST_OK;

    r->param = calloc((size_t)r->program.n_values + 1, sizeof(*r->param));
    r->is_given = calloc((size_t)r->program.n_values + 1, sizeof(*r->is_given));
    if (r->param == NULL || r->is_given == NULL)
        return log_nomem("a graph program");
    if (r->args->params == NULL)
        return ST_OK;
    if ((copy = strdup(r->args->params)) == NULL)
        return log_nomem("a graph program");
    rest = copy;
    while (st == ST_OK && (entry = strsep(&rest, ",")) != NULL)
        st = set_param(r, entry);
    free(copy);
    return st;
}

/* ---- input ---- */

static status_t settle(run_t *r)
{
    graph_opts_t *o = &r->args->graph;
    char why[JOB_OPTS_WHY_BYTES];

    o->build = (csr_options_t){.symmetrize = o->symmetrize,
                               .dedupe = o->dedupe,
                               .drop_loops = o->drop_loops};
    if (o->read.is_directed && o->symmetrize)
        return options_misuse(&cmd_graph_run,
                              "give --directed or --symmetrize, not both");
    if (graph_opts_settle_weights(o, r->program.path, r->program.reads_weights, why) !=
        ST_OK)
        return options_misuse(&cmd_graph_run, "%s", why);
    return ST_OK;
}

/* Describe what the result depends on. */
static status_t describe(run_t *r)
{
    const csr_t *g = &r->graph;
    char digest[GRAPH_DIGEST_BYTES];
    uint64_t *of_block;
    status_t st = graph_digest_blocks(g, &of_block);

    if (st != ST_OK)
        return st;
    graph_digest_text(graph_digest_of(of_block, g->n_nodes, r->nodes.name, NULL), digest);
    free(of_block);
    return buf_printf(&r->job,
                      "job=graph run\nprogram=%s\nprogram_digest=%016" PRIx64
                      "\nnodes=%" PRId64 "\narcs=%" PRId64 "\ngraph_digest=%s\n",
                      r->program.path,
                      digest_add(DIGEST_START, r->text.data, r->text.len), g->n_nodes,
                      g->n_arcs, digest);
}

static status_t read_all(run_t *r)
{
    graph_opts_t *o = &r->args->graph;
    status_t st = rg_read(r->args->program, &r->text, &r->program);

    if (st != ST_OK || (st = settle(r)) != ST_OK ||
        (st = graph_read_csr(o->input, &o->read, &o->build, r->pool, &r->graph,
                             &r->nodes)) != ST_OK)
        return st;
    log_info("%s: %" PRId64 " nodes, %" PRId64 " arcs, %s", o->input, r->graph.n_nodes,
             r->graph.n_arcs, r->graph.is_symmetric ? "undirected" : "directed");
    if (r->args->output_graph != NULL && r->nodes.name != NULL) {
        log_error("%s: its nodes have names, which no graph that is written keeps; give "
                  "ids, or leave out --output-graph",
                  o->input);
        return ST_EINPUT;
    }
    return describe(r);
}

/* ---- output ---- */

static status_t write_run(run_t *r, graph_result_writer_t *file)
{
    const rg_result_t *result = &r->result;
    graph_result_run_t run = {.iterations = result->n_iterations,
                              .arcs_visited = result->n_visited};

    if (result->seconds > 0)
        run.edges_per_second = (double)result->n_visited / result->seconds;
    run_info_add(&r->run.info, "kernels", result->seconds);
    run.info = *command_run_end(&r->run);
    log_verbose("seconds: read %.3f, program %.6f; %" PRId64 " iterations, %" PRId64
                " arcs visited, %.4g per second",
                run_info_stage(&run.info, "read"), result->seconds, run.iterations,
                run.arcs_visited, run.edges_per_second);
    return graph_result_write_run(file, &run);
}

/* Also the graph, if the program has changed it or it is to be written. */
static status_t write_result(run_t *r)
{
    const job_opts_t *o = &r->args->graph.common;
    const rg_result_t *result = &r->result;
    const bool is_changed = result->graph.first != NULL;
    const csr_t *graph = is_changed ? &result->graph : &r->graph;
    graph_result_head_t head = {.program = o->version,
                                .algorithm = r->program.path,
                                .job = (const char *)r->job.data,
                                .graph = graph,
                                .n_rows = 1,
                                .n_columns = result->n_columns};
    graph_result_writer_t *file = NULL;
    status_t st;

    if (!is_changed || result->has_same_nodes)
        head.name = (const char *const *)r->nodes.name;
    if (r->args->output_graph != NULL &&
        (st = graph_write(r->args->output_graph, GRAPH_OUTPUT_AUTO, o->force, graph, NULL,
                          &r->run.info, r->pool)) != ST_OK)
        return st;
    for (int c = 0; c < result->n_columns; c++) {
        strcpy(head.column[c].name, result->column[c].symbol->name);
        head.column[c].type = rg_column_type(result->column[c].symbol->type);
    }
    st = graph_result_write_begin(o->output, o->force, &head, r->pool, &file);
    for (int c = 0; st == ST_OK && c < result->n_columns; c++)
        st = graph_result_write_row(file, c, 0, result->column[c].values);
    if (st == ST_OK)
        st = write_run(r, file);
    return graph_result_write_end(file, st);
}

/* Compile the program if that is chosen, else interpret it. */
static status_t run_program(run_t *r, const rg_input_t *input)
{
    const bool is_auto = r->args->backend == BACKEND_AUTO;
    rg_native_t *native = NULL;
    status_t st = ST_EDEVICE;
    double begin = clock_now_s();

    if (r->args->backend == BACKEND_C || (is_auto && r->graph.n_arcs >= COMPILED_ARCS)) {
        st = rg_native_create(&r->program, is_auto, &native);
        run_info_add(&r->run.info, "compile", clock_now_s() - begin);
        if (st != ST_OK && (!is_auto || st != ST_EDEVICE))
            return st;
    }
    if (native == NULL)
        return rg_run(&r->program, input, &r->result);
    st = rg_native_run(native, input, r->pool, &r->result);
    rg_native_destroy(native);
    return st;
}

static status_t print_code(run_t *r)
{
    buf_t code = {0};
    status_t st = rg_read(r->args->program, &r->text, &r->program);

    if (st == ST_OK && (st = rg_emit_c(&r->program, &code)) == ST_OK)
        fwrite(code.data, 1, code.len, stdout); /* main looks for errors at the end */
    buf_free(&code);
    return st;
}

static status_t compute(run_t *r)
{
    const double begin = clock_now_s();
    rg_input_t input = {.graph = &r->graph,
                        .max_iterations = r->args->graph.max_iterations,
                        .max_items = INT32_MAX};
    status_t st;

    if ((st = read_all(r)) != ST_OK || (st = set_params(r)) != ST_OK ||
        (st = buf_append(&r->job, "", 1)) != ST_OK)
        return st;
    run_info_add(&r->run.info, "read", clock_now_s() - begin);
    input.param = r->param;
    input.is_given = r->is_given;
    if ((st = run_program(r, &input)) != ST_OK)
        return st;
    return write_result(r);
}

static void free_run(run_t *r)
{
    rg_result_free(&r->result);
    rg_free(&r->program);
    texts_free(r->nodes.name);
    csr_free(&r->graph);
    pool_destroy(r->pool);
    free(r->param);
    free(r->is_given);
    buf_free(&r->text);
    buf_free(&r->job);
}

static status_t run(void *args)
{
    run_t r = {.args = args};
    const job_opts_t *common = &r.args->graph.common;
    char why[JOB_OPTS_WHY_BYTES];
    status_t st;

    if (r.args->code == CODE_C) {
        if (r.args->graph.input != NULL || common->output != NULL ||
            r.args->params != NULL || r.args->output_graph != NULL)
            return options_misuse(&cmd_graph_run, "--code prints the program and does "
                                                  "not run it; leave out GRAPH, outputs "
                                                  "and --set");
        st = print_code(&r);
        free_run(&r);
        return st;
    }
    if (r.args->graph.input == NULL)
        return options_misuse(&cmd_graph_run, "give GRAPH");
    if ((st = job_opts_check_output(common, "OUT.h5", true, why)) != ST_OK)
        return options_misuse(&cmd_graph_run, "%s", why);
    if (r.args->output_graph != NULL &&
        (st = graph_write_check(r.args->output_graph, GRAPH_OUTPUT_AUTO)) != ST_OK)
        return st;
    command_run_begin(common, r.args->graph.input, &r.run);
    if ((st = job_opts_pool(common, &r.pool)) == ST_OK)
        st = compute(&r);
    free_run(&r);
    return st;
}

static void defaults(void *args)
{
    ((args_t *)args)->graph.max_iterations = 1000000;
}

static void print_programs(FILE *to)
{
    fprintf(to, "\nShipped programs:");
    for (int i = 0; rg_shipped[i].name != NULL; i++)
        fprintf(to, " %s", rg_shipped[i].name);
    putc('\n', to);
}

const command_t cmd_graph_run = {
    .name = "graph run",
    .summary = "run a graph program: an algorithm of your own as a short text",
    .words = words,
    .usage = "-o OUT.h5 [options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes =
        "PROGRAM: a file in the language of docs/graph-programs.md, or the name of a\n"
        "shipped program. GRAPH: as of `ribogrid graph`. One thread interprets a\n"
        "program; compiled ones use all --threads. The result is the same.\n",
    .example = "ribogrid graph run bfs web.h5 --set source=max-degree -o bfs.h5",
    .print_more = print_programs,
    .defaults = defaults,
    .run = run,
    .reads_results = true,
};
