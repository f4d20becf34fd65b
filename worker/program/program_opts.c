/*
 * program_opts.c - which options of the job "graph run" go together.
 */
#include "worker/program/program_opts.h"

#include <string.h>

enum { MAX_ITERATIONS = 1000000 };

/* As on the command line. */
static const char *const program_backend_name[] = {[PROGRAM_AUTO] = "auto",
                                                   [PROGRAM_INTERPRETER] = "interpreter",
                                                   [PROGRAM_C] = "c",
                                                   [PROGRAM_CUDA] = "cuda"};

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

/* A backend decides on the device. */
static status_t settle_device(program_opts_t *o, char why[JOB_OPTS_WHY_BYTES])
{
    const char **device = &o->graph.common.device;
    const unsigned allowed = device_option_kinds(*device);
    const device_kind_t kind = o->backend == PROGRAM_CUDA ? DEVICE_CUDA : DEVICE_CPU;

    if (allowed == 0)
        return job_opts_misuse(why, "--device %s: give auto, cpu, cuda or cuda:I",
                               *device);
    if (o->backend == PROGRAM_AUTO)
        return ST_OK;
    if ((allowed & DEVICE_BIT(kind)) == 0)
        return job_opts_misuse(why, "--backend %s does not run on --device %s",
                               program_backend_name[o->backend], *device);
    if (strcmp(*device, "auto") == 0)
        *device = device_kind_name[kind];
    return ST_OK;
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
    return settle_device(o, why);
}
