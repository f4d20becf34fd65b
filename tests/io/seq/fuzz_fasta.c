/*
 * fuzz_fasta.c - libFuzzer target: arbitrary bytes through fasta_read, with all options.
 */
#include "io/base/logmsg.h"
#include "io/base/utf8.h"
#include "io/seq/fasta.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void write_all(int fd, const uint8_t *data, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, data, len);

        if (n <= 0)
            abort();
        data += n;
        len -= (size_t)n;
    }
}

/* Check the invariants of a set. */
static void check_set(const seqset_t *set)
{
    if (set->offset[0] != 0 || set->name_offset[0] != 0)
        abort();
    for (int64_t i = 0; i < set->n; i++)
        if (seqset_len(set, i) < 1 || seqset_name(set, i)[0] == '\0' ||
            !utf8_is_clean(seqset_name(set, i), strlen(seqset_name(set, i))))
            abort();
    for (int64_t k = 0; k < set->offset[set->n]; k++)
        if (set->letters[k] < 1 || set->letters[k] >= alphabet_size(set->alphabet))
            abort();
}

/* Errors are always logged: redirect stderr, but only during the call, since the fuzzer
 * writes to it, too. */
static void read_quietly(const char *path, int null, int own_stderr, fasta_opts_t opts)
{
    seqset_t *set = NULL;
    status_t st;

    dup2(null, STDERR_FILENO);
    st = fasta_read(path, &opts, NULL, &set);
    dup2(own_stderr, STDERR_FILENO);
    if (st == ST_OK)
        check_set(set);
    else if (st != ST_EINPUT || set != NULL)
        abort();
    seqset_destroy(set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static int null = -1, own_stderr = -1;
    int fd = memfd_create("fuzz_fasta", 0);
    char path[64];

    if (null < 0) {
        null = open("/dev/null", O_WRONLY);
        own_stderr = dup(STDERR_FILENO);
        log_set_level(LOG_QUIET);
    }
    if (fd < 0 || null < 0 || own_stderr < 0)
        abort();
    write_all(fd, data, len);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    for (int o = 0; o < 3 * 8; o++)
        read_quietly(path, null, own_stderr,
                     (fasta_opts_t){.alphabet = (alphabet_t)(o / 8),
                                    .skip_bad = o & 1,
                                    .degap = o & 2,
                                    .full_names = o & 4});
    close(fd);
    return 0;
}
