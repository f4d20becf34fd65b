/*
 * pattern_nfa.c - Glushkov's construction: which positions are first, last, and follow
 * each other.
 *
 * A part of a pattern has lists of first and last positions, and conditions under which
 * it matches the empty text: ^ does at the begin of a record, $ at its end.  A position
 * in front of which only ^ is skipped may start there only; such entries of the lists are
 * bound.
 */
#include "io/automata/pattern_nfa.h"

#include "io/base/compare.h"
#include "io/base/logmsg.h"

#include <stdlib.h>

enum { EMPTY_ANYWHERE = 1, EMPTY_AT_BEGIN = 2, EMPTY_AT_END = 4 };

typedef struct {
    int32_t position;
    int32_t is_bound; /* first: to the begin of a record; last: to its end */
} place_t;

typedef struct {
    buf_t first, last; /* place_t */
    unsigned empty;
} part_t;

typedef struct {
    const pattern_tree_t *tree;
    int64_t *of_node; /* positions of each node */
    buf_t sets;       /* byte_set_t of each position */
    buf_t edges;      /* int64_t: from, times 2^32, and to */
    bool has_too_many_edges;
} maker_t;

static size_t n_places(const buf_t *list)
{
    return list->len / sizeof(place_t);
}

static place_t *places(const buf_t *list)
{
    return (place_t *)(void *)list->data;
}

static void part_free(part_t *p)
{
    buf_free(&p->first);
    buf_free(&p->last);
}

static void bind_places(buf_t *list)
{
    for (size_t k = 0; k < n_places(list); k++)
        places(list)[k].is_bound = 1;
}

/* Let positions follow others. */
static status_t link_places(maker_t *m, const buf_t *last, const buf_t *first)
{
    status_t st = ST_OK;

    for (size_t a = 0; st == ST_OK && a < n_places(last); a++)
        for (size_t b = 0; st == ST_OK && b < n_places(first); b++) {
            const place_t from = places(last)[a], to = places(first)[b];
            const int64_t edge = (int64_t)from.position << 32 | to.position;

            if (from.is_bound || to.is_bound)
                continue;
            if (m->edges.len / sizeof(edge) >= NFA_MAX_EDGES) {
                m->has_too_many_edges = true;
                return ST_EINPUT;
            }
            st = buf_append(&m->edges, &edge, sizeof(edge));
        }
    return st;
}

/* ---- parts of two ---- */

static unsigned empty_chain(unsigned a, unsigned b)
{
    const unsigned at_begin = EMPTY_ANYWHERE | EMPTY_AT_BEGIN,
                   at_end = EMPTY_ANYWHERE | EMPTY_AT_END;

    return (a & b & EMPTY_ANYWHERE) |
           ((a & at_begin) != 0 && (b & at_begin) != 0 ? EMPTY_AT_BEGIN : 0U) |
           ((a & at_end) != 0 && (b & at_end) != 0 ? EMPTY_AT_END : 0U);
}

/* Append b to a, and free it. */
static status_t chain(maker_t *m, part_t *a, part_t *b)
{
    status_t st = link_places(m, &a->last, &b->first);

    if (st == ST_OK && (a->empty & (EMPTY_ANYWHERE | EMPTY_AT_BEGIN)) != 0) {
        if ((a->empty & EMPTY_ANYWHERE) == 0)
            bind_places(&b->first);
        st = buf_append(&a->first, b->first.data, b->first.len);
    }
    if ((b->empty & EMPTY_ANYWHERE) == 0) {
        if ((b->empty & EMPTY_AT_END) != 0)
            bind_places(&a->last);
        else
            a->last.len = 0;
    }
    if (st == ST_OK)
        st = buf_append(&a->last, b->last.data, b->last.len);
    a->empty = empty_chain(a->empty, b->empty);
    part_free(b);
    return st;
}

static status_t choose(part_t *a, part_t *b)
{
    status_t st = buf_append(&a->first, b->first.data, b->first.len);

    if (st == ST_OK)
        st = buf_append(&a->last, b->last.data, b->last.len);
    a->empty |= b->empty;
    part_free(b);
    return st;
}

/* ---- from the tree ---- */

