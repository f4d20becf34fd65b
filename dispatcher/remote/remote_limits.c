/*
 * remote_limits.c - files of what each user of a server may use.
 */
#include "dispatcher/remote/remote_limits.h"

#include "io/base/byte_size.h"
#include "io/base/logmsg.h"
#include "io/file/lines.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ENTRIES_MAX = 4096 };

static const char rest[] = "*";
static const char prefix[] = "user "; /* of users of a Unix socket */

static bool parse_count(const char *text, int64_t *out)
{
    char *end;

    *out = strtol(text, &end, 10);
    return end != text && *end == '\0' && *out >= 1 && *out <= LIMIT_CLIENTS_MAX;
}

static bool parse_weight(const char *text, double *out)
{
    char *end;

    *out = strtod(text, &end);
    return end != text && *end == '\0' && *out >= 1.0 / LIMIT_WEIGHT_MAX &&
           *out <= LIMIT_WEIGHT_MAX;
}

static bool parse_bytes(const char *text, int64_t *out)
{
    return byte_size_parse(text, out) && *out > 0;
}

/* @param value  behind the "=" @return whether it is a limit, given once */
static bool parse_limit(const char *name, const char *value, user_limits_t *out)
{
    if (strcmp(name, "clients") == 0)
        return out->n_clients == 0 && parse_count(value, &out->n_clients);
    if (strcmp(name, "memory") == 0)
        return out->memory_bytes == 0 && parse_bytes(value, &out->memory_bytes);
    if (strcmp(name, "device-memory") == 0)
        return out->device_bytes == 0 && parse_bytes(value, &out->device_bytes);
    return strcmp(name, "weight") == 0 && out->weight <= 0 &&
           parse_weight(value, &out->weight);
}

static const limits_entry_t *find(const remote_limits_t *l, const char *user)
{
    for (int i = 0; i < l->n; i++)
        if (strcmp(l->at[i].user, user) == 0)
            return &l->at[i];
    return NULL;
}

/* @param at  has room for one more */
static status_t read_entry(lines_t *lines, char *text, remote_limits_t *l)
{
    limits_entry_t *e = &l->at[l->n];
    char *save, *word = strtok_r(text, " \t", &save);

    *e = (limits_entry_t){.limits = {0}};
    if (strcmp(word, rest) != 0 && !remote_keys_is_name(word, strlen(word)))
        return lines_refuse(lines,
                            "'%.40s' is no user: give the name of a key, the number of "
                            "a user of a Unix socket, or *",
                            word);
    if (find(l, word) != NULL)
        return lines_refuse(lines, "%s has a line above; leave one of both", word);
    strcpy(e->user, word);
    while ((word = strtok_r(NULL, " \t", &save)) != NULL) {
        char *equals = strchr(word, '=');

        if (equals != NULL)
            *equals = '\0';
        if (equals == NULL || !parse_limit(word, equals + 1, &e->limits))
            return lines_refuse(lines,
                                "'%.40s%s%.40s': give clients=1 to %d, memory=SIZE, "
                                "device-memory=SIZE and weight=0.01 to %d, each once",
                                word, equals != NULL ? "=" : "",
                                equals != NULL ? equals + 1 : "", LIMIT_CLIENTS_MAX,
                                LIMIT_WEIGHT_MAX);
    }
    l->n++;
    return ST_OK;
}

/* @param bytes  of each client; 0: not limited @return ST_OK or ST_EINPUT (logged) */
static status_t check_part(const char *path, const char *user, const char *name,
                           int64_t bytes, int64_t n_clients, int64_t min)
{
    char size[BYTE_SIZE_TEXT_BYTES], least[BYTE_SIZE_TEXT_BYTES];

    if (bytes == 0 || bytes >= min)
        return ST_OK;
    log_error("%s: %s has %s of %s for each of %d clients; give at least %s for each, or "
              "fewer clients",
              path, user, byte_size_text((double)bytes, size), name, (int)n_clients,
              byte_size_text((double)min, least));
    return ST_EINPUT;
}

/* A file that is being written may be empty: that is not to lift all limits. */
static status_t check(const remote_limits_t *l, const char *path,
                      const user_limits_t *fallback)
{
    status_t st = ST_OK;

    if (l->n == 0) {
        log_error("%s: no user is named; give a line for *, or leave out --limits", path);
        return ST_EINPUT;
    }
    for (int i = 0; st == ST_OK && i < l->n; i++) {
        const char *user = l->at[i].user;
        const user_limits_t u = remote_limits_of(l, user, fallback);

        st = check_part(path, user, "memory", u.memory_bytes, u.n_clients,
                        LIMIT_MEMORY_BYTES_MIN);
        if (st == ST_OK)
            st = check_part(path, user, "device-memory", u.device_bytes, u.n_clients,
                            LIMIT_DEVICE_BYTES_MIN);
    }
    return st;
}

/* What can be read once only, such as a pipe, would stop the server at the next client.
 * @return ST_OK or ST_EINPUT (logged) */
static status_t check_file(const char *path)
{
    struct stat info;

    if (stat(path, &info) != 0 || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode))
        return ST_OK; /* its reader says more */
    log_error("%s: limits are read again for each client; give a regular file", path);
    return ST_EINPUT;
}

status_t remote_limits_read(const char *path, const user_limits_t *fallback,
                            remote_limits_t *out)
{
    remote_limits_t l = {.at = calloc(ENTRIES_MAX, sizeof(*l.at))};
    lines_t *lines = NULL;
    char *text;
    status_t st = l.at != NULL ? check_file(path) : log_nomem("limits");

    if (st == ST_OK)
        st = lines_open(path, &lines);
    while (st == ST_OK && (st = lines_next_entry(lines, &text)) == ST_OK && text != NULL)
        st = l.n < ENTRIES_MAX
                 ? read_entry(lines, text, &l)
                 : lines_refuse(lines, "there are more than %d users", ENTRIES_MAX);
    lines_close(lines);
    if (st == ST_OK)
        st = check(&l, path, fallback);
    if (st != ST_OK) {
        remote_limits_free(&l);
        return st;
    }
    *out = l;
    return ST_OK;
}

/* What is not given yet. */
static void add(user_limits_t *to, const user_limits_t *from)
{
    if (to->n_clients == 0)
        to->n_clients = from->n_clients;
    if (to->memory_bytes == 0)
        to->memory_bytes = from->memory_bytes;
    if (to->device_bytes == 0)
        to->device_bytes = from->device_bytes;
    if (to->weight <= 0)
        to->weight = from->weight;
}

/* Rounded up: 0 is no limit. */
static int64_t even_part(int64_t bytes, int64_t n)
{
    return bytes / n + (bytes % n > 0);
}

user_limits_t remote_limits_of(const remote_limits_t *l, const char *user,
                               const user_limits_t *fallback)
{
    const size_t skip =
        strncmp(user, prefix, sizeof(prefix) - 1) == 0 ? sizeof(prefix) - 1 : 0;
    const limits_entry_t *mine = find(l, user + skip), *others = find(l, rest);
    user_limits_t u = {0};

    if (mine != NULL)
        add(&u, &mine->limits);
    if (others != NULL)
        add(&u, &others->limits);
    if (u.n_clients == 0)
        u.n_clients = fallback->n_clients;
    u.memory_bytes = even_part(u.memory_bytes, u.n_clients);
    u.device_bytes = even_part(u.device_bytes, u.n_clients);
    add(&u, fallback);
    return u;
}

void remote_limits_free(remote_limits_t *l)
{
    free(l->at);
    *l = (remote_limits_t){.n = 0};
}
