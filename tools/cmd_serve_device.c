/*
 * cmd_serve_device.c - `ribogrid serve-device`: lends this machine's devices to clients,
 * whose runs they take part in as ranks.
 *
 * One process listens, and starts another one for each client: this command with --stdio.
 */
#include "dispatcher/remote/remote_hello.h"
#include "dispatcher/remote/remote_server.h"
#include "dispatcher/remote/remote_socket.h"
#include "dispatcher/remote/remote_tcp.h"
#include "dispatcher/remote/remote_tls.h"
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
    const char *socket, *listen, *keys, *new_key;
    bool stdio;
    int64_t memory_bytes, max_clients;
} args_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t options[] = {
    {OPTION_TEXT, "socket", 0, AT(socket), "PATH",
     "listen at this Unix socket, which its user and group may connect with (mode 0660)"},
    {OPTION_TEXT, "listen", 0, AT(listen), "[ADDRESS:]PORT",
     "listen for TLS at this port, of this machine only where no address is given"},
    {OPTION_TEXT, "keys", 0, AT(keys), "PATH",
     "the file of names and keys of users, for TLS (RIBOGRID_KEYS, or "
     "~/.config/ribogrid/keys)"},
    {OPTION_TEXT, "new-key", 0, AT(new_key), "NAME",
     "add a user with a new key to --keys, and end"},
    {OPTION_FLAG, "stdio", 0, AT(stdio), NULL,
     "serve one client, on stdin and stdout: for services that start it for each; with "
     "--keys, TLS on stdin, and the user's name goes to stdout"},
    {OPTION_INT, "max-clients", 0, AT(max_clients), "N",
     "runs of a user that are served at the same time ({})", 1, 64},
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

enum { DEVICE_WORD_BYTES = 32, WHY_BYTES = 160, KEYS_PATH_BYTES = 4096 };

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

/* Answer a client's request, and take part in its run.
 * @param client  open; ended where it was taken over */
static status_t answer_client(const args_t *a, stream_end_t *client,
                              const hello_request_t *r)
{
    char device[DEVICE_WORD_BYTES] = "", why[WHY_BYTES] = "";
    const command_t *command = find_command(remote_hello_word(r, NULL));
    status_t st;

    if (command == NULL)
        snprintf(why, sizeof(why), "this server does not run `%.80s`",
                 remote_hello_word(r, NULL));
    else if (!find_device(a->common.device, r->index, device))
        snprintf(why, sizeof(why), "this server lends no device %d; it lends %.80s",
                 r->index, a->common.device);
    st = remote_hello_answer(client->out, why[0] != '\0' ? why : NULL);
    if (st == ST_OK && why[0] == '\0') {
        st = take_part(a, device, client, r, command);
        *client = (stream_end_t){.in = -1, .out = -1};
    }
    return st;
}

/* Find out who the client is, and tell the process that listens.
 * @param client  its stream is that within TLS afterwards */
static status_t take_tls(const remote_keys_t *keys, stream_end_t *client)
{
    char user[KEY_NAME_BYTES];
    const int secret = client->in, report = client->out;
    status_t st;

    client->in = client->out = -1;
    remote_tcp_peer(secret, client->name, sizeof(client->name));
    st = remote_tls_server(secret, keys, user, client);
    if (st == ST_OK && write(report, user, strlen(user)) < 0)
        log_verbose("nobody takes the name of %s", user);
    close(report);
    return st;
}

static status_t serve_client(const args_t *a)
{
    hello_request_t request = {.rank = 0};
    remote_keys_t keys = {.n = 0};
    stream_end_t client;
    status_t st;

    if (isatty(STDIN_FILENO))
        return options_misuse(&cmd_serve_device,
                              "--stdio is for clients, not for a terminal; give --socket "
                              "or --listen");
    if (a->keys != NULL && ((st = remote_tls_load()) != ST_OK ||
                            (st = remote_keys_read(a->keys, &keys)) != ST_OK))
        return st;
    if (!take_stdio(&client)) {
        log_error("cannot take stdin and stdout over");
        remote_keys_free(&keys);
        return ST_EIO;
    }
    if (!sandbox_enter(strcmp(a->common.device, "cpu") != 0, memory_of(a)))
        log_verbose("this kernel cannot confine files (Landlock): clients rely on the "
                    "program to open none");
    st = a->keys != NULL ? take_tls(&keys, &client) : ST_OK;
    remote_keys_free(&keys);
    if (st == ST_OK &&
        (st = remote_hello_server(client.in, client.out, version, &request)) == ST_OK)
        st = answer_client(a, &client, &request);
    stream_end_close(&client);
    buf_free(&request.text);
    return st;
}

/* ---- all clients ---- */

/* Listen, and wait for clients. @param keys  of users; with --listen only */
static status_t listen_and_serve(const args_t *a, char *keys, char *const *argv)
{
    remote_port_t port;
    int fd;
    status_t st;

    if (a->listen == NULL)
        st = remote_socket_listen(a->socket, &fd);
    else if (!remote_port_parse(a->listen, &port) || port.user[0] != '\0')
        st = options_misuse(&cmd_serve_device,
                            "--listen %.200s: give a port, or ADDRESS:PORT", a->listen);
    else
        st = remote_tcp_listen(&port, &fd);
    if (st != ST_OK)
        return st;
    log_info("%s: waiting for clients%s%s", a->listen != NULL ? a->listen : a->socket,
             keys != NULL ? " that have a key of " : "", keys != NULL ? keys : "");
    remote_serve(fd, keys != NULL, (int)a->max_clients, argv);
    if (a->socket != NULL)
        unlink(a->socket);
    return ST_OK;
}

/* @param keys  of users, or NULL */
static status_t serve_all(const args_t *a, char *keys)
{
    char name[] = "ribogrid", command[] = "serve-device", stdio[] = "--stdio",
         device[] = "--device", threads[] = "--threads", n_threads[32],
         memory[] = "--memory", bytes[32], with_keys[] = "--keys", quiet[] = "-q",
         verbose[] = "-v";
    char *argv[16] = {name, command, stdio, device, (char *)(uintptr_t)a->common.device};
    int n = 5;

    if (keys != NULL) {
        argv[n++] = with_keys;
        argv[n++] = keys;
    }
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
    return listen_and_serve(a, keys, argv);
}

/* Check that the keys are there and safe before clients come. */
static status_t serve_tls(const args_t *a)
{
    char path[KEYS_PATH_BYTES];
    remote_keys_t keys;
    status_t st = remote_tls_load();

    if (st != ST_OK || (st = remote_keys_path(a->keys, path, sizeof(path))) != ST_OK ||
        (st = remote_keys_read(path, &keys)) != ST_OK)
        return st;
    remote_keys_free(&keys);
    return serve_all(a, path);
}

static status_t make_key(const args_t *a)
{
    char path[KEYS_PATH_BYTES];
    status_t st = remote_keys_path(a->keys, path, sizeof(path));

    if (st != ST_OK || (st = remote_keys_add(path, a->new_key)) != ST_OK)
        return st;
    log_info("%s: %s has a key now; its line belongs into the user's file of keys, too, "
             "and nowhere else",
             path, a->new_key);
    return ST_OK;
}

static status_t run(void *args)
{
    const args_t *a = args;
    const int n_ways =
        (a->socket != NULL) + (a->listen != NULL) + a->stdio + (a->new_key != NULL);
    status_t st = check_devices(a->common.device);

    if (st != ST_OK)
        return st;
    if (n_ways != 1)
        return options_misuse(&cmd_serve_device, "give --socket PATH, --listen PORT, "
                                                 "--stdio or --new-key NAME");
    if (a->socket != NULL && a->keys != NULL)
        return options_misuse(&cmd_serve_device,
                              "--keys does not go with --socket, whose users the kernel "
                              "knows; leave it out");
    return a->new_key != NULL  ? make_key(a)
           : a->stdio          ? serve_client(a)
           : a->listen != NULL ? serve_tls(a)
                               : serve_all(a, NULL);
}

enum { MAX_CLIENTS = 8 };

static void defaults(void *args)
{
    ((args_t *)args)->max_clients = MAX_CLIENTS;
}

const command_t cmd_serve_device = {
    .name = "serve-device",
    .summary = "lend the devices of this machine to runs on other machines",
    .usage = "--socket PATH|--listen PORT [options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .defaults = defaults,
    .notes = "A client gives --device unix:PATH/0 or tls://HOST:PORT/0, and keeps its "
             "files and finished work. "
             "Each client\n"
             "has a process of its own here, which opens none of the client's files.\n",
    .example = "ribogrid serve-device --socket /run/ribogrid.sock --device cuda:0,cpu",
    .run = run,
};
