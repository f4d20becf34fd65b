/*
 * sample_table.c - reads tables of record name, sample and count, tab-separated.
 */
#include "io/prepare/abundance_table.h"

#include <string.h>

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
        (st = abundance_table_count(t, count_text, 1, &count)) != ST_OK)
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

status_t abundance_from_samples(const char *path, const char *input, const seqset_t *set,
                                abundance_t *out)
{
    abundance_table_t t;
    char *line;
    status_t st = abundance_table_open(path, input, set, &t);

    if (st != ST_OK)
        return st;
    while ((st = lines_next(t.lines, &line)) == ST_OK && line != NULL)
        if (line[0] != '\0' && line[0] != '#' && (st = read_sample(&t, line)) != ST_OK)
            break;
    return abundance_table_close(&t, st, out);
}
