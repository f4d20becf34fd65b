/*
 * image_order.c - shuffles by Fisher and Yates (Durstenfeld 1964).
 */
#include "cnn/solve/cnn_trainer.h"

#include "io/base/logmsg.h"
#include "io/base/rng.h"

#include <stdlib.h>

status_t image_order_create(int64_t n, uint64_t seed, image_order_t *out)
{
    image_order_t o = {.n = n, .seed = seed, .epoch = -1};

    if ((o.order = malloc((size_t)n * sizeof(*o.order))) == NULL)
        return log_nomem("the order of images");
    *out = o;
    return ST_OK;
}

static void shuffle(image_order_t *o, int64_t epoch)
{
    uint64_t mixed = o->seed;
    rng_t rng = rng_seed(rng_splitmix(&mixed) + (uint64_t)epoch);

    for (int64_t i = 0; i < o->n; i++) {
        const int64_t k = (int64_t)rng_below(&rng, (uint64_t)i + 1);

        o->order[i] = o->order[k];
        o->order[k] = i;
    }
    o->epoch = epoch;
}

int64_t image_order_at(image_order_t *o, int64_t position)
{
    if (o->epoch != position / o->n)
        shuffle(o, position / o->n);
    return o->order[position % o->n];
}

void image_order_free(image_order_t *o)
{
    free(o->order);
    *o = (image_order_t){.n = 0};
}
