/*
 * job_run.c - how a command was run; a command that runs a job: its options, the reader
 * of files, the ranks and their devices.
 */
#include "tools/options/job_run.h"

#include "dispatcher/run.h"
#include "io/base/buf.h"
#include "io/base/child.h"
#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "version.h"

#include <stdint.h>
#include <stdlib.h>

/* @return the command line, or NULL without memory; the caller frees it */
static char *line_of(const command_t *command, int argc, char **argv)
{
    buf_t text = {0};
    status_t st = buf_printf(&text, "ribogrid %s", command->name);

    for (int i = 0; st == ST_OK && i < argc; i++)
        st = buf_printf(&text, " %s", argv[i]);
    if (st == ST_OK)
        st = buf_append(&text, "", 1);
    if (st != ST_OK)
        buf_free(&text);
    return (char *)text.data;
}

void command_run_begin(const command_t *command, int argc, char **argv, const char *input,
                       command_run_t *out)
{
    *out = (command_run_t){.command = line_of(command, argc, argv),
                           .begin_s = clock_now_s()};
    out->info = (run_info_t){.program = "ribogrid " VERSION_LONG,
                             .command = out->command != NULL ? out->command : "",
                             .input = input,
                             .started = run_info_time(time(NULL), out->started),
                             .ranks = 1};
}

const run_info_t *command_run_end(command_run_t *run)
{
    run->info.seconds = clock_now_s() - run->begin_s;
    run->info.finished = run_info_time(time(NULL), run->finished);
    return &run->info;
}

void command_run_free(command_run_t *run)
{
    free(run->command);
    run->command = NULL;
}

static status_t parse(const job_command_t *c, int argc, char **argv, job_opts_t *opts)
{
    const char *words[OPTIONS_WORDS_MAX] = {NULL};
    char why[JOB_OPTS_WHY_BYTES];
    status_t st = options_parse(c->command, argc, argv, opts, words);

    if (st != ST_OK)
        return st;
    if ((st = c->take(opts, words)) != ST_OK)
        return st;
    if (c->ops->settle(opts, why) != ST_OK)
        return options_misuse(c->command, "%s", why);
    return c->check != NULL ? c->check(opts) : ST_OK;
}

/* Fork the child that reads, which has to be done before MPI begins. */
static status_t start_reader(const job_reader_t *r, job_opts_t *opts)
{
    char *files[JOB_READER_FILES];
    child_limits_t limits;
    int n = 0;

    if (!(r->is_needed || opts->resume) || transport_launcher_rank() != 0)
        return ST_OK;
    for (int i = 0; i < JOB_READER_FILES; i++)
        if (r->files[i] != NULL)
            files[n++] = (char *)(uintptr_t)r->files[i];
    limits = child_limits(n, files, device_cpu().memory_bytes);
    return child_reader_start(&limits, r->answer, opts, &opts->reader);
}

/* On every rank. */
static status_t run_on(const job_command_t *c, job_opts_t *opts, transport_t *t)
{
    binding_t binding;
    job_t *job;
    status_t st = bind_choose(&t->exchange, opts->device, (int)opts->n_threads, &binding);

    log_phase("devices");
    if (st != ST_OK)
        return st;
    opts->binding = &binding;
    opts->n_threads = binding.n_threads;
    if ((st = exchange_agree(&t->exchange, job_create(c->ops, opts, &job))) != ST_OK)
        return st;
    return (c->run != NULL ? c->run : run_job)(job, t);
}

int job_run(const job_command_t *c, int argc, char **argv, job_opts_t *opts)
{
    job_reader_t reader = {.is_needed = false};
    transport_t *t = NULL;
    char *command_line;
    status_t st = parse(c, argc, argv, opts);

    if (st != ST_OK || (st = c->ops->reader(opts, &reader)) != ST_OK)
        return status_exit_code(st);
    log_release(true); /* the command line is valid: from now on, ranks may differ */
    if ((st = start_reader(&reader, opts)) != ST_OK)
        return status_exit_code(st);
    log_phases_begin();
    if ((st = transport_create(&t)) != ST_OK) {
        child_reader_destroy(opts->reader);
        return status_exit_code(st);
    }
    log_phase("ranks");
    if (t->exchange.n_ranks > 1)
        log_set_rank(t->exchange.rank);
    command_line = line_of(c->command, argc, argv);
    opts->command_line = command_line != NULL ? command_line : "";
    opts->version = "ribogrid " VERSION_LONG;
    st = run_on(c, opts, t);
    t->destroy(t);
    log_phase("ranks");
    log_phases_end("ended");
    child_reader_destroy(opts->reader);
    free(command_line);
    if (c->finish != NULL && status_exit_code(st) == EXIT_OK &&
        transport_launcher_rank() <= 0)
        st = c->finish(opts);
    return status_exit_code(st);
}
