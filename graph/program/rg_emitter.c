/*
 * rg_emitter.c - text, names and types, and what every emitted function begins and ends
 * with.
 */
#include "graph/program/rg_emitter.h"

#include <string.h>

void emit_text(rg_emitter_t *e, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    if (e->st == ST_OK)
        e->st = buf_vprintf(e->to, fmt, args);
    va_end(args);
}

const char *emit_type(rg_type_t type)
{
    static const char *const types[RG_N_TYPES] = {
        [RG_INT] = "int64_t",  [RG_REAL] = "double",  [RG_BOOL] = "uint8_t",
        [RG_NODE] = "int32_t", [RG_EDGE] = "int64_t",
    };

    return types[type];
}

void emit_name(rg_emitter_t *e, const rg_symbol_t *s)
{
    emit_text(e, "%s_%s%d", s->name, s->kind == SYMBOL_ATTRIBUTE ? "a" : "", s->slot);
}

void emit_place(rg_emitter_t *e, rg_at_t at)
{
    emit_text(e, ", %d, %d%s", at.line, at.column, e->is_cuda ? ", bad" : "");
}

void emit_value_begin(rg_emitter_t *e)
{
    emit_text(e, e->is_cuda ? "[&] {\n" : "({\n");
}

void emit_value_end(rg_emitter_t *e, const char *fmt, ...)
{
    va_list args;

    if (e->is_cuda)
        emit_text(e, "return ");
    va_start(args, fmt);
    if (e->st == ST_OK)
        e->st = buf_vprintf(e->to, fmt, args);
    va_end(args);
    emit_text(e, e->is_cuda ? ";\n}()" : ";\n})");
}

void emit_begin(rg_emitter_t *e)
{
    emit_text(e, "int64_t visited = 0, iterations = 0;\n");
    emit_attributes(e, true);
}

void emit_attributes(rg_emitter_t *e, bool is_declaration)
{
    for (const rg_symbol_t *s = e->program->symbols; s != NULL; s = s->next)
        if (s->kind == SYMBOL_ATTRIBUTE &&
            (e->kernel == NULL || e->kernel->attribute[s->slot] != 0)) {
            if (is_declaration)
                emit_text(e, "%s *", emit_type(s->type));
            emit_name(e, s);
            emit_text(e, " = (%s *)rg->attribute[%d];\n", emit_type(s->type), s->slot);
        }
}

void emit_end(rg_emitter_t *e)
{
    emit_text(e, "count(visited, iterations);\n}\n");
}

void emit_function(rg_emitter_t *e, buf_t *f, buf_t *to)
{
    if (e->st == ST_OK)
        e->st = buf_append(e->functions, f->data, f->len);
    buf_free(f);
    e->to = to;
}

void emit_shipped(rg_emitter_t *e, const char *name, const char *from)
{
    const char *text = NULL;

    for (int i = 0; rg_emitted[i].name != NULL; i++)
        if (strcmp(rg_emitted[i].name, name) == 0)
            text = strstr(rg_emitted[i].text, from);
    if (e->st == ST_OK)
        e->st = buf_append(e->to, text, strlen(text));
}

status_t emit_indented(const buf_t *text, buf_t *out)
{
    const char *at = (const char *)text->data;
    const char *end = text->len > 0 ? at + text->len : at; /* empty text: NULL */
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
