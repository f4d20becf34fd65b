/*
 * rg_origin.c - what results are of, as long as one of them is there.
 */
#include "library/rg_origin.h"

#include "io/base/logmsg.h"

#include <stdlib.h>

rg_origin_t *rg_origin_create(const rg_set_t *queries, const rg_set_t *references)
{
    rg_origin_t *o = calloc(1, sizeof(*o));

    if (o == NULL) {
        log_nomem("an aligner");
        return NULL;
    }
    atomic_store(&o->n_owners, 1);
    o->queries = rg_set_share(queries);
    o->references = references != NULL ? rg_set_share(references) : NULL;
    return o;
}

rg_origin_t *rg_origin_share(rg_origin_t *o)
{
    atomic_fetch_add(&o->n_owners, 1);
    return o;
}

void rg_origin_destroy(rg_origin_t *o)
{
    if (o == NULL || atomic_fetch_sub(&o->n_owners, 1) > 1)
        return;
    rg_set_destroy(o->queries);
    rg_set_destroy(o->references);
    free(o->kernel);
    free(o->matrix);
    free(o);
}
