/*
 * remote_tls.h - streams of TLS 1.3 between a client and a server that share a key.
 *
 * The key is external, used with an ephemeral Diffie-Hellman exchange (psk_dhe_ke): who
 * gets it later cannot read what was sent before.  There are no certificates, tickets or
 * early data.  A peer cannot tell an unknown user from a wrong key.
 *
 * A process of its own encrypts and decrypts; the one that uses the stream has a socket
 * to it.
 */
#pragma once

#include "dispatcher/remote/remote_keys.h"
#include "dispatcher/transport/transport_stream.h"

/* Load OpenSSL; the calls below are for processes that have.
 * @return ST_OK, or ST_EUSAGE (logged): it is not there, or this build has no TLS */
status_t remote_tls_load(void) MUST_CHECK;

/*
 * Prove to a server which user this is, and that the server has the user's key, too.
 *
 * @param fd   a connection; taken over
 * @param out  its name is set already, for messages
 * @return ST_OK, ST_ENOMEM, ST_EUSAGE (logged: no TLS) or ST_EPEER (logged)
 */
status_t remote_tls_client(int fd, const remote_key_t *key, stream_end_t *out) MUST_CHECK;

/*
 * The server's side: find out who a client is, hand its stream over, and carry it in this
 * process until it ends.
 *
 * @param fd         a connection; taken over
 * @param name       of the client, for messages
 * @param hand_over  gets `control`, the user's name and the stream within TLS, which is
 * closed afterwards; returns whether somebody serves it
 * @return ST_OK, or as remote_tls_client
 */
status_t remote_tls_serve(int fd, const remote_keys_t *keys, const char *name,
                          bool (*hand_over)(int control, const char *user, int stream),
                          int control) MUST_CHECK;

/* SHA-256 of arrays and their lengths. @return whether there is OpenSSL to compute it */
bool remote_tls_digest(const array_span_t *spans, size_t n,
                       unsigned char out[STREAM_DIGEST_BYTES]);
