/*
 * cmd_serve_device.c - `ribogrid serve-device`: lends this machine's devices to clients,
 * whose runs they take part in as ranks.
 *
 * One process listens, and starts another one for each client: this command with --stdio.
 */
#include "dispatcher/remote/remote_hello.h"
#include "dispatcher/remote/remote_socket.h"
#include "dispatcher/remote/sandbox.h"
#include "dispatcher/transport/transport_stream.h"
#include "io/base/logmsg.h"
#include "tools/options/commands.h"
#include "tools/options/job_run.h"
#include "tools/options/option_tables.h"
#include "tools/options/program.h"
#include "version.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    job_opts_t common;
    const char *socket;
    bool stdio;
    int64_t memory_bytes, max_clients;
} args_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t options[] = {
    {OPTION_TEXT, "socket", 0, AT(socket), "PATH",
     "listen at this Unix socket, which its user and group may connect with (mode 0660)"},
    {OPTION_FLAG, "stdio", 0, AT(stdio), NULL,
     "serve one client, on stdin and stdout: for services that start it for each"},
    {OPTION_INT, "max-clients", 0, AT(max_clients), "N",
     "with --socket: runs of a user that are served at the same time ({})", 1, 64},
    {.word = WORD_DEVICE,
     AT(common.device),
     .value = "auto|cpu|cuda[:I][,...]",
     .help = ", numbered from 0 in this order; auto: all GPUs, or the CPU"},
    {.kind = OPTION_TABLE, .table = option_threads},
    {.word = WORD_MEMORY,
     AT(memory_bytes),
     .help = " that the process of a client may use, if no GPU is lent (all)"},
    {.kind = OPTION_END}};

static const char version[] = "ribogrid " VERSION_LONG;

/* ---- the devices that are lent ---- */

enum { DEVICE_WORD_BYTES = 32, WHY_BYTES = 160 };

/*
 * Find the device of a number in the list, by the name that --device has for it.
 *
 * @param index  counts down; below 0 afterwards: it was found
 */
static void find_in_word(const char *word, int *index, char out[DEVICE_WORD_BYTES])
{
    const bool is_auto = strcmp(word, "auto") == 0;
    device_t gpus[DEVICES_MAX];
    const int n_gpus = is_auto || strcmp(word, "cuda") == 0 ? device_list_cuda(gpus) : 0;

    if (n_gpus == 0) {
        if ((*index)-- == 0)
            snprintf(out, DEVICE_WORD_BYTES, "%s", is_auto ? "cpu" : word);
        return;
    }
    if (*index < n_gpus)
        snprintf(out, DEVICE_WORD_BYTES, "cuda:%d", gpus[*index].index);
    *index -= n_gpus;
}

/* @return whether the list has that many devices */
static bool find_device(const char *list, int index, char out[DEVICE_WORD_BYTES])
{
    while (list != NULL && index >= 0) {
        const size_t len = strcspn(list, ",");
        char word[DEVICE_WORD_BYTES];

        snprintf(word, sizeof(word), "%.*s", (int)len, list);
        find_in_word(word, &index, out);
        list = list[len] == ',' ? list + len + 1 : NULL;
    }
    return index < 0;
}

/* Each word has to be a device's. */
static status_t check_devices(const char *list)
{
    while (list != NULL) {
        const size_t len = strcspn(list, ",");
        char word[DEVICE_WORD_BYTES];

        if (len < sizeof(word))
            snprintf(word, sizeof(word), "%.*s", (int)len, list);
        if (len >= sizeof(word) || device_option_kinds(word) == 0)
            return options_misuse(&cmd_serve_device,
                                  "--device %.80s: give auto, cpu, cuda, cuda:I, or "
                                  "several of them, separated by commas",
                                  list);
        list = list[len] == ',' ? list + len + 1 : NULL;
    }
    return ST_OK;
}

/* ---- one client ---- */

static const command_t *find_command(const char *name)
{
    const command_t *c = program_command(name);

    return c != NULL && c->job != NULL && c->job->takes_remote ? c : NULL;
}

/* Parse a client's command line.
 * @param words  out, with what options lead into: the caller frees it
 * @return the command's structure; NULL: refused (logged) */
static job_opts_t *parse(const command_t *command, const hello_request_t *r,
                         char ***words)
{
    job_opts_t *opts = options_defaults(command);
    const char *word = remote_hello_word(r, NULL);

    *words = calloc((size_t)r->n_words, sizeof(**words));
    if (opts == NULL || *words == NULL)
        goto fail;
    for (int i = 0; i < r->n_words - 1; i++) {
        word = remote_hello_word(r, word);
        (*words)[i] = (char *)(uintptr_t)word;
    }
    if (options_parse_only(command, r->n_words - 1, *words, opts) != ST_OK)
        goto fail;
    return opts;
fail:
    free(opts);
    return NULL;
}

