/*
 * rg_races.c - refuses a foreach whose result depends on the order of its iterations.
 *
 * Each foreach is looked at for itself, with all that is in it.  Its iterations may
 * change
 *  - what is declared inside;
 *  - attributes of the iterator's node, if the foreach goes through different nodes, and
 *    those of this node's edges, if no iteration reads them of another node or edge;
 *  - other attributes and variables by one kind of assignment whose order does not matter
 *    (+= of integers, min=, max=, |=, &=), if no iteration reads them;
 *  - sets and multisets, by adding or by removing, if no iteration reads them; sequences
 *    not, whose order would be that of the iterations.
 * So an iteration sees nothing of what others do, and a foreach ends in the same state in
 * whatever order.
 */
#include "graph/program/rg_program.h"

#include "io/base/logmsg.h"

#include <stdlib.h>

/* What the iterations do with a symbol: where first. */
typedef enum {
    READ_OWN, /* an attribute of what belongs to the iteration */
    READ,
    WRITE_OWN,
    WRITE,
    REDUCE,
    INSERT,
    REMOVE,
    GUARDED_READ_OWN, /* in critical blocks, from here on */
    GUARDED_READ,
    GUARDED_WRITE, /* of whatever kind */
    N_USES
} use_t;

typedef struct {
    rg_at_t at[N_USES]; /* line 0: not at all */
    rg_assign_t how;    /* of REDUCE */
} uses_t;

/* A foreach that is looked at. */
typedef struct {
    const rg_program_t *program;
    const rg_stmt_t *loop;
    uses_t *uses; /* [values + attributes + sets] */
    status_t st;
    bool is_guarded; /* in a critical block */
} check_t;

static uses_t *uses_of(const check_t *c, const rg_symbol_t *s)
{
    const int n = c->program->n_values, m = n + c->program->n_attributes;

    return &c->uses[s->kind == SYMBOL_SET         ? m + s->slot
                    : s->kind == SYMBOL_ATTRIBUTE ? n + s->slot
                                                  : s->slot];
}

bool rg_is_inside(const rg_stmt_t *loop, const rg_symbol_t *s)
{
    const rg_stmt_t *inner = s->loop;

    while (inner != NULL && inner != loop)
        inner = inner->outer;
    return inner != NULL;
}

static void note(check_t *c, const rg_symbol_t *s, use_t use, rg_at_t at)
{
    uses_t *u = uses_of(c, s);

    if (c->is_guarded)
        use = use == READ_OWN ? GUARDED_READ_OWN
              : use == READ   ? GUARDED_READ
                              : GUARDED_WRITE;
    if (u->at[use].line == 0 && !rg_is_inside(c->loop, s))
        u->at[use] = at;
}

bool rg_is_unique(const rg_range_t *r)
{
    return r->kind == RANGE_NODES || r->kind == RANGE_EDGES ||
           (r->kind == RANGE_SET && !rg_collection_info[r->set->collection].is_repeated);
}

bool rg_is_own(const rg_stmt_t *loop, const rg_expr_t *e)
{
    const rg_range_t *r = e->kind == EXPR_SYMBOL ? e->symbol->range : NULL;

    if (r == NULL)
        return false;
    if (r == loop->range)
        return rg_is_unique(r);
    return r->kind == RANGE_EDGES && rg_is_inside(loop, e->symbol) &&
           rg_is_own(loop, r->of);
}

/* ---- what is used ---- */

static void visit_range(check_t *c, const rg_range_t *r);

static void visit_expr(check_t *c, const rg_expr_t *e)
{
    if (e == NULL)
        return;
    visit_expr(c, e->a);
    visit_expr(c, e->b);
    visit_expr(c, e->c);
    if (e->range != NULL)
        visit_range(c, e->range);
    if (e->kind == EXPR_N_NODES)
        note(c, c->program->nodes, READ, e->at);
    if (e->kind == EXPR_ATTRIBUTE)
        note(c, e->symbol, rg_is_own(c->loop, e->a) ? READ_OWN : READ, e->at);
    else if (e->symbol != NULL)
        note(c, e->symbol, READ, e->at);
}

static void visit_range(check_t *c, const rg_range_t *r)
{
    visit_expr(c, r->of);
    if (r->set != NULL)
        note(c, r->set, READ, r->at);
    if (r->kind == RANGE_NODES && r != c->loop->range)
        note(c, c->program->nodes, READ, r->at);
    visit_expr(c, r->where);
}

