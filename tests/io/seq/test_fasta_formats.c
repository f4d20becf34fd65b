/*
 * test_fasta_formats.c - what fasta_read does with FASTQ, and with formats that a build
 * may lack.
 */
#include "tests/support/unit_test.h"

#include "io/file/unpack.h"
#include "tests/io/seq/fasta_outcome.h"

static const fasta_opts_t plain = {0};
static const fasta_opts_t skip_bad = {.skip_bad = true};

static void fastq_is_read_without_its_qualities(void **state)
{
    (void)state;
    read_text("@r1 x\nacgu\n+\nIIII\n@r2\nGGRN\n+r2\n@>+!\n", plain);
    assert_int_equal(got.set->n, 2);
    assert_int_equal(got.set->alphabet, ALPHABET_DNA);
    assert_record(0, "r1", "ACGT");
    assert_record(1, "r2", "GGRN");
    assert_logged(": FASTQ; qualities are dropped\n");
    read_text("\xef\xbb\xbf\r\n@r1\r\nACGT\r\n+\r\nIIII", plain);
    assert_int_equal(got.set->n, 1);
    assert_record(0, "r1", "ACGT");
}

static void bad_records_of_fastq_are_named_by_their_lines(void **state)
{
    static const char text[] = "@a\nAC\n+\nII\n@b\nA!\n+\nII\n@\nGG\n+\nII\n@c\n\n+\n\n";

    (void)state;
    read_text(text, plain);
    assert_refused(":6: record 2 'b': '!' is not a nucleotide letter; ");
    read_text(text, skip_bad);
    assert_int_equal(got.set->n, 1);
    assert_record(0, "a", "AC");
    assert_logged(": 3 of 4 records dropped, the first in line 6: record 2 'b'");
    read_text("@a\nAC\n+\nII\n@\nGG\n+\nII\n", plain);
    assert_refused(":5: record 2 has no name in its header; ");
    read_text("@a\nAC\n+\nI\n", skip_bad);
    assert_refused(":4: record 1 'a': 1 qualities for 2 bases; ");
    read_text("@a\nAC\n+\nII\n@b\nA", skip_bad);
    assert_refused(":7: record 2 'b': the file ends within the record: ");
}

static void zstd_is_refused_also_where_the_build_lacks_it(void **state)
{
    static const char data[] = "\x28\xb5\x2f\xfd rest";
    const bool is_known = unpack_find((const unsigned char *)data, sizeof(data)) != NULL;

    (void)state;
    read_text(data, skip_bad);
    assert_refused(is_known ? "the zstd data are damaged" : "'zstd -d /");
}

#define TEST(f) cmocka_unit_test_teardown(f, release)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(fastq_is_read_without_its_qualities),
        TEST(bad_records_of_fastq_are_named_by_their_lines),
        TEST(zstd_is_refused_also_where_the_build_lacks_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
