/*
 * dpc_find.c - finds the kernels of a file that launch or wait.
 */
#include "io/base/logmsg.h"
#include "tools/dpc/dpc_model.h"

#include <stdlib.h>
#include <string.h>

static const char wait_word[] = "cudaDeviceSynchronize";

/* The kernel of a function, added if it is new. @return NULL: no memory (logged) */
static dpc_kernel_t *need_kernel(dpc_model_t *m, int function)
{
    dpc_kernel_t *k = dpc_kernel_of(m, function);

    if (k != NULL)
        return k;
    if ((k = dpc_one_more(m->kernels, m->n_kernels, sizeof(*k))) == NULL)
        return NULL;
    m->kernels = k;
    k += m->n_kernels++;
    k->function = function;
    return k;
}

/* ---- macros ---- */

static status_t find_macros(dpc_model_t *m)
{
    const lex_t *lex = &m->unit.lex;

    for (size_t i = 0; i + 2 < lex->n; i++) {
        dpc_macro_t *more;

        if (!lex->all[i].is_first || lex->all[i].is_left_out ||
            !lex_is(lex, i + 1, "define"))
            continue;
        if ((more = dpc_one_more(m->macros, m->n_macros, sizeof(*more))) == NULL)
            return ST_ENOMEM;
        m->macros = more;
        more[m->n_macros++] = (dpc_macro_t){i + 2, i + 3, lex_directive_end(lex, i)};
    }
    return ST_OK;
}

static bool is_launch_or_wait(const dpc_model_t *m, size_t token, void *to)
{
    (void)to;
    return lex_is(&m->unit.lex, token, "<<<") || lex_is(&m->unit.lex, token, wait_word);
}

/* ---- launches ---- */

/* @return the function whose body has an offset; -1: none */
static int function_at(const dpc_model_t *m, size_t at)
{
    for (size_t f = 0; f < m->unit.n_functions; f++)
        if (m->unit.functions[f].body_begin < at && at < m->unit.functions[f].body_end)
            return (int)f;
    return -1;
}

/* @return the > of template arguments that begin at i; i: it is another < */
static size_t template_close(const lex_t *lex, size_t i)
{
    int depth = 0;

    if (!lex_is(lex, i, "<") || i == 0 || lex->all[i - 1].kind != LEX_NAME)
        return i;
    for (size_t k = i; k < lex->n; k++) {
        const lex_token_t *t = &lex->all[k];

        if (lex_is(lex, k, "<"))
            depth++;
        else if (lex_is(lex, k, ">"))
            depth--;
        else if (t->kind == LEX_MARK && !lex_is(lex, k, ",") && !lex_is(lex, k, "::") &&
                 !lex_is(lex, k, "*") && !lex_is(lex, k, "&"))
            return i;
        if (depth == 0)
            return lex_is(lex, k + 1, "(") || lex_is(lex, k + 1, "::") ||
                           lex_is(lex, k + 1, "{")
                       ? k
                       : i;
    }
    return i;
}

/* Split tokens from i at commas, up to the token `end`. @return how many parts; -1: more
 * than max */
static int split(const lex_t *lex, size_t i, size_t end, dpc_span_t *parts, int max)
{
    int n = 0;

    while (i < end) {
        const size_t begin = i;

        for (; i < end && !lex_is(lex, i, ","); i++) {
            const size_t close =
                lex_is(lex, i, "(") || lex_is(lex, i, "[") || lex_is(lex, i, "{")
                    ? lex_close(lex, i)
                    : template_close(lex, i);
            i = close < end ? close : i;
        }
        if (n == max || i == begin)
            return -1;
        parts[n++] = (dpc_span_t){lex->all[begin].begin, lex->all[i - 1].end};
        i += i < end;
    }
    return n;
}

/* @return the first of three > that close a configuration; lex->n: none */
static size_t find_config_end(const lex_t *lex, size_t i)
{
    for (; i + 2 < lex->n; i++) {
        if (lex_is(lex, i, "(") || lex_is(lex, i, "[") || lex_is(lex, i, "{"))
            i = lex_close(lex, i);
        else if (lex_is(lex, i, ";"))
            break;
        else if (lex_is(lex, i, ">") && lex_is(lex, i + 1, ">") &&
                 lex_is(lex, i + 2, ">") &&
                 lex->all[i + 2].begin == lex->all[i].begin + 2 &&
                 lex_is(lex, i + 3, "("))
            return i;
    }
    return lex->n;
}

