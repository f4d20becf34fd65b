/*
 * radix_sort.c - by digits of DIGIT_BITS, the lowest first; short lists by insertion.
 */
#include "io/graphfile/radix_sort.h"

#include <string.h>

enum { DIGIT_BITS = 10, DIGITS = 1 << DIGIT_BITS, SHORT = 48 };

static void move(radix_items_t to, int64_t i, radix_items_t from, int64_t j)
{
    to.key[i] = from.key[j];
    if (to.weight != NULL)
        to.weight[i] = from.weight[j];
    else if (to.value != NULL)
        to.value[i] = from.value[j];
}

static void sort_short(radix_items_t items, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        uint64_t key = items.key[i];
        int32_t weight = items.weight != NULL ? items.weight[i] : 0;
        double value = items.value != NULL ? items.value[i] : 0;
        int64_t j = i;

        for (; j > 0 && items.key[j - 1] > key; j--)
            move(items, j, items, j - 1);
        items.key[j] = key;
        if (items.weight != NULL)
            items.weight[j] = weight;
        if (items.value != NULL)
            items.value[j] = value;
    }
}

/* @return whether the items were moved: they differ in the digit */
static int sort_digit(radix_items_t from, radix_items_t to, int64_t n, int shift)
{
    int64_t at[DIGITS] = {0}, sum = 0;

    for (int64_t i = 0; i < n; i++)
        at[from.key[i] >> shift & (DIGITS - 1)]++;
    if (at[from.key[0] >> shift & (DIGITS - 1)] == n)
        return 0;
    for (int d = 0; d < DIGITS; d++) {
        int64_t count = at[d];

        at[d] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < n; i++)
        move(to, at[from.key[i] >> shift & (DIGITS - 1)]++, from, i);
    return 1;
}

void radix_sort(radix_items_t items, radix_items_t spare, int64_t n, int n_bits)
{
    radix_items_t from = items, to = spare;

    if (n <= SHORT) {
        sort_short(items, n);
        return;
    }
    for (int shift = 0; shift < n_bits; shift += DIGIT_BITS) {
        if (sort_digit(from, to, n, shift)) {
            radix_items_t swap = from;

            from = to;
            to = swap;
        }
    }
    if (from.key == items.key)
        return;
    memcpy(items.key, from.key, (size_t)n * sizeof(*items.key));
    if (items.weight != NULL)
        memcpy(items.weight, from.weight, (size_t)n * sizeof(*items.weight));
    if (items.value != NULL)
        memcpy(items.value, from.value, (size_t)n * sizeof(*items.value));
}

int64_t radix_find(const uint64_t *keys, int64_t n, uint64_t key)
{
    int64_t low = 0, high = n;

    while (low < high) {
        const int64_t middle = (low + high) / 2;

        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && keys[low] == key ? low : -1;
}
