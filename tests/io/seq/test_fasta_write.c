/*
 * test_fasta_write.c - written FASTA is wrapped and in upper case; errors are reported.
 */
#include "tests/support/unit_test.h"

#include "io/seq/alphabet.h"
#include "io/seq/fasta.h"

#include <stdlib.h>
#include <string.h>

static void add(seqset_builder_t *builder, const char *name, const char *text)
{
    uint8_t codes[256];
    size_t len = strlen(text);

    assert_true(len <= sizeof(codes));
    for (size_t i = 0; i < len; i++)
        codes[i] = alphabet_code(ALPHABET_DNA, (unsigned char)text[i]);
    assert_int_equal(seqset_builder_add(builder, name, strlen(name), codes, len), ST_OK);
}

static seqset_t *finish(seqset_builder_t *builder)
{
    seqset_t *set = NULL;

    assert_int_equal(seqset_builder_finish(builder, &set), ST_OK);
    return set;
}

static void assert_written(seqset_builder_t *builder, const char *want)
{
    seqset_t *set = finish(builder);
    char *text = NULL;
    size_t len = 0;
    FILE *file = open_memstream(&text, &len);

    assert_non_null(file);
    assert_int_equal(fasta_write_set(file, set), ST_OK);
    assert_int_equal(fclose(file), 0);
    assert_string_equal(text, want);
    free(text);
    seqset_destroy(set);
}

static void records_are_written_in_order_in_upper_case_with_t_for_u(void **state)
{
    seqset_builder_t builder = {0};

    (void)state;
    add(&builder, "a", "acgu");
    add(&builder, "b", "NRYKMSWBDHV");
    assert_written(&builder, ">a\nACGT\n>b\nNRYKMSWBDHV\n");
}

#define A_20 "AAAAAAAAAAAAAAAAAAAA"
#define A_80 A_20 A_20 A_20 A_20

static void lines_wrap_after_eighty_bases(void **state)
{
    seqset_builder_t builder = {0};

    (void)state;
    add(&builder, "full", A_80);
    add(&builder, "more", A_80 "C");
    assert_written(&builder, ">full\n" A_80 "\n>more\n" A_80 "\nC\n");
}

/* A reader that takes the first word as the name has the size. */
static void a_size_stands_before_the_first_blank_of_a_name(void **state)
{
    static const char *const headers[] = {"a;size=3\n", "a;size=3 of soil\n",
                                          "a;size=3 b\n", "a b\n"};
    seqset_builder_t builder = {0};
    seqset_t *set;
    char *text = NULL;
    size_t len = 0;
    FILE *file = open_memstream(&text, &len);

    (void)state;
    assert_non_null(file);
    add(&builder, "x", "A");
    set = finish(&builder);
    assert_true(fasta_write_sequence(file, "a", 3, NULL, set, 0));
    assert_true(fasta_write_sequence(file, "a of soil", 3, NULL, set, 0));
    assert_true(fasta_write_sequence(file, "a", 3, "b", set, 0));
    assert_true(fasta_write_sequence(file, "a", 0, "b", set, 0));
    assert_int_equal(fclose(file), 0);
    for (size_t i = 0, at = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
        assert_memory_equal(text + at, ">", 1);
        assert_memory_equal(text + at + 1, headers[i], strlen(headers[i]));
        at += 1 + strlen(headers[i]) + 2;
    }
    free(text);
    seqset_destroy(set);
}

static void an_empty_set_writes_nothing(void **state)
{
    seqset_builder_t builder = {0};

    (void)state;
    assert_written(&builder, "");
}

static void a_full_device_is_an_error(void **state)
{
    seqset_builder_t builder = {0};
    FILE *file = fopen("/dev/full", "w");
    seqset_t *set;

    (void)state;
    if (file == NULL)
        skip();
    add(&builder, "a", "ACGT");
    set = finish(&builder);
    assert_int_equal(fasta_write_set(file, set), ST_EIO);
    fclose(file);
    seqset_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_written_in_order_in_upper_case_with_t_for_u),
        cmocka_unit_test(lines_wrap_after_eighty_bases),
        cmocka_unit_test(a_size_stands_before_the_first_blank_of_a_name),
        cmocka_unit_test(an_empty_set_writes_nothing),
        cmocka_unit_test(a_full_device_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
