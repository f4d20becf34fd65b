/*
 * rg_emit.c - statements as C.
 *
 * An iteration that runs in parallel writes what is its own, and combines the rest
 * atomically.  Variables of outside, which many iterations change, have a copy in each
 * piece, which is combined at its end: no iteration reads them.
 */
#include "graph/program/rg_emitter.h"

#include <string.h>

/* ---- assignments ---- */

/* @return the function of runtime.inc that combines, or "" of an assignment */
static const char *combine_of(const rg_stmt_t *s)
{
    static const char *const names[ASSIGN_N][RG_N_TYPES] = {
        [ASSIGN_ADD] = {[RG_INT] = "add_int", [RG_REAL] = "add_real"},
        [ASSIGN_MIN] =
            {[RG_INT] = "min_int", [RG_REAL] = "min_real", [RG_NODE] = "min_node"},
        [ASSIGN_MAX] =
            {[RG_INT] = "max_int", [RG_REAL] = "max_real", [RG_NODE] = "max_node"},
        [ASSIGN_OR] = {[RG_BOOL] = "or_bool"},
        [ASSIGN_AND] = {[RG_BOOL] = "and_bool"},
    };

    return s->how == ASSIGN_SET ? "" : names[s->how][s->target->type];
}

/* @return whether other iterations may change the target at the same time */
static bool is_shared(const rg_emitter_t *e, const rg_stmt_t *s)
{
    const rg_expr_t *target = s->target;

    if (!e->is_parallel)
        return false;
    if (target->kind == EXPR_SYMBOL)
        return target->symbol->loop == NULL ||
               (e->inner != NULL && !rg_is_inside(e->inner, target->symbol));
    return !rg_is_own(e->loop, target->a) ||
           (e->inner != NULL && !rg_is_own(e->inner, target->a));
}

/* Write the beginning or the end of what one thread of a block does for all of them, who
 * have come there together. */
static void emit_alone(rg_emitter_t *e, bool is_end)
{
    if (e->is_uniform)
        emit_text(e, is_end ? "});\n" : "alone([&] {\n");
}

/* Write the target: of a shared variable its copy. */
static void emit_target(rg_emitter_t *e, const rg_stmt_t *s, int n)
{
    if (s->target->kind == EXPR_SYMBOL && is_shared(e, s))
        emit_text(e, "copy_");
    emit_name(e, s->target->symbol);
    if (s->target->kind == EXPR_ATTRIBUTE)
        emit_text(e, "[u%d]", n);
}

/* Write what changes the target by x. */
static void emit_store(rg_emitter_t *e, const rg_stmt_t *s, int n)
{
    if (s->target->kind == EXPR_ATTRIBUTE && is_shared(e, s)) {
        emit_text(e, "atomic_%s(&", combine_of(s));
        emit_target(e, s, n);
        emit_text(e, ", x%d);\n", n);
        return;
    }
    emit_target(e, s, n);
    emit_text(e, " = ");
    if (s->how != ASSIGN_SET) {
        emit_text(e, "%s(", combine_of(s));
        emit_target(e, s, n);
        emit_text(e, ", x%d);\n", n);
    } else {
        emit_text(e, "x%d;\n", n);
    }
}

static void emit_assign(rg_emitter_t *e, const rg_stmt_t *s)
{
    const bool is_attribute = s->target->kind == EXPR_ATTRIBUTE;
    const bool is_alone = is_attribute || is_shared(e, s);
    const int n = e->n_temporary++;

    emit_text(e, "{\nconst %s x%d = ", emit_type(s->target->type), n);
    emit_expr(e, s->value);
    emit_text(e, ";\n");
    if (is_attribute) {
        emit_text(e, "const int64_t u%d = ", n);
        emit_node(e, s->target->a);
        emit_text(e, ";\n");
    }
    if (is_alone)
        emit_alone(e, false);
    emit_store(e, s, n);
    if (is_alone)
        emit_alone(e, true);
    emit_text(e, "}\n");
}

/* ---- copies of shared variables ---- */

/* @return what changes nothing */
static const char *neutral_of(const rg_stmt_t *s)
{
    if (s->how == ASSIGN_MIN || s->how == ASSIGN_MAX)
        return emit_worst(s->target->type, s->how == ASSIGN_MIN);
    return s->how == ASSIGN_AND ? "1" : "0";
}

