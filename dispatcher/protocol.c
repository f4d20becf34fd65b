/*
 * protocol.c - messages of plain data, and results taken out of the messages that they
 * share.
 */
#include "dispatcher/protocol.h"

status_t message_send(transport_t *t, int rank, tag_t tag, const void *data, size_t len)
{
    buf_t message = {0};
    status_t st = buf_append(&message, data, len);

    if (st != ST_OK) {
        buf_free(&message);
        return st;
    }
    return t->send(t, rank, tag, &message);
}

status_t result_take(message_t *m, size_t at, const result_head_t *head, buf_t *out)
{
    const size_t len = sizeof(*head) + head->len;

    if (len < m->data.len)
        return buf_append(out, m->data.data + at, len);
    *out = m->data;
    m->data = (buf_t){0};
    return ST_OK;
}