static status_t make(maker_t *m, int32_t k, part_t *out);

/* Make a part of a chain or choice, whose nodes go down to the left. */
static status_t make_spine(maker_t *m, int32_t k, part_t *out)
{
    const pattern_node_kind_t kind = pattern_tree_node(m->tree, k)->kind;
    buf_t rights = {0};
    status_t st = ST_OK;

    while (st == ST_OK && pattern_tree_node(m->tree, k)->kind == kind) {
        st = buf_append(&rights, &pattern_tree_node(m->tree, k)->right, sizeof(k));
        k = pattern_tree_node(m->tree, k)->left;
    }
    if (st == ST_OK)
        st = make(m, k, out);
    for (size_t n = rights.len / sizeof(k); st == ST_OK && n > 0; n--) {
        part_t right = {.empty = 0};

        st = make(m, ((const int32_t *)(const void *)rights.data)[n - 1], &right);
        if (st == ST_OK)
            st = kind == PATTERN_CHAIN ? chain(m, out, &right) : choose(out, &right);
        part_free(&right);
    }
    buf_free(&rights);
    return st;
}

/* Append copies of a node. @param ends  NULL, or collects the last places of each */
static status_t append_copies(maker_t *m, int32_t k, int32_t n, part_t *to, buf_t *ends)
{
    status_t st = ST_OK;

    for (int32_t i = 0; st == ST_OK && i < n; i++) {
        part_t copy = {.empty = 0};

        st = make(m, k, &copy);
        if (st == ST_OK && ends != NULL)
            st = buf_append(ends, copy.last.data, copy.last.len);
        if (st == ST_OK)
            st = chain(m, to, &copy);
        part_free(&copy);
    }
    return st;
}

/* x{2,} is x followed by x+; x{2,4} is xx(x(x)?)?, so that its edges are few. */
static status_t make_repeat(maker_t *m, const pattern_node_t *node, part_t *out)
{
    /* what consumes no byte is not copied, because no limit counts it */
    const bool is_empty = m->of_node[node->left] == 0;
    const int32_t min = is_empty && node->min > 1 ? 1 : node->min;
    const int32_t max = is_empty && node->max > 1 ? 1 : node->max;
    const bool is_endless = max == PATTERN_NO_MAX;
    const int32_t n_fixed = is_endless && min > 0 ? min - 1 : min;
    part_t loop = {.empty = 0};
    buf_t ends = {0};
    status_t st;

    out->empty = EMPTY_ANYWHERE;
    if ((st = append_copies(m, node->left, n_fixed, out, NULL)) != ST_OK)
        return st;
    if (is_endless) {
        if ((st = make(m, node->left, &loop)) == ST_OK &&
            (st = link_places(m, &loop.last, &loop.first)) == ST_OK) {
            loop.empty |= min == 0 ? EMPTY_ANYWHERE : 0U;
            st = chain(m, out, &loop);
        }
        part_free(&loop);
        return st;
    }
    const unsigned empty = out->empty;

    if ((st = buf_append(&ends, out->last.data, out->last.len)) == ST_OK)
        st = append_copies(m, node->left, max - min, out, &ends);
    buf_free(&out->last);
    out->last = ends;
    out->empty |= empty;
    return st;
}

static status_t make_set(maker_t *m, const pattern_node_t *node, part_t *out)
{
    const place_t place = {(int32_t)(m->sets.len / sizeof(node->set)), 0};
    status_t st = buf_append(&m->sets, &node->set, sizeof(node->set));

    if (st == ST_OK && (st = buf_append(&out->first, &place, sizeof(place))) == ST_OK)
        st = buf_append(&out->last, &place, sizeof(place));
    return st;
}

/* @param out  zeroed; freed by the caller in any case */
static status_t make(maker_t *m, int32_t k, part_t *out)
{
    const pattern_node_t *node = pattern_tree_node(m->tree, k);

    switch (node->kind) {
    case PATTERN_SET:
        return make_set(m, node, out);
    case PATTERN_CHAIN:
    case PATTERN_CHOICE:
        return make_spine(m, k, out);
    case PATTERN_REPEAT:
        return make_repeat(m, node, out);
    default:
        out->empty = node->kind == PATTERN_BEGIN    ? EMPTY_AT_BEGIN
                     : node->kind == PATTERN_FINISH ? EMPTY_AT_END
                                                    : EMPTY_ANYWHERE;
        return ST_OK;
    }
}

