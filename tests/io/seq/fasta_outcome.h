/*
 * fasta_outcome.h - reads a FASTA file in a test and keeps what came of it and what was
 * said.
 *
 * Include it after <cmocka.h>.
 */
#ifndef RIBOGRID_TESTS_IO_SEQ_FASTA_OUTCOME_H
#define RIBOGRID_TESTS_IO_SEQ_FASTA_OUTCOME_H

#include "io/seq/alphabet.h"
#include "io/seq/fasta.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, CAPTURE_BYTES = 8192 };

typedef struct {
    status_t st;
    fasta_report_t report;
    seqset_t *set; /* NULL unless st is ST_OK */
    char said[CAPTURE_BYTES];
} outcome_t;

static outcome_t got; /* of the last read; freed by the next one and after each test */

static inline int forget(void **state)
{
    (void)state;
    seqset_destroy(got.set);
    got = (outcome_t){0};
    return 0;
}

/* Make a file of its own under TMPDIR. @return its descriptor; its name is in path */
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
    char said_path[PATH_BYTES];
    int said = temp_file(said_path);
    int old_stderr = dup(STDERR_FILENO);
    ssize_t len;

    forget(NULL);
    dup2(said, STDERR_FILENO);
    got.st = fasta_read(path, &opts, &got.report, &got.set);
    dup2(old_stderr, STDERR_FILENO);
    close(old_stderr);
    len = pread(said, got.said, CAPTURE_BYTES - 1, 0);
    assert_true(len >= 0);
    close(said);
    unlink(said_path);
    assert_int_equal(got.st == ST_OK, got.set != NULL);
    if (got.st != ST_OK) { /* one line, no more */
        assert_non_null(strchr(got.said, '\n'));
        assert_string_equal(strchr(got.said, '\n'), "\n");
    }
}

static inline void assert_record(int64_t i, const char *name, const char *letters)
{
    assert_int_equal(got.st, ST_OK);
    assert_true(i < got.set->n);
    assert_string_equal(seqset_name(got.set, i), name);
    assert_int_equal(seqset_len(got.set, i), strlen(letters));
    for (int64_t k = 0; k < seqset_len(got.set, i); k++)
        assert_int_equal(alphabet_letter(seqset_letters(got.set, i)[k]), letters[k]);
}

static inline void assert_logged(const char *text)
{
    if (strstr(got.said, text) == NULL)
        fail_msg("'%s' is not in: %s", text, got.said);
}

static inline void assert_refused(const char *text)
{
    assert_int_equal(got.st, ST_EINPUT);
    assert_logged(text);
}

#endif
