/*
 * count_table.c - reads count_tables of mothur.
 *
 *     Representative_Sequence<TAB>total<TAB>soil<TAB>sea
 *     AB001<TAB>10<TAB>4<TAB>6
 *
 * The compressed form, which newer versions write, starts with comments ("#Compressed
 * Format ...") and has fields "group,count" for counts above 0; groups are numbered from
 * 1 in the order of the header.
 */
#include "io/prepare/abundance_table.h"

#include <inttypes.h>
#include <string.h>

typedef struct {
    abundance_table_t t;
    bool is_compressed;
    int64_t n_groups;
} reader_t;

/* @return the field at *at, which advances past its tab; NULL at the end of the line */
static char *next_field(char **at)
{
    return strsep(at, "\t");
}

static status_t read_header(reader_t *r, char *line)
{
    char *at = line, *first = next_field(&at), *second = next_field(&at), *group;

    if (strcmp(first, "Representative_Sequence") != 0 || second == NULL ||
        strcmp(second, "total") != 0)
        return lines_refuse(
            r->t.lines,
            "a count_table of mothur starts with the fields "
            "Representative_Sequence and total, separated by a tab; give such a file");
    while ((group = next_field(&at)) != NULL) {
        int64_t number;
        bool is_new;
        status_t st;

        if (group[0] == '\0')
            return lines_refuse(r->t.lines, "a group has no name; give it one");
        st = name_table_add(&r->t.found.samples, group, strlen(group), &number, &is_new);
        if (st != ST_OK)
            return st;
        if (!is_new)
            return lines_refuse(r->t.lines, "two groups are named '%.80s'; rename one",
                                group);
        r->n_groups++;
    }
    return ST_OK;
}

/* Split "3,12" into the group, from 0, and the text of the count. */
static status_t split_pair(const reader_t *r, char *field, int64_t *group, char **count)
{
    char *comma = strchr(field, ',');
    status_t st;

    if (comma == NULL)
        return lines_refuse(r->t.lines, "'%.40s' is not of the form group,count", field);
    *comma = '\0';
    if ((st = abundance_table_count(&r->t, field, 1, group)) != ST_OK)
        return st;
    if (--*group >= r->n_groups)
        return lines_refuse(r->t.lines,
                            "group %s, but the header has %" PRId64 " groups; correct it",
                            field, r->n_groups);
    *count = comma + 1;
    return ST_OK;
}

/* Read the counts of the groups. @param record  -1: only check @param sum  of the counts
 */
static status_t read_groups(reader_t *r, char *at, int64_t record, int64_t *sum)
{
    char *field;
    int64_t n_fields = 0, group, count;
    status_t st = ST_OK;

    *sum = 0;
    while (st == ST_OK && (field = next_field(&at)) != NULL) {
        group = n_fields++;
        if (r->is_compressed && (st = split_pair(r, field, &group, &field)) != ST_OK)
            return st;
        if (group >= r->n_groups)
            return lines_refuse(r->t.lines,
                                "more fields than the header, which has "
                                "%" PRId64 " groups",
                                r->n_groups);
        if ((st = abundance_table_count(&r->t, field, 0, &count)) != ST_OK)
            return st;
        *sum += count;
        if (count > 0 && record >= 0)
            st = abundance_table_add(&r->t, record, group, count, false);
    }
    if (st == ST_OK && !r->is_compressed && n_fields < r->n_groups)
        return lines_refuse(r->t.lines,
                            "fewer fields than the header, which has "
                            "%" PRId64 " groups",
                            r->n_groups);
    return st;
}

static status_t read_row(reader_t *r, char *line)
{
    char *at = line, *name = next_field(&at), *total_text = next_field(&at);
    int64_t record, total, sum;
    status_t st;

    if (total_text == NULL)
        return lines_refuse(r->t.lines, "expected a name and its total, separated by a "
                                        "tab");
    if ((st = abundance_table_count(&r->t, total_text, 1, &total)) != ST_OK)
        return st;
    record = abundance_table_record(&r->t, name);
    if (record >= 0 && r->t.found.size[record] > 0)
        return lines_refuse(r->t.lines, "'%.80s' has another line above; remove one",
                            name);
    if ((st = read_groups(r, at, record, &sum)) != ST_OK)
        return st;
    if (r->n_groups > 0 && sum != total)
        return lines_refuse(r->t.lines,
                            "the counts of the groups add up to %" PRId64
                            ", but the total is %" PRId64 "; make the table again",
                            sum, total);
    if (record >= 0)
        r->t.found.size[record] = total;
    return ST_OK;
}

static status_t read_all(reader_t *r)
{
    bool has_header = false;
    char *line;
    status_t st;

    while ((st = lines_next(r->t.lines, &line)) == ST_OK && line != NULL) {
        if (line[0] == '\0')
            continue;
        if (line[0] == '#' && !has_header) {
            r->is_compressed |= strncmp(line, "#Compressed", 11) == 0;
            continue;
        }
        st = has_header ? read_row(r, line) : read_header(r, line);
        has_header = true;
        if (st != ST_OK)
            return st;
    }
    if (st == ST_OK && !has_header)
        return lines_refuse(r->t.lines, "the file ends before the header of a "
                                        "count_table; give a complete one");
    return st;
}

status_t abundance_from_count_table(const char *path, const seq_files_t *files,
                                    const seqset_t *set, abundance_t *out)
{
    reader_t r = {.is_compressed = false};
    status_t st = abundance_table_open(path, files, set, &r.t);

    return st != ST_OK ? st : abundance_table_close(&r.t, read_all(&r), out);
}
