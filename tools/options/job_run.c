/*
 * job_run.c - how a command was run; a command that runs a job: its options, the reader
 * of files, the ranks and their devices.
 */
#include "tools/options/job_run.h"

#include "dispatcher/remote/remote_client.h"
#include "dispatcher/run.h"
#include "io/base/child.h"
#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "io/base/pool.h"
#include "kernels/device/device.h"
#include "worker/job_output.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void command_run_begin(const job_opts_t *opts, const char *input, command_run_t *out)
{
    *out = (command_run_t){.begin_s = clock_now_s()};
    out->info = (run_info_t){.program = opts->version,
                             .command = opts->command_line,
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

status_t command_run_with_pool(const job_opts_t *opts, const char *input,
                               status_t (*work)(void *args, command_run_t *run),
                               void *args)
{
    command_run_t run;
    status_t st;

    command_run_begin(opts, input, &run);
    if ((st = job_opts_pool(opts, &run.pool)) == ST_OK)
        st = work(args, &run);
    pool_destroy(run.pool);
    return st;
}

static status_t settle(const command_t *command, job_opts_t *opts)
{
    const job_command_t *j = command->job;
    char why[JOB_OPTS_WHY_BYTES];
    char *at = (char *)opts;
    status_t st;

    if (j->files > 0)
        seq_inputs_take((void *)(at + j->inputs), (void *)(at + j->files));
    st = j->take != NULL ? j->take(opts) : ST_OK;
    if (st != ST_OK)
        return st;
    if (j->ops->settle(opts, why) != ST_OK)
        return options_misuse(command, "%s", why);
    return j->check != NULL ? j->check(opts) : ST_OK;
}

/* Fork the child that reads, which has to be done before MPI begins. */
static status_t start_reader(const job_ops_t *ops, const job_reader_t *r,
                             job_opts_t *opts)
{
    const job_child_t child = {ops, opts, r->answer};
    char *files[JOB_READER_FILES + 1];
    child_limits_t limits;
    int n = 0;

    if (transport_launcher_rank() == 0 ? !(r->is_needed || opts->resume)
                                       : !r->on_all_ranks)
        return ST_OK;
    for (int i = 0; i < JOB_READER_FILES; i++)
        if (r->files[i] != NULL)
            files[n++] = (char *)(uintptr_t)r->files[i];
    if (opts->resume)
        files[n++] = (char *)(uintptr_t)opts->output;
    limits = child_limits(n, files, device_cpu().memory_bytes);
    return child_reader_start(&limits, job_child_answer, &child, &opts->reader);
}

/* CUDA is initialised by the first who lists GPUs. */
static void *list_gpus(void *unused)
{
    device_t gpus[DEVICES_MAX];

    (void)device_list_cuda(gpus);
    return unused;
}

/* Connect with the devices of --device. */
static status_t connect_devices(const command_t *command, const job_opts_t *opts,
                                const remote_list_t *remote, transport_t **out)
{
    const remote_command_t what = {.version = opts->version,
                                   .command = command->name,
                                   .any = opts->takes_one,
                                   .n_words = opts->n_words,
                                   .words = opts->words};

    return remote_connect(remote, &what, out);
}

/* CUDA takes as long to begin as MPI: they do so side by side. */
static status_t create_transport(const command_t *command, const job_opts_t *opts,
                                 const remote_list_t *remote, transport_t **out)
{
    const bool is_idle = remote->n > 0 && strcmp(remote->local, "none") == 0;
    pthread_t lister;
    const bool lists = !is_idle && strcmp(opts->device, "cpu") != 0 &&
                       thread_start(&lister, list_gpus, NULL);
    const status_t st = remote->n > 0 ? connect_devices(command, opts, remote, out)
                                      : transport_create(out);

    if (lists)
        pthread_join(lister, NULL);
    return st;
}

/* Find the remote devices of --device or RIBOGRID_DEVICE; --device is the local one
 * afterwards. */
static status_t take_remote(const command_t *command, job_opts_t *opts,
                            remote_list_t *out)
{
    const char *from_environment = getenv("RIBOGRID_DEVICE");
    status_t st;

    out->n = 0;
    if (from_environment != NULL && *from_environment != '\0' &&
        command->job->takes_remote && !IS_GIVEN(opts, device))
        opts->device = from_environment;
    if (strcmp(opts->device, "any") == 0 && command->job->takes_remote) {
        opts->takes_one = true;
        opts->device = getenv("RIBOGRID_SERVERS");
        if (opts->device == NULL || !remote_list_is(opts->device))
            return options_misuse(command,
                                  "--device any: RIBOGRID_SERVERS has no devices "
                                  "of servers; set it, such as to "
                                  "ssh://HOST/0,tls://HOST:PORT/0");
    }
    if (!remote_list_is(opts->device))
        return ST_OK;
    if (!command->job->takes_remote)
        return options_misuse(command,
                              "--device %s: this command takes no remote "
                              "devices; run it on the server, over ssh",
                              opts->device);
    if (transport_has_launcher())
        return options_misuse(command,
                              "--device %s: remote devices do not go with "
                              "mpirun or srun; start one process",
                              opts->device);
    if (opts->is_plan || opts->log_shards > 1)
        return options_misuse(command,
                              "--%s does not go with remote devices; leave it "
                              "out, or run it on the server, over ssh",
                              opts->is_plan ? "plan" : "log-shards");
    if ((st = remote_list_parse(opts->device, out)) != ST_OK)
        return st;
    opts->device = strcmp(out->local, "none") == 0 ? "auto" : out->local;
    opts->log_shards = 1;
    return ST_OK;
}

/* On every rank. @param device  of this one, or "none" */
static status_t run_on(const job_command_t *j, job_opts_t *opts, const char *device,
                       transport_t *t)
{
    binding_t binding;
    job_t *job;
    status_t st = bind_choose(&t->exchange, device, (int)opts->n_threads, &binding);

    log_phase("devices");
    if (st != ST_OK)
        return st;
    opts->binding = &binding;
    opts->n_threads = binding.n_threads;
    if (j->begin != NULL && (st = j->begin(opts, &t->exchange)) != ST_OK)
        return st;
    if ((st = exchange_agree(&t->exchange, job_create(j->ops, opts, &job))) != ST_OK)
        return st;
    return opts->is_plan ? job_plan_run(j, job, &t->exchange) : run_job(job, t);
}

status_t job_run_remote(const command_t *command, job_opts_t *opts, transport_t *t)
{
    bool is_stuck;
    status_t st;

    opts->log_shards = 1; /* as the client has it */
    if ((st = settle(command, opts)) == ST_OK)
        st = run_on(command->job, opts, opts->device, t);
    is_stuck = t->has_stuck_thread;
    t->destroy(t);
    if (is_stuck)
        _exit(status_exit_code(st));
    return st;
}

status_t job_run(const command_t *command, job_opts_t *opts)
{
    const job_command_t *j = command->job;
    job_reader_t reader = {.is_needed = false};
    remote_list_t remote;
    transport_t *t = NULL;
    bool is_silent, is_stuck;
    status_t st = take_remote(command, opts, &remote);

    if (st != ST_OK || (st = settle(command, opts)) != ST_OK ||
        (j->ops->reader != NULL && (st = j->ops->reader(opts, &reader)) != ST_OK))
        return st;
    log_release(true); /* the command line is valid: from now on, ranks may differ */
    if ((st = start_reader(j->ops, &reader, opts)) != ST_OK)
        return st;
    log_phases_begin();
    if ((st = create_transport(command, opts, &remote, &t)) != ST_OK) {
        child_reader_destroy(opts->reader);
        return st;
    }
    log_phase("ranks");
    t->exchange.patience_s = (double)opts->task_timeout_s;
    if (t->exchange.n_ranks > 1)
        log_set_rank(t->exchange.rank);
    st = run_on(j, opts,
                remote.n > 0 && strcmp(remote.local, "none") == 0 ? "none" : opts->device,
                t);
    is_silent = t->has_silent_rank;
    is_stuck = t->has_stuck_thread;
    if (!is_silent)
        t->destroy(t);
    log_phase("ranks");
    log_phases_end("ended");
    child_reader_destroy(opts->reader);
    if (st == ST_ESTOPPED && job_opts_is_stdout(opts))
        st = ST_EIO; /* there is nothing to resume */
    if (j->finish != NULL && !opts->is_plan && status_exit_code(st) == EXIT_OK &&
        transport_launcher_rank() <= 0)
        st = j->finish(opts);
    if (is_silent)
        t->abandon(t, status_exit_code(st));
    if (is_stuck)
        _exit(status_exit_code(st));
    return st;
}
