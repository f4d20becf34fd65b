/*
 * primer_pair.h - pairs of primers: by name, by their bases, or from a file of pairs.
 */
#pragma once

#include "io/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PRIMER_LEN_MAX = 64 };

/* A primer as it was synthesized, 5' to 3'. */
typedef struct {
    uint8_t codes[PRIMER_LEN_MAX]; /* of DNA */
    int len;
} primer_t;

typedef struct {
    primer_t forward, reverse;
} primer_pair_t;

/* @return the primer as the other strand has it */
primer_t primer_reverse_complement(const primer_t *primer);

/*
 * Parse two primers, each 5' to 3': "515F/806R", by the names of docs/before.md, or
 * "GTGYCAGCMGCCGCGGTAA/GGACTACNVGGGTWTCTAAT".
 *
 * @return whether it is valid
 */
bool primer_pair_parse(const char *text, primer_pair_t *out);

/* @return NULL, or what is wrong with two primers; valid until the thread's next call */
const char *primer_pair_misuse(const char *text);

/* ---- several pairs ---- */

enum { PRIMER_PANEL_MAX = 1024 };

/* Zeroed: none. */
typedef struct {
    int64_t n;
    primer_pair_t *pairs; /* [n] */
    char **names;         /* [n] distinct */
} primer_panel_t;

/* Make a panel of one pair. @param text  without misuse; its name
 * @return ST_OK or ST_ENOMEM (logged) */
status_t primer_panel_of_pair(const char *text, primer_panel_t *out) MUST_CHECK;

/*
 * Read a file of pairs: lines of name TAB forward TAB reverse, each primer by its name or
 * its bases.  Empty lines and lines that start with '#' are skipped.
 *
 * @param path  a file, or "-" for stdin
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged, with file and line)
 */
status_t primer_panel_read(const char *path, primer_panel_t *out) MUST_CHECK;

/* Takes a zeroed one, too. */
void primer_panel_free(primer_panel_t *panel);
