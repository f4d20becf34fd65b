/*
 * remote_keys.c - files of users and their keys.
 */
#include "dispatcher/remote/remote_keys.h"

#include "io/base/logmsg.h"
#include "io/file/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEX = 2 * KEY_BYTES, USERS_MAX = 10000 };

static const char digits[] = "0123456789abcdef";

status_t remote_keys_path(const char *given, char *out, size_t size)
{
    const char *home = getenv("HOME"), *path = given;

    if (path == NULL && (path = getenv("RIBOGRID_KEYS")) != NULL && *path == '\0')
        path = NULL;
    if (path != NULL && strlen(path) < size) {
        strcpy(out, path);
        return ST_OK;
    }
    if (path == NULL && home != NULL &&
        (size_t)snprintf(out, size, "%s/.config/ribogrid/keys", home) < size)
        return ST_OK;
    log_error("there is no file of keys: set RIBOGRID_KEYS to the path of one");
    return ST_EUSAGE;
}

/* @return whether a file may hold keys, or is not there */
static status_t check_mode(const char *path, bool *exists)
{
    struct stat info;

    *exists = stat(path, &info) == 0;
    if (!*exists && errno == ENOENT)
        return ST_OK;
    if (!*exists || !S_ISREG(info.st_mode)) {
        log_error("%s: cannot read keys: %s", path,
                  *exists ? "it is not a file" : strerror(errno));
        return ST_EIO;
    }
    if ((info.st_mode & 077) == 0 && (info.st_uid == geteuid() || info.st_uid == 0))
        return ST_OK;
    log_error("%s: others may read these keys, or write them; run `chmod 600 %s`, be its "
              "owner, and make new keys if they may be known",
              path, path);
    return ST_EINPUT;
}

bool remote_keys_is_name(const char *text, size_t len)
{
    return len > 0 && len < KEY_NAME_BYTES &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                        "0123456789-._") >= len;
}

static bool parse_line(const char *text, remote_key_t *out)
{
    const size_t len = strcspn(text, " \t");
    const char *hex = text + len + strspn(text + len, " \t");

    if (!remote_keys_is_name(text, len) || strlen(hex) != HEX ||
        strspn(hex, digits) != HEX)
        return false;
    memset(out, 0, sizeof(*out));
    memcpy(out->name, text, len);
    for (int i = 0; i < HEX; i++)
        out->key[i / 2] =
            (unsigned char)(out->key[i / 2] << 4 | (strchr(digits, hex[i]) - digits));
    return true;
}

const remote_key_t *remote_keys_find(const remote_keys_t *keys, const char *name)
{
    const remote_key_t *found = NULL;

    for (int i = 0; i < keys->n; i++)
        if (strcmp(keys->at[i].name, name) == 0)
            found = &keys->at[i];
    return found;
}

/* @param at  has room for one more */
static status_t read_entry(lines_t *lines, char *text, remote_keys_t *keys)
{
    remote_key_t *key = &keys->at[keys->n];

    if (keys->n == USERS_MAX)
        return lines_refuse(lines, "there are more than %d users", USERS_MAX);
    if (!parse_line(text, key))
        return lines_refuse(lines,
                            "give a name of letters, digits, '-', '.' and '_', of at "
                            "most %d, then 64 hexadecimal digits, such as `ribogrid "
                            "serve-device --new-key NAME` writes",
                            KEY_NAME_BYTES - 1);
    if (remote_keys_find(keys, key->name) != NULL)
        return lines_refuse(lines, "%s has a key above; leave one of both", key->name);
    keys->n++;
    return ST_OK;
}

/* Keys are not left in memory that is freed. @return whether there is room for one more
 */
static bool grow(remote_keys_t *keys)
{
    const size_t n = (size_t)keys->n;
    remote_key_t *more;

    if ((n & (n - 1)) != 0)
        return true;
    if ((more = calloc(n == 0 ? 1 : 2 * n, sizeof(*more))) == NULL)
        return false;
    if (n > 0) {
        memcpy(more, keys->at, n * sizeof(*more));
        explicit_bzero(keys->at, n * sizeof(*more));
    }
    free(keys->at);
    keys->at = more;
    return true;
}

