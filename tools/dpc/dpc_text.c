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

void dpc_render_source(const dpc_write_t *w, size_t begin, size_t end)
{
    dpc_say(w->to, "%.*s", (int)(end - begin), w->m->unit.lex.text + begin);
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
