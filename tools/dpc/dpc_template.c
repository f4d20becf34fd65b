/*
 * dpc_template.c - the names of what is written of a kernel, and the arguments of its
 * template, which a launch writes or which follow from the types of its arguments.
 */
#include "tools/dpc/dpc_write.h"

#include <stdio.h>
#include <string.h>

enum { PARAMETERS_MAX = 32 };

/* A parameter of a template; tokens. */
typedef struct {
    size_t begin, end; /* without the default value */
    size_t name;
    size_t value_end; /* of the default value, which begins behind the `=` of end */
} parameter_t;

static bool append(char *to, size_t bytes, const char *text, size_t len)
{
    const size_t n = strlen(to);

    if (n + len + 1 > bytes)
        return false;
    memcpy(to + n, text, len);
    to[n + len] = '\0';
    return true;
}

static bool append_tokens(char *to, size_t bytes, const lex_t *lex, size_t begin,
                          size_t end)
{
    return append(to, bytes, lex->text + lex->all[begin].begin,
                  lex->all[end - 1].end - lex->all[begin].begin);
}

/* Find the comma or > that ends a part of what is between < and >. @return whether there
 * is one, and the part is not empty */
static bool next_part(const lex_t *lex, size_t begin, size_t *end)
{
    int depth = 0;

    for (size_t i = begin; i < lex->n; i++) {
        if (depth == 0 && (lex_is(lex, i, ",") || lex_is(lex, i, ">"))) {
            *end = i;
            return i > begin;
        }
        depth += (lex_is(lex, i, "<") || lex_is(lex, i, "(")) -
                 (lex_is(lex, i, ">") || lex_is(lex, i, ")"));
    }
    return false;
}

/* @return how many parameters a template has, from the word `template` on; -1: some have
 * no name, are packs, or are too many */
static int read_parameters(const lex_t *lex, size_t i, parameter_t out[PARAMETERS_MAX])
{
    int n = 0;

    for (size_t begin = i + 2, end; next_part(lex, begin, &end); begin = end + 1) {
        parameter_t p = {.begin = begin, .end = begin, .name = lex->n, .value_end = end};

        for (; p.end < end && !lex_is(lex, p.end, "="); p.end++) {
            if (lex_is(lex, p.end, "."))
                return -1; /* a pack */
            if (lex->all[p.end].kind == LEX_NAME)
                p.name = p.end;
        }
        if (p.name != p.end - 1 || n == PARAMETERS_MAX)
            return -1;
        out[n++] = p;
        if (lex_is(lex, end, ">"))
            return n;
    }
    return -1;
}

/* The parameters of a kernel's template. @return how many; 0: it is none; -1: as above */
static int parameters_of(const dpc_model_t *m, const dpc_function_t *f,
                         parameter_t out[PARAMETERS_MAX])
{
    const lex_t *lex = &m->unit.lex;
    size_t i = lex_at(lex, f->head_begin);

    if (!f->is_template)
        return 0;
    while (i < lex->n && !lex_is(lex, i, "template"))
        i++;
    return read_parameters(lex, i, out);
}

static bool add_parameters(const lex_t *lex, const parameter_t *p, int n,
                           dpc_names_t *out)
{
    bool ok = append(out->head, sizeof(out->head), "template ", 9);

    for (int i = 0; i < n; i++) {
        const char *comma = i > 0 ? ", " : "<";

        ok = ok && append(out->head, sizeof(out->head), comma, strlen(comma)) &&
             append_tokens(out->head, sizeof(out->head), lex, p[i].begin, p[i].end) &&
             append(out->arguments, sizeof(out->arguments), comma, strlen(comma)) &&
             append_tokens(out->arguments, sizeof(out->arguments), lex, p[i].name,
                           p[i].name + 1);
    }
    return ok && append(out->head, sizeof(out->head), ">\n", 2) &&
           append(out->arguments, sizeof(out->arguments), ">", 1);
}

status_t dpc_names(const dpc_model_t *m, const dpc_kernel_t *k, dpc_names_t *out)
{
    const dpc_function_t *f = dpc_function_of(m, k);
    parameter_t p[PARAMETERS_MAX];
    const int n = parameters_of(m, f, p);
    int same = 0;

    *out = (dpc_names_t){.id = ""};
    for (size_t i = 0; i < m->n_kernels; i++)
        same += m->kernels[i].function < k->function &&
                strcmp(m->unit.functions[m->kernels[i].function].name, f->name) == 0;
    if (strlen(f->name) + 16 > sizeof(out->id))
        return dpc_refuse(m, dpc_line_at(m, f->begin), "the name '%.40s...' is too long",
                          f->name);
    snprintf(out->id, sizeof(out->id), same > 0 ? "%s_dp%d" : "%s_dp", f->name, same + 1);
    if (n < 0 || (n > 0 && !add_parameters(&m->unit.lex, p, n, out)))
        return dpc_refuse(m, dpc_line_at(m, f->begin),
                          "the template '%s' has unnamed parameters or packs", f->name);
    return ST_OK;
}

/* ---- deduction ---- */

/* A type "const NAME **", as libclang writes it. */
typedef struct {
    char name[DPC_TYPE_BYTES];
    int n_stars;
    bool is_const; /* what the pointers lead to, or else the value */
} type_t;

