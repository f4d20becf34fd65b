/*
 * reslog_shards.c - shards found by their names, and their records moved to the first
 * log.
 */
#include "io/store/reslog_shards.h"

#include "io/base/logmsg.h"
#include "io/store/reslog_head.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *reslog_shards_path(const char *first, int shard)
{
    char *path;

    if (asprintf(&path, "%s.%d", first, shard) >= 0)
        return path;
    log_nomem("the name of a log");
    return NULL;
}

/* @return the number that follows the name of the first log and a dot, or 0 */
static int number_of(const char *name, const char *first)
{
    const size_t len = strlen(first);
    char *end;
    long n;

    if (strncmp(name, first, len) != 0 || name[len] != '.' || name[len + 1] < '1' ||
        name[len + 1] > '9')
        return 0;
    n = strtol(name + len + 1, &end, 10);
    return *end == '\0' && n < INT_MAX ? (int)n : 0;
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Find the shards of a log. @param out  int, ascending; empty before */
static status_t find(const char *first, buf_t *out)
{
    const char *slash = strrchr(first, '/');
    const char *name = slash != NULL ? slash + 1 : first;
    char *folder = slash != NULL ? strndup(first, (size_t)(slash - first) + 1) : NULL;
    DIR *dir = opendir(folder != NULL ? folder : ".");
    const struct dirent *entry;
    status_t st = ST_OK;

    free(folder);
    if (dir == NULL)
        return ST_OK; /* whoever opens the log finds out why */
    while (st == ST_OK && (entry = readdir(dir)) != NULL) {
        int n = number_of(entry->d_name, name);

        if (n > 0)
            st = buf_append(out, &n, sizeof(n));
    }
    closedir(dir);
    if (out->len > 0)
        qsort(out->data, out->len / sizeof(int), sizeof(int), ascending);
    return st;
}

/* Those of a run, which were created by other ranks: a folder's list may lag behind. */
static status_t list(int n_shards, buf_t *out)
{
    status_t st = ST_OK;

    for (int k = 1; st == ST_OK && k < n_shards; k++)
        st = buf_append(out, &k, sizeof(k));
    return st;
}

typedef status_t (*shard_fn)(const char *path, void *ctx);

/* Call for each of some shards, ascending, until one call fails. */
static status_t for_each(const char *first, const buf_t *numbers, shard_fn fn, void *ctx)
{
    status_t st = ST_OK;

    for (size_t i = 0; st == ST_OK && i < numbers->len / sizeof(int); i++) {
        char *path = reslog_shards_path(first, ((const int *)(void *)numbers->data)[i]);

        st = path != NULL ? fn(path, ctx) : ST_ENOMEM;
        free(path);
    }
    return st;
}

/* Likewise for all that there are. */
static status_t for_all(const char *first, shard_fn fn, void *ctx)
{
    buf_t numbers = {0};
    status_t st = find(first, &numbers);

    if (st == ST_OK)
        st = for_each(first, &numbers, fn, ctx);
    buf_free(&numbers);
    return st;
}

static status_t note_one(const char *path, void *any)
{
    (void)path;
    *(bool *)any = true;
    return ST_OK;
}

bool reslog_shards_exist(const char *first)
{
    bool any = false;

    return for_all(first, note_one, &any) != ST_OK || any;
}

static status_t look_for_records(const char *path, void *any)
{
    char *text = reslog_head_text(path);
    struct stat info;

    if (text == NULL || stat(path, &info) != 0 ||
        (int64_t)info.st_size > reslog_head_bytes(text))
        *(bool *)any = true;
    free(text);
    return ST_OK;
}

bool reslog_shards_have_records(const char *first)
{
    bool any = false;

    return for_all(first, look_for_records, &any) != ST_OK || any;
}

static status_t remove_one(const char *path, void *ctx)
{
    (void)ctx;
    if (unlink(path) != 0)
        log_warn("%s: cannot remove: %s", path, strerror(errno));
    return ST_OK;
}

void reslog_shards_remove(const char *first)
{
    if (for_all(first, remove_one, NULL) != ST_OK)
        log_warn("%s: its shards stay; remove them", first);
}

/* Their number first: who finds it knows all files that there may be. */
status_t reslog_shards_create(reslog_t *first, const char *text, int64_t n_tasks,
                              int n_shards)
{
    status_t st = reslog_set_shards(first, n_shards);

    for (int k = 1; st == ST_OK && k < n_shards; k++) {
        char *path = reslog_shards_path(reslog_path(first), k);
        reslog_t *shard = NULL;

        st = path != NULL ? reslog_create(path, text, n_tasks, &shard) : ST_ENOMEM;
        if (st == ST_OK)
            st = reslog_set_shards(shard, n_shards);
        reslog_close(shard);
        free(path);
    }
    return st;
}

typedef struct {
    reslog_t *first;
    const char *text;
    int64_t n_tasks;
    reslog_use_t use;
    int n_shards; /* logs of the run, as far as their headers say */
} take_t;

/* Take over the records of one shard that the first log lacks. */
static status_t take_one(const char *path, void *ctx)
{
    take_t *t = ctx;
    reslog_t *shard = NULL;
    buf_t record = {0};
    status_t st = reslog_open_shard(path, t->text, t->n_tasks, t->use, &shard);

    for (int64_t task = 0; st == ST_OK && task < t->n_tasks; task++) {
        if (!reslog_has(shard, task) || reslog_has(t->first, task))
            continue;
        if ((st = reslog_read(shard, task, &record)) == ST_OK)
            st = reslog_append(t->first, task, reslog_version(shard, task), record.data,
                               record.len);
        reslog_drop(shard, task, record.len);
    }
    if (st == ST_OK && reslog_n_shards(shard) > t->n_shards)
        t->n_shards = reslog_n_shards(shard);
    if (st == ST_OK && reslog_n_shards(shard) == 0 && t->use == RESLOG_SHARD_KEEP)
        log_warn("%s is empty: what it held is computed again", path);
    reslog_close(shard);
    buf_free(&record);
    return st;
}

static void log_missing(const char *path)
{
    log_warn("%s is missing: what it held is computed again", path);
}

/* Where all tasks are finished, a run had taken over what is missing when it ended. */
static status_t name_missing(const take_t *t, const buf_t *numbers)
{
    const int *there = (const int *)(void *)numbers->data;
    const size_t n_there = numbers->len / sizeof(int);
    const char *first = reslog_path(t->first);
    size_t at = 0;

    if (t->use == RESLOG_SHARD_DISCARD || reslog_n_done(t->first) == t->n_tasks)
        return ST_OK;
    if (reslog_n_shards(t->first) == 0 && n_there > 0)
        log_missing(first);
    for (int k = 1; k < t->n_shards; k++) {
        char *path;

        while (at < n_there && there[at] < k)
            at++;
        if (at < n_there && there[at] == k)
            continue;
        if ((path = reslog_shards_path(first, k)) == NULL)
            return ST_ENOMEM;
        log_missing(path);
        free(path);
    }
    return ST_OK;
}

/* The files go when nothing refers to them any more: a run that is killed in between
 * leaves what the next one finds, and takes over again. */
static status_t take_all(take_t *t, const buf_t *numbers)
{
    const char *first = reslog_path(t->first);
    const bool has_all = reslog_n_done(t->first) == t->n_tasks;
    status_t st = has_all ? ST_OK : for_each(first, numbers, take_one, t);

    if (st == ST_OK)
        st = name_missing(t, numbers);
    if (st == ST_OK && numbers->len > 0)
        st = reslog_sync(t->first);
    if (st == ST_OK && reslog_n_shards(t->first) > 1)
        st = reslog_set_shards(t->first, 1);
    return st == ST_OK ? for_each(first, numbers, remove_one, NULL) : st;
}

status_t reslog_shards_take(reslog_t *first, const char *text, int64_t n_tasks,
                            reslog_use_t use)
{
    take_t t = {.first = first,
                .text = text,
                .n_tasks = n_tasks,
                .use = use,
                .n_shards = reslog_n_shards(first)};
    buf_t numbers = {0};
    status_t st = use == RESLOG_SHARD_READ ? list(t.n_shards, &numbers)
                                           : find(reslog_path(first), &numbers);

    if (st == ST_OK)
        st = take_all(&t, &numbers);
    buf_free(&numbers);
    return st;
}
