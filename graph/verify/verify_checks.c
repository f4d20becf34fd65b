/*
 * verify_checks.c - words the message of a wrong result.
 */
#include "graph/verify/graph_verify.h"

#include <stdarg.h>
#include <stdio.h>

status_t verify_refuse(const verify_t *v, const char *fmt, ...)
{
    char text[240];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    log_error("%s: the result is wrong: %s; please report this error",
              graph_info(v->spec->algorithm)->name, text);
    return ST_EINPUT;
}
