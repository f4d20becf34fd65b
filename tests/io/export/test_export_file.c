/*
 * test_export_file.c - exports of whole files: matrices across tiles and strips, names
 * that must be escaped, and what is refused.
 */
#include "tests/support/unit_test.h"

#include "io/export/export_file.h"
#include "tests/io/pairs/pairs_fixture.h"

#include <math.h>

/* Export the result file. @return the bytes, owned by the caller */
static char *exported(const export_spec_t *spec, size_t *len)
{
    pairs_file_t *file = open_result();
    export_file_t *export = NULL;
    FILE *to = tmpfile();
    char *text;

    assert_non_null(to);
    assert_int_equal(export_file_create(file, spec, &export), ST_OK);
    assert_int_equal(export_file_write(export, to), ST_OK);
    *len = (size_t)ftell(to);
    text = malloc(*len + 1);
    assert_non_null(text);
    rewind(to);
    assert_int_equal(fread(text, 1, *len, to), *len);
    text[*len] = '\0';
    fclose(to);
    export_file_destroy(export);
    pairs_close(file);
    return text;
}

static export_spec_t spec_of(export_format_t format, const char *fields)
{
    export_spec_t spec = {.format = format};
    const char *bad;
    int bad_len;

    assert_true(export_userout_parse(fields, &spec.fields, &bad, &bad_len));
    return spec;
}

static void assert_exports(const export_spec_t *spec, const char *want)
{
    size_t len;
    char *text = exported(spec, &len);

    assert_string_equal(text, want);
    free(text);
}

/* The export fails with one line that contains `want`, at once or while writing. */
static void assert_refused(const export_spec_t *spec, const char *want)
{
    pairs_file_t *file = open_result();
    export_file_t *export = NULL;
    FILE *to = tmpfile();
    status_t st;

    assert_non_null(to);
    capture_start();
    st = export_file_create(file, spec, &export);
    if (st == ST_OK)
        st = export_file_write(export, to);
    capture_stop();
    assert_int_equal(st, ST_EINPUT);
    assert_logged_one_line();
    assert_logged(want);
    fclose(to);
    export_file_destroy(export);
    pairs_close(file);
}

/* The identity of any two sequences of a numbered set. */
static double identity_of(int64_t i, int64_t j)
{
    int64_t row = i < j ? i : j, col = i < j ? j : i;

    return i == j ? 1.0
                  : (double)value_of(PAIRS_MATCHES, row, col) /
                        value_of(PAIRS_COLUMNS, row, col);
}

static void assert_distances(const char *text, int64_t n, bool lower)
{
    char *end;

    assert_int_equal(strtoll(text, &end, 10), n);
    text = end + 1;
    for (int64_t i = 0; i < n; i++) {
        char name[32];
        size_t len = (size_t)snprintf(name, sizeof(name), "s%d", (int)i);

        assert_memory_equal(text, name, len);
        text += len;
        for (int64_t j = 0; j < (lower ? i : n); j++) {
            assert_int_equal(*text, '\t');
            assert_true(fabs(strtod(text, &end) - (1 - identity_of(i, j))) < 5.1e-9);
            text = end;
        }
        assert_int_equal(*text++, '\n');
    }
    assert_int_equal(*text, '\0');
}

/* 11 sequences have tiles of 4: strips of 4, 2 and 1 rows; the last tile is cut off. */
static void a_matrix_has_every_pair_twice_for_any_height_of_strips(void **state)
{
    static const int64_t strip_bytes[] = {0, 2 * 11 * 8, 11 * 8, 1};

    (void)state;
    write_result(11, PAIRS_N_IDENTITY);
    for (int i = 0; i < 4; i++)
        for (int lower = 0; lower < 2; lower++) {
            export_spec_t spec = {.format = EXPORT_PHYLIP,
                                  .lower = lower,
                                  .strip_bytes = strip_bytes[i]};
            size_t len;
            char *text = exported(&spec, &len);

            assert_distances(text, 11, lower);
            free(text);
        }
}

