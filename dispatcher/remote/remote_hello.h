/*
 * remote_hello.h - how a stream to a remote device begins: both ends send what they are,
 * then the client says what it wants to run on which device, and the server answers.
 *
 * What either end is has a fixed layout of bytes, in every version: a magic word, the
 * order of bytes, the version of this greeting, and the program's version and build.  It
 * is compared before anything else is used.  All numbers behind it are of one order.
 *
 * Every length is checked before memory is allocated for it.
 */
#pragma once

#include "io/base/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    HELLO_SERVER_S = 10,
    HELLO_CLIENT_S = 30,
    HELLO_VERSION_BYTES = 96,
    HELLO_WHY_BYTES = 256
};

/* Limits of what a client may send. */
enum { HELLO_TEXT_BYTES = 1 << 16, HELLO_WORDS_MAX = 1024, HELLO_RANKS_MAX = 65 };

/* What a client wants: to run a command, with the server's device as one of its ranks. */
typedef struct {
    int rank, n_ranks;
    uint64_t run; /* a number that its devices have in common */
    int index;    /* of the device */
    int n_words;  /* of its command line: the command's name, then each argument */
    buf_t text;   /* the words, each with its NUL */
} hello_request_t;

/*
 * The client's side.
 *
 * @param name     of the server, for messages
 * @param version  of this program, with its build
 * @param wait_s   how long to wait for an answer; 0: for ever
 * @param keeps    out: whether the server keeps inputs
 * @return ST_OK, ST_ENOMEM, or ST_EPEER (logged): it does not answer, it is another
 *         program, version or machine, or it refuses
 */
status_t remote_hello_client(int in, int out, const char *name, const char *version,
                             int wait_s, const hello_request_t *request,
                             bool *keeps) MUST_CHECK;

/*
 * The server's side: the client's request; then what it is answered.
 *
 * @param request  out: its text is the caller's
 * @return ST_OK, ST_ENOMEM, or ST_EPEER (logged): it is no client, or another version
 */
status_t remote_hello_server(int in, int out, const char *version,
                             hello_request_t *request) MUST_CHECK;

/* @param why  why the request is refused; NULL: it is not
 * @param keeps  whether inputs are kept */
status_t remote_hello_answer(int out, const char *why, bool keeps) MUST_CHECK;

/* @return the next word of a request's text, or the first one (at NULL); checked */
const char *remote_hello_word(const hello_request_t *r, const char *at);
