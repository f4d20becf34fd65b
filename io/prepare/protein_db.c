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
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROTEINS = 1, RESIDUES, BLOCKS };
enum { DIGEST_BYTES = 17 };

/* Places in files are less. */
#define PLACE_MAX (INT64_MAX / 2)

static const result_dim_t dims[RESULT_DIMS_MAX] = {
    [PROTEINS] = {"n", "a protein", "proteins", INT32_MAX},
    [RESIDUES] = {"m", "a residue", "residues", 0},
    [BLOCKS] = {"b", "a block", "blocks", 0},
};

/* The root's attributes. */
typedef struct {
    char *mask, *letters, *sequences, *digest;
} head_t;

static const result_field_t head_fields[] = {
    {.name = "@mask",
     .type = RESULT_TEXT,
     .at = offsetof(head_t, mask),
     .meaning = "`db`, `seg` or `none`: which regions of low complexity are X"},
    {.name = "@letters",
     .type = RESULT_TEXT,
     .at = offsetof(head_t, letters),
     .meaning = "those that there are"},
    {.name = "@sequences",
     .type = RESULT_TEXT,
     .at = offsetof(head_t, sequences),
     .meaning = "digest of the proteins, as in the job of a search"},
    {.name = "@digest",
     .type = RESULT_TEXT,
     .at = offsetof(head_t, digest),
     .meaning = "of all that a search reads but the residues, which readers compare"},
    {.name = NULL},
};

static const result_field_t db_fields[] = {
    {.name = "@x",
     .type = RESULT_INT,
     .at = offsetof(protein_db_t, n_x),
     .check = {RESULT_WITHIN, 0, INFINITY, 0},
     .meaning = "residues that are X"},
    {.name = "/blocks/digest",
     .type = RESULT_INT64,
     .at = offsetof(protein_db_t, block_digest),
     .shape = {BLOCKS},
     .meaning = "of the residues of each block: a block ends with the protein with which "
                "it has 262,144 residues"},
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
    {.name = NULL},
};

/* Written and read block by block. */
#define RESIDUES_NAME "/proteins/residues"
static const result_field_t residue_fields[] = {
    {.name = RESIDUES_NAME,
     .type = RESULT_RESIDUES,
     .shape = {RESIDUES},
     .meaning = "all proteins end to end, in ASCII; masked residues are X. They are "
                "contiguous, neither in chunks nor compressed"},
    {.name = NULL},
};

const result_kind_t protein_db_kind = {
    .title = "Databases of proteins",
    .maker = "ribogrid search build",
    .format = "ribogrid-proteins",
    .major = 2,
    .minor = 0,
    .oldest = 2,
    .what = "a database of `ribogrid search build`",
    .dims = dims,
    .tables = {head_fields, db_fields, set_fields, residue_fields},
};

int64_t *protein_db_blocks(const seqset_t *set, int64_t *n)
{
    int64_t *first =
        malloc(((size_t)(set->offset[set->n] / PROTEIN_BLOCK) + 2) * sizeof(*first));

    if (first == NULL)
        return NULL;
    *n = 0;
    first[0] = 0;
    for (int64_t i = 1; i <= set->n; i++)
        if (i == set->n ||
            set->offset[i] - set->offset[first[*n]] >= (int64_t)PROTEIN_BLOCK)
            first[++*n] = i;
    return first;
}

static void spell_digest(uint64_t digest, char out[DIGEST_BYTES])
{
    snprintf(out, DIGEST_BYTES, "%016" PRIx64, digest);
}

/* @return the digest of the file but for its residues */
static uint64_t digest_of(const protein_db_t *db)
{
    const seqset_t *set = db->set;
    const int64_t values[] = {db->mask, db->n_x, db->letters, db->digest};
    uint64_t digest = arrays_digest(&seqset_index_arrays, DIGEST_START, set);

    digest = digest_add(digest, values, sizeof(values));
    return digest_add(digest, db->block_digest,
                      (size_t)db->n_blocks * sizeof(*db->block_digest));
}

/* ---- writing ---- */

