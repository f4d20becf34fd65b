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
#include "io/prepare/count_columns.h"

#include <inttypes.h>
#include <string.h>

typedef struct {
    abundance_table_t t;
    bool is_compressed;
} reader_t;

static status_t read_header(reader_t *r, char *line)
{
    char *at = line, *first = strsep(&at, "\t"), *second = strsep(&at, "\t");

    if (strcmp(first, "Representative_Sequence") != 0 || second == NULL ||
        strcmp(second, "total") != 0)
        return lines_refuse(
            r->t.lines,
            "a count_table of mothur starts with the fields "
            "Representative_Sequence and total, separated by a tab; give such a file");
    return count_columns_name(r->t.lines, at, &r->t.found.samples);
}

/* Read the counts of the groups. @param record  -1: only check @param sum  of the counts
 */
static status_t read_groups(reader_t *r, char *at, int64_t record, int64_t *sum)
{
    count_columns_t c = {
        r->t.lines, r->t.found.samples.n, ABUNDANCE_MAX, r->is_compressed, at, 0};
    int64_t group, count;
    status_t st;

    *sum = 0;
    while ((st = count_columns_next(&c, &group, &count)) == ST_OK && group >= 0) {
        *sum += count;
        if (count > 0 && record >= 0 &&
            (st = abundance_table_add(&r->t, record, group, count, false)) != ST_OK)
            return st;
    }
    return st;
}

static status_t read_row(reader_t *r, char *line)
{
    char *at = line, *name = strsep(&at, "\t"), *total_text = strsep(&at, "\t");
    int64_t record, total, sum;
    status_t st;

    if (total_text == NULL)
        return lines_refuse(r->t.lines, "expected a name and its total, separated by a "
                                        "tab");
    if ((st = lines_count(r->t.lines, total_text, 1, ABUNDANCE_MAX, &total)) != ST_OK)
        return st;
    record = abundance_table_record(&r->t, name);
    if (record >= 0 && r->t.found.size[record] > 0)
        return lines_refuse(r->t.lines, "'%.80s' has another line above; remove one",
                            name);
    if ((st = read_groups(r, at, record, &sum)) != ST_OK)
        return st;
    if (r->t.found.samples.n > 0 && sum != total)
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
