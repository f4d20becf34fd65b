/*
 * remote_page.h - memory that a server shares with each process that serves a client:
 * what that process does, and what the server orders.
 *
 * The process is not trusted: the server bounds what it reads there.
 */
#pragma once

#include "dispatcher/remote/remote_hello.h"
#include "dispatcher/transport/transport.h"

#include <stdatomic.h>
#include <stdint.h>

enum { PAGE_JOB_BYTES = 32, PAGE_DEVICES_MAX = 64 };

typedef struct {
    /* the server's words */
    _Atomic uint64_t locked;   /* a bit per device: it is being emptied */
    _Atomic int32_t n_moves;   /* how often the run was to go on elsewhere, */
    _Atomic int32_t to;        /* the last time at this rank; 0: wherever */
    _Atomic int32_t n_others;  /* of CONTROL_LOAD */
    _Atomic int32_t is_shared; /* other runs compute on the device */
    _Atomic int32_t is_over;   /* its turn there is to end */
    _Atomic uint32_t n_turns;  /* that it was given; a futex */

    /* the process's */
    _Atomic int32_t device; /* -1: not known yet */
    _Atomic int32_t rank, is_busy;
    _Atomic uint64_t run; /* the client's number of it */
    _Atomic int64_t n_tasks, left_ms;
    char job[PAGE_JOB_BYTES]; /* set before the device */
} remote_page_t;

/* @return whether a set of devices, a bit for each, has one */
static inline bool page_devices_have(uint64_t devices, int device)
{
    return device >= 0 && device < PAGE_DEVICES_MAX && (devices >> device & 1) != 0;
}

/* @return the device that a process uses; -1: not known yet, or none */
static inline int page_device(const remote_page_t *page)
{
    const int device = page->device;

    return device >= 0 && device < PAGE_DEVICES_MAX ? device : -1;
}

/* Make one. @param fd  out: to be sent to the process @return the page, or NULL: errno
 * says why */
remote_page_t *remote_page_create(int *fd);

/* In the process: take it over. @param fd  closed @return NULL: it is none */
remote_page_t *remote_page_take(int fd);

/* Takes NULL. */
void remote_page_free(remote_page_t *page);

/* In the process: what a run tells and is ordered. */
typedef struct {
    lent_t base;
    remote_page_t *page;
    int32_t n_moves; /* that the run knows of */
    turns_t turns;
    int control;
    uint32_t n_turns;       /* that it knows of */
    bool has_asked, has_it; /* a turn */
} remote_lent_t;

/* Say what the process serves. @param page  borrowed @param control  to the server
 * @return whether its device may be used: it is not being emptied */
bool remote_lent_begin(remote_lent_t *l, remote_page_t *page, int control,
                       const char *job, const hello_request_t *r);
