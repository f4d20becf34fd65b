/*
 * pattern_state.h - the place in a pattern that is being parsed, and the parts of the
 * parser.
 */
#pragma once

#include "io/automata/pattern_tree.h"

typedef struct {
    const unsigned char *text;
    size_t len, at;
    unsigned flags; /* now */
    int depth;      /* of groups that are open */
    pattern_tree_t *tree;
    pattern_error_t *why;
} pattern_state_t;

/* @return the byte `ahead` of the place, or -1 behind the end */
static inline int pattern_peek(const pattern_state_t *s, size_t ahead)
{
    return s->at + ahead < s->len ? s->text[s->at + ahead] : -1;
}

/* @return ST_EINPUT. @param at  where the cause begins */
static inline status_t pattern_refuse(pattern_state_t *s, size_t at, const char *what)
{
    *s->why = (pattern_error_t){(int64_t)at + 1, what};
    return ST_EINPUT;
}

/* Add both cases of letters, if case is ignored. */
void pattern_fold_case(const pattern_state_t *s, byte_set_t *set);

/* Parse an escape, whose backslash is at the place: a byte or a class of bytes.
 * @param byte  out: the byte, or -1: a class */
status_t pattern_parse_escape(pattern_state_t *s, bool is_in_class, byte_set_t *set,
                              int *byte) MUST_CHECK;

/* Parse a class, whose bracket is at the place. */
status_t pattern_parse_class(pattern_state_t *s, byte_set_t *set) MUST_CHECK;
