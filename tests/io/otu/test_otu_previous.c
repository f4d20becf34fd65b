/*
 * test_otu_previous.c - names of OTUs stay, are retired and are given by the documented
 * rule, over several days.
 */
#include "tests/support/unit_test.h"

#include "io/base/rng.h"
#include "io/otu/otu_previous.h"
#include "tests/support/captured_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEQUENCES_MAX = 80, NUMBERS_MAX = 1000 };

static otu_table_t *table_of(int64_t n, const int32_t *label, const int64_t *size,
                             int64_t min_size)
{
    static const pairs_samples_t no_samples;
    otu_table_t *t = NULL;

    assert_int_equal(otu_table_create(n, label, size, &no_samples, min_size, &t), ST_OK);
    return t;
}

/* Cluster the letters of a text: sequences of the same letter are an OTU; '.' in none. */
static otu_table_t *letters(const char *text)
{
    int32_t label[SEQUENCES_MAX];

    for (int i = 0; text[i] != '\0'; i++)
        label[i] = text[i] == '.' ? -1 : (int32_t)(strchr(text, text[i]) - text);
    return table_of((int64_t)strlen(text), label, NULL, 1);
}

/* Expect the table of what became of the first text's OTUs in the second text. */
static void assert_changes(const char *before, const char *now, const char *want)
{
    static const char heading[] =
        "otu\tchange\tsequences\tprevious_sequences\tabundance\t"
        "previous_abundance\tfrom\tto\n";
    otu_previous_t p = {.path = "old.groups.h5", .groups.table = letters(before)};
    otu_table_t *t = letters(now);
    char *text = NULL;
    size_t len;
    FILE *to = open_memstream(&text, &len);

    assert_int_equal(otu_previous_name(&p, t), ST_OK);
    assert_int_equal(otu_previous_write(&p, to), ST_OK);
    fclose(to);
    assert_int_equal(strncmp(text, heading, strlen(heading)), 0);
    assert_string_equal(text + strlen(heading), want);
    free(text);
    otu_previous_free(&p);
    otu_table_destroy(t);
}

static void an_otu_that_grew_keeps_its_name(void **state)
{
    (void)state;
    assert_changes("aab", "aabbb",
                   "Otu2\tgrew\t3\t1\t3\t1\tNA\tNA\n"
                   "Otu1\tunchanged\t2\t2\t2\t2\tNA\tNA\n");
}

static void of_joined_otus_the_larger_one_names_the_new_one(void **state)
{
    (void)state;
    assert_changes("abbbcc", "bbbbccb",
                   "Otu1\tjoined\t5\t3\t5\t3\tOtu3\tNA\n"
                   "Otu2\tunchanged\t2\t2\t2\t2\tNA\tNA\n"
                   "Otu3\tretired\t0\t1\t0\t1\tNA\tOtu1\n");
    assert_changes("aabb", "aaaa", /* a tie: the first */
                   "Otu1\tjoined\t4\t2\t4\t2\tOtu2\tNA\n"
                   "Otu2\tretired\t0\t2\t0\t2\tNA\tOtu1\n");
}

static void of_a_split_otu_the_largest_part_keeps_the_name(void **state)
{
    (void)state;
    assert_changes("aaaaa", "baaabbb", /* most of the old ones, though it is smaller */
                   "Otu2\tnew\t4\t0\t4\t0\tOtu1\tNA\n"
                   "Otu1\tsplit\t3\t5\t3\t5\tNA\tOtu2\n");
    assert_changes("aaaa", "bbaa", /* a tie: the first */
                   "Otu1\tsplit\t2\t4\t2\t4\tNA\tOtu2\n"
                   "Otu2\tnew\t2\t0\t2\t0\tOtu1\tNA\n");
}

