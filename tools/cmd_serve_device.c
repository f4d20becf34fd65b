/*
 * cmd_serve_device.c - `ribogrid serve-device`: lends this machine's devices to clients,
 * whose runs they take part in as ranks.
 *
 * One process listens, and starts others: this command with --handed.
 */
#include "dispatcher/remote/remote_hello.h"
#include "dispatcher/remote/remote_inputs.h"
#include "dispatcher/remote/remote_page.h"
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
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    job_opts_t common;
    const char *socket, *listen, *keys, *new_key, *control, *limits;
    bool stdio, handed;
    int inherited; /* a socket that systemd has opened; 0: none */
    int64_t memory_bytes, cache_bytes, max_clients, n_warm;
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
    {OPTION_TEXT, "control", 0, AT(control), "PATH",
     "take requests of `ribogrid device` at this Unix socket, from this user alone"},
    {OPTION_FLAG, "stdio", 0, AT(stdio), NULL,
     "serve one client, on stdin and stdout: for services that start it for each, such "
     "as ssh"},
    {OPTION_TEXT, "limits", 0, AT(limits), "PATH",
     "a file of users' limits, such as `alice clients=4 memory=16G weight=2`"},
    {OPTION_INT, "max-clients", 0, AT(max_clients), "N",
     "runs of a user that are served at the same time ({})", 1, 64},
    {OPTION_INT, "warm", 0, AT(n_warm), "N",
     "processes that wait for a client with the first device opened ({})", 0, 64},
    {OPTION_SIZE, "cache", 0, AT(cache_bytes), "SIZE",
     "memory for inputs of earlier runs, which their user need not send again (none)"},
    {OPTION_FLAG, "handed", 0, AT(handed), NULL,
     "serve a client that a server hands over on stdin; not for users: a server starts "
     "such processes itself"},
    {.word = WORD_DEVICE,
     AT(common.device),
     .value = "auto|cpu|cuda[:I][,...]",
     .help = ", numbered from 0 in this order; auto: all GPUs, or the CPU"},
    {.kind = OPTION_TABLE, .table = option_threads},
    {.word = WORD_MEMORY,
     AT(memory_bytes),
     .help = " that the process of a client may use (all)"},
    {.kind = OPTION_END}};

static const char version[] = "ribogrid " VERSION_LONG;

/* ---- the devices that are lent ---- */

enum { DEVICE_WORD_BYTES = 32, WHY_BYTES = 160, KEYS_PATH_BYTES = 4096 };
enum { ARGUMENTS_MAX = 24, NUMBERS_MAX = 4 };

/* Take the first word off a list; NULL: it was the last one. @return whether it fits */
static bool take_word(const char **list, char out[DEVICE_WORD_BYTES])
{
    const size_t len = strcspn(*list, ",");

    snprintf(out, DEVICE_WORD_BYTES, "%.*s", (int)len, *list);
    *list = (*list)[len] == ',' ? *list + len + 1 : NULL;
    return len < DEVICE_WORD_BYTES;
}

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
    char word[DEVICE_WORD_BYTES];

    while (list != NULL && index >= 0 && take_word(&list, word))
        find_in_word(word, &index, out);
    return index < 0;
}

