/*
 * rg_parse_loops.c - the grammar of statements with blocks.
 *
 * Some are written in terms of others, so that nothing else has to know them:
 * dynamic_update and clear, which end an iteration and a loop; a barrier, which divides a
 * foreach in two; and inBFS, a loop over the levels of a search.
 */
#include "graph/program/rg_parser.h"

/* ---- blocks ---- */

/* Parse statements up to "}", or up to a barrier if the block may have one.
 * @return the first one */
static rg_stmt_t *parse_part(rg_parser_t *p, bool has_barriers)
{
    rg_stmt_t *first = NULL, **next = &first;

    while (p->st == ST_OK && p->token.kind != TOKEN_END && !parser_is(p, "}") &&
           !(has_barriers && parser_is(p, "barrier")))
        if ((*next = p->statement(p)) != NULL)
            next = stmt_last(*next);
    return first;
}

static rg_stmt_t *parse_block(rg_parser_t *p, const char *after)
{
    const int n_scope = p->n_scope;
    rg_stmt_t *first = NULL;

    parser_expect(p, "{", after);
    if (parser_enter(p))
        first = parse_part(p, false);
    parser_leave(p);
    parser_expect(p, "}", "a block");
    p->n_scope = n_scope;
    return first;
}

/* Parse the block of a foreach, which may have barriers: behind one, names of the
 * iterations have ended, and a foreach over the same range goes on. */
static void parse_body(rg_parser_t *p, rg_stmt_t *loop)
{
    const int n_scope = p->n_scope;
    rg_stmt_t *part = loop;

    parser_expect(p, "{", "foreach");
    if (!parser_enter(p))
        return;
    while (part != NULL) {
        p->loop = part;
        p->n_scope = n_scope;
        part->body = parse_part(p, true);
        if (!parser_is(p, "barrier"))
            break;
        if ((part->next = stmt_new(p, STMT_FOREACH, p->token.at)) != NULL) {
            part->next->outer = loop->outer;
            part->next->range = loop->range;
        }
        part = part->next;
        parser_advance(p);
        parser_expect(p, ";", "barrier");
    }
    parser_leave(p);
    parser_expect(p, "}", "a block");
}

/* ---- statements that others are made of ---- */

/* Append a statement to *next. @return where the one behind it goes */
static rg_stmt_t **append(rg_parser_t *p, rg_stmt_t **next, rg_stmt_kind_t kind,
                          rg_at_t at)
{
    *next = stmt_new(p, kind, at);
    return *next != NULL ? &(*next)->next : next;
}

static rg_stmt_t **append_change(rg_parser_t *p, rg_stmt_t **next, rg_symbol_t *set,
                                 rg_change_t how, rg_expr_t *node, rg_at_t at)
{
    rg_stmt_t **behind = append(p, next, STMT_CHANGE, at);

    if (*next != NULL) {
        (*next)->symbol = set;
        (*next)->change = how;
        (*next)->value = node;
    }
    return behind;
}

/* The set becomes what was collected for it, which then is empty. */
static rg_stmt_t **append_update(rg_parser_t *p, rg_stmt_t **next, rg_symbol_t *set,
                                 rg_symbol_t *collected, rg_at_t at)
{
    rg_stmt_t **behind = append(p, next, STMT_SWAP, at);

    if (*next != NULL) {
        (*next)->symbol = set;
        (*next)->other = collected;
    }
    return append_change(p, behind, collected, RG_CLEAR, NULL, at);
}

/* @return an empty foreach or for over a range, whose iterator is declared if it has no
 *         name; NULL after an error */
static rg_stmt_t *loop_over(rg_parser_t *p, rg_stmt_t *outer, rg_range_kind_t kind,
                            rg_symbol_t *set, rg_expr_t *of, rg_at_t at)
{
    rg_stmt_t *loop = stmt_new(p, STMT_FOREACH, at);
    rg_stmt_t *around = p->loop;

    if (loop == NULL || (loop->range = range_new(p, kind, at)) == NULL)
        return NULL;
    loop->outer = outer;
    loop->range->set = set;
    loop->range->of = of;
    p->loop = loop;
    loop->range->iterator = parser_hidden(p, SYMBOL_ITERATOR, RG_NODE, "node");
    p->loop = around;
    if (loop->range->iterator == NULL)
        return NULL;
    loop->range->iterator->range = loop->range;
    return loop;
}

/* ---- if and while ---- */

/* The set of "; dynamic_update(SET)", which gets a collection for what will be in it. */
static rg_symbol_t *parse_dynamic_update(rg_parser_t *p)
{
    const rg_at_t at = p->token.at;
    rg_symbol_t *set, *update;

    parser_expect(p, "dynamic_update", "while");
    parser_expect(p, "(", "dynamic_update");
    if ((set = parser_find(p)) == NULL)
        return NULL;
    if (set->kind != SYMBOL_SET || set->update != NULL || p->loop != NULL)
        return parser_refuse(
            p, at,
            "dynamic_update takes a set that no loop around updates, and "
            "stands outside of foreach");
    parser_expect(p, ")", "dynamic_update");
    if ((update = parser_hidden(p, SYMBOL_SET, RG_SET, set->name)) == NULL)
        return NULL;
    update->collection = set->collection;
    set->update = update;
    return set;
}

