/*
 * pairs_order.c - which order a file has or can have.
 */
#include "io/pairs/pairs_order.h"

#include "io/base/logmsg.h"

pairs_order_t pairs_order_default(const pairs_file_t *f)
{
    if (pairs_top(f) == 0)
        return PAIRS_BY_ROW;
    return pairs_ends_local(f) ? PAIRS_BY_SCORE : PAIRS_BY_IDENTITY;
}

status_t pairs_order_check(const pairs_file_t *f, pairs_order_t order)
{
    if (order != PAIRS_BY_IDENTITY || pairs_n_datasets(f) != PAIRS_N_SCORE)
        return ST_OK;
    log_error("%s: the file holds only scores; sort by score, or align with --emit "
              "identity",
              pairs_path(f));
    return ST_EINPUT;
}
