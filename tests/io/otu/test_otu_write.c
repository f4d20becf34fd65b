/*
 * test_otu_write.c - the text files hold the table; names that do not fit a format are
 * escaped, with one warning.
 */
#include "tests/support/unit_test.h"

#include <stdio.h>

#include "io/base/logmsg.h"
#include "io/otu/biom_write.h"
#include "io/otu/otu_write.h"
#include "tests/io/otu/otu_case.h"
#include "tests/support/captured_log.h"

typedef enum { TSV, FASTA, SIZED_FASTA, LIST, MAP, SHARED, CONSTAXONOMY, JSON } kind_t;

static char text[4096];

static const pairs_members_t *members; /* for LIST and MAP */
static const otu_taxa_t *taxa;         /* for TSV, CONSTAXONOMY and JSON */
static fraction_t id = {97, 100};

/* Write one file into `text`, messages into `logged`. */
static void write_as(kind_t kind, const otu_table_t *t)
{
    FILE *file = fmemopen(text, sizeof(text), "w");
    seqset_t *set = otu_case_set();

    assert_non_null(file);
    capture_start();
    if (kind == TSV)
        otu_write_tsv(file, t, taxa);
    else if (kind == FASTA)
        otu_write_fasta(file, t, set, false);
    else if (kind == SIZED_FASTA)
        otu_write_fasta(file, t, set, true);
    else if (kind == MAP)
        otu_write_map(file, t, members);
    else if (kind == SHARED)
        assert_int_equal(otu_write_shared(file, t, &id), ST_OK);
    else if (kind == CONSTAXONOMY)
        otu_write_constaxonomy(file, t, taxa);
    else if (kind == JSON)
        biom_json_write(file, t, taxa, "a \"b\"");
    else
        assert_int_equal(otu_write_list(file, &(otu_list_row_t){t, id}, 1, members),
                         ST_OK);
    assert_int_equal(fclose(file), 0);
    capture_stop();
    seqset_destroy(set);
}

static void a_table_has_one_line_per_otu_and_one_column_per_sample(void **state)
{
    otu_table_t *t = otu_case_table(true, 1);

    (void)state;
    write_as(TSV, t);
    assert_string_equal(text, "#OTU ID\tsoil\tdeep_sea\n"
                              "Otu1\t6\t12\n"
                              "Otu2\t1\t4\n"
                              "Otu3\t1\t2\n");
    assert_logged_one_line();
    assert_logged("1 sample names contain a tab");
    otu_table_destroy(t);
}

/* Sequence 2 is only in the second sample. */
static void an_absent_count_is_written_as_zero(void **state)
{
    const int32_t label[] = {0, 1, 2, 3, 4, 5};
    pairs_samples_t samples = otu_case_samples();
    otu_table_t *t = NULL;

    (void)state;
    assert_int_equal(otu_table_create(6, label, otu_case_size, &samples, 4, &t), ST_OK);
    write_as(TSV, t);
    assert_non_null(strstr(text, "\nOtu3\t0\t4\n"));
    otu_table_destroy(t);
}

static void representatives_are_written_with_their_names(void **state)
{
    otu_table_t *t = otu_case_table(false, 1);

    (void)state;
    write_as(FASTA, t);
    assert_string_equal(text, ">Otu1 s1\nAA\n"
                              ">Otu2 s2\nAAA\n"
                              ">Otu3 s3\nAAAA\n");
    assert_logged_nothing();
    otu_table_destroy(t);
}

static void representatives_are_written_with_sizes_on_request(void **state)
{
    otu_table_t *t = otu_case_table(false, 1);

    (void)state;
    write_as(SIZED_FASTA, t);
    assert_string_equal(text, ">Otu1;size=18 s1\nAA\n"
                              ">Otu2;size=5 s2\nAAA\n"
                              ">Otu3;size=3 s3\nAAAA\n");
    assert_logged_nothing();
    otu_table_destroy(t);
}

static pairs_members_t members_of(char **names, int32_t *sequences, int64_t n)
{
    return (pairs_members_t){.n = n, .name = names, .sequence = sequences};
}

#define NAME(text) ((char *)(uintptr_t)(text))

/* Sequence 2 stands for three records, listed in the order of the input. */
static void a_list_names_every_record(void **state)
{
    char *names[] = {NAME("a"), NAME("b"), NAME("c"), NAME("d"),
                     NAME("e"), NAME("f"), NAME("g"), NAME("h")};
    int32_t sequences[] = {2, 0, 1, 2, 3, 4, 2, 5};
    pairs_members_t m = members_of(names, sequences, 8);
    otu_table_t *t = otu_case_table(false, 1);

    (void)state;
    members = &m;
    write_as(LIST, t);
    assert_string_equal(text, "label\tnumOtus\tOtu1\tOtu2\tOtu3\n"
                              "0.03\t3\tc,f\tb,a,d,g\te,h\n");
    assert_logged_nothing();
    otu_table_destroy(t);
}