/* Write the residues of a block. @param to  scratch */
static bool put_block(hid_t data, hid_t space, const seqset_t *set, int64_t first,
                      int64_t end, uint8_t *to)
{
    const hsize_t at = (hsize_t)set->offset[first];
    const hsize_t n = (hsize_t)set->offset[end] - at;
    const hid_t from = H5Screate_simple(1, &n, NULL);
    bool good;

    for (hsize_t k = 0; k < n; k++)
        to[k] = (uint8_t)alphabet_letter(ALPHABET_PROTEIN, set->letters[at + k]);
    good = H5Sselect_hyperslab(space, H5S_SELECT_SET, &at, NULL, &n, NULL) >= 0 &&
           H5Dwrite(data, H5T_NATIVE_UINT8, from, space, H5P_DEFAULT, to) >= 0;
    H5Sclose(from);
    return good;
}

/* Write all residues, and set the digests of their blocks.
 * @param first  [db->n_blocks + 1] */
static bool put_residues(hid_t file, const seqset_t *set, const int64_t *first,
                         protein_db_t *db)
{
    const h5util_shape_t shape = {.rank = 1, .size = {(hsize_t)set->offset[set->n]}};
    const hid_t data = h5util_create(file, RESIDUES_NAME, H5T_STD_U8LE, &shape);
    const hid_t space = data >= 0 ? H5Dget_space(data) : data;
    uint8_t *letters = malloc((size_t)seqset_max_len(set) + PROTEIN_BLOCK);
    bool good = data >= 0 && letters != NULL;

    for (int64_t k = 0; good && k < db->n_blocks; k++) {
        const int64_t n = set->offset[first[k + 1]] - set->offset[first[k]];

        good = put_block(data, space, set, first[k], first[k + 1], letters);
        db->block_digest[k] = (int64_t)digest_add(DIGEST_START, letters, (size_t)n);
    }
    free(letters);
    if (space >= 0)
        H5Sclose(space);
    return h5util_close(data, good);
}

static bool put_all(hid_t file, const seqset_t *set, const int64_t *first,
                    protein_db_t *db, pool_t *pool)
{
    const int64_t n[RESULT_DIMS_MAX] = {[PROTEINS] = set->n, [BLOCKS] = db->n_blocks};
    char digest[DIGEST_BYTES], sequences[DIGEST_BYTES], letters[PROTEIN_SIZE + 1] = "";
    const head_t head = {(char *)(uintptr_t)mask_name[db->mask], letters, sequences,
                         digest};

    for (int code = 1; code < PROTEIN_SIZE; code++)
        if ((db->letters >> code & 1) != 0)
            letters[strlen(letters)] = alphabet_letter(ALPHABET_PROTEIN, (uint8_t)code);
    if (!result_write(file, set_fields, set, n, pool) ||
        !put_residues(file, set, first, db))
        return false;
    spell_digest((uint64_t)db->digest, sequences);
    spell_digest(digest_of(db), digest);
    return result_write(file, head_fields, &head, n, pool) &&
           result_write(file, db_fields, db, n, pool);
}

static void count_letters(const seqset_t *set, protein_db_t *db)
{
    const int64_t n = set->offset[set->n];

    db->n_x = db->letters = 0;
    for (int64_t k = 0; k < n; k++) {
        db->letters |= INT64_C(1) << set->letters[k];
        db->n_x += set->letters[k] == CODE_X;
    }
}

