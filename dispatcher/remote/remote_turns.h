/*
 * remote_turns.h - turns of the runs that share a device of a server: the next one is
 * that of the user who has had least time on the device for its weight (start-time fair
 * queueing: who comes, or comes back, begins where the user of the last turn began).
 *
 * A turn lasts for TURN_S, or longer while its user is behind.  Then the run finishes
 * what is on the device.  One that takes too long for that is no longer waited for.
 */
#pragma once

#include "dispatcher/remote/remote_keys.h"
#include "dispatcher/remote/remote_page.h"

#define TURN_S      0.25
#define TURN_LATE_S 3.0

enum { TURN_USERS_MAX = 256 };

typedef enum {
    TURN_NONE,
    TURN_WAITS,
    TURN_HAS,
    TURN_LATE /* it goes on beside the next one */
} turn_state_t;

/* Of a process; zeroed: none. */
typedef struct {
    turn_state_t state;
    double since_s; /* clock_now_s */
    double over_s;  /* since when it is to end; 0: it is not */
} turn_t;

/* A run that a process serves. */
typedef struct {
    const char *user;
    double weight; /* > 0 */
    remote_page_t *page;
    int device; /* page_device, read once: the process may change it at any time */
    turn_t *turn;
} turn_run_t;

/* Time that a user has had on a device, divided by the user's weight. */
typedef struct {
    char user[KEY_NAME_BYTES];
    int device;
    double used_s;
} turn_usage_t;

/* Zeroed: nobody has had any. */
typedef struct {
    turn_usage_t at[TURN_USERS_MAX];
    int n;
    double begun_s[PAGE_DEVICES_MAX]; /* used_s of the user of the last turn, at its
                                       * begin; nobody else counts as having had less */
} remote_turns_t;

/* A run asks for a turn. Who comes back neither gains nor loses by having been away. */
void remote_turns_ask(remote_turns_t *t, const turn_run_t *run, double now);

/* It ends its turn, or does not wait for one any more. */
void remote_turns_end(remote_turns_t *t, const turn_run_t *run, double now);

/* Give turns, and say in the pages which are over and which devices are shared.
 * @param all  [n] of all runs */
void remote_turns_look(remote_turns_t *t, const turn_run_t *all, int n, double now);