/* At an identity of 1 all six sequences are alone; headings are of that line. */
static void several_clusterings_are_lines_of_one_list(void **state)
{
    const int32_t alone[] = {0, 1, 2, 3, 4, 5};
    char *names[] = {NAME("a,1"), NAME("b"), NAME("c"), NAME("d"), NAME("e"), NAME("f")};
    int32_t sequences[] = {0, 1, 2, 3, 4, 5};
    pairs_members_t m = members_of(names, sequences, 6);
    pairs_samples_t no_samples = {0};
    otu_table_t *t = NULL, *three = otu_case_table(false, 1);
    FILE *file = fmemopen(text, sizeof(text), "w");

    (void)state;
    assert_int_equal(otu_table_create(6, alone, otu_case_size, &no_samples, 1, &t),
                     ST_OK);
    capture_start();
    assert_int_equal(otu_write_list(file, (otu_list_row_t[]){{three, id}, {t, {1, 1}}}, 2,
                                    &m),
                     ST_OK);
    assert_int_equal(fclose(file), 0);
    capture_stop();
    assert_string_equal(text, "label\tnumOtus\tOtu1\tOtu2\tOtu3\tOtu4\tOtu5\tOtu6\n"
                              "0.03\t3\tb,e\ta_1,c\td,f\n"
                              "0.00\t6\tb\te\tc\td\ta_1\tf\n");
    assert_logged_one_line();
    assert_logged("1 names contain a comma");
    otu_table_destroy(t);
    otu_table_destroy(three);
}

/* Sequences 0 and 2 are A, of which 5 remain; sequences 3 and 5 are left out. */
static void a_map_names_the_otu_of_each_record_that_has_one(void **state)
{
    char *names[] = {NAME("a\tb"), NAME("c"), NAME("d"), NAME("e")};
    int32_t sequences[] = {2, 3, 1, 0};
    pairs_members_t m = members_of(names, sequences, 4);
    otu_table_t *t = otu_case_table(false, 5);

    (void)state;
    members = &m;
    write_as(MAP, t);
    assert_string_equal(text, "a_b\tOtu2\nd\tOtu1\ne\tOtu2\n");
    assert_logged_one_line();
    assert_logged("1 names contain a tab");
    otu_table_destroy(t);
}

static void mothurs_table_has_one_line_per_sample(void **state)
{
    otu_table_t *t = otu_case_table(true, 1);

    (void)state;
    write_as(SHARED, t);
    assert_string_equal(text, "label\tGroup\tnumOtus\tOtu1\tOtu2\tOtu3\n"
                              "0.03\tsoil\t3\t6\t1\t1\n"
                              "0.03\tdeep_sea\t3\t12\t4\t2\n");
    assert_logged_one_line();
    assert_logged("1 sample names contain blanks");
    otu_table_destroy(t);
}

static void json_escapes_names_and_lists_the_counts(void **state)
{
    otu_table_t *t = otu_case_table(true, 5);

    (void)state;
    write_as(JSON, t);
    assert_non_null(strstr(text, "\"generated_by\": \"a \\u0022b\\u0022\",\n"));
    assert_non_null(strstr(text, "\"shape\": [2, 2],\n\"rows\": [\n"
                                 "{\"id\": \"Otu1\", \"metadata\": null},\n"
                                 "{\"id\": \"Otu2\", \"metadata\": null}],\n"
                                 "\"columns\": [\n"
                                 "{\"id\": \"soil\", \"metadata\": null},\n"
                                 "{\"id\": \"deep\\u0009sea\", \"metadata\": null}],\n"
                                 "\"data\": [\n"
                                 "[0, 0, 6],\n[0, 1, 12],\n[1, 0, 1],\n[1, 1, 4]]}\n"));
    assert_logged_nothing();
    otu_table_destroy(t);
}

