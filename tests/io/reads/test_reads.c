/*
 * test_reads.c - records as they are in FASTA and FASTQ, also over several lines; lines
 * in messages; parts that are written again.
 */
#include "tests/support/unit_test.h"

#include "io/reads/reads.h"
#include "io/reads/reads_write.h"

#include "tests/support/captured_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/ribogrid-reads-XXXXXX", path[64], out[64];

static void write_text(const char *text)
{
    FILE *to = fopen(path, "w");

    assert_non_null(to);
    fputs(text, to);
    fclose(to);
}

static status_t read_back(const char *text, reads_t *to)
{
    status_t st;

    write_text(text);
    capture_start();
    st = reads_read(path, to);
    capture_stop();
    return st;
}

static void assert_part(const reads_t *r, int64_t at, int32_t len, const char *want)
{
    assert_int_equal(len, strlen(want));
    assert_memory_equal(reads_text(r, at), want, strlen(want));
}

/* Of every layout the same records. */
static void sequences_of_several_lines_are_joined(void **state)
{
    static const char *const layouts[] = {
        ">a x\nACGTac\n>b\n\n>c\nTT\n", ">a x\nACG\nTac\n>b\n>c\nTT",
        "\n>a x\r\nAC\r\nGT\r\nac\r\n>b\r\n\r\n>c\r\nT\r\nT",
        "\xef\xbb\xbf>a x\nACGTac\n\n>b\n>c\nT\n\nT\n\n"};

    (void)state;
    for (size_t k = 0; k < sizeof(layouts) / sizeof(layouts[0]); k++) {
        reads_t r;

        assert_int_equal(read_back(layouts[k], &r), ST_OK);
        assert_false(r.are_fastq);
        assert_int_equal(r.n, 3);
        assert_part(&r, r.at[0].header, r.at[0].header_len, "a x");
        assert_int_equal(reads_name_len(&r, 0), 1);
        assert_part(&r, r.at[0].bases, r.at[0].len, "ACGTac");
        assert_int_equal(r.at[1].len, 0);
        assert_part(&r, r.at[2].bases, r.at[2].len, "TT");
        reads_free(&r);
    }
}

static void fastq_has_qualities(void **state)
{
    reads_t r;

    (void)state;
    assert_int_equal(read_back("@a 1\nACGT\n+\n!~II\n\n@b\r\n\r\n+b\r\n\r\n@c\nA\n+\nI",
                               &r),
                     ST_OK);
    assert_true(r.are_fastq);
    assert_int_equal(r.n, 3);
    assert_part(&r, r.at[0].qualities, r.at[0].len, "!~II");
    assert_int_equal(r.at[1].len, 0);
    assert_part(&r, r.at[2].qualities, r.at[2].len, "I");
    reads_free(&r);
}

/* The lines of records stay what they are behind sequences that were joined. */
static void messages_have_the_line_of_a_record(void **state)
{
    base_planes_t planes;
    reads_t r;

    (void)state;
    assert_int_equal(read_back(">a\r\nAC\r\nGT\r\n\r\nA\n>b\nAC\n>c d\nAXA\n", &r),
                     ST_OK);
    capture_start();
    assert_int_equal(reads_planes(&r, NULL, &planes), ST_EINPUT);
    capture_stop();
    assert_logged(":8: record 3 'c': base 2, byte 0x58 ('X') is not a nucleotide letter");
    reads_free(&r);
}

/* The planes of two files alternate. */
static void mates_become_planes_in_turn(void **state)
{
    base_planes_t planes;
    reads_t first, second;

    (void)state;
    assert_int_equal(read_back(">a/1\nAC\n>b/1\nG\n", &first), ST_OK);
    assert_int_equal(read_back(">a/2\nT\n>b/2\nAAA\n", &second), ST_OK);
    assert_int_equal(reads_check_mates(&first, &second), ST_OK);
    assert_int_equal(reads_planes(&first, &second, &planes), ST_OK);
    assert_int_equal(planes.n, 4);
    assert_int_equal(planes.len[0], 2);
    assert_int_equal(base_planes_code(&planes, 1, 0), 8);
    assert_int_equal(base_planes_code(&planes, 2, 0), 4);
    assert_int_equal(planes.len[3], 3);
    base_planes_free(&planes);
    reads_free(&first);
    reads_free(&second);
}