/* Take part in the client's run. @param client  taken over */
static status_t take_part(const args_t *a, const char *device, const stream_end_t *client,
                          const hello_request_t *r, const command_t *command)
{
    char **words = NULL;
    job_opts_t *opts = NULL;
    transport_t *t;
    status_t st = transport_stream_device(client, r->rank, r->n_ranks, &t);

    if (st != ST_OK)
        return st;
    if ((opts = parse(command, r, &words)) != NULL) {
        opts->device = device;
        opts->n_threads = a->common.n_threads;
        opts->command_line = command->name;
        opts->version = version;
        st = job_run_remote(command, opts, t);
    } else {
        st = ST_EINPUT;
        t->destroy(t);
    }
    free(words);
    free(opts);
    return st;
}

/* stdin and stdout are the client's: nothing else may write there.
 * @return whether that is so */
static bool take_stdio(stream_end_t *out)
{
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    *out = (stream_end_t){.in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3),
                          .out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3),
                          .name = "the client"};
    return null >= 0 && out->in >= 0 && out->out >= 0 && dup2(null, STDIN_FILENO) >= 0 &&
           dup2(null, STDOUT_FILENO) >= 0;
}

/* @return bytes that a client's process may use of the host's memory */
static int64_t memory_of(const args_t *a)
{
    return a->memory_bytes > 0 ? a->memory_bytes : device_cpu().memory_bytes;
}

static status_t serve_client(const args_t *a)
{
    char device[DEVICE_WORD_BYTES] = "", why[WHY_BYTES];
    const command_t *command;
    hello_request_t request = {.rank = 0};
    stream_end_t client;
    status_t st;

    if (isatty(STDIN_FILENO))
        return options_misuse(
            &cmd_serve_device,
            "--stdio is for clients, not for a terminal; give --socket");
    if (!take_stdio(&client)) {
        log_error("cannot take stdin and stdout over");
        return ST_EIO;
    }
    if (!sandbox_enter(strcmp(a->common.device, "cpu") != 0, memory_of(a)))
        log_verbose("this kernel cannot confine files (Landlock): clients rely on the "
                    "program to open none");
    if ((st = remote_hello_server(client.in, client.out, version, &request)) != ST_OK)
        goto end;
    command = find_command(remote_hello_word(&request, NULL));
    if (command == NULL)
        snprintf(why, sizeof(why), "this server does not run `%.80s`",
                 remote_hello_word(&request, NULL));
    else if (!find_device(a->common.device, request.index, device))
        snprintf(why, sizeof(why), "this server lends no device %d; it lends %.80s",
                 request.index, a->common.device);
    else
        why[0] = '\0';
    st = remote_hello_answer(client.out, why[0] != '\0' ? why : NULL);
    if (st == ST_OK && why[0] == '\0') {
        st = take_part(a, device, &client, &request, command);
        client = (stream_end_t){.in = -1, .out = -1};
    }
end:
    stream_end_close(&client);
    buf_free(&request.text);
    return st;
}

/* ---- all clients ---- */

static status_t serve_socket(const args_t *a)
{
    char name[] = "ribogrid", command[] = "serve-device", stdio[] = "--stdio",
         device[] = "--device", threads[] = "--threads", n_threads[32],
         memory[] = "--memory", bytes[32], quiet[] = "-q", verbose[] = "-v";
    char *argv[12] = {name, command, stdio, device, (char *)(uintptr_t)a->common.device};
    int n = 5;

    if (a->common.n_threads > 0) {
        snprintf(n_threads, sizeof(n_threads), "%d", (int)a->common.n_threads);
        argv[n++] = threads;
        argv[n++] = n_threads;
    }
    if (a->memory_bytes > 0) {
        snprintf(bytes, sizeof(bytes), "%" PRId64, a->memory_bytes);
        argv[n++] = memory;
        argv[n++] = bytes;
    }
    if (a->common.quiet || a->common.verbose)
        argv[n] = a->common.quiet ? quiet : verbose;
    return remote_socket_serve(a->socket, (int)a->max_clients, argv);
}

static status_t run(void *args)
{
    const args_t *a = args;
    status_t st = check_devices(a->common.device);

    if (st != ST_OK)
        return st;
    if ((a->socket != NULL) == a->stdio)
        return options_misuse(&cmd_serve_device, "give --socket PATH or --stdio");
    return a->stdio ? serve_client(a) : serve_socket(a);
}

enum { MAX_CLIENTS = 8 };

static void defaults(void *args)
{
    ((args_t *)args)->max_clients = MAX_CLIENTS;
}

const command_t cmd_serve_device = {
    .name = "serve-device",
    .summary = "lend the devices of this machine to runs on other machines",
    .usage = "--socket PATH [options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .defaults = defaults,
    .notes = "A client gives --device unix:PATH/0 and keeps its files and finished work. "
             "Each client\n"
             "has a process of its own here, which opens none of the client's files.\n",
    .example = "ribogrid serve-device --socket /run/ribogrid.sock --device cuda:0,cpu",
    .run = run,
};
