/*
 * export_file.h - writing the pairs of a result file in the formats of other programs.
 *
 * Memory is that of the names and of a strip of rows, for any number of pairs.
 */
#pragma once

#include "io/export/export_hit.h"
#include "io/export/export_out.h"
#include "io/otu/otu_table.h"
#include "io/pairs/pairs_file.h"
#include "io/seq/seqset.h"

#include <stdio.h>

/* Clusters in the uc format: their centroids, their members with the
 * identity to the centroid, and their sizes. */

/*
 * Write the OTUs of a file's sequences: for each an S record, its representative, and an
 * H record per other member; then a C record per OTU.
 *
 * Identity and alignment of a member are those of its pair with the representative; '*'
 * where the file does not hold that pair, or holds no alignments.
 *
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t export_clusters_uc(const pairs_file_t *file, const otu_table_t *table,
                            FILE *to) MUST_CHECK;

/* Lines of fields that the user chooses, under vsearch's names.
 *
 * Names and values are those of vsearch 2.22 (Rognes et al. 2016,
 * doi:10.7717/peerj.2584), section Userfields of its manual; docs/exports.md lists them.
 */

enum { EXPORT_USEROUT_MAX = 128 };

typedef struct {
    int n;
    int field[EXPORT_USEROUT_MAX];
} export_fields_t;

/* The default: the fields of --blast6out. */
extern const char export_userout_default[];

/*
 * Read "query+target+id".
 *
 * @param bad  [*bad_len] the first word that is not a field, or the first field beyond
 *             EXPORT_USEROUT_MAX
 * @return whether all words are fields
 */
bool export_userout_parse(const char *text, export_fields_t *out, const char **bad,
                          int *bad_len);

/* @return the facts that the fields need, as bits of export_hit.h */
unsigned export_userout_facts(const export_fields_t *fields);

/* @return the name of the first field whose facts are not all known, or NULL */
const char *export_userout_lacking(const export_fields_t *fields, unsigned known);

/* The state of export_userout_write. */
typedef struct {
    const export_fields_t *fields;
    const export_names_t *names;
    const seqset_t *set; /* NULL: no field needs bases */
} export_userout_t;

status_t export_userout_write(void *userout, const export_hit_t *hit, FILE *out);

/* Formats of whole rows: phylip and npy.
 *
 * Only row < col is stored.  Rows are built in strips as high as a tile: the part right
 * of the diagonal comes from the strip's own tiles, the part left of it from the tiles
 * above, transposed.  So a square matrix reads each stored tile twice and a lower
 * triangle once; memory is one strip and two tiles. */

/* Written for a pair without an identity. */
#define EXPORT_MATRIX_MISSING "-1"

/*
 * Write distances, 1 - identity, as a relaxed PHYLIP matrix.
 *
 * @param file         dense, with identities
 * @param lower        write only the part left of the diagonal
 * @param strip_bytes  maximum memory of a strip; if the height of a tile does not fit,
 *                     strips are lower and tiles are read several times
 * @return ST_OK, ST_ENOMEM or ST_EIO
 */
status_t export_matrix_phylip(const pairs_file_t *file, const export_names_t *names,
                              bool lower, int64_t strip_bytes, FILE *out) MUST_CHECK;

/* Write identities as a square float32 matrix in numpy's file format 1.0. */
status_t export_matrix_npy(const pairs_file_t *file, int64_t strip_bytes,
                           FILE *out) MUST_CHECK;

/* Formats with one line per pair: blast6, uc, column, paf.
 *
 * docs/exports.md describes them. */

/* Digits after the point of a distance. */
enum { EXPORT_DISTANCE_DIGITS = 8 };

/* The state of the writers below, which are of type export_hit_fn_t. */
typedef struct {
    const pairs_file_t *file;
    const export_names_t *names;
    int64_t next_row; /* uc: the first row that is not written yet */
} export_lines_t;

status_t export_lines_blast6(void *lines, const export_hit_t *hit, FILE *out);
status_t export_lines_uc(void *lines, const export_hit_t *hit, FILE *out);
status_t export_lines_column(void *lines, const export_hit_t *hit, FILE *out);
status_t export_lines_paf(void *lines, const export_hit_t *hit, FILE *out);

/* uc: write the rows after the last hit. */
void export_lines_uc_end(export_lines_t *lines, FILE *out);

/* Write an alignment as vsearch's CIGAR: D is a base of the query against a gap, I one of
 * the target, and a run of one column has no number. */
void export_lines_caln(const export_hit_t *hit, FILE *out);

/* @return vsearch's letter for a run */
char export_lines_letter(uint32_t run);

typedef enum {
    EXPORT_BLAST6,
    EXPORT_USEROUT,
    EXPORT_UC,
    EXPORT_PHYLIP,
    EXPORT_COLUMN,
    EXPORT_PAF,
    EXPORT_NPY,
    EXPORT_FORMATS
} export_format_t;

extern const char *const export_format_name[EXPORT_FORMATS];

/* @return whether a format has whole rows, and therefore no cutoff and no sparse files */
static inline bool export_is_matrix(export_format_t format)
{
    return format == EXPORT_PHYLIP || format == EXPORT_NPY;
}

typedef struct {
    export_format_t format;
    export_pick_t pick;     /* not of phylip, npy */
    export_fields_t fields; /* userout: from export_userout_parse */
    bool lower;             /* phylip: only the part left of the diagonal */
    int64_t strip_bytes;    /* phylip, npy: maximum memory of a strip; 0: 256 MiB */
} export_spec_t;

typedef struct export_file export_file_t;

/*
 * Check that a file can be written in a format; warns if names have to be changed.
 *
 * @param file  borrowed until export_file_destroy
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t export_file_create(const pairs_file_t *file, const export_spec_t *spec,
                            export_file_t **out) MUST_CHECK;

/* Write the pairs. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT */
status_t export_file_write(export_file_t *export, FILE *to) MUST_CHECK;

/* Takes NULL. */
void export_file_destroy(export_file_t *export);

typedef struct {
    export_spec_t spec;
    bool has_order;     /* spec.pick.order was given; else it is the file's default */
    const char *pairs;  /* the result file */
    const char *output; /* NULL: stdout */
    bool force;
} export_request_t;

/* Open a result file and write its pairs as a whole file. @return ST_OK, ST_ENOMEM,
 * ST_EIO or ST_EINPUT */
status_t export_file_make(const export_request_t *request) MUST_CHECK;