/* @return whether a type is such a one */
static bool read_type(const char *text, type_t *out)
{
    static const char *const skipped[] = {"const", "__restrict", "__restrict__", "&"};

    *out = (type_t){.n_stars = 0};
    while (*text != '\0') {
        const size_t space = strspn(text, " ");
        const size_t len = strspn(text += space, "abcdefghijklmnopqrstuvwxyz"
                                                 "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                 "0123456789_:");
        const size_t n = len > 0 ? len : *text != '\0';
        bool is_skipped = false;

        for (size_t i = 0; i < sizeof(skipped) / sizeof(skipped[0]); i++)
            is_skipped = is_skipped ||
                         (strlen(skipped[i]) == n && strncmp(text, skipped[i], n) == 0);
        if (is_skipped) {
            out->is_const = out->is_const || (*text == 'c' && out->n_stars == 0);
        } else if (*text == '*') {
            out->n_stars++;
        } else if (len == 0 && n > 0) {
            return false; /* a template's, an array's, a function's */
        } else {
            if (out->name[0] != '\0' && !append(out->name, sizeof(out->name), " ", 1))
                return false;
            if (!append(out->name, sizeof(out->name), text, len))
                return false;
        }
        text += n;
    }
    return out->name[0] != '\0' && strstr(out->name, "auto") == NULL;
}

/* The variable whose type an argument has: `v`, `p + 1` or `&p[1]`. @return a node; -1:
 * it is something else */
static int variable_of(const dpc_model_t *m, const dpc_function_t *f, dpc_span_t code)
{
    const lex_t *lex = &m->unit.lex;
    const size_t first = lex_at(lex, code.begin), next = lex_at(lex, code.end);
    const size_t name = first + lex_is(lex, first, "&");
    const int v = dpc_variable_at(m, f, name);

    if (v < 0)
        return -1;
    const bool is_pointer = strchr(f->nodes[v].type, '*') != NULL;

    if (name > first)
        return is_pointer && lex_is(lex, name + 1, "[") &&
                       lex_close(lex, name + 1) + 1 == next
                   ? v
                   : -1;
    return next == name + 1 || (is_pointer && (lex_is(lex, name + 1, "+") ||
                                               lex_is(lex, name + 1, "-")))
               ? v
               : -1;
}

/* Find the type that a parameter of a template stands for. */
static bool deduce(const dpc_model_t *m, const dpc_kernel_t *parent,
                   const dpc_launch_t *l, size_t name, char *out, size_t bytes)
{
    const dpc_function_t *f = dpc_function_of(m, parent);
    const dpc_function_t *child = &m->unit.functions[l->child];
    const dpc_node_t *p;

    for (int i = 0; (p = dpc_parameter(child, i)) != NULL; i++) {
        const int v = variable_of(m, f, l->arguments[i]);
        type_t of, given;

        if (v < 0 || !read_type(p->type, &of) || !lex_is(&m->unit.lex, name, of.name) ||
            !read_type(f->nodes[v].type, &given) || given.n_stars < of.n_stars)
            continue;
        const bool is_const =
            given.is_const && !of.is_const && (of.n_stars > 0 || given.n_stars > 0);

        if ((is_const && !append(out, bytes, "const ", 6)) ||
            !append(out, bytes, given.name, strlen(given.name)))
            return false;
        for (; given.n_stars > of.n_stars; given.n_stars--)
            if (!append(out, bytes, " *", given.n_stars - of.n_stars == 1 ? 2 : 1))
                return false;
        return true;
    }
    return false;
}

status_t dpc_template_arguments(const dpc_model_t *m, const dpc_kernel_t *parent,
                                const dpc_launch_t *l, char out[DPC_TEMPLATE_BYTES])
{
    const lex_t *lex = &m->unit.lex;
    const dpc_span_t given = l->template_arguments;
    parameter_t p[PARAMETERS_MAX];
    const int n = parameters_of(m, &m->unit.functions[l->child], p);
    size_t begin = lex_at(lex, given.begin) + 1, end;

    out[0] = '\0';
    for (int i = 0; i < n; i++) {
        bool ok = append(out, DPC_TEMPLATE_BYTES, i > 0 ? ", " : "<", i > 0 ? 2 : 1);

        if (given.end > 0 && lex->all[begin].begin < given.end &&
            next_part(lex, begin, &end)) {
            ok = ok && append_tokens(out, DPC_TEMPLATE_BYTES, lex, begin, end);
            begin = end + 1;
        } else if (!deduce(m, parent, l, p[i].name, out, DPC_TEMPLATE_BYTES)) {
            if (p[i].end == p[i].value_end)
                return dpc_refuse(m, l->line,
                                  "write the template argument '%.*s' of the kernel, "
                                  "NAME<...><<<: it does not follow from a variable",
                                  (int)(lex->all[p[i].name].end -
                                        lex->all[p[i].name].begin),
                                  lex->text + lex->all[p[i].name].begin);
            ok = ok && append_tokens(out, DPC_TEMPLATE_BYTES, lex, p[i].end + 1,
                                     p[i].value_end);
        }
        if (!ok)
            return dpc_refuse(m, l->line, "the template arguments are too long");
    }
    if (n > 0 && !append(out, DPC_TEMPLATE_BYTES, ">", 1))
        return dpc_refuse(m, l->line, "the template arguments are too long");
    return ST_OK;
}
