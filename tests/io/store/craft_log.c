/*
 * craft_log.c - makes logs that no run writes, with valid checksums, and says where the
 * records of a log end.
 *
 *   craft_log LOG list                  print task, version, bytes, end of each record
 *   craft_log LOG CHANGE TASK ARGS...   change the record of a task, or of "all"
 *
 * CHANGE is one of
 *   cut N, add N                 drop the last N bytes, or none; append N bytes of 'x'
 *   fill BYTE                    set every byte
 *   put OFFSET HEX               overwrite bytes
 *   cell DATASET INDEX VALUE     set a value of a packed tile
 *   version V, move TASK         of another version; of another task, which may not exist
 *   again, twice                 a second record with another byte; an equal one
 *   drop                         no record
 *   share N K                    no record, unless TASK % N is K; of a run with N logs
 *
 * Every record is written by the log's own writer, into a log of its own, and copied from
 * there: so it has the checksums of a record that a run has written.
 */
#include "io/base/logmsg.h"
#include "io/store/reslog.h"
#include "io/store/tile_pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ALL_TASKS = -1, MAX_ARGS = 3, MAX_VALUES = 1 << 20 };

typedef struct {
    const char *path;
    reslog_peek_t peek;
    buf_t out;          /* the crafted log */
    const char *change; /* NULL: of another task */
    const char *arg[MAX_ARGS];
    int64_t task;
} craft_t;

static void fail(const char *what)
{
    fprintf(stderr, "craft_log: %s\n", what);
    exit(1);
}

static void need(bool good, const char *what)
{
    if (!good)
        fail(what);
}

static void read_file(const char *path, size_t from, buf_t *out)
{
    FILE *f = fopen(path, "rb");
    int c;

    need(f != NULL && fseek(f, (long)from, SEEK_SET) == 0, "cannot read a log");
    while ((c = getc(f)) != EOF) {
        const char byte = (char)c;

        need(buf_append(out, &byte, 1) == ST_OK, "no memory");
    }
    fclose(f);
}

/* Have the log's writer make a log of at most one record. @return where that begins */
static size_t write_log(const craft_t *c, int64_t n_tasks, int64_t task, int64_t version,
                        const buf_t *payload, char *path)
{
    reslog_t *log = NULL;
    size_t start;

    sprintf(path, "%s.craft", c->path);
    unlink(path);
    need(reslog_open(path, c->peek.text, n_tasks, false, &log) == ST_OK, "cannot write");
    start = (size_t)reslog_end(log);
    if (payload != NULL)
        need(reslog_append(log, task, version, payload->data, payload->len) == ST_OK,
             "cannot append");
    reslog_close(log);
    return start;
}

static void append(craft_t *c, int64_t task, int64_t version, const buf_t *payload)
{
    char path[4096];
    int64_t n_tasks = task < c->peek.n_tasks ? c->peek.n_tasks : task + 1;
    size_t start = write_log(c, n_tasks, task, version, payload, path);

    read_file(path, start, &c->out);
    unlink(path);
}

/* ---- changes of a payload ---- */

static long number(const craft_t *c, int k)
{
    need(c->arg[k] != NULL, "an argument is missing");
    return strtol(c->arg[k], NULL, 0);
}

static void put(const craft_t *c, buf_t *payload)
{
    size_t at = (size_t)number(c, 0);
    unsigned byte;

    need(c->arg[1] != NULL, "an argument is missing");
    for (const char *hex = c->arg[1]; sscanf(hex, "%2x", &byte) == 1; hex += 2) {
        need(at < payload->len, "no such offset");
        payload->data[at++] = (unsigned char)byte;
        if (hex[1] == '\0')
            break;
    }
}

/* Pack a tile again with another value; what follows its datasets stays. */
static void set_cell(const craft_t *c, buf_t *payload)
{
    buf_t out = {0};
    size_t at = sizeof(int64_t); /* the pairs without an identity come first */
    uint32_t len;
    const unsigned char *chunk = NULL;
    int32_t *values, *shuffled;
    int64_t n;

    for (long d = 0; d < number(c, 0); d++)
        need(tile_pack_next(payload, &at, &len) != NULL, "no such dataset");
    need(buf_append(&out, payload->data, at) == ST_OK, "no memory");
    need((chunk = tile_pack_next(payload, &at, &len)) != NULL, "no such dataset");
    values = malloc(MAX_VALUES * sizeof(*values));
    shuffled = malloc(MAX_VALUES * sizeof(*shuffled));
    need(values != NULL && shuffled != NULL, "no memory");
    for (n = 1; n < MAX_VALUES && !tile_pack_undo(chunk, len, n, values, shuffled);)
        n *= 2;
    need(number(c, 1) < n && n < MAX_VALUES, "no such value");
    values[number(c, 1)] = (int32_t)number(c, 2);
    need(tile_pack_append(values, n, shuffled, &out) == ST_OK &&
             buf_append(&out, payload->data + at, payload->len - at) == ST_OK,
         "no memory");
    free(values);
    free(shuffled);
    buf_free(payload);
    *payload = out;
}

