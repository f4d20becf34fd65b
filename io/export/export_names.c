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

void export_names_put(const export_names_t *names, const char *name, FILE *out)
{
    if (!names->escape) {
        fputs_unlocked(name, out);
        return;
    }
    for (; *name != '\0'; name++)
        putc_unlocked(escaped(names, *name), out);
}

typedef struct {
    const char *name;
    int64_t index;
} entry_t;

static int compare_names(const export_names_t *names, const char *a, const char *b)
{
    while (*a != '\0' && escaped(names, *a) == escaped(names, *b)) {
        a++;
        b++;
    }
    return (unsigned char)escaped(names, *a) - (unsigned char)escaped(names, *b);
}

static int compare(const void *x, const void *y, void *names)
{
    const entry_t *a = x, *b = y;
    int order = compare_names(names, a->name, b->name);

    return order != 0 ? order : a->index < b->index ? -1 : 1;
}

static status_t check_unique(const export_names_t *names, const pairs_file_t *file)
{
    int64_t n = file->rows.n;
    entry_t *all = malloc(((size_t)n + 1) * sizeof(*all));
    status_t st = ST_OK;

    if (all == NULL)
        return log_nomem("the names");
    for (int64_t i = 0; i < n; i++)
        all[i] = (entry_t){file->rows.names[i], i};
    qsort_r(all, (size_t)n, sizeof(*all), compare, (void *)(uintptr_t)names);
    for (int64_t i = 0; st == ST_OK && i + 1 < n; i++)
        if (compare_names(names, all[i].name, all[i + 1].name) == 0) {
            log_error("%s: sequences %" PRId64 " and %" PRId64 " ('%s', '%s') would have "
                      "the same name in %s, whose readers identify them by name; "
                      "rename one",
                      file->path, all[i].index + 1, all[i + 1].index + 1, all[i].name,
                      all[i + 1].name, names->format);
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
              file->path, index + 1, names->format);
    return ST_EINPUT;
}

status_t export_names_check(export_names_t *names, const pairs_file_t *file)
{
    int64_t n_escaped = 0;
    status_t st = ST_OK;

    for (int64_t i = 0; st == ST_OK && i < file->rows.n; i++)
        st = check_name(names, file, file->rows.names[i], i, &n_escaped);
    for (int64_t j = 0; st == ST_OK && file->is_against && j < file->cols.n; j++)
        st = check_name(names, file, file->cols.names[j], j, &n_escaped);
    if (st == ST_OK && names->unique)
        st = check_unique(names, file);
    if (st == ST_OK && n_escaped > 0) {
        log_warn("%s: %" PRId64 " names contain characters that %s does not allow; they "
                 "become '_'",
                 file->path, n_escaped, names->format);
        names->escape = true;
    }
    return st;
}
