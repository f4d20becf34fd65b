/*
 * test_export_lines.c - one pair, counted by hand, in each format with one line per pair.
 *
 *     query   --GCATGCATGA    10 bases
 *     target  ACGC---CATC-     8 bases
 *
 * 5 matches, 1 mismatch, gaps of 2, 3 and 1 bases, of which only the 3 is no end gap:
 * with free ends there are 9 columns, and the score is 5 * 4 - 5 - 3 * 7 = -6.
 */
#include "tests/support/unit_test.h"

#include "io/export/export_file.h"
#include "io/seq/alphabet.h"
#include "io/seq/cigar.h"

#include <stdlib.h>
#include <string.h>

#define RUN(len, op) ((uint32_t)(len) << 4 | (op))

static const uint32_t runs[] = {RUN(2, CIGAR_D),  RUN(2, CIGAR_EQ), RUN(3, CIGAR_I),
                                RUN(3, CIGAR_EQ), RUN(1, CIGAR_X),  RUN(1, CIGAR_I)};
enum { N_RUNS = sizeof(runs) / sizeof(runs[0]) };

static const export_names_t names = {.format = "test"};

static export_hit_t the_hit(pairs_hit_t *hit, int strand)
{
    *hit = (pairs_hit_t){
        .row = 0, .col = 1, .score = -6, .matches = 5, .columns = 9, .strand = strand};
    return (export_hit_t){.hit = hit,
                          .query = "q",
                          .target = "t",
                          .m = 10,
                          .n = 8,
                          .matches = 5,
                          .pairs = 6,
                          .inner = 9,
                          .columns = 12,
                          .counts = identity_def_count(runs, N_RUNS, 0),
                          .target_left = 2,
                          .query_right = 1,
                          .runs = runs,
                          .n_runs = N_RUNS,
                          .first_inner = 1,
                          .end_inner = N_RUNS - 1,
                          .query_first = 1,
                          .query_last = 10,
                          .target_first = 1,
                          .target_last = 8,
                          .evalue = -1};
}

/* `write` writes `want` for a hit. */
static void assert_hit(export_hit_fn_t write, void *state, const export_hit_t *h,
                       const char *want)
{
    char text[256] = "";
    FILE *out = fmemopen(text, sizeof(text), "w");

    assert_non_null(out);
    assert_int_equal(write(state, h, out), ST_OK);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, want);
}

/* `write` writes `want` for the pair on a strand. */
static void assert_writes(export_hit_fn_t write, void *state, int strand,
                          const char *want)
{
    pairs_hit_t hit;
    export_hit_t h = the_hit(&hit, strand);

    assert_hit(write, state, &h, want);
}

static void blast6_has_twelve_columns(void **state)
{
    export_lines_t lines = {.names = &names};

    (void)state;
    assert_writes(export_lines_blast6, &lines, 1,
                  "q\tt\t55.6\t9\t1\t1\t1\t10\t1\t8\t-1\t0\n");
    assert_writes(export_lines_blast6, &lines, -1,
                  "q\tt\t55.6\t9\t1\t1\t10\t1\t1\t8\t-1\t0\n");
}

/* The same columns as a local alignment of bases 1 to 9 and 3 to 8. */
static void blast6_has_the_positions_of_a_local_alignment(void **state)
{
    export_lines_t lines = {.names = &names};
    pairs_hit_t hit;
    export_hit_t h = the_hit(&hit, -1);

    (void)state;
    h.query_last = 9;
    h.target_first = 3;
    assert_hit(export_lines_blast6, &lines, &h,
               "q\tt\t55.6\t9\t1\t1\t10\t2\t3\t8\t-1\t0\n");
}

static void uc_has_the_cigar_of_vsearch_in_which_d_is_a_base_of_the_query(void **state)
{
    export_lines_t lines = {.names = &names};

    (void)state;
    assert_writes(export_lines_uc, &lines, 1,
                  "H\t1\t10\t55.6\t+\t0\t0\t2I2M3D4MD\tq\tt\n");
    assert_int_equal(lines.next_row, 1);
    lines.next_row = 0;
    assert_writes(export_lines_uc, &lines, -1,
                  "H\t1\t10\t55.6\t-\t0\t0\t2I2M3D4MD\tq\tt\n");
}

/* 4 / 9 is 0.444444444... */
static void column_has_distances_of_8_digits(void **state)
{
    export_lines_t lines = {.names = &names};

    (void)state;
    assert_writes(export_lines_column, &lines, 1, "q\tt\t0.44444444\n");
}

/* The last base of the query is in an end gap; it is the first one of its reverse
 * complement. */
static void paf_counts_positions_on_the_query_as_it_is_in_its_file(void **state)
{
    export_lines_t lines = {.names = &names};

    (void)state;
    assert_writes(export_lines_paf, &lines, 1,
                  "q\t10\t0\t9\t+\tt\t8\t2\t8\t5\t9\t255\tNM:i:4\tAS:i:-6\t"
                  "cg:Z:2=3I3=1X\n");
    assert_writes(export_lines_paf, &lines, -1,
                  "q\t10\t1\t10\t-\tt\t8\t2\t8\t5\t9\t255\tNM:i:4\tAS:i:-6\t"
                  "cg:Z:2=3I3=1X\n");
}