static bool is(const craft_t *c, const char *change)
{
    return strcmp(c->change, change) == 0;
}

static void change_payload(const craft_t *c, buf_t *payload)
{
    static const char byte = 'x';

    if (is(c, "cut"))
        payload->len -= (size_t)number(c, 0);
    else if (is(c, "fill"))
        memset(payload->data, (int)number(c, 0), payload->len);
    else if (is(c, "put"))
        put(c, payload);
    else if (is(c, "cell"))
        set_cell(c, payload);
    for (long i = is(c, "add") ? number(c, 0) : 0; i > 0; i--)
        need(buf_append(payload, &byte, 1) == ST_OK, "no memory");
}

/* Append the records that take the place of one. */
static void append_changed(craft_t *c, int64_t task, int64_t version, buf_t *payload)
{
    change_payload(c, payload);
    if (is(c, "drop") || (is(c, "share") && task % number(c, 0) != number(c, 1)))
        return;
    append(c, is(c, "move") ? number(c, 0) : task,
           is(c, "version") ? number(c, 0) : version, payload);
    if (is(c, "again") && payload->len > 0)
        payload->data[payload->len - 1] ^= 1;
    if (is(c, "again") || is(c, "twice"))
        append(c, task, version, payload);
}

/* ---- */

static void list(const reslog_t *log, const craft_t *c)
{
    buf_t payload = {0};

    for (int64_t t = 0; t < c->peek.n_tasks; t++) {
        if (!reslog_has(log, t))
            continue;
        need(reslog_read(log, t, &payload) == ST_OK, "cannot read");
        printf("%lld %lld %zu %lld\n", (long long)t, (long long)reslog_version(log, t),
               payload.len,
               (long long)reslog_payload_at(log, t) + (long long)payload.len);
    }
    buf_free(&payload);
}

static void craft(const reslog_t *log, craft_t *c)
{
    char path[4096];
    buf_t payload = {0};

    write_log(c, c->peek.n_tasks, 0, 0, NULL, path);
    read_file(path, 0, &c->out);
    unlink(path);
    for (int64_t t = 0; t < c->peek.n_tasks; t++) {
        if (!reslog_has(log, t))
            continue;
        need(reslog_read(log, t, &payload) == ST_OK, "cannot read");
        if (t == c->task || c->task == ALL_TASKS)
            append_changed(c, t, reslog_version(log, t), &payload);
        else
            append(c, t, reslog_version(log, t), &payload);
    }
    buf_free(&payload);
}

static void note_shards(const craft_t *c)
{
    reslog_t *log = NULL;

    need(reslog_open(c->path, c->peek.text, c->peek.n_tasks, false, &log) == ST_OK &&
             reslog_set_shards(log, (int)number(c, 0)) == ST_OK,
         "cannot note the number of logs");
    reslog_close(log);
}

int main(int argc, char **argv)
{
    craft_t c = {.path = argc > 1 ? argv[1] : ""};
    reslog_t *log = NULL;
    FILE *f;

    need(argc > 2, "usage: craft_log LOG list | CHANGE TASK ARGS...");
    log_set_level(LOG_QUIET);
    need(reslog_peek(c.path, &c.peek) == ST_OK &&
             reslog_open(c.path, c.peek.text, c.peek.n_tasks, false, &log) == ST_OK,
         "cannot open the log");
    if (strcmp(argv[2], "list") == 0) {
        list(log, &c);
    } else {
        need(argc > 3, "which task?");
        c.change = argv[2];
        c.task = strcmp(argv[3], "all") == 0 ? ALL_TASKS : atoll(argv[3]);
        for (int i = 4; i < argc && i < 4 + MAX_ARGS; i++)
            c.arg[i - 4] = argv[i];
        craft(log, &c);
        f = fopen(c.path, "wb");
        need(f != NULL && fwrite(c.out.data, 1, c.out.len, f) == c.out.len &&
                 fclose(f) == 0,
             "cannot write the log");
    }
    reslog_close(log);
    if (c.change != NULL && is(&c, "share"))
        note_shards(&c);
    free(c.peek.text);
    buf_free(&c.out);
    return 0;
}
