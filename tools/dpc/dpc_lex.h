/*
 * dpc_lex.h - the tokens of a CUDA file.
 *
 * Comments are left out; a text in quotes is one token.  Nothing is expanded: code that
 * the preprocessor leaves out has tokens, too.
 */
#pragma once

#include "io/base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum { LEX_NAME, LEX_NUMBER, LEX_TEXT, LEX_MARK } lex_kind_t;

typedef struct {
    size_t begin, end;
    int line; /* from 1 */
    lex_kind_t kind;
    bool in_directive; /* no code: of a line that begins with #, or left out */
    bool is_left_out;  /* by the preprocessor; the caller's to set */
    bool is_first;     /* the # itself */
} lex_token_t;

typedef struct {
    const char *text; /* borrowed */
    size_t len;
    lex_token_t *all;
    size_t n;
} lex_t;

/* @param out  freed by lex_free
 * @return ST_OK or ST_ENOMEM (logged) */
status_t lex_scan(const char *text, size_t len, lex_t *out) MUST_CHECK;

void lex_free(lex_t *lex);

/* @return whether token i exists and is this word; tokens of n and beyond do not exist */
bool lex_is(const lex_t *lex, size_t i, const char *word);

/* @return whether two tokens are the same word */
bool lex_equal(const lex_t *lex, size_t i, size_t k);

/* @return the first token that begins at or behind an offset; n: none does */
size_t lex_at(const lex_t *lex, size_t offset);

/* @return the token of code before i; lex->n: there is none */
size_t lex_before(const lex_t *lex, size_t i);

/* @return the token that closes the (, [ or { of i; lex->n: none does */
size_t lex_close(const lex_t *lex, size_t i);

/* @return the first token behind the directive of i */
size_t lex_directive_end(const lex_t *lex, size_t i);
