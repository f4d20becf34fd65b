/*
 * remote_control.h - packets between the process of a server that listens and the ones
 * that it starts, which are not trusted: a client may have taken one over.
 */
#pragma once

#include "dispatcher/remote/remote_keys.h"

#include <stdbool.h>
#include <stdint.h>

enum { CONTROL_DIGEST_BYTES = 32 };

typedef enum {
    CONTROL_CLIENT = 1, /* a user's stream, to the process that is to serve it; from one
                         * that has found out who a client is */
    CONTROL_PAGE,       /* after that: memory of both (remote_page.h) */
    CONTROL_REFUSE,     /* a stream, to a process that is to say: too many clients */
    CONTROL_LOAD,       /* from a process: note in the page how many other runs compute on
                         * its device; and the answer */
    CONTROL_TURN,     /* from a process: it waits for a turn (remote_turns.h), of which */
    CONTROL_TURN_END, /* the page tells it; and it has ended that, or does not wait */
    CONTROL_FIND,     /* from a process: has an input of its user been kept? */
    CONTROL_FOUND,    /* the answer, with the input if it has */
    CONTROL_KEEP      /* from a process: an input (remote_cache.h) */
} control_kind_t;

typedef struct {
    int32_t kind;                               /* control_kind_t */
    char user[KEY_NAME_BYTES];                  /* of CONTROL_CLIENT; "": not known yet */
    unsigned char digest[CONTROL_DIGEST_BYTES]; /* of an input */
    int64_t memory_bytes, device_bytes; /* that the process of a client may use; 0: all */
} control_t;

/* Make both ends. @return whether it did; else errno says why */
bool control_pair(int ends[2]);

/* Send without waiting. @param fd  goes along; -1: none @return whether it was sent */
bool control_send(int end, const control_t *m, int fd);

/*
 * Receive the next packet.
 *
 * @param waits  for one
 * @param fd     out: the caller's; -1: none
 * @return 1; 0: there is none; -1: there will be none, or it was none of these
 */
int control_receive(int end, bool waits, control_t *m, int *fd);