/* Most of Otu2 joins Otu1, which keeps its name; the rest of Otu2 is new. */
static void a_name_does_not_go_to_a_lesser_part(void **state)
{
    (void)state;
    assert_changes("aaaabbb", "aaacaab",
                   "Otu1\tsplit\t5\t4\t5\t4\tOtu2\tOtu3\n"
                   "Otu3\tnew\t1\t0\t1\t0\tOtu1\tNA\n"
                   "Otu4\tnew\t1\t0\t1\t0\tOtu2\tNA\n"
                   "Otu2\tretired\t0\t3\t0\t3\tNA\tOtu1,Otu4\n");
}

static void otus_that_are_left_out_are_retired(void **state)
{
    (void)state;
    assert_changes("aab.", "aa.b",
                   "Otu1\tunchanged\t2\t2\t2\t2\tNA\tNA\n"
                   "Otu3\tnew\t1\t0\t1\t0\tNA\tNA\n"
                   "Otu2\tretired\t0\t1\t0\t1\tNA\tNA\n");
    assert_changes("aa", "a.", "Otu1\tsplit\t1\t2\t1\t2\tNA\tNA\n");
    assert_changes("", "a", "Otu1\tnew\t1\t0\t1\t0\tNA\tNA\n");
    assert_changes("a", ".", "Otu1\tretired\t0\t1\t0\t1\tNA\tNA\n");
}

static void more_reads_of_the_same_sequences_are_growth(void **state)
{
    const int32_t label[] = {0, 0, 2};
    const int64_t before[] = {1, 2, 1}, now[] = {1, 5, 1};
    otu_previous_t p = {.path = "old", .groups.table = table_of(3, label, before, 1)};
    otu_table_t *t = table_of(3, label, now, 1);

    (void)state;
    assert_int_equal(otu_previous_name(&p, t), ST_OK);
    capture_start();
    assert_int_equal(otu_previous_log(&p), ST_OK);
    capture_stop();
    assert_logged("old: 2 OTUs: 1 unchanged, 1 grew, 0 joined, 0 split, 0 retired; and 0 "
                  "new");
    assert_logged("grew: Otu1\n");
    otu_previous_free(&p);
    otu_table_destroy(t);
}

static void messages_name_the_first_ones(void **state)
{
    otu_previous_t p = {.path = "old", .groups.table = letters("aaaaaaabbcde")};
    otu_table_t *t = letters("aaaqwerbbbbbyuiopsdfgh");

    (void)state;
    assert_int_equal(otu_previous_name(&p, t), ST_OK);
    capture_start();
    assert_int_equal(otu_previous_log(&p), ST_OK);
    capture_stop();
    assert_logged("joined: Otu2 (from Otu3,Otu4,Otu5)\n");
    assert_logged("split: Otu1 (to Otu6,Otu7,Otu8,...)\n");
    assert_logged("retired: Otu3 (to Otu2), Otu4 (to Otu2), Otu5 (to Otu2)\n");
    assert_logged("new: Otu6 (from Otu1), Otu7 (from Otu1), Otu8 (from Otu1), Otu9 (from "
                  "Otu1), Otu10,");
    assert_logged(" Otu15 and 4 others\n");
    otu_previous_free(&p);
    otu_table_destroy(t);
}

/* ---- the rule again, by counting ---- */

/* @return how many sequences an earlier OTU and one of now share */
static int64_t n_shared(const otu_table_t *old, int64_t k, const otu_table_t *now,
                        int64_t otu)
{
    int64_t n = 0;

    for (int64_t i = 0; i < old->n; i++)
        n += old->otu[i] == k && now->otu[i] == otu;
    return n;
}

static int64_t heir_of(const otu_table_t *old, int64_t k, const otu_table_t *now)
{
    int64_t heir = -1, most = 0;

    for (int64_t otu = 0; otu < now->n_otus; otu++)
        if (n_shared(old, k, now, otu) > most) {
            most = n_shared(old, k, now, otu);
            heir = otu;
        }
    return heir;
}

