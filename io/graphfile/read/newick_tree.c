/*
 * newick_tree.c - one tree, read from left to right: a stack has open brackets, and the
 * nodes that are complete and wait for their parent.
 */
#include "io/graphfile/read/graph_formats.h"

#include "io/base/buf.h"
#include "io/base/logmsg.h"
#include "io/base/texts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t node; /* 0: an open bracket */
    graph_number_t length;
} newick_entry_t;

typedef struct {
    graph_text_t *t;
    graph_edges_t *edges;
    newick_entry_t *stack; /* [n] */
    int64_t n, capacity;
    int64_t n_open;  /* brackets in the stack */
    int64_t n_nodes; /* the ids of complete ones are 1 .. n_nodes */
    buf_t names;     /* of all nodes, each with its NUL; empty ones, too */
    bool has_names;
    bool has_lengths; /* as the first branch */
} newick_t;

/* What ends a label without quotes. */
static const char ends[] = " \t()[],:;'";

/* Go to the next character that is no blank and in no comment.
 * @param out  0 at the end of the file */
static status_t skip(newick_t *n, char *out)
{
    graph_text_t *t = n->t;
    bool is_comment = false;
    status_t st;

    for (;;) {
        while (t->line == NULL || *t->at == '\0') {
            if ((st = graph_text_next(t)) != ST_OK)
                return st;
            if (t->line == NULL) {
                *out = '\0';
                return is_comment ? lines_refuse(t->lines, "a comment does not end; add "
                                                           "']'")
                                  : ST_OK;
            }
        }
        if (is_comment)
            is_comment = *t->at != ']';
        else if (*t->at == '[')
            is_comment = true;
        else if (*t->at != ' ' && *t->at != '\t') {
            *out = *t->at;
            return ST_OK;
        }
        t->at++;
    }
}

/* Append a name in quotes, in which a quote is doubled. */
static status_t read_quoted(newick_t *n)
{
    graph_text_t *t = n->t;
    status_t st = ST_OK;

    for (t->at++; st == ST_OK && *t->at != '\0'; t->at++) {
        if (*t->at == '\'' && *++t->at != '\'')
            return ST_OK;
        st = buf_append(&n->names, t->at, 1);
    }
    return st != ST_OK ? st
                       : lines_refuse(t->lines, "a name in quotes does not end in its "
                                                "line; add \"'\"");
}

/* Read a name, if there is one, and end it. */
static status_t read_name(newick_t *n)
{
    graph_text_t *t = n->t;
    const size_t before = n->names.len;
    char next;
    status_t st = skip(n, &next);

    if (st == ST_OK && next == '\'')
        st = read_quoted(n);
    else if (st == ST_OK && next != '\0') {
        const size_t len = strcspn(t->at, ends);

        st = buf_append(&n->names, t->at, len);
        t->at += len;
    }
    n->has_names = n->has_names || n->names.len > before;
    return st == ST_OK ? buf_append(&n->names, "", 1) : st;
}

/* Read a number behind a colon. */
static status_t read_number(newick_t *n, graph_number_t *out)
{
    graph_text_t *t = n->t;
    char *end, saved, next;
    status_t st;

    t->at++;
    if ((st = skip(n, &next)) != ST_OK)
        return st;
    if (next == '\0')
        return lines_refuse(t->lines, "the length is missing; add it");
    end = t->at + strcspn(t->at, ends);
    saved = *end;
    *end = '\0';
    st = graph_text_weight(t, "length", out);
    *end = saved;
    t->at = end;
    return st;
}

static status_t push(newick_t *n, int64_t node, graph_number_t length)
{
    if (n->n == n->capacity) {
        const int64_t capacity = 2 * n->capacity + 64;
        newick_entry_t *larger = realloc(n->stack, (size_t)capacity * sizeof(*larger));

        if (larger == NULL)
            return log_nomem("a tree");
        n->stack = larger;
        n->capacity = capacity;
    }
    n->stack[n->n++] = (newick_entry_t){node, length};
    return ST_OK;
}

/* All branches have lengths, or none; that of the root leads nowhere. */
static status_t check_length(newick_t *n, bool has_length)
{
    if (n->n_nodes == 1)
        n->has_lengths = has_length;
    if (n->n_open == 0 || n->has_lengths == has_length ||
        n->t->weights == GRAPH_WEIGHTS_UNREAD)
        return ST_OK;
    return lines_refuse(n->t->lines,
                        "a branch has %s length, unlike the first one; correct the tree, "
                        "or give --weights unit",
                        has_length ? "a" : "no");
}

