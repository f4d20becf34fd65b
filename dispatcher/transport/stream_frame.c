/*
 * stream_frame.c - reads frames, whose heads are checked first.
 */
#include "dispatcher/transport/stream_frame.h"

#include "io/base/logmsg.h"

/* Memory for data that has not arrived yet. */
enum { FIRST_BYTES = 1 << 16 };

/* @return what is wrong with a head, or NULL */
static const char *check_head(const frame_head_t *h)
{
    switch (h->kind) {
    case FRAME_MESSAGE:
        return h->tag < 0 || h->tag > FRAME_TAG_MAX ? "sent a message of no kind"
               : h->len > FRAME_MESSAGE_BYTES       ? "sent a message that is too long"
                                                    : NULL;
    case FRAME_EXCHANGE:
        return NULL; /* its length is compared when it is due */
    case FRAME_LOG:
        return h->tag < LOG_QUIET || h->tag > LOG_VERBOSE ? "sent a line of no level"
               : h->len > FRAME_LOG_BYTES                 ? "sent a line that is too long"
                                                          : NULL;
    case FRAME_BEAT:
        return h->len > 0 ? "sent a sign of life with data" : NULL;
    default:
        return "sent what is no frame";
    }
}

static bool has_head(const frame_reader_t *r)
{
    return r->head_len == sizeof(r->head);
}

bool frame_reader_waits(const frame_reader_t *r)
{
    return has_head(r) && r->head.kind == FRAME_EXCHANGE && !r->exchange.is_due;
}

static bool is_complete(frame_reader_t *r)
{
    return r->why == NULL && has_head(r) && !frame_reader_waits(r) &&
           r->len == r->head.len;
}

status_t frame_reader_room(frame_reader_t *r, void **at, size_t *len)
{
    size_t left = (size_t)r->head.len - r->len;
    status_t st = ST_OK;

    if (!has_head(r)) {
        *at = (char *)&r->head + r->head_len;
        *len = sizeof(r->head) - r->head_len;
        return ST_OK;
    }
    *len = left;
    if (r->head.kind == FRAME_EXCHANGE) {
        *at = (char *)r->exchange.to + r->len;
        return ST_OK;
    }
    if (r->data.capacity == r->len)
        st = buf_reserve(&r->data,
                         left < FIRST_BYTES + r->len ? left : FIRST_BYTES + r->len);
    if (st != ST_OK)
        return st;
    *at = r->data.data + r->len;
    if (*len > r->data.capacity - r->len)
        *len = r->data.capacity - r->len;
    return ST_OK;
}

bool frame_reader_took(frame_reader_t *r, size_t len)
{
    if (!has_head(r)) {
        r->head_len += len;
        if (has_head(r))
            r->why = check_head(&r->head);
    } else {
        r->len += len;
        if (r->head.kind != FRAME_EXCHANGE)
            r->data.len = r->len;
    }
    return frame_reader_settle(r);
}

bool frame_reader_settle(frame_reader_t *r)
{
    if (r->why == NULL && has_head(r) && r->head.kind == FRAME_EXCHANGE &&
        r->exchange.is_due && r->head.len != r->exchange.len)
        r->why = "sent data of another length than what is due";
    return is_complete(r);
}

void frame_reader_next(frame_reader_t *r)
{
    if (r->head.kind == FRAME_EXCHANGE)
        r->exchange.is_due = false;
    r->head_len = r->len = 0;
    buf_free(&r->data);
}

void frame_reader_free(frame_reader_t *r)
{
    buf_free(&r->data);
    *r = (frame_reader_t){0};
}
