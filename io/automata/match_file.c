/*
 * match_file.c - writes and reads matches.
 */
#include "io/automata/match_file.h"

#include "io/hdf5/h5util.h"
#include "io/result/result_table.h"

#include <inttypes.h>

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
    {.name = "/matches/end",
     .type = RESULT_INT64,
     .at = AT(end),
     .shape = {HITS},
     .check = {RESULT_WITHIN, 1, 9e15, 0},
     .unit = "bytes",
     .meaning = "bytes of the record before the end of the match"},
    {.name = "/matches/pattern",
     .type = RESULT_INT32,
     .at = AT(hit),
     .shape = {HITS},
     .check = {RESULT_INDEX, 0, 0, PATTERNS},
     .meaning = "the pattern that ends there"},
    {.name = "/matches/record",
     .type = RESULT_INT64,
     .at = AT(record),
     .shape = {HITS},
     .is_optional = true,
     .check = {RESULT_WITHIN, 0, 9e15, 0},
     .meaning = "the line, from 0; absent if the input is one record"},
    {.name = "/run@job",
     .type = RESULT_TEXT,
     .at = AT(job),
     .meaning = "everything that the content depends on, as lines `name=value`"},
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
    .tables = {fields},
    .more = "Matches ascend by record, end and pattern, and none is there twice.",
};

status_t match_file_write(const char *path, bool force, const match_file_t *m,
                          pool_t *pool)
{
    const int64_t n[RESULT_DIMS_MAX] = {[PATTERNS] = m->n_patterns, [HITS] = m->n_hits};
    h5whole_t to;
    status_t st = h5whole_open(path, force, &to);

    if (st != ST_OK)
        return st;
    st = h5whole_check(&to, result_write_format(to.file, &match_file_kind) &&
                                run_info_write(to.file, &m->info) &&
                                result_write(to.file, fields, m, n, pool));
    return h5whole_close(&to, st);
}

/* @return whether a match is before the next one */
static bool ascends(const match_file_t *m, int64_t k)
{
    if (m->record != NULL && m->record[k] != m->record[k + 1])
        return m->record[k] < m->record[k + 1];
    return m->end[k] != m->end[k + 1] ? m->end[k] < m->end[k + 1]
                                      : m->hit[k] < m->hit[k + 1];
}

status_t match_file_read(const char *path, match_file_t *out)
{
    result_reader_t r;
    status_t st = result_read_open(path, &match_file_kind, &r);

    *out = (match_file_t){.n_hits = 0};
    if (st != ST_OK)
        return st;
    if ((st = run_info_read(&r, &out->info)) == ST_OK)
        st = result_read(&r, fields, out);
    out->n_patterns = r.n[PATTERNS];
    out->n_hits = r.n[HITS];
    for (int64_t k = 0; st == ST_OK && k + 1 < out->n_hits; k++)
        if (!ascends(out, k))
            st = result_refuse(&r, "matches do not ascend at match %" PRId64, k + 2);
    result_read_close(&r);
    if (st != ST_OK)
        match_file_free(out);
    return st;
}

void match_file_free(match_file_t *m)
{
    run_info_free(&m->info);
    result_free(fields, m);
    *m = (match_file_t){.n_hits = 0};
}
