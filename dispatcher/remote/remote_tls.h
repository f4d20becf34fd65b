/*
 * remote_tls.h - streams of TLS 1.3 between a client and a server that share a key.
 *
 * The key is external, used with an ephemeral Diffie-Hellman exchange (psk_dhe_ke): who
 * gets it later cannot read what was sent before.  There are no certificates, tickets or
 * early data.  A peer cannot tell an unknown user from a wrong key.
 *
 * A process of its own, which has this process's rights, encrypts and decrypts; this one
 * has a socket to it.
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

/* The server's side. @param user  out: the client's name */
status_t remote_tls_server(int fd, const remote_keys_t *keys, char user[KEY_NAME_BYTES],
                           stream_end_t *out) MUST_CHECK;
