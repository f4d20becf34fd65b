/*
 * result_table.h - writes and reads what a table describes.
 */
#pragma once

#include "io/base/logmsg.h"
#include "io/base/pool.h"
#include "io/hdf5/h5data.h"
#include "io/hdf5/h5stream.h"
#include "io/result/result_kind.h"
#include "io/result/run_info.h"
#include "io/seq/alphabet.h"

#include <hdf5.h>

/* ---- writing ---- */

/*
 * Write the fields of an object; groups are created on demand.
 *
 * @param n     [RESULT_DIMS_MAX] sizes of the dimensions; NULL: all arrays are in the
 *              object's description, which counts them
 * @param pool  threads that compress, or NULL
 * @return whether it succeeded
 */
bool result_write(hid_t file, const result_field_t *fields, const void *object,
                  const int64_t *n, pool_t *pool);

/* Begin a dataset of numbers whose values are appended later, in pieces (h5stream.h).
 * @return whether it succeeded; if not, call h5stream_end all the same */
bool result_stream_begin(hid_t file, const result_field_t *field, pool_t *pool,
                         h5stream_t *out);

/* Write the format and its version. @return whether it succeeded */
bool result_write_format(hid_t file, const result_kind_t *kind);

/* ---- reading ---- */

typedef struct {
    const result_kind_t *kind;
    const char *path; /* borrowed */
    hid_t file;
    int64_t version;            /* major */
    int64_t n[RESULT_DIMS_MAX]; /* sizes of the dimensions; -1: not known yet */
} result_reader_t;

/* Open a file and check its format.
 * @return ST_OK or ST_EINPUT (logged), after which nothing has to be closed */
status_t result_read_open(const char *path, const result_kind_t *kind,
                          result_reader_t *out) MUST_CHECK;

/*
 * Read the fields of an object, and check them.
 *
 * The size of a dimension is that of the first dataset that has it.
 *
 * @param object  its members are zeroed; what was read before an error is freed by
 *                the caller, by result_free or otherwise
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t result_read(result_reader_t *r, const result_field_t *fields,
                     void *object) MUST_CHECK;

/* Open a dataset of numbers, of one dimension, that is read in pieces.
 * @param out  NULL: it is optional, and absent; closed by h5data_close
 * @return as result_read */
status_t result_open_pieces(result_reader_t *r, const result_field_t *f,
                            h5data_t **out) MUST_CHECK;

/* Read n values from number `first` on, which exist, and check them: the check is
 * RESULT_WITHIN or RESULT_INDEX. */
status_t result_read_piece(const result_reader_t *r, const result_field_t *f,
                           h5data_t *data, int64_t first, int64_t n,
                           void *out) MUST_CHECK;

void result_read_close(result_reader_t *r);

/* Log why the file is refused: "PATH: REASON; give a file that `MAKER` wrote".
 * @return ST_EINPUT */
status_t result_refuse(const result_reader_t *r, const char *reason, ...)
    PRINTF_LIKE(2, 3);

/* Free the texts and arrays of an object that was read, and set them to NULL. */
void result_free(const result_field_t *fields, void *object);

/* What the writer and the reader of tables share: types, and where a
 * field is in a file. */

enum { RESULT_NAME_BYTES = 64 };

/* Where an attribute or a dataset is: "/run@seconds" is `seconds` of the group "/run". */
typedef struct {
    char group[RESULT_NAME_BYTES]; /* "/": the root */
    char name[RESULT_NAME_BYTES];
    bool is_attribute;
} result_place_t;

/* Set the place of name k: of the field's own name (0), then of its old ones.
 * @return whether there is one */
bool result_field_place(const result_field_t *f, int k, result_place_t *out);

/* @return the type, which may be the row's */
result_type_t result_field_type(const result_field_t *f);

static inline bool result_field_is_attribute(const result_field_t *f)
{
    return f->type != RESULT_OF_ARRAYS && f->type <= RESULT_FRACTION;
}

/* @return that of letters */
static inline alphabet_t result_field_alphabet(const result_field_t *f)
{
    return f->type == RESULT_RESIDUES ? ALPHABET_PROTEIN : ALPHABET_DNA;
}

static inline int result_field_rank(const result_field_t *f)
{
    return f->shape[1] != 0 ? 2 : 1;
}

/* @return the type of numbers in memory, or in the file */
hid_t result_field_memory_type(result_type_t type);
hid_t result_field_file_type(result_type_t type);

/* @return the member of an object */
static inline void *result_field_member(const result_field_t *f, const void *object)
{
    return (char *)(uintptr_t)object + f->at;
}

/* Writes and reads /run. */

/* Members of run_info_t but for its stages, which are attributes "seconds_NAME". */
extern const result_field_t run_info_fields[];

/* @return whether it succeeded */
bool run_info_write(hid_t file, const run_info_t *run);

/* Read /run; names of earlier versions are known, too.
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (logged) */
status_t run_info_read(result_reader_t *r, run_info_t *out) MUST_CHECK;

/* Print /run of an open file, as run_info_print does. */
status_t run_info_print_open(hid_t file, FILE *to) MUST_CHECK;
