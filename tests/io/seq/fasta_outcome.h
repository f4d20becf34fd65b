/*
 * fasta_outcome.h - reads a FASTA file in a test and keeps the result and the log.
 */
#pragma once

#include "io/seq/alphabet.h"
#include "io/seq/fasta.h"
#include "tests/support/unit_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, CAPTURE_BYTES = 8192 };

typedef struct {
    status_t st;
    fasta_report_t report;
    seqset_t *set; /* NULL unless st is ST_OK */
    char logged[CAPTURE_BYTES];
} outcome_t;

static outcome_t got; /* of the last read; released by the next one and after each test */

static inline int release(void **state)
{
    (void)state;
    seqset_destroy(got.set);
    got = (outcome_t){0};
    return 0;
}

/* Create a temporary file under TMPDIR. @return its descriptor */
static inline int temp_file(char path[PATH_BYTES])
{
    const char *dir = getenv("TMPDIR");
    int fd;

    snprintf(path, PATH_BYTES, "%s/test_fasta.XXXXXX", dir != NULL ? dir : "/tmp");
    fd = mkstemp(path);
    assert_true(fd >= 0);
    return fd;
}

static inline void read_path(const char *path, fasta_opts_t opts)
{
    char log_path[PATH_BYTES];
    int log = temp_file(log_path);
    int old_stderr = dup(STDERR_FILENO);
    ssize_t len;

    release(NULL);
    dup2(log, STDERR_FILENO);
    got.st = fasta_read(path, &opts, &got.report, &got.set);
    dup2(old_stderr, STDERR_FILENO);
    close(old_stderr);
    len = pread(log, got.logged, CAPTURE_BYTES - 1, 0);
    assert_true(len >= 0);
    close(log);
    unlink(log_path);
    assert_int_equal(got.st == ST_OK, got.set != NULL);
    if (got.st != ST_OK) { /* exactly one line */
        assert_non_null(strchr(got.logged, '\n'));
        assert_string_equal(strchr(got.logged, '\n'), "\n");
    }
}

static inline void read_bytes(const void *data, size_t len, fasta_opts_t opts)
{
    char path[PATH_BYTES];
    int fd = temp_file(path);

    assert_int_equal(write(fd, data, len), len);
    close(fd);
    read_path(path, opts);
    unlink(path);
}

static inline void read_text(const char *text, fasta_opts_t opts)
{
    read_bytes(text, strlen(text), opts);
}

static inline void assert_record(int64_t i, const char *name, const char *letters)
{
    assert_int_equal(got.st, ST_OK);
    assert_true(i < got.set->n);
    assert_string_equal(seqset_name(got.set, i), name);
    assert_int_equal(seqset_len(got.set, i), strlen(letters));
    for (int64_t k = 0; k < seqset_len(got.set, i); k++)
        assert_int_equal(alphabet_letter(got.set->alphabet,
                                         seqset_letters(got.set, i)[k]),
                         letters[k]);
}

static inline void assert_logged(const char *text)
{
    if (strstr(got.logged, text) == NULL)
        fail_msg("'%s' is not in: %s", text, got.logged);
}

static inline void assert_refused(const char *text)
{
    assert_int_equal(got.st, ST_EINPUT);
    assert_logged(text);
}
