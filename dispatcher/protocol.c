/*
 * protocol.c - results taken out of the messages that they share.
 */
#include "dispatcher/protocol.h"

status_t result_take(message_t *m, size_t at, const result_head_t *head, buf_t *out)
{
    const size_t len = sizeof(*head) + head->len;

    if (len < m->data.len)
        return buf_append(out, m->data.data + at, len);
    *out = m->data;
    m->data = (buf_t){0};
    return ST_OK;
}
