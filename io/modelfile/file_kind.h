/*
 * file_kind.h - which kind of ribogrid's HDF5 files a file is.
 */
#pragma once

#include "io/base/status.h"
#include "io/result/result_kind.h"

/* Every kind, in the order of docs/file-format.md: its table is NAME_kind; its printer,
 * in tools/, NAME_printer. */
#define FILE_KINDS(X)                      \
    X(FILE_OTU_GROUPS, otu_groups)         \
    X(FILE_GRAPH, csr_file)                \
    X(FILE_GRAPH_RESULT, graph_result)     \
    X(FILE_CLASS_MODEL, class_model)       \
    X(FILE_CLASS_RESULT, class_result)     \
    X(FILE_CNN_MODEL, cnn_model)           \
    X(FILE_ASV_RESULT, asv_result)         \
    X(FILE_CHIMERA_RESULT, chimera_result) \
    X(FILE_AUTOMATA, automata_file)        \
    X(FILE_MATCHES, match_file)            \
    X(FILE_CLADES, clades_file)            \
    X(FILE_IHIST, ihist_file)              \
    X(FILE_MESH, mesh_file)                \
    X(FILE_PROTEINS, protein_db)

#define FILE_KIND_NUMBER(kind, name) kind,
typedef enum {
    FILE_OF_ANOTHER_KIND, /* pairs; their reader knows what to say of foreign files */
    FILE_KINDS(FILE_KIND_NUMBER) FILE_N_KINDS
} file_kind_t;

/* The tables of each; NULL: of another kind. */
extern const result_kind_t *const file_kinds[FILE_N_KINDS];

/* Read the format that a file names.
 * @return ST_OK, or ST_EINPUT (logged: it cannot be opened, or is no HDF5 file) */
status_t file_kind_read(const char *path, file_kind_t *out) MUST_CHECK;
