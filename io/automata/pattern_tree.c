/*
 * pattern_tree.c - parses patterns by recursive descent: choices of chains of repeated
 * atoms.
 */
#include "io/automata/pattern_state.h"

#include <string.h>

static status_t add_node(pattern_state_t *s, pattern_node_t node, int32_t *out)
{
    *out = (int32_t)(s->tree->nodes.len / sizeof(node));
    return buf_append(&s->tree->nodes, &node, sizeof(node));
}

static status_t add_set(pattern_state_t *s, const byte_set_t *set, int32_t *out)
{
    return add_node(s, (pattern_node_t){.kind = PATTERN_SET, .set = *set}, out);
}

static status_t add_byte(pattern_state_t *s, int byte, int32_t *out)
{
    byte_set_t set = {.bits = {0}};

    byte_set_add(&set, byte);
    pattern_fold_case(s, &set);
    return add_set(s, &set, out);
}

static status_t add_dot(pattern_state_t *s, int32_t *out)
{
    byte_set_t set = {.bits = {0}};

    if ((s->flags & PATTERN_DOT_ALL) == 0)
        byte_set_add(&set, '\n');
    byte_set_invert(&set);
    return add_set(s, &set, out);
}

/* ---- groups ---- */

static status_t parse_choice(pattern_state_t *s, int32_t *out);

/* Parse "i-s)" or "i:", the flags behind (?.
 * @param ends  out: there is nothing but flags */
static status_t parse_flags(pattern_state_t *s, bool *ends)
{
    const size_t begin = s->at - 2;
    bool is_on = true;

    for (;; s->at++) {
        const int c = pattern_peek(s, 0);
        const unsigned flag = c == 'i'   ? PATTERN_CASELESS
                              : c == 's' ? PATTERN_DOT_ALL
                                         : 0;

        if (c == ')' || c == ':') {
            *ends = c == ')';
            s->at++;
            return ST_OK;
        }
        if (c == '-' && is_on)
            is_on = false;
        else if (flag != 0)
            s->flags = is_on ? s->flags | flag : s->flags & ~flag;
        else
            return pattern_refuse(s, begin,
                                  c == 'm' || c == 'x'
                                      ? "the flags m and x are not supported"
                                      : "this kind of group is not supported");
    }
}

/* Go behind the name of a group: (?<name> or (?P<name>. */
static status_t skip_name(pattern_state_t *s, size_t begin, size_t n, char last)
{
    const unsigned char *end;

    s->at += n;
    end = memchr(s->text + s->at, last, s->len - s->at);
    if (end == NULL)
        return pattern_refuse(s, begin, "the name of a group does not end");
    s->at = (size_t)(end - s->text) + 1;
    return ST_OK;
}

/* Parse what follows "(?". @param ends  out: the group has ended */
static status_t parse_group_kind(pattern_state_t *s, size_t begin, bool *ends)
{
    const int c = pattern_peek(s, 0), next = pattern_peek(s, 1);

    if (c == '=' || c == '!' || (c == '<' && (next == '=' || next == '!')))
        return pattern_refuse(s, begin, "look-around is not supported");
    if (c == '>')
        return pattern_refuse(s, begin, "atomic groups are not supported");
    if (c == 'P' && next == '=')
        return pattern_refuse(s, begin, "back-references are not supported");
    if (c == '(')
        return pattern_refuse(s, begin, "conditions are not supported");
    if (c == 'R' || c == '&' || c == '+' || (c >= '0' && c <= '9') ||
        (c == 'P' && next == '>') || (c == '-' && next >= '0' && next <= '9'))
        return pattern_refuse(s, begin, "recursion is not supported");
    if (c == 'P' && next == '<')
        return skip_name(s, begin, 2, '>');
    if (c == '<' || c == '\'')
        return skip_name(s, begin, 1, c == '<' ? '>' : '\'');
    if (c == '#') {
        *ends = true;
        return skip_name(s, begin, 1, ')');
    }
    return parse_flags(s, ends);
}

