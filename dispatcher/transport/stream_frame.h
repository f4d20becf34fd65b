/*
 * stream_frame.h - what a stream between two ranks consists of: frames, each a head of 16
 * bytes and its data.  The reader checks every head before it uses it, because the other
 * end may be anyone.
 *
 * Both ends have one byte order (remote_hello.h).
 */
#pragma once

#include "io/base/buf.h"

#include <stdbool.h>
#include <stdint.h>

/* No inverted bit makes one kind of another. */
typedef enum {
    FRAME_MESSAGE = 1,  /* of the run; tag: the message's */
    FRAME_EXCHANGE = 2, /* data of a call that all ranks make together */
    FRAME_LOG = 4,      /* a line of the other end's messages; tag: its log_level_t */
    FRAME_BEAT = 7      /* empty: the other end is there */
} frame_kind_t;

/* Limits of what the other end may send.  Memory for a message grows with what has
 * arrived of it. */
enum { FRAME_TAG_MAX = 255, FRAME_LOG_BYTES = 4096 };
#define FRAME_MESSAGE_BYTES ((uint64_t)1 << 34)

typedef struct {
    uint32_t kind;
    int32_t tag;
    uint64_t len; /* of the data */
} frame_head_t;

/* Reads one frame after the other.  Zeroed: nothing has arrived. */
typedef struct {
    frame_head_t head;
    size_t head_len; /* of the head, arrived */
    size_t len;      /* of the data, arrived */
    buf_t data;      /* of a message or a line */
    struct {
        void *to; /* the data of the next exchange */
        size_t len;
        bool is_due;
    } exchange;
    const char *why; /* set: the other end does not keep to the above; a static text */
} frame_reader_t;

/* @return whether data of an exchange arrives that is not due yet: do not read now */
bool frame_reader_waits(const frame_reader_t *r);

/*
 * Find where the next bytes go.
 *
 * @param len  out: at most as many; > 0
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t frame_reader_room(frame_reader_t *r, void **at, size_t *len) MUST_CHECK;

/* Note that bytes were put there. @return whether the frame is complete; not if `why` is
 * set afterwards */
bool frame_reader_took(frame_reader_t *r, size_t len);

/* After an exchange became due: compare its length with what has arrived.
 * @return as frame_reader_took */
bool frame_reader_settle(frame_reader_t *r);

/* Forget a complete frame; its data belongs to the caller if that has taken it. */
void frame_reader_next(frame_reader_t *r);

void frame_reader_free(frame_reader_t *r);