static rg_stmt_t *parse_while(rg_parser_t *p, rg_at_t at)
{
    rg_stmt_t *stmt = stmt_new(p, STMT_WHILE, at);
    rg_symbol_t *set = NULL;

    if (stmt == NULL)
        return NULL;
    parser_expect(p, "(", "while");
    stmt->value = expr_as(p, parse_expression(p), RG_BOOL, "a condition");
    if (parser_take(p, ";") && (set = parse_dynamic_update(p)) == NULL)
        return NULL;
    parser_expect(p, ")", "while");
    stmt->body = parse_block(p, "while");
    if (set != NULL) {
        append_update(p, stmt->body != NULL ? stmt_last(stmt->body) : &stmt->body, set,
                      set->update, at);
        set->update = NULL;
    }
    return stmt;
}

static rg_stmt_t *parse_if(rg_parser_t *p, rg_at_t at)
{
    rg_stmt_t *stmt = stmt_new(p, STMT_IF, at);

    if (stmt == NULL)
        return NULL;
    parser_expect(p, "(", "if");
    stmt->value = expr_as(p, parse_expression(p), RG_BOOL, "a condition");
    parser_expect(p, ")", "if");
    stmt->body = parse_block(p, "if");
    if (!parser_is(p, "else"))
        return stmt;
    at = p->token.at;
    parser_advance(p);
    if (parser_enter(p) && parser_take(p, "if"))
        stmt->otherwise = parse_if(p, at);
    else
        stmt->otherwise = parse_block(p, "else");
    parser_leave(p);
    return stmt;
}

/* ---- for and foreach ---- */

static rg_stmt_t *parse_for(rg_parser_t *p, rg_at_t at)
{
    const int n_scope = p->n_scope;
    rg_stmt_t *stmt = stmt_new(p, STMT_FOR, at);

    if (stmt == NULL)
        return NULL;
    parser_expect(p, "(", "for");
    stmt->range = parse_range(p);
    parser_expect(p, ")", "for");
    p->n_for++;
    stmt->body = parse_block(p, "for");
    p->n_for--;
    p->n_scope = n_scope;
    return stmt;
}

/* "; clear": @return the set of the range, which is to be cleared behind the loop */
static rg_symbol_t *parse_clear(rg_parser_t *p, const rg_range_t *r)
{
    const rg_at_t at = p->token.at;

    parser_expect(p, "clear", "foreach");
    if (r == NULL || r->set == NULL || r->set->update != NULL)
        return parser_refuse(p, at,
                             "clear needs a foreach over a set that no loop around "
                             "updates; leave it out");
    return r->set;
}

static rg_stmt_t *parse_foreach(rg_parser_t *p, rg_at_t at)
{
    const int n_scope = p->n_scope;
    rg_stmt_t *outer = p->loop;
    rg_stmt_t *stmt = stmt_new(p, STMT_FOREACH, at);
    rg_symbol_t *cleared = NULL;

    if (stmt == NULL)
        return NULL;
    parser_expect(p, "(", "foreach");
    stmt->outer = outer;
    p->loop = stmt;
    stmt->range = parse_range(p);
    if (parser_take(p, ";"))
        cleared = parse_clear(p, stmt->range);
    parser_expect(p, ")", "foreach");
    parse_body(p, stmt);
    p->loop = outer;
    p->n_scope = n_scope;
    if (cleared != NULL)
        append_change(p, stmt_last(stmt), cleared, RG_CLEAR, NULL, at);
    return stmt;
}

/* Each foreach around keeps its order. */
static rg_stmt_t *parse_critical(rg_parser_t *p, rg_at_t at)
{
    rg_stmt_t *stmt = stmt_new(p, STMT_CRITICAL, at);

    if (p->loop == NULL)
        return parser_refuse(p, at, "critical stands in a foreach; leave it out here");
    parser_use(p, RG_CRITICAL, at);
    for (rg_stmt_t *loop = p->loop; loop != NULL; loop = loop->outer)
        loop->is_ordered = true;
    if (stmt != NULL)
        stmt->body = parse_block(p, "critical");
    return stmt;
}

/* ---- inBFS ---- */

/* What a search consists of. */
typedef struct {
    rg_symbol_t *frontier, *reached, *next; /* sets */
    rg_symbol_t *level;                     /* steps from the root */
    rg_expr_t *root;
    rg_stmt_t *loop; /* over the frontier, with the block */
} search_t;