static void add_sequence(seqset_builder_t *b, const char *name, const char *letters)
{
    uint8_t codes[16];
    size_t n = strlen(letters);

    for (size_t i = 0; i < n; i++)
        codes[i] = alphabet_code(ALPHABET_DNA, (unsigned char)letters[i]);
    assert_int_equal(seqset_builder_add(b, name, strlen(name), codes, n), ST_OK);
}

static void assert_fields(const char *query, int strand, const char *text,
                          const char *want)
{
    seqset_builder_t b = {0};
    seqset_t *set = NULL;
    export_fields_t fields;
    export_userout_t userout = {.fields = &fields, .names = &names};
    const char *bad;
    int bad_len;

    add_sequence(&b, "q", query);
    add_sequence(&b, "t", "ACGCCATC");
    assert_int_equal(seqset_builder_finish(&b, &set), ST_OK);
    userout.set = set;
    assert_true(export_userout_parse(text, &fields, &bad, &bad_len));
    assert_writes(export_userout_write, &userout, strand, want);
    seqset_destroy(set);
}

/* id0 5/8, id1 5/12, id2 5/9, id3 (10 - 1 - 3)/10; coverages 6/10 and 6/8. */
static void userout_has_the_fields_of_vsearch(void **state)
{
    (void)state;
    assert_fields("GCATGCATGA", 1, export_userout_default,
                  "q\tt\t55.6\t9\t1\t1\t1\t10\t1\t8\t-1\t0\n");
    assert_fields("GCATGCATGA", 1, "id+id0+id1+id2+id3+id4",
                  "55.6\t62.5\t41.7\t55.6\t60.0\t41.7\n");
    assert_fields("GCATGCATGA", 1, "alnlen+ids+pv+mism+opens+exts+gaps+pairs",
                  "9\t5\t5\t1\t1\t2\t3\t6\n");
    assert_fields("GCATGCATGA", 1, "pctgaps+pctpv+qcov+tcov", "33.3\t55.6\t60.0\t75.0\n");
    assert_fields("GCATGCATGA", 1, "ql+tl+qs+ts+qlo+qhi+tlo+thi+qilo+qihi+tilo+tihi",
                  "10\t8\t10\t8\t1\t10\t1\t8\t1\t9\t3\t8\n");
    assert_fields("GCATGCATGA", 1, "qstrand+tstrand+qframe+tframe+raw+bits+evalue",
                  "+\t+\t+0\t+0\t-6\t0\t-1\n");
    assert_fields("GCATGCATGA", 1, "caln+aln+qrow+trow",
                  "2I2M3D4MD\tIIMMDDDMMMMD\tGCATGCATG\tGC---CATC\n");
}

/* The reverse complement of TCATGCATGC is GCATGCATGA; RYKMSWN's is NWSKMRY. */
static void a_reverse_complemented_query_is_written_as_it_was_aligned(void **state)
{
    (void)state;
    assert_fields("TCATGCATGC", -1, "query+qstrand+tstrand+qlo+qhi+qilo+qihi+qrow",
                  "q\t-\t+\t10\t1\t1\t9\tGCATGCATG\n");
    assert_fields("ARYKMSWNAA", -1, "qrow", "TTNWSKMRY\n");
}

static void assert_no_fields(const char *text, const char *want)
{
    export_fields_t fields;
    const char *bad = NULL;
    int bad_len = 0;

    assert_false(export_userout_parse(text, &fields, &bad, &bad_len));
    assert_int_equal(bad_len, strlen(want));
    assert_memory_equal(bad, want, strlen(want));
}

static void an_unknown_field_is_named(void **state)
{
    char many[3 * (EXPORT_USEROUT_MAX + 1) + 1] = "id";

    (void)state;
    assert_no_fields("query+targets+id", "targets");
    assert_no_fields("id5", "id5");
    assert_no_fields("", "");
    assert_no_fields("id+", "");
    assert_no_fields("ID", "ID");
    for (int i = 0; i < EXPORT_USEROUT_MAX; i++)
        strcat(many, "+ql");
    assert_no_fields(many, "ql"); /* one too many */
}

static void fields_declare_the_facts_that_they_need(void **state)
{
    export_fields_t fields;
    const char *bad;
    int bad_len;

    (void)state;
    assert_true(export_userout_parse("raw+id+mism+opens", &fields, &bad, &bad_len));
    assert_int_equal(export_userout_facts(&fields),
                     EXPORT_IDENTITY | EXPORT_MATCHES | EXPORT_PAIRS | EXPORT_CIGAR);
    assert_string_equal(export_userout_lacking(&fields, 0), "id");
    assert_string_equal(export_userout_lacking(&fields, EXPORT_IDENTITY), "mism");
    assert_string_equal(export_userout_lacking(&fields, EXPORT_IDENTITY | EXPORT_MATCHES |
                                                            EXPORT_PAIRS),
                        "opens");
    assert_null(export_userout_lacking(&fields, ~0U));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blast6_has_twelve_columns),
        cmocka_unit_test(blast6_has_the_positions_of_a_local_alignment),
        cmocka_unit_test(uc_has_the_cigar_of_vsearch_in_which_d_is_a_base_of_the_query),
        cmocka_unit_test(column_has_distances_of_8_digits),
        cmocka_unit_test(paf_counts_positions_on_the_query_as_it_is_in_its_file),
        cmocka_unit_test(userout_has_the_fields_of_vsearch),
        cmocka_unit_test(a_reverse_complemented_query_is_written_as_it_was_aligned),
        cmocka_unit_test(an_unknown_field_is_named),
        cmocka_unit_test(fields_declare_the_facts_that_they_need),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
