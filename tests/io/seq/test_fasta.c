/*
 * test_fasta.c - what fasta_read accepts, drops and refuses.
 */
#include "tests/support/unit_test.h"

#include "tests/io/seq/fasta_outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static const fasta_opts_t plain = {0};
static const fasta_opts_t skip_bad = {.skip_bad = true};
static const fasta_opts_t degap = {.degap = true};
static const fasta_opts_t full_names = {.full_names = true};

static void read_stdin(const void *data, size_t len)
{
    char path[PATH_BYTES];
    int fd = temp_file(path);
    int old_stdin = dup(STDIN_FILENO);

    assert_int_equal(write(fd, data, len), len);
    lseek(fd, 0, SEEK_SET);
    dup2(fd, STDIN_FILENO);
    read_path("-", plain);
    dup2(old_stdin, STDIN_FILENO);
    close(old_stdin);
    close(fd);
    unlink(path);
}

/* Compress text as one gzip member. @return its length */
static size_t gzip(const void *text, size_t len, unsigned char *out, size_t capacity)
{
    z_stream z = {0};

    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
                     Z_OK);
    z.next_in = (z_const Bytef *)text;
    z.avail_in = (uInt)len;
    z.next_out = out;
    z.avail_out = (uInt)capacity;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return capacity - z.avail_out;
}

static void names_end_at_blanks_and_letters_become_codes(void **state)
{
    (void)state;
    read_text(">a one\nACGT\n> b\ttwo\nacguRYSWKMBDHVN\n", plain);
    assert_int_equal(got.set->n, 2);
    assert_record(0, "a", "ACGT");
    assert_record(1, "b", "ACGTRYSWKMBDHVN");
    assert_int_equal(seqset_letters(got.set, 0)[3], 8);
    assert_string_equal(got.logged, "");
}

static void line_ends_may_be_cr_lf_or_both(void **state)
{
    (void)state;
    read_text(">a\r\nAC\r\nGT\r\n>b\r\nTT\r\n", plain);
    assert_record(0, "a", "ACGT");
    assert_record(1, "b", "TT");
    read_text(">a x\rAC\rGT\r>b\rTT", plain);
    assert_record(0, "a", "ACGT");
    assert_record(1, "b", "TT");
    read_text(">a\r\nAC\r\n\r\n>b\r\nT!\r\n", plain);
    assert_refused(":5: record 2 'b'");
}

static void blanks_byte_order_marks_and_missing_newlines_are_accepted(void **state)
{
    (void)state;
    read_text("\xef\xbb\xbf\n \t\n>a\n\nA C\tG\n  \nT \n\n\n>b\nTT", plain);
    assert_int_equal(got.set->n, 2);
    assert_record(0, "a", "ACGT");
    assert_record(1, "b", "TT");
}

static void an_empty_input_is_an_empty_set(void **state)
{
    (void)state;
    read_text("", plain);
    assert_int_equal(got.st, ST_OK);
    assert_int_equal(got.set->n, 0);
    read_text("\n \t\r\n\n", skip_bad);
    assert_int_equal(got.st, ST_OK);
    assert_int_equal(got.set->n, 0);
}

static void an_invalid_letter_is_reported_with_line_and_record(void **state)
{
    (void)state;
    read_text(">a\nACGT\n>b x\nACGTACGTACGT\nACGlACGTACGT\n>c\nA?\n", plain);
    assert_refused(
        ":5: record 2 'b': 'l' is not a nucleotide letter; correct it or drop such "
        "records with --skip-bad\n");
    read_text(">a\nAC\xe9GT\n", plain);
    assert_refused(":2: record 1 'a': byte 0xe9 is not a nucleotide letter");
}

static void records_without_bases_or_name_are_refused(void **state)
{
    (void)state;
    read_text(">a\n \n>b\nA\n", plain);
    assert_refused(":1: record 1 'a' has no bases; ");
    read_text(">a\nA\n>b", plain);
    assert_refused(":3: record 2 'b' has no bases; ");
    read_text(">a\nA\n> \t\nA\n", plain);
    assert_refused(":3: record 2 has no name in its header; ");
}

static void text_before_the_first_header_is_refused(void **state)
{
    (void)state;
    read_text("\nACGT\n>a\nA\n", plain);
    assert_refused(":2: text before the first header");
    read_text("; a comment\n>a\nA\n", plain);
    assert_refused(":1: old-style comment (';') before the first header");
}