/* The header has 128 bytes, of which 10 come before the text. */
static void npy_is_the_numpy_format_1_0(void **state)
{
    (void)state;
    write_result(11, PAIRS_N_IDENTITY);
    for (int64_t strip = 0; strip < 300; strip += 100) {
        export_spec_t spec = {.format = EXPORT_NPY, .strip_bytes = strip};
        size_t len;
        char *bytes = exported(&spec, &len);

        assert_int_equal(len, 128 + 11 * 11 * 4);
        assert_memory_equal(bytes, "\x93NUMPY\x01\x00\x76\x00{'descr': '", 21);
        assert_non_null(strstr(bytes + 21, "f4', 'fortran_order': False, 'shape': "
                                           "(11, 11), }"));
        assert_int_equal(bytes[127], '\n');
        for (int64_t i = 0; i < 11; i++)
            for (int64_t j = 0; j < 11; j++) {
                float value;

                memcpy(&value, bytes + 128 + 4 * (11 * i + j), sizeof(value));
                assert_true(value == (float)identity_of(i, j));
            }
        free(bytes);
    }
}

static void matrices_of_0_and_1_sequences_can_be_exported(void **state)
{
    export_spec_t phylip = {.format = EXPORT_PHYLIP}, npy = {.format = EXPORT_NPY};
    size_t len;

    (void)state;
    write_result(0, PAIRS_N_IDENTITY);
    assert_exports(&phylip, "0\n");
    free(exported(&npy, &len));
    assert_int_equal(len, 128);
    results_forget(state);
    write_result(1, PAIRS_N_IDENTITY);
    assert_exports(&phylip, "1\ns0\t0.00000000\n");
    free(exported(&npy, &len));
    assert_int_equal(len, 132);
}

/* Pair 0, 1 has 2 matches in 7001 columns; 0, 2: 3 in 7002; 1, 2: 103 in 7102. */
static void column_has_one_line_per_pair_at_or_above_the_identity(void **state)
{
    export_spec_t spec = {.format = EXPORT_COLUMN};

    (void)state;
    write_result(3, PAIRS_N_IDENTITY);
    assert_exports(&spec, "s0\ts1\t0.99971433\ns0\ts2\t0.99957155\ns1\ts2\t0.98549704\n");
    spec.pick.id = (fraction_t){103, 7102};
    assert_exports(&spec, "s1\ts2\t0.98549704\n");
    spec.pick.id = (fraction_t){104, 7102};
    assert_exports(&spec, "");
}

static void a_file_of_scores_exports_only_fields_without_identities(void **state)
{
    export_spec_t spec = spec_of(EXPORT_USEROUT, "query+target+raw+ql+tl+evalue");

    (void)state;
    write_result(3, PAIRS_N_SCORE);
    assert_exports(&spec, "s0\ts1\t-999999\t4000\t4001\t-1\n"
                          "s0\ts2\t-999998\t4000\t4002\t-1\n"
                          "s1\ts2\t-999898\t4001\t4002\t-1\n");
    spec = spec_of(EXPORT_USEROUT, "query+id");
    assert_refused(&spec, "userout's field id needs identities, but the file holds "
                          "only scores; align with --emit identity");
    for (int f = 0; f < EXPORT_FORMATS; f++)
        if (f != EXPORT_USEROUT) {
            spec = (export_spec_t){.format = (export_format_t)f};
            assert_refused(&spec, "holds only scores; align with --emit identity");
        }
}

/* The job of these files has no match and mismatch, so mismatches are unknown too. */
static void fields_that_need_alignments_are_refused_without_cigars(void **state)
{
    static const char *const fields[] = {"mism", "pairs", "opens", "gaps", "id1", "qrow"};
    export_spec_t spec = {.format = EXPORT_BLAST6};

    (void)state;
    write_result(3, PAIRS_N_IDENTITY);
    assert_refused(&spec, "blast6 needs alignments, but the file holds none; align with "
                          "--emit cigar");
    spec.format = EXPORT_PAF;
    assert_refused(&spec, "paf needs alignments");
    spec.format = EXPORT_UC;
    assert_refused(&spec, "uc needs alignments");
    for (int i = 0; i < 6; i++) {
        spec = spec_of(EXPORT_USEROUT, fields[i]);
        assert_refused(&spec, fields[i]);
        assert_logged("; align with --emit cigar");
    }
}

