/*
 * remote_tls.c - streams of TLS 1.3, by OpenSSL, loaded on demand.
 *
 * OpenSSL is called here only.  A program that is linked with it starts later, whatever
 * it does.
 */
#include "dispatcher/remote/remote_tls.h"

#include "dispatcher/remote/remote_hello.h"
#include "io/base/clock.h"
#include "io/base/logmsg.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PIECE_BYTES = 1 << 16 };

/* How long the process that carries a stream may take to end: less than this process
 * waits for it (stream_peer.c). */
static const double linger_s = 1.5;

/* ---- the library ---- */

/* Functions of libssl, and of libcrypto, which it brings. */
#define OPENSSL_FUNCTIONS(X)                 \
    X(ERR_clear_error)                       \
    X(ERR_peek_error)                        \
    X(ERR_reason_error_string)               \
    X(EVP_DigestFinal_ex)                    \
    X(EVP_DigestInit_ex)                     \
    X(EVP_DigestUpdate)                      \
    X(EVP_MD_CTX_free)                       \
    X(EVP_MD_CTX_new)                        \
    X(EVP_sha256)                            \
    X(OPENSSL_init_ssl)                      \
    X(SSL_accept)                            \
    X(SSL_CIPHER_find)                       \
    X(SSL_connect)                           \
    X(SSL_CTX_ctrl)                          \
    X(SSL_CTX_free)                          \
    X(SSL_CTX_new)                           \
    X(SSL_CTX_set_ciphersuites)              \
    X(SSL_CTX_set_num_tickets)               \
    X(SSL_CTX_set_options)                   \
    X(SSL_CTX_set_psk_find_session_callback) \
    X(SSL_CTX_set_psk_use_session_callback)  \
    X(SSL_free)                              \
    X(SSL_get_error)                         \
    X(SSL_get_ex_data)                       \
    X(SSL_get_fd)                            \
    X(SSL_new)                               \
    X(SSL_read)                              \
    X(SSL_SESSION_free)                      \
    X(SSL_SESSION_new)                       \
    X(SSL_SESSION_set1_master_key)           \
    X(SSL_SESSION_set_cipher)                \
    X(SSL_SESSION_set_protocol_version)      \
    X(SSL_session_reused)                    \
    X(SSL_set_ex_data)                       \
    X(SSL_set_fd)                            \
    X(SSL_set_verify)                        \
    X(SSL_shutdown)                          \
    X(SSL_write)                             \
    X(TLS_method)

static struct {
    void *library;
#define OPENSSL_MEMBER(name) __typeof__(name) *name;
    OPENSSL_FUNCTIONS(OPENSSL_MEMBER)
#undef OPENSSL_MEMBER
} api;

static bool find_functions(void *library)
{
    const struct {
        const char *name;
        void *to;
    } all[] = {
#define OPENSSL_ROW(name) {#name, &api.name},
        OPENSSL_FUNCTIONS(OPENSSL_ROW)
#undef OPENSSL_ROW
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        void *symbol = dlsym(library, all[i].name);

        if (symbol == NULL)
            return false;
        memcpy(all[i].to, &symbol,
               sizeof(symbol)); /* an object pointer to a function's */
    }
    return true;
}

static bool is_loaded(void)
{
    /* the library that CMake found, or the one that the system has */
    static const char *const names[] = {RIBOGRID_OPENSSL_FILE, "libssl.so.3"};

    for (size_t i = 0; api.library == NULL && i < sizeof(names) / sizeof(names[0]); i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);

        if (library != NULL && find_functions(library))
            api.library = library;
    }
    return api.library != NULL;
}

status_t remote_tls_load(void)
{
    if (is_loaded())
        return ST_OK;
    log_error("OpenSSL 3, which tls:// needs, cannot be loaded; install it (Debian: "
              "libssl3), or use ssh://HOST/0");
    return ST_EUSAGE;
}

bool remote_tls_digest(const array_span_t *spans, size_t n,
                       unsigned char out[STREAM_DIGEST_BYTES])
{
    EVP_MD_CTX *c = is_loaded() ? api.EVP_MD_CTX_new() : NULL;
    bool ok = c != NULL && api.EVP_DigestInit_ex(c, api.EVP_sha256(), NULL);

    for (size_t i = 0; ok && i < n; i++)
        ok = api.EVP_DigestUpdate(c, &spans[i].len, sizeof(spans[i].len)) &&
             api.EVP_DigestUpdate(c, spans[i].data, spans[i].len);
    ok = ok && api.EVP_DigestFinal_ex(c, out, NULL);
    if (c != NULL)
        api.EVP_MD_CTX_free(c);
    return ok;
}

