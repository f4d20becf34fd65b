/*
 * dpc_text.c - writes parts of the file, types and line numbers.
 */
#include "io/base/logmsg.h"
#include "tools/dpc/dpc_write.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dpc_say(dpc_text_t *to, const char *fmt, ...)
{
    va_list args;
    char *text = NULL;
    int len;

    va_start(args, fmt);
    len = vasprintf(&text, fmt, args);
    va_end(args);
    if (len < 0 && to->st == ST_OK)
        to->st = log_nomem("the output");
    if (len >= 0 && to->st == ST_OK)
        to->st = buf_append(&to->buf, text, (size_t)len);
    if (len >= 0)
        free(text);
}

static void say_text(const dpc_write_t *w, size_t begin, size_t end)
{
    dpc_say(w->to, "%.*s", (int)(end - begin), w->m->unit.lex.text + begin);
}

/* @return the ( of a call of a function that is copied, by its name; lex->n: it is none
 */
static size_t copied_call(const dpc_model_t *m, size_t name)
{
    const lex_t *lex = &m->unit.lex;
    size_t i = name + 1;
    bool is_copied = false;
    int depth = 0;

    if (lex->all[name].kind != LEX_NAME || lex->all[name].in_directive ||
        lex_is(lex, name - 1, ".") || lex_is(lex, name - 1, "->"))
        return lex->n;
    for (size_t f = 0; f < m->unit.n_functions && !is_copied; f++)
        is_copied = m->unit.functions[f].is_copied &&
                    lex_is(lex, name, m->unit.functions[f].name);
    if (!is_copied)
        return lex->n;
    for (; lex_is(lex, i, "<") || depth > 0; i++)
        depth += lex_is(lex, i, "<") - lex_is(lex, i, ">");
    return lex_is(lex, i, "(") ? i : lex->n;
}

void dpc_render_source(const dpc_write_t *w, size_t begin, size_t end)
{
    const lex_t *lex = &w->m->unit.lex;

    for (size_t i = lex_at(lex, begin);
         w->is_item && i < lex->n && lex->all[i].end <= end; i++) {
        const size_t open = copied_call(w->m, i);

        if (open == lex->n || lex->all[open].end > end)
            continue;
        say_text(w, begin, lex->all[i].end);
        dpc_say(w->to, "_dp");
        say_text(w, lex->all[i].end, lex->all[open].end);
        dpc_say(w->to, lex_is(lex, open + 1, ")") ? "dp" : "dp, ");
        begin = lex->all[open].end;
    }
    say_text(w, begin, end);
}

void dpc_render_line(const dpc_write_t *w, size_t at)
{
    dpc_say(w->to, "#line %d \"%s\"\n", dpc_line_at(w->m, at), w->m->path);
}

void dpc_plain_type(const char *type, char *out, size_t bytes)
{
    static const char hidden[] = "(anonymous namespace)::";
    size_t len;

    if (strncmp(type, "const ", 6) == 0 && strchr(type, '*') == NULL)
        type += 6;
    snprintf(out, bytes, "%s", type);
    for (char *at; (at = strstr(out, hidden)) != NULL;)
        memmove(at, at + strlen(hidden), strlen(at + strlen(hidden)) + 1);
    len = strlen(out);
    if (len > 6 && strcmp(out + len - 6, "*const") == 0)
        out[len - 5] = '\0';
}

void dpc_render_variable(dpc_text_t *to, const char *type, const char *prefix,
                         const char *name, bool keep_const)
{
    char plain[DPC_TYPE_BYTES];
    const char *function, *array;

    dpc_plain_type(type, plain, sizeof(plain));
    if (keep_const && strncmp(type, "const ", 6) == 0 && strchr(type, '*') == NULL)
        dpc_say(to, "const ");
    if ((function = strstr(plain, "(*)")) != NULL) {
        function += 2;
        dpc_say(to, "%.*s%s%s%s", (int)(function - plain), plain, prefix, name, function);
    } else if ((array = strchr(plain, '[')) != NULL) {
        dpc_say(to, "%.*s %s%s%s", (int)(array - plain), plain, prefix, name, array);
    } else {
        const size_t len = strlen(plain);

        dpc_say(to, "%s%s%s%s", plain, len > 0 && plain[len - 1] == '*' ? "" : " ",
                prefix, name);
    }
}

void dpc_render_copy(const dpc_write_t *w, const dpc_function_t *f)
{
    const lex_t *lex = &w->m->unit.lex;
    size_t name = lex->n, i = lex_at(lex, f->head_begin);

    for (; i < lex->n && lex->all[i].begin < f->body_begin; i++)
        if (lex_is(lex, i, f->name) && lex_is(lex, i + 1, "(") && name == lex->n)
            name = i;
    if (name == lex->n)
        return;
    dpc_say(w->to, "\n");
    say_text(w, f->head_begin, lex->all[name].end);
    dpc_say(w->to, "_dp(const dp_place &dp%s", lex_is(lex, name + 2, ")") ? "" : ", ");
    say_text(w, lex->all[name + 1].end, f->body_begin);
    dpc_say(w->to, "{\n" DPC_PLACE);
    dpc_render_line(w, f->body_begin + 1);
    dpc_render_source(w, f->body_begin + 1, f->body_end);
    dpc_say(w->to, "\n");
}
