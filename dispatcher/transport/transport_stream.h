/*
 * transport_stream.h - ranks that are reached by streams: rank 0 is a client, and each
 * other rank a device that a server lends (docs/decisions/a-remote-device-is-a-rank.md).
 *
 * A star: every other rank has a stream to rank 0 only.  A thread of the transport reads
 * and writes, so that data moves and signs of life are sent while the main thread is
 * busy. A stream over which nothing arrives for STREAM_SILENCE_S ends, on both sides.
 *
 * A rank whose stream has ended is gone: receive gives one message TRANSPORT_GONE of it,
 * its last, and what is sent to it is dropped; in an exchange it sends zeros.  Another
 * rank's receive returns ST_EPEER once rank 0 is gone, and so do its exchanges.
 */
#pragma once

#include "dispatcher/transport/transport.h"

#include <sys/types.h>

enum { STREAM_NAME_BYTES = 256, STREAM_SILENCE_S = 10, STREAM_DIGEST_BYTES = 32 };

/* The other end of a stream. */
typedef struct {
    int in, out;                  /* descriptors, the transport's; may be the same */
    pid_t child;                  /* that carries it, waited for at the end; 0: none */
    bool keeps;                   /* a device's server keeps inputs */
    char name[STREAM_NAME_BYTES]; /* for messages */
} stream_end_t;

/* A digest of arrays and their lengths that nobody can forge.
 * @return whether it can be computed here */
typedef bool stream_digest_t(const array_span_t *spans, size_t n,
                             unsigned char out[STREAM_DIGEST_BYTES]);

/* Inputs of earlier runs that a device's server has kept. */
typedef struct stream_inputs {
    stream_digest_t *digest;

    /* Copy an input into the spans. @return whether it has been kept */
    bool (*find)(struct stream_inputs *in, const unsigned char *digest,
                 const array_span_t *spans, size_t n);

    void (*keep)(struct stream_inputs *in, const unsigned char *digest,
                 const array_span_t *spans, size_t n);
} stream_inputs_t;

/*
 * Rank 0's transport.
 *
 * @param ends    [n] of ranks 1 .. n; taken over, also on failure; -1: that rank is gone
 * @param digest  for servers that keep inputs
 * @return ST_OK or ST_ENOMEM
 */
status_t transport_stream_client(const stream_end_t *ends, int n, stream_digest_t *digest,
                                 transport_t **out) MUST_CHECK;

/* The transport of another rank, whose messages go to rank 0's stderr.
 * @param client  taken over, also on failure
 * @param inputs  NULL: none are kept */
status_t transport_stream_device(const stream_end_t *client, int rank, int n_ranks,
                                 stream_inputs_t *inputs, transport_t **out) MUST_CHECK;

/* Close the descriptors; also end the child. */
void stream_end_shut(stream_end_t *end);
void stream_end_close(stream_end_t *end);
