/*
 * test_class_region.c - where reads lie in references, and parts like them.
 */
#include "tests/support/unit_test.h"

#include "kernels/classify/class_region.h"
#include "tests/kernels/classify/nbc_case.h"

#include <stdlib.h>
#include <string.h>

enum { GENE = 600, N_REFS = 40 };

static const int32_t parent[] = {-1, 0, 0};

/* A gene at random, and N_REFS that have a tenth of its bases changed; those with an odd
 * number lack its first `lack` bases. */
typedef struct {
    uint8_t gene[GENE];
    seqset_t *refs;
    int32_t taxon_of[N_REFS];
    nbc_case_t nbc;
} fixture_t;

static void build(fixture_t *f, int lack)
{
    seqset_builder_t builder = {0};
    rng_t rng = rng_seed(1);

    for (int i = 0; i < GENE; i++)
        f->gene[i] = (uint8_t)(1 << rng_below(&rng, 4));
    for (int r = 0; r < N_REFS; r++) {
        const int first = r % 2 == 1 ? lack : 0;
        uint8_t codes[GENE];

        memcpy(codes, f->gene, GENE);
        nbc_case_mutate(&rng, codes, GENE, 10, false);
        f->taxon_of[r] = 1 + r / 2 % 2;
        assert_int_equal(seqset_builder_add(&builder, "r", 1, codes + first,
                                            (size_t)(GENE - first)),
                         ST_OK);
    }
    assert_int_equal(seqset_builder_finish(&builder, &f->refs), ST_OK);
    assert_int_equal(nbc_case_create(f->refs, parent, 3, f->taxon_of, NULL, &f->nbc),
                     ST_OK);
}

static void destroy(fixture_t *f)
{
    nbc_case_free(&f->nbc);
    seqset_destroy(f->refs);
}

/* @return a set of one read: bases first .. end - 1 of letters */
static seqset_t *one_read(const uint8_t *letters, int first, int end)
{
    seqset_builder_t builder = {0};
    seqset_t *set;

    assert_int_equal(seqset_builder_add(&builder, "x", 1, letters + first,
                                        (size_t)(end - first)),
                     ST_OK);
    assert_int_equal(seqset_builder_finish(&builder, &set), ST_OK);
    return set;
}

static void reverse_complement(seqset_t *set)
{
    const int64_t n = seqset_len(set, 0);

    for (int64_t a = 0, b = n - 1; a <= b; a++, b--) {
        const uint8_t code = alphabet_complement(set->letters[a]);

        set->letters[a] = alphabet_complement(set->letters[b]);
        set->letters[b] = code;
    }
}

static void cut(const fixture_t *f, seqset_t *reads, bool both_strands,
                class_region_parts_t *out)
{
    assert_int_equal(class_region_cut(f->nbc.model, reads, both_strands, 1000, 1, out),
                     ST_OK);
    seqset_destroy(reads);
}

static class_region_kind_t kind_of(const fixture_t *f, seqset_t *reads, bool both_strands)
{
    class_region_parts_t parts;
    class_region_kind_t kind;

    cut(f, reads, both_strands, &parts);
    kind = parts.kind;
    assert_true(kind == CLASS_REGION_PART || parts.train.n == 0);
    class_region_parts_free(&parts);
    return kind;
}

/* Seven bases of the gene are not in the read, between its ends. */
static void both_ends_of_a_read_are_found(void **state)
{
    class_region_scratch_t *s;
    class_region_t r;
    uint8_t read[200];
    fixture_t f;
    bool found;

    (void)state;
    build(&f, 0);
    memcpy(read, f.gene + 100, 90);
    memcpy(read + 90, f.gene + 197, 90);
    assert_int_equal(class_region_scratch_create(&s), ST_OK);
    for (int pass = 0; pass < 2; pass++) { /* the scratch is as before */
        assert_int_equal(class_region_find(s, (class_region_sequence_t){read, 180},
                                           (class_region_sequence_t){f.gene, GENE},
                                           &found, &r),
                         ST_OK);
        assert_true(found && r.first == 100 && r.end == 287);
    }
    assert_int_equal(class_region_find(s, (class_region_sequence_t){f.gene, GENE},
                                       (class_region_sequence_t){f.gene + 50, 500},
                                       &found, &r),
                     ST_OK);
    assert_true(found && r.first == -50 && r.end == 550);
    class_region_scratch_destroy(s);
    destroy(&f);
}

static void other_sequences_are_not_found(void **state)
{
    class_region_scratch_t *s;
    class_region_t r;
    uint8_t read[200];
    rng_t rng = rng_seed(2);
    fixture_t f;
    bool found;

    (void)state;
    build(&f, 0);
    for (int i = 0; i < 200; i++)
        read[i] = (uint8_t)(1 << rng_below(&rng, 4));
    assert_int_equal(class_region_scratch_create(&s), ST_OK);
    for (int64_t len = 0; len <= 200; len += 10) {
        assert_int_equal(class_region_find(s, (class_region_sequence_t){read, len},
                                           (class_region_sequence_t){f.gene, GENE},
                                           &found, &r),
                         ST_OK);
        assert_false(found);
    }
    class_region_scratch_destroy(s);
    destroy(&f);
}

