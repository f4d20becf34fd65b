/*
 * dpc_live.c - finds the variables of a kernel that are needed behind a wait.
 *
 * Names are resolved by the scopes that libclang gives: the innermost variable of a name
 * counts.  So code that libclang does not understand, such as launches of templates,
 * hides no use.
 */
#include "tools/dpc/dpc_live.h"

#include <string.h>

/* Where a variable's name is known. */
static dpc_span_t scope_of(const dpc_function_t *f, int n)
{
    const dpc_node_t *node = &f->nodes[n];

    return (dpc_span_t){node->parent < 0 ? f->head_begin : node->begin,
                        node->parent < 0 ? f->end : f->nodes[node->parent].end};
}

static bool is_variable(const dpc_node_t *node)
{
    return node->kind == CLANG_VARIABLE || node->kind == CLANG_PARAMETER;
}

static bool is_name(const lex_t *lex, size_t token, const char *name)
{
    return lex->all[token].kind == LEX_NAME && lex_is(lex, token, name);
}

int dpc_variable_at(const dpc_model_t *m, const dpc_function_t *f, size_t token)
{
    const lex_t *lex = &m->unit.lex;
    const size_t at = lex->all[token].begin;
    int found = -1;

    if (lex->all[token].kind != LEX_NAME || lex->all[token].in_directive ||
        (token > 0 && (lex_is(lex, token - 1, ".") || lex_is(lex, token - 1, "->") ||
                       lex_is(lex, token - 1, "::"))))
        return -1;
    for (size_t n = 0; n < f->n_nodes; n++) {
        if (!is_variable(&f->nodes[n]) || !is_name(lex, token, f->nodes[n].name))
            continue;
        const dpc_span_t s = scope_of(f, (int)n);

        if (s.begin <= at && at < s.end)
            found = (int)n; /* inner ones come later */
    }
    return found;
}

static bool is_same_name(const dpc_model_t *m, size_t token, void *to)
{
    return is_name(&m->unit.lex, token, to);
}

bool dpc_is_used(const dpc_model_t *m, const dpc_function_t *f, int node, size_t begin,
                 size_t end)
{
    const lex_t *lex = &m->unit.lex;
    char *name = (char *)f->nodes[node].name;

    for (size_t i = lex_at(lex, begin); i < lex->n && lex->all[i].begin < end; i++)
        if (lex->all[i].kind == LEX_NAME && !lex->all[i].in_directive &&
            (dpc_variable_at(m, f, i) == node || dpc_macro_any(m, i, is_same_name, name)))
            return true;
    return false;
}

/* @return whether token i assigns to what is before it */
static bool is_assignment(const lex_t *lex, size_t i)
{
    static const char *const marks[] = {"=",  "+=", "-=", "*=", "/=",  "%=",
                                        "&=", "|=", "^=", "++", "<<=", "--"};

    for (size_t k = 0; k < sizeof(marks) / sizeof(marks[0]); k++)
        if (lex_is(lex, i, marks[k]))
            return true;
    return lex_is(lex, i, ">") && lex_is(lex, i + 1, ">="); /* >>= */
}

/* @return whether & before token i takes an address */
static bool has_address_taken(const lex_t *lex, size_t i)
{
    return i >= 2 && lex_is(lex, i - 1, "&") && lex->all[i - 2].kind == LEX_MARK &&
           !lex_is(lex, i - 2, ")") && !lex_is(lex, i - 2, "]");
}

/* @return whether a function of this name, of the user's, has a parameter with & */
static bool takes_references(const dpc_model_t *m, size_t name)
{
    for (size_t i = 0; i < m->unit.n_functions; i++) {
        const dpc_function_t *g = &m->unit.functions[i];

        if (!lex_is(&m->unit.lex, name, g->name))
            continue;
        for (size_t at = g->begin; at < g->end && g->text[at] != '{'; at++)
            if (g->text[at] == '&')
                return true;
    }
    return false;
}

/* @return whether tokens i to `last` are an argument of a call that may change it */
static bool is_passed_by_reference(const dpc_model_t *m, size_t i, size_t last)
{
    const lex_t *lex = &m->unit.lex;
    int depth = 0;

    if ((!lex_is(lex, i - 1, "(") && !lex_is(lex, i - 1, ",")) ||
        (!lex_is(lex, last + 1, ")") && !lex_is(lex, last + 1, ",")))
        return false;
    for (i--; i > 0 && !lex_is(lex, i, ";") && !lex_is(lex, i, "{"); i--) {
        depth += lex_is(lex, i, ")") - lex_is(lex, i, "(");
        if (depth < 0)
            return takes_references(m, i - 1);
    }
    return false;
}

