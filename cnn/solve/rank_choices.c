/*
 * rank_choices.c - rank 0 sends "KERNEL\nDEVICE\nCHOICES".
 */
#include "cnn/solve/cnn_trainer.h"

#include <string.h>

/* Copy rank 0's data to every rank. @param data  [len] of the host */
static status_t broadcast(gang_t *g, void *data, size_t len)
{
    void *shared = NULL;
    status_t st = g->alloc(g, len, &shared);

    if (st != ST_OK)
        return st;
    if (g->rank == 0)
        st = g->put(g, shared, data, len);
    if (st == ST_OK && (st = g->broadcast(g, shared, (int64_t)len, 0)) == ST_OK)
        st = g->get(g, data, shared, len);
    g->free(g, shared);
    return st;
}

/* Replace a text by that of rank 0. */
static status_t receive(gang_t *g, buf_t *text)
{
    int64_t len = (int64_t)text->len;
    status_t st = broadcast(g, &len, sizeof(len));

    if (st != ST_OK)
        return st;
    if (g->rank != 0)
        text->len = 0;
    if (g->rank != 0 && (st = buf_reserve(text, (size_t)len)) != ST_OK)
        return st;
    text->len = (size_t)len;
    return broadcast(g, text->data, text->len);
}

status_t rank_choices_agree(gang_t *gang, const char *kernel, const char *device,
                            const char *mine, buf_t *out)
{
    buf_t text = {0}, names = {0};
    status_t st = buf_printf(&names, "%s\n%s\n", kernel, device);

    if (st == ST_OK)
        st = buf_append(&text, names.data, names.len);
    if (st == ST_OK && gang->rank == 0)
        st = buf_append(&text, mine, strlen(mine) + 1);
    if (st == ST_OK)
        st = receive(gang, &text);
    if (st == ST_OK && text.len > names.len &&
        memcmp(text.data, names.data, names.len) == 0)
        st = buf_append(out, text.data + names.len, text.len - names.len);
    buf_free(&text);
    buf_free(&names);
    return st;
}