/* All reductions of a symbol must be of one kind. */
static void reduce(check_t *c, const rg_stmt_t *stmt)
{
    const rg_symbol_t *s = stmt->target->symbol;
    uses_t *u = uses_of(c, s);

    if (rg_is_inside(c->loop, s) || c->st != ST_OK)
        return;
    if (c->is_guarded) {
        note(c, s, REDUCE, stmt->at);
        return;
    }
    if (stmt->how == ASSIGN_ADD && s->type == RG_REAL)
        c->st = rg_refuse(c->program, stmt->at,
                          "race: real numbers are rounded in the order in which "
                          "iterations add them to '%s'; write an aggregate, sum(...)",
                          s->name);
    else if (u->at[REDUCE].line != 0 && u->how != stmt->how)
        c->st = rg_refuse(c->program, stmt->at,
                          "race: '%s' is changed by %s here and by %s in line %d; "
                          "use two loops",
                          s->name, rg_assign_name[stmt->how], rg_assign_name[u->how],
                          u->at[REDUCE].line);
    u->how = stmt->how;
    note(c, s, REDUCE, stmt->at);
}

static void visit_assign(check_t *c, const rg_stmt_t *stmt)
{
    const rg_expr_t *target = stmt->target;

    visit_expr(c, stmt->value);
    if (target->kind == EXPR_ATTRIBUTE) {
        visit_expr(c, target->a);
        if (rg_is_own(c->loop, target->a)) {
            note(c, target->symbol, WRITE_OWN, stmt->at);
            return;
        }
    }
    if (stmt->how == ASSIGN_SET)
        note(c, target->symbol, WRITE, stmt->at);
    else
        reduce(c, stmt);
}

/* What is noted until a commit has no order, but new nodes have numbers. */
static void visit_alter(check_t *c, const rg_stmt_t *stmt)
{
    visit_expr(c, stmt->target);
    visit_expr(c, stmt->value);
    visit_expr(c, stmt->weight);
    if (stmt->alter != RG_NEW_NODE)
        return;
    if (!c->is_guarded)
        c->st = rg_refuse(c->program, stmt->at,
                          "race: new nodes would be numbered in the order of the "
                          "iterations; use for, or critical");
    note(c, c->program->nodes, WRITE, stmt->at);
}

/* Elements may be added to sets in any order, or removed. */
static void visit_change(check_t *c, const rg_stmt_t *stmt)
{
    const rg_symbol_t *s = stmt->symbol;

    if (rg_collection_info[s->collection].is_sequence && !c->is_guarded)
        c->st = rg_refuse(c->program, stmt->at,
                          "race: elements of the %s '%s' would have the order of the "
                          "iterations; use a set or a multiset, for, or critical",
                          rg_collection_info[s->collection].name, s->name);
    note(c, s,
         stmt->change == RG_ADD      ? INSERT
         : stmt->change == RG_REMOVE ? REMOVE
                                     : WRITE,
         stmt->at);
}

static void visit(check_t *c, const rg_stmt_t *stmt);

static void visit_critical(check_t *c, const rg_stmt_t *stmt)
{
    const bool is_guarded = c->is_guarded;

    c->is_guarded = true;
    visit(c, stmt->body);
    c->is_guarded = is_guarded;
}

static void visit(check_t *c, const rg_stmt_t *stmt)
{
    for (; stmt != NULL && c->st == ST_OK; stmt = stmt->next) {
        switch (stmt->kind) {
        case STMT_ASSIGN:
            visit_assign(c, stmt);
            continue;
        case STMT_CHANGE:
            visit_change(c, stmt);
            break;
        case STMT_SWAP:
            note(c, stmt->symbol, WRITE, stmt->at);
            note(c, stmt->other, WRITE, stmt->at);
            break;
        case STMT_DECLARE:
            visit_expr(c, stmt->symbol->initial);
            continue;
        case STMT_ALTER:
            visit_alter(c, stmt);
            continue;
        case STMT_CRITICAL:
            visit_critical(c, stmt);
            continue;
        default:
            break;
        }
        if (stmt->range != NULL)
            visit_range(c, stmt->range);
        visit_expr(c, stmt->value);
        visit(c, stmt->body);
        visit(c, stmt->otherwise);
    }
}

/* ---- what does not go together ---- */

/* A use of a symbol that is a race beside any of some others. */
typedef struct {
    use_t first;
    unsigned others; /* 1 << use_t */
    const char *what, *remedy;
} conflict_t;

enum {
    READS = 1 << READ | 1 << GUARDED_READ,
    READS_OF_ALL = READS | 1 << READ_OWN | 1 << GUARDED_READ_OWN,
    UNGUARDED = (1 << GUARDED_READ_OWN) - 1
};