/* ---- keys ---- */

/* What is known of the handshake in progress. */
typedef struct {
    const remote_key_t *mine;    /* of a client */
    const remote_keys_t *theirs; /* of a server's clients */
    const char *user;            /* whose key the client has to have; NULL: nobody's */
} handshake_t;

/* @return a session that begins with a key, or NULL */
static SSL_SESSION *session_of(SSL *ssl, const unsigned char key[KEY_BYTES])
{
    static const unsigned char aes_128_gcm_sha256[] = {0x13, 0x01};
    const SSL_CIPHER *cipher = api.SSL_CIPHER_find(ssl, aes_128_gcm_sha256);
    SSL_SESSION *s = api.SSL_SESSION_new();

    if (s != NULL && cipher != NULL &&
        api.SSL_SESSION_set1_master_key(s, key, KEY_BYTES) &&
        api.SSL_SESSION_set_cipher(s, cipher) &&
        api.SSL_SESSION_set_protocol_version(s, TLS1_3_VERSION))
        return s;
    api.SSL_SESSION_free(s);
    return NULL;
}

static int use_key(SSL *ssl, const EVP_MD *digest, const unsigned char **name,
                   size_t *name_len, SSL_SESSION **out)
{
    const handshake_t *h = api.SSL_get_ex_data(ssl, 0);

    (void)digest;
    *name = (const unsigned char *)h->mine->name;
    *name_len = strlen(h->mine->name);
    *out = session_of(ssl, h->mine->key);
    return *out != NULL;
}

/* A user who is not known gets a random key, so that it fails as with a wrong one. */
static int find_key(SSL *ssl, const unsigned char *name, size_t name_len,
                    SSL_SESSION **out)
{
    handshake_t *h = api.SSL_get_ex_data(ssl, 0);
    const remote_key_t *found;
    unsigned char other[KEY_BYTES];
    char text[KEY_NAME_BYTES] = "";

    if (name_len < sizeof(text) && memchr(name, '\0', name_len) == NULL)
        memcpy(text, name, name_len);
    *out = NULL;
    if (remote_keys_random(other) != ST_OK)
        return 0;
    found = remote_keys_find(h->theirs, text);
    h->user = found != NULL ? found->name : NULL;
    *out = session_of(ssl, found != NULL ? found->key : other);
    return *out != NULL;
}

/* ---- the handshake ---- */

/* @return a context, or NULL */
static SSL_CTX *make_context(void)
{
    SSL_CTX *c = NULL;

    /* a process that serves a client may not read a file of options */
    if (api.OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, NULL) &&
        (c = api.SSL_CTX_new(api.TLS_method())) != NULL &&
        api.SSL_CTX_ctrl(c, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_3_VERSION, NULL) &&
        api.SSL_CTX_ctrl(c, SSL_CTRL_SET_MAX_PROTO_VERSION, TLS1_3_VERSION, NULL) &&
        api.SSL_CTX_set_ciphersuites(c, "TLS_AES_128_GCM_SHA256") &&
        api.SSL_CTX_set_num_tickets(c, 0)) {
        api.SSL_CTX_set_options(c, SSL_OP_NO_TICKET);
        api.SSL_CTX_ctrl(c, SSL_CTRL_SET_SESS_CACHE_MODE, SSL_SESS_CACHE_OFF, NULL);
        api.SSL_CTX_ctrl(c, SSL_CTRL_MODE,
                         SSL_MODE_ENABLE_PARTIAL_WRITE |
                             SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER,
                         NULL);
        api.SSL_CTX_set_psk_use_session_callback(c, use_key);
        api.SSL_CTX_set_psk_find_session_callback(c, find_key);
        return c;
    }
    api.SSL_CTX_free(c);
    return NULL;
}

/* @return an object for a connection, without waiting, or NULL */
static SSL *make_ssl(int fd, handshake_t *h)
{
    SSL_CTX *context = make_context();
    SSL *ssl = context != NULL ? api.SSL_new(context) : NULL;

    api.SSL_CTX_free(context); /* the object has it */
    if (ssl == NULL || !api.SSL_set_fd(ssl, fd) || !api.SSL_set_ex_data(ssl, 0, h) ||
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) != 0) {
        api.SSL_free(ssl);
        return NULL;
    }
    return ssl;
}

