/*
 * share_set.c - sends a sequence set array by array.
 */
#include "worker/share_set.h"

/* What the others have to know before they can receive the set. */
typedef struct {
    int64_t n, n_letters, names_bytes;
    alphabet_t alphabet;
} set_head_t;

status_t share_set(exchange_t *x, seqset_t **set)
{
    set_head_t head = {0};
    seqset_t *s = *set;
    status_t st;

    if (x->rank == 0)
        head = (set_head_t){s->n, s->offset[s->n], s->name_offset[s->n], s->alphabet};
    if ((st = x->broadcast(x, &head, sizeof(head))) != ST_OK)
        return st;
    if (x->rank != 0)
        st = seqset_create(head.n, head.n_letters, head.names_bytes, set);
    if ((st = exchange_agree(x, st)) != ST_OK)
        return st;
    s = *set;
    s->alphabet = head.alphabet;
    if ((st = x->broadcast(x, s->offset, (size_t)(head.n + 1) * sizeof(int64_t))) !=
            ST_OK ||
        (st = x->broadcast(x, s->letters, (size_t)head.n_letters)) != ST_OK)
        return st;
    /* only rank 0 writes names, but every rank's messages have them */
    if ((st = x->broadcast(x, s->name_offset, (size_t)(head.n + 1) * sizeof(int64_t))) !=
        ST_OK)
        return st;
    return x->broadcast(x, s->names, (size_t)head.names_bytes);
}
