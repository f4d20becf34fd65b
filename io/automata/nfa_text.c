/*
 * nfa_text.c - automata as text become position automata.
 *
 * A position is a state, and the set of bytes that leads to it from another one; a state
 * that is reached by different sets has several.  A rule gets the states from which its
 * accepting states can be reached.
 */
#include "io/automata/nfa_text.h"

#include "io/base/compare.h"
#include "io/base/logmsg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STATES = 1 << 20 };

typedef struct {
    int64_t from, to;
    byte_set_t set;
    int32_t position; /* of a rule: where it leads to; -1: nowhere */
} arc_t;

typedef struct {
    int64_t rule, state;
} accept_t;

typedef struct {
    int64_t n_states, initial;
    buf_t arcs;      /* arc_t; sorted by source */
    buf_t by_target; /* arc_t *; sorted by where they lead to, and their bytes */
    buf_t accepts;   /* accept_t; sorted by rule */
    bool floats;     /* the rules are found anywhere */
} text_t;

static arc_t *arcs_of(const text_t *t)
{
    return (arc_t *)(void *)t->arcs.data;
}

static int64_t n_arcs(const text_t *t)
{
    return (int64_t)(t->arcs.len / sizeof(arc_t));
}

bool nfa_text_is_head(const char *line)
{
    return strcmp(line, "# NFA") == 0 || strcmp(line, "# DFA") == 0;
}

/* ---- lines ---- */

/* Parse a number. @return whether there is one, below the limit */
static bool parse_number(const char **at, int64_t limit, int64_t *out)
{
    char *end;

    *at += strspn(*at, " ");
    if (**at < '0' || **at > '9')
        return false;
    *out = strtoll(*at, &end, 10);
    *at = end;
    return *out < limit;
}

/* Parse "97 98|101" to the end. */
static bool parse_set(const char *at, byte_set_t *out)
{
    int64_t low, high;

    *out = (byte_set_t){.bits = {0}};
    do {
        if (!parse_number(&at, 256, &low))
            return false;
        high = low;
        if (*at == '|') {
            at++;
            if (!parse_number(&at, 256, &high) || high < low)
                return false;
        }
        byte_set_add_range(out, (int)low, (int)high);
        at += strspn(at, " ");
    } while (*at != '\0');
    return true;
}

static status_t add_accepts(text_t *t, lines_t *from, const char *at, int64_t state)
{
    accept_t a = {.state = state};
    status_t st = ST_OK;

    while (st == ST_OK && at[strspn(at, " ")] != '\0') {
        if (!parse_number(&at, INT32_MAX, &a.rule))
            return lines_refuse(from, "a rule is no number");
        st = buf_append(&t->accepts, &a, sizeof(a));
    }
    return st;
}

static status_t read_line(text_t *t, lines_t *from, const char *line)
{
    const char *at = line;
    arc_t arc = {.position = -1};

    if (!parse_number(&at, t->n_states, &arc.from))
        return lines_refuse(from, "this is no line of a state below %" PRId64,
                            t->n_states);
    if (strncmp(at, " : accepting", 12) == 0)
        return add_accepts(t, from, at + 12, arc.from);
    if (strcmp(at, " : initial") == 0) {
        t->initial = arc.from;
        return ST_OK;
    }
    if (strncmp(at, " -> ", 4) != 0)
        return lines_refuse(from, "give 'N : initial', 'N -> M : BYTES' or "
                                  "'N : accepting RULES'");
    at += 4;
    if (!parse_number(&at, t->n_states, &arc.to) || strncmp(at, " : ", 3) != 0 ||
        !parse_set(at + 3, &arc.set))
        return lines_refuse(from, "give 'N -> M : BYTES', with states below %" PRId64,
                            t->n_states);
    return buf_append(&t->arcs, &arc, sizeof(arc));
}

static int compare_arcs(const void *a, const void *b)
{
    const arc_t *x = a, *y = b;

    return x->from != y->from ? compare_int64(&x->from, &y->from)
                              : compare_int64(&x->to, &y->to);
}

static int compare_accepts(const void *a, const void *b)
{
    const accept_t *x = a, *y = b;

    return x->rule != y->rule ? compare_int64(&x->rule, &y->rule)
                              : compare_int64(&x->state, &y->state);
}

/* Sort the arcs, and unite those between the same states; take out the loop over all
 * bytes at the initial state. */
