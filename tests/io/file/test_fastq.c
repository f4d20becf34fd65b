/*
 * test_fastq.c - the four lines of a record, wherever the text is cut, and what is not
 * such a record.
 */
#include "tests/support/unit_test.h"

#include "io/file/fastq.h"
#include "tests/support/captured_log.h"

static buf_t fasta; /* of the last translation */

/* Translate a text in pieces of `piece` bytes. */
static status_t translate_in(const char *text, size_t piece)
{
    const size_t len = strlen(text);
    fastq_t *f;
    status_t st = fastq_create("reads.fq", &f);

    fasta.len = 0;
    for (size_t at = 0; st == ST_OK && at < len; at += piece)
        st = fastq_feed(f, (const unsigned char *)text + at,
                        piece < len - at ? piece : len - at, &fasta);
    if (st == ST_OK)
        st = fastq_finish(f, &fasta);
    fastq_destroy(f);
    return st;
}

static void assert_becomes(const char *text, const char *due)
{
    static const size_t pieces[] = {1, 2, 3, 1000};

    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        assert_int_equal(translate_in(text, pieces[i]), ST_OK);
        assert_int_equal(fasta.len, strlen(due));
        assert_memory_equal(fasta.len > 0 ? (char *)fasta.data : "", due, fasta.len);
    }
}

static void assert_refused(const char *text, const char *why)
{
    for (size_t piece = 1; piece <= 1000; piece += 999) {
        capture_start();
        assert_int_equal(translate_in(text, piece), ST_EINPUT);
        capture_stop();
        assert_logged_one_line();
        assert_logged(why);
    }
}

static int free_fasta(void **state)
{
    (void)state;
    buf_free(&fasta);
    return 0;
}

static void every_line_becomes_one_line(void **state)
{
    (void)state;
    assert_becomes("@a x\nACGT\n+\nIIII\n", ">a x\nACGT\n\n\n");
    assert_becomes("@a\nAC\n+a\nII\n@b\nG\n+\n!\n", ">a\nAC\n\n\n>b\nG\n\n\n");
    assert_becomes("", "");
}

static void line_ends_and_blank_lines_may_vary(void **state)
{
    (void)state;
    assert_becomes("@a\r\nAC\r\n+a\r\nII\r\n", ">a\nAC\n\n\n");
    assert_becomes("@a\nAC\n+\nII", ">a\nAC\n\n\n");
    assert_becomes("\n@a\nAC\n+\nII\n\n\n@b\nG\n+\nI\n\n",
                   "\n>a\nAC\n\n\n\n\n>b\nG\n\n\n\n");
}

static void qualities_may_be_any_of_their_characters(void **state)
{
    (void)state;
    assert_becomes("@a\nACGT\n+\n@+>!\n@b\nA\n+\n~\n", ">a\nACGT\n\n\n>b\nA\n\n\n");
}

static void a_read_of_no_bases_is_passed_on(void **state)
{
    (void)state;
    assert_becomes("@a\n\n+\n\n@b\nA\n+\nI\n", ">a\n\n\n\n>b\nA\n\n\n");
    assert_becomes("@a\n\n+\n", ">a\n\n\n"); /* its last line is empty, without newline */
}

static void a_malformed_record_is_refused_with_its_line(void **state)
{
    (void)state;
    assert_refused("@a\nAC\n+\nIII\n",
                   "reads.fq:4: record 1 'a': 3 qualities for 2 bases");
    assert_refused("@a\nAC\n+\nI\n", "reads.fq:4: record 1 'a': 1 qualities for 2 bases");
    assert_refused("@a\nAC\n+b\nII\n", ":3: record 1 'a': the header after '+' is not");
    assert_refused("@a\nAC\n+aa\nII\n", ":3: record 1 'a': the header after '+' is not");
    assert_refused("@a b\nAC\n+a\nII\n", ":3: record 1 'a': the header after '+' is not");
    assert_refused("@a\nAC\n+\nI \n", ":4: record 1 'a': byte 0x20 is not a quality");
    assert_refused("@a\nAC\n+\nI\xff\n", ":4: record 1 'a': byte 0xff is not a quality");
    assert_refused("@a\n>C\n+\nII\n", ":2: record 1 'a': '>' begins the sequence");
    assert_refused("@a\nA\rC\n+\nIII\n", ":2: record 1 'a': a carriage return within");
    assert_refused("@\nAC\nGG\n", ":3: record 1: a line that begins with '+'");
}

static void sequences_of_several_lines_are_refused_with_a_remedy(void **state)
{
    (void)state;
    assert_refused(
        "@a\nAC\nGT\n+\nII\nII\n",
        ":3: record 1 'a': a line that begins with '+' has to follow the "
        "sequence; if sequences take several lines, join them with 'seqtk seq");
    assert_refused("@a\nACGT\n+\nIIII\nII\n",
                   ":5: record 2: the header of a FASTQ record begins with '@'; ");
}

static void a_text_that_ends_within_a_record_is_refused(void **state)
{
    static const char *const texts[] = {"@a\n",     "@a",        "@a\nAC",
                                        "@a\nAC\n", "@a\nAC\n+", "@a\nAC\n+\n"};

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_refused(texts[i], ": record 1 'a': the file ends within the record: ");
}

int main(void)
{
#define FASTQ_TEST(name) cmocka_unit_test_teardown(name, free_fasta)
    const struct CMUnitTest tests[] = {
        FASTQ_TEST(every_line_becomes_one_line),
        FASTQ_TEST(line_ends_and_blank_lines_may_vary),
        FASTQ_TEST(qualities_may_be_any_of_their_characters),
        FASTQ_TEST(a_read_of_no_bases_is_passed_on),
        FASTQ_TEST(a_malformed_record_is_refused_with_its_line),
        FASTQ_TEST(sequences_of_several_lines_are_refused_with_a_remedy),
        FASTQ_TEST(a_text_that_ends_within_a_record_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