status_t remote_keys_read(const char *path, remote_keys_t *out)
{
    remote_keys_t keys = {.n = 0};
    lines_t *lines = NULL;
    char *text;
    bool exists;
    status_t st = check_mode(path, &exists);

    if (st == ST_OK && !exists) {
        log_error("%s: there is no such file of keys; `ribogrid serve-device --new-key "
                  "NAME` on the server makes one, whose line belongs here, too",
                  path);
        return ST_EIO;
    }
    if (st != ST_OK || (st = lines_open(path, &lines)) != ST_OK)
        return st;
    while ((st = lines_next_entry(lines, &text)) == ST_OK && text != NULL) {
        st = grow(&keys) ? read_entry(lines, text, &keys) : log_nomem("keys");
        explicit_bzero(text, strlen(text));
        if (st != ST_OK)
            break;
    }
    lines_close(lines);
    if (st == ST_OK && keys.n == 0) {
        log_error("%s: there is no key; `ribogrid serve-device --new-key NAME` makes one",
                  path);
        st = ST_EINPUT;
    }
    if (st != ST_OK) {
        remote_keys_free(&keys);
        return st;
    }
    *out = keys;
    return ST_OK;
}

status_t remote_keys_random(unsigned char key[KEY_BYTES])
{
    if (getrandom(key, KEY_BYTES, 0) == KEY_BYTES)
        return ST_OK;
    log_error("there are no random bytes: %s", strerror(errno));
    return ST_EIO;
}

/* @return ST_OK, or ST_EUSAGE (logged): the file has the user already */
static status_t check_new(const char *path, const char *name)
{
    remote_keys_t keys;
    struct stat info;
    status_t st;

    if (stat(path, &info) != 0 || info.st_size == 0)
        return ST_OK;
    if ((st = remote_keys_read(path, &keys)) != ST_OK)
        return st;
    if (remote_keys_find(&keys, name) != NULL) {
        log_error("%s: %s has a key; give another name, or remove the line", path, name);
        st = ST_EUSAGE;
    }
    remote_keys_free(&keys);
    return st;
}

/* @param line  [len] with its newline */
static status_t append_line(const char *path, const char *line, size_t len)
{
    const int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    const off_t size = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
    char last = '\n';
    bool is_written = fd >= 0 && (size == 0 || pread(fd, &last, 1, size - 1) == 1) &&
                      (last == '\n' || write(fd, "\n", 1) == 1) &&
                      write(fd, line, len) == (ssize_t)len && fsync(fd) == 0;

    if (!is_written)
        log_error("%s: cannot write keys: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return is_written ? ST_OK : ST_EIO;
}

status_t remote_keys_add(const char *path, const char *name)
{
    unsigned char key[KEY_BYTES];
    char line[KEY_NAME_BYTES + HEX + 3];
    size_t len = strlen(name);
    bool exists;
    status_t st = check_mode(path, &exists);

    if (!remote_keys_is_name(name, len)) {
        log_error("--new-key %s: give a name of letters, digits, '-', '.' and '_', of at "
                  "most %d",
                  name, KEY_NAME_BYTES - 1);
        return ST_EUSAGE;
    }
    if (st != ST_OK || (st = check_new(path, name)) != ST_OK ||
        (st = remote_keys_random(key)) != ST_OK)
        return st;
    memcpy(line, name, len);
    line[len++] = ' ';
    for (int i = 0; i < HEX; i++)
        line[len++] = digits[key[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15];
    line[len++] = '\n';
    st = append_line(path, line, len);
    explicit_bzero(key, sizeof(key));
    explicit_bzero(line, sizeof(line));
    return st;
}

void remote_keys_free(remote_keys_t *keys)
{
    if (keys->at != NULL)
        explicit_bzero(keys->at, (size_t)keys->n * sizeof(*keys->at));
    free(keys->at);
    *keys = (remote_keys_t){.n = 0};
}
