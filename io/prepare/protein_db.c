/*
 * protein_db.c - writes and reads databases of proteins.
 */
#include "io/prepare/protein_db.h"

#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/hdf5/h5check.h"
#include "io/hdf5/h5util.h"
#include "io/result/result_table.h"
#include "io/seq/alphabet.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROTEINS = 1, RESIDUES };
enum { DIGEST_BYTES = 17 };

static const result_dim_t dims[RESULT_DIMS_MAX] = {
    [PROTEINS] = {"n", "a protein", "proteins", INT32_MAX},
    [RESIDUES] = {"m", "a residue", "residues", 0},
};

/* The root's attributes. */
typedef struct {
    char *mask, *digest;
} head_t;

static const result_field_t head_fields[] = {
    {.name = "@mask",
     .type = RESULT_TEXT,
     .at = offsetof(head_t, mask),
     .meaning = "`db`, `seg` or `none`: which regions of low complexity are X"},
    {.name = "@digest",
     .type = RESULT_TEXT,
     .at = offsetof(head_t, digest),
     .meaning = "of residues, offsets and names, which readers compare"},
    {.name = NULL},
};

static const result_field_t set_fields[] = {
    {.name = "/proteins/name",
     .type = RESULT_NAMES,
     .at = offsetof(seqset_t, names),
     .at_offset = offsetof(seqset_t, name_offset),
     .shape = {PROTEINS},
     .meaning = "names, in the order of the FASTA file"},
    {.name = "/proteins/offset",
     .arrays = &seqset_arrays,
     .at = offsetof(seqset_t, offset),
     .shape = {PROTEINS},
     .plus = 1,
     .check = {RESULT_DIVIDES, 0, 0, RESIDUES},
     .meaning = "protein i is `residues[offset[i]:offset[i+1]]`"},
    {.name = "/proteins/residues",
     .type = RESULT_RESIDUES,
     .at = offsetof(seqset_t, letters),
     .shape = {RESIDUES},
     .meaning = "all proteins end to end, in ASCII; masked residues are X"},
    {.name = NULL},
};

const result_kind_t protein_db_kind = {
    .title = "Databases of proteins",
    .maker = "ribogrid search build",
    .format = "ribogrid-proteins",
    .major = 1,
    .minor = 0,
    .what = "a database of `ribogrid search build`",
    .dims = dims,
    .tables = {head_fields, set_fields},
};

static void spell_digest(const seqset_t *set, char out[DIGEST_BYTES])
{
    const uint64_t digest =
        digest_add(seqset_digest(set), set->names, (size_t)set->name_offset[set->n]);

    snprintf(out, DIGEST_BYTES, "%016" PRIx64, digest);
}

status_t protein_db_write(const char *path, bool force, const protein_db_t *db,
                          const run_info_t *run, pool_t *pool)
{
    const seqset_t *set = db->set;
    const int64_t n[RESULT_DIMS_MAX] = {
        [PROTEINS] = set->n, [RESIDUES] = set->offset[set->n]};
    char digest[DIGEST_BYTES];
    const head_t head = {(char *)(uintptr_t)mask_name[db->mask], digest};
    h5whole_t to;
    status_t st = h5whole_open(path, force, &to);

    if (st != ST_OK)
        return st;
    spell_digest(set, digest);
    st = h5whole_check(&to, result_write_format(to.file, &protein_db_kind) &&
                                run_info_write(to.file, run) &&
                                result_write(to.file, head_fields, &head, n, pool) &&
                                result_write(to.file, set_fields, set, n, pool));
    return h5whole_close(&to, st);
}

/* ---- reading ---- */

bool protein_db_is_hdf5(const char *path)
{
    return h5check_is_hdf5(path);
}

static status_t take_mask(const result_reader_t *r, const char *name, mask_t *out)
{
    for (size_t k = 0; k < sizeof(mask_name) / sizeof(mask_name[0]); k++)
        if (strcmp(name, mask_name[k]) == 0) {
            *out = (mask_t)k;
            return ST_OK;
        }
    return result_refuse(r, "its masks '%.32s' are unknown", name);
}

/* FASTA has no empty proteins, and none that are longer. */
static status_t check_lengths(const result_reader_t *r, const seqset_t *set)
{
    for (int64_t i = 0; i < set->n; i++)
        if (seqset_len(set, i) < 1 || seqset_len(set, i) > INT32_MAX)
            return result_refuse(r, "protein %" PRId64 " has %" PRId64 " residues", i + 1,
                                 seqset_len(set, i));
    return ST_OK;
}

static status_t read_set(result_reader_t *r, const char *digest, seqset_t **out)
{
    char found[DIGEST_BYTES];
    status_t st;

    if ((*out = calloc(1, sizeof(**out))) == NULL)
        return log_nomem("a database");
    (*out)->alphabet = ALPHABET_PROTEIN;
    if ((st = result_read(r, set_fields, *out)) != ST_OK)
        return st;
    (*out)->n = r->n[PROTEINS];
    if ((st = check_lengths(r, *out)) != ST_OK)
        return st;
    spell_digest(*out, found);
    return strcmp(digest, found) == 0
               ? ST_OK
               : result_refuse(r, "its proteins are not those that were written");
}

status_t protein_db_read(const char *path, protein_db_t *out)
{
    head_t head = {.mask = NULL};
    result_reader_t r;
    status_t st = result_read_open(path, &protein_db_kind, &r);

    *out = (protein_db_t){.set = NULL};
    if (st != ST_OK)
        return st;
    if ((st = result_read(&r, head_fields, &head)) == ST_OK &&
        (st = take_mask(&r, head.mask, &out->mask)) == ST_OK)
        st = read_set(&r, head.digest, &out->set);
    result_free(head_fields, &head);
    result_read_close(&r);
    if (st != ST_OK)
        protein_db_free(out);
    return st;
}

/* ---- in memory ---- */

_Static_assert(sizeof(mask_t) == sizeof(int32_t), "travels as one");

static bool is_valid(const void *object)
{
    return ((const protein_db_t *)object)->mask <= MASK_DB;
}

static const array_t rows[] = {ARRAY_POINTER(protein_db_t, set, &seqset_arrays),
                               ARRAY_VALUE(protein_db_t, mask, ARRAY_INT32), ARRAYS_END};

const arrays_t protein_db_arrays = {"a database", sizeof(protein_db_t), rows, is_valid};

void protein_db_free(protein_db_t *db)
{
    arrays_free(&protein_db_arrays, db);
}

int64_t protein_db_count_x(const protein_db_t *db)
{
    const uint8_t x = alphabet_code(ALPHABET_PROTEIN, 'X');
    int64_t n = 0;

    for (int64_t k = 0; k < db->set->offset[db->set->n]; k++)
        n += db->set->letters[k] == x;
    return n;
}
