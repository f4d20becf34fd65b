/*
 * exchange.c - the ranks agree on whether any of them has failed.
 */
#include "worker/exchange.h"

#include "io/base/logmsg.h"

#include <stdlib.h>

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
    for (int i = 0; st == ST_OK && i < x->n_ranks; i++)
        worst = all[i] < worst ? all[i] : worst;
    free(all);
    if (mine != ST_OK)
        return mine;
    return st != ST_OK ? st : (status_t)worst;
}
