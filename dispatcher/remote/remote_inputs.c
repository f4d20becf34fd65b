/*
 * remote_inputs.c - asks for inputs that a server has kept, and has it keep others.
 */
#include "dispatcher/remote/remote_inputs.h"

#include "dispatcher/remote/remote_control.h"
#include "dispatcher/remote/remote_tls.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t bytes_of(const array_span_t *spans, size_t n)
{
    size_t bytes = 0;

    for (size_t i = 0; i < n; i++)
        bytes += spans[i].len;
    return bytes;
}

/* Read what the memory behind a descriptor holds, if it is as long. @return whether it is
 */
static bool read_all(int fd, const array_span_t *spans, size_t n)
{
    const size_t bytes = bytes_of(spans, n);
    const off_t end = lseek(fd, 0, SEEK_END);
    const char *from = MAP_FAILED;

    if (end < 0 || (size_t)end != bytes ||
        (from = mmap(NULL, bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0)) ==
            MAP_FAILED)
        return false;
    for (size_t i = 0, at = 0; i < n; at += spans[i++].len)
        memcpy(spans[i].data, from + at, spans[i].len);
    munmap((void *)(uintptr_t)from, bytes);
    return true;
}

static bool find(stream_inputs_t *in, const unsigned char *digest,
                 const array_span_t *spans, size_t n)
{
    const int control = ((remote_inputs_t *)in)->control;
    control_t m = {.kind = CONTROL_FIND};
    int fd = -1;
    bool has;

    memcpy(m.digest, digest, sizeof(m.digest));
    if (!control_send(control, &m, -1) || control_receive(control, true, &m, &fd) != 1)
        return false;
    has = fd >= 0 && read_all(fd, spans, n);
    if (fd >= 0)
        close(fd);
    return has;
}

static bool write_all(int fd, const array_span_t *spans, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t at = 0; at < spans[i].len;) {
            const ssize_t got =
                write(fd, (const char *)spans[i].data + at, spans[i].len - at);

            if (got <= 0)
                return false;
            at += (size_t)got;
        }
    return true;
}

static void keep(stream_inputs_t *in, const unsigned char *digest,
                 const array_span_t *spans, size_t n)
{
    const int fd = memfd_create("ribogrid input", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    control_t m = {.kind = CONTROL_KEEP};

    memcpy(m.digest, digest, sizeof(m.digest));
    if (fd >= 0 && write_all(fd, spans, n) &&
        fcntl(fd, F_ADD_SEALS,
              F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0)
        (void)control_send(((remote_inputs_t *)in)->control, &m, fd);
    if (fd >= 0)
        close(fd);
}

void remote_inputs_begin(int control, remote_inputs_t *out)
{
    *out = (remote_inputs_t){.inputs = {.digest = remote_tls_digest,
                                        .find = find,
                                        .keep = keep},
                             .control = control};
}