/* Otu2 has no lineage below its domain. */
static void lineages_are_added_to_tables(void **state)
{
    static const char lineages[] = "a\tBacteria;A \"b\"\nb\tArchaea\n";
    otu_table_t *t = otu_case_table(false, 5);
    int32_t taxon[2];
    otu_taxa_t some = {.taxon = taxon, .n = 2, .n_ranks = 2};
    taxonomy_t *taxonomy = NULL;
    char path[PATH_BYTES];

    (void)state;
    dir_file("taxa.tsv", path);
    dir_put(path, lineages, sizeof(lineages) - 1);
    assert_int_equal(taxonomy_read(path, &taxonomy), ST_OK);
    unlink(path);
    some.taxonomy = taxonomy;
    taxon[0] = taxonomy_find(taxonomy, "a");
    taxon[1] = taxonomy_find(taxonomy, "b");
    taxa = &some;
    write_as(TSV, t);
    assert_string_equal(text, "#OTU ID\tall\ttaxonomy\nOtu1\t18\tBacteria; A \"b\"\n"
                              "Otu2\t5\tArchaea\n");
    write_as(CONSTAXONOMY, t);
    assert_string_equal(text, "OTU\tSize\tTaxonomy\nOtu1\t18\tBacteria;A_\"b\";\n"
                              "Otu2\t5\tArchaea;\n");
    write_as(JSON, t);
    assert_non_null(
        strstr(text, "{\"id\": \"Otu1\", \"metadata\": {\"taxonomy\": [\"Bacteria\", "
                     "\"A \\u0022b\\u0022\"]}},\n{\"id\": \"Otu2\", \"metadata\": "
                     "{\"taxonomy\": [\"Archaea\"]}}],\n\"columns\""));
    taxa = NULL;
    taxonomy_destroy(taxonomy);
    otu_table_destroy(t);
}

static void commas_and_blanks_are_escaped_with_one_warning(void **state)
{
    char *names[] = {NAME("a,1"), NAME("b 2"), NAME("c\t3"),
                     NAME("d"),   NAME("e"),   NAME("f")};
    int32_t sequences[] = {0, 1, 2, 3, 4, 5};
    pairs_members_t m = members_of(names, sequences, 6);
    otu_table_t *t = otu_case_table(false, 1);

    (void)state;
    members = &m;
    write_as(LIST, t);
    assert_non_null(strstr(text, "\tb_2,e\ta_1,c_3\td,f\n"));
    assert_logged_one_line();
    assert_logged("3 names contain a comma or a blank");
    otu_table_destroy(t);
}

static void repeated_names_give_one_warning(void **state)
{
    char *names[] = {NAME("x"), NAME("y"), NAME("x"), NAME("y"), NAME("x"), NAME("z")};
    int32_t sequences[] = {0, 1, 2, 3, 4, 5};
    pairs_members_t m = members_of(names, sequences, 6);
    otu_table_t *t = otu_case_table(false, 1);

    (void)state;
    members = &m;
    write_as(LIST, t);
    assert_logged_one_line();
    assert_logged("3 records have the same name as an earlier one (for example x)");
    otu_table_destroy(t);
}

static void the_label_is_1_minus_id_as_a_decimal(void **state)
{
    static const struct {
        fraction_t id;
        const char *label;
    } cases[] = {{{97, 100}, "0.03\t"}, {{1, 1}, "0.00\t"},
                 {{9, 10}, "0.10\t"},   {{987, 1000}, "0.013\t"},
                 {{1, 2}, "0.50\t"},    {{999999999, 1000000000}, "0.000000001\t"},
                 {{0, 1}, "1.00\t"}};
    char *names[] = {NAME("a")};
    int32_t sequences[] = {0};
    pairs_members_t m = members_of(names, sequences, 1);
    otu_table_t *t = otu_case_table(false, 1);

    (void)state;
    members = &m;
    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
        const char *line;

        id = cases[k].id;
        write_as(LIST, t);
        line = strchr(text, '\n');
        assert_non_null(line);
        assert_memory_equal(line + 1, cases[k].label, strlen(cases[k].label));
    }
    id = (fraction_t){97, 100};
    otu_table_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_has_one_line_per_otu_and_one_column_per_sample),
        cmocka_unit_test(an_absent_count_is_written_as_zero),
        cmocka_unit_test(representatives_are_written_with_their_names),
        cmocka_unit_test(representatives_are_written_with_sizes_on_request),
        cmocka_unit_test(a_list_names_every_record),
        cmocka_unit_test(several_clusterings_are_lines_of_one_list),
        cmocka_unit_test(a_map_names_the_otu_of_each_record_that_has_one),
        cmocka_unit_test(mothurs_table_has_one_line_per_sample),
        cmocka_unit_test(json_escapes_names_and_lists_the_counts),
        cmocka_unit_test(lineages_are_added_to_tables),
        cmocka_unit_test(commas_and_blanks_are_escaped_with_one_warning),
        cmocka_unit_test(repeated_names_give_one_warning),
        cmocka_unit_test(the_label_is_1_minus_id_as_a_decimal),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