static void parts_have_the_place_and_the_length_of_the_reads(void **state)
{
    class_region_parts_t p;
    fixture_t f;

    (void)state;
    build(&f, 0);
    cut(&f, one_read(f.gene, 200, 350), false, &p);
    assert_int_equal(p.kind, CLASS_REGION_PART);
    assert_int_equal(p.read_len, 150);
    assert_int_equal(p.ref_len, GENE);
    assert_true(p.region.first == 200 && p.region.end == 350);
    assert_true(p.train.is_cut);
    assert_int_equal(p.train.n, N_REFS);
    assert_int_equal(p.parts->n, N_REFS);
    for (int64_t i = 0; i < p.train.n; i++) {
        assert_int_equal(seqset_len(p.parts, i), 150);
        assert_memory_equal(seqset_letters(p.parts, i),
                            seqset_letters(f.refs, p.train.absent[i]) + 200, 150);
    }
    class_region_parts_free(&p);
    destroy(&f);
}

static void reverse_complements_are_found_if_both_strands_are_tried(void **state)
{
    seqset_t *reads;
    fixture_t f;

    (void)state;
    build(&f, 0);
    for (int both = 0; both < 2; both++) {
        reads = one_read(f.gene, 200, 350);
        reverse_complement(reads);
        assert_int_equal(kind_of(&f, reads, both == 1),
                         both == 1 ? CLASS_REGION_PART : CLASS_REGION_UNLIKE);
    }
    destroy(&f);
}

/* Those with an odd number begin at base 20 of the gene, and the read at base 10. */
static void references_without_the_bases_give_no_part(void **state)
{
    class_region_parts_t p;
    fixture_t f;

    (void)state;
    build(&f, 20);
    cut(&f, one_read(f.gene, 10, 260), false, &p);
    assert_int_equal(p.kind, CLASS_REGION_PART);
    assert_int_equal(p.train.n, N_REFS / 2);
    for (int64_t i = 0; i < p.train.n; i++)
        assert_int_equal(p.train.absent[i] % 2, 0);
    class_region_parts_free(&p);
    destroy(&f);
}

static void reads_are_compared_with_the_length_of_references(void **state)
{
    const uint8_t code = 1;
    uint8_t longer[3 * GENE], other[200];
    rng_t rng = rng_seed(3);
    fixture_t f;

    (void)state;
    build(&f, 0);
    for (int i = 0; i < 3 * GENE; i++)
        longer[i] = (uint8_t)(code << rng_below(&rng, 4));
    memcpy(other, longer, sizeof(other));
    memcpy(longer + GENE, f.gene, GENE);
    assert_int_equal(kind_of(&f, one_read(f.gene, 0, GENE), false), CLASS_REGION_WHOLE);
    assert_int_equal(kind_of(&f, one_read(f.gene, 30, GENE), false), CLASS_REGION_WHOLE);
    assert_int_equal(kind_of(&f, one_read(f.gene, 90, GENE), false), CLASS_REGION_PART);
    assert_int_equal(kind_of(&f, one_read(longer, 0, 3 * GENE), false),
                     CLASS_REGION_LONGER);
    assert_int_equal(kind_of(&f, one_read(longer, GENE - 40, 2 * GENE - 40), false),
                     CLASS_REGION_WHOLE); /* all but the last bases */
    assert_int_equal(kind_of(&f, one_read(longer, GENE - 300, 2 * GENE - 300), false),
                     CLASS_REGION_UNLIKE); /* neither has both ends of the other */
    assert_int_equal(kind_of(&f, one_read(other, 0, 200), false), CLASS_REGION_UNLIKE);
    destroy(&f);
}

static void without_reads_there_are_no_parts(void **state)
{
    class_region_parts_t p;
    const seqset_t none = {.n = 0};
    fixture_t f;

    (void)state;
    build(&f, 0);
    assert_int_equal(class_region_cut(f.nbc.model, &none, true, 10, 1, &p), ST_OK);
    assert_int_equal(p.train.n, 0);
    class_region_parts_free(&p);
    destroy(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ends_of_a_read_are_found),
        cmocka_unit_test(other_sequences_are_not_found),
        cmocka_unit_test(parts_have_the_place_and_the_length_of_the_reads),
        cmocka_unit_test(reverse_complements_are_found_if_both_strands_are_tried),
        cmocka_unit_test(references_without_the_bases_give_no_part),
        cmocka_unit_test(reads_are_compared_with_the_length_of_references),
        cmocka_unit_test(without_reads_there_are_no_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
