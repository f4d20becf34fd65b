/*
 * rg_kernels.c - chooses what of a program a GPU computes, and what its kernels use.
 *
 * A kernel is a foreach that stands in no other one, or an aggregate outside of them,
 * over nodes or a collection.  The rest is sequential, or too small to be worth a kernel:
 * the arcs of one node.
 */
#include "graph/program/rg_program.h"

/* A walk through a kernel. */
typedef struct {
    rg_kernel_t *kernel;
    bool has_inner;   /* an inner foreach or an aggregate */
    bool is_excluded; /* new or deleted parts of the graph, whose list is the host's */
} visit_t;

static void visit_range(visit_t *v, const rg_range_t *r);

static void use(visit_t *v, const rg_symbol_t *s, int how)
{
    if (s->kind == SYMBOL_ATTRIBUTE)
        v->kernel->attribute[s->slot] |= (uint8_t)how;
    else if (s->kind == SYMBOL_SET)
        v->kernel->set[s->slot] |= (uint8_t)how;
    else if (s->loop == NULL)
        v->kernel->value[s->slot] = 1;
}

static void visit_expr(visit_t *v, const rg_expr_t *e)
{
    if (e == NULL)
        return;
    if (e->symbol != NULL)
        use(v, e->symbol, e->kind == EXPR_SIZE ? RG_READS | RG_COUNTS : RG_READS);
    visit_expr(v, e->a);
    visit_expr(v, e->b);
    visit_expr(v, e->c);
    if (e->range != NULL) {
        v->has_inner = true;
        visit_range(v, e->range);
    }
}

static void visit_range(visit_t *v, const rg_range_t *r)
{
    if (r->set != NULL)
        use(v, r->set, RG_READS);
    visit_expr(v, r->of);
    visit_expr(v, r->where);
}

static void visit_all(visit_t *v, const rg_stmt_t *s)
{
    for (; s != NULL; s = s->next) {
        if (s->kind == STMT_ASSIGN && s->target->kind == EXPR_ATTRIBUTE)
            use(v, s->target->symbol, RG_CHANGES_IT);
        if (s->kind == STMT_ASSIGN && s->target->symbol->kind == SYMBOL_VARIABLE &&
            s->target->symbol->loop == NULL)
            v->kernel->changes_values = true;
        if (s->kind == STMT_CHANGE)
            use(v, s->symbol, RG_READS | RG_CHANGES_IT);
        if (s->kind == STMT_DECLARE)
            visit_expr(v, s->symbol->initial);
        if (s->kind == STMT_ALTER)
            v->is_excluded = true;
        if (s->kind == STMT_FOREACH)
            v->has_inner = true;
        if (s->range != NULL)
            visit_range(v, s->range);
        visit_expr(v, s->target);
        visit_expr(v, s->value);
        visit_all(v, s->body);
        visit_all(v, s->otherwise);
    }
}

/* ---- the choice ---- */

typedef struct {
    rg_program_t *program;
    rg_kernel_t **last;
    status_t st;
} choice_t;

/* Add a kernel, unless a GPU cannot compute it. @return its number, or 0 */
static int add(choice_t *c, const rg_stmt_t *loop, const rg_expr_t *aggregate)
{
    rg_program_t *p = c->program;
    rg_kernel_t *k = rg_alloc(p, sizeof(*k));
    visit_t v = {.kernel = k};

    if (k == NULL || (k->attribute = rg_alloc(p, (size_t)p->n_attributes + 1)) == NULL ||
        (k->set = rg_alloc(p, (size_t)p->n_sets + 1)) == NULL ||
        (k->value = rg_alloc(p, (size_t)p->n_values + 1)) == NULL) {
        c->st = ST_ENOMEM;
        return 0;
    }
    k->loop = loop;
    k->aggregate = aggregate;
    if (loop != NULL) {
        visit_range(&v, loop->range);
        visit_all(&v, loop->body);
    } else {
        visit_range(&v, aggregate->range);
        visit_expr(&v, aggregate->a);
    }
    k->is_nested = v.has_inner;
    if (v.is_excluded)
        return 0;
    *c->last = k;
    c->last = &k->next;
    return ++p->n_kernels;
}

/* The sum of real numbers over a multiset has places that depend on those before. */
static bool is_aggregate(const rg_expr_t *e)
{
    return e->kind >= EXPR_SUM_OF && e->range->of == NULL &&
           !(e->kind == EXPR_SUM_OF && e->type == RG_REAL && !rg_is_unique(e->range) &&
             !rg_collection_info[e->range->set->collection].is_sequence);
}

static void choose_in(choice_t *c, rg_expr_t *e)
{
    if (e == NULL || c->st != ST_OK)
        return;
    if (e->kind >= EXPR_SUM_OF) {
        if (is_aggregate(e))
            e->kernel = add(c, NULL, e);
        return;
    }
    choose_in(c, e->a);
    choose_in(c, e->b);
    choose_in(c, e->c);
}

/* What is in a scan, a sort, or a foreach that the host runs stays there. */
static void choose_all(choice_t *c, rg_stmt_t *s)
{
    for (; s != NULL && c->st == ST_OK; s = s->next) {
        if (s->kind == STMT_FOREACH) {
            if (!s->is_ordered && s->range->of == NULL)
                s->kernel = add(c, s, NULL);
            continue;
        }
        if (s->kind == STMT_SCAN || s->kind == STMT_SORT)
            continue;
        if (s->kind == STMT_DECLARE)
            choose_in(c, s->symbol->initial);
        choose_in(c, s->value);
        choose_in(c, s->weight);
        choose_all(c, s->body);
        choose_all(c, s->otherwise);
    }
}

status_t rg_choose_kernels(rg_program_t *program)
{
    choice_t c = {program, &program->kernels, ST_OK};

    choose_all(&c, program->body);
    return c.st;
}