static const conflict_t conflicts[] = {
    {WRITE_OWN, READS, "other iterations read", "keep the old values in an attribute"},
    {WRITE_OWN, 1 << REDUCE, "other iterations change", "use two loops"},
    {REDUCE, READS_OF_ALL, "iterations read",
     "keep the old values, or read them in a loop of their own"},
    {INSERT, READS, "iterations read", "add to another set"},
    {REMOVE, READS, "iterations read", "remove from another set"},
    {INSERT, 1 << REMOVE, "iterations remove from", "use two loops"},
    {GUARDED_WRITE, UNGUARDED, "iterations use outside of critical",
     "use it inside only, or in a loop of its own"},
};

static status_t check_symbol(const check_t *c, const rg_symbol_t *s)
{
    const uses_t *u = uses_of(c, s);

    if (u->at[WRITE].line != 0)
        return rg_refuse(
            c->program, u->at[WRITE],
            s->kind == SYMBOL_SET || s->kind == SYMBOL_ATTRIBUTE
                ? "race: iterations of the foreach in line %d may change the same '%s'; "
                  "use min=, max=, += or a loop over different nodes that sets its own"
                : "race: all iterations of the foreach in line %d change '%s'; declare "
                  "it "
                  "inside, or use +=, min=, max=, |= or &=",
            c->loop->at.line, s->name);
    for (size_t i = 0; i < sizeof(conflicts) / sizeof(conflicts[0]); i++) {
        const conflict_t *k = &conflicts[i];

        for (int use = 0; use < N_USES; use++)
            if ((k->others >> use & 1) != 0 && u->at[use].line != 0 &&
                u->at[k->first].line != 0)
                return rg_refuse(c->program, u->at[k->first],
                                 "race: this changes '%s', which %s in line %d; %s",
                                 s->name, k->what, u->at[use].line, k->remedy);
    }
    return ST_OK;
}

/* @param uses  memory for all of them */
static status_t check_foreach(const rg_program_t *program, const rg_stmt_t *loop,
                              uses_t *uses)
{
    check_t c = {program, loop, uses, ST_OK, false};
    status_t st;

    for (int i = 0; i < program->n_values + program->n_attributes + program->n_sets; i++)
        uses[i] = (uses_t){0};
    visit_range(&c, loop->range);
    if (loop->kind == STMT_SCAN)
        visit_assign(&c, loop);
    visit(&c, loop->body);
    st = c.st;
    for (const rg_symbol_t *s = program->symbols; s != NULL && st == ST_OK; s = s->next)
        if (!rg_is_inside(loop, s))
            st = check_symbol(&c, s);
    return st;
}

/* @return a statement that changes a set, or NULL */
static const rg_stmt_t *find_change(const rg_stmt_t *stmt, const rg_symbol_t *set)
{
    const rg_stmt_t *found = NULL;

    for (; stmt != NULL && found == NULL; stmt = stmt->next) {
        if (stmt->kind != STMT_DECLARE && (stmt->symbol == set || stmt->other == set))
            return stmt;
        if ((found = find_change(stmt->body, set)) == NULL)
            found = find_change(stmt->otherwise, set);
    }
    return found;
}

/* A set must not change while a loop goes through it. */
static status_t check_for(const rg_program_t *program, const rg_stmt_t *loop)
{
    const rg_symbol_t *set = loop->range->set;
    const rg_stmt_t *change = set != NULL ? find_change(loop->body, set) : NULL;

    if (change == NULL)
        return ST_OK;
    return rg_refuse(program, change->at,
                     "this changes '%s' while the loop in line %d goes through it; "
                     "change another set",
                     set->name, loop->at.line);
}

static status_t check_all(const rg_program_t *program, const rg_stmt_t *stmt,
                          uses_t *uses)
{
    status_t st = ST_OK;

    for (; stmt != NULL && st == ST_OK; stmt = stmt->next) {
        if (stmt->kind == STMT_FOREACH || stmt->kind == STMT_SCAN)
            st = check_foreach(program, stmt, uses);
        else if (stmt->kind == STMT_FOR)
            st = check_for(program, stmt);
        if (st == ST_OK)
            st = check_all(program, stmt->body, uses);
        if (st == ST_OK)
            st = check_all(program, stmt->otherwise, uses);
    }
    return st;
}

status_t rg_check_races(const rg_program_t *program)
{
    const int n = program->n_values + program->n_attributes + program->n_sets;
    uses_t *uses = calloc((size_t)n + 1, sizeof(*uses));
    status_t st = uses != NULL ? check_all(program, program->body, uses)
                               : log_nomem("a graph program");

    free(uses);
    return st;
}
