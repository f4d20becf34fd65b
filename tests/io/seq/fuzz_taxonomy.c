/*
 * fuzz_taxonomy.c - libFuzzer target: arbitrary bytes through taxonomy_read.
 */
#include "io/base/logmsg.h"
#include "io/seq/taxonomy.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* Check the invariants of a tree, and print every lineage. */
static void check(const taxonomy_t *t)
{
    buf_t text = {0};

    if (taxonomy_n(t) < 1 || taxonomy_n_taxa(t) < 2)
        abort();
    for (int32_t taxon = 1; taxon < taxonomy_n_taxa(t); taxon++) {
        const int rank = taxonomy_rank(t, taxon);

        if (rank < 1 || taxonomy_name(t, taxon)[0] == '\0' ||
            taxonomy_ancestor(t, taxon, rank) != taxon ||
            taxonomy_ancestor(t, taxon, rank - 1) >= taxon)
            abort();
        text.len = 0;
        if (taxonomy_append(t, taxon, ";", &text) != ST_OK || text.len == 0)
            abort();
    }
    (void)taxonomy_find(t, ";tax=");
    buf_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static int null = -1, own_stderr = -1;
    const int fd = memfd_create("fuzz_taxonomy", 0);
    taxonomy_t *t = NULL;
    char path[64];
    status_t st;

    if (null < 0) {
        null = open("/dev/null", O_WRONLY);
        own_stderr = dup(STDERR_FILENO);
        log_set_level(LOG_QUIET);
    }
    if (fd < 0 || null < 0 || own_stderr < 0 || write(fd, data, len) != (ssize_t)len)
        abort();
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    dup2(null,
         STDERR_FILENO); /* errors are always logged; the fuzzer writes there, too */
    st = taxonomy_read(path, &t);
    dup2(own_stderr, STDERR_FILENO);
    if (st == ST_OK)
        check(t);
    else if (st != ST_EINPUT || t != NULL)
        abort();
    taxonomy_destroy(t);
    close(fd);
    return 0;
}
