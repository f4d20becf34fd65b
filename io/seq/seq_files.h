/*
 * seq_files.h - the files that sequences are read from, one after the other into one set,
 * and the samples of files.
 */
#pragma once

#include "io/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a command line gives: files, or a table of them. */
typedef struct {
    const char *const *paths; /* [n] "-" is stdin */
    int64_t n;
    const char *manifest; /* lines of sample TAB file; NULL: none */
    bool follow;          /* those of an earlier run: a single file is a sample, too */
} seq_inputs_t;

/* Files on a command line. */
enum { SEQ_INPUTS_MAX = 4096 };

/* Take the files of a command line. @param paths  borrowed; up to a NULL */
static inline void seq_inputs_take(seq_inputs_t *inputs, const char *const *paths)
{
    inputs->paths = paths;
    for (inputs->n = 0; paths[inputs->n] != NULL;)
        inputs->n++;
}

/* @return an error message if the options are invalid, else NULL */
const char *seq_inputs_misuse(const seq_inputs_t *inputs);

/* Zeroed: none. */
typedef struct {
    int64_t n;
    char **paths;   /* [n] "-" is stdin */
    char **samples; /* [n] the sample of each; NULL: not known */
    char *label;    /* in messages: the file, or the first one and how many others */
    int64_t *first; /* [n + 1] of each file the index of its first sequence in the set;
                     * NULL: they have not been read */
} seq_files_t;

/*
 * List the files that a command line gives.
 *
 * Each of several files is a sample, which has the name of the file without folder and
 * extension.  In a manifest a sample may have several files; its empty lines, lines that
 * start with '#', and the header of a manifest of QIIME 2 ("sample-id TAB
 * absolute-filepath") are skipped.
 *
 * @param inputs  without misuse
 * @param out     release with seq_files_free
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (two samples would have one name; the
 *         manifest has a file twice, or none)
 */
status_t seq_files_list(const seq_inputs_t *inputs, seq_files_t *out) MUST_CHECK;

/* @return the name of the sample that a file would be, or NULL (logged: no memory); the
 * caller frees it */
char *seq_files_sample(const char *path);

/* @return what stands for a set that was not read from files; it is not released */
static inline seq_files_t seq_files_named(const char *label)
{
    return (seq_files_t){.label = (char *)(uintptr_t)label};
}

/* @return the file of a sequence, for messages; of several, once they have been read
 * @param in_file  out: its index there */
const char *seq_files_find(const seq_files_t *files, int64_t i, int64_t *in_file);

/* Takes a zeroed one, too. */
void seq_files_free(seq_files_t *files);
