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
        return target->symbol->loop == NULL;
    return !rg_is_own(e->loop, target->a);
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

static void emit_assign(rg_emitter_t *e, const rg_stmt_t *s)
{
    const int n = e->n_temporary++;

    emit_text(e, "{\nconst %s x%d = ", emit_type(s->target->type), n);
    emit_expr(e, s->value);
    emit_text(e, ";\n");
    if (s->target->kind == EXPR_ATTRIBUTE) {
        emit_text(e, "const int64_t u%d = ", n);
        emit_node(e, s->target->a);
        emit_text(e, ";\n");
    }
    if (s->target->kind == EXPR_ATTRIBUTE && is_shared(e, s)) {
        emit_text(e, "atomic_%s(&", combine_of(s));
        emit_target(e, s, n);
        emit_text(e, ", x%d);\n}\n", n);
        return;
    }
    emit_target(e, s, n);
    emit_text(e, " = ");
    if (s->how == ASSIGN_SET) {
        emit_text(e, "x%d;\n}\n", n);
        return;
    }
    emit_text(e, "%s(", combine_of(s));
    emit_target(e, s, n);
    emit_text(e, ", x%d);\n}\n", n);
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

/* Declare the copies of a foreach, or combine them at its end. */
static void emit_copies(rg_emitter_t *e, const rg_stmt_t *loop, bool is_end)
{
    for (const rg_symbol_t *v = e->program->symbols; v != NULL; v = v->next) {
        const rg_stmt_t *s = v->kind == SYMBOL_VARIABLE && v->loop == NULL
                                 ? find_assign(loop->body, v)
                                 : NULL;

        if (s == NULL)
            continue;
        if (is_end)
            emit_text(e, "atomic_%s(&", combine_of(s));
        else
            emit_text(e, "%s copy_", emit_type(v->type));
        emit_name(e, v);
        if (is_end) {
            emit_text(e, ", copy_");
            emit_name(e, v);
            emit_text(e, ");\n");
        } else {
            emit_text(e, " = %s;\n", neutral_of(s));
        }
    }
}

/* ---- loops ---- */

static void emit_all(rg_emitter_t *e, const rg_stmt_t *s);

/* A foreach whose pieces run in parallel. */
static void emit_parallel(rg_emitter_t *e, const rg_stmt_t *s)
{
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
    emit_walk(e, &(rg_walk_t){s->range, "begin", "end", false});
    emit_all(e, s->body);
    emit_text(e, "}\n}\n");
    emit_copies(e, s, true);
    emit_end(e);
    emit_function(e, &function, to);
    e->loop = NULL;
    e->is_parallel = false;
    emit_text(e, "rg->parallel(foreach%d);\n", n);
}

static void emit_loop(rg_emitter_t *e, const rg_stmt_t *s)
{
    const bool is_foreach = s->kind == STMT_FOREACH, is_outer = e->loop == NULL;

    if (is_foreach && is_outer && emit_is_by_node(s->range) && !s->is_ordered) {
        emit_parallel(e, s);
        return;
    }
    if (is_foreach && is_outer)
        e->loop = s;
    emit_walk(e, &(rg_walk_t){s->range, "0", "rg->n_nodes", !is_foreach && is_outer});
    emit_all(e, s->body);
    emit_text(e, "}\n}\n");
    if (is_outer)
        e->loop = NULL;
}

static void emit_while(rg_emitter_t *e, const rg_stmt_t *s)
{
    const int n = e->n_temporary++;

    emit_text(e, "for (int64_t n%d = 0; ", n);
    emit_expr(e, s->value);
    emit_text(e,
              "; n%d++) {\nif (n%d == rg->max_iterations) rg->fail(RG_ERROR_ENDLESS, "
              "%d, %d);\nrg->tick();\niterations++;\n",
              n, n, s->at.line, s->at.column);
    emit_all(e, s->body);
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
    emit_text(e, " = before;\n}\n}\n");
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
        emit_sums(e, s, &(rg_walk_t){s->range, NULL, NULL, false}, "0");
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
    emit_sums(e, s, &(rg_walk_t){s->range, "begin", "end", false},
              "rg->part[begin / rg->piece].i");
    emit_text(e, "}\n");
    e->is_parallel = false;
    emit_function(e, &function, to);
    emit_text(e, "rg->parallel(scan%d);\n", n);
}

static void emit_sort(rg_emitter_t *e, const rg_stmt_t *s)
{
    const bool is_real = s->value->type == RG_REAL;

    e->loop = s;
    emit_walk(e, &(rg_walk_t){s->range, "0", "rg->n_nodes", false});
    emit_text(e, "rg->sort_add(");
    emit_name(e, s->range->iterator);
    emit_text(e, ", %d, (rg_value_t){.%s = ", is_real, is_real ? "r" : "i");
    emit_expr(e, s->value);
    emit_text(e, "});\n}\n}\nrg->sort_into(%d);\n", s->symbol->slot);
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
    emit_all(e, s->body);
    emit_text(e, "} else {\n");
    emit_all(e, s->otherwise);
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

/* What may be done in parallel is in the emitted code, the rest is serial. */
static void emit_change(rg_emitter_t *e, const rg_stmt_t *s)
{
    static const char *const names[RG_N_CHANGES] = {"RG_ADD", "RG_REMOVE", "RG_POP",
                                                    "RG_CLEAR"};
    const rg_collection_info_t *info = &rg_collection_info[s->symbol->collection];

    if (s->value != NULL && !info->is_sequence)
        emit_text(e, info->is_repeated ? "recount(%d, " : "change(%d, ", s->symbol->slot);
    else
        emit_text(e, "rg->change(%d, ", s->symbol->slot);
    if (s->value != NULL)
        emit_node(e, s->value);
    else
        emit_text(e, "0");
    emit_text(e, ", %s", names[s->change]);
    if (s->value == NULL || info->is_sequence)
        emit_text(e, ", %d, %d", s->at.line, s->at.column);
    emit_text(e, ");\n");
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
        emit_all(e, s->body);
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

static void emit_all(rg_emitter_t *e, const rg_stmt_t *s)
{
    for (; s != NULL && e->st == ST_OK; s = s->next)
        emit_one(e, s);
}

/* ---- the file ---- */

/* Write a text that is a header, from its first #include on. */
static void emit_header(rg_emitter_t *e, const char *name)
{
    const char *text = NULL;

    for (int i = 0; rg_emitted[i].name != NULL; i++)
        if (strcmp(rg_emitted[i].name, name) == 0)
            text = strstr(rg_emitted[i].text, "#include");
    if (e->st == ST_OK)
        e->st = buf_append(e->to, text, strlen(text));
}

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
    emit_all(e, e->program->body);
    emit_end(e);
}

/* Append lines, indented by their braces. */
static status_t indent(const buf_t *text, buf_t *out)
{
    const char *at = (const char *)text->data, *end = at + text->len;
    status_t st = ST_OK;
    int depth = 0;

    while (st == ST_OK && at < end) {
        const char *eol = memchr(at, '\n', (size_t)(end - at));
        const int len = (int)(eol - at), closed = (int)strspn(at, "}");
        const int here = depth - (closed < len ? closed : len);

        for (int i = 0; i < len; i++)
            depth += (at[i] == '{') - (at[i] == '}');
        st =
            buf_printf(out, "%*s%.*s\n", len > 0 && here > 0 ? 4 * here : 0, "", len, at);
        at = eol + 1;
    }
    return st;
}

status_t rg_emit_c(const rg_program_t *program, buf_t *out)
{
    buf_t functions = {0}, text = {0};
    rg_emitter_t e = {.program = program, .to = out, .functions = &functions};

    emit_header(&e, "rg_abi");
    emit_header(&e, "tree_sum");
    emit_header(&e, "runtime");
    emit_statics(&e);
    e.to = &text;
    emit_main(&e);
    if (e.st == ST_OK)
        e.st = buf_append(&functions, text.data, text.len);
    if (e.st == ST_OK)
        e.st = indent(&functions, out);
    buf_free(&functions);
    buf_free(&text);
    return e.st;
}