static status_t parse_group(pattern_state_t *s, int32_t *out)
{
    const size_t begin = s->at;
    const unsigned flags = s->flags;
    bool ends = false;
    status_t st = ST_OK;

    s->at++;
    if (pattern_peek(s, 0) == '*')
        return pattern_refuse(s, begin, "verbs are not supported");
    if (pattern_peek(s, 0) == '?') {
        s->at++;
        st = parse_group_kind(s, begin, &ends);
    }
    if (st != ST_OK)
        return st;
    if (ends) /* flags hold on, to the end of the group around */
        return add_node(s, (pattern_node_t){.kind = PATTERN_EMPTY}, out);
    if (++s->depth > PATTERN_MAX_DEPTH)
        return pattern_refuse(s, begin, "groups are nested more than 250 deep");
    if ((st = parse_choice(s, out)) != ST_OK)
        return st;
    if (pattern_peek(s, 0) != ')')
        return pattern_refuse(s, begin, "a group lacks its )");
    s->at++;
    s->depth--;
    s->flags = flags;
    return ST_OK;
}

/* ---- atoms ---- */

/* Parse \Q...\E. */
static status_t parse_quote(pattern_state_t *s, int32_t *out)
{
    status_t st = add_node(s, (pattern_node_t){.kind = PATTERN_EMPTY}, out);

    for (s->at += 2; st == ST_OK && s->at < s->len; s->at++) {
        int32_t byte;

        if (pattern_peek(s, 0) == '\\' && pattern_peek(s, 1) == 'E') {
            s->at += 2;
            break;
        }
        if ((st = add_byte(s, pattern_peek(s, 0), &byte)) == ST_OK)
            st = add_node(
                s, (pattern_node_t){.kind = PATTERN_CHAIN, .left = *out, .right = byte},
                out);
    }
    return st;
}

static status_t parse_escaped(pattern_state_t *s, int32_t *out)
{
    const int c = pattern_peek(s, 1);
    byte_set_t set;
    int byte;
    status_t st;

    if (c == 'A' || c == 'Z') {
        s->at += 2;
        return add_node(
            s, (pattern_node_t){.kind = c == 'A' ? PATTERN_BEGIN : PATTERN_FINISH}, out);
    }
    if (c == 'Q')
        return parse_quote(s, out);
    if (c == 'E') {
        s->at += 2;
        return add_node(s, (pattern_node_t){.kind = PATTERN_EMPTY}, out);
    }
    if ((st = pattern_parse_escape(s, false, &set, &byte)) != ST_OK)
        return st;
    return byte >= 0 ? add_byte(s, byte, out) : add_set(s, &set, out);
}

static status_t parse_atom(pattern_state_t *s, int32_t *out)
{
    const int c = pattern_peek(s, 0);
    byte_set_t set;
    status_t st;

    switch (c) {
    case '(':
        return parse_group(s, out);
    case '[':
        if ((st = pattern_parse_class(s, &set)) != ST_OK)
            return st;
        return add_set(s, &set, out);
    case '\\':
        return parse_escaped(s, out);
    case '*':
    case '+':
    case '?':
        return pattern_refuse(s, s->at, "there is nothing to repeat");
    case '.':
        s->at++;
        return add_dot(s, out);
    case '^':
    case '$':
        s->at++;
        return add_node(
            s, (pattern_node_t){.kind = c == '^' ? PATTERN_BEGIN : PATTERN_FINISH}, out);
    default:
        s->at++;
        return add_byte(s, c, out);
    }
}

/* ---- repeats ---- */

/* @return the number at the place, at most one above the maximum, or -1: there is none */
static int32_t parse_number(pattern_state_t *s)
{
    int32_t n = -1;

    for (int c; (c = pattern_peek(s, 0)) >= '0' && c <= '9'; s->at++) {
        n = (n < 0 ? 0 : n) * 10 + c - '0';
        if (n > PATTERN_MAX_REPEAT)
            n = PATTERN_MAX_REPEAT + 1;
    }
    return n;
}

/* Parse {n}, {n,} or {n,m}; other braces are bytes.
 * @return whether it is a repeat, which the place is behind then */
