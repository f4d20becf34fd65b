/*
 * export_names.c - escaping names, and refusing those that would be ambiguous.
 */
#include "io/export/export_out.h"

#include "io/base/logmsg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static char escaped(const export_names_t *names, char c)
{
    unsigned char u = (unsigned char)c;
    bool forbidden = u < ' ' || u == 127 || (u == ' ' && names->blanks);

    return u != '\0' && forbidden ? '_' : c;
}

static bool needs_escape(const export_names_t *names, const char *name)
{
    while (*name != '\0' && escaped(names, *name) == *name)
        name++;
    return *name != '\0';
}

void export_names_put(const export_names_t *names, const char *name, export_out_t *out)
{
    if (!names->escape) {
        export_out_text(out, name);
        return;
    }
    for (; *name != '\0'; name++)
        export_out_char(out, escaped(names, *name));
}

/* qsort passes no context to the comparison, so each entry carries it. */
typedef struct {
    const char *name;
    int64_t index;
    const export_names_t *names;
} entry_t;

static int compare_names(const entry_t *a, const entry_t *b)
{
    size_t i = 0;

    while (a->name[i] != '\0' &&
           escaped(a->names, a->name[i]) == escaped(a->names, b->name[i]))
        i++;
    return (unsigned char)escaped(a->names, a->name[i]) -
           (unsigned char)escaped(a->names, b->name[i]);
}

static int compare(const void *x, const void *y)
{
    const entry_t *a = x, *b = y;
    int order = compare_names(a, b);

    return order != 0 ? order : a->index < b->index ? -1 : 1;
}

static status_t check_unique(const export_names_t *names, const pairs_file_t *file)
{
    int64_t n = pairs_n_rows(file);
    entry_t *all = malloc(((size_t)n + 1) * sizeof(*all));
    status_t st = ST_OK;

    if (all == NULL)
        return log_nomem("the names");
    for (int64_t i = 0; i < n; i++)
        all[i] = (entry_t){pairs_name(file, i), i, names};
    qsort(all, (size_t)n, sizeof(*all), compare);
    for (int64_t i = 0; st == ST_OK && i + 1 < n; i++)
        if (compare_names(&all[i], &all[i + 1]) == 0) {
            log_error("%s: sequences %" PRId64 " and %" PRId64 " ('%s', '%s') would have "
                      "the same name in %s, whose readers identify them by name; "
                      "rename one",
                      pairs_path(file), all[i].index + 1, all[i + 1].index + 1,
                      all[i].name, all[i + 1].name, names->format);
            st = ST_EINPUT;
        }
    free(all);
    return st;
}

static status_t check_name(export_names_t *names, const pairs_file_t *file,
                           const char *name, int64_t index, int64_t *n_escaped)
{
    if (needs_escape(names, name))
        ++*n_escaped;
    if (*name != '\0' || !names->blanks)
        return ST_OK;
    log_error("%s: sequence %" PRId64
              " has an empty name, which %s does not allow; name it",
              pairs_path(file), index + 1, names->format);
    return ST_EINPUT;
}

status_t export_names_check(export_names_t *names, const pairs_file_t *file)
{
    int64_t n_escaped = 0;
    status_t st = ST_OK;

    for (int64_t i = 0; st == ST_OK && i < pairs_n_rows(file); i++)
        st = check_name(names, file, pairs_name(file, i), i, &n_escaped);
    for (int64_t j = 0; st == ST_OK && pairs_is_against(file) && j < pairs_n_cols(file);
         j++)
        st = check_name(names, file, pairs_col_name(file, j), j, &n_escaped);
    if (st == ST_OK && names->unique)
        st = check_unique(names, file);
    if (st == ST_OK && n_escaped > 0) {
        log_warn("%s: %" PRId64 " names contain characters that %s does not allow; they "
                 "become '_'",
                 pairs_path(file), n_escaped, names->format);
        names->escape = true;
    }
    return st;
}
