/*
 * dpc_model.c - looks kernels, lines and macros up, and refuses lines.
 */
#include "tools/dpc/dpc_model.h"

#include "io/base/logmsg.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

status_t dpc_refuse(const dpc_model_t *m, int line, const char *fmt, ...)
{
    char reason[400];
    va_list args;

    va_start(args, fmt);
    vsnprintf(reason, sizeof(reason), fmt, args);
    va_end(args);
    log_error("%s:%d: %s", m->path, line, reason);
    return ST_EINPUT;
}

int dpc_line_at(const dpc_model_t *m, size_t at)
{
    int line = 1;

    for (size_t i = 0; i < at && i < m->unit.lex.len; i++)
        line += m->unit.lex.text[i] == '\n';
    return line;
}

const dpc_function_t *dpc_function_of(const dpc_model_t *m, const dpc_kernel_t *k)
{
    return &m->unit.functions[k->function];
}

dpc_kernel_t *dpc_kernel_of(const dpc_model_t *m, int function)
{
    for (size_t k = 0; k < m->n_kernels; k++)
        if (m->kernels[k].function == function)
            return &m->kernels[k];
    return NULL;
}

dp_level_t dpc_level_of(const dpc_kernel_t *k, const dpc_launch_t *l)
{
    return k->n_sites > 1 ? DP_GRID : l->clauses.level;
}

static bool any_word(const dpc_model_t *m, size_t token, int depth,
                     bool (*see)(const dpc_model_t *m, size_t token, void *to), void *to)
{
    enum { DEPTH_MAX = 8 };
    const lex_t *lex = &m->unit.lex;

    for (size_t k = 0; k < m->n_macros && depth < DEPTH_MAX; k++) {
        if (!lex_equal(lex, m->macros[k].name, token))
            continue;
        for (size_t i = m->macros[k].begin; i < m->macros[k].end; i++)
            if (see(m, i, to) ||
                (lex->all[i].kind == LEX_NAME && any_word(m, i, depth + 1, see, to)))
                return true;
    }
    return false;
}

bool dpc_macro_any(const dpc_model_t *m, size_t token,
                   bool (*see)(const dpc_model_t *m, size_t token, void *to), void *to)
{
    return any_word(m, token, 0, see, to);
}

void dpc_model_free(dpc_model_t *m)
{
    for (size_t k = 0; k < m->n_kernels; k++) {
        free(m->kernels[k].launches);
        free(m->kernels[k].waits);
    }
    free(m->kernels);
    free(m->macros);
    dpc_unit_free(&m->unit);
}
