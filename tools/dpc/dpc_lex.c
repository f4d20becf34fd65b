/*
 * dpc_lex.c - splits a CUDA file into tokens.
 */
#include "tools/dpc/dpc_lex.h"

#include "io/base/logmsg.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *text;
    size_t len, at;
    int line;
    bool in_directive, is_line_start;
} scan_t;

static char peek(const scan_t *s, size_t ahead)
{
    return s->at + ahead < s->len ? s->text[s->at + ahead] : '\0';
}

static void step(scan_t *s)
{
    if (s->text[s->at++] == '\n')
        s->line++;
}

/* Pass a line's end that a backslash hides. @return whether there was one */
static bool skip_continuation(scan_t *s)
{
    const size_t bytes = peek(s, 1) == '\r' ? 3 : 2;

    if (peek(s, 0) != '\\' || peek(s, bytes - 1) != '\n')
        return false;
    for (size_t i = 0; i < bytes; i++)
        step(s);
    return true;
}

static void skip_comment(scan_t *s)
{
    if (peek(s, 1) == '/') {
        while (s->at < s->len && peek(s, 0) != '\n')
            if (!skip_continuation(s))
                step(s);
        return;
    }
    s->at += 2;
    while (s->at < s->len && !(peek(s, 0) == '*' && peek(s, 1) == '/'))
        step(s);
    for (int i = 0; i < 2 && s->at < s->len; i++)
        step(s);
}

/* Pass white space and comments. */
static void skip_space(scan_t *s)
{
    while (s->at < s->len) {
        const char c = peek(s, 0);

        if (c == '\n') {
            s->in_directive = false;
            s->is_line_start = true;
            step(s);
        } else if (isspace((unsigned char)c)) {
            step(s);
        } else if (c == '/' && (peek(s, 1) == '/' || peek(s, 1) == '*')) {
            skip_comment(s);
        } else if (!skip_continuation(s)) {
            return;
        }
    }
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static void skip_quoted(scan_t *s, char quote)
{
    step(s);
    while (s->at < s->len && peek(s, 0) != quote && peek(s, 0) != '\n') {
        if (peek(s, 0) == '\\' && s->at + 1 < s->len)
            step(s);
        step(s);
    }
    if (peek(s, 0) == quote)
        step(s);
}

/* R"delimiter( ... )delimiter" */
static void skip_raw(scan_t *s)
{
    size_t n = 1;

    while (n <= 16 && s->at + n < s->len && peek(s, n) != '(')
        n++;
    const char *delimiter = s->text + s->at + 1;
    const size_t len = n - 1;

    while (s->at < s->len) {
        if (peek(s, 0) == ')' && s->at + len + 1 < s->len && peek(s, len + 1) == '"' &&
            memcmp(s->text + s->at + 1, delimiter, len) == 0) {
            s->at += len + 2;
            return;
        }
        step(s);
    }
}

static void skip_mark(scan_t *s)
{
    static const char *const marks[] = {"<<<", "<<=", "->", "::", "++", "--", "&&",
                                        "||",  "==",  "!=", "<=", ">=", "+=", "-=",
                                        "*=",  "/=",  "%=", "&=", "|=", "^=", "<<"};

    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        const size_t len = strlen(marks[i]);

        if (len <= s->len - s->at && memcmp(s->text + s->at, marks[i], len) == 0) {
            s->at += len;
            return;
        }
    }
    s->at++;
}

static lex_kind_t skip_token(scan_t *s)
{
    const char c = peek(s, 0);
    const size_t begin = s->at;

    if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)peek(s, 1)))) {
        while (is_name(peek(s, 0)) || peek(s, 0) == '.' ||
               (peek(s, 0) == '\'' && is_name(peek(s, 1))) ||
               ((peek(s, 0) == '+' || peek(s, 0) == '-') &&
                strchr("eEpP", s->text[s->at - 1]) != NULL &&
                !(s->text[begin] == '0' && strchr("xX", s->text[begin + 1]) != NULL &&
                  strchr("eE", s->text[s->at - 1]) != NULL)))
            s->at++;
        return LEX_NUMBER;
    }
    if (is_name(c)) {
        while (s->at < s->len && is_name(peek(s, 0)))
            s->at++;
        if (peek(s, 0) != '"' || s->at - begin > 3)
            return LEX_NAME;
        if (s->text[s->at - 1] == 'R')
            skip_raw(s);
        else
            skip_quoted(s, '"');
        return LEX_TEXT;
    }
    if (c == '"' || c == '\'') {
        skip_quoted(s, c);
        return LEX_TEXT;
    }
    skip_mark(s);
    return LEX_MARK;
}

status_t lex_scan(const char *text, size_t len, lex_t *out)
{
    scan_t s = {.text = text, .len = len, .line = 1, .is_line_start = true};
    lex_token_t *all = NULL;
    size_t n = 0, room = 0;

    for (skip_space(&s); s.at < s.len; skip_space(&s)) {
        lex_token_t t = {.begin = s.at, .line = s.line};

        if (n == room) {
            room = 2 * room + 1024;
            lex_token_t *more = realloc(all, room * sizeof(*all));

            if (more == NULL) {
                free(all);
                return log_nomem("tokens");
            }
            all = more;
        }
        t.is_first = s.is_line_start && peek(&s, 0) == '#';
        s.in_directive = s.in_directive || t.is_first;
        s.is_line_start = false;
        t.in_directive = s.in_directive;
        t.kind = skip_token(&s);
        t.end = s.at;
        all[n++] = t;
    }
    *out = (lex_t){.text = text, .len = len, .all = all, .n = n};
    return ST_OK;
}

void lex_free(lex_t *lex)
{
    free(lex->all);
    *lex = (lex_t){0};
}

bool lex_is(const lex_t *lex, size_t i, const char *word)
{
    const size_t len = strlen(word);

    return i < lex->n && lex->all[i].end - lex->all[i].begin == len &&
           memcmp(lex->text + lex->all[i].begin, word, len) == 0;
}

bool lex_equal(const lex_t *lex, size_t i, size_t k)
{
    const lex_token_t *a = &lex->all[i], *b = &lex->all[k];

    return a->end - a->begin == b->end - b->begin &&
           memcmp(lex->text + a->begin, lex->text + b->begin, a->end - a->begin) == 0;
}

size_t lex_at(const lex_t *lex, size_t offset)
{
    size_t low = 0, high = lex->n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (lex->all[middle].begin < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t lex_before(const lex_t *lex, size_t i)
{
    while (i-- > 0)
        if (!lex->all[i].in_directive)
            return i;
    return lex->n;
}

size_t lex_close(const lex_t *lex, size_t i)
{
    const bool in_directive = i < lex->n && lex->all[i].in_directive;
    int depth = 0;

    for (; i < lex->n; i++) {
        if (lex->all[i].kind != LEX_MARK || lex->all[i].in_directive != in_directive)
            continue;
        const char c = lex->text[lex->all[i].begin];

        if (c == '(' || c == '[' || c == '{')
            depth++;
        else if ((c == ')' || c == ']' || c == '}') && --depth == 0)
            return i;
    }
    return lex->n;
}

size_t lex_directive_end(const lex_t *lex, size_t i)
{
    for (i++; i < lex->n && lex->all[i].in_directive && !lex->all[i].is_first;)
        i++;
    return i;
}
