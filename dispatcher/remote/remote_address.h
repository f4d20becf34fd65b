/*
 * remote_address.h - the devices that a list names: "cpu,unix:/run/ribogrid.sock/0".
 */
#pragma once

#include "io/base/status.h"

#include <stdbool.h>
#include <stddef.h>

enum { REMOTE_PLACE_BYTES = 200, REMOTE_MAX = 64, REMOTE_LOCAL_BYTES = 32 };

typedef enum { REMOTE_UNIX, REMOTE_SSH, REMOTE_TLS } remote_kind_t;

/* A device of a server. */
typedef struct {
    remote_kind_t kind;
    char place[REMOTE_PLACE_BYTES]; /* the path of its socket; a host, as ssh takes it;
                                     * or [USER@]HOST:PORT */
    int index;                      /* among the devices that it lends */
} remote_address_t;

typedef struct {
    char local[REMOTE_LOCAL_BYTES]; /* this machine's device; "none": remote ones only */
    int n;
    remote_address_t at[REMOTE_MAX];
} remote_list_t;

/* The parts of "alice@gpu.lab:7070", "[::1]:7070" or "7070"; "": not given. */
typedef struct {
    char user[REMOTE_PLACE_BYTES], host[REMOTE_PLACE_BYTES], port[6];
} remote_port_t;

/* @return whether the text is such a place */
bool remote_port_parse(const char *text, remote_port_t *out);

/* The address as a list has it. */
void remote_address_text(const remote_address_t *a, char *out, size_t size);

/* @return whether a list of devices names remote ones */
bool remote_list_is(const char *text);

/*
 * Parse a list.
 *
 * @return ST_OK, or ST_EUSAGE (logged): one of its words is no device, or it has several
 *         of this machine
 */
status_t remote_list_parse(const char *text, remote_list_t *out) MUST_CHECK;
