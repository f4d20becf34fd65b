/*
 * dpc_waits.c - finds what remains to be done behind each wait of a kernel.
 *
 * A wait ends the kernel for its thread; another kernel does the rest.  The rest is what
 * follows in the block of the wait, then in the block around it, and so on up to the
 * kernel's body: the branches that lead to the wait have been taken.
 */
#include "tools/dpc/dpc_model.h"

#include <string.h>

static const int around[] = {CLANG_COMPOUND,  CLANG_IF,     CLANG_SWITCH,
                             CLANG_WHILE,     CLANG_DO,     CLANG_FOR,
                             CLANG_FOR_RANGE, CLANG_LAMBDA, CLANG_TRY};

enum { N_AROUND = sizeof(around) / sizeof(around[0]) };

/* The statement of kinds `around` that has statement n; -1: none. */
static int parent_of(const dpc_function_t *f, int n)
{
    for (n = f->nodes[n].parent; n >= 0; n = f->nodes[n].parent)
        for (int k = 0; k < N_AROUND; k++)
            if (f->nodes[n].kind == around[k])
                return n;
    return -1;
}

/* libclang leaves out the semicolon of a statement. */
static size_t end_of(const lex_t *lex, size_t end)
{
    const size_t i = lex_at(lex, end);

    return lex->text[end - 1] != '}' && lex_is(lex, i, ";") ? lex->all[i].end : end;
}

/* The statement from its first token to its semicolon, in a block or behind a branch. */
static dpc_span_t simple_statement(const lex_t *lex, size_t first, size_t call)
{
    size_t end = call;

    while (end < lex->n && !lex_is(lex, end, ";")) {
        const size_t close =
            lex_is(lex, end, "(") || lex_is(lex, end, "[") || lex_is(lex, end, "{")
                ? lex_close(lex, end)
                : end;

        end = close < lex->n ? close + 1 : lex->n;
    }
    return (dpc_span_t){lex->all[first].begin,
                        end < lex->n ? lex->all[end].end : lex->len};
}

/* The first token of the statement in a block that has token i. */
static size_t first_in_block(const lex_t *lex, size_t i)
{
    int depth = 0;

    for (size_t k; (k = lex_before(lex, i)) < lex->n; i = k) {
        const char c = lex->text[lex->all[k].begin];

        if (lex->all[k].kind != LEX_MARK)
            continue;
        if (depth == 0 && (c == ';' || c == '{' || c == '}'))
            break;
        depth += (c == ')' || c == ']') - (depth > 0 && (c == '(' || c == '['));
    }
    return i;
}

/* @return whether the statement is `cudaDeviceSynchronize();` and nothing else */
static bool is_call(const lex_t *lex, dpc_span_t statement, dpc_span_t call)
{
    size_t i = lex_at(lex, statement.begin);

    if (lex_is(lex, i, "(") && lex_is(lex, i + 1, "void") && lex_is(lex, i + 2, ")"))
        i += 3;
    return lex->all[i].begin == call.begin && lex_at(lex, call.end) < lex->n &&
           lex->all[lex_at(lex, call.end)].end == statement.end;
}

static status_t refuse_around(const dpc_model_t *m, const dpc_wait_t *w, int kind)
{
    return dpc_refuse(m, w->line, "waiting in a %s; only blocks and if may be around it",
                      kind == CLANG_SWITCH   ? "switch"
                      : kind == CLANG_LAMBDA ? "lambda function"
                      : kind == CLANG_TRY    ? "try block"
                                             : "loop");
}

