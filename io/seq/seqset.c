/*
 * seqset.c - builds, filters and digests sequence sets.
 */
#include "io/seq/seqset.h"

#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/seq/alphabet.h"

#include <stdlib.h>
#include <string.h>

int64_t seqset_max_len(const seqset_t *set)
{
    int64_t max = 0;

    for (int64_t i = 0; i < set->n; i++)
        if (seqset_len(set, i) > max)
            max = seqset_len(set, i);
    return max;
}

status_t seqset_builder_add(seqset_builder_t *b, const char *name, size_t name_len,
                            const uint8_t *letters, size_t len)
{
    int64_t start = (int64_t)b->letters.len;
    int64_t name_start = (int64_t)b->names.len;
    status_t st;

    if ((st = buf_append(&b->offsets, &start, sizeof(start))) != ST_OK ||
        (st = buf_append(&b->name_offsets, &name_start, sizeof(name_start))) != ST_OK ||
        (st = buf_append(&b->letters, letters, len)) != ST_OK ||
        (st = buf_append(&b->names, name, name_len)) != ST_OK ||
        (st = buf_append(&b->names, "", 1)) != ST_OK)
        return st;
    b->n++;
    return ST_OK;
}

/* Letters of several builders on their way into one. */
typedef struct {
    unsigned char *to; /* behind those that it has */
    const seqset_builder_t *const *from;
} joining_t;

static void copy_letters(void *ctx, int64_t k, int thread)
{
    const joining_t *j = ctx;
    size_t at = 0;

    (void)thread;
    for (int64_t i = 0; i < k; i++)
        at += j->from[i]->letters.len;
    if (j->from[k]->letters.len > 0)
        memcpy(j->to + at, j->from[k]->letters.data, j->from[k]->letters.len);
}

/* Append offsets, which count from `base` on. */
static status_t append_offsets(buf_t *to, const buf_t *from, int64_t base)
{
    const size_t n = from->len / sizeof(base);
    status_t st = buf_reserve(to, from->len);

    for (size_t i = 0; st == ST_OK && i < n; i++) {
        int64_t offset;

        memcpy(&offset, from->data + i * sizeof(offset), sizeof(offset));
        offset += base;
        st = buf_append(to, &offset, sizeof(offset));
    }
    return st;
}

status_t seqset_builder_join(seqset_builder_t *b, const seqset_builder_t *const *from,
                             int n, pool_t *pool)
{
    size_t n_letters = 0;
    status_t st;

    for (int k = 0; k < n; k++)
        n_letters += from[k]->letters.len;
    if ((st = buf_reserve(&b->letters, n_letters)) != ST_OK)
        return st;
    pool_run(pool, n, copy_letters, &(joining_t){b->letters.data + b->letters.len, from});
    for (int k = 0; st == ST_OK && k < n; k++) {
        if ((st = append_offsets(&b->offsets, &from[k]->offsets,
                                 (int64_t)b->letters.len)) != ST_OK ||
            (st = append_offsets(&b->name_offsets, &from[k]->name_offsets,
                                 (int64_t)b->names.len)) != ST_OK)
            break;
        st = buf_append(&b->names, from[k]->names.data, from[k]->names.len);
        b->letters.len += from[k]->letters.len;
        b->n += from[k]->n;
    }
    return st;
}

void seqset_builder_clear(seqset_builder_t *b)
{
    b->letters.len = b->names.len = b->offsets.len = b->name_offsets.len = 0;
    b->n = 0;
}

/* Take the memory out of a buffer, shrunk to its contents. @return NULL: out of memory */
static void *take(buf_t *buf)
{
    void *data = realloc(buf->data, buf->len > 0 ? buf->len : 1);

    if (data != NULL)
        *buf = (buf_t){0};
    return data;
}

