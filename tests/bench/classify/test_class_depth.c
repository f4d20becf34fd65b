/*
 * test_class_depth.c - known, right and named ranks of a small taxonomy, by hand.
 */
#include "tests/support/unit_test.h"

#include "bench/classify/class_score.h"

/* Root 0; domain 1; families 2 and 3; genera 4, 5 of family 2, 6 of family 3. */
static const int32_t parent[] = {-1, 0, 1, 1, 2, 2, 3};

/* Classes are numbered by a walk over the tree; family 3 itself is that of the last
 * reference. */
static const int32_t taxon_of[] = {4, 4, 5, 6, 3};

enum { GENUS_4, GENUS_5, FAMILY_3, GENUS_6 };
enum { N_REFS = 5, N_TAXA = 7 };

typedef struct {
    nbc_classes_t classes;
    int32_t class_of[N_REFS];
    int32_t taxon_refs[N_TAXA];
    nbc_model_t model;
    class_statistics_t known;
} fixture_t;

static int set_up(void **state)
{
    static fixture_t f;

    f = (fixture_t){.taxon_refs = {5, 5, 3, 2, 2, 1, 1}};
    *state = &f;
    if (nbc_classes_create(parent, N_TAXA, taxon_of, N_REFS, &f.classes, f.class_of) !=
        ST_OK)
        return -1;
    f.model = (nbc_model_t){.class_of = f.class_of, .classes = &f.classes};
    f.known = (class_statistics_t){.model = &f.model, .n_taxa = N_TAXA};
    f.known.taxon_refs = f.taxon_refs;
    return 0;
}

static int tear_down(void **state)
{
    fixture_t *f = *state;

    nbc_classes_free(&f->classes);
    return 0;
}

static int known_without(fixture_t *f, int32_t own, const int32_t *removed, int64_t n)
{
    const class_case_t c = {.own_class = own, .removed = removed, .n_removed = n};

    return class_depth_known(&f->known, &c);
}

static void ranks_are_known_that_have_references_left(void **state)
{
    assert_int_equal(known_without(*state, GENUS_4, NULL, 0), 3);
    assert_int_equal(known_without(*state, GENUS_4, (int32_t[]){0}, 1), 3);
    assert_int_equal(known_without(*state, GENUS_4, (int32_t[]){0, 1}, 2), 2);
    assert_int_equal(known_without(*state, GENUS_4, (int32_t[]){0, 1, 2}, 3), 1);
    assert_int_equal(known_without(*state, GENUS_4, (int32_t[]){0, 1, 2, 3, 4}, 5), 0);
    assert_int_equal(known_without(*state, FAMILY_3, (int32_t[]){4}, 1), 2);
}

static void lineages_are_compared_from_the_top(void **state)
{
    const fixture_t *f = *state;

    assert_int_equal(class_depth_common(&f->classes, GENUS_4, GENUS_4), 3);
    assert_int_equal(class_depth_common(&f->classes, GENUS_4, GENUS_5), 2);
    assert_int_equal(class_depth_common(&f->classes, GENUS_4, GENUS_6), 1);
    assert_int_equal(class_depth_common(&f->classes, FAMILY_3, GENUS_6), 2);
    assert_int_equal(class_depth_common(&f->classes, GENUS_6, FAMILY_3), 2);
    assert_int_equal(class_depth_common(&f->classes, GENUS_4, -1), 0);
}

/* Of rank 2: right, wrong and unnamed of known ones, named of an absent one; the lineage
 * of the last ends above, and that before it is of another group. */
static const class_depth_t depths[] = {
    {.own = 3, .known = 3, .right = 3, .named = {3, 2, 0}, .group = 1},
    {.own = 3, .known = 2, .right = 1, .named = {2, 1, 0}, .group = 1},
    {.own = 2, .known = 2, .right = 2, .named = {1, 0, 0}, .group = 1},
    {.own = 3, .known = 1, .right = 1, .named = {3, 0, 0}, .group = 1},
    {.own = 3, .known = 3, .right = 3, .named = {3, 3, 3}, .group = 0},
    {.own = 1, .known = 1, .right = 1, .named = {1, 1, 1}, .group = 1}};
enum { N = sizeof(depths) / sizeof(depths[0]) };

static void queries_are_counted_by_rank(void **state)
{
    class_score_t s = class_depth_score(depths, N, 1, 2, CLASS_AT_LOW);

    (void)state;
    assert_int_equal(s.n_known, 3);
    assert_int_equal(s.n_right, 1);
    assert_int_equal(s.n_wrong, 1);
    assert_int_equal(s.n_absent, 1);
    assert_int_equal(s.n_over_named, 1);
    s = class_depth_score(depths, N, 1, 2, CLASS_AT_HIGH);
    assert_int_equal(s.n_right, 1);
    assert_int_equal(s.n_wrong, 0);
    assert_int_equal(s.n_over_named, 0);
}

/* The second and the fourth lack their genus. */
static void names_above_an_absent_taxon_are_right_or_wrong(void **state)
{
    class_score_t s = class_depth_score_absent(depths, N, 1, 1, CLASS_AT_LOW);

    (void)state;
    assert_int_equal(s.n_known, 2);
    assert_int_equal(s.n_right, 2);
    assert_int_equal(s.n_wrong, 0);
    s = class_depth_score_absent(depths, N, 1, 2, CLASS_AT_LOW);
    assert_int_equal(s.n_known, 2);
    assert_int_equal(s.n_right, 0);
    assert_int_equal(s.n_wrong, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_known_that_have_references_left),
        cmocka_unit_test(lineages_are_compared_from_the_top),
        cmocka_unit_test(queries_are_counted_by_rank),
        cmocka_unit_test(names_above_an_absent_taxon_are_right_or_wrong),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