static void protein_is_distinguished_from_a_typing_error(void **state)
{
    (void)state;
    read_text(">p\nMKVLAAGIVGLLLAQWERTY\n", plain);
    assert_refused(
        "looks like protein; give --alphabet protein, or nucleotide sequences");
    read_text(">a\nACGTACGTACGTACGTACGTI\n", plain);
    assert_refused("'I' is not a nucleotide letter; correct it");
    read_text(">a\nACXXXXXXXXXXXXXXXXXGT\n", plain); /* masked vector */
    assert_refused("'X' is not a nucleotide letter; correct it");
}

static void proteins_are_read_if_given_or_guessed(void **state)
{
    const fasta_opts_t protein = {.alphabet = ALPHABET_PROTEIN};
    const fasta_opts_t guess = {.alphabet = ALPHABET_AUTO};

    (void)state;
    read_text(">p x\nMKVLaagivg\nBJXZUO*\n", protein);
    assert_record(0, "p", "MKVLAAGIVGBJXZUO*");
    assert_int_equal(got.set->alphabet, ALPHABET_PROTEIN);
    assert_string_equal(got.logged, "");
    read_text(">p\nMKVLAAGIVG\n", guess);
    assert_record(0, "p", "MKVLAAGIVG");
    assert_non_null(strstr(got.logged, ": the letters are those of proteins; --alphabet "
                                       "dna overrides this\n"));
    read_text(">a\nACGT\n", guess);
    assert_int_equal(got.set->alphabet, ALPHABET_DNA);
    read_text(">a\nACGT\n>b\nACGU\n", protein);
    assert_record(1, "b", "ACGU");
    read_text(">p\nMKV1LL\n", protein);
    assert_refused(":2: record 1 'p': '1' is not an amino acid letter; correct it");
    read_text(">p\nMK-VLL\n", protein);
    assert_refused("--degap");
    read_text(">p\n\n", protein);
    assert_refused("record 1 'p' has no residues");
}

static void gaps_are_refused_or_removed(void **state)
{
    (void)state;
    read_text(">a\n--AC-GT..\n>b\nA-\n", plain);
    assert_refused(":2: record 1 'a': '-' is a gap of an aligned sequence; remove gaps "
                   "with --degap\n");
    read_text(">a\n--AC-GT..\n>b\nA-\n", skip_bad);
    assert_refused("--degap");
    read_text(">a\n--AC-GT..\n>b\nA-\n", degap);
    assert_record(0, "a", "ACGT");
    assert_record(1, "b", "A");
    read_text(">a\n---\n", degap);
    assert_refused("has no bases");
}

static void skip_bad_drops_invalid_records(void **state)
{
    (void)state;
    read_text("junk\n>a\nAC\n>b\nAJ\nACG\n>c\n>\nAC\n>d\nGT", skip_bad);
    assert_int_equal(got.set->n, 2);
    assert_record(0, "a", "AC");
    assert_record(1, "d", "GT");
    assert_int_equal(got.report.n_bad, 3);
    assert_logged("warning: ");
    assert_logged(
        ": 3 of 5 records dropped, the first in line 5: record 2 'b': 'J' is not");
    assert_logged("so was text before the first header\n");
    read_text("junk\n>a\nAC\n", skip_bad);
    assert_record(0, "a", "AC");
    assert_int_equal(got.report.n_bad, 0);
    assert_logged(":1: text before the first header dropped\n");
}

static void no_record_left_after_dropping_is_an_error(void **state)
{
    (void)state;
    read_text(">a\n1\n>b\n", skip_bad);
    assert_refused(":2: all 2 records are invalid, the first: record 1 'a': '1' is not");
    read_text("ACGT\nACGT\n", skip_bad);
    assert_refused(":1: text without any header");
}

static void repeated_names_are_kept_and_counted(void **state)
{
    (void)state;
    read_text(">a\nA\n>b\nC\n>b\nG\n>a\nT\n>b\nA\n", plain);
    assert_int_equal(got.set->n, 5);
    assert_record(2, "b", "G");
    assert_int_equal(got.report.n_same_name, 3);
    assert_int_equal(got.report.n_cut_name, 0);
    assert_logged(": 3 records have a name that occurred before, the first is 'b'");
}

static void names_that_are_equal_only_up_to_the_blank_are_told_apart(void **state)
{
    (void)state;
    read_text(">a 1\nA\n>b x\nC\n>a\t2 \nG\n>b  \nT\n>b x \nA\n", plain);
    assert_record(2, "a", "G");
    assert_int_equal(got.report.n_same_name, 3);
    assert_int_equal(got.report.n_cut_name, 2);
    assert_logged(": 1 records have a name that occurred before, the first is 'b'; they");
    assert_logged(
        ": 2 records have a name that occurred before only because names end at "
        "the first blank, the first is record 3 'a'; --full-names keeps whole "
        "headers, which differ");
}