/* @return whether a member of variable i may be written, or a method be called: i.a.b =
 * 1, i.a[2] = 1, f(i.a) */
static bool is_member_written(const dpc_model_t *m, size_t i)
{
    const lex_t *lex = &m->unit.lex;
    size_t last = i;

    while (lex_is(lex, last + 1, ".") || lex_is(lex, last + 1, "["))
        last = lex_is(lex, last + 1, ".") ? last + 2 : lex_close(lex, last + 1);
    return is_assignment(lex, last + 1) || lex_is(lex, last + 1, "(") ||
           is_passed_by_reference(m, i, last);
}

bool dpc_is_written(const dpc_model_t *m, const dpc_function_t *f, int node)
{
    const lex_t *lex = &m->unit.lex;

    for (size_t i = lex_at(lex, f->body_begin); i < lex->n && lex->all[i].begin < f->end;
         i++) {
        const bool is_declared = f->nodes[node].kind == CLANG_VARIABLE &&
                                 lex->all[i].begin >= f->nodes[node].begin &&
                                 lex->all[i].begin < f->nodes[node].end;

        if (lex->all[i].kind != LEX_NAME || dpc_variable_at(m, f, i) != node ||
            is_declared)
            continue;
        const bool is_element =
            strchr(f->nodes[node].type, '*') != NULL &&
            (lex_is(lex, i + 1, "[") || lex_is(lex, i + 1, "->")); /* &a[i] */

        if (is_assignment(lex, i + 1) || lex_is(lex, i - 1, "++") ||
            lex_is(lex, i - 1, "--") || (has_address_taken(lex, i) && !is_element) ||
            is_passed_by_reference(m, i, i) ||
            (lex_is(lex, i + 1, ".") && is_member_written(m, i)))
            return true;
    }
    return false;
}

/* @return whether a constant's value has nothing but numbers and other such constants */
static bool is_literal(const dpc_model_t *m, const dpc_function_t *f, int node)
{
    const lex_t *lex = &m->unit.lex;
    const dpc_node_t *v = &f->nodes[node];
    size_t i = lex_at(lex, v->begin);
    bool has_value = false;

    if (!v->is_const)
        return false;
    while (i < lex->n && !is_name(lex, i, v->name))
        i++;
    for (i++; i < lex->n && lex->all[i].begin < v->end; i++) {
        const int other = dpc_variable_at(m, f, i);

        has_value = true;
        if (lex->all[i].kind == LEX_NAME && !lex_is(lex, i, "sizeof") &&
            (other < 0 || !is_literal(m, f, other)))
            return false;
    }
    return has_value;
}

/* @return whether shared memory is used before a wait, where threads reach it */
static bool is_used_before(const dpc_model_t *m, const dpc_kernel_t *k,
                           const dpc_function_t *f, const dpc_wait_t *w, int node)
{
    size_t from = f->nodes[node].end;

    for (size_t i = 0; i < k->n_waits; i++) {
        const dpc_wait_t *other = &k->waits[i];

        if (other->top.begin != w->top.begin || other->statement.begin < from)
            continue;
        if (dpc_is_used(m, f, node, from, other->statement.begin))
            return true;
        from = other->cut_end;
    }
    return dpc_is_used(m, f, node, from, w->top.end);
}

/* The variable that is assigned in the statement which has token i, before it. */
static int assigned_before(const dpc_model_t *m, const dpc_function_t *f, size_t i)
{
    const lex_t *lex = &m->unit.lex;
    int depth = 0;

    for (; i > 0 && lex->all[i].begin > f->body_begin; i--) {
        const char c = lex->text[lex->all[i].begin];

        depth += (c == ')') - (c == '(');
        if (depth < 0 || c == ';' || c == '{' || c == '}')
            return -1; /* an argument of a call, or nothing */
        if (lex_is(lex, i, "="))
            return dpc_variable_at(m, f, i - 1);
    }
    return -1;
}

/* @return the local variable whose address `node` may hold; -1: none */
static int address_in(const dpc_model_t *m, const dpc_function_t *f, int node)
{
    const lex_t *lex = &m->unit.lex;

    if (strchr(f->nodes[node].type, '*') == NULL)
        return -1;
    for (size_t i = lex_at(lex, f->body_begin); i < lex->n && lex->all[i].begin < f->end;
         i++) {
        const int v = lex->all[i].kind == LEX_NAME ? dpc_variable_at(m, f, i) : -1;

        if (v < 0 || v == node || f->nodes[v].is_shared || f->nodes[v].is_extern)
            continue;
        const bool is_array = strchr(f->nodes[v].type, '[') != NULL;
        const bool is_pointer = strchr(f->nodes[v].type, '*') != NULL;
        const bool is_address =
            has_address_taken(lex, i) &&
            !(is_pointer && (lex_is(lex, i + 1, "[") || lex_is(lex, i + 1, "->")));

        if ((is_address || (is_array && f->nodes[v].kind == CLANG_VARIABLE &&
                            !lex_is(lex, i + 1, "["))) &&
            assigned_before(m, f, i - 1) == node)
            return v;
    }
    return -1;
}

