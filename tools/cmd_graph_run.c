/*
 * cmd_graph_run.c - `ribogrid graph run`: a graph program on a graph, into one HDF5 file.
 */
#include "graph/program/rg_emit.h"
#include "io/graphfile/make/graph_make.h"
#include "tools/options/commands.h"
#include "tools/options/job_run.h"
#include "tools/options/option_tables.h"
#include "worker/program/program_opts.h"

/* As on the command line. */
typedef enum { CODE_NONE, CODE_C, CODE_CUDA } code_t;

typedef struct {
    program_opts_t job;
    code_t code;
} args_t;

#define AT(member)    OPTION_AT(args_t, member)
#define JOB(member)   AT(job.member)
#define GRAPH(member) JOB(graph.member)

static const option_t words[] = {{OPTION_INPUT, "PROGRAM", 0, JOB(program)},
                                 {OPTION_INPUT, "GRAPH", 0, GRAPH(input),
                                  .is_optional = true},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Program"},
    {OPTION_TEXT, "set", 0, JOB(params), "NAME=VALUE,...",
     "values of the program's params; of a node its name or id, or max-degree"},
    {.word = WORD_MAX_ITERATIONS,
     GRAPH(max_iterations),
     .help = " of one loop, with an error ({})"},
    {OPTION_CHOICE, "code", 0, AT(code), "none|c|cuda",
     "print the program as C, or its kernels as CUDA C++, to stdout instead of running "
     "it, "
     "without GRAPH and -o"},

    {.kind = OPTION_GROUP, .name = "Input"},
    {.kind = OPTION_TABLE, JOB(graph), .table = option_graph_input},
    {.word = WORD_WEIGHTS,
     GRAPH(weights_text),
     .help = " that the program reads: those of the file (file, the default), all 1, or "
             "random ones"},

    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_OUTPUT,
     GRAPH(common.output),
     .value = "OUT.h5",
     .files = option_job_files,
     .help = ": the output attributes of the nodes"},
    {OPTION_OUTPUT, "output-graph", 0, JOB(output_graph), "FILE",
     "also write the graph as the program leaves it: .h5, .mtx, .txt, .gr or .graph"},

    {.kind = OPTION_GROUP, .name = "Device"},
    {.word = WORD_DEVICE, GRAPH(common.device)},
    {.word = WORD_KERNEL,
     GRAPH(common.kernel),
     .value = "auto|interpreter|c|cuda",
     .help = "; c is compiled by $CC or cc (auto: for graphs of 100,000 arcs or more), "
             "cuda by NVRTC for the loops of the program (auto: for 2,000,000 arcs per "
             "thread or more, unless it changes the graph)"},
    {.kind = OPTION_TABLE, .table = option_threads},

    {.kind = OPTION_TABLE, .table = option_run},
    {.kind = OPTION_END}};

static status_t print_code(const args_t *a)
{
    buf_t text = {0}, code = {0};
    rg_program_t program = {0};
    status_t st = rg_read(a->job.program, &text, &program);

    if (st == ST_OK)
        st = (a->code == CODE_C ? rg_emit_c : rg_emit_cuda)(&program, &code);
    if (st == ST_OK)
        fwrite(code.data, 1, code.len, stdout); /* main looks for errors at the end */
    buf_free(&code);
    buf_free(&text);
    rg_free(&program);
    return st;
}

/* Other ranks get the program from rank 0. */
static status_t take(job_opts_t *opts)
{
    program_opts_t *o = (program_opts_t *)opts;
    char why[JOB_OPTS_WHY_BYTES];
    status_t st = ST_OK;

    if (transport_launcher_rank() > 0)
        return ST_OK;
    if (o->output_graph != NULL)
        st = graph_write_check(o->output_graph, GRAPH_OUTPUT_AUTO);
    if (st != ST_OK)
        return st;
    st = program_opts_read(o, why);
    return st == ST_EUSAGE ? options_misuse(&cmd_graph_run, "%s", why) : st;
}

static status_t run(void *args)
{
    args_t *a = args;
    job_opts_t *common = &a->job.graph.common;
    status_t st;

    if (a->code == CODE_NONE) {
        st = job_run(&cmd_graph_run, common);
        program_opts_free(&a->job);
        return st;
    }
    if (a->job.graph.input != NULL || a->job.params != NULL || common->output != NULL ||
        a->job.output_graph != NULL || common->resume || common->is_plan)
        return options_misuse(&cmd_graph_run,
                              "--code prints the program and does not run it; leave out "
                              "GRAPH, --set, outputs, --resume and --plan");
    return transport_launcher_rank() <= 0 ? print_code(a) : ST_OK;
}

static void defaults(void *args)
{
    ((args_t *)args)->job = program_opts_defaults();
}

static const job_command_t job = {.ops = &job_program_ops, .take = take};

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
        "program; compiled ones use all --threads, or the GPU. The result is the "
        "same.\n" JOB_NOTES("OUT.h5.part"),
    .example = "ribogrid graph run bfs web.h5 --set source=max-degree -o bfs.h5",
    .print_more = print_programs,
    .defaults = defaults,
    .job = &job,
    .run = run,
};