static void full_names_are_headers_with_blanks_for_tabs(void **state)
{
    (void)state;
    read_text("> a 1\r\nA\r\n>a\t2 \t\nG\n>b  c;size=3\nT\n>a 1\nA\n>d e ", full_names);
    assert_refused(":9: record 5 'd e' has no bases");
    read_text("> a 1\r\nA\r\n>a\t2 \t\nG\n>b  c;size=3\nT\n>a 1\nA\n", full_names);
    assert_record(0, "a 1", "A");
    assert_record(1, "a 2", "G");
    assert_record(2, "b  c;size=3", "T");
    assert_int_equal(got.report.n_same_name, 1);
    assert_int_equal(got.report.n_cut_name, 0);
    assert_logged("1 records have a name that occurred before, the first is 'a 1'");
}

static void names_that_are_not_text_are_escaped_and_reported_once(void **state)
{
    (void)state;
    read_text(">Jos\xc3\xa9 \xff\nA\n>Jos\xe9\nC\n>\x1b[2J\nG\n>\xed\xa0\x80 x\nT\n",
              plain);
    assert_record(0, "Jos\xc3\xa9", "A");
    assert_record(1, "Jos\\xe9", "C");
    assert_record(2, "\\x1b[2J", "G");
    assert_record(3, "\\xed\\xa0\\x80", "T");
    assert_logged(":3: record 2: its name is not UTF-8 or has control characters; it "
                  "becomes 'Jos\\xe9', with such bytes as \\xNN, and so do others");
    assert_string_equal(strchr(got.logged, '\n'), "\n");
    read_text(">Jos\xe9 x\nA?\n", plain);
    assert_refused(":2: record 1 'Jos\\xe9': '?' is not");
    read_text(">a\x01"
              "b\x0c c\n",
              full_names);
    assert_refused(":1: record 1 'a\\x01b\\x0c c' has no bases");
}

/* A lost line break makes bases part of the header. */
static void a_name_that_is_too_long_is_refused(void **state)
{
    char *text = malloc(FASTA_NAME_BYTES + 100);
    const char end[] = " x\n>b\nC\n";

    (void)state;
    text[0] = '>';
    memset(text + 1, 'A', FASTA_NAME_BYTES + 1);
    memcpy(text + 1 + FASTA_NAME_BYTES, "\nG\n", 4);
    read_text(text, plain);
    assert_int_equal(strlen(seqset_name(got.set, 0)), FASTA_NAME_BYTES);
    text[1 + FASTA_NAME_BYTES] = 'A';
    memcpy(text + 2 + FASTA_NAME_BYTES, end, sizeof(end));
    read_text(text, plain);
    assert_refused(
        "AAA' has a name of more than 65535 bytes; a line break may be missing "
        "after it; correct it or drop such records with --skip-bad");
    assert_logged(":1: record 1 'AAA");
    read_text(text, skip_bad);
    assert_record(0, "b", "C");
    text[2] = text[1 + FASTA_NAME_BYTES] = ' ';
    text[3 + FASTA_NAME_BYTES] = 'G';
    read_text(text, full_names);
    assert_refused("has a name of more than 65535 bytes");
    read_text(text, plain);
    assert_refused(":1: record 1 'A' has no bases");
    free(text);
}

static void binary_data_are_refused(void **state)
{
    (void)state;
    read_bytes(">a\nAC\0GT\n", 9, skip_bad);
    assert_refused("binary");
    read_text(">a\nAC\x01GT\n", skip_bad);
    assert_refused(
        ":2: record 1 'a': byte 0x01 in a text file; the file is binary or damaged");
    read_bytes(">a\nAC\n>b\0\nGT\n", 13, skip_bad);
    assert_refused("binary");
}

