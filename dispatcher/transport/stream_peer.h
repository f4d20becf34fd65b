/*
 * stream_peer.h - one end of a stream between two ranks, without waiting: frames that are
 * to be sent, the frame that is being read, and whether the other end is alive.
 *
 * The owner has a lock around all calls.
 */
#pragma once

#include "dispatcher/transport/stream_frame.h"
#include "dispatcher/transport/transport_stream.h"

enum { STREAM_WHY_BYTES = 160 };

/* A frame that is to be sent. */
typedef struct outgoing {
    struct outgoing *next;
    frame_head_t head;
    buf_t owned;      /* its data; empty: borrowed */
    const void *data; /* [head.len] */
    size_t n_sent;    /* of head and data */
} outgoing_t;

typedef struct {
    stream_end_t end;
    frame_reader_t in;
    outgoing_t *first, **last;
    double heard_s, sent_s; /* when something arrived, or left (clock_now_s) */
    double begun_s;     /* since when progress of the frame that is read is measured, */
    size_t begun_bytes; /* and what of it had arrived by then */
    bool is_open;
    bool is_named;    /* that it is not: a line says so */
    bool is_reported; /* and a message */
    bool has_lost;    /* a frame was not sent, because it is not */
    char why[STREAM_WHY_BYTES];
    int n_lines; /* of the other end's messages */
} stream_peer_t;

/* Begin with an open stream. */
void stream_peer_begin(stream_peer_t *p, const stream_end_t *end);

/* Add a frame. @param data  taken over; or NULL and `borrowed`, in use until it is sent
 * or the stream has ended @return ST_OK or ST_ENOMEM (logged) */
status_t stream_peer_push(stream_peer_t *p, frame_head_t head, buf_t *data,
                          const void *borrowed) MUST_CHECK;

/* Write what goes without waiting. */
void stream_peer_write(stream_peer_t *p);

/* Read what is there of one frame. @return whether it is complete, in p->in */
bool stream_peer_read(stream_peer_t *p);

/* Send a sign of life if it is time, and end a stream that is silent.
 * @param is_read  whether the stream is being read */
void stream_peer_look(stream_peer_t *p, double now, bool is_read);

/* Nothing is sent or received any more. @param why  for messages */
void stream_peer_leave(stream_peer_t *p, const char *why);

/* Free everything, and close the stream. */
void stream_peer_free(stream_peer_t *p);