/* @return the first statement that changes a variable, or NULL */
static const rg_stmt_t *find_assign(const rg_stmt_t *s, const rg_symbol_t *variable)
{
    const rg_stmt_t *found = NULL;

    for (; s != NULL && found == NULL; s = s->next) {
        if (s->kind == STMT_ASSIGN && s->target->symbol == variable)
            return s;
        if ((found = find_assign(s->body, variable)) == NULL)
            found = find_assign(s->otherwise, variable);
    }
    return found;
}

/* Write what combines a variable with its copy, or with those of a block's threads. */
static void emit_combination(rg_emitter_t *e, const rg_symbol_t *v, const rg_stmt_t *s)
{
    const char *type = emit_type(v->type), *combine = combine_of(s);

    if (e->is_cuda && v->loop == NULL) {
        emit_text(e, "merge<%s, %s>(atomic_%s, %d, ", type, combine, combine, v->slot);
    } else if (e->is_cuda) {
        emit_name(e, v);
        emit_text(e, " = %s(", combine);
        emit_name(e, v);
        emit_text(e, ", fold<%s, %s>(", type, combine);
    } else {
        emit_text(e, "atomic_%s(&", combine);
        emit_name(e, v);
        emit_text(e, ", ");
    }
    emit_text(e, "copy_");
    emit_name(e, v);
    emit_text(e, e->is_cuda && v->loop != NULL ? "));\n" : ");\n");
}

void emit_copies(rg_emitter_t *e, const rg_stmt_t *loop, bool is_end)
{
    for (const rg_symbol_t *v = e->program->symbols; v != NULL; v = v->next) {
        const bool is_outside = loop->outer == NULL
                                    ? v->loop == NULL
                                    : v->loop != NULL && !rg_is_inside(loop, v);
        const rg_stmt_t *s =
            v->kind == SYMBOL_VARIABLE && is_outside ? find_assign(loop->body, v) : NULL;

        if (s == NULL)
            continue;
        if (is_end) {
            emit_combination(e, v, s);
            continue;
        }
        emit_text(e, "%s copy_", emit_type(v->type));
        emit_name(e, v);
        emit_text(e, " = %s;\n", neutral_of(s));
    }
}

/* ---- loops ---- */

/* A foreach whose pieces run in parallel. */
static void emit_parallel(rg_emitter_t *e, const rg_stmt_t *s)
{
    const rg_walk_t walk = {s->range, "begin", "end", false, WALK_ALONE};
    buf_t function = {0}, *to = e->to;
    const int n = e->n_temporary++;

    e->to = &function;
    e->loop = s;
    e->is_parallel = true;
    emit_text(e,
              "\n/* line %d */\nstatic void foreach%d(int64_t begin, int64_t end)\n{\n",
              s->at.line, n);
    emit_begin(e);
    emit_copies(e, s, false);
    emit_walk(e, &walk);
    emit_statements(e, s->body);
    emit_walk_end(e, &walk, 0);
    emit_copies(e, s, true);
    emit_end(e);
    emit_function(e, &function, to);
    e->loop = NULL;
    e->is_parallel = false;
    emit_text(e, "rg->parallel(foreach%d);\n", n);
}

/* A loop of a kernel, which all threads of a block share if they come there together;
 * else it is one thread's. */
static void emit_inner(rg_emitter_t *e, const rg_stmt_t *s)
{
    const bool is_shared = s->kind == STMT_FOREACH && e->is_uniform;
    const rg_walk_t walk = {s->range, NULL, NULL, false,
                            is_shared ? WALK_SHARED : WALK_ALONE};
    int n;

    if (is_shared) {
        e->inner = s;
        emit_text(e, "{\n");
        emit_copies(e, s, false);
        emit_text(e, "__syncthreads();\n");
    }
    n = emit_walk(e, &walk);
    emit_statements(e, s->body);
    emit_walk_end(e, &walk, n);
    if (is_shared) {
        emit_copies(e, s, true);
        emit_text(e, "}\n");
        e->inner = NULL;
    }
}