static void other_formats_are_refused_with_a_command_that_converts_them(void **state)
{
    static const struct {
        const char *data, *text;
    } cases[] = {
        {"@HD\tVN:1.6\n", "samtools fasta "},
        {"@CO\ta comment\n", "this is SAM, not FASTA; use 'samtools fasta /"},
        {"BZh91AY", "'bunzip2 -k /"},
        {"\xfd\x37zXZ", "'xz -dk /"},
        {"PK\x03\x04 rest", "qiime tools export"},
        {"<!DOCTYPE html>\n", "a web page or XML, not FASTA"},
        {"LOCUS       X 10 bp\n", "any2fasta"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        read_text(cases[i].data, skip_bad);
        assert_refused(cases[i].text);
    }
    read_stdin("@SQ\tSN:a\n", 9);
    assert_refused("stdin: this is SAM, not FASTA; use 'samtools fasta FILE");
}

static void a_sequence_that_contains_ustar_is_not_a_tar_archive(void **state)
{
    char text[300] = ">a\n";

    (void)state;
    memset(text + 3, 'a', 290);
    memcpy(text + 257, "ustar", 5);
    read_text(text, plain);
    assert_int_equal(got.st, ST_OK);
    assert_int_equal(seqset_len(got.set, 0), 290);
}

static void gzip_with_one_or_many_members_is_read(void **state)
{
    unsigned char packed[1000];
    size_t len = gzip(">a\nAC", 5, packed, sizeof(packed));

    (void)state;
    len += gzip("GT\n>b\n", 6, packed + len, sizeof(packed) - len);
    len += gzip("", 0, packed + len, sizeof(packed) - len);
    len += gzip("TT\n", 3, packed + len, sizeof(packed) - len);
    read_bytes(packed, len, plain);
    assert_record(0, "a", "ACGT");
    assert_record(1, "b", "TT");
    read_stdin(packed, len);
    assert_record(1, "b", "TT");
    read_stdin(">x\nAN\n", 6);
    assert_record(0, "x", "AN");
}

static void truncated_or_damaged_gzip_is_refused(void **state)
{
    unsigned char packed[1000];
    size_t len = gzip(">a\nACGTTGCATTAGC\n", 17, packed, sizeof(packed));

    (void)state;
    for (size_t cut = 2; cut < len; cut++) {
        read_bytes(packed, cut, skip_bad);
        assert_refused("the download or copy is incomplete; fetch it again");
    }
    packed[len - 8] ^= 1; /* its CRC */
    read_bytes(packed, len, skip_bad);
    assert_refused("the gzip data are damaged near byte ");
}

static void unreadable_files_are_reported(void **state)
{
    (void)state;
    read_path("/nonexistent/reads.fa", plain);
    assert_int_equal(got.st, ST_EIO);
    assert_logged("cannot read /nonexistent/reads.fa: No such file or directory");
    read_path("/", plain);
    assert_int_equal(got.st, ST_EIO);
    assert_logged("cannot read /: Is a directory");
}

static void records_longer_than_a_block_are_read_completely(void **state)
{
    const size_t n = 1000003;
    char *text = malloc(n + 64);
    size_t len = (size_t)sprintf(text, ">long x\n");

    (void)state;
    for (size_t i = 0; i < n; i++)
        text[len++] = "ACGT"[i * i % 7 % 4];
    len += (size_t)sprintf(text + len, "\n>b\nT?\n");
    read_bytes(text, len, plain);
    assert_refused(":4: record 2 'b'");
    read_bytes(text, len - 2, plain);
    assert_int_equal(seqset_len(got.set, 0), n);
    for (size_t i = 0; i < n; i++)
        if (alphabet_letter(ALPHABET_DNA, seqset_letters(got.set, 0)[i]) != text[8 + i])
            fail_msg("base %zu", i);
    assert_record(1, "b", "T");
    free(text);
}

#define TEST(f) cmocka_unit_test_teardown(f, release)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(names_end_at_blanks_and_letters_become_codes),
        TEST(line_ends_may_be_cr_lf_or_both),
        TEST(blanks_byte_order_marks_and_missing_newlines_are_accepted),
        TEST(an_empty_input_is_an_empty_set),
        TEST(an_invalid_letter_is_reported_with_line_and_record),
        TEST(records_without_bases_or_name_are_refused),
        TEST(text_before_the_first_header_is_refused),
        TEST(proteins_are_read_if_given_or_guessed),
        TEST(protein_is_distinguished_from_a_typing_error),
        TEST(gaps_are_refused_or_removed),
        TEST(skip_bad_drops_invalid_records),
        TEST(no_record_left_after_dropping_is_an_error),
        TEST(repeated_names_are_kept_and_counted),
        TEST(names_that_are_equal_only_up_to_the_blank_are_told_apart),
        TEST(full_names_are_headers_with_blanks_for_tabs),
        TEST(names_that_are_not_text_are_escaped_and_reported_once),
        TEST(a_name_that_is_too_long_is_refused),
        TEST(binary_data_are_refused),
        TEST(other_formats_are_refused_with_a_command_that_converts_them),
        TEST(a_sequence_that_contains_ustar_is_not_a_tar_archive),
        TEST(gzip_with_one_or_many_members_is_read),
        TEST(truncated_or_damaged_gzip_is_refused),
        TEST(unreadable_files_are_reported),
        TEST(records_longer_than_a_block_are_read_completely),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
