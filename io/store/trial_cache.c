/*
 * trial_cache.c - lines of four fields, separated by tabs: build, key, kernel, cells/s.
 *
 * If two processes write at once, one wins, and the trials of the other are run again
 * some day.
 */
#include "io/store/trial_cache.h"

#include "io/base/logmsg.h"
#include "io/store/cache_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Lines that are kept, the newest ones. */
enum { LINES_MAX = 200, LINE_BYTES = 2048 };

struct trial_cache {
    char *path;      /* NULL: no directory is known */
    uint64_t digest; /* cache_file_build */
};

typedef struct {
    uint64_t build;
    const char *key;
    size_t key_len;
    trial_entry_t entry;
} line_t;

status_t trial_cache_create(const char *version, trial_cache_t **out)
{
    trial_cache_t *c = calloc(1, sizeof(*c));

    if (c == NULL)
        return log_nomem("the kernels' cache");
    c->path = cache_file_path("kernels");
    c->digest = cache_file_build(version);
    *out = c;
    return ST_OK;
}

/* Parse a line. @return whether it is well-formed */
static bool parse(const char *at, size_t len, line_t *out)
{
    char text[LINE_BYTES], *key, *kernel, *rate, *end;

    if (len >= sizeof(text) || memchr(at, '\0', len) != NULL)
        return false;
    memcpy(text, at, len);
    text[len] = '\0';
    if ((key = strchr(text, '\t')) == NULL || (kernel = strchr(key + 1, '\t')) == NULL ||
        (rate = strchr(kernel + 1, '\t')) == NULL)
        return false;
    *key++ = *kernel++ = *rate++ = '\0';
    if (kernel[0] == '\0' || strlen(kernel) >= sizeof(out->entry.kernel) ||
        key[0] == '\0')
        return false;
    out->build = strtoull(text, &end, 16);
    if (end != key - 1)
        return false;
    out->entry.cells_per_s = strtod(rate, &end);
    if (*end != '\0' || end == rate || !isfinite(out->entry.cells_per_s) ||
        out->entry.cells_per_s <= 0)
        return false;
    strcpy(out->entry.kernel, kernel);
    out->key = at + (key - text);
    out->key_len = strlen(key);
    return true;
}

static bool has_key(const trial_cache_t *cache, const line_t *line, const char *key)
{
    return line->build == cache->digest && line->key_len == strlen(key) &&
           memcmp(line->key, key, line->key_len) == 0;
}

/* Step through the lines of a text. @return the start of the next line, NULL at the end
 */
static const char *next_line(const buf_t *text, const char *at, size_t *len)
{
    const char *first = (const char *)text->data, *end;

    if (first == NULL || at == first + text->len)
        return NULL;
    end = memchr(at, '\n', text->len - (size_t)(at - first));
    *len = (size_t)((end != NULL ? end : first + text->len) - at);
    return end != NULL ? end + 1 : first + text->len;
}

bool trial_cache_get(const trial_cache_t *cache, const char *key, trial_entry_t *out)
{
    buf_t text = {0};
    const char *at, *next;
    bool found = false, is_ours;
    line_t line;
    size_t len;

    if (cache->path == NULL || cache_file_read(cache->path, &text, &is_ours) != ST_OK)
        return false;
    for (at = (const char *)text.data; (next = next_line(&text, at, &len)) != NULL;
         at = next)
        if (parse(at, len, &line) && has_key(cache, &line, key)) {
            *out = line.entry;
            found = true;
        }
    buf_free(&text);
    return found;
}

/* Compose the new file: the newest well-formed lines of the old one, and the new entry.
 *
 * @param is_ours  of cache_file_read */
static status_t compose(const trial_cache_t *cache, const char *key,
                        const trial_entry_t *entry, buf_t *out, bool *is_ours)
{
    buf_t text = {0};
    int n_good = 0, n = 0;
    const char *at, *next;
    line_t line;
    size_t len;
    status_t st = cache_file_read(cache->path, &text, is_ours);

    for (at = (const char *)text.data;
         st == ST_OK && (next = next_line(&text, at, &len)) != NULL; at = next)
        n_good += parse(at, len, &line) && !has_key(cache, &line, key);
    for (at = (const char *)text.data;
         st == ST_OK && (next = next_line(&text, at, &len)) != NULL; at = next)
        if (parse(at, len, &line) && !has_key(cache, &line, key) &&
            n++ >= n_good - (LINES_MAX - 1))
            st = buf_printf(out, "%.*s\n", (int)len, at);
    if (st == ST_OK)
        st = buf_printf(out, "%016" PRIx64 "\t%s\t%s\t%.4e\n", cache->digest, key,
                        entry->kernel, entry->cells_per_s);
    buf_free(&text);
    return st;
}

void trial_cache_put(const trial_cache_t *cache, const char *key,
                     const trial_entry_t *entry)
{
    buf_t text = {0};
    bool is_ours;

    if (cache->path == NULL)
        return;
    if (compose(cache, key, entry, &text, &is_ours) == ST_OK)
        cache_file_replace(cache->path, &text, is_ours);
    buf_free(&text);
}

void trial_cache_destroy(trial_cache_t *cache)
{
    if (cache == NULL)
        return;
    free(cache->path);
    free(cache);
}
