/*
 * mutate_pairs.c - values that contradict each other, in files that HDF5 finds correct.
 */
#include "tests/mutate/numbers.h"

#include <limits.h>
#include <string.h>

static const char *const hit_names[] = {"hits/row", "hits/col", "hits/score",
                                        "hits/matches", "hits/columns"};
enum { N_HIT_NAMES = sizeof(hit_names) / sizeof(hit_names[0]) };

/* Copy one value within each dataset of hits. */
static void repeat_hit(mutant_t *m)
{
    uint64_t from = 0, to = 0;

    for (int d = 0; d < N_HIT_NAMES; d++) {
        numbers_t v;

        if (!numbers_open(m, hit_names[d], &v))
            return;
        if (d == 0) {
            from = mutant_below(m, (uint64_t)v.n);
            to = mutant_chance(m, 70) ? from + 1 : mutant_below(m, (uint64_t)v.n);
            mutant_note(m, " hit %d again as %d;", (int)from, (int)to);
        }
        if (from < (uint64_t)v.n && to < (uint64_t)v.n)
            v.value[to] = v.value[from];
        numbers_close(&v, true);
    }
}

/* Exchange two hits. */
static void exchange_hits(mutant_t *m)
{
    uint64_t i = 0, j = 0;

    for (int d = 0; d < N_HIT_NAMES; d++) {
        numbers_t v;
        int64_t value;

        if (!numbers_open(m, hit_names[d], &v))
            return;
        if (d == 0) {
            i = mutant_below(m, (uint64_t)v.n);
            j = mutant_below(m, (uint64_t)v.n);
            mutant_note(m, " hits %d and %d exchanged;", (int)i, (int)j);
        }
        if (i < (uint64_t)v.n && j < (uint64_t)v.n) {
            value = v.value[i];
            v.value[i] = v.value[j];
            v.value[j] = value;
        }
        numbers_close(&v, true);
    }
}

/* Set some values of one dataset to those of another, plus `more`. */
static void copy_between(mutant_t *m, const char *from_name, const char *to_name,
                         int64_t more)
{
    numbers_t from, to;
    bool all = mutant_chance(m, 20);

    if (!numbers_open(m, from_name, &from))
        return;
    if (!numbers_open(m, to_name, &to)) {
        numbers_close(&from, false);
        return;
    }
    mutant_note(m, " %s of %s = %s %+lld;", all ? "all" : "one", to_name, from_name,
                (long long)more);
    for (int64_t i = 0; all && i < from.n && i < to.n; i++)
        to.value[i] = numbers_add(from.value[i], more);
    if (!all) {
        uint64_t k = mutant_below(m, (uint64_t)(from.n < to.n ? from.n : to.n));

        to.value[k] = numbers_add(from.value[k], more);
    }
    numbers_close(&from, false);
    numbers_close(&to, true);
}

static void pair_with_itself(mutant_t *m)
{
    copy_between(m, "hits/row", "hits/col", 0);
}

static void column_before_row(mutant_t *m)
{
    copy_between(m, "hits/row", "hits/col", -1);
}

static void more_matches(mutant_t *m)
{
    int64_t more = mutant_chance(m, 50) ? 1 : mutant_integer(m, INT_MAX);

    copy_between(m, "hits/columns", "hits/matches", more);
    copy_between(m, "columns", "matches", more);
}

static void no_columns(mutant_t *m)
{
    const char *name = mutant_chance(m, 50) ? "columns" : "hits/columns";
    int64_t value = mutant_chance(m, 50) ? 0 : -(int64_t)mutant_below(m, 100);
    numbers_t v;

    if (!numbers_open(m, name, &v))
        return;
    mutant_note(m, " %s, a tenth = %lld;", name, (long long)value);
    for (int64_t i = 0; i < v.n; i++)
        if (mutant_chance(m, 10))
            v.value[i] = value;
    numbers_close(&v, true);
}

static void columns_of_int_max(mutant_t *m)
{
    static const char *const names[] = {"columns", "matches", "hits/columns",
                                        "hits/matches"};

    for (int d = 0; d < 4; d++) {
        numbers_t v;

        if (!numbers_open(m, names[d], &v))
            continue;
        mutant_note(m, " %s, all above 0 = 2^31 - 1;", names[d]);
        for (int64_t i = 0; i < v.n; i++)
            if (v.value[i] > 0)
                v.value[i] = INT_MAX;
        numbers_close(&v, true);
    }
}

/* Sizes and counts whose sum does not fit 64 bits, or is negative. */
static void large_sums(mutant_t *m)
{
    static const char *const names[] = {"sequences/size", "samples/count", "otus/size"};
    int64_t value =
        mutant_chance(m, 60) ? INT64_MAX / (1 + (int64_t)mutant_below(m, 20)) : -1;

    for (int d = 0; d < 3; d++) {
        numbers_t v;

        if (!numbers_open(m, names[d], &v))
            continue;
        mutant_note(m, " %s, all = %lld;", names[d], (long long)value);
        for (int64_t i = 0; i < v.n; i++)
            v.value[i] = value;
        numbers_close(&v, true);
    }
}

/* An index or offset that falls, or points outside. */
static void wrong_index(mutant_t *m)
{
    static const char *const names[] = {
        "hits/row_start",      "hits/row",          "hits/col",
        "hits/cigar_offset",   "cigar_offset",      "cigar_length",
        "members/sequence",    "samples/row_start", "samples/sample",
        "sequences/offset",    "sequences/lengths", "references/lengths",
        "otus/member_start",   "otus/member",       "sequences/otu",
        "otus/representative",
    };
    const char *name = names[mutant_below(m, sizeof(names) / sizeof(names[0]))];
    numbers_t v;
    uint64_t k, next;

    if (!numbers_open(m, name, &v))
        return;
    k = mutant_below(m, (uint64_t)v.n);
    switch (mutant_below(m, 4)) {
    case 0:
        v.value[k] = k > 0 ? numbers_add(v.value[k - 1], -1) : -1;
        break;
    case 1:
        v.value[k] = mutant_integer(m, v.n);
        break;
    case 2:
        v.value[k] = numbers_add(v.value[v.n - 1], 1);
        break;
    default: /* two wrong lengths that cancel out */
        next = (k + 1) % (uint64_t)v.n;
        v.value[k] = numbers_add(v.value[k], 1 << 20);
        v.value[next] = numbers_add(v.value[next], -(1 << 20));
    }
    mutant_note(m, " %s[%d] = %lld;", name, (int)k, (long long)v.value[k]);
    numbers_close(&v, true);
}

void mutate_pairs(mutant_t *m)
{
    static void (*const changes[])(mutant_t *) = {
        repeat_hit, exchange_hits,      pair_with_itself, column_before_row, more_matches,
        no_columns, columns_of_int_max, large_sums,       wrong_index,       wrong_index,
    };
    size_t len = strlen(m->note);

    /* most change only one layout: try until one fits the file */
    for (int tries = 0; tries < 8 && strlen(m->note) == len; tries++)
        changes[mutant_below(m, sizeof(changes) / sizeof(changes[0]))](m);
}
