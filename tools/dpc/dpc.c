/*
 * dpc.c - translates a CUDA file, and reports what was done.
 */
#include "tools/dpc/dpc.h"

#include "io/base/logmsg.h"
#include "tools/dpc/dpc_write.h"

#include <string.h>

static const char *name_of(const dpc_model_t *m, int function)
{
    return m->unit.functions[function].name;
}

/* Name, behind a word, the parameters that all items of a child share, or those that each
 * has. */
static void report_parameters(dpc_text_t *to, const dpc_model_t *m, const dpc_kernel_t *k,
                              const char *word, bool is_uniform)
{
    const dpc_function_t *f = dpc_function_of(m, k);
    const char *before = word;
    const dpc_node_t *p;

    if (k->is_uniform_grid == is_uniform) {
        dpc_say(to, "%sgrid", before);
        before = ", ";
    }
    if (k->is_uniform_block == is_uniform) {
        dpc_say(to, "%sblock", before);
        before = ", ";
    }
    for (int i = 0; (p = dpc_parameter(f, i)) != NULL; i++)
        if (k->is_uniform[i] == is_uniform) {
            dpc_say(to, "%s%s", before, p->name);
            before = ", ";
        }
    if (before == word)
        dpc_say(to, "%snothing", word);
}

static void report_launch(dpc_text_t *to, const dpc_model_t *m, const dpc_kernel_t *k,
                          const dpc_launch_t *l)
{
    const dpc_kernel_t *child = l->is_consolidated ? dpc_kernel_of(m, l->child) : NULL;

    dpc_say(to, "%s:%d: %s launches %.*s: ", m->path, l->line, name_of(m, k->function),
            (int)(l->name.end - l->name.begin), m->unit.lex.text + l->name.begin);
    if (child == NULL) {
        dpc_say(to, "as it is\n");
        return;
    }
    dpc_say(to, "consolidated per %s, %s", dp_level_name[dpc_level_of(k, l)],
            child->needs_block ? "whole blocks (" : "threads");
    if (child->needs_block)
        dpc_say(to, "%s)", child->why);
    report_parameters(to, m, child, "; stored: ", false);
    report_parameters(to, m, child, "; uniform: ", true);
    dpc_say(to, "\n");
}

static void report_wait(dpc_text_t *to, const dpc_model_t *m, const dpc_kernel_t *k,
                        const dpc_wait_t *w)
{
    const dpc_function_t *f = dpc_function_of(m, k);
    const char *before = "saves ";

    dpc_say(to, "%s:%d: %s waits: ", m->path, w->line, f->name);
    for (int level = 0; level < w->n_levels; level++) {
        dpc_live_t live[DPC_LIVE_MAX];
        const int n = dpc_live_at(m, k, w, level, live);

        for (int i = 0; i < n; i++)
            if (live[i].fate == DPC_SAVED) {
                dpc_say(to, "%s%s", before, f->nodes[live[i].node].name);
                before = ", ";
            }
    }
    dpc_say(to, "%s\n", before[0] == 's' ? "saves nothing" : "");
}

static status_t report_all(const dpc_model_t *m, buf_t *out)
{
    dpc_text_t to = {.st = ST_OK};

    for (size_t k = 0; k < m->n_kernels; k++) {
        const dpc_kernel_t *kernel = &m->kernels[k];

        for (size_t i = 0; i < kernel->n_launches; i++)
            if (kernel->n_waits > 0 || kernel->n_sites > 0)
                report_launch(&to, m, kernel, &kernel->launches[i]);
        for (size_t i = 0; i < kernel->n_waits; i++)
            report_wait(&to, m, kernel, &kernel->waits[i]);
    }
    *out = to.buf;
    return to.st;
}

/* A pool as large as the largest that a clause asks for. */
static int64_t pool_bytes(const dpc_model_t *m, int64_t given)
{
    int64_t bytes = 0;

    for (size_t k = 0; k < m->n_kernels; k++)
        for (size_t i = 0; i < m->kernels[k].n_launches; i++)
            if (m->kernels[k].launches[i].clauses.total_bytes > bytes)
                bytes = m->kernels[k].launches[i].clauses.total_bytes;
    bytes = bytes > 0 ? bytes : given;
    return (bytes + 15) / 16 * 16;
}

static void find_checks(dpc_model_t *m)
{
    const lex_t *lex = &m->unit.lex;

    for (size_t k = 0; k < m->n_kernels; k++) {
        const dpc_function_t *f = &m->unit.functions[m->kernels[k].function];

        for (size_t i = lex_at(lex, f->body_begin);
             i < lex->n && lex->all[i].begin < f->body_end; i++)
            if (lex_is(lex, i, "cudaGetLastError") ||
                lex_is(lex, i, "cudaPeekAtLastError"))
                m->kernels[k].checks_errors = true;
    }
}

/* @return whether a file has a pragma, or, if that is enough, a wait or a launch */
static status_t needs_translation(const dpc_options_t *how, const char *text, size_t len,
                                  bool *out)
{
    lex_t lex;
    status_t st = lex_scan(text, len, &lex);

    *out = false;
    for (size_t i = 0; st == ST_OK && i < lex.n && !*out; i++)
        *out = (lex.all[i].is_first && lex_is(&lex, i + 1, "pragma") &&
                lex_is(&lex, i + 2, "dp")) ||
               (how->port && lex_is(&lex, i, "cudaDeviceSynchronize"));
    if (st == ST_OK)
        lex_free(&lex);
    return st;
}

status_t dpc_translate(const dpc_options_t *how, const char *text, size_t len, buf_t *out,
                       buf_t *report)
{
    dpc_model_t m = {.path = how->parse.path};
    bool is_needed;
    status_t st = needs_translation(how, text, len, &is_needed);

    if (st != ST_OK)
        return st;
    if (!is_needed)
        return buf_append(out, text, len);
    if ((st = dpc_unit_parse(&how->parse, text, len, &m.unit)) == ST_OK &&
        (st = dpc_find(&m)) == ST_OK && (st = dpc_check_live(&m)) == ST_OK &&
        (st = dpc_classify(&m)) == ST_OK) {
        find_checks(&m);
        if ((st = dpc_write(&m, pool_bytes(&m, how->pool_bytes), out)) == ST_OK)
            st = report_all(&m, report);
    }
    dpc_model_free(&m);
    return st;
}