status_t protein_db_write(const char *path, bool force, const seqset_t *set, mask_t mask,
                          const run_info_t *run, pool_t *pool)
{
    protein_db_t db = {.set = (seqset_t *)(uintptr_t)set,
                       .mask = mask,
                       .digest = (int64_t)seqset_digest(set)};
    int64_t *first = protein_db_blocks(set, &db.n_blocks);
    h5whole_t to;
    status_t st;

    db.block_digest = calloc((size_t)db.n_blocks + 1, sizeof(*db.block_digest));
    if (first == NULL || db.block_digest == NULL) {
        st = log_nomem("a database");
    } else if ((st = h5whole_open(path, force, &to)) == ST_OK) {
        count_letters(set, &db);
        st = h5whole_check(&to, result_write_format(to.file, &protein_db_kind) &&
                                    run_info_write(to.file, run) &&
                                    put_all(to.file, set, first, &db, pool));
        st = h5whole_close(&to, st);
    }
    free(first);
    free(db.block_digest);
    return st;
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

/* Find where the residues are in the file, and how many there are. */
static status_t find_residues(result_reader_t *r, int64_t *place)
{
    const h5check_want_t want = {.rank = 1, .memory_type = H5T_NATIVE_UINT8};
    h5check_storage_t storage = {.is_chunked = false};
    const hid_t data = h5check_open_dataset(r->file, RESIDUES_NAME, &want, &storage);
    haddr_t at;

    if (data < 0)
        return ST_EINPUT;
    at = storage.is_chunked ? HADDR_UNDEF : H5Dget_offset(data);
    H5Dclose(data);
    r->n[RESIDUES] = (int64_t)storage.size[0];
    *place = storage.size[0] > 0 ? (int64_t)at : 0;
    return *place < 0 || *place > PLACE_MAX /* HDF5 has none: chunks */
               ? result_refuse(r, "%s is not contiguous", RESIDUES_NAME)
               : ST_OK;
}

static status_t check_digest(const result_reader_t *r, const char *text,
                             const protein_db_t *db)
{
    char found[DIGEST_BYTES];

    spell_digest(digest_of(db), found);
    return strcmp(text, found) == 0
               ? ST_OK
               : result_refuse(r, "its proteins are not those that were written");
}

static status_t read_set(result_reader_t *r, protein_db_t *db)
{
    int64_t *first, n_blocks;
    status_t st;

    if ((db->set = calloc(1, sizeof(*db->set))) == NULL)
        return log_nomem("a database");
    db->set->alphabet = ALPHABET_PROTEIN;
    if ((st = find_residues(r, &db->place)) != ST_OK ||
        (st = result_read(r, set_fields, db->set)) != ST_OK)
        return st;
    db->set->n = r->n[PROTEINS];
    if ((st = check_lengths(r, db->set)) != ST_OK)
        return st;
    if ((first = protein_db_blocks(db->set, &n_blocks)) == NULL)
        return log_nomem("a database");
    free(first);
    r->n[BLOCKS] = db->n_blocks = n_blocks;
    return result_read(r, db_fields, db);
}

/* Take the attributes that are texts. */
static status_t take_head(const result_reader_t *r, const head_t *head, protein_db_t *db)
{
    char *end;

    for (const char *p = head->letters; *p != '\0'; p++) {
        const uint8_t code = alphabet_code(ALPHABET_PROTEIN, (unsigned char)*p);

        if (code == CODE_NONE)
            return result_refuse(r, "its attribute letters has other letters");
        db->letters |= INT64_C(1) << code;
    }
    db->digest = (int64_t)strtoull(head->sequences, &end, 16);
    return take_mask(r, head->mask, &db->mask);
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
        (st = take_head(&r, &head, out)) == ST_OK && (st = read_set(&r, out)) == ST_OK)
        st = check_digest(&r, head.digest, out);
    result_free(head_fields, &head);
    result_read_close(&r);
    if (st != ST_OK)
        protein_db_free(out);
    return st;
}

/* ---- in memory ---- */

_Static_assert(sizeof(mask_t) == sizeof(int32_t), "travels as one");

ARRAY_COUNT(n_blocks_of, protein_db_t, o->n_blocks)

static bool is_valid(const void *object)
{
    const protein_db_t *db = object;

    return db->mask <= MASK_TANTAN && db->n_blocks >= 0 && db->place >= 0 &&
           db->place <= PLACE_MAX;
}

static const array_t rows[] = {ARRAY_POINTER(protein_db_t, set, &seqset_index_arrays),
                               ARRAY_VALUE(protein_db_t, mask, ARRAY_INT32),
                               ARRAY_VALUE(protein_db_t, n_x, ARRAY_INT64),
                               ARRAY_VALUE(protein_db_t, letters, ARRAY_INT64),
                               ARRAY_VALUE(protein_db_t, digest, ARRAY_INT64),
                               ARRAY_VALUE(protein_db_t, place, ARRAY_INT64),
                               ARRAY_VALUE(protein_db_t, n_blocks, ARRAY_INT64),
                               ARRAY_OF(protein_db_t, block_digest, ARRAY_INT64,
                                        n_blocks_of),
                               ARRAYS_END};

const arrays_t protein_db_arrays = {"a database", sizeof(protein_db_t), rows, is_valid};

void protein_db_free(protein_db_t *db)
{
    arrays_free(&protein_db_arrays, db);
}