/* @return what it waits for; 0: it has failed */
static short events_of(SSL *ssl, int result)
{
    const int code = api.SSL_get_error(ssl, result);

    return code == SSL_ERROR_WANT_READ    ? POLLIN
           : code == SSL_ERROR_WANT_WRITE ? POLLOUT
                                          : 0;
}

static const char *reason(void)
{
    const unsigned long code = api.ERR_peek_error();
    const char *text = code != 0 ? api.ERR_reason_error_string(code) : NULL;

    if (ERR_GET_REASON(code) == SSL_R_SSLV3_ALERT_ILLEGAL_PARAMETER)
        return "it refused the user or the key";
    return text != NULL ? text : "the connection was closed";
}

/* @return why it failed, or NULL */
static const char *shake_hands(SSL *ssl, int (*step)(SSL *), int seconds)
{
    const double until_s = clock_now_s() + seconds;

    for (;;) {
        double left_s;
        struct pollfd p = {.fd = api.SSL_get_fd(ssl)};
        int result;

        api.ERR_clear_error();
        if ((result = step(ssl)) == 1)
            return api.SSL_session_reused(ssl) ? NULL : "it did not use a key";
        if ((p.events = events_of(ssl, result)) == 0)
            return reason();
        left_s = until_s - clock_now_s();
        if (left_s <= 0)
            return "it does not answer";
        (void)poll(&p, 1, (int)(left_s * 1000) + 1);
    }
}

/* ---- the process that carries a stream ---- */

/* Bytes on their way. */
typedef struct {
    unsigned char data[PIECE_BYTES];
    size_t at, len; /* those that are left are [at, len) */
} piece_t;

enum { PLAIN, SECRET }; /* its socket to the process it works for, and the connection */

typedef struct {
    SSL *ssl;
    struct pollfd ends[2];
    piece_t up, down; /* from PLAIN to SECRET, and back */
    bool ends_now;    /* one of both ends has ended */
} carrier_t;

/* @return false: nothing was moved */
static bool wait_for_plain(carrier_t *c, short event)
{
    if (errno == EAGAIN || errno == EINTR)
        c->ends[PLAIN].events |= event;
    else
        c->ends_now = true;
    return false;
}

static bool wait_for_secret(carrier_t *c, int result)
{
    const short event = events_of(c->ssl, result);

    c->ends[SECRET].events |= event;
    c->ends_now = c->ends_now || event == 0;
    return false;
}

/* @return whether something was moved */
static bool carry_up(carrier_t *c)
{
    piece_t *p = &c->up;
    int sent;

    if (p->at == p->len) {
        const ssize_t n = read(c->ends[PLAIN].fd, p->data, sizeof(p->data));

        if (n == 0)
            c->ends_now = true;
        if (n <= 0)
            return n < 0 && wait_for_plain(c, POLLIN);
        p->at = 0;
        p->len = (size_t)n;
    }
    api.ERR_clear_error();
    if ((sent = api.SSL_write(c->ssl, p->data + p->at, (int)(p->len - p->at))) <= 0)
        return wait_for_secret(c, sent);
    p->at += (size_t)sent;
    return true;
}

static bool carry_down(carrier_t *c)
{
    piece_t *p = &c->down;
    ssize_t n;

    if (p->at == p->len) {
        int got;

        api.ERR_clear_error();
        if ((got = api.SSL_read(c->ssl, p->data, sizeof(p->data))) <= 0)
            return wait_for_secret(c, got);
        p->at = 0;
        p->len = (size_t)got;
    }
    if ((n = write(c->ends[PLAIN].fd, p->data + p->at, p->len - p->at)) < 0)
        return wait_for_plain(c, POLLOUT);
    p->at += (size_t)n;
    return true;
}

/* The other end gets all that was sent only if all that it sent is read. */
static void read_rest(int fd)
{
    const double until_s = clock_now_s() + linger_s;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    char rest[4096];
    ssize_t n;

    shutdown(fd, SHUT_WR);
    do {
        (void)poll(&p, 1, 100);
        n = read(fd, rest, sizeof(rest));
    } while ((n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR))) &&
             clock_now_s() < until_s);
}

static void carry(carrier_t *c)
{
    double until_s = 0;

    while (!c->ends_now) {
        bool moves;

        c->ends[PLAIN].events = c->ends[SECRET].events = 0;
        moves = carry_up(c);
        moves = (!c->ends_now && carry_down(c)) || moves;
        if (moves || c->ends_now)
            continue;
        if (until_s > 0) {
            (void)poll(&c->ends[SECRET], 1, 100);
            c->ends_now = clock_now_s() > until_s;
            continue;
        }
        (void)poll(c->ends, c->ends[SECRET].events != 0 ? 2 : 1, -1);
        /* what is left is for a connection that may not take it */
        if ((c->ends[PLAIN].revents & POLLHUP) != 0)
            until_s = clock_now_s() + linger_s;
    }
    close(c->ends[PLAIN].fd);
    (void)api.SSL_shutdown(c->ssl);
    read_rest(c->ends[SECRET].fd);
}

