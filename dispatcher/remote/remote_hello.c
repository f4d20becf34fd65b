/*
 * remote_hello.c - how a stream to a remote device begins.
 */
#include "dispatcher/remote/remote_hello.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char magic[8] = "RIBOGRID";

enum { GREETING = 1, BYTE_ORDER_MARK = 0x01020304 };

typedef struct {
    char magic[8];
    uint32_t byte_order;
    uint32_t greeting; /* its version */
    uint32_t word_bytes;
    uint32_t zero;
    char version[HELLO_VERSION_BYTES];
} hello_t;

typedef struct {
    int32_t rank, n_ranks, index, n_words;
    uint64_t text_len, run;
} head_t;

typedef struct {
    int32_t is_refused, keeps;
    char why[HELLO_WHY_BYTES];
} answer_t;

static bool wait_for(int fd, short events, double until_s)
{
    struct pollfd p = {.fd = fd, .events = events};
    int n;

    do {
        const double left_s = until_s - clock_now_s();

        n = poll(&p, 1, until_s == 0 ? -1 : left_s > 0 ? (int)(left_s * 1000) + 1 : 0);
    } while (n < 0 && errno == EINTR);
    return n > 0;
}

static double until(int wait_s)
{
    return wait_s > 0 ? clock_now_s() + wait_s : 0;
}

/* @return why it failed, or NULL */
static const char *get(int fd, void *data, size_t len, double until_s)
{
    for (size_t at = 0; at < len;) {
        ssize_t n;

        if (!wait_for(fd, POLLIN, until_s))
            return "does not answer";
        n = read(fd, (char *)data + at, len - at);
        if (n == 0 || (n < 0 && errno == ECONNRESET))
            return "closed the connection";
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return strerror(errno);
        at += n > 0 ? (size_t)n : 0;
    }
    return NULL;
}

static const char *put(int fd, const void *data, size_t len, double until_s)
{
    for (size_t at = 0; at < len;) {
        ssize_t n;

        if (!wait_for(fd, POLLOUT, until_s))
            return "does not read what is sent";
        n = write(fd, (const char *)data + at, len - at);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return errno == EPIPE || errno == ECONNRESET ? "closed the connection"
                                                         : strerror(errno);
        at += n > 0 ? (size_t)n : 0;
    }
    return NULL;
}

static hello_t make_hello(const char *version)
{
    hello_t h = {.byte_order = BYTE_ORDER_MARK,
                 .greeting = GREETING,
                 .word_bytes = sizeof(void *)};

    memcpy(h.magic, magic, sizeof(magic));
    snprintf(h.version, sizeof(h.version), "%s", version);
    return h;
}

/* Compare the other end with this one. @return ST_OK or ST_EPEER (logged) */
static status_t compare(const char *name, const char *version, hello_t *h)
{
    h->version[sizeof(h->version) - 1] = '\0';
    if (memcmp(h->magic, magic, sizeof(magic)) != 0)
        log_error("%s: it does not answer as `ribogrid serve-device` does; check the "
                  "address, and that the login there prints nothing",
                  name);
    else if (h->byte_order != BYTE_ORDER_MARK)
        log_error("%s: its machine has another byte order; use machines of one kind",
                  name);
    else if (h->greeting != GREETING || strcmp(h->version, version) != 0)
        log_error("%s: it is %s, and this is %s; install the same version and build on "
                  "both machines",
                  name, h->version, version);
    else if (h->word_bytes != sizeof(void *))
        log_error("%s: it is a program of %u bits, and this is one of %zu; install the "
                  "same build on both machines",
                  name, h->word_bytes * 8, sizeof(void *) * 8);
    else
        return ST_OK;
    return ST_EPEER;
}

static status_t fail(const char *name, const char *why)
{
    log_error("%s: the server %s; check that it runs, and its messages", name, why);
    return ST_EPEER;
}