/* Read the name and the length of a node whose children are complete. */
static status_t end_node(newick_t *n)
{
    graph_number_t length = {.is_weight = true, .value = 1};
    bool has_length = false;
    char next;
    status_t st;

    if (n->n_nodes == INT32_MAX)
        return lines_refuse(n->t->lines, "more than %d nodes; give a smaller tree",
                            INT32_MAX);
    n->n_nodes++;
    if ((st = read_name(n)) != ST_OK || (st = skip(n, &next)) != ST_OK)
        return st;
    if (next == ':') {
        has_length = true;
        if ((st = read_number(n, &length)) != ST_OK)
            return st;
    }
    st = check_length(n, has_length);
    return st == ST_OK ? push(n, n->n_nodes, length) : st;
}

/* Join the nodes since the last open bracket to their parent, and end that. */
static status_t close_bracket(newick_t *n)
{
    status_t st = ST_OK;

    if (n->n_open == 0)
        return lines_refuse(n->t->lines, "')' closes no bracket; remove it");
    n->t->at++;
    n->n_open--;
    while (st == ST_OK && n->stack[n->n - 1].node > 0) {
        n->n--;
        st = graph_edges_add_number(n->edges, n->n_nodes + 1, n->stack[n->n].node,
                                    n->stack[n->n].length);
    }
    n->n--;
    return st == ST_OK ? end_node(n) : st;
}

/* Read a leaf, behind the brackets that open before it. */
static status_t begin_nodes(newick_t *n, char *next)
{
    status_t st;

    while ((st = skip(n, next)) == ST_OK && *next == '(') {
        n->t->at++;
        n->n_open++;
        if ((st = push(n, 0, (graph_number_t){0})) != ST_OK)
            return st;
    }
    return st == ST_OK ? end_node(n) : st;
}

static status_t refuse_next(const newick_t *n, char next)
{
    if (next == '\0')
        return lines_refuse(n->t->lines,
                            "the tree does not end, with %" PRId64
                            " open brackets; complete it, up to ';'",
                            n->n_open);
    if (next == ';')
        return lines_refuse(n->t->lines,
                            "the tree ends with %" PRId64 " open brackets; add ')'",
                            n->n_open);
    if (next == ',' && n->n_open == 0)
        return lines_refuse(n->t->lines, "',' after the root in place of ';'; add '(' at "
                                         "the beginning, or remove a ')'");
    return lines_refuse(n->t->lines,
                        "'%c' in place of ',', ')' or ';'; names with blanks, brackets, "
                        "quotes, commas, colons or semicolons need quotes",
                        next);
}

static status_t read_tree(newick_t *n)
{
    char next;
    status_t st = skip(n, &next);

    if (st == ST_OK && next == '\0')
        return lines_refuse(n->t->lines, "there is no tree; give one, such as (a,b);");
    if (st == ST_OK)
        st = begin_nodes(n, &next);
    while (st == ST_OK && (st = skip(n, &next)) == ST_OK) {
        if (next == ')')
            st = close_bracket(n);
        else if (next == ',' && n->n_open > 0) {
            n->t->at++;
            st = begin_nodes(n, &next);
        } else if (next == ';' && n->n_open == 0)
            break;
        else
            return refuse_next(n, next);
    }
    if (st != ST_OK)
        return st;
    n->t->at++;
    if ((st = skip(n, &next)) == ST_OK && next != '\0')
        return lines_refuse(n->t->lines, "text behind the tree; give one tree per file");
    return st;
}

/* Move what was read to the list of edges. */
static status_t finish(newick_t *n)
{
    graph_edges_t *e = n->edges;
    status_t st = ST_OK;

    e->n_declared = n->n_nodes;
    if (!n->has_lengths) {
        free(e->weight);
        e->weight = NULL;
    }
    if (n->has_names) {
        st = texts_take((char *)n->names.data, n->n_nodes, &e->name);
        n->names = (buf_t){0};
    }
    return st;
}

status_t newick_tree_read(graph_text_t *t, graph_edges_t *out)
{
    newick_t n = {.t = t, .edges = out};
    status_t st = graph_edges_create(0, t->weights != GRAPH_WEIGHTS_UNREAD, false, out);

    out->first_id = 1;
    out->is_directed = true;
    if (st == ST_OK)
        st = graph_text_next(t);
    if (st == ST_OK)
        st = read_tree(&n);
    if (st == ST_OK)
        st = finish(&n);
    buf_free(&n.names);
    free(n.stack);
    return st;
}
