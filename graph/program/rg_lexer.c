/*
 * rg_lexer.c - names, numbers, signs; comments and blanks are skipped.
 */
#include "graph/program/rg_lexer.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES = 64 };

/* isalpha and isdigit depend on the locale. */
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char peek(const rg_lexer_t *l, size_t ahead)
{
    return (size_t)(l->end - l->next) > ahead ? l->next[ahead] : '\0';
}

static void step(rg_lexer_t *l)
{
    if (*l->next++ == '\n') {
        l->at.line++;
        l->at.column = 1;
    } else {
        l->at.column++;
    }
}

/* @return NULL, or what is wrong */
static const char *skip_comment(rg_lexer_t *l)
{
    const bool is_line = peek(l, 1) == '/';

    step(l);
    step(l);
    while (l->next < l->end) {
        if (is_line && *l->next == '\n')
            return NULL;
        if (!is_line && *l->next == '*' && peek(l, 1) == '/') {
            step(l);
            step(l);
            return NULL;
        }
        step(l);
    }
    return is_line ? NULL : "this comment has no end; close it with */";
}

static rg_token_t wrong(rg_at_t at, const char *why)
{
    return (rg_token_t){.kind = TOKEN_WRONG, .at = at, .text = "", .wrong = why};
}

/* Digits, then maybe a fraction and an exponent. */
static size_t number_length(const rg_lexer_t *l, bool *is_real)
{
    size_t n = 0, exponent;

    while (is_digit(peek(l, n)))
        n++;
    *is_real = peek(l, n) == '.' && is_digit(peek(l, n + 1));
    if (*is_real)
        for (n++; is_digit(peek(l, n));)
            n++;
    if (peek(l, n) != 'e' && peek(l, n) != 'E')
        return n;
    exponent = n + 1;
    if (peek(l, exponent) == '-' || peek(l, exponent) == '+')
        exponent++;
    if (!is_digit(peek(l, exponent)))
        return n;
    while (is_digit(peek(l, exponent)))
        exponent++;
    *is_real = true;
    return exponent;
}

static rg_token_t number(rg_lexer_t *l)
{
    rg_token_t t = {.at = l->at, .text = l->next};
    char copy[NUMBER_BYTES];
    bool is_real;

    t.len = number_length(l, &is_real);
    if (t.len >= sizeof(copy))
        return wrong(t.at, "this number is too long; write fewer digits");
    if (is_letter(peek(l, t.len)))
        return wrong(t.at, "a number ends with a letter; put a blank between them");
    memcpy(copy, t.text, t.len);
    copy[t.len] = '\0';
    errno = 0;
    if (is_real)
        t.value.r = strtod(copy, NULL);
    else
        t.value.i = strtoll(copy, NULL, 10);
    if (is_real ? !isfinite(t.value.r) : errno != 0)
        return wrong(t.at, "this number is too large; integers go up to 2^63 - 1, real "
                           "numbers to 1.8e308");
    t.kind = is_real ? TOKEN_REAL : TOKEN_INT;
    return t;
}

static rg_token_t sign(const rg_lexer_t *l)
{
    static const char *const two[] = {"==", "!=", "<=", ">=", "&&",
                                      "||", "+=", "|=", "&=", NULL};
    rg_token_t t = {.kind = TOKEN_SIGN, .at = l->at, .text = l->next, .len = 1};

    for (int i = 0; two[i] != NULL; i++)
        if (peek(l, 0) == two[i][0] && peek(l, 1) == two[i][1])
            t.len = 2;
    if (t.len == 1 &&
        (*l->next == '\0' || strchr("+-*/%<>=!?:.,;(){}", *l->next) == NULL))
        return wrong(t.at, "this character has no meaning here; remove it");
    return t;
}

rg_token_t rg_lexer_next(rg_lexer_t *l)
{
    rg_token_t t;

    while (l->next < l->end) {
        const rg_at_t at = l->at;
        const char *why = NULL;

        if (*l->next == '/' && (peek(l, 1) == '/' || peek(l, 1) == '*'))
            why = skip_comment(l);
        else if (*l->next != '\0' && strchr(" \t\r\n", *l->next) != NULL)
            step(l);
        else
            break;
        if (why != NULL)
            return wrong(at, why);
    }
    if (l->next == l->end)
        return (rg_token_t){.kind = TOKEN_END, .at = l->at, .text = ""};
    if (is_digit(*l->next)) {
        t = number(l);
    } else if (is_letter(*l->next)) {
        t = (rg_token_t){.kind = TOKEN_NAME, .at = l->at, .text = l->next};
        while (is_letter(peek(l, t.len)) || is_digit(peek(l, t.len)))
            t.len++;
    } else {
        t = sign(l);
    }
    l->next += t.len;
    l->at.column += (int)t.len;
    return t;
}
