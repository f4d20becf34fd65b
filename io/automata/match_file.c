/*
 * match_file.c - writes and reads matches.
 */
#include "io/automata/match_file.h"

#include "io/hdf5/h5util.h"
#include "io/result/result_table.h"

#include <inttypes.h>
#include <stdlib.h>

enum { PATTERNS = 1, HITS };

static const result_dim_t dims[RESULT_DIMS_MAX] = {
    [PATTERNS] = {"p", "a pattern", "patterns", INT32_MAX},
    [HITS] = {"h", "a match", "matches", 0},
};

#define AT(member) offsetof(match_file_t, member)

static const result_field_t fields[] = {
    {.name = "/patterns/name",
     .type = RESULT_TEXTS,
     .at = AT(pattern),
     .shape = {PATTERNS},
     .meaning = "patterns, in the order of the automata"},
    {.name = "/run@job",
     .type = RESULT_TEXT,
     .at = AT(job),
     .meaning = "everything that the content depends on, as lines `name=value`"},
    {.name = NULL},
};

/* Written in pieces. */
enum { HIT_END, HIT_PATTERN, HIT_RECORD, HIT_FIELDS };

static const result_field_t hit_fields[HIT_FIELDS + 1] = {
    [HIT_END] = {.name = "/matches/end",
                 .type = RESULT_INT64,
                 .at = AT(end),
                 .shape = {HITS},
                 .check = {RESULT_WITHIN, 1, 9e15, 0},
                 .unit = "bytes",
                 .meaning = "bytes of the record before the end of the match"},
    [HIT_PATTERN] = {.name = "/matches/pattern",
                     .type = RESULT_INT32,
                     .at = AT(hit),
                     .shape = {HITS},
                     .check = {RESULT_INDEX, 0, 0, PATTERNS},
                     .meaning = "the pattern that ends there"},
    [HIT_RECORD] = {.name = "/matches/record",
                    .type = RESULT_INT64,
                    .at = AT(record),
                    .shape = {HITS},
                    .is_optional = true,
                    .check = {RESULT_WITHIN, 0, 9e15, 0},
                    .meaning = "the line, from 0; absent if the input is one record"},
    {.name = NULL},
};

const result_kind_t match_file_kind = {
    .title = "Matches of patterns",
    .maker = "ribogrid automata match",
    .format = "ribogrid-matches",
    .major = 1,
    .minor = 0,
    .what = "a result of `ribogrid automata match`",
    .dims = dims,
    .tables = {fields, hit_fields},
    .more = "Matches ascend by record, end and pattern, and none is there twice.",
};

/* ---- writing ---- */

struct match_writer {
    h5whole_t to;
    bool has_records;
    h5stream_t streams[HIT_FIELDS];
};

static bool begin(match_writer_t *w, const match_file_t *head, pool_t *pool)
{
    const int64_t n[RESULT_DIMS_MAX] = {[PATTERNS] = head->n_patterns};
    bool good = result_write_format(w->to.file, &match_file_kind) &&
                run_info_write(w->to.file, &head->info) &&
                result_write(w->to.file, fields, head, n, pool);

    for (int k = 0; good && k < HIT_FIELDS; k++)
        if (!hit_fields[k].is_optional || w->has_records)
            good = result_stream_begin(w->to.file, &hit_fields[k], pool, &w->streams[k]);
    return good;
}

status_t match_writer_open(const char *path, bool force, const match_file_t *head,
                           bool has_records, pool_t *pool, match_writer_t **out)
{
    match_writer_t *w = calloc(1, sizeof(*w));
    status_t st;

    if (w == NULL)
        return log_nomem("matches");
    w->has_records = has_records;
    if ((st = h5whole_open(path, force, &w->to)) != ST_OK) {
        free(w);
        return st;
    }
    st = h5whole_check(&w->to, begin(w, head, pool));
    if (st != ST_OK)
        return match_writer_close(w, st);
    *out = w;
    return ST_OK;
}

status_t match_writer_add(match_writer_t *w, const match_file_t *m)
{
    bool good = true;

    for (int k = 0; good && k < HIT_FIELDS; k++)
        if (w->streams[k].dataset > 0)
            good = h5stream_append(&w->streams[k],
                                   *(void **)result_field_member(&hit_fields[k], m),
                                   m->n_hits);
    return h5whole_check(&w->to, good);
}

