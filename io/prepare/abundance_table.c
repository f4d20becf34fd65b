/*
 * abundance_table.c - looks up records by name, parses counts, and checks for missing
 * records.
 */
#include "io/prepare/abundance_table.h"

#include "io/base/logmsg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Log that two records have one name. @return ST_EINPUT */
static status_t refuse_names(const abundance_table_t *t, const char *path, int64_t first,
                             int64_t second)
{
    int64_t i, j;
    const char *a = seq_files_find(t->files, first, &i);
    const char *b = seq_files_find(t->files, second, &j);
    char where[512];

    if (a == b)
        snprintf(where, sizeof(where), "%.200s: records %" PRId64 " and %" PRId64, a,
                 i + 1, j + 1);
    else
        snprintf(where, sizeof(where),
                 "%.200s: record %" PRId64 ", and %.200s: record %" PRId64, a, i + 1, b,
                 j + 1);
    log_error("%s are both named '%.80s', but %s identifies records by name; give each "
              "its own",
              where, seqset_name(t->set, first), path);
    return ST_EINPUT;
}

/* Index the records by name; the names must be unique. */
static status_t index_records(abundance_table_t *t, const char *path)
{
    for (int64_t i = 0; i < t->set->n; i++) {
        const char *name = seqset_name(t->set, i);
        int64_t number;
        bool is_new;
        status_t st = name_table_add(&t->records, name, strlen(name), &number, &is_new);

        if (st != ST_OK)
            return st;
        if (!is_new)
            return refuse_names(t, path, number, i);
    }
    return ST_OK;
}

status_t abundance_table_open(const char *path, const seq_files_t *files,
                              const seqset_t *set, abundance_table_t *out)
{
    abundance_table_t t = {.files = files, .set = set};
    status_t st = ST_OK;

    t.found.size = calloc((size_t)set->n + 1, sizeof(*t.found.size));
    if (t.found.size == NULL)
        st = log_nomem("the sizes");
    if (st == ST_OK)
        st = lines_open(path, &t.lines);
    if (st == ST_OK)
        st = index_records(&t, path);
    if (st != ST_OK)
        return abundance_table_close(&t, st, NULL);
    *out = t;
    return ST_OK;
}

int64_t abundance_table_record(abundance_table_t *t, const char *name)
{
    int64_t record = name_table_find(&t->records, name, strlen(name));

    if (record < 0 && t->n_unmatched++ == 0)
        t->first_unmatched = lines_number(t->lines);
    return record;
}

status_t abundance_table_add(abundance_table_t *t, int64_t record, int64_t sample,
                             int64_t count, bool to_size)
{
    abundance_count_t entry = {(int32_t)record, (int32_t)sample, count};

    if (to_size)
        t->found.size[record] += count;
    return buf_append(&t->found.counts, &entry, sizeof(entry));
}

/* A record without a count is an error.  A line without a record is not: the record may
 * have been dropped on purpose. */
static status_t check(const abundance_table_t *t)
{
    const char *path = lines_name(t->lines);
    int64_t n_missing = 0, first = 0;

    for (int64_t i = t->set->n - 1; i >= 0; i--)
        if (t->found.size[i] == 0) {
            n_missing++;
            first = i;
        }
    if (n_missing > 0) {
        log_error("%s: %" PRId64 " of %" PRId64 " records of %s have no count here, the "
                  "first is '%.80s'; add lines for them or remove the records",
                  path, n_missing, t->set->n, t->files->label,
                  seqset_name(t->set, first));
        return ST_EINPUT;
    }
    if (t->n_unmatched > 0)
        log_warn("%s: %" PRId64 " lines match no record of %s, the first is line %" PRId64
                 "; their counts are ignored",
                 path, t->n_unmatched, t->files->label, t->first_unmatched);
    return ST_OK;
}

status_t abundance_table_close(abundance_table_t *t, status_t st, abundance_t *out)
{
    if (st == ST_OK)
        st = check(t);
    if (st == ST_OK)
        *out = t->found;
    else
        abundance_free(&t->found);
    name_table_free(&t->records);
    lines_close(t->lines);
    return st;
}

/* ---- reads tables of record name, sample and count, tab-separated ---- */

enum { SAMPLES_MAX = INT32_MAX };

static status_t read_sample(abundance_table_t *t, char *line)
{
    char *at = line, *name = strsep(&at, "\t"), *sample = strsep(&at, "\t");
    char *count_text = strsep(&at, "\t");
    int64_t record, number, count = 1;
    status_t st;

    if (sample == NULL || sample[0] == '\0' || name[0] == '\0' || at != NULL)
        return lines_refuse(t->lines, "expected record name, sample and optionally a "
                                      "count, separated by tabs ('#' starts a comment)");
    if (count_text != NULL &&
        (st = lines_count(t->lines, count_text, 1, ABUNDANCE_MAX, &count)) != ST_OK)
        return st;
    if ((record = abundance_table_record(t, name)) < 0)
        return ST_OK;
    if ((st = name_table_add(&t->found.samples, sample, strlen(sample), &number, NULL)) !=
        ST_OK)
        return st;
    if (number >= SAMPLES_MAX)
        return lines_refuse(t->lines, "more than %d samples; split the input",
                            SAMPLES_MAX);
    return abundance_table_add(t, record, number, count, true);
}

status_t abundance_from_samples(const char *path, const seq_files_t *files,
                                const seqset_t *set, abundance_t *out)
{
    abundance_table_t t;
    char *line;
    status_t st = abundance_table_open(path, files, set, &t);

    if (st != ST_OK)
        return st;
    while ((st = lines_next_entry(t.lines, &line)) == ST_OK && line != NULL)
        if ((st = read_sample(&t, line)) != ST_OK)
            break;
    return abundance_table_close(&t, st, out);
}
