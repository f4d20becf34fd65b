/*
 * remote_tls_none.c - in place of remote_tls.c where there is no OpenSSL.
 */
#include "dispatcher/remote/remote_tls.h"

#include "io/base/logmsg.h"

#include <unistd.h>

status_t remote_tls_load(void)
{
    log_error(
        "this build has no TLS; build it with OpenSSL 3 (Debian: libssl-dev), or use "
        "ssh://HOST/0");
    return ST_EUSAGE;
}

status_t remote_tls_client(int fd, const remote_key_t *key, stream_end_t *out)
{
    (void)key;
    (void)out;
    close(fd);
    return remote_tls_load();
}

status_t remote_tls_serve(int fd, const remote_keys_t *keys, const char *name,
                          bool (*hand_over)(int control, const char *user, int stream),
                          int control)
{
    (void)keys;
    (void)name;
    (void)hand_over;
    (void)control;
    close(fd);
    return remote_tls_load();
}

bool remote_tls_digest(const array_span_t *spans, size_t n,
                       unsigned char out[STREAM_DIGEST_BYTES])
{
    (void)spans;
    (void)n;
    (void)out;
    return false;
}