status_t match_writer_close(match_writer_t *w, status_t st)
{
    bool good = true;

    if (w == NULL)
        return st;
    for (int k = 0; k < HIT_FIELDS; k++)
        good = h5stream_end(&w->streams[k]) && good;
    if (st == ST_OK)
        st = h5whole_check(&w->to, good);
    st = h5whole_close(&w->to, st);
    free(w);
    return st;
}

/* ---- reading ---- */

enum { BLOCK = 1 << 16 };

/* Where a match is. */
typedef struct {
    int64_t record, end;
    int32_t hit;
} match_at_t;

struct match_reader {
    result_reader_t file;
    match_file_t head, block;
    h5data_t *data[HIT_FIELDS]; /* NULL: absent */
    bool has_records;
    int64_t n_read;
    match_at_t last; /* of these */
    int64_t record[BLOCK], end[BLOCK];
    int32_t hit[BLOCK];
};

static status_t read_head(match_reader_t *r)
{
    status_t st = run_info_read(&r->file, &r->head.info);

    if (st == ST_OK)
        st = result_read(&r->file, fields, &r->head);
    for (int k = 0; st == ST_OK && k < HIT_FIELDS; k++)
        st = result_open_pieces(&r->file, &hit_fields[k], &r->data[k]);
    r->head.n_patterns = r->file.n[PATTERNS];
    r->head.n_hits = r->file.n[HITS];
    r->has_records = r->data[HIT_RECORD] != NULL;
    return st;
}

status_t match_reader_open(const char *path, match_reader_t **out,
                           const match_file_t **head)
{
    match_reader_t *r = calloc(1, sizeof(*r));
    status_t st;

    if (r == NULL)
        return log_nomem("matches");
    if ((st = result_read_open(path, &match_file_kind, &r->file)) == ST_OK)
        st = read_head(r);
    if (st != ST_OK) {
        match_reader_close(r);
        return st;
    }
    *out = r;
    *head = &r->head;
    return ST_OK;
}

/* @return whether match k of a block is behind another one */
static bool is_behind(const match_file_t *block, int64_t k, const match_at_t *last)
{
    const int64_t record = block->record != NULL ? block->record[k] : 0;

    if (record != last->record)
        return record > last->record;
    return block->end[k] != last->end ? block->end[k] > last->end
                                      : block->hit[k] > last->hit;
}

static status_t check_order(match_reader_t *r)
{
    const match_file_t *b = &r->block;

    for (int64_t k = 0; k < b->n_hits; k++) {
        if (!is_behind(b, k, &r->last))
            return result_refuse(&r->file, "matches do not ascend at match %" PRId64,
                                 r->n_read + k + 1);
        r->last =
            (match_at_t){b->record != NULL ? b->record[k] : 0, b->end[k], b->hit[k]};
    }
    return ST_OK;
}

status_t match_reader_next(match_reader_t *r, const match_file_t **block)
{
    const int64_t left = r->head.n_hits - r->n_read;
    match_file_t *b = &r->block;
    status_t st = ST_OK;

    *b = (match_file_t){.n_hits = left < BLOCK ? left : BLOCK,
                        .end = r->end,
                        .hit = r->hit,
                        .record = r->has_records ? r->record : NULL};
    for (int k = 0; st == ST_OK && k < HIT_FIELDS; k++)
        if (r->data[k] != NULL)
            st = result_read_piece(&r->file, &hit_fields[k], r->data[k], r->n_read,
                                   b->n_hits,
                                   *(void **)result_field_member(&hit_fields[k], b));
    if (st == ST_OK)
        st = check_order(r);
    r->n_read += b->n_hits;
    *block = b;
    return st;
}

void match_reader_close(match_reader_t *r)
{
    if (r == NULL)
        return;
    for (int k = 0; k < HIT_FIELDS; k++)
        h5data_close(r->data[k]);
    result_read_close(&r->file);
    run_info_free(&r->head.info);
    result_free(fields, &r->head);
    free(r);
}
