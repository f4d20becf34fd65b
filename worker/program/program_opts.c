/*
 * program_opts.c - which options of the job "graph run" go together.
 */
#include "worker/program/program_opts.h"

enum { MAX_ITERATIONS = 1000000 };

static const backend_t interpreter = {.name = "interpreter", .kind = DEVICE_CPU},
                       c = {.name = "c", .kind = DEVICE_CPU},
                       cuda = {.name = "cuda", .kind = DEVICE_CUDA};
static const backend_t *const rows[] = {&cuda, &c, &interpreter, NULL};

const backend_table_t program_table = {.name = "graph run", .rows = rows};

program_opts_t program_opts_defaults(void)
{
    program_opts_t o = {.graph = graph_opts_defaults()};

    o.graph.max_iterations = MAX_ITERATIONS;
    return o;
}

status_t program_opts_read(program_opts_t *o, char why[JOB_OPTS_WHY_BYTES])
{
    program_params_t params = {0};
    rg_program_t program;
    status_t st = rg_read(o->program, &o->text, &program);

    if (st != ST_OK)
        return st;
    st = graph_opts_settle_weights(&o->graph, o->program, program.reads_weights, why);
    if (st == ST_OK)
        st = program_params_take(o, &program, NULL, NULL, why, &params);
    program_params_free(&params);
    rg_free(&program);
    return st;
}

void program_opts_free(program_opts_t *o)
{
    buf_free(&o->text);
}

status_t program_opts_settle(job_opts_t *opts, char why[JOB_OPTS_WHY_BYTES])
{
    program_opts_t *o = (program_opts_t *)opts;
    graph_opts_t *g = &o->graph;
    status_t st;

    if (g->input == NULL)
        return job_opts_misuse(why, "give GRAPH");
    if ((st = job_opts_check_output(opts, "OUT.h5", true, why)) != ST_OK)
        return st;
    g->build.symmetrize = g->symmetrize;
    g->build.dedupe = g->dedupe;
    g->build.drop_loops = g->drop_loops;
    if (g->read.is_directed && g->symmetrize)
        return job_opts_misuse(why, "give --directed or --symmetrize, not both");
    return job_opts_settle_device(&g->common.device, g->common.kernel, &program_table,
                                  why);
}