/* Each word has to be a device's, and the pages of runs tell PAGE_DEVICES_MAX apart. */
static status_t check_devices(const char *list)
{
    const char *rest = list;
    char word[DEVICE_WORD_BYTES];
    int n = 0;

    for (; rest != NULL; n++)
        if (!take_word(&rest, word) || device_option_kinds(word) == 0)
            return options_misuse(&cmd_serve_device,
                                  "--device %.80s: give auto, cpu, cuda, cuda:I, or "
                                  "several of them, separated by commas",
                                  list);
    if (n > PAGE_DEVICES_MAX)
        return options_misuse(&cmd_serve_device,
                              "--device: %d devices; give at most %d, and start another "
                              "server for the others",
                              n, PAGE_DEVICES_MAX);
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

/* Take part in the client's run.
 * @param client  taken over @param lent  NULL: no server gives orders */
static status_t take_part(const args_t *a, const char *device, const stream_end_t *client,
                          const hello_request_t *r, stream_inputs_t *inputs, lent_t *lent,
                          const command_t *command)
{
    char **words = NULL;
    job_opts_t *opts = NULL;
    transport_t *t;
    status_t st = transport_stream_device(client, r->rank, r->n_ranks, inputs, &t);

    if (st != ST_OK)
        return st;
    t->lent = lent;
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

/* Take stdin and stdout over: nothing else may write there.
 * @return whether that is so */
static bool take_stdio(int *in, int *out)
{
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    *in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    *out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (null >= 0 && *in >= 0 && *out >= 0 && dup2(null, STDIN_FILENO) >= 0 &&
        dup2(null, STDOUT_FILENO) >= 0)
        return true;
    log_error("cannot take stdin and stdout over");
    return false;
}

/* A client that a process serves. */
typedef struct {
    stream_end_t end;
    bool is_refused;         /* its user has too many */
    stream_inputs_t *inputs; /* NULL: none are kept */
    remote_page_t *page;     /* of the server; NULL: there is none */
    int control;             /* to it */
} client_t;

/* Answer a client's request, and take part in its run. */
static status_t answer_client(const args_t *a, client_t *client, const hello_request_t *r)
{
    remote_lent_t lent;
    char device[DEVICE_WORD_BYTES] = "", why[WHY_BYTES] = "";
    const command_t *command = find_command(remote_hello_word(r, NULL));
    status_t st;

    if (client->is_refused)
        snprintf(why, sizeof(why),
                 "the server has as many runs of your user as it "
                 "serves (--max-clients); wait for one to end");
    else if (command == NULL)
        snprintf(why, sizeof(why), "this server does not run `%.80s`",
                 remote_hello_word(r, NULL));
    else if (!find_device(a->common.device, r->index, device))
        snprintf(why, sizeof(why), "this server lends no device %d; it lends %.80s",
                 r->index, a->common.device);
    else if (client->page != NULL &&
             !remote_lent_begin(&lent, client->page, client->control, command->name, r))
        snprintf(why, sizeof(why), "device %d is locked, because it is being emptied",
                 r->index);
    st = remote_hello_answer(client->end.out, why[0] != '\0' ? why : NULL,
                             client->inputs != NULL);
    if (st == ST_OK && why[0] == '\0') {
        st = take_part(a, device, &client->end, r, client->inputs,
                       client->page != NULL ? &lent.base : NULL, command);
        client->end = (stream_end_t){.in = -1, .out = -1};
    }
    return st;
}

/* @param client  its stream is taken over */
static status_t serve_client(const args_t *a, client_t *client)
{
    hello_request_t request = {.rank = 0};
    status_t st = remote_hello_server(client->end.in, client->end.out, version, &request);

    if (st == ST_OK)
        st = answer_client(a, client, &request);
    stream_end_close(&client->end);
    buf_free(&request.text);
    return st;
}

static void confine(const args_t *a)
{
    const sandbox_t kind = a->keys != NULL                        ? SANDBOX_TALKS
                           : strcmp(a->common.device, "cpu") == 0 ? SANDBOX_COMPUTES
                                                                  : SANDBOX_HAS_GPU;
    const int64_t bytes =
        a->memory_bytes > 0 ? a->memory_bytes : device_cpu().memory_bytes;

    if (!sandbox_enter(kind, bytes))
        log_verbose("this kernel cannot confine files (Landlock): clients rely on the "
                    "program to open none");
}

static status_t serve_stdio(const args_t *a)
{
    client_t client = {.end = {.name = "the client"}};

    if (isatty(STDIN_FILENO))
        return options_misuse(&cmd_serve_device,
                              "--stdio is for clients, not for a terminal; give --socket "
                              "or --listen");
    if (!take_stdio(&client.end.in, &client.end.out))
        return ST_EIO;
    confine(a);
    return serve_client(a, &client);
}

/* ---- a process that a server has started ---- */

/* Give the stream of a client to the server. @return whether it was taken */
static bool hand_over(int control, const char *user, int stream)
{
    control_t m = {.kind = CONTROL_CLIENT};

    snprintf(m.user, sizeof(m.user), "%s", user);
    return control_send(control, &m, stream);
}

/* Find out who the client at a connection is, and carry its stream.
 * @param secret  taken over */
static status_t greet(int control, int secret, const remote_keys_t *keys)
{
    char name[STREAM_NAME_BYTES];

    remote_tcp_peer(secret, name, sizeof(name));
    return remote_tls_serve(secret, keys, name, hand_over, control);
}

/* Open the first device ahead of a client that has not come yet. */
static void open_first(const args_t *a, int control)
{
    struct pollfd client = {.fd = control, .events = POLLIN};
    device_t gpus[DEVICES_MAX];
    char word[DEVICE_WORD_BYTES] = "";
    int n = 0;

    if (a->n_warm > 0 && poll(&client, 1, 0) == 0 &&
        find_device(a->common.device, 0, word) && strncmp(word, "cuda", 4) == 0)
        n = device_list_cuda(gpus);
    for (int i = 0; i < n; i++)
        if (gpus[i].index == (word[4] == ':' ? atoi(word + 5) : gpus[0].index))
            device_open(&gpus[i]);
}

static status_t serve_next(const args_t *a, int control)
{
    client_t client = {.end = {.in = -1}, .control = control};
    remote_inputs_t inputs;
    control_t limits, m;
    int page = -1;

    if (control_receive(control, true, &limits, &client.end.in) != 1 || client.end.in < 0)
        return ST_OK; /* the server has ended */
    client.end.out = client.end.in;
    client.is_refused = limits.kind == CONTROL_REFUSE;
    snprintf(client.end.name, sizeof(client.end.name), "%s", limits.user);
    if (!client.is_refused && (control_receive(control, true, &m, &page) != 1 ||
                               (client.page = remote_page_take(page)) == NULL))
        return ST_OK;
    if (limits.memory_bytes > 0)
        sandbox_limit_memory(limits.memory_bytes);
    if (limits.device_bytes > 0)
        device_set_quota(limits.device_bytes);
    remote_inputs_begin(control, &inputs);
    client.inputs = a->cache_bytes > 0 ? &inputs.inputs : NULL;
    return serve_client(a, &client);
}

static status_t serve_handed(const args_t *a)
{
    remote_keys_t keys = {.n = 0};
    control_t m;
    int control, out, fd = -1;
    status_t st = ST_OK;

    if (!take_stdio(&control, &out))
        return ST_EIO;
    close(out);
    if (a->keys != NULL && (st = remote_tls_load()) == ST_OK)
        st = remote_keys_read(a->keys, &keys);
    if (st != ST_OK)
        return st;
    if (a->keys == NULL)
        open_first(a, control);
    confine(a);
    if (a->keys == NULL)
        return serve_next(a, control);
    if (control_receive(control, true, &m, &fd) == 1 && fd >= 0)
        st = greet(control, fd, &keys);
    remote_keys_free(&keys);
    return st;
}

/* ---- all clients ---- */

/* Where clients come: --socket, --listen, or what systemd has opened. */
static status_t listen_for(const args_t *a, int *fd)
{
    remote_port_t port;

    *fd = a->inherited;
    if (a->inherited > 0)
        return ST_OK;
    if (a->socket != NULL)
        return remote_socket_listen(SOCKET_CLIENTS, a->socket, fd);
    if (!remote_port_parse(a->listen, &port) || port.user[0] != '\0')
        return options_misuse(&cmd_serve_device,
                              "--listen %.200s: give a port, or ADDRESS:PORT", a->listen);
    return remote_tcp_listen(&port, fd);
}

/* Arguments of a process that the server starts. */
typedef struct {
    char *argv[ARGUMENTS_MAX];
    int n;
    char numbers[NUMBERS_MAX][24];
    int n_numbers;
} arguments_t;

static void add_word(arguments_t *to, const char *word)
{
    to->argv[to->n++] = (char *)(uintptr_t)word;
}

static void add_text(arguments_t *to, const char *option, const char *text)
{
    if (text != NULL) {
        add_word(to, option);
        add_word(to, text);
    }
}

static void add_number(arguments_t *to, const char *option, int64_t number)
{
    char *text = to->numbers[to->n_numbers];

    if (number <= 0)
        return;
    to->n_numbers++;
    snprintf(text, sizeof(to->numbers[0]), "%" PRId64, number);
    add_text(to, option, text);
}

static void begin_arguments(const args_t *a, arguments_t *out)
{
    *out = (arguments_t){.n = 0};
    add_word(out, "ribogrid");
    add_word(out, "serve-device");
    add_word(out, "--handed");
    if (a->common.quiet || a->common.verbose)
        add_word(out, a->common.quiet ? "-q" : "-v");
}

/* Read limits, and listen, before clients come. */
static status_t begin_server(const args_t *a, remote_server_t *server)
{
    status_t st = ST_OK;

    if (a->limits != NULL)
        st = remote_limits_read(a->limits, &server->fallback, &server->limits);
    if (st == ST_OK)
        st = listen_for(a, &server->fd);
    if (st == ST_OK && a->control != NULL)
        st = remote_socket_listen(SOCKET_CONTROL, a->control, &server->control);
    if (st != ST_OK)
        remote_limits_free(&server->limits);
    return st;
}

/* @param keys  of users, or NULL */
static status_t serve_all(const args_t *a, const char *keys)
{
    arguments_t serve, greet;
    remote_server_t server = {.limits_path = a->limits,
                              .fallback = {.n_clients = a->max_clients, .weight = 1},
                              .control = -1,
                              .n_warm = (int)a->n_warm,
                              .cache_bytes = a->cache_bytes,
                              .serve = serve.argv,
                              .greet = keys != NULL ? greet.argv : NULL};
    const status_t st = begin_server(a, &server);

    if (st != ST_OK)
        return st;
    begin_arguments(a, &serve);
    add_text(&serve, "--device", a->common.device);
    add_number(&serve, "--threads", a->common.n_threads);
    add_number(&serve, "--memory", a->memory_bytes);
    add_number(&serve, "--warm", a->n_warm);
    add_number(&serve, "--cache", a->cache_bytes);
    begin_arguments(a, &greet);
    add_text(&greet, "--keys", keys);
    log_info("%s: waiting for clients%s%s",
             a->inherited > 0    ? "the socket of systemd"
             : a->listen != NULL ? a->listen
                                 : a->socket,
             keys != NULL ? " that have a key of " : "", keys != NULL ? keys : "");
    remote_serve(&server);
    if (a->socket != NULL)
        unlink(a->socket);
    if (a->control != NULL)
        unlink(a->control);
    return ST_OK;
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

/* @return how many of the ways to run are given */
static int count_ways(const args_t *a)
{
    return (a->socket != NULL) + (a->listen != NULL) + (a->new_key != NULL) + a->stdio +
           a->handed;
}

static status_t run(void *args)
{
    args_t *a = args;
    const int n_ways = count_ways(a);
    bool is_unix = a->socket != NULL;
    status_t st = check_devices(a->common.device);

    if (st != ST_OK)
        return st;
    if (n_ways > 1 || (n_ways == 0 && !remote_socket_inherited(&a->inherited, &is_unix)))
        return options_misuse(&cmd_serve_device, "give --socket PATH, --listen PORT, "
                                                 "--stdio or --new-key NAME");
    if ((is_unix || a->stdio) && a->keys != NULL)
        return options_misuse(&cmd_serve_device,
                              "--keys does not go with a Unix socket or --stdio, whose "
                              "users are known; leave it out");
    if (a->stdio &&
        (a->n_warm > 0 || a->cache_bytes > 0 || a->control != NULL || a->limits != NULL))
        return options_misuse(&cmd_serve_device,
                              "--warm, --cache, --control and --limits are for servers "
                              "that listen; give --socket or --listen");
    return a->new_key != NULL ? make_key(a)
           : a->handed        ? serve_handed(a)
           : a->stdio         ? serve_stdio(a)
           : is_unix          ? serve_all(a, NULL)
                              : serve_tls(a);
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
    .notes =
        "A server that systemd starts for a socket listens there. A client gives "
        "--device\n"
        "unix:PATH/0 or tls://HOST:PORT/0, and keeps its files and finished work. Each\n"
        "client has a process of its own here, which opens none of its files.\n",
    .example = "ribogrid serve-device --socket /run/ribogrid.sock --device cuda:0,cpu",
    .run = run,
};