/* Other streams end when the process ends that has them. */
static void close_others(const carrier_t *c)
{
    DIR *folder = opendir("/proc/self/fd");
    const struct dirent *entry;

    if (folder == NULL)
        return;
    while ((entry = readdir(folder)) != NULL) {
        const int fd = (int)strtol(entry->d_name, NULL, 10);

        if (fd > STDERR_FILENO && fd != c->ends[PLAIN].fd && fd != c->ends[SECRET].fd &&
            fd != dirfd(folder))
            close(fd);
    }
    closedir(folder);
}

/* In the new process. */
static void become_carrier(carrier_t *c)
{
    const int null = open("/dev/null", O_RDWR);
    sigset_t none;

    signal(SIGINT, SIG_IGN); /* the run stops in order */
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    /* a process that serves a client may not open it, and has it there */
    (void)!(null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(null, STDOUT_FILENO) >= 0);
    close_others(c);
    carry(c);
    _exit(0);
}

/* @param ssl  of a finished handshake
 * @param out  the socket to the carrier, for the process it works for
 * @return NULL: there is no memory, or no socket */
static carrier_t *make_carrier(SSL *ssl, int *out)
{
    carrier_t *c = calloc(1, sizeof(*c));
    int pair[2];

    if (c == NULL ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) != 0) {
        free(c);
        return NULL;
    }
    c->ssl = ssl;
    c->ends[SECRET].fd = api.SSL_get_fd(ssl);
    c->ends[PLAIN].fd = pair[1];
    *out = pair[0];
    return c;
}

/* @param ssl  of a finished handshake; taken over @return as remote_tls_client */
static status_t start_carrier(SSL *ssl, stream_end_t *out)
{
    carrier_t *c = make_carrier(ssl, &out->in);
    const pid_t pid = c != NULL ? fork() : -1;

    if (pid == 0)
        become_carrier(c);
    out->out = out->in;
    out->child = pid > 0 ? pid : 0;
    if (pid < 0)
        log_error("%s: cannot start a process for TLS: %s", out->name, strerror(errno));
    if (pid < 0 && c != NULL)
        close(out->in);
    if (c != NULL)
        close(c->ends[PLAIN].fd);
    close(api.SSL_get_fd(ssl));
    api.SSL_free(ssl);
    free(c);
    return pid > 0 ? ST_OK : ST_EPEER;
}

/* ---- both sides ---- */

status_t remote_tls_client(int fd, const remote_key_t *key, stream_end_t *out)
{
    handshake_t h = {.mine = key};
    SSL *ssl = make_ssl(fd, &h);
    const char *why = NULL;

    if (ssl != NULL)
        api.SSL_set_verify(ssl, SSL_VERIFY_PEER,
                           NULL); /* no certificate is as good as the key */
    why = ssl == NULL ? reason() : shake_hands(ssl, api.SSL_connect, HELLO_CLIENT_S);
    if (why == NULL)
        return start_carrier(ssl, out);
    log_error("%s: TLS: %s; check that it is a server of ribogrid, and has the same key "
              "of '%s'",
              out->name, why, key->name);
    api.SSL_free(ssl);
    close(fd);
    return ST_EPEER;
}

status_t remote_tls_serve(int fd, const remote_keys_t *keys, const char *name,
                          bool (*hand_over)(int control, const char *user, int stream),
                          int control)
{
    handshake_t h = {.theirs = keys};
    SSL *ssl = make_ssl(fd, &h);
    carrier_t *c = NULL;
    int stream;
    const char *why =
        ssl == NULL ? reason() : shake_hands(ssl, api.SSL_accept, HELLO_SERVER_S);

    if (why == NULL && h.user == NULL)
        why = "it is nobody";
    if (why == NULL && (c = make_carrier(ssl, &stream)) == NULL)
        why = "there is no memory, or no socket";
    if (why == NULL) {
        const bool is_served = hand_over(control, h.user, stream);

        close(stream);
        if (is_served)
            become_carrier(c);
        return ST_EPEER;
    }
    log_error("%s: TLS: %s", name, why);
    api.SSL_free(ssl);
    close(fd);
    return ST_EPEER;
}
