/*
 * test_fasta_real.c - fasta_read with real files from the folder RIBOGRID_DATA.
 *
 * fasta/ has malformed and unusual files from the tests of other programs, 16s/ has sets
 * of 16S rRNA genes.
 */
#include "tests/support/unit_test.h"

#include "tests/io/seq/fasta_outcome.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const fasta_opts_t plain = {0};
static const fasta_opts_t skip_bad = {.skip_bad = true};
static const fasta_opts_t degap = {.degap = true};

/* Read a file of the data folder; skip the test if it does not exist. */
static void read_data(const char *name, fasta_opts_t opts)
{
    const char *dir = getenv("RIBOGRID_DATA");
    char path[PATH_BYTES];

    snprintf(path, sizeof(path), "%s/%s", dir != NULL ? dir : "", name);
    if (dir == NULL || access(path, R_OK) != 0) {
        print_message("RIBOGRID_DATA/%s does not exist: skipped\n", name);
        skip();
    }
    read_path(path, opts);
}

static void every_unusual_file_is_read_or_refused(void **state)
{
    char dir_path[PATH_BYTES / 2], path[PATH_BYTES];
    struct dirent *entry;
    struct stat info;
    int n = 0;
    DIR *dir;

    (void)state;
    snprintf(dir_path, sizeof(dir_path), "%s/fasta",
             getenv("RIBOGRID_DATA") != NULL ? getenv("RIBOGRID_DATA") : "");
    if ((dir = opendir(dir_path)) == NULL) {
        print_message("RIBOGRID_DATA/fasta does not exist: skipped\n");
        skip();
    }
    while ((entry = readdir(dir)) != NULL) {
        snprintf(path, sizeof(path), "%s/%s", dir_path, entry->d_name);
        if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
            continue;
        n++;
        for (int o = 0; o < 4; o++) {
            read_path(path, (fasta_opts_t){.skip_bad = o & 1, .degap = o & 2});
            if (got.st != ST_OK && got.st != ST_EINPUT)
                fail_msg("%s: status %d", path, got.st);
        }
    }
    closedir(dir);
    assert_true(n > 0);
}

static void real_files_have_the_known_records(void **state)
{
    (void)state;
    read_data("fasta/empty", plain);
    assert_int_equal(got.set->n, 0);
    read_data("fasta/whitespace_only", plain);
    assert_int_equal(got.set->n, 0);
    read_data("fasta/fasta_10_seqs", plain);
    assert_int_equal(got.set->n, 10);
    assert_int_equal(got.report.n_same_name, 9);
    assert_record(9, "seq1", "ACGT");
    read_data("fasta/fasta_single_rna_seq_non_defaults", plain);
    assert_record(0, "f-o-o", "TACG");
    read_data("fasta/fasta_invalid_blank_line_within_sequence", plain);
    assert_record(1, "seq2", "AAAAA");
    read_data("fasta/fasta_max_width_1", degap);
    assert_record(0, "seq1", "ACGTACGT");
    read_data("fasta/mature.fa.gz", plain);
    assert_int_equal(got.set->n, 35828);
    assert_record(0, "cel-let-7-5p", "TGAGGTAGTAGGTTGTATAGTT");
    read_data("fasta/SIRV_150601a.fasta", plain);
    assert_int_equal(got.set->n, 7);
    assert_int_equal(got.set->offset[7], 223019);
}

static void invalid_real_files_are_refused(void **state)
{
    (void)state;
    read_data("fasta/titin.fas", plain);
    assert_refused(
        ":2: record 1 'sp|Q9I7U4|TITIN_DROME': 'Q' is not a nucleotide letter and "
        "the record looks like protein");
    read_data("fasta/empty_id_and_seq.fa", plain);
    assert_refused(":3: record 2 's2' has no bases");
    read_data("fasta/empty_id_and_seq.fa", skip_bad);
    assert_int_equal(got.set->n, 6); /* s1 s3 s5 s7 s10 s11 */
    assert_int_equal(got.report.n_bad, 5);
    assert_record(5, "s11", "C");
    read_data("fasta/fasta_single_seq", plain);
    assert_refused("--degap");
    read_data("fasta/fasta_invalid_legacy_format", plain);
    assert_refused("old-style comment");
    read_data("fasta/fasta_invalid_missing_header", plain);
    assert_refused(":1: text before the first header");
    read_data("fasta/fasta_invalid_after_10_seqs", plain);
    assert_refused("record 11 'seq1' has no bases");
}

/* The counts come from a script that shares no code with the parser. */
static void the_rdp_training_set_has_one_invalid_record(void **state)
{
    (void)state;
    read_data("16s/rdp_trainset18.fasta.gz", plain);
    assert_refused(
        ":25718: record 12859 'U14920': 'l' is not a nucleotide letter; correct it");
    read_data("16s/rdp_trainset18.fasta.gz", skip_bad);
    assert_int_equal(got.st, ST_OK);
    assert_int_equal(got.set->n, 21194);
    assert_int_equal(got.set->offset[21194], 30741655);
    assert_int_equal(got.report.n_bad, 1);
    assert_int_equal(got.report.n_same_name, 0);
    assert_logged(": 1 of 21195 records dropped, the first in line 25718: record 12859 "
                  "'U14920'");
    read_data("16s/mock-12.fasta", plain);
    assert_int_equal(got.set->n, 61);
    assert_int_equal(got.report.n_same_name, 50);
}

#define TEST(f) cmocka_unit_test_teardown(f, release)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_unusual_file_is_read_or_refused),
        TEST(real_files_have_the_known_records),
        TEST(invalid_real_files_are_refused),
        TEST(the_rdp_training_set_has_one_invalid_record),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
