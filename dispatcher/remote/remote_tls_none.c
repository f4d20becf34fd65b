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

status_t remote_tls_server(int fd, const remote_keys_t *keys, char user[KEY_NAME_BYTES],
                           stream_end_t *out)
{
    (void)keys;
    (void)user;
    (void)out;
    close(fd);
    return remote_tls_load();
}
