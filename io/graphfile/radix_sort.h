/*
 * radix_sort.h - a stable sort of unsigned integers, with what belongs to them.
 */
#pragma once

#include <stdint.h>

/* Numbers and what moves with them; at most one of the two is not NULL. */
typedef struct {
    uint64_t *key;
    int32_t *weight;
    double *value;
} radix_items_t;

/* Sort n items by the n_bits low bits of their keys; higher bits are 0.
 * @param spare  arrays of the same sizes, overwritten */
void radix_sort(radix_items_t items, radix_items_t spare, int64_t n, int n_bits);

/* @return the first of n ascending keys that is this one; -1: none is */
int64_t radix_find(const uint64_t *keys, int64_t n, uint64_t key);