/* The child's name before token i, which may have template arguments and namespaces. */
static bool find_name(const lex_t *lex, size_t i, dpc_launch_t *out)
{
    size_t k = lex_before(lex, i), first;

    if (lex_is(lex, k, ">")) {
        const size_t last = k;
        int depth = 0;

        do {
            depth += lex_is(lex, k, ">") - lex_is(lex, k, "<");
        } while (depth > 0 && (k = lex_before(lex, k)) < lex->n);
        if (k >= lex->n)
            return false;
        out->template_arguments = (dpc_span_t){lex->all[k].begin, lex->all[last].end};
        k = lex_before(lex, k);
    }
    if (k >= lex->n || lex->all[k].kind != LEX_NAME)
        return false;
    out->name = (dpc_span_t){lex->all[k].begin, lex->all[k].end};
    for (first = k; lex_is(lex, first - 1, "::"); first--)
        if (lex->all[first - 2].kind == LEX_NAME)
            first--;
    out->all.begin = lex->all[first].begin;
    return true;
}

/* @return whether the <<< of token i begins a launch, which is filled in */
static bool read_launch(const lex_t *lex, size_t i, dpc_launch_t *out)
{
    const size_t end = find_config_end(lex, i + 1);
    size_t close;

    *out = (dpc_launch_t){.line = lex->all[i].line, .child = -1};
    if (end == lex->n || (close = lex_close(lex, end + 3)) == lex->n ||
        !find_name(lex, i, out))
        return false;
    out->all.end = lex->all[close].end;
    out->n_config = split(lex, i + 1, end, out->config, 4);
    out->n_arguments = split(lex, end + 4, close, out->arguments, DPC_ARGUMENTS_MAX);
    return out->n_config >= 2 && out->n_arguments >= 0;
}

static bool has_name(const dpc_model_t *m, dpc_span_t name, const char *text)
{
    return strlen(text) == name.end - name.begin &&
           memcmp(m->unit.lex.text + name.begin, text, name.end - name.begin) == 0;
}

/* Find the definition of a launch's child; of overloads the one that takes as many
 * arguments. */
static status_t find_child(dpc_model_t *m, dpc_launch_t *l, bool is_needed)
{
    const char *name = m->unit.lex.text + l->name.begin;
    const int len = (int)(l->name.end - l->name.begin);
    int n_defined = 0, n_named = 0;

    for (size_t i = 0; i < m->unit.n_functions; i++) {
        const dpc_function_t *f = &m->unit.functions[i];

        if (!f->is_global || !has_name(m, l->name, f->name))
            continue;
        n_named++;
        if (f->is_here && f->body_end > 0 && dpc_parameter(f, l->n_arguments) == NULL &&
            (l->n_arguments == 0 || dpc_parameter(f, l->n_arguments - 1) != NULL)) {
            l->child = (int)i;
            n_defined++;
        }
    }
    if (n_defined == 1)
        return ST_OK;
    l->child = -1;
    if (!is_needed)
        return ST_OK;
    if (n_defined > 1)
        return dpc_refuse(m, l->line,
                          "'%.*s' is overloaded, and several of its kernels take %d "
                          "arguments; give them names of their own",
                          len, name, l->n_arguments);
    if (n_named > 0)
        return dpc_refuse(m, l->line,
                          "'%.*s' with %d arguments is not defined in this file; define "
                          "it here (default arguments have to be written)",
                          len, name, l->n_arguments);
    return dpc_refuse(m, l->line,
                      "the launch of '%.*s' goes through a pointer, or to a kernel that "
                      "this file does not have; launch a kernel by its name",
                      len, name);
}

static status_t add_launch(dpc_model_t *m, size_t token)
{
    const size_t at = m->unit.lex.all[token].begin;
    const int f = function_at(m, at);
    dpc_launch_t launch, *more;
    dpc_kernel_t *k;

    if (f < 0 || !m->unit.functions[f].is_global)
        return ST_OK; /* of the host, or of a device function without a pragma */
    if (!read_launch(&m->unit.lex, token, &launch))
        return dpc_refuse(m, m->unit.lex.all[token].line,
                          "this launch is not KERNEL<<<GRID, BLOCK, ...>>>(...)");
    if ((k = need_kernel(m, f)) == NULL ||
        (more = dpc_one_more(k->launches, k->n_launches, sizeof(*more))) == NULL)
        return ST_ENOMEM;
    k->launches = more;
    more[k->n_launches++] = launch;
    return find_child(m, &k->launches[k->n_launches - 1], false);
}