/* The wait's own statement. @param n  out: the node around it */
static void find_statement(const lex_t *lex, const dpc_function_t *f, dpc_wait_t *w,
                           int *n)
{
    const size_t call = lex_at(lex, w->call.begin);

    *n = dpc_node_around(f, w->call.begin, around, N_AROUND);
    if (*n < 0 || f->nodes[*n].kind == CLANG_COMPOUND) {
        w->statement = simple_statement(lex, first_in_block(lex, call), call);
    } else if (f->nodes[*n].kind == CLANG_IF) {
        size_t open = lex_at(lex, f->nodes[*n].begin) + 1;

        open += !lex_is(lex, open, "("); /* if constexpr */
        const size_t close = lex_close(lex, open);

        if (call < close) { /* of the condition */
            w->statement =
                (dpc_span_t){f->nodes[*n].begin, end_of(lex, f->nodes[*n].end)};
            *n = parent_of(f, *n);
        } else {
            size_t first = close + 1;

            for (size_t i = first; i < call; i++)
                if (lex_is(lex, i, "else") || lex_is(lex, i, ";"))
                    first = i + 1 + (lex_is(lex, i, ";") && lex_is(lex, i + 1, "else"));
            w->statement = simple_statement(lex, first, call);
        }
    }
}

static status_t add_level(const dpc_model_t *m, dpc_wait_t *w, size_t begin, int scope,
                          const dpc_function_t *f)
{
    if (w->n_levels == DPC_LEVELS_MAX)
        return dpc_refuse(m, w->line, "waiting in more than %d blocks", DPC_LEVELS_MAX);
    w->scope[w->n_levels] = scope;
    w->rest[w->n_levels++] = (dpc_span_t){begin, f->nodes[scope].end - 1};
    return ST_OK;
}

/*
 * Go up from the wait's statement to the body.
 *
 * What follows in the same block, and in a block that is no branch, can only be reached
 * from the wait: it is cut out of the code before the wait.
 */
static status_t find_levels(const dpc_model_t *m, const dpc_function_t *f, dpc_wait_t *w,
                            int n)
{
    const lex_t *lex = &m->unit.lex;
    size_t from = w->is_whole ? w->statement.end : w->statement.begin;
    bool is_cut = true;

    w->top = w->statement;
    w->cut_end = w->statement.end;
    for (int up; n >= 0; n = up) {
        const dpc_node_t *node = &f->nodes[n];

        up = parent_of(f, n);
        if (node->kind == CLANG_IF) {
            is_cut = false;
            from = end_of(lex, node->end);
            w->top = (dpc_span_t){node->begin, from};
        } else if (node->kind == CLANG_COMPOUND) {
            status_t st = add_level(m, w, from, n, f);

            if (st != ST_OK)
                return st;
            if (is_cut)
                w->cut_end = node->end - 1;
            if (up >= 0) {
                from = node->end;
                w->top = (dpc_span_t){node->begin, node->end};
            }
        } else {
            return refuse_around(m, w, node->kind);
        }
    }
    return ST_OK;
}

status_t dpc_find_rests(dpc_model_t *m, dpc_kernel_t *k)
{
    const dpc_function_t *f = dpc_function_of(m, k);

    for (size_t i = 0; i < f->n_nodes && k->n_waits > 0; i++)
        if (f->nodes[i].kind == CLANG_LABEL || f->nodes[i].kind == CLANG_GOTO)
            return dpc_refuse(m, dpc_line_at(m, f->nodes[i].begin),
                              "a kernel that waits has labels");
    for (size_t i = 0; i < k->n_waits; i++) {
        dpc_wait_t *w = &k->waits[i];
        status_t st;
        int n;

        find_statement(&m->unit.lex, f, w, &n);
        if (n >= 0 && f->nodes[n].kind != CLANG_COMPOUND && f->nodes[n].kind != CLANG_IF)
            return refuse_around(m, w, f->nodes[n].kind);
        w->is_whole = is_call(&m->unit.lex, w->statement, w->call);
        if (!w->is_whole && n >= 0 && f->nodes[n].kind == CLANG_IF) { /* no block */
            w->scope[0] = n;
            w->rest[w->n_levels++] = w->statement;
        }
        if ((st = find_levels(m, f, w, n)) != ST_OK)
            return st;
    }
    return ST_OK;
}
