/*
 * retreat.h - rank 0 lets lent devices leave whose servers are emptied: they finish what
 * they hold, which is what they have been granted, or the step of a gang.
 */
#pragma once

#include "dispatcher/free_tasks.h"
#include "dispatcher/gang_relay.h"

/* Zeroed: none leaves. */
typedef struct {
    free_tasks_t *free; /* borrowed, or NULL: */
    gang_relay_t *relay;
    transport_t *transport;
    bool *leaves;       /* [n_ranks] as their servers order */
    bool *is_dismissed; /* [n_ranks] they have been told to end */
    int n_left;         /* of those that leave, not dismissed */
} retreat_t;

/* @return ST_OK or ST_ENOMEM; freed by retreat_end in any case */
status_t retreat_begin(retreat_t *r, transport_t *t, free_tasks_t *free,
                       gang_relay_t *relay) MUST_CHECK;

/* Act on TAG_RETREAT. */
void retreat_note(retreat_t *r, const message_t *m);

/* A rank leaves, or not after all. */
void retreat_order(retreat_t *r, int rank, bool leaves);

/* Dismiss those that can go. @return ST_OK, ST_ENOMEM, the transport's, or ST_EDEVICE if
 * none would be left (logged) */
status_t retreat_step(retreat_t *r) MUST_CHECK;

/* Act on TAG_STOPPED. @return as retreat_step */
status_t retreat_on_stopped(retreat_t *r, int rank) MUST_CHECK;

void retreat_end(retreat_t *r);
