/*
 * exchange.c - the ranks agree on whether any of them has failed, and get objects from
 * rank 0.
 */
#include "worker/exchange.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

static status_t broadcast_alone(exchange_t *x, void *data, size_t len)
{
    (void)x;
    (void)data;
    (void)len;
    return ST_OK;
}

static status_t allgather_alone(exchange_t *x, const void *in, size_t len, void *out)
{
    (void)x;
    memcpy(out, in, len);
    return ST_OK;
}

exchange_t exchange_alone(void)
{
    return (exchange_t){.n_ranks = 1,
                        .broadcast = broadcast_alone,
                        .allgather = allgather_alone};
}

/* @return another rank's status; a rank that is not trusted may send what is none */
static int status_of(const exchange_t *x, const int *all, int rank)
{
    if (all[rank] >= ST_ELOST && all[rank] <= ST_OK)
        return all[rank];
    if (x->rank == 0)
        log_error("rank %d has sent an error that does not exist; run without it", rank);
    return ST_EPEER;
}

status_t exchange_agree(exchange_t *x, status_t mine)
{
    int *all = calloc((size_t)x->n_ranks, sizeof(*all));
    int in = all != NULL ? mine : ST_ENOMEM, worst = ST_OK;
    status_t st;

    if (all == NULL && x->n_ranks == 1)
        return log_nomem("the ranks' status");
    if (all == NULL) /* the others wait for this rank, which cannot tell them */
        abort();
    st = x->allgather(x, &in, sizeof(in), all);
    for (int i = 0; st == ST_OK && i < x->n_ranks; i++) {
        const int one = status_of(x, all, i);

        worst = one < worst ? one : worst;
    }
    free(all);
    if (mine != ST_OK)
        return mine;
    return st != ST_OK ? st : (status_t)worst;
}

/* On every rank, the head of rank 0's object. @param head  on other ranks: empty */
static status_t share_head(exchange_t *x, buf_t *head)
{
    size_t len = head->len;
    status_t st = x->broadcast(x, &len, sizeof(len));

    if (st != ST_OK)
        return st;
    if (x->rank != 0)
        st = buf_reserve(head, len);
    head->len = len;
    st = exchange_agree(x, st);
    return st == ST_OK && len > 0 ? x->broadcast(x, head->data, len) : st;
}

static status_t share_spans(exchange_t *x, const arrays_spans_t *spans)
{
    size_t n;
    const array_span_t *span = arrays_spans(spans, &n);
    status_t st = ST_OK;

    if (x->share != NULL)
        return x->share(x, span, n);
    for (size_t i = 0; st == ST_OK && i < n; i++)
        st = x->broadcast(x, span[i].data, span[i].len);
    return st;
}

status_t exchange_object(exchange_t *x, const arrays_t *a, void *object)
{
    const bool receives = x->rank != 0;
    bool has_received = false; /* what has to be freed if another rank fails */
    arrays_spans_t spans = {0};
    status_t st =
        exchange_agree(x, receives ? ST_OK : arrays_list(a, object, true, &spans));

    if (st == ST_OK && (st = share_head(x, &spans.head)) == ST_OK && receives) {
        st = arrays_create(a, spans.head.data, spans.head.len, object, &spans);
        has_received = st == ST_OK;
    }
    if ((st = exchange_agree(x, st)) == ST_OK && (st = share_spans(x, &spans)) == ST_OK) {
        st = receives ? arrays_settle(a, &spans, object) : ST_OK;
        has_received = has_received && st == ST_OK;
        st = exchange_agree(x, st);
    }
    if (st != ST_OK && has_received)
        arrays_free(a, object);
    arrays_spans_free(&spans);
    return st;
}