status_t seqset_builder_finish(seqset_builder_t *b, seqset_t **out)
{
    int64_t end = (int64_t)b->letters.len;
    int64_t name_end = (int64_t)b->names.len;
    status_t st;
    seqset_t *set;

    if ((st = buf_append(&b->offsets, &end, sizeof(end))) != ST_OK ||
        (st = buf_append(&b->name_offsets, &name_end, sizeof(name_end))) != ST_OK)
        return st;
    if ((set = calloc(1, sizeof(*set))) == NULL)
        return log_nomem("the sequences");
    set->alphabet = b->alphabet;
    set->n = b->n;
    set->letters = take(&b->letters);
    set->offset = take(&b->offsets);
    set->names = take(&b->names);
    set->name_offset = take(&b->name_offsets);
    b->n = 0;
    if (set->letters == NULL || set->offset == NULL || set->names == NULL ||
        set->name_offset == NULL) {
        seqset_destroy(set);
        return log_nomem("the sequences");
    }
    *out = set;
    return ST_OK;
}

void seqset_builder_free(seqset_builder_t *b)
{
    buf_free(&b->letters);
    buf_free(&b->names);
    buf_free(&b->offsets);
    buf_free(&b->name_offsets);
    b->n = 0;
}

status_t seqset_create(int64_t n, int64_t n_letters, int64_t names_bytes, seqset_t **out)
{
    seqset_t *set = calloc(1, sizeof(*set));

    if (set == NULL)
        return log_nomem("the sequences");
    set->n = n;
    set->letters = malloc((size_t)n_letters + 1);
    set->offset = calloc((size_t)n + 1, sizeof(*set->offset));
    set->names = malloc((size_t)names_bytes + 1);
    set->name_offset = calloc((size_t)n + 1, sizeof(*set->name_offset));
    if (set->letters == NULL || set->offset == NULL || set->names == NULL ||
        set->name_offset == NULL) {
        seqset_destroy(set);
        return log_nomem("the sequences");
    }
    *out = set;
    return ST_OK;
}

/* Move the bytes and offsets of the kept elements to the front. */
static void keep_bytes(void *data, int64_t *offset, const int32_t *kept, int64_t n_kept)
{
    char *bytes = data;
    int64_t end = 0;

    for (int64_t i = 0; i < n_kept; i++) {
        int64_t from = offset[kept[i]], len = offset[kept[i] + 1] - from;

        memmove(bytes + end, bytes + from, (size_t)len);
        offset[i] = end; /* i <= kept[i], so later offsets are still intact */
        end += len;
    }
    offset[n_kept] = end;
}

void seqset_keep(seqset_t *set, const int32_t *kept, int64_t n_kept)
{
    keep_bytes(set->letters, set->offset, kept, n_kept);
    keep_bytes(set->names, set->name_offset, kept, n_kept);
    set->n = n_kept;
}

ARRAY_COUNT(n_offsets, seqset_t, o->n + 1)
ARRAY_COUNT(n_letters, seqset_t, o->offset[o->n])
ARRAY_COUNT(names_bytes, seqset_t, o->name_offset[o->n])

static bool is_valid(const void *set)
{
    return ((const seqset_t *)set)->n >= 0 && ((const seqset_t *)set)->n < INT64_MAX;
}

/* What code relies on in a set from elsewhere: offsets divide, letters are codes of the
 * alphabet, and names end. */

static bool offsets_divide(const void *object)
{
    const seqset_t *set = object;

    return arrays_divide(set->offset, set->n, set->offset[set->n]);
}

static bool name_offsets_divide(const void *object)
{
    const seqset_t *set = object;

    return arrays_divide(set->name_offset, set->n, set->name_offset[set->n]);
}

static bool letters_are_codes(const void *object)
{
    const seqset_t *set = object;
    const int64_t n = set->offset[set->n];
    int highest = 0;

    for (int64_t k = 0; k < n; k++)
        highest = set->letters[k] > highest ? set->letters[k] : highest;
    return (set->alphabet == ALPHABET_DNA || set->alphabet == ALPHABET_PROTEIN) &&
           highest < alphabet_size(set->alphabet);
}