/* Log why a variable cannot be saved. @return whether it can */
static bool can_save(const dpc_model_t *m, const dpc_kernel_t *k, const dpc_wait_t *w,
                     int node)
{
    const dpc_function_t *f = dpc_function_of(m, k);
    const dpc_node_t *v = &f->nodes[node];
    const int line = dpc_line_at(m, v->begin);
    const int local = address_in(m, f, node);
    status_t st = ST_OK;

    if (v->is_extern)
        st = dpc_refuse(m, line,
                        "dynamic shared memory '%s' is used before and after the wait in "
                        "line %d; keep it in global memory",
                        v->name, w->line);
    else if (v->is_reference)
        st = dpc_refuse(m, line,
                        "the reference '%s' is used after the wait in line %d; make it a "
                        "pointer",
                        v->name, w->line);
    else if (local >= 0)
        st = dpc_refuse(m, line,
                        "'%s' may hold the address of the local '%s', and is used after "
                        "the wait in line %d",
                        v->name, f->nodes[local].name, w->line);
    else if (strstr(v->type, "auto") != NULL || strstr(v->type, "(lambda") != NULL ||
             strstr(v->type, "<dependent") != NULL || strstr(v->type, "(unnamed") != NULL)
        st = dpc_refuse(m, line,
                        "the type of '%s' is unknown, and it is used after the wait in "
                        "line %d; write its type",
                        v->name, w->line);
    return st == ST_OK;
}

/* From where on code is behind a wait; of the body all waits of a statement count. */
static size_t first_rest(const dpc_kernel_t *k, const dpc_wait_t *w, bool is_body)
{
    size_t first = w->statement.begin;

    for (size_t i = 0; i < k->n_waits && is_body; i++)
        if (k->waits[i].top.begin == w->top.begin && k->waits[i].statement.begin < first)
            first = k->waits[i].statement.begin;
    return first;
}

/* Whether a variable that is declared before a wait is needed, and how. */
static bool is_live(const dpc_model_t *m, const dpc_kernel_t *k, const dpc_wait_t *w,
                    int node, size_t from, size_t end, dpc_fate_t *fate)
{
    const dpc_function_t *f = dpc_function_of(m, k);
    const dpc_node_t *v = &f->nodes[node];

    if (!is_variable(v)) {
        *fate = DPC_REPEATED; /* a type */
        return true;
    }
    if (!dpc_is_used(m, f, node, from, end) ||
        (v->kind == CLANG_PARAMETER && !dpc_is_written(m, f, node)))
        return false;
    const bool is_used = v->is_shared && is_used_before(m, k, f, w, node);

    *fate = is_literal(m, f, node)    ? DPC_REPEATED
            : !v->is_shared           ? DPC_SAVED
            : !is_used && !v->is_kept ? DPC_REPEATED
            : v->is_extern            ? DPC_SAVED
                                      : DPC_KEPT;
    return true;
}

int dpc_live_at(const dpc_model_t *m, const dpc_kernel_t *k, const dpc_wait_t *w,
                int level, dpc_live_t *out)
{
    const dpc_function_t *f = dpc_function_of(m, k);
    const bool is_body = level == w->n_levels - 1;
    const size_t from = first_rest(k, w, is_body), end = w->rest[level].end;
    int n_live = 0;

    for (size_t n = 0; n < f->n_nodes; n++) {
        const dpc_node_t *v = &f->nodes[n];
        const bool is_type = v->kind == CLANG_TYPEDEF || v->kind == CLANG_TYPE_ALIAS ||
                             v->kind == CLANG_STRUCT || v->kind == CLANG_UNION ||
                             v->kind == CLANG_ENUM || v->kind == CLANG_CLASS;
        const bool is_here = v->parent == w->scope[level] ||
                             (is_body && v->parent < 0 && v->kind == CLANG_PARAMETER);
        dpc_live_t live = {.node = (int)n};

        if ((!is_variable(v) && !is_type) || !is_here || v->begin >= from ||
            (!is_body && v->end > w->statement.begin) ||
            !is_live(m, k, w, (int)n, from, end, &live.fate))
            continue;
        if (n_live == DPC_LIVE_MAX) {
            (void)dpc_refuse(m, w->line, "more than %d variables are used after the wait",
                             DPC_LIVE_MAX);
            return -1;
        }
        if (live.fate == DPC_SAVED && !can_save(m, k, w, (int)n))
            return -1;
        out[n_live++] = live;
    }
    return n_live;
}

