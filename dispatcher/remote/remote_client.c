/*
 * remote_client.c - the client's side of remote devices.
 */
#include "dispatcher/remote/remote_client.h"

#include "dispatcher/remote/remote_hello.h"
#include "dispatcher/remote/remote_socket.h"
#include "dispatcher/remote/remote_ssh.h"
#include "dispatcher/remote/remote_tcp.h"
#include "dispatcher/remote/remote_tls.h"
#include "dispatcher/transport/transport_stream.h"
#include "io/base/logmsg.h"

#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { KEYS_PATH_BYTES = 4096 };

static status_t append_word(buf_t *text, const char *word)
{
    return buf_append(text, word, strlen(word) + 1);
}

static status_t make_request(const remote_command_t *c, hello_request_t *out)
{
    status_t st = append_word(&out->text, c->command);

    for (int i = 0; st == ST_OK && i < c->n_words; i++)
        st = append_word(&out->text, c->words[i]);
    out->n_words = 1 + c->n_words;
    if (st != ST_OK ||
        (out->text.len <= HELLO_TEXT_BYTES && out->n_words <= HELLO_WORDS_MAX))
        return st;
    log_error("the command line is too long for a remote device: give at most %d words "
              "and %d bytes, such as --manifest in place of many files",
              HELLO_WORDS_MAX, HELLO_TEXT_BYTES);
    return ST_EUSAGE;
}

/* Find the key of a user, or the only one. @param path  of the keys, for messages
 * @return the key, or NULL (logged) */
static const remote_key_t *choose_key(const remote_keys_t *keys, const char *user,
                                      const char *path, const char *name)
{
    const remote_key_t *key = *user != '\0'  ? remote_keys_find(keys, user)
                              : keys->n == 1 ? keys->at
                                             : NULL;

    if (key == NULL && *user != '\0')
        log_error("%s: %s has no key of '%.40s'; copy its line from the server's file",
                  name, path, user);
    else if (key == NULL)
        log_error("%s: %s has keys of %d users; give tls://USER@HOST:PORT/0", name, path,
                  keys->n);
    return key;
}

static status_t connect_tls(const char *place, stream_end_t *out)
{
    char path[KEYS_PATH_BYTES];
    remote_keys_t keys = {.n = 0};
    const remote_key_t *key = NULL;
    remote_port_t to;
    int fd;
    status_t st = remote_tls_load();

    if (!remote_port_parse(place, &to)) /* the list was parsed */
        return ST_EUSAGE;
    if (st != ST_OK || (st = remote_keys_path(NULL, path, sizeof(path))) != ST_OK ||
        (st = remote_keys_read(path, &keys)) != ST_OK)
        return st;
    if ((key = choose_key(&keys, to.user, path, out->name)) == NULL)
        st = ST_EINPUT;
    else if ((st = remote_tcp_connect(&to, out->name, &fd)) == ST_OK)
        st = remote_tls_client(fd, key, out);
    remote_keys_free(&keys);
    return st;
}

static status_t open_stream(const remote_address_t *a, stream_end_t *out)
{
    status_t st;

    switch (a->kind) {
    case REMOTE_SSH:
        return remote_ssh_start(a->place, out);
    case REMOTE_TLS:
        return connect_tls(a->place, out);
    case REMOTE_UNIX:
    default:
        st = remote_socket_connect(SOCKET_CLIENTS, a->place, out->name, &out->in);
        out->out = out->in;
        return st;
    }
}

/* Connect with one device, and say what it is to run. */
static status_t connect_one(const remote_address_t *a, const char *version,
                            const hello_request_t *request, stream_end_t *out)
{
    status_t st;

    *out = (stream_end_t){.in = -1, .out = -1};
    remote_address_text(a, out->name, sizeof(out->name));
    if ((st = open_stream(a, out)) != ST_OK)
        return st;
    return remote_hello_client(out->in, out->out, out->name, version,
                               a->kind == REMOTE_SSH ? 0 /* it may ask for a password */
                                                     : HELLO_CLIENT_S,
                               request, &out->keeps);
}

status_t remote_connect(const remote_list_t *list, const remote_command_t *command,
                        transport_t **out)
{
    hello_request_t request = {.n_ranks = list->n + 1};
    stream_end_t ends[REMOTE_MAX];
    int n = 0, n_missing = 0;
    status_t st = make_request(command, &request);

    signal(SIGPIPE, SIG_IGN);
    if (getrandom(&request.run, sizeof(request.run), 0) < 0)
        request.run =
            (uint64_t)getpid(); /* devices of other runs are told apart by users */
    while (st == ST_OK && n < list->n) {
        request.rank = n + 1;
        request.index = list->at[n].index;
        st = connect_one(&list->at[n], command->version, &request, &ends[n]);
        if (st == ST_EPEER && command->any) {
            stream_end_close(&ends[n]);
            st = ++n_missing < list->n ? ST_OK : ST_EPEER;
        }
        n++;
    }
    buf_free(&request.text);
    if (st == ST_OK)
        return transport_stream_client(ends, n, remote_tls_digest, out);
    for (int i = 0; i < n; i++)
        stream_end_close(&ends[i]);
    return st;
}