/* Parse "NAME from NODE [where CONDITION] [; LEVEL])" and declare the names. */
static bool parse_search(rg_parser_t *p, search_t *s, rg_at_t at)
{
    const rg_token_t name = p->token;
    rg_range_t *r;

    parser_advance(p);
    parser_expect(p, "from", "inBFS");
    s->root = expr_as(p, parse_expression(p), RG_NODE, "the root");
    s->frontier = parser_hidden(p, SYMBOL_SET, RG_SET, "frontier");
    s->reached = parser_hidden(p, SYMBOL_SET, RG_SET, "reached");
    s->next = parser_hidden(p, SYMBOL_SET, RG_SET, "next");
    if ((s->loop = stmt_new(p, STMT_FOREACH, at)) == NULL ||
        (r = s->loop->range = range_new(p, RANGE_SET, at)) == NULL)
        return false;
    r->set = s->frontier;
    p->loop = s->loop;
    if (!parse_iterator(p, r, &name, RG_NODE))
        return false;
    p->loop = NULL;
    s->level = parser_take(p, ";") ? parser_declare(p, SYMBOL_ITERATOR, RG_INT)
                                   : parser_hidden(p, SYMBOL_ITERATOR, RG_INT, "level");
    parser_expect(p, ")", "inBFS");
    return p->st == ST_OK;
}

/* Append what makes the next level the frontier:
 *     foreach (v in frontier) { foreach (u in v.out where !(u in reached)) next.add(u); }
 *     foreach (u in next) reached.add(u);
 *     swap frontier, next;  next.clear();  level += 1;
 * Each foreach has a place of its own. */
static void append_step(rg_parser_t *p, rg_stmt_t **next, const search_t *s, rg_at_t at)
{
    rg_stmt_t *outer =
        loop_over(p, NULL, RANGE_SET, s->frontier, NULL, s->loop->range->iterator->at);
    rg_stmt_t *inner, *note = loop_over(p, NULL, RANGE_SET, s->next, NULL, s->root->at);
    rg_expr_t *in;

    if (outer == NULL || note == NULL)
        return;
    inner = loop_over(p, outer, RANGE_OUT, NULL,
                      expr_symbol(p, outer->range->iterator, at), at);
    if (inner == NULL)
        return;
    in = expr_new(p, EXPR_IN, RG_BOOL, at, expr_symbol(p, inner->range->iterator, at),
                  NULL);
    if (in != NULL)
        in->symbol = s->reached;
    inner->range->where = expr_new(p, EXPR_NOT, RG_BOOL, at, in, NULL);
    append_change(p, &inner->body, s->next, RG_ADD,
                  expr_symbol(p, inner->range->iterator, at), at);
    outer->body = inner;
    append_change(p, &note->body, s->reached, RG_ADD,
                  expr_symbol(p, note->range->iterator, at), at);
    *next = outer;
    outer->next = note;
    next = append_update(p, &note->next, s->frontier, s->next, at);
    append(p, next, STMT_ASSIGN, at);
    if (*next == NULL)
        return;
    (*next)->target = expr_symbol(p, s->level, at);
    (*next)->how = ASSIGN_ADD;
    (*next)->value = expr_new(p, EXPR_LITERAL, RG_INT, at, NULL, NULL);
    if ((*next)->value != NULL)
        (*next)->value->value.i = 1;
}

/* while (frontier.size > 0) { foreach (...) BLOCK; the step } */
static void append_levels(rg_parser_t *p, rg_stmt_t **next, const search_t *s, rg_at_t at)
{
    rg_expr_t *size = expr_new(p, EXPR_SIZE, RG_INT, at, NULL, NULL);

    append(p, next, STMT_WHILE, at);
    if (*next == NULL || size == NULL)
        return;
    size->symbol = s->frontier;
    (*next)->value = expr_new(p, EXPR_GREATER, RG_BOOL, at, size,
                              expr_new(p, EXPR_LITERAL, RG_INT, at, NULL, NULL));
    (*next)->body = s->loop;
    append_step(p, stmt_last(s->loop), s, at);
}

static rg_stmt_t *parse_in_bfs(rg_parser_t *p, rg_at_t at)
{
    const int n_scope = p->n_scope;
    rg_stmt_t *first = NULL, **next = &first, *declare;
    search_t s = {0};

    if (p->loop != NULL)
        return parser_refuse(p, at,
                             "inBFS stands outside of foreach; write a while loop");
    parser_expect(p, "(", "inBFS");
    if (!parse_search(p, &s, at))
        return NULL;
    parse_body(p, s.loop);
    p->loop = NULL;
    p->n_scope = n_scope;
    next = append_change(p, next, s.reached, RG_CLEAR, NULL, at);
    next = append_change(p, next, s.frontier, RG_ADD, s.root, at);
    next = append_change(p, next, s.reached, RG_ADD, s.root, at);
    if ((*next = declare = stmt_new(p, STMT_DECLARE, at)) == NULL)
        return NULL;
    declare->symbol = s.level;
    append_levels(p, &declare->next, &s, at);
    return p->st == ST_OK ? first : NULL;
}

bool parse_control(rg_parser_t *p, rg_stmt_t **out)
{
    static const struct {
        const char *name;
        rg_stmt_t *(*parse)(rg_parser_t *p, rg_at_t at);
    } all[] = {{"if", parse_if},
               {"while", parse_while},
               {"for", parse_for},
               {"foreach", parse_foreach},
               {"critical", parse_critical},
               {"inBFS", parse_in_bfs}};
    const rg_at_t at = p->token.at;

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (parser_take(p, all[i].name)) {
            *out = all[i].parse(p, at);
            return true;
        }
    return false;
}