/* ---- the automaton ---- */

/* Count the positions of each node, up to one above their limit. @return all */
static int64_t count_positions(const maker_t *m)
{
    const pattern_tree_t *tree = m->tree;
    int64_t *of_node = m->of_node;

    for (int32_t k = 0; k <= tree->root; k++) {
        const pattern_node_t *node = pattern_tree_node(tree, k);
        const bool is_endless = node->max == PATTERN_NO_MAX;

        of_node[k] = node->kind == PATTERN_SET;
        if (node->kind == PATTERN_CHAIN || node->kind == PATTERN_CHOICE)
            of_node[k] = of_node[node->left] + of_node[node->right];
        if (node->kind == PATTERN_REPEAT)
            of_node[k] = of_node[node->left] * (!is_endless      ? node->max
                                                : node->min == 0 ? 1
                                                                 : node->min);
        if (of_node[k] > NFA_MAX_POSITIONS)
            of_node[k] = NFA_MAX_POSITIONS + 1;
    }
    return of_node[tree->root];
}

static void take_roles(const part_t *all, uint8_t *role)
{
    for (size_t k = 0; k < n_places(&all->first); k++) {
        const place_t *p = places(&all->first) + k;

        role[p->position] |= p->is_bound ? NFA_BEGINS : NFA_STARTS;
    }
    for (size_t k = 0; k < n_places(&all->last); k++) {
        const place_t *p = places(&all->last) + k;

        role[p->position] |= p->is_bound ? NFA_FINISHES : NFA_ACCEPTS;
    }
}

static status_t add(const maker_t *m, const uint8_t *role, const char *name,
                    nfa_builder_t *to)
{
    const byte_set_t *sets = (const void *)m->sets.data;
    const size_t n = m->sets.len / sizeof(*sets), n_edges = m->edges.len / 8;
    int64_t *edges = (int64_t *)(void *)m->edges.data;
    status_t st = ST_OK;
    size_t e = 0;

    if (n_edges > 1)
        qsort(edges, n_edges, sizeof(*edges), compare_int64);
    for (size_t p = 0; st == ST_OK && p < n; p++) {
        st = nfa_builder_position(to, &sets[p], role[p]);
        for (; st == ST_OK && e < n_edges && (size_t)(edges[e] >> 32) == p; e++)
            if (e == 0 || edges[e] != edges[e - 1])
                st = nfa_builder_edge(to, (int32_t)edges[e]);
    }
    return st == ST_OK ? nfa_builder_end(to, name) : st;
}

static status_t make_all(maker_t *m, const char *name, nfa_builder_t *to)
{
    part_t all = {.empty = 0};
    uint8_t *role = NULL;
    status_t st = make(m, m->tree->root, &all);

    if (st == ST_OK &&
        (role = calloc(m->sets.len / sizeof(byte_set_t) + 1, sizeof(*role))) == NULL)
        st = log_nomem("a pattern");
    if (st == ST_OK) {
        take_roles(&all, role);
        st = add(m, role, name, to);
    }
    free(role);
    part_free(&all);
    return st;
}

status_t pattern_nfa_add(const pattern_tree_t *tree, const char *name, nfa_builder_t *to,
                         const char **why)
{
    maker_t m = {.tree = tree,
                 .of_node = malloc(((size_t)tree->root + 1) * sizeof(*m.of_node))};
    status_t st;

    if (m.of_node == NULL)
        return log_nomem("a pattern");
    if (count_positions(&m) > NFA_MAX_POSITIONS) {
        *why = "the pattern has more than 16384 positions, repeats written out";
        st = ST_EINPUT;
    } else {
        st = make_all(&m, name, to);
    }
    if (m.has_too_many_edges)
        *why = "the pattern has more than 4194304 edges between its positions";
    buf_free(&m.sets);
    buf_free(&m.edges);
    free(m.of_node);
    return st;
}
