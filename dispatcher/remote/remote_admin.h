/*
 * remote_admin.h - `ribogrid device`: what a server does, emptying its devices, and moves
 * between them.
 *
 * A server has a socket of its own for that, which its user alone may connect with: one
 * line asks, and lines answer, the first of which begins with + or -.
 */
#pragma once

#include "dispatcher/remote/remote_page.h"
#include "io/base/buf.h"

/* A run that a server takes part in. */
typedef struct {
    int pid;
    const char *user;
    double since_s; /* clock_now_s */
    remote_page_t *page;
} admin_run_t;

/* Answer a request, within a second. @param fd  of who asks; closed
 * @param locked  a bit per device that is being emptied; in and out */
void remote_admin_answer(int fd, const admin_run_t *runs, int n, uint64_t *locked);

/* Ask a server. @param path  of its socket @param out  the answer, NUL-terminated
 * @return ST_OK, ST_ENOMEM, ST_EPEER: no server answers (logged), or ST_EINPUT: it
 * refuses (logged) */
status_t remote_admin_ask(const char *path, const char *request, buf_t *out) MUST_CHECK;
