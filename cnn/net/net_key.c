/*
 * net_key.c - values of keys, each parsed whole and within its range.
 */
#include "cnn/net/cnn_net.h"

#include "io/base/logmsg.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_BYTES = 400 };

status_t net_refuse(const net_source_t *source, const char *fmt, ...)
{
    char message[MESSAGE_BYTES];
    va_list args;

    va_start(args, fmt);
    vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);
    if (source->line > 0)
        log_error("%s:%d: %s", source->name, source->line, message);
    else
        log_error("%s: %s", source->name, message);
    return ST_EINPUT;
}

int net_key_find(const net_key_t *keys, const char *name)
{
    for (int k = 0; keys[k].name != NULL; k++)
        if (strcmp(keys[k].name, name) == 0)
            return k;
    return -1;
}

/* Parse an integer, up to the end of the text or one of `ends`. */
static bool parse_int(const char **text, const char *ends, double min, double max,
                      int64_t *out)
{
    char *end;
    long long n;

    if (**text < '0' || **text > '9') /* strtoll accepts blanks and signs */
        return false;
    errno = 0;
    n = strtoll(*text, &end, 10);
    if (errno != 0 || (*end != '\0' && strchr(ends, *end) == NULL) || (double)n < min ||
        (double)n > max)
        return false;
    *text = end;
    *out = n;
    return true;
}

/* Parse n integers with an 'x' between them. */
static bool parse_sizes(const char *text, double min, double max, int n, int64_t *out)
{
    for (int i = 0; i < n; i++) {
        if (!parse_int(&text, "x", min, max, &out[i]) || (*text == 'x') != (i + 1 < n))
            return false;
        text += *text == 'x';
    }
    return true;
}

/* "3" is "3x3". */
static bool parse_pair(const char *text, double min, double max, int *out)
{
    bool is_square = strchr(text, 'x') == NULL;
    int64_t sizes[2];

    if (!parse_sizes(text, min, max, is_square ? 1 : 2, sizes))
        return false;
    out[0] = (int)sizes[0];
    out[1] = (int)sizes[is_square ? 0 : 1];
    return true;
}

static bool parse_real(const char *text, double min, double max, double *out)
{
    char *end;
    double x;

    if (*text == '\0' || strspn(text, "+-.0123456789eE") != strlen(text))
        return false;
    x = strtod(text, &end);
    if (*end != '\0' || !isfinite(x) || x < min || x > max)
        return false;
    *out = x;
    return true;
}

static bool parse_choice(const char *text, const char *words, int *out)
{
    size_t len = strlen(text);
    int k = 0;

    for (const char *word = words;; word++, k++) {
        size_t word_len = strcspn(word, "|");

        if (word_len == len && memcmp(word, text, len) == 0) {
            *out = k;
            return true;
        }
        word += word_len;
        if (*word == '\0')
            return false;
    }
}

static bool parse_init(const char *text, cnn_init_t *out)
{
    static const char gaussian[] = "gaussian:", constant[] = "constant:";
    cnn_init_t init = {CNN_INIT_XAVIER, 0};
    bool good = true;

    if (strcmp(text, "he") == 0) {
        init.kind = CNN_INIT_HE;
    } else if (strncmp(text, gaussian, strlen(gaussian)) == 0) {
        init.kind = CNN_INIT_GAUSSIAN;
        good = parse_real(text + strlen(gaussian), 0, 1e6, &init.value);
    } else if (strncmp(text, constant, strlen(constant)) == 0) {
        init.kind = CNN_INIT_CONSTANT;
        good = parse_real(text + strlen(constant), -1e6, 1e6, &init.value);
    } else {
        good = strcmp(text, "xavier") == 0;
    }
    if (good)
        *out = init;
    return good;
}

static bool parse_bool(const char *text, bool *out)
{
    if (strcmp(text, "yes") != 0 && strcmp(text, "no") != 0)
        return false;
    *out = text[0] == 'y';
    return true;
}

static bool parse_one(const char *text, const net_key_t *key, int *out)
{
    int64_t n;

    if (!parse_int(&text, "", key->min, key->max, &n))
        return false;
    *out = (int)n;
    return true;
}

static bool parse(const net_key_t *key, const char *text, void *to)
{
    switch (key->kind) {
    case NET_INT:
        return parse_one(text, key, to);
    case NET_REAL:
        return parse_real(text, key->min, key->max, to);
    case NET_PAIR:
        return parse_pair(text, key->min, key->max, to);
    case NET_BOOL:
        return parse_bool(text, to);
    case NET_CHOICE:
        return parse_choice(text, key->words, to);
    case NET_INIT:
        return parse_init(text, to);
    case NET_IMAGE:
        return parse_sizes(text, key->min, key->max, 3, to);
    }
    return false;
}

static status_t refuse_value(const net_source_t *source, const net_key_t *key,
                             const char *value)
{
    const char *name = key->name;

    switch (key->kind) {
    case NET_INT:
        return net_refuse(source, "%s = '%s': give a whole number from %.0f to %.0f",
                          name, value, key->min, key->max);
    case NET_REAL:
        return net_refuse(source, "%s = '%s': give a number from %g to %g", name, value,
                          key->min, key->max);
    case NET_PAIR:
        return net_refuse(source,
                          "%s = '%s': give whole numbers from %.0f to %.0f, such as 3, "
                          "or 3x5 for height and width",
                          name, value, key->min, key->max);
    case NET_BOOL:
        return net_refuse(source, "%s = '%s': give yes or no", name, value);
    case NET_CHOICE:
        return net_refuse(source, "%s = '%s': give one of %s", name, value, key->words);
    case NET_INIT:
        return net_refuse(source,
                          "%s = '%s': give xavier, he, gaussian:DEVIATION or "
                          "constant:VALUE",
                          name, value);
    case NET_IMAGE:
        break;
    }
    return net_refuse(source,
                      "%s = '%s': give CHANNELSxHEIGHTxWIDTH, each from %.0f to %.0f, "
                      "such as 3x224x224",
                      name, value, key->min, key->max);
}

status_t net_key_set(const net_source_t *source, const net_key_t *keys, int key,
                     const char *value, void *to, uint64_t *given)
{
    const net_key_t *k = &keys[key];

    if (*given >> key & 1)
        return net_refuse(source, "%s is given twice; remove one of the two", k->name);
    if (!parse(k, value, (char *)to + k->at))
        return refuse_value(source, k, value);
    *given |= UINT64_C(1) << key;
    return ST_OK;
}