static void emit_loop(rg_emitter_t *e, const rg_stmt_t *s)
{
    const bool is_foreach = s->kind == STMT_FOREACH, is_outer = e->loop == NULL;
    const rg_walk_t walk = {s->range, NULL, NULL, !is_foreach && is_outer, WALK_ALONE};

    if (is_foreach && is_outer && emit_is_by_node(s->range) && !s->is_ordered) {
        emit_parallel(e, s);
        return;
    }
    if (e->is_cuda) {
        emit_inner(e, s);
        return;
    }
    if (is_foreach && is_outer)
        e->loop = s;
    emit_walk(e, &walk);
    emit_statements(e, s->body);
    emit_walk_end(e, &walk, 0);
    if (is_outer)
        e->loop = NULL;
}

static void emit_while(rg_emitter_t *e, const rg_stmt_t *s)
{
    const int n = e->n_temporary++;

    emit_text(e, "for (int64_t n%d = 0; %s", n, e->is_cuda ? "bad == 0 && " : "");
    emit_expr(e, s->value);
    emit_text(e, "; n%d++) {\nif (is_endless(n%d", n, n);
    emit_place(e, s->at);
    emit_text(e, ")) break;\n");
    if (!e->is_cuda)
        emit_text(e, "rg->tick();\n");
    emit_text(e, e->is_uniform ? "iterations += threadIdx.x == 0;\n" : "iterations++;\n");
    emit_statements(e, s->body);
    emit_text(e, "}\n");
}

/* ---- scan and sort ---- */

/* Give each element the sum of those before it. @param from  what the sum begins with */
static void emit_sums(rg_emitter_t *e, const rg_stmt_t *s, const rg_walk_t *walk,
                      const char *from)
{
    emit_text(e, "int64_t sum = %s;\n", from);
    emit_walk(e, walk);
    emit_text(e, "const int64_t before = sum;\nsum = add_int(sum, ");
    emit_expr(e, s->value);
    emit_text(e, ");\n");
    emit_expr(e, s->target);
    emit_text(e, " = before;\n");
    emit_walk_end(e, walk, 0);
}

/* The sums of pieces first, then each piece from the sum of those before it, whose arcs
 * are not counted again. */
static void emit_scan(rg_emitter_t *e, const rg_stmt_t *s)
{
    const rg_expr_t total = {.kind = EXPR_SUM_OF,
                             .type = RG_INT,
                             .a = s->value,
                             .range = s->range};
    buf_t function = {0}, *to = e->to;
    const int n = e->n_temporary++;

    if (!emit_is_by_node(s->range)) {
        e->loop = s;
        emit_text(e, "{\n");
        emit_sums(e, s, &(rg_walk_t){.range = s->range}, "0");
        emit_text(e, "}\n");
        e->loop = NULL;
        return;
    }
    emit_expr(e, &total);
    emit_text(e, ";\ntotals_before();\n");
    e->to = &function;
    e->is_parallel = true;
    emit_text(e, "\nstatic void scan%d(int64_t begin, int64_t end)\n{\n", n);
    emit_begin(e);
    emit_sums(e, s, &(rg_walk_t){s->range, "begin", "end", false, WALK_ALONE},
              "rg->part[begin / rg->piece].i");
    emit_text(e, "}\n");
    e->is_parallel = false;
    emit_function(e, &function, to);
    emit_text(e, "rg->parallel(scan%d);\n", n);
}

static void emit_sort(rg_emitter_t *e, const rg_stmt_t *s)
{
    const bool is_real = s->value->type == RG_REAL;
    const rg_walk_t walk = {.range = s->range};

    e->loop = s;
    emit_walk(e, &walk);
    emit_text(e, "rg->sort_add(");
    emit_name(e, s->range->iterator);
    emit_text(e, ", %d, (rg_value_t){.%s = ", is_real, is_real ? "r" : "i");
    emit_expr(e, s->value);
    emit_text(e, "});\n");
    emit_walk_end(e, &walk, 0);
    emit_text(e, "rg->sort_into(%d);\n", s->symbol->slot);
    e->loop = NULL;
}

/* ---- other statements ---- */

