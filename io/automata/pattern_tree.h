/*
 * pattern_tree.h - the syntax of a pattern as a tree.
 *
 * Patterns are regular expressions over bytes in the syntax of PCRE, as far as automata
 * can find them (docs/automata.md).
 */
#pragma once

#include "io/automata/byte_set.h"
#include "io/base/buf.h"

typedef enum {
    PATTERN_EMPTY,
    PATTERN_SET,    /* a byte out of a set */
    PATTERN_BEGIN,  /* ^ */
    PATTERN_FINISH, /* $ */
    PATTERN_CHAIN,  /* left, then right */
    PATTERN_CHOICE, /* left or right */
    PATTERN_REPEAT  /* left, min to max times */
} pattern_node_kind_t;

enum { PATTERN_NO_MAX = -1, PATTERN_MAX_REPEAT = 65535, PATTERN_MAX_DEPTH = 250 };

typedef struct {
    pattern_node_kind_t kind;
    int32_t left, right; /* numbers of nodes, lower than this one's */
    int32_t min, max;
    byte_set_t set;
} pattern_node_t;

/* Zeroed at first; freed by buf_free(&tree.nodes). */
typedef struct {
    buf_t nodes;  /* pattern_node_t */
    int32_t root; /* its nodes have lower numbers */
} pattern_tree_t;

static inline const pattern_node_t *pattern_tree_node(const pattern_tree_t *t, int32_t k)
{
    return (const pattern_node_t *)(const void *)t->nodes.data + k;
}

/* Why a pattern is refused. */
typedef struct {
    int64_t column;   /* from 1: the byte of the line where the cause begins */
    const char *what; /* "look-around is not supported"; a static text */
} pattern_error_t;

/* Flags that a pattern begins with. */
enum { PATTERN_CASELESS = 1, PATTERN_DOT_ALL = 2 };

/*
 * Parse a pattern.
 *
 * @param text   [len] without delimiters
 * @param flags  PATTERN_CASELESS, ...
 * @param out    zeroed
 * @param why    out, on ST_EINPUT; its column counts from the begin of the text
 * @return ST_OK, ST_ENOMEM (logged) or ST_EINPUT (not logged)
 */
status_t pattern_tree_parse(const char *text, size_t len, unsigned flags,
                            pattern_tree_t *out, pattern_error_t *why) MUST_CHECK;
