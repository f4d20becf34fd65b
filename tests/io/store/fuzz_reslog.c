/*
 * fuzz_reslog.c - libFuzzer target: arbitrary bytes as a log, which is looked at, opened,
 * read, and opened again: what the first opening left is whole.
 */
#include "io/store/reslog.h"
#include "tests/support/fuzz_file.h"

#include <string.h>

/* Logs of more are not opened: memory for each task is reserved. */
enum { MAX_TASKS = 1 << 12 };

static char path[64];

static void remove_file(void)
{
    unlink(path);
}

/* @return the number of tasks that have records; -1: refused */
static int64_t read_all(const reslog_peek_t *peek)
{
    reslog_t *log = NULL;
    buf_t record = {0};
    int64_t n = -1;
    status_t st;

    fuzz_quiet();
    st = reslog_open(path, peek->text, peek->n_tasks, false, &log);
    fuzz_loud();
    if (st == ST_OK) {
        n = reslog_n_done(log);
        for (int64_t t = 0; t < peek->n_tasks; t++)
            if (reslog_has(log, t) && reslog_read(log, t, &record) != ST_OK)
                abort();
    } else if (st != ST_EINPUT) {
        abort();
    }
    buf_free(&record);
    reslog_close(log);
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    reslog_peek_t peek = {.text = NULL};
    status_t st;
    int fd;

    if (path[0] == '\0') {
        snprintf(path, sizeof(path), "%s/fuzz_reslog.XXXXXX", fuzz_folder());
        if ((fd = mkstemp(path)) < 0)
            abort();
        atexit(remove_file);
    } else if ((fd = open(path, O_WRONLY | O_TRUNC)) < 0) {
        abort();
    }
    if (len > 0 && write(fd, data, len) != (ssize_t)len)
        abort();
    close(fd);
    fuzz_quiet();
    st = reslog_peek(path, &peek);
    fuzz_loud();
    if (st == ST_OK && peek.n_tasks >= 0 && peek.n_tasks <= MAX_TASKS) {
        const int64_t n = read_all(&peek);

        if (n >= 0 && read_all(&peek) != n)
            abort();
    } else if (st != ST_OK && st != ST_EINPUT) {
        abort();
    }
    free(peek.text);
    return 0;
}