static bool names_end(const void *object)
{
    const seqset_t *set = object;

    for (int64_t i = 0; i < set->n; i++)
        if (set->name_offset[i] == set->name_offset[i + 1] ||
            set->names[set->name_offset[i + 1] - 1] != '\0')
            return false;
    return true;
}

_Static_assert(sizeof(alphabet_t) == sizeof(int32_t), "travels as one");

#define ROWS_BEFORE_LETTERS                                                              \
    ARRAY_VALUE(seqset_t, alphabet, ARRAY_INT32, .has_no_digest = true),                 \
        ARRAY_VALUE(seqset_t, n, ARRAY_INT64),                                           \
        ARRAY_OF(seqset_t, offset, ARRAY_INT64, n_offsets, .has_sense = offsets_divide), \
        ARRAY_OF(seqset_t, name_offset, ARRAY_INT64, n_offsets, .has_no_digest = true,   \
                 .has_sense = name_offsets_divide)
#define ROW_OF_NAMES \
    ARRAY_OF(seqset_t, names, ARRAY_BYTES, names_bytes, .has_sense = names_end)

static const array_t rows[] = {ROWS_BEFORE_LETTERS,
                               ARRAY_OF(seqset_t, letters, ARRAY_BYTES, n_letters,
                                        .has_sense = letters_are_codes),
                               ROW_OF_NAMES, ARRAYS_END};
static const array_t index_rows[] = {ROWS_BEFORE_LETTERS, ROW_OF_NAMES, ARRAYS_END};

const arrays_t seqset_arrays = {"a set of sequences", sizeof(seqset_t), rows, is_valid};
const arrays_t seqset_index_arrays = {"the places and names of sequences",
                                      sizeof(seqset_t), index_rows, is_valid};

uint64_t seqset_digest(const seqset_t *set)
{
    return arrays_digest(&seqset_arrays, DIGEST_START, set);
}

void seqset_destroy(seqset_t *set)
{
    if (set == NULL)
        return;
    arrays_free(&seqset_arrays, set);
    free(set);
}

/* ---- concatenates sets and reverse complements ---- */

static status_t add_set(seqset_builder_t *b, const seqset_t *set)
{
    status_t st = ST_OK;

    for (int64_t i = 0; st == ST_OK && i < set->n; i++) {
        size_t name_len = (size_t)(set->name_offset[i + 1] - set->name_offset[i]) - 1;

        st = seqset_builder_add(b, seqset_name(set, i), name_len, seqset_letters(set, i),
                                (size_t)seqset_len(set, i));
    }
    return st;
}

static status_t add_reverse_complements(seqset_builder_t *b, const seqset_t *set)
{
    uint8_t *reversed = malloc((size_t)seqset_max_len(set) + 1);
    status_t st = reversed != NULL ? ST_OK : log_nomem("reverse complements");

    for (int64_t i = 0; st == ST_OK && i < set->n; i++) {
        const uint8_t *letters = seqset_letters(set, i);
        int64_t len = seqset_len(set, i);

        for (int64_t k = 0; k < len; k++)
            reversed[k] = alphabet_complement(letters[len - 1 - k]);
        st = seqset_builder_add(b, "", 0, reversed, (size_t)len);
    }
    free(reversed);
    return st;
}

status_t seqset_join(const seqset_t *queries, bool both_strands,
                     const seqset_t *references, seqset_t **out)
{
    seqset_builder_t builder = {.alphabet = references->alphabet};
    status_t st = add_set(&builder, queries);

    if (st == ST_OK && both_strands)
        st = add_reverse_complements(&builder, queries);
    if (st == ST_OK)
        st = add_set(&builder, references);
    if (st == ST_OK)
        st = seqset_builder_finish(&builder, out);
    seqset_builder_free(&builder);
    return st;
}