/* Check all names. @param was_given  numbers of days before; those of now are added */
static void assert_names(const otu_table_t *old, const otu_table_t *now,
                         bool was_given[NUMBERS_MAX])
{
    bool is_given[NUMBERS_MAX] = {false};

    for (int64_t otu = 0; otu < now->n_otus; otu++) {
        int64_t want = -1, k = 0;

        while (k < old->n_otus && heir_of(old, k, now) != otu)
            k++;
        if (k < old->n_otus)
            want = old->number[k];
        assert_in_range(now->number[otu], 1, NUMBERS_MAX - 1);
        assert_false(is_given[now->number[otu]]);
        is_given[now->number[otu]] = true;
        if (want >= 0)
            assert_int_equal(now->number[otu], want);
        else
            assert_false(was_given[now->number[otu]]);
    }
    for (int64_t k = 0; k < NUMBERS_MAX; k++) {
        assert_true(!is_given[k] || k <= now->last_number);
        was_given[k] = was_given[k] || is_given[k];
    }
    assert_true(was_given[now->last_number] || now->last_number == old->last_number);
}

/* Move some sequences of the day before, join two groups, and add sequences. */
static otu_table_t *next_day(rng_t *rng, int64_t n_before, int64_t n, int32_t *group,
                             int64_t min_size)
{
    int32_t label[SEQUENCES_MAX], first[SEQUENCES_MAX];
    int64_t size[SEQUENCES_MAX];
    const int32_t gone = (int32_t)rng_below(rng, 12), kept = (int32_t)rng_below(rng, 12);

    memset(first, 0xff, sizeof(first));
    for (int64_t i = 0; i < n; i++) {
        if (i >= n_before || rng_chance(rng, 1, 8))
            group[i] = (int32_t)rng_below(rng, 12);
        else if (group[i] == gone)
            group[i] = kept;
        if (first[group[i]] < 0)
            first[group[i]] = (int32_t)i;
        label[i] = first[group[i]];
        size[i] = 1 + (int64_t)rng_below(rng, 4);
    }
    return table_of(n, label, size, min_size);
}

static void names_follow_the_rule_over_many_days(void **state)
{
    rng_t rng = rng_seed(1);
    int64_t n_retired = 0, n_new = 0;

    (void)state;
    for (int round = 0; round < 200; round++) {
        bool was_given[NUMBERS_MAX] = {false};
        int32_t group[SEQUENCES_MAX];
        const int64_t min_size = 1 + (int64_t)rng_below(&rng, 6);
        int64_t n = (int64_t)rng_below(&rng, 20);
        otu_table_t *old = next_day(&rng, 0, n, group, min_size);

        for (int64_t k = 0; k < old->n_otus; k++)
            was_given[old->number[k]] = true;
        for (int day = 0; day < 6; day++) {
            const int64_t more = (int64_t)rng_below(&rng, 10);
            otu_table_t *now = next_day(&rng, n, n + more, group, min_size);
            otu_previous_t p = {.groups.table = old};

            assert_int_equal(otu_previous_name(&p, now), ST_OK);
            assert_names(old, now, was_given);
            n_retired += now->last_number - now->n_otus;
            n_new += now->last_number - old->last_number;
            otu_previous_free(&p);
            old = now;
            n += more;
        }
        otu_table_destroy(old);
    }
    assert_true(n_retired > 1000 && n_new > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_otu_that_grew_keeps_its_name),
        cmocka_unit_test(of_joined_otus_the_larger_one_names_the_new_one),
        cmocka_unit_test(of_a_split_otu_the_largest_part_keeps_the_name),
        cmocka_unit_test(a_name_does_not_go_to_a_lesser_part),
        cmocka_unit_test(otus_that_are_left_out_are_retired),
        cmocka_unit_test(more_reads_of_the_same_sequences_are_growth),
        cmocka_unit_test(messages_name_the_first_ones),
        cmocka_unit_test(names_follow_the_rule_over_many_days),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
