/*
 * count_columns.c - fields of a line, one by one.
 */
#include "io/prepare/count_columns.h"

#include <inttypes.h>
#include <string.h>

status_t count_columns_name(const lines_t *lines, char *fields, name_table_t *samples)
{
    char *name;

    while ((name = strsep(&fields, "\t")) != NULL) {
        int64_t number;
        bool is_new;
        status_t st;

        if (name[0] == '\0')
            return lines_refuse(lines, "a column has no name; give it one");
        if ((st = name_table_add(samples, name, strlen(name), &number, &is_new)) != ST_OK)
            return st;
        if (!is_new)
            return lines_refuse(lines, "two columns are named '%.80s'; rename one", name);
    }
    return ST_OK;
}

/* Split "3,12" into the column, from 0, and the text of the count. */
static status_t split_pair(const count_columns_t *c, char *field, int64_t *column,
                           char **count)
{
    char *comma = strchr(field, ',');
    status_t st;

    if (comma == NULL)
        return lines_refuse(c->lines, "'%.40s' is not of the form group,count", field);
    *comma = '\0';
    if ((st = lines_count(c->lines, field, 1, c->max, column)) != ST_OK)
        return st;
    if (--*column >= c->n_columns)
        return lines_refuse(c->lines,
                            "group %s, but the header has %" PRId64 " groups; correct it",
                            field, c->n_columns);
    *count = comma + 1;
    return ST_OK;
}

status_t count_columns_next(count_columns_t *c, int64_t *column, int64_t *count)
{
    char *field = strsep(&c->fields, "\t");
    const bool is_over = field == NULL;
    status_t st;

    *column = is_over ? -1 : c->n_read++;
    if (is_over && (c->is_compressed || c->n_read == c->n_columns))
        return ST_OK;
    if (!is_over && c->is_compressed &&
        (st = split_pair(c, field, column, &field)) != ST_OK)
        return st;
    if (is_over || *column >= c->n_columns)
        return lines_refuse(c->lines,
                            "%s fields than the header, which has %" PRId64
                            " columns of counts; correct the line",
                            is_over ? "fewer" : "more", c->n_columns);
    return lines_count(c->lines, field, 0, c->max, count);
}