static void a_cigar_that_does_not_match_its_sequences_is_refused(void **state)
{
    export_spec_t spec = {.format = EXPORT_BLAST6};
    seqset_t *set = numbered_set_of(3, BASES + 1);

    (void)state;
    write_set(set, PAIRS_N_CIGAR);
    seqset_destroy(set);
    assert_refused(&spec,
                   "pair 1, 2 (s0, s1) has a CIGAR that does not fit its sequences");
}

static void write_named(const char *const *names, int64_t n)
{
    uint8_t letters[BASES];
    seqset_builder_t b = {0};
    seqset_t *set = NULL;

    memset(letters, 1, sizeof(letters));
    for (int64_t i = 0; i < n; i++)
        assert_int_equal(seqset_builder_add(&b, names[i], strlen(names[i]), letters,
                                            sizeof(letters)),
                         ST_OK);
    assert_int_equal(seqset_builder_finish(&b, &set), ST_OK);
    write_set(set, PAIRS_N_IDENTITY);
    seqset_destroy(set);
}

static void forbidden_characters_are_escaped_with_one_warning(void **state)
{
    static const char *const names[] = {"a b", "ac", "d e"};
    export_spec_t spec = spec_of(EXPORT_USEROUT, "query+target");
    pairs_file_t *file;
    export_file_t *export = NULL;

    (void)state;
    write_named(names, 3);
    assert_exports(&spec, "a b\tac\na b\td e\nac\td e\n");
    spec.format = EXPORT_COLUMN;
    assert_exports(&spec, "a_b\tac\t0.99971433\na_b\td_e\t0.99957155\n"
                          "ac\td_e\t0.98549704\n");
    file = open_result();
    log_set_level(LOG_NORMAL);
    capture_start();
    assert_int_equal(export_file_create(file, &spec, &export), ST_OK);
    capture_stop();
    log_set_level(LOG_QUIET);
    assert_logged_one_line();
    assert_logged(": 2 names contain characters that column does not allow");
    export_file_destroy(export);
    pairs_close(file);
}

static void names_that_become_equal_are_refused_if_names_identify_sequences(void **state)
{
    static const char *const names[] = {"x", "a b", "y", "a_b"};
    export_spec_t spec = {.format = EXPORT_COLUMN};

    (void)state;
    write_named(names, 4);
    assert_refused(&spec,
                   "sequences 2 and 4 ('a b', 'a_b') would have the same name in column, "
                   "whose readers identify them by name; rename one");
    spec.format = EXPORT_PHYLIP;
    assert_refused(&spec, "would have the same name in phylip");
    spec = spec_of(EXPORT_USEROUT, "query");
    assert_exports(&spec, "x\nx\nx\na b\na b\ny\n");
}

static void names_with_a_common_start_are_different(void **state)
{
    static const char *const names[] = {"ab_", "ab", "a", "ab__", "ab\x01x"};
    export_spec_t spec = {.format = EXPORT_PHYLIP, .lower = true};

    (void)state;
    write_named(names, 3);
    assert_exports(&spec, "3\nab_\nab\t0.99971433\na\t0.99957155\t0.98549704\n");
    results_forget(state);
    write_named(names, 5);
    free(exported(&spec, &(size_t){0}));
}

static void an_empty_name_is_refused_if_blanks_end_names(void **state)
{
    static const char *const names[] = {"x", ""};
    export_spec_t spec = {.format = EXPORT_COLUMN};

    (void)state;
    write_named(names, 2);
    assert_refused(&spec, "sequence 2 has an empty name, which column does not allow");
}

#define TEST(name) cmocka_unit_test_teardown(name, results_forget)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_matrix_has_every_pair_twice_for_any_height_of_strips),
        TEST(npy_is_the_numpy_format_1_0),
        TEST(matrices_of_0_and_1_sequences_can_be_exported),
        TEST(column_has_one_line_per_pair_at_or_above_the_identity),
        TEST(a_file_of_scores_exports_only_fields_without_identities),
        TEST(fields_that_need_alignments_are_refused_without_cigars),
        TEST(a_cigar_that_does_not_match_its_sequences_is_refused),
        TEST(forbidden_characters_are_escaped_with_one_warning),
        TEST(names_that_become_equal_are_refused_if_names_identify_sequences),
        TEST(names_with_a_common_start_are_different),
        TEST(an_empty_name_is_refused_if_blanks_end_names),
    };

    return cmocka_run_group_tests(tests, results_make, dir_remove);
}