static void settle_arcs(text_t *t)
{
    arc_t *arcs = arcs_of(t);
    int64_t n = 0;

    if (n_arcs(t) > 1)
        qsort(arcs, (size_t)n_arcs(t), sizeof(*arcs), compare_arcs);
    for (int64_t k = 0; k < n_arcs(t); k++) {
        if (n > 0 && arcs[n - 1].from == arcs[k].from && arcs[n - 1].to == arcs[k].to)
            byte_set_unite(&arcs[n - 1].set, &arcs[k].set);
        else
            arcs[n++] = arcs[k];
    }
    t->arcs.len = (size_t)n * sizeof(*arcs);
    for (int64_t k = 0; k < n; k++)
        if (arcs[k].from == t->initial && arcs[k].to == t->initial &&
            byte_set_count(&arcs[k].set) == 256) {
            t->floats = true;
            memmove(&arcs[k], &arcs[k + 1], (size_t)(n - k - 1) * sizeof(*arcs));
            t->arcs.len -= sizeof(*arcs);
            break;
        }
}

static status_t read_text(text_t *t, lines_t *from)
{
    const char *at;
    char *line;
    status_t st = lines_next(from, &line);

    if (st != ST_OK)
        return st;
    at = line;
    if (line == NULL || !parse_number(&at, MAX_STATES + 1, &t->n_states) || *at != '\0')
        return lines_refuse(from, "give the number of states, at most %d", MAX_STATES);
    while ((st = lines_next(from, &line)) == ST_OK && line != NULL)
        if (line[0] != '\0' && line[0] != '#' && (st = read_line(t, from, line)) != ST_OK)
            return st;
    if (st == ST_OK && t->initial < 0)
        return lines_refuse(from, "there is no initial state");
    settle_arcs(t);
    if (t->accepts.len > sizeof(accept_t))
        qsort(t->accepts.data, t->accepts.len / sizeof(accept_t), sizeof(accept_t),
              compare_accepts);
    return st;
}

/* ---- rules ---- */

static int compare_targets(const void *a, const void *b)
{
    const arc_t *x = *(const arc_t *const *)a, *y = *(const arc_t *const *)b;
    const int order = x->to != y->to ? compare_int64(&x->to, &y->to)
                                     : memcmp(&x->set, &y->set, sizeof(x->set));

    return order != 0 ? order : (x > y) - (x < y);
}

/* Sort the arcs by where they lead to, too. */
static status_t sort_targets(text_t *t)
{
    status_t st = buf_reserve(&t->by_target, ((size_t)n_arcs(t) + 1) * sizeof(arc_t *));
    arc_t **arcs = (arc_t **)(void *)t->by_target.data;

    if (st != ST_OK)
        return st;
    for (int64_t k = 0; k < n_arcs(t); k++)
        arcs[k] = arcs_of(t) + k;
    if (n_arcs(t) > 1)
        qsort(arcs, (size_t)n_arcs(t), sizeof(*arcs), compare_targets);
    return ST_OK;
}

static arc_t **by_target(const text_t *t)
{
    return (arc_t **)(void *)t->by_target.data;
}

