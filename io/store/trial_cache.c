/*
 * trial_cache.c - lines of four fields, separated by tabs: build, key, kernel, cells/s.
 *
 * The file is read as a whole and replaced atomically.  If two processes write at once,
 * one wins, and the trials of the other are run again some day.
 */
#include "io/store/trial_cache.h"

#include "io/base/buf.h"
#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/file/tmp_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes that are read at most; lines that are kept, the newest ones. */
enum { FILE_MAX_BYTES = 512 << 10, LINES_MAX = 200, LINE_BYTES = 2048 };

struct trial_cache {
    char *path;      /* NULL: no directory is known */
    uint64_t digest; /* of the program's version, size and modification time */
};

typedef struct {
    uint64_t build;
    const char *key;
    size_t key_len;
    trial_entry_t entry;
} line_t;

static char *find_path(void)
{
    const char *own = getenv("RIBOGRID_CACHE"), *xdg = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    char *path = NULL;
    int len = 0;

    if (own != NULL && own[0] != '\0')
        len = asprintf(&path, "%s/kernels", own);
    else if (xdg != NULL && xdg[0] == '/')
        len = asprintf(&path, "%s/ribogrid/kernels", xdg);
    else if (home != NULL && home[0] == '/')
        len = asprintf(&path, "%s/.cache/ribogrid/kernels", home);
    return len > 0 ? path : NULL;
}

status_t trial_cache_create(const char *version, trial_cache_t **out)
{
    trial_cache_t *c = calloc(1, sizeof(*c));
    struct stat program;

    if (c == NULL)
        return log_nomem("the kernels' cache");
    c->path = find_path();
    c->digest = digest_add(DIGEST_START, version, strlen(version));
    if (stat("/proc/self/exe", &program) == 0) {
        c->digest = digest_add(c->digest, &program.st_size, sizeof(program.st_size));
        c->digest = digest_add(c->digest, &program.st_mtim, sizeof(program.st_mtim));
    }
    *out = c;
    return ST_OK;
}

/* Read the file into an empty buffer; a missing file is an empty text.
 *
 * @param is_ours  out: false if something else than a regular file has this name, such as
 *                 a pipe, which would never answer, or a link; it is left alone */
static status_t read_file(const trial_cache_t *c, buf_t *out, bool *is_ours)
{
    int fd = open(c->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    status_t st = ST_OK;
    struct stat info;
    ssize_t n = 1;

    *is_ours = fd >= 0 || lstat(c->path, &info) != 0 || S_ISREG(info.st_mode);
    if (fd < 0)
        return st;
    *is_ours = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    if (*is_ours && (st = buf_reserve(out, FILE_MAX_BYTES)) == ST_OK)
        while (n > 0 && out->len < FILE_MAX_BYTES) {
            n = read(fd, out->data + out->len, FILE_MAX_BYTES - out->len);
            out->len += n > 0 ? (size_t)n : 0;
        }
    close(fd);
    return st;
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

    if (cache->path == NULL || read_file(cache, &text, &is_ours) != ST_OK)
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
 * @param is_ours  of read_file */
static status_t compose(const trial_cache_t *cache, const char *key,
                        const trial_entry_t *entry, buf_t *out, bool *is_ours)
{
    buf_t text = {0};
    int n_good = 0, n = 0;
    const char *at, *next;
    line_t line;
    size_t len;
    status_t st = read_file(cache, &text, is_ours);

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

/* Create the missing directories of a path, which is restored. */
static void make_directories(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0777); /* if it fails, the file cannot be created */
        *slash = '/';
    }
}

/* Replace a file atomically. @return whether it succeeded */
static bool replace(char *path, const buf_t *text)
{
    char *tmp;
    int fd, error;
    bool good;

    make_directories(path);
    if ((fd = tmp_file_create(path, 0600, &tmp)) < 0)
        return false;
    errno = 0;
    good = write(fd, text->data, text->len) == (ssize_t)text->len &&
           tmp_file_publish(fd, &tmp, path, true);
    error = errno != 0 ? errno : ENOSPC;
    close(fd);
    tmp_file_remove(tmp);
    errno = error;
    return good;
}

static void warn_once(const char *path)
{
    static bool was_said;

    if (!was_said)
        log_warn("%s is not a regular file: the results of kernel trials are not kept; "
                 "remove it, or set RIBOGRID_CACHE to another folder",
                 path);
    was_said = true;
}

void trial_cache_put(const trial_cache_t *cache, const char *key,
                     const trial_entry_t *entry)
{
    buf_t text = {0};
    bool is_ours;

    if (cache->path == NULL)
        return;
    if (compose(cache, key, entry, &text, &is_ours) == ST_OK && !is_ours)
        warn_once(cache->path);
    else if (text.len > 0 && !replace(cache->path, &text))
        log_verbose("%s: cannot write: %s; the next run will time the kernels again",
                    cache->path, strerror(errno));
    buf_free(&text);
}

void trial_cache_destroy(trial_cache_t *cache)
{
    if (cache == NULL)
        return;
    free(cache->path);
    free(cache);
}
