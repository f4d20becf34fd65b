/*
 * fuzz_file.h - a fuzzer's bytes as a file, and errors that it does not see: they are
 * always logged, and the fuzzer writes to stderr, too.
 */
#pragma once

#include "io/base/logmsg.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static int fuzz_stderr = -1;

/* Stop printing errors. */
static inline void fuzz_quiet(void)
{
    static int null = -1;

    if (null < 0) {
        null = open("/dev/null", O_WRONLY);
        fuzz_stderr = dup(STDERR_FILENO);
        log_set_level(LOG_QUIET);
    }
    if (null < 0 || fuzz_stderr < 0 || dup2(null, STDERR_FILENO) < 0)
        abort();
}

static inline void fuzz_loud(void)
{
    dup2(fuzz_stderr, STDERR_FILENO);
}

/* @return a folder for files that need a name: in memory, if there is one */
static inline const char *fuzz_folder(void)
{
    return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

/* @param path  out: of a file in memory with these bytes, until it is closed
 * @return it */
static inline int fuzz_file(const uint8_t *data, size_t len, char path[64])
{
    const int fd = memfd_create("fuzz", 0);

    if (fd < 0 || (len > 0 && write(fd, data, len) != (ssize_t)len))
        abort();
    snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}