/* @return the first arc to a state, or to a later one */
static int64_t first_arc_to(const text_t *t, int64_t state)
{
    int64_t low = 0, high = n_arcs(t);

    while (low < high) {
        const int64_t middle = (low + high) / 2;

        if (by_target(t)[middle]->to < state)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Mark the states from which a marked one can be reached.
 * @param stack  [n_states] begins with the marked ones, n of them */
static void mark_sources(const text_t *t, uint8_t *is_used, int64_t *stack, int64_t n)
{
    while (n > 0) {
        const int64_t state = stack[--n];

        for (int64_t k = first_arc_to(t, state);
             k < n_arcs(t) && by_target(t)[k]->to == state; k++) {
            const int64_t from = by_target(t)[k]->from;

            if (!is_used[from]) {
                is_used[from] = 1;
                stack[n++] = from;
            }
        }
    }
}

/* Number the positions that arcs lead to.
 * @param first  [n_arcs] out: the first arc of each position, *n of them */
static void number_positions(text_t *t, const uint8_t *is_used, arc_t **first, int64_t *n)
{
    *n = 0;
    for (int64_t k = 0; k < n_arcs(t); k++) {
        const arc_t *before = *n > 0 ? first[*n - 1] : NULL;
        arc_t *arc = by_target(t)[k];

        arc->position = -1;
        if (!is_used[arc->to])
            continue;
        if (before == NULL || before->to != arc->to ||
            memcmp(&before->set, &arc->set, sizeof(arc->set)) != 0)
            first[(*n)++] = arc;
        arc->position = (int32_t)(*n - 1);
    }
}

/* @return the first arc from a state, or from a later one */
static int64_t first_arc(const text_t *t, int64_t state)
{
    int64_t low = 0, high = n_arcs(t);

    while (low < high) {
        const int64_t middle = (low + high) / 2;

        if (arcs_of(t)[middle].from < state)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Add the edges of a position, whose state is `state`. */
static status_t add_edges(const text_t *t, int64_t state, nfa_builder_t *to)
{
    status_t st = ST_OK;

    for (int64_t k = first_arc(t, state);
         st == ST_OK && k < n_arcs(t) && arcs_of(t)[k].from == state; k++)
        if (arcs_of(t)[k].position >= 0)
            st = nfa_builder_edge(to, arcs_of(t)[k].position);
    return st;
}

/* @param accepts  [n_states] whether it accepts @param arcs  [n] one of each position */
static status_t add_rule(const text_t *t, const uint8_t *accepts, arc_t *const *arcs,
                         int64_t n, nfa_builder_t *to)
{
    uint8_t *starts = calloc((size_t)n + 1, 1);
    status_t st = starts != NULL ? ST_OK : log_nomem("a rule");

    for (int64_t k = first_arc(t, t->initial);
         st == ST_OK && k < n_arcs(t) && arcs_of(t)[k].from == t->initial; k++)
        if (arcs_of(t)[k].position >= 0)
            starts[arcs_of(t)[k].position] = 1;
    for (int64_t p = 0; st == ST_OK && p < n; p++) {
        const int role = (starts[p] ? t->floats ? NFA_STARTS : NFA_BEGINS : 0) |
                         (accepts[arcs[p]->to] ? NFA_ACCEPTS : 0);

        if ((st = nfa_builder_position(to, &arcs[p]->set, role)) == ST_OK)
            st = add_edges(t, arcs[p]->to, to);
    }
    free(starts);
    return st;
}

/* What making a rule needs. */
typedef struct {
    uint8_t *accepts, *is_used; /* [n_states] */
    int64_t *stack;             /* [n_states] */
    arc_t **first;              /* [n_arcs] */
} scratch_t;

/* Add the rule of the accepting states first .. end-1. */
static status_t make_rule(text_t *t, const accept_t *first, const accept_t *end,
                          scratch_t *s, nfa_builder_t *to)
{
    int64_t n_marked = 0, n;
    char name[32];
    status_t st;

    memset(s->accepts, 0, (size_t)t->n_states);
    memset(s->is_used, 0, (size_t)t->n_states);
    for (const accept_t *a = first; a < end; a++)
        if (!s->accepts[a->state]) {
            s->accepts[a->state] = s->is_used[a->state] = 1;
            s->stack[n_marked++] = a->state;
        }
    mark_sources(t, s->is_used, s->stack, n_marked);
    number_positions(t, s->is_used, s->first, &n);
    snprintf(name, sizeof(name), "rule %" PRId64, first->rule);
    if (n > NFA_MAX_POSITIONS) {
        log_error("%s has %" PRId64 " positions; at most %d are supported", name, n,
                  NFA_MAX_POSITIONS);
        return ST_EINPUT;
    }
    st = add_rule(t, s->accepts, s->first, n, to);
    return st == ST_OK ? nfa_builder_end(to, name) : st;
}

static status_t make_rules(text_t *t, nfa_builder_t *to)
{
    const size_t n_states = (size_t)t->n_states + 1, n = (size_t)n_arcs(t) + 1;
    scratch_t s = {malloc(n_states), malloc(n_states),
                   malloc(n_states * sizeof(*s.stack)), malloc(n * sizeof(*s.first))};
    const accept_t *a = (const void *)t->accepts.data; /* NULL where there are none */
    const size_t n_accepts = t->accepts.len / sizeof(*a);
    status_t st = sort_targets(t);

    if (s.accepts == NULL || s.is_used == NULL || s.stack == NULL || s.first == NULL)
        st = log_nomem("rules");
    for (size_t i = 0, end; st == ST_OK && i < n_accepts; i = end) {
        for (end = i + 1; end < n_accepts && a[end].rule == a[i].rule;)
            end++;
        st = make_rule(t, a + i, a + end, &s, to);
    }
    free(s.accepts);
    free(s.is_used);
    free(s.stack);
    free(s.first);
    return st;
}

status_t nfa_text_read(lines_t *from, nfa_builder_t *to)
{
    text_t t = {.initial = -1};
    status_t st = read_text(&t, from);

    if (st == ST_OK)
        st = make_rules(&t, to);
    buf_free(&t.arcs);
    buf_free(&t.by_target);
    buf_free(&t.accepts);
    return st;
}
