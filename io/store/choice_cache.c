/*
 * choice_cache.c - entries, the newest one last: "BUILD KEY", lines, an empty line.
 */
#include "io/store/choice_cache.h"

#include "io/store/cache_file.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Of older entries that stay. */
enum { KEPT_MAX_BYTES = CACHE_FILE_MAX_BYTES / 2 };

typedef struct {
    const char *at; /* the first line */
    size_t len;     /* with both line ends at the end */
} entry_t;

/* Step through the entries of a file. @return whether there is another one */
static bool next_entry(const buf_t *file, entry_t *e)
{
    const char *begin = e->at == NULL ? (const char *)file->data : e->at + e->len;
    const char *end = (const char *)file->data + file->len, *stop;

    if (begin == NULL || (stop = memmem(begin, (size_t)(end - begin), "\n\n", 2)) == NULL)
        return false;
    *e = (entry_t){begin, (size_t)(stop + 2 - begin)};
    return true;
}

/* @param first  the first line of an entry, with its line end */
static bool has_first(const entry_t *e, const buf_t *first)
{
    return e->len > first->len && memcmp(e->at, first->data, first->len) == 0;
}

static status_t make_first(const char *key, buf_t *out)
{
    return buf_printf(out, "%016" PRIx64 " %s\n", cache_file_build(""), key);
}

status_t choice_cache_get(const char *name, const char *key, buf_t *out)
{
    char *path = cache_file_path(name);
    buf_t file = {0}, first = {0};
    entry_t e = {0};
    bool is_ours;
    status_t st = path != NULL ? cache_file_read(path, &file, &is_ours) : ST_OK;

    if (st == ST_OK)
        st = make_first(key, &first);
    while (st == ST_OK && out->len == 0 && next_entry(&file, &e))
        if (has_first(&e, &first) && memchr(e.at, '\0', e.len) == NULL)
            st = buf_printf(out, "%.*s", (int)(e.len - first.len - 1), e.at + first.len);
    if (st == ST_OK && out->len > 0)
        st = buf_append(out, "", 1);
    buf_free(&file);
    buf_free(&first);
    free(path);
    return st;
}

/* Compose the new file: the newest of the other entries, and the new one. */
static status_t compose(const buf_t *file, const buf_t *first, const char *text,
                        buf_t *out)
{
    size_t bytes = 0;
    entry_t e = {0};
    status_t st = ST_OK;

    while (next_entry(file, &e))
        bytes += has_first(&e, first) ? 0 : e.len;
    for (e = (entry_t){0}; st == ST_OK && next_entry(file, &e);) {
        if (has_first(&e, first))
            continue;
        if (bytes <= KEPT_MAX_BYTES)
            st = buf_append(out, e.at, e.len);
        bytes -= e.len;
    }
    return st == ST_OK ? buf_printf(out, "%.*s%s\n", (int)first->len,
                                    (const char *)first->data, text)
                       : st;
}

void choice_cache_put(const char *name, const char *key, const char *text)
{
    char *path = cache_file_path(name);
    buf_t file = {0}, first = {0}, out = {0};
    bool is_ours;

    if (path != NULL && cache_file_read(path, &file, &is_ours) == ST_OK &&
        make_first(key, &first) == ST_OK && compose(&file, &first, text, &out) == ST_OK)
        cache_file_replace(path, &out, is_ours);
    buf_free(&file);
    buf_free(&first);
    buf_free(&out);
    free(path);
}
