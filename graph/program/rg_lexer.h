/*
 * rg_lexer.h - cuts the text of a graph program into tokens.
 */
#pragma once

#include "graph/program/rg_program.h"

typedef enum {
    TOKEN_END,
    TOKEN_NAME, /* also keywords */
    TOKEN_INT,
    TOKEN_REAL,
    TOKEN_SIGN, /* punctuation: "+", "<=" */
    TOKEN_WRONG /* no token; `wrong` says why */
} rg_token_kind_t;

typedef struct {
    rg_token_kind_t kind;
    rg_at_t at;
    const char *text; /* in the text, not terminated */
    size_t len;
    rg_value_t value; /* of a number */
    const char *wrong;
} rg_token_t;

typedef struct {
    const char *next, *end;
    rg_at_t at;
} rg_lexer_t;

static inline rg_lexer_t rg_lexer_begin(const char *text, size_t len)
{
    return (rg_lexer_t){text, text + len, {1, 1}};
}

/* @return the next token; TOKEN_END again and again at the end */
rg_token_t rg_lexer_next(rg_lexer_t *lexer);