static bool parse_count(pattern_state_t *s, int32_t *min, int32_t *max)
{
    const size_t begin = s->at;

    s->at++;
    *min = *max = parse_number(s);
    if (*min >= 0 && pattern_peek(s, 0) == ',') {
        s->at++;
        *max = parse_number(s); /* -1, if there is none: PATTERN_NO_MAX */
    }
    if (*min >= 0 && pattern_peek(s, 0) == '}') {
        s->at++;
        return true;
    }
    s->at = begin;
    return false;
}

/* @return whether there is a repeat at the place, which is behind it then */
static bool parse_repeat(pattern_state_t *s, int32_t *min, int32_t *max)
{
    switch (pattern_peek(s, 0)) {
    case '*':
    case '+':
        *min = pattern_peek(s, 0) == '+';
        *max = PATTERN_NO_MAX;
        break;
    case '?':
        *min = 0;
        *max = 1;
        break;
    case '{':
        return parse_count(s, min, max);
    default:
        return false;
    }
    s->at++;
    return true;
}

static status_t parse_repeated(pattern_state_t *s, int32_t *out)
{
    int32_t min, max, ignored;
    status_t st = parse_atom(s, out);
    size_t begin = s->at;

    if (st != ST_OK || !parse_repeat(s, &min, &max))
        return st;
    if (min > PATTERN_MAX_REPEAT || max > PATTERN_MAX_REPEAT)
        return pattern_refuse(s, begin, "a repeat is above 65535");
    if (max != PATTERN_NO_MAX && max < min)
        return pattern_refuse(s, begin, "the maximum of a repeat is below its minimum");
    if (pattern_peek(s, 0) == '+')
        return pattern_refuse(s, begin, "possessive repeats are not supported");
    s->at += pattern_peek(s, 0) == '?'; /* lazy: the same ends */
    begin = s->at;
    if (parse_repeat(s, &ignored, &ignored))
        return pattern_refuse(s, begin, "a repeat is repeated, which only groups can be");
    return add_node(
        s, (pattern_node_t){.kind = PATTERN_REPEAT, .left = *out, .min = min, .max = max},
        out);
}

/* ---- chains and choices ---- */

static status_t parse_chain(pattern_state_t *s, int32_t *out)
{
    status_t st = add_node(s, (pattern_node_t){.kind = PATTERN_EMPTY}, out);
    bool is_first = true;

    while (st == ST_OK && s->at < s->len && pattern_peek(s, 0) != '|' &&
           pattern_peek(s, 0) != ')') {
        int32_t next;

        if ((st = parse_repeated(s, &next)) != ST_OK)
            break;
        if (is_first)
            *out = next;
        else
            st = add_node(
                s, (pattern_node_t){.kind = PATTERN_CHAIN, .left = *out, .right = next},
                out);
        is_first = false;
    }
    return st;
}

/* Bytes to choose from are one set: "a|b" is "[ab]". @return whether they were united */
static bool unite_sets(pattern_state_t *s, int32_t left, int32_t right)
{
    pattern_node_t *nodes = (pattern_node_t *)(void *)s->tree->nodes.data;

    if (nodes[left].kind != PATTERN_SET || nodes[right].kind != PATTERN_SET)
        return false;
    byte_set_unite(&nodes[left].set, &nodes[right].set);
    return true;
}

static status_t parse_choice(pattern_state_t *s, int32_t *out)
{
    status_t st = parse_chain(s, out);

    while (st == ST_OK && pattern_peek(s, 0) == '|') {
        int32_t next;

        s->at++;
        if ((st = parse_chain(s, &next)) == ST_OK && !unite_sets(s, *out, next))
            st = add_node(
                s, (pattern_node_t){.kind = PATTERN_CHOICE, .left = *out, .right = next},
                out);
    }
    return st;
}

status_t pattern_tree_parse(const char *text, size_t len, unsigned flags,
                            pattern_tree_t *out, pattern_error_t *why)
{
    pattern_state_t s = {.text = (const unsigned char *)text,
                         .len = len,
                         .flags = flags,
                         .tree = out,
                         .why = why};
    status_t st = parse_choice(&s, &out->root);

    if (st == ST_OK && s.at < len)
        return pattern_refuse(&s, s.at, "a ) closes no group");
    return st;
}