static void emit_declare(rg_emitter_t *e, const rg_symbol_t *s)
{
    static const char *const zero[RG_N_TYPES] = {[RG_NODE] = "-1"};

    if (s->kind == SYMBOL_SET)
        return;
    if (s->kind == SYMBOL_ATTRIBUTE)
        emit_text(e, "{\nconst %s x = ", emit_type(s->type));
    else if (s->loop != NULL)
        emit_text(e, "%s ", emit_type(s->type));
    if (s->kind != SYMBOL_ATTRIBUTE) {
        emit_name(e, s);
        emit_text(e, " = ");
    }
    if (s->kind == SYMBOL_PARAM)
        emit_text(e, "rg->is_given[%d] ? rg->param[%d].%s : ", s->slot, s->slot,
                  s->type == RG_REAL ? "r" : "i");
    if (s->initial != NULL)
        emit_expr(e, s->initial);
    else
        emit_text(e, "%s", zero[s->type] != NULL ? zero[s->type] : "0");
    emit_text(e, ";\n");
    if (s->kind != SYMBOL_ATTRIBUTE)
        return;
    emit_text(e, "rg->initial[%d].%s = x;\n", s->slot, s->type == RG_REAL ? "r" : "i");
    emit_text(e, "for (int64_t u = 0; u < %s; u++) ",
              s->of == RG_EDGE ? "rg->first[rg->n_nodes]" : "rg->n_nodes");
    emit_name(e, s);
    emit_text(e, "[u] = x;\n}\n");
}

static void emit_if(rg_emitter_t *e, const rg_stmt_t *s)
{
    emit_text(e, "if (");
    emit_expr(e, s->value);
    emit_text(e, ") {\n");
    emit_statements(e, s->body);
    emit_text(e, "} else {\n");
    emit_statements(e, s->otherwise);
    emit_text(e, "}\n");
}

/* The functions that come later read the pointers anew; rg_main has to. */
static void emit_swap(rg_emitter_t *e, const rg_stmt_t *s)
{
    const bool is_set = s->symbol->kind == SYMBOL_SET;
    const char *array = is_set ? "set" : "attribute";
    const rg_symbol_t *both[] = {s->symbol, s->other};

    emit_text(e, "{\n%s x = rg->%s[%d];\nrg->%s[%d] = rg->%s[%d];\nrg->%s[%d] = x;\n",
              is_set ? "rg_set_t" : "void *", array, both[0]->slot, array, both[0]->slot,
              array, both[1]->slot, array, both[1]->slot);
    for (int i = 0; !is_set && i < 2; i++) {
        emit_name(e, both[i]);
        emit_text(e, " = rg->attribute[%d];\n", both[i]->slot);
    }
    emit_text(e, "}\n");
}

/* A node of a set or a multiset, by several threads. */
static void emit_member(rg_emitter_t *e, const rg_stmt_t *s)
{
    const int n = e->n_temporary++;

    emit_text(e, "{\nconst int64_t u%d = ", n);
    emit_node(e, s->value);
    emit_text(e, ";\n");
    emit_alone(e, false);
    emit_text(e, "%s(%d, u%d, %s);\n",
              rg_collection_info[s->symbol->collection].is_repeated ? "recount"
                                                                    : "change",
              s->symbol->slot, n, s->change == RG_ADD ? "RG_ADD" : "RG_REMOVE");
    emit_alone(e, true);
    emit_text(e, "}\n");
}

/* What may be done in parallel is in the emitted code, the rest is serial. */
static void emit_change(rg_emitter_t *e, const rg_stmt_t *s)
{
    static const char *const names[RG_N_CHANGES] = {"RG_ADD", "RG_REMOVE", "RG_POP",
                                                    "RG_CLEAR"};

    if (s->value != NULL && !rg_collection_info[s->symbol->collection].is_sequence) {
        emit_member(e, s);
        return;
    }
    emit_text(e, "rg->change(%d, ", s->symbol->slot);
    if (s->value != NULL)
        emit_node(e, s->value);
    else
        emit_text(e, "0");
    emit_text(e, ", %s, %d, %d);\n", names[s->change], s->at.line, s->at.column);
}

/* Nodes in variables have other numbers. */
static void emit_moves(rg_emitter_t *e)
{
    for (const rg_symbol_t *s = e->program->symbols; s != NULL; s = s->next)
        if (s->kind != SYMBOL_ATTRIBUTE && s->type == RG_NODE && s->loop == NULL) {
            emit_name(e, s);
            emit_text(e, " = moved(");
            emit_name(e, s);
            emit_text(e, ");\n");
        }
}