/* @return what the parts give in a file of this name; the caller frees it */
static char *write_parts(const reads_t *r, const char *name, const read_part_t *parts)
{
    reads_writer_t *w;
    char *text = calloc(1, 256);
    FILE *from;

    assert_non_null(text);
    snprintf(out, sizeof(out), "%s/%s", folder, name);
    assert_int_equal(reads_writer_open(out, true, r->are_fastq, NULL, &w), ST_OK);
    for (int64_t i = 0; i < r->n; i++)
        assert_int_equal(reads_writer_add(w, r, i, parts[i]), ST_OK);
    assert_int_equal(reads_writer_close(w, ST_OK, NULL, NULL), ST_OK);
    from = fopen(out, "r");
    assert_non_null(from);
    assert_true(fread(text, 1, 255, from) > 0);
    fclose(from);
    unlink(out);
    return text;
}

static void parts_are_written_in_both_directions(void **state)
{
    const read_part_t parts[] = {{1, 6, false}, {0, 5, true}};
    reads_t r;
    char *text;

    (void)state;
    assert_int_equal(read_back("@a x\nACGTUR\n+\n123456\n@b\nAcGNUR\n+\n123456\n", &r),
                     ST_OK);
    text = write_parts(&r, "x.fq", parts);
    assert_string_equal(text, "@a x\nCGTUR\n+\n23456\n@b\nANCgT\n+\n54321\n");
    free(text);
    text = write_parts(&r, "x.fasta", parts);
    assert_string_equal(text, ">a x\nCGTUR\n>b\nANCgT\n");
    free(text);
    reads_free(&r);
}

/* More than all blocks that are packed at a time. */
static void large_files_are_packed_block_by_block(void **state)
{
    enum { N = 30000, LEN = 100 };
    const read_part_t all = {0, LEN, false};
    reads_writer_t *w;
    reads_t r, again;

    (void)state;
    assert_int_equal(read_back(">r\nACGTACGTACACGTACGTACACGTACGTACACGTACGTACACGTACGTAC"
                               "ACGTACGTACACGTACGTACACGTACGTACACGTACGTACACGTACGTAC\n",
                               &r),
                     ST_OK);
    snprintf(out, sizeof(out), "%s/x.fa.gz", folder);
    assert_int_equal(reads_writer_open(out, true, false, NULL, &w), ST_OK);
    for (int i = 0; i < N; i++)
        assert_int_equal(reads_writer_add(w, &r, 0, all), ST_OK);
    assert_int_equal(reads_writer_close(w, ST_OK, NULL, NULL), ST_OK);
    assert_int_equal(reads_read(out, &again), ST_OK);
    assert_int_equal(again.n, N);
    for (int i = 0; i < N; i++)
        assert_memory_equal(reads_text(&again, again.at[i].bases),
                            reads_text(&r, r.at[0].bases), LEN);
    reads_free(&again);
    reads_free(&r);
    unlink(out);
}

static void names_tell_the_format(void **state)
{
    (void)state;
    assert_true(reads_write_is_fasta("a.fa") && reads_write_is_fasta("a.b.fasta.gz") &&
                reads_write_is_fasta("x/a.fna"));
    assert_false(reads_write_is_fasta("a.fq") || reads_write_is_fasta(".gz") ||
                 reads_write_is_fasta("fa"));
    assert_true(reads_write_is_fastq("a.fastq.gz") && reads_write_is_fastq("a.fq"));
    assert_true(reads_write_is_packed("a.gz"));
    assert_false(reads_write_is_packed("a.gzip"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequences_of_several_lines_are_joined),
        cmocka_unit_test(fastq_has_qualities),
        cmocka_unit_test(messages_have_the_line_of_a_record),
        cmocka_unit_test(mates_become_planes_in_turn),
        cmocka_unit_test(parts_are_written_in_both_directions),
        cmocka_unit_test(large_files_are_packed_block_by_block),
        cmocka_unit_test(names_tell_the_format),
    };
    int failed;

    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(path, sizeof(path), "%s/in", folder);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    rmdir(folder);
    return failed;
}