status_t remote_hello_client(int in, int out, const char *name, const char *version,
                             int wait_s, const hello_request_t *request, bool *keeps)
{
    const double until_s = until(wait_s);
    const head_t head = {.rank = request->rank,
                         .n_ranks = request->n_ranks,
                         .index = request->index,
                         .n_words = request->n_words,
                         .text_len = request->text.len,
                         .run = request->run};
    const hello_t mine = make_hello(version);
    hello_t theirs;
    answer_t answer;
    const char *why = put(out, &mine, sizeof(mine), until_s);
    status_t st;

    if (why == NULL)
        why = get(in, &theirs, sizeof(theirs), until_s);
    if (why != NULL)
        return fail(name, why);
    if ((st = compare(name, version, &theirs)) != ST_OK)
        return st;
    if ((why = put(out, &head, sizeof(head), until_s)) != NULL ||
        (why = put(out, request->text.data, request->text.len, until_s)) != NULL ||
        (why = get(in, &answer, sizeof(answer), until_s)) != NULL)
        return fail(name, why);
    answer.why[sizeof(answer.why) - 1] = '\0';
    *keeps = answer.keeps != 0;
    if (answer.is_refused == 0)
        return ST_OK;
    log_error("%s: %s", name, answer.why);
    return ST_EPEER;
}

/* @return whether the text is as many words as the head says, the last one complete */
static bool are_words(const hello_request_t *r)
{
    int n = 0;

    if (r->text.len == 0 || r->text.data[r->text.len - 1] != '\0')
        return false;
    for (size_t i = 0; i < r->text.len; i++)
        n += r->text.data[i] == '\0';
    return n == r->n_words;
}

static bool is_possible(const head_t *h)
{
    return h->n_ranks > 1 && h->n_ranks <= HELLO_RANKS_MAX && h->rank > 0 &&
           h->rank < h->n_ranks && h->index >= 0 && h->n_words > 0 &&
           h->n_words <= HELLO_WORDS_MAX && h->text_len > 0 &&
           h->text_len <= HELLO_TEXT_BYTES;
}

status_t remote_hello_server(int in, int out, const char *version,
                             hello_request_t *request)
{
    const double until_s = until(HELLO_SERVER_S);
    const hello_t mine = make_hello(version);
    hello_t theirs;
    head_t head;
    const char *why = put(out, &mine, sizeof(mine), until_s);
    status_t st;

    *request = (hello_request_t){.rank = 0};
    if (why != NULL || (why = get(in, &theirs, sizeof(theirs), until_s)) != NULL) {
        log_error("a client %s", why);
        return ST_EPEER;
    }
    if ((st = compare("a client", version, &theirs)) != ST_OK)
        return st;
    why = get(in, &head, sizeof(head), until_s);
    if (why == NULL && !is_possible(&head))
        why = "sent an impossible request";
    if (why == NULL && (st = buf_reserve(&request->text, (size_t)head.text_len)) != ST_OK)
        return st;
    if (why == NULL)
        why = get(in, request->text.data, (size_t)head.text_len, until_s);
    if (why == NULL) {
        request->rank = head.rank;
        request->n_ranks = head.n_ranks;
        request->run = head.run;
        request->index = head.index;
        request->n_words = head.n_words;
        request->text.len = (size_t)head.text_len;
        why = are_words(request) ? NULL : "sent an impossible command line";
    }
    if (why == NULL)
        return ST_OK;
    log_error("a client %s", why);
    buf_free(&request->text);
    return ST_EPEER;
}

status_t remote_hello_answer(int out, const char *why, bool keeps)
{
    answer_t answer = {.is_refused = why != NULL, .keeps = keeps};
    const char *failed;

    snprintf(answer.why, sizeof(answer.why), "%s", why != NULL ? why : "");
    failed = put(out, &answer, sizeof(answer), until(HELLO_SERVER_S));
    if (failed == NULL)
        return ST_OK;
    log_error("a client %s", failed);
    return ST_EPEER;
}

const char *remote_hello_word(const hello_request_t *r, const char *at)
{
    return at == NULL ? (const char *)r->text.data : at + strlen(at) + 1;
}
