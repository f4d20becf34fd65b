/*
 * dpc_pragma.c - parses the clauses of `#pragma dp`.
 */
#include "tools/dpc/dpc_pragma.h"

#include "io/base/near_word.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const dp_level_name[] = {"warp", "block", "grid"};

enum { LEVEL_UNSET = -1, MAX_THREADS = 1024, MAX_BLOCKS = 65535, MAX_COARSEN = 65535 };

#define MAX_POOL_BYTES INT64_C(2147483647)
#define MAX_ITEMS \
    INT64_C(67108863) /* 2^26 - 1, as an index in dpc_runtime.inc has 26 bits */

typedef struct {
    const char *at, *end;
    dp_pragma_t *to;
    char *reason;
    int level;
    unsigned given; /* clauses, as bits */
} parse_t;

__attribute__((format(printf, 2, 3))) static bool refuse(parse_t *p, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(p->reason, DP_REASON_BYTES, fmt, args);
    va_end(args);
    return false;
}

/* Pass white space, comments and ends of continued lines. */
static void skip_space(parse_t *p)
{
    while (p->at < p->end) {
        if (isspace((unsigned char)*p->at) || *p->at == '\\') {
            p->at++;
        } else if (p->end - p->at >= 2 && p->at[0] == '/' && p->at[1] == '/') {
            p->at = p->end;
        } else if (p->end - p->at >= 2 && p->at[0] == '/' && p->at[1] == '*') {
            for (p->at += 2;
                 p->end - p->at >= 2 && !(p->at[0] == '*' && p->at[1] == '/');)
                p->at++;
            p->at = p->end - p->at >= 2 ? p->at + 2 : p->end;
        } else {
            return;
        }
    }
}

static bool accept(parse_t *p, char c)
{
    skip_space(p);
    if (p->at == p->end || *p->at != c)
        return false;
    p->at++;
    return true;
}

/* A name or a number. */
static dp_word_t next_word(parse_t *p)
{
    skip_space(p);
    dp_word_t w = {p->at, 0};

    while (p->at < p->end && (isalnum((unsigned char)*p->at) || *p->at == '_'))
        p->at++;
    w.len = (size_t)(p->at - w.at);
    return w;
}

static bool is_word(dp_word_t w, const char *text)
{
    return w.len == strlen(text) && memcmp(w.at, text, w.len) == 0;
}

static bool is_number(dp_word_t w)
{
    return w.len > 0 && isdigit((unsigned char)w.at[0]);
}

/* @return whether w is a number from 1 to max */
static bool to_number(dp_word_t w, int64_t max, int64_t *out)
{
    int64_t n = 0;

    if (!is_number(w))
        return false;
    for (size_t i = 0; i < w.len; i++) {
        if (!isdigit((unsigned char)w.at[i]) || n > max)
            return false;
        n = 10 * n + (w.at[i] - '0');
    }
    *out = n;
    return n >= 1 && n <= max;
}

static int shown(dp_word_t w)
{
    return w.len > 40 ? 40 : (int)w.len;
}

static bool parse_level(parse_t *p)
{
    const dp_word_t w = next_word(p);

    for (int k = DP_WARP; k <= DP_GRID; k++)
        if (is_word(w, dp_level_name[k])) {
            p->to->level = (dp_level_t)k;
            return true;
        }
    return refuse(p, "consldt(%.*s): give warp, block or grid", shown(w), w.at);
}

static bool parse_buffer(parse_t *p)
{
    const dp_word_t kind = next_word(p);
    dp_word_t w;

    if (is_word(kind, "halloc"))
        return refuse(p, "buffer(halloc): halloc does not run on GPUs since sm_70; give "
                         "default or custom");
    if (!is_word(kind, "default") && !is_word(kind, "custom"))
        return refuse(p, "buffer(%.*s): give default or custom", shown(kind), kind.at);
    p->to->is_custom = is_word(kind, "custom");
    if (!accept(p, ','))
        return true;
    w = next_word(p);
    int64_t n;

    if (w.len == 0 || (is_number(w) && !to_number(w, MAX_ITEMS, &n)))
        return refuse(p,
                      "buffer: perBufferSize is a number of items from 1 to %lld, or "
                      "a variable",
                      (long long)MAX_ITEMS);
    p->to->per_buffer = w;
    if (!accept(p, ','))
        return true;
    if (!to_number(next_word(p), MAX_POOL_BYTES, &p->to->total_bytes))
        return refuse(p, "buffer: totalSize is a number of bytes from 1 to %lld",
                      (long long)MAX_POOL_BYTES);
    return true;
}

static bool parse_work(parse_t *p)
{
    do {
        const dp_word_t w = next_word(p);

        if (w.len == 0 || is_number(w))
            return refuse(p, "work: give the names of variables");
        if (p->to->n_work == DP_WORK_MAX)
            return refuse(p, "work: more than %d variables", DP_WORK_MAX);
        p->to->work[p->to->n_work++] = w;
    } while (accept(p, ','));
    return true;
}

static bool parse_number(parse_t *p, const char *name, int64_t max, int64_t *out)
{
    return to_number(next_word(p), max, out) ||
           refuse(p, "%s: give a number from 1 to %lld", name, (long long)max);
}

static bool parse_clause(parse_t *p, const char *const names[])
{
    const dp_word_t name = next_word(p);
    near_word_t near = near_word_begin(name.at, name.len);
    char guess[NEAR_WORD_BYTES];
    int k = 0;
    bool ok;

    while (names[k] != NULL && !is_word(name, names[k]))
        near_word_try(&near, names[k++]);
    if (name.len == 0)
        return refuse(p, "'%c' where a clause is expected",
                      isprint((unsigned char)*p->at) ? *p->at : '?');
    if (names[k] == NULL)
        return refuse(p, "unknown clause '%.*s'%s", shown(name), name.at,
                      near_word_text(&near, "", guess));
    if ((p->given & 1u << k) != 0)
        return refuse(p, "clause '%s' is given twice", names[k]);
    p->given |= 1u << k;
    if (!accept(p, '('))
        return refuse(p, "'(' is missing after '%s'", names[k]);
    switch (k) {
    case 0:
        ok = parse_level(p);
        break;
    case 1:
        ok = parse_work(p);
        break;
    case 2:
        ok = parse_buffer(p);
        break;
    case 3:
        ok = parse_number(p, names[k], MAX_THREADS, &p->to->threads);
        break;
    case 4:
        ok = parse_number(p, names[k], MAX_BLOCKS, &p->to->blocks);
        break;
    case 5:
        ok = parse_number(p, names[k], INT32_MAX, &p->to->threshold);
        break;
    default:
        ok = parse_number(p, names[k], MAX_COARSEN, &p->to->coarsen);
    }
    return ok && (accept(p, ')') || refuse(p, "')' is missing after '%s'", names[k]));
}

bool dp_pragma_parse(const char *text, size_t len, dp_pragma_t *out,
                     char reason[DP_REASON_BYTES])
{
    static const char *const names[] = {"consldt", "work",      "buffer",  "threads",
                                        "blocks",  "threshold", "coarsen", NULL};
    parse_t p = {.at = text, .end = text + len, .to = out, .reason = reason};

    *out = (dp_pragma_t){0};
    reason[0] = '\0';
    for (skip_space(&p); p.at < p.end; skip_space(&p))
        if (!parse_clause(&p, names))
            return false;
    for (int k = 0; k < 2; k++)
        if ((p.given & 1u << k) == 0)
            return refuse(&p, "clause '%s' is missing", names[k]);
    return true;
}