/* ---- shared memory of the file ---- */

/* @return whether code from one offset to another has the word of a token */
static bool has_word(const lex_t *lex, size_t word, size_t begin, size_t end)
{
    for (size_t i = lex_at(lex, begin); i < lex->n && lex->all[i].begin < end; i++)
        if (!lex->all[i].in_directive && lex_equal(lex, i, word))
            return true;
    return false;
}

/* Shared memory that is declared outside of functions lives as long as a launch. */
static status_t check_shared(const dpc_model_t *m, const dpc_kernel_t *k, size_t name)
{
    const lex_t *lex = &m->unit.lex;
    const dpc_function_t *f = dpc_function_of(m, k);

    for (size_t i = 0; i < k->n_waits; i++) {
        const dpc_wait_t *w = &k->waits[i];
        const bool is_before =
            has_word(lex, name, f->body_begin, w->statement.begin) ||
            (w->cut_end < w->top.end && has_word(lex, name, w->cut_end, w->top.end));
        bool is_after = false;

        for (int level = 0; level < w->n_levels; level++)
            is_after =
                is_after || has_word(lex, name, w->rest[level].begin, w->rest[level].end);
        if (is_before && is_after)
            return dpc_refuse(m, w->line,
                              "shared memory '%.*s' is used before and after this wait; "
                              "keep it in global memory",
                              (int)(lex->all[name].end - lex->all[name].begin),
                              lex->text + lex->all[name].begin);
    }
    return ST_OK;
}

static bool is_in_function(const dpc_model_t *m, size_t at)
{
    for (size_t f = 0; f < m->unit.n_functions; f++)
        if (m->unit.functions[f].body_begin <= at && at < m->unit.functions[f].body_end)
            return true;
    return false;
}

bool dpc_keeps_shared(const dpc_model_t *m, const dpc_kernel_t *k)
{
    const dpc_function_t *f = dpc_function_of(m, k);

    for (size_t n = 0; n < f->n_nodes; n++)
        if (f->nodes[n].is_kept)
            return true;
    return false;
}

/* Mark shared memory that is kept: it gets a place in a structure. */
static status_t keep_shared(const dpc_model_t *m, dpc_function_t *f, int node)
{
    f->nodes[node].is_kept = true;
    for (size_t n = 0; n < f->n_nodes; n++)
        if ((int)n != node && f->nodes[n].begin == f->nodes[node].begin)
            return dpc_refuse(
                m, dpc_line_at(m, f->nodes[node].begin),
                "'%s' is used before and after a wait; declare it on its own",
                f->nodes[node].name);
    return ST_OK;
}

static status_t check_kernel(dpc_model_t *m, const dpc_kernel_t *k)
{
    dpc_function_t *f = &m->unit.functions[k->function];
    status_t st = ST_OK;

    for (size_t i = 0; i < k->n_waits; i++)
        for (int level = 0; level < k->waits[i].n_levels; level++) {
            dpc_live_t live[DPC_LIVE_MAX];
            const int n = dpc_live_at(m, k, &k->waits[i], level, live);

            for (int v = 0; v < n && st == ST_OK; v++)
                if (live[v].fate == DPC_KEPT)
                    st = keep_shared(m, f, live[v].node);
            if (n < 0 || st != ST_OK)
                return ST_EINPUT;
        }
    return ST_OK;
}

status_t dpc_check_live(dpc_model_t *m)
{
    const lex_t *lex = &m->unit.lex;

    for (size_t k = 0; k < m->n_kernels; k++) {
        const status_t st = check_kernel(m, &m->kernels[k]);

        if (st != ST_OK)
            return st;
    }
    for (size_t i = 0; i < lex->n; i++) {
        size_t name = lex->n;

        if (!lex_is(lex, i, "__shared__") || lex->all[i].in_directive ||
            is_in_function(m, lex->all[i].begin))
            continue;
        for (size_t t = i + 1; t < lex->n && !lex_is(lex, t, ";") && !lex_is(lex, t, "[");
             t++)
            name = lex->all[t].kind == LEX_NAME ? t : name;
        for (size_t k = 0; k < m->n_kernels && name < lex->n; k++) {
            const status_t st = check_shared(m, &m->kernels[k], name);

            if (st != ST_OK)
                return st;
        }
    }
    return ST_OK;
}
