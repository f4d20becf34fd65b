/*
 * pairs_scan_state.c - the buffers that every scan has.
 */
#include "io/pairs/pairs_scan_state.h"

#include "io/base/logmsg.h"

#include <stdlib.h>

status_t pairs_scan_reserve(pairs_scan_t *s, int64_t capacity)
{
    size_t n = (size_t)capacity;

    s->hits = malloc(n * sizeof(*s->hits) + 1);
    s->text_begin = malloc((n + 1) * sizeof(*s->text_begin));
    s->text_len = malloc(n * sizeof(*s->text_len) + 1);
    if (s->hits == NULL || s->text_begin == NULL || s->text_len == NULL)
        return log_nomem("pairs");
    s->capacity = capacity;
    return ST_OK;
}
