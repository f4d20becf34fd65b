/*
 * pairs_state.h - an open result file as the files of this room share it.
 */
#pragma once

#include "io/base/logmsg.h"
#include "io/hdf5/h5data.h"
#include "io/hdf5/h5text.h"
#include "io/hdf5/h5util.h"
#include "io/pairs/pairs_file.h"
#include "io/seq/alphabet.h"

typedef struct pairs_h5 {
    hid_t file;
    h5data_t *dataset[PAIRS_DATASETS_MAX];
    /* NULL without CIGARs; the latter may be /hits/cigar_offset */
    h5data_t *cigar, *cigar_offset;
    h5data_t *hit[PAIRS_HIT_DATASETS]; /* PAIRS_HIT_STRAND may be NULL */
} pairs_h5_t;

/* Log what is wrong with a file. @return ST_EINPUT */
status_t pairs_refuse(const char *path, const char *what, ...) PRINTF_LIKE(2, 3);

/* Read a text attribute of the root. @param out  yours; NULL: there is none
 * @return ST_OK or ST_EINPUT (it is no text) */
status_t pairs_read_text(const pairs_file_t *f, const char *name, char **out) MUST_CHECK;

/*
 * Read names and lengths of a group.
 *
 * @param n  the number of sequences that it must have, or -1: any
 * @return ST_OK or ST_EINPUT
 */
status_t pairs_read_side(const pairs_file_t *f, const char *group, int64_t n,
                         pairs_side_t *out) MUST_CHECK;

/* Open /cigar with a large cache. @return it, or NULL (logged) */
h5data_t *pairs_open_text(const pairs_file_t *f);

/* pairs_open_hits.c: opening /hits and /references of a file of hits. */

/* Open the datasets of a file of hits; pairs_close closes them, also after a failure.
 * @return ST_OK or ST_EINPUT */
status_t pairs_open_hits(pairs_file_t *f) MUST_CHECK;
