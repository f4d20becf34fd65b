/*
 * image_order.h - the order in which training takes images: every epoch takes each image
 * once, in a random order that follows from the seed and the epoch.
 *
 * Batches follow each other without regard to epochs: the last batch of one goes on with
 * the first images of the next, so that every batch has the same size.
 */
#ifndef RIBOGRID_CNN_SOLVE_IMAGE_ORDER_H
#define RIBOGRID_CNN_SOLVE_IMAGE_ORDER_H

#include "io/base/status.h"

#include <stdint.h>

typedef struct {
    int64_t n; /* images */
    uint64_t seed;
    int64_t epoch;  /* of `order`; -1: none yet */
    int64_t *order; /* [n] */
} image_order_t;

/* @param n  at least 1 @return ST_OK or ST_ENOMEM */
status_t image_order_create(int64_t n, uint64_t seed, image_order_t *out) MUST_CHECK;

/* @return the image at a position of the sequence of all epochs, counted from 0; fast
 * for positions of one epoch */
int64_t image_order_at(image_order_t *o, int64_t position);

void image_order_free(image_order_t *o);

#endif