/* ---- pragmas ---- */

/* Why the code behind a pragma is no launch in a kernel. */
static status_t refuse_pragma(const dpc_model_t *m, size_t next, int line)
{
    const lex_t *lex = &m->unit.lex;
    const int f = next < lex->n ? function_at(m, lex->all[next].begin) : -1;

    if (next < lex->n && lex->all[next].kind == LEX_NAME &&
        dpc_macro_any(m, next, is_launch_or_wait, NULL))
        return dpc_refuse(m, line, "the launch is in a macro, '%.*s'; write it out",
                          (int)(lex->all[next].end - lex->all[next].begin),
                          lex->text + lex->all[next].begin);
    if (f >= 0 && !m->unit.functions[f].is_global)
        return dpc_refuse(m, line,
                          "the launch is in '%s', a %s function; #pragma dp is for "
                          "launches in __global__ functions",
                          m->unit.functions[f].name,
                          m->unit.functions[f].is_device ? "__device__" : "host");
    return dpc_refuse(m, line, "#pragma dp is not directly before a launch");
}

/* @return whether one of the launch's words is a name */
static bool mentions(const dpc_model_t *m, const dpc_launch_t *l, dp_word_t name)
{
    const lex_t *lex = &m->unit.lex;

    for (size_t i = lex_at(lex, l->all.begin);
         i < lex->n && lex->all[i].begin < l->all.end; i++)
        if (lex->all[i].end - lex->all[i].begin == name.len &&
            memcmp(lex->text + lex->all[i].begin, name.at, name.len) == 0)
            return true;
    return false;
}

static status_t check_clauses(dpc_model_t *m, const dpc_kernel_t *k, dpc_launch_t *l,
                              int line)
{
    for (int i = 0; i < l->clauses.n_work; i++)
        if (!mentions(m, l, l->clauses.work[i]))
            return dpc_refuse(m, line, "work(%.*s): the launch does not use it",
                              (int)l->clauses.work[i].len, l->clauses.work[i].at);
    for (size_t n = 0; n < m->unit.functions[k->function].n_nodes; n++) {
        const dpc_node_t *node = &dpc_function_of(m, k)->nodes[n];

        if (node->kind == CLANG_LAMBDA && node->begin < l->all.begin &&
            l->all.begin < node->end)
            return dpc_refuse(m, line, "the launch is in a lambda function");
    }
    return find_child(m, l, true);
}

static status_t add_pragma(dpc_model_t *m, size_t token)
{
    const lex_t *lex = &m->unit.lex;
    const int line = lex->all[token].line;
    const size_t end = lex_directive_end(lex, token);
    size_t next = end;
    char reason[DP_REASON_BYTES];
    dp_pragma_t clauses;

    if (!dp_pragma_parse(lex->text + lex->all[token + 2].end,
                         lex->all[end - 1].end - lex->all[token + 2].end, &clauses,
                         reason))
        return dpc_refuse(m, line, "#pragma dp: %s", reason);
    while (next < lex->n && lex->all[next].is_left_out)
        next++;
    for (size_t k = 0; k < m->n_kernels && next < lex->n; k++)
        for (size_t i = 0; i < m->kernels[k].n_launches; i++) {
            dpc_launch_t *l = &m->kernels[k].launches[i];

            if (l->all.begin != lex->all[next].begin)
                continue;
            l->is_consolidated = true;
            l->clauses = clauses;
            l->pragma = (dpc_span_t){lex->all[token].begin, lex->all[end - 1].end};
            m->kernels[k].n_sites++;
            return check_clauses(m, &m->kernels[k], l, line);
        }
    return refuse_pragma(m, next, line);
}

/* ---- waits ---- */

