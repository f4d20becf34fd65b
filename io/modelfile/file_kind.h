/*
 * file_kind.h - which kind of ribogrid's HDF5 files a file is.
 */
#ifndef RIBOGRID_IO_MODELFILE_FILE_KIND_H
#define RIBOGRID_IO_MODELFILE_FILE_KIND_H

#include "io/base/status.h"
#include "io/result/result_kind.h"

typedef enum {
    FILE_OF_ANOTHER_KIND, /* pairs; their reader knows what to say of foreign files */
    FILE_OTU_GROUPS,
    FILE_GRAPH,
    FILE_GRAPH_RESULT,
    FILE_CLASS_MODEL,
    FILE_CLASS_RESULT,
    FILE_CNN_MODEL,
    FILE_N_KINDS
} file_kind_t;

/* The tables of each; NULL: of another kind. */
extern const result_kind_t *const file_kinds[FILE_N_KINDS];

/* Read the format that a file names.
 * @return ST_OK, or ST_EINPUT (logged: it cannot be opened, or is no HDF5 file) */
status_t file_kind_read(const char *path, file_kind_t *out) MUST_CHECK;

#endif