static void emit_alter(rg_emitter_t *e, const rg_stmt_t *s)
{
    static const char *const names[RG_N_ALTERS] = {"RG_NEW_NODE",    "RG_NEW_EDGE",
                                                   "RG_DELETE_EDGE", "RG_DELETE_NODE",
                                                   "RG_COMMIT",      "RG_REBALANCE"};
    const rg_expr_t *const ends[] = {s->target, s->value};

    if (s->symbol != NULL) {
        emit_text(e, "%s", s->symbol->loop != NULL ? "int32_t " : "");
        emit_name(e, s->symbol);
        emit_text(e, " = ");
    }
    emit_text(e, "rg->alter(%s", names[s->alter]);
    for (int i = 0; i < 2; i++) {
        emit_text(e, ", ");
        if (ends[i] != NULL)
            emit_node(e, ends[i]);
        else
            emit_text(e, "0");
    }
    emit_text(e, ", ");
    if (s->weight != NULL)
        emit_expr(e, s->weight);
    else
        emit_text(e, "1");
    emit_text(e, ", %d, %d);\n", s->at.line, s->at.column);
    if (s->alter == RG_NEW_NODE || s->alter == RG_COMMIT || s->alter == RG_REBALANCE)
        emit_attributes(e, false);
    if (s->alter == RG_REBALANCE)
        emit_moves(e);
}

static void emit_one(rg_emitter_t *e, const rg_stmt_t *s)
{
    switch (s->kind) {
    case STMT_DECLARE:
        emit_declare(e, s->symbol);
        break;
    case STMT_ASSIGN:
        emit_assign(e, s);
        break;
    case STMT_IF:
        emit_if(e, s);
        break;
    case STMT_WHILE:
        emit_while(e, s);
        break;
    case STMT_FOR:
    case STMT_FOREACH:
        emit_loop(e, s);
        break;
    case STMT_ALTER:
        emit_alter(e, s);
        break;
    case STMT_CRITICAL:
        emit_text(e, "{\n");
        emit_statements(e, s->body);
        emit_text(e, "}\n");
        break;
    case STMT_SCAN:
        emit_scan(e, s);
        break;
    case STMT_SORT:
        emit_sort(e, s);
        break;
    case STMT_SWAP:
        emit_swap(e, s);
        break;
    default:
        emit_change(e, s);
    }
}

void emit_statements(rg_emitter_t *e, const rg_stmt_t *s)
{
    for (; s != NULL && e->st == ST_OK; s = s->next)
        emit_one(e, s);
}

/* ---- the file ---- */

/* Declare what is outside of all foreach. */
static void emit_statics(rg_emitter_t *e)
{
    emit_text(e, "\n/* ---- the program ---- */\n\n");
    for (const rg_symbol_t *s = e->program->symbols; s != NULL; s = s->next)
        if (s->kind != SYMBOL_ATTRIBUTE && s->kind != SYMBOL_SET && s->loop == NULL) {
            emit_text(e, "static %s ", emit_type(s->type));
            emit_name(e, s);
            emit_text(e, ";\n");
        }
}

static void emit_main(rg_emitter_t *e)
{
    emit_text(e, "\nvoid rg_main(rg_host_t *host)\n{\nrg = host;\n");
    emit_begin(e);
    emit_statements(e, e->program->body);
    emit_end(e);
}

status_t rg_emit_c(const rg_program_t *program, buf_t *out)
{
    buf_t functions = {0}, text = {0};
    rg_emitter_t e = {.program = program, .to = out, .functions = &functions};

    emit_shipped(&e, "rg_abi", "#include");
    emit_shipped(&e, "tree_sum", "#include");
    emit_shipped(&e, "runtime_c", "#include");
    emit_shipped(&e, "runtime", "/* ---- numbers");
    emit_shipped(&e, "runtime_pieces", "/* ---- ");
    emit_statics(&e);
    e.to = &text;
    emit_main(&e);
    if (e.st == ST_OK)
        e.st = buf_append(&functions, text.data, text.len);
    if (e.st == ST_OK)
        e.st = emit_indented(&functions, out);
    buf_free(&functions);
    buf_free(&text);
    return e.st;
}
