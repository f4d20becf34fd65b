/*
 * mutate_values.c - numbers of a dataset: extremes, off by one, repeated, falling, no
 * number.
 */
#include "tests/mutate/numbers.h"

#include <string.h>

static void set_one(mutant_t *m, numbers_t *v)
{
    int64_t k = (int64_t)mutant_below(m, (uint64_t)v->n);

    v->value[k] = mutant_integer(m, v->n);
    mutant_note(m, " [%lld] = %lld", (long long)k, (long long)v->value[k]);
}

static void set_some(mutant_t *m, numbers_t *v)
{
    for (int i = 0; i < 8; i++)
        v->value[mutant_below(m, (uint64_t)v->n)] = mutant_integer(m, v->n);
    mutant_note(m, " some values");
}

static void set_all(mutant_t *m, numbers_t *v)
{
    int64_t value = mutant_integer(m, v->n);

    for (int64_t i = 0; i < v->n; i++)
        v->value[i] = value;
    mutant_note(m, " all = %lld", (long long)value);
}

static void set_last(mutant_t *m, numbers_t *v)
{
    v->value[v->n - 1] = mutant_integer(m, v->n);
    mutant_note(m, " last = %lld", (long long)v->value[v->n - 1]);
}

static void step_one(mutant_t *m, numbers_t *v)
{
    int64_t k = (int64_t)mutant_below(m, (uint64_t)v->n);

    v->value[k] = numbers_add(v->value[k], mutant_chance(m, 50) ? 1 : -1);
    mutant_note(m, " [%lld] off by one", (long long)k);
}

static void step_all(mutant_t *m, numbers_t *v)
{
    int64_t by = mutant_chance(m, 50) ? 1 : -1;

    for (int64_t i = 0; i < v->n; i++)
        v->value[i] = numbers_add(v->value[i], by);
    mutant_note(m, " all %+lld", (long long)by);
}

static void negate(mutant_t *m, numbers_t *v)
{
    for (int64_t i = 0; i < v->n; i++)
        v->value[i] = (int64_t)(0 - (uint64_t)v->value[i]);
    mutant_note(m, " negated");
}

static void enlarge(mutant_t *m, numbers_t *v)
{
    int bits = 1 + (int)mutant_below(m, 62);

    for (int64_t i = 0; i < v->n; i++)
        v->value[i] = (int64_t)((uint64_t)v->value[i] << bits);
    mutant_note(m, " shifted by %d bits", bits);
}

static void swap_two(mutant_t *m, numbers_t *v)
{
    uint64_t i = mutant_below(m, (uint64_t)v->n), j = mutant_below(m, (uint64_t)v->n);
    int64_t value = v->value[i];

    v->value[i] = v->value[j];
    v->value[j] = value;
    mutant_note(m, " [%d] and [%d] swapped", (int)i, (int)j);
}

static void reverse(mutant_t *m, numbers_t *v)
{
    for (int64_t i = 0, j = v->n - 1; i < j; i++, j--) {
        int64_t value = v->value[i];

        v->value[i] = v->value[j];
        v->value[j] = value;
    }
    mutant_note(m, " reversed");
}

static void repeat(mutant_t *m, numbers_t *v)
{
    uint64_t from = mutant_below(m, (uint64_t)v->n), to = mutant_below(m, (uint64_t)v->n);
    uint64_t most = (uint64_t)v->n - (from > to ? from : to);
    size_t n = 1 + mutant_below(m, most);

    n = n > most ? most : n;
    memmove(v->value + to, v->value + from, n * sizeof(*v->value));
    mutant_note(m, " [%d] copied to [%d], %d values", (int)from, (int)to, (int)n);
}

void mutate_values(mutant_t *m)
{
    static void (*const changes[])(mutant_t *, numbers_t *) = {
        set_one,  set_one, set_some, set_all,  set_last, step_one,
        step_all, negate,  enlarge,  swap_two, reverse,  repeat,
    };
    char path[MUTANT_NAME_BYTES];
    numbers_t v;

    if (!mutant_pick(m, MUTANT_DATASET, path) || !numbers_open(m, path, &v))
        return;
    mutant_note(m, " values of %s:", path);
    changes[mutant_below(m, sizeof(changes) / sizeof(changes[0]))](m, &v);
    mutant_note(m, ";");
    numbers_close(&v, true);
}
