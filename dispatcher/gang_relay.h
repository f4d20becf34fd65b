/*
 * gang_relay.h - rank 0's side of a gang whose ranks do not reach each other (remote
 * devices): one of them runs it whole, and when that one is gone, has failed or has to
 * leave, the next one goes on from the last checkpoint, which rank 0's log keeps.
 *
 * The order is that of the ranks from 1 on, then rank 0's own device, then from 1 again.
 */
#pragma once

#include "dispatcher/dispatcher.h"
#include "dispatcher/gang_watch.h"
#include "dispatcher/protocol.h"
#include "dispatcher/storer.h"

typedef struct gang_relay gang_relay_t;

/* @param watch  of one rank, which this begins anew at each move
 * @return ST_OK or ST_ENOMEM */
status_t gang_relay_create(const dispatcher_opts_t *opts, storer_t *storer,
                           gang_watch_t *watch, gang_relay_t **out) MUST_CHECK;

/* Note what a rank has sent: a record of a checkpoint; how many steps it has done; that
 * it has ended. @return NULL, or why it could not have: "sent ..." */
const char *gang_relay_note_record(gang_relay_t *g, int rank, const result_head_t *head);
const char *gang_relay_note_steps(gang_relay_t *g, int rank, int64_t n_steps);
const char *gang_relay_note_end(gang_relay_t *g, int rank, const worker_finish_t *end);

/* Have a rank, if it runs the gang, pass it on after its step, or not after all.
 * @param to  the rank that is to go on, if it can; 0: whichever comes next */
void gang_relay_ask(gang_relay_t *g, int rank, bool passes, int to);

/* A rank has ended, without a stop of the run: the next one goes on. */
void gang_relay_pass(gang_relay_t *g);

/* @return whether a rank runs it */
bool gang_relay_is_at(const gang_relay_t *g, int rank);

/* A rank is gone, has failed or leaves: it does not run the gang any more. */
void gang_relay_leave(gang_relay_t *g, int rank);

/* Send orders, or pass the gang on. @return ST_OK, ST_ESTOPPED where a stop was requested
 * and no rank runs it, ST_EDEVICE if no rank is left (logged), or another error */
status_t gang_relay_step(gang_relay_t *g) MUST_CHECK;

/* @return the steps done, as far as it is known */
int64_t gang_relay_n_steps(const gang_relay_t *g);

/* Takes NULL. */
void gang_relay_destroy(gang_relay_t *g);
