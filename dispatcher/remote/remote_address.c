/*
 * remote_address.c - parses lists of devices.
 */
#include "dispatcher/remote/remote_address.h"

#include "io/base/logmsg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INDEX_MAX = 999 };

static const struct {
    const char *prefix;
    remote_kind_t kind;
} kinds[] = {{"unix:", REMOTE_UNIX},
             {"ssh://", REMOTE_SSH},
             {"tls://", REMOTE_TLS},
             {"", REMOTE_TLS}}; /* HOST:PORT/0 */

enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* @return which kind of address a word of a list is, or -1 */
static int kind_of(const char *word)
{
    const size_t len = strcspn(word, ",");

    for (int i = 0; i < N_KINDS - 1; i++)
        if (strncmp(word, kinds[i].prefix, strlen(kinds[i].prefix)) == 0)
            return i;
    return memchr(word, ':', len) != NULL && memchr(word, '/', len) != NULL ? N_KINDS - 1
                                                                            : -1;
}

bool remote_list_is(const char *text)
{
    for (const char *at = text; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (kind_of(at) >= 0)
            return true;
    }
    return false;
}

void remote_address_text(const remote_address_t *a, char *out, size_t size)
{
    int kind = 0;

    while (kinds[kind].kind != a->kind)
        kind++;
    snprintf(out, size, "%s%s/%d", kinds[kind].prefix, a->place, a->index);
}

#define HOST_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._%"

static bool copy_part(const char *from, size_t len, char *to, size_t size)
{
    if (len >= size)
        return false;
    memcpy(to, from, len);
    to[len] = '\0';
    return true;
}

static bool is_port(const char *text)
{
    char *end;
    const long port = strtol(text, &end, 10);

    return *text >= '0' && *text <= '9' && *end == '\0' && port > 0 && port <= 65535;
}

bool remote_port_parse(const char *text, remote_port_t *out)
{
    const char *at = strchr(text, '@'), *host = at != NULL ? at + 1 : text;
    const char *colon = strrchr(host, ':'), *port = colon != NULL ? colon + 1 : host;
    const size_t len = colon != NULL ? (size_t)(colon - host) : 0;

    *out = (remote_port_t){.user = ""};
    if (!is_port(port) || !copy_part(port, strlen(port), out->port, sizeof(out->port)))
        return false;
    if (at != NULL && (at == text || !copy_part(text, (size_t)(at - text), out->user,
                                                sizeof(out->user))))
        return false;
    if (colon == NULL)
        return at == NULL;
    if (len > 2 && host[0] == '[' && host[len - 1] == ']')
        return copy_part(host + 1, len - 2, out->host, sizeof(out->host)) &&
               out->host[strspn(out->host, HOST_LETTERS ":")] == '\0';
    return len > 0 && copy_part(host, len, out->host, sizeof(out->host)) &&
           out->host[strspn(out->host, HOST_LETTERS)] == '\0';
}

/* A host is a word for ssh, which must not take it for an option. */
static bool is_place(const remote_address_t *a)
{
    remote_port_t port;

    if (a->kind == REMOTE_TLS)
        return remote_port_parse(a->place, &port) && port.host[0] != '\0';
    return a->kind != REMOTE_SSH ||
           (a->place[0] != '-' && a->place[strspn(a->place, HOST_LETTERS "@")] == '\0');
}

/* PLACE/INDEX, [len] bytes. */
static bool parse_remote(int kind, const char *word, size_t len, remote_address_t *out)
{
    const size_t skip = strlen(kinds[kind].prefix);
    const char *slash = memrchr(word, '/', len);
    char *end;
    long index;

    if (slash == NULL || slash < word + skip + 1 || slash + 1 == word + len ||
        (size_t)(slash - word) - skip >= REMOTE_PLACE_BYTES)
        return false;
    index = strtol(slash + 1, &end, 10);
    if (end != word + len || slash[1] < '0' || slash[1] > '9' || index > INDEX_MAX)
        return false;
    *out = (remote_address_t){.kind = kinds[kind].kind, .index = (int)index};
    memcpy(out->place, word + skip, (size_t)(slash - word) - skip);
    return is_place(out);
}

/* @return what is wrong, or NULL */
static const char *add_word(const char *word, size_t len, remote_list_t *out)
{
    const int kind = kind_of(word);

    if (kind >= 0 && out->n == REMOTE_MAX)
        return "there are too many devices";
    if (kind >= 0)
        return parse_remote(kind, word, len, &out->at[out->n++])
                   ? NULL
                   : "give unix:PATH/0, ssh://HOST/0 or tls://HOST:PORT/0, where 0 is "
                     "the "
                     "number of the server's device";
    if (strcmp(out->local, "none") != 0)
        return "give one device of this machine, and any number of remote ones";
    if (len == 0 || len >= sizeof(out->local))
        return "give a list such as cpu,ssh://HOST/0";
    memcpy(out->local, word, len);
    out->local[len] = '\0';
    return NULL;
}

status_t remote_list_parse(const char *text, remote_list_t *out)
{
    *out = (remote_list_t){.local = "none"};
    for (const char *at = text; at != NULL;) {
        const size_t len = strcspn(at, ",");
        const char *why = add_word(at, len, out);

        if (why != NULL) {
            log_error("--device %.200s: '%.*s': %s", text, (int)(len < 200 ? len : 200),
                      at, why);
            return ST_EUSAGE;
        }
        at = at[len] == ',' ? at + len + 1 : NULL;
    }
    return ST_OK;
}