static status_t add_wait(dpc_model_t *m, size_t token)
{
    const lex_t *lex = &m->unit.lex;
    const int f = function_at(m, lex->all[token].begin);
    const size_t close = lex_is(lex, token + 1, "(") ? lex_close(lex, token + 1) : lex->n;
    dpc_kernel_t *k;
    dpc_wait_t *more;

    if (f < 0 || close == lex->n)
        return ST_OK;
    const dpc_function_t *in = &m->unit.functions[f];

    if (in->is_device && !in->is_host && !in->is_global)
        return dpc_refuse(m, lex->all[token].line,
                          "waiting in '%s', a __device__ function; wait in the kernel",
                          in->name);
    if (!in->is_global)
        return ST_OK;
    if ((k = need_kernel(m, f)) == NULL ||
        (more = dpc_one_more(k->waits, k->n_waits, sizeof(*more))) == NULL)
        return ST_ENOMEM;
    k->waits = more;
    more[k->n_waits++] =
        (dpc_wait_t){.call = {lex->all[token - (lex_is(lex, token - 1, "::"))].begin,
                              lex->all[close].end},
                     .line = lex->all[token].line};
    return ST_OK;
}

/* Refuse macros that launch or wait, in kernels that are translated. */
static status_t check_macros(const dpc_model_t *m)
{
    const lex_t *lex = &m->unit.lex;

    for (size_t i = 0; i < lex->n; i++) {
        const int f = lex->all[i].in_directive || lex->all[i].kind != LEX_NAME
                          ? -1
                          : function_at(m, lex->all[i].begin);

        if (f >= 0 && m->unit.functions[f].is_global &&
            dpc_macro_any(m, i, is_launch_or_wait, NULL))
            return dpc_refuse(m, lex->all[i].line,
                              "a launch or a wait is in a macro, '%.*s'; write it out",
                              (int)(lex->all[i].end - lex->all[i].begin),
                              lex->text + lex->all[i].begin);
    }
    return ST_OK;
}

static bool is_pragma(const lex_t *lex, size_t i)
{
    return lex->all[i].is_first && lex_is(lex, i + 1, "pragma") &&
           lex_is(lex, i + 2, "dp");
}

/* Call one of the functions above with each token of a kind. */
static status_t find_all(dpc_model_t *m)
{
    const lex_t *lex = &m->unit.lex;
    status_t st = check_macros(m);

    for (size_t i = 0; i < lex->n && st == ST_OK; i++)
        if (!lex->all[i].in_directive && lex_is(lex, i, "<<<"))
            st = add_launch(m, i);
        else if (!lex->all[i].in_directive && lex_is(lex, i, wait_word))
            st = add_wait(m, i);
    for (size_t i = 0; i < lex->n && st == ST_OK; i++)
        if (is_pragma(lex, i) && !lex->all[i].is_left_out)
            st = add_pragma(m, i);
        else if (is_pragma(lex, i))
            log_warn(
                "%s:%d: #pragma dp stays as it is: the preprocessor leaves this line "
                "out (-D)",
                m->path, lex->all[i].line);
    return st;
}

/* Children of consolidated launches are kernels, too. */
static status_t add_children(dpc_model_t *m)
{
    for (size_t k = 0; k < m->n_kernels; k++)
        for (size_t i = 0; i < m->kernels[k].n_launches; i++)
            if (m->kernels[k].launches[i].is_consolidated) {
                dpc_kernel_t *child = need_kernel(m, m->kernels[k].launches[i].child);

                if (child == NULL)
                    return ST_ENOMEM;
                child->is_child = true;
            }
    return ST_OK;
}

/* A type that libclang does not know would be a wrong one. */
static status_t check_types(const dpc_model_t *m)
{
    static const char *const bad[] = {"unknown type name", "no type named",
                                      "no template named", "expected ",
                                      "incomplete type",   "extraneous"};

    for (size_t i = 0; i < m->unit.n_faults; i++) {
        const dpc_fault_t *fault = &m->unit.faults[i];

        for (size_t k = 0; k < m->n_kernels; k++) {
            const dpc_function_t *f = &m->unit.functions[m->kernels[k].function];

            for (size_t b = 0; b < sizeof(bad) / sizeof(bad[0]); b++)
                if (fault->at >= f->head_begin && fault->at < f->body_end &&
                    strncmp(fault->text, bad[b], strlen(bad[b])) == 0)
                    return dpc_refuse(m, fault->line, "%s", fault->text);
        }
    }
    return ST_OK;
}

status_t dpc_find(dpc_model_t *m)
{
    status_t st = find_macros(m);

    if (st == ST_OK && (st = find_all(m)) == ST_OK && (st = add_children(m)) == ST_OK)
        st = check_types(m);
    for (size_t k = 0; k < m->n_kernels && st == ST_OK; k++)
        st = dpc_find_rests(m, &m->kernels[k]);
    return st;
}
