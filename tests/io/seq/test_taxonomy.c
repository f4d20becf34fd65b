/*
 * test_taxonomy.c - lineages of tables and of FASTA headers, and invalid lines.
 */
#include "tests/support/unit_test.h"

#include "io/seq/taxonomy.h"
#include "tests/support/captured_log.h"

#include <zlib.h>

static char path[PATH_BYTES];

static int path_make(void **state)
{
    if (dir_make(state) != 0)
        return -1;
    dir_file("lineages", path);
    return 0;
}

static taxonomy_t *read_text(const char *text)
{
    taxonomy_t *t = NULL;

    dir_put(path, text, strlen(text));
    assert_int_equal(taxonomy_read(path, &t), ST_OK);
    unlink(path);
    return t;
}

static void assert_lineage(const taxonomy_t *t, const char *name, const char *want)
{
    int32_t taxon = taxonomy_find(t, name);
    buf_t text = {0};

    assert_true(taxon >= 0);
    assert_int_equal(taxonomy_append(t, taxon, "|", &text), ST_OK);
    assert_int_equal(buf_append(&text, "", 1), ST_OK);
    assert_string_equal((char *)text.data, want);
    buf_free(&text);
}

static void names_are_looked_up(void **state)
{
    taxonomy_t *t = read_text("a\tBacteria;Firmicutes;Bacilli\n"
                              "b\tBacteria;Proteobacteria\n"
                              "c\tBacteria;Firmicutes;Bacilli\n");

    (void)state;
    assert_int_equal(taxonomy_n(t), 3);
    assert_int_equal(taxonomy_n_taxa(t), 5); /* root, 1, 2, 1 */
    assert_lineage(t, "a", "Bacteria|Firmicutes|Bacilli");
    assert_lineage(t, "b", "Bacteria|Proteobacteria");
    assert_int_equal(taxonomy_find(t, "a"), taxonomy_find(t, "c"));
    assert_int_equal(taxonomy_find(t, "d"), -1);
    assert_int_equal(taxonomy_find(t, ""), -1);
    taxonomy_destroy(t);
}

static void equal_names_below_different_taxa_are_different_taxa(void **state)
{
    taxonomy_t *t = read_text("a\tBacteria;Actinobacteria;Actinobacteria\n"
                              "b\tOther;Actinobacteria\n");
    int32_t a = taxonomy_find(t, "a"), b = taxonomy_find(t, "b");

    (void)state;
    assert_int_equal(taxonomy_n_taxa(t), 6);
    assert_int_equal(taxonomy_rank(t, a), 3);
    assert_int_equal(taxonomy_rank(t, b), 2);
    assert_string_equal(taxonomy_name(t, a), "Actinobacteria");
    assert_int_not_equal(taxonomy_ancestor(t, a, 2), b);
    assert_int_equal(taxonomy_ancestor(t, a, 0), TAXONOMY_ROOT);
    assert_int_equal(taxonomy_ancestor(t, a, 3), a);
    assert_int_equal(taxonomy_ancestor(t, b, 3), -1);
    taxonomy_destroy(t);
}

static void the_last_semicolon_and_supports_of_mothur_are_removed(void **state)
{
    taxonomy_t *t = read_text("a\tBacteria(100);Bacilli(97.5);Bacillus_(class)(9);\n"
                              "b\tBacteria;Bacilli;\r\n"
                              "c\tBacteria;Bacilli(3)\n" /* not mothur's: a name */
                              "d\tx();(1);1)(2);\n\n");

    (void)state;
    assert_lineage(t, "a", "Bacteria|Bacilli|Bacillus_(class)");
    assert_lineage(t, "b", "Bacteria|Bacilli");
    assert_lineage(t, "c", "Bacteria|Bacilli(3)");
    assert_lineage(t, "d", "x()|(1)|1)");
    taxonomy_destroy(t);
}

static void qiime_2_tables_have_a_header_blanks_and_more_columns(void **state)
{
    taxonomy_t *t = read_text("\xef\xbb\xbf"
                              "Feature ID\tTaxon\tConfidence\n"
                              "#q2:types\tcategorical\tnumeric\n"
                              "a\tk__Bacteria; p__; c__\t0.99\n"
                              "b\td__Bacteria;p__Chlorobi \t1");

    (void)state;
    assert_int_equal(taxonomy_n(t), 2);
    assert_lineage(t, "a", "k__Bacteria");
    assert_lineage(t, "b", "d__Bacteria|p__Chlorobi");
    taxonomy_destroy(t);
}

static void tables_of_ribogrid_have_headers(void **state)
{
    taxonomy_t *t = read_text("query\tlineage\tconsensus\tagreeing\thits\n"
                              "a\tBacteria;Bacilli\t0.75\t3\t4\n"
                              "b\tUnassigned\t0.000000\t0\t0\n");

    (void)state;
    assert_int_equal(taxonomy_n(t), 2);
    assert_lineage(t, "a", "Bacteria|Bacilli");
    assert_lineage(t, "b", "Unassigned");
    taxonomy_destroy(t);
    t = read_text("name\tstrand\tlineage\tsupport\tmethod\n"
                  "c\t-\tBacteria;Bacilli\t1.0000;0.7500\thits\n"
                  "d\t+\tunclassified\tNA\tbayes\n");
    assert_int_equal(taxonomy_n(t), 2);
    assert_lineage(t, "c", "Bacteria|Bacilli");
    assert_lineage(t, "d", "unclassified");
    taxonomy_destroy(t);
}

static void a_prefix_without_a_name_ends_a_lineage(void **state)
{
    taxonomy_t *t = read_text("a\tk__Bacteria; p__Firmicutes; c__; o__; f__; g__; s__\n"
                              "b\tk__Bacteria; p__Firmicutes; c__; o__X; f__; g__; s__\n"
                              "c\tBacteria;__;__\n"
                              "d\tBacteria;x__y;a__b__\n");

    (void)state;
    assert_lineage(t, "a", "k__Bacteria|p__Firmicutes");
    assert_lineage(t, "b", "k__Bacteria|p__Firmicutes");
    assert_lineage(t, "c", "Bacteria");
    assert_lineage(t, "d", "Bacteria|x__y|a__b__");
    taxonomy_destroy(t);
}

static void headers_of_rdp_name_ranks(void **state)
{
    taxonomy_t *t = read_text(
        ">S0001 Abiotrophia sp.; ATCC 49176\tLineage=Root;rootrank;Bacteria;domain;"
        "\"Actinobacteria\";phylum;Abiotrophia;genus\nACGT\n"
        ">S0002 uncultured  Lineage=Root;rootrank;Bacteria;domain;"
        "unclassified_Bacteria;\nAC\nGT\n"
        ">S0003|x  Root;Bacteria;\"Armatimonadetes\";Armatimonas/gp1\nACGT\n");

    (void)state;
    assert_int_equal(taxonomy_n(t), 3);
    assert_lineage(t, "S0001", "Bacteria|Actinobacteria|Abiotrophia");
    assert_lineage(t, "S0002", "Bacteria");
    assert_lineage(t, "S0003|x", "Bacteria|Armatimonadetes|Armatimonas/gp1");
    assert_int_equal(taxonomy_phylum_rank(t), 2);
    taxonomy_destroy(t);
}

static void headers_of_silva_end_with_an_organism(void **state)
{
    taxonomy_t *t =
        read_text(">AB001445.1.1538 Bacteria;Proteobacteria;Pseudomonas;Pseudomonas "
                  "amygdali pv. x\n"
                  "GAUC\n"
                  ">AY1.22.1500 Bacteria;Candidatus Phylum;uncultured bacterium\nGAUC\n"
                  ">AY1.2 Bacteria;Candidatus Phylum;G\nGAUC\n"); /* not SILVA's */

    (void)state;
    assert_lineage(t, "AB001445.1.1538", "Bacteria|Proteobacteria|Pseudomonas");
    assert_lineage(t, "AY1.22.1500", "Bacteria|Candidatus Phylum");
    assert_lineage(t, "AY1.2", "Bacteria|Candidatus Phylum|G");
    taxonomy_destroy(t);
}

static void headers_of_sintax_have_letters_for_ranks(void **state)
{
    taxonomy_t *t = read_text(
        "\n>X80725_S1;tax=d:Bacteria,p:\"Proteobacteria\",g:Escherichia/Shigella;\nACGT\n"
        ">b;size=3;tax=d:Archaea,p:Eury archaeota,g:\nACGT\n"
        ">c;tax=d:Archaea,p:Eury archaeota,g:,s:x;size=3; text\nACGT\n");

    (void)state;
    assert_lineage(t, "X80725_S1", "Bacteria|Proteobacteria|Escherichia/Shigella");
    assert_lineage(t, "X80725_S1;tax=d:Bacteria,p:other", /* as FASTA records are named */
                   "Bacteria|Proteobacteria|Escherichia/Shigella");
    assert_lineage(t, "b;size=3", "Archaea|Eury archaeota");
    assert_lineage(t, "c", "Archaea|Eury archaeota");
    taxonomy_destroy(t);
}

static void gzip_is_read(void **state)
{
    taxonomy_t *t = NULL;
    gzFile to = gzopen(path, "wb");

    (void)state;
    for (int i = 0; i < 5000; i++)
        gzprintf(to, "name%d\tBacteria;Phylum%d;Genus%d\n", i, i / 100, i);
    gzclose(to);
    assert_int_equal(taxonomy_read(path, &t), ST_OK);
    unlink(path);
    assert_int_equal(taxonomy_n(t), 5000);
    assert_int_equal(taxonomy_n_taxa(t), 1 + 1 + 50 + 5000);
    assert_lineage(t, "name0", "Bacteria|Phylum0|Genus0");
    assert_lineage(t, "name4999", "Bacteria|Phylum49|Genus4999");
    assert_int_equal(taxonomy_find(t, "name5000"), -1);
    taxonomy_destroy(t);
}

static void a_line_longer_than_a_block_is_one_line(void **state)
{
    static char text[20000];
    taxonomy_t *t;

    (void)state;
    memset(text, 'x', sizeof(text) - 1);
    memcpy(text, "a\tBacteria;", 11);
    t = read_text(text);
    assert_int_equal(strlen(taxonomy_name(t, taxonomy_find(t, "a"))), 19999 - 11);
    taxonomy_destroy(t);
}

static void phyla_are_one_rank_lower_if_the_table_includes_the_root(void **state)
{
    taxonomy_t *t = read_text("a\tRoot;Bacteria;Firmicutes\nb\tRoot\n");

    (void)state;
    assert_int_equal(taxonomy_phylum_rank(t), 3);
    taxonomy_destroy(t);
    t = read_text("a\tRoot;Bacteria;Firmicutes\nb\tArchaea;Euryarchaeota\n");
    assert_int_equal(taxonomy_phylum_rank(t), 2);
    taxonomy_destroy(t);
}

static void a_name_may_repeat_with_the_same_lineage(void **state)
{
    taxonomy_t *t = read_text("a\tBacteria;Bacilli\na\tBacteria;Bacilli;\n");

    (void)state;
    assert_int_equal(taxonomy_n(t), 1);
    taxonomy_destroy(t);
}

static void assert_refused(const char *text, const char *want)
{
    taxonomy_t *t = NULL;
    status_t st;

    dir_put(path, text, strlen(text));
    capture_start();
    st = taxonomy_read(path, &t);
    capture_stop();
    unlink(path);
    assert_int_equal(st, ST_EINPUT);
    assert_null(t);
    assert_logged_one_line();
    assert_logged(want);
}

static void an_invalid_line_is_reported_with_its_number(void **state)
{
    (void)state;
    assert_refused("a\tBacteria\nb Bacteria\n",
                   "lineages:2: no tab and lineage; give name TAB lineage, such as "
                   "\"AJ000684<TAB>Bacteria;Actinobacteria\"");
    assert_refused("a\tBacteria\n\n\tBacteria\n", ":3: no name");
    assert_refused("a\t\n", ":1: no tab and lineage");
    assert_refused("a\tBacteria;;Bacilli\n", ":1: a rank has no name");
    assert_refused("a\tBacteria;;\n", ":1: a rank has no name");
    assert_refused("a\t;\n", ":1: a rank has no name");
    assert_refused("OTU\tSize\tTaxonomy\n", ":1: more than two columns");
    assert_refused("a\tBacteria\nb\tArchaea\na\tArchaea\n",
                   ":3: the name has another lineage above");
    assert_refused("", "has no lineages");
    assert_refused("a\tk__; p__\n", ":1: the lineage has no names");
    assert_refused(">a Bacteria;Bacilli\nACGT\n>b\nACGT\n",
                   ":3: the header has no lineage; give a table of lineages, or headers");
    assert_refused(">a 16S rRNA gene; partial sequence\nACGT\n",
                   ":1: the header has no lineage");
    assert_refused(">a Bacteria;;Bacilli\n", ":1: a rank has no name");
    assert_refused(">a;tax=d:Bacteria,,g:x;\n", ":1: a rank has no name");
    assert_refused(">;tax=d:Bacteria;\n", ":1: no name");
    assert_refused(">a;tax=d:Bacteria;\nAC\n>b;tax=d:Archaea\nAC\n>a;tax=d:Archaea;\n",
                   ":5: the name has another lineage above");
    assert_refused("Feature ID\tTaxon\n", "has no lineages");
}

/* @param want  NULL: nothing is logged */
static void assert_warned(const char *text, const char *want)
{
    taxonomy_t *t;

    dir_put(path, text, strlen(text));
    capture_start();
    assert_int_equal(taxonomy_read(path, &t), ST_OK);
    capture_stop();
    unlink(path);
    taxonomy_destroy(t);
    if (want == NULL) {
        assert_logged_nothing();
        return;
    }
    assert_logged_one_line();
    assert_logged(want);
}

static void lineages_without_a_semicolon_are_a_warning(void **state)
{
    (void)state;
    assert_warned("a\tBacteria Firmicutes\nb\tArchaea\n",
                  "lineages: 2 of 2 lineages have no ';', the first is 'Bacteria "
                  "Firmicutes': each is taken as one taxon");
    assert_warned("a\tBacteria;Bacilli\nb\tBacteria,Bacilli\n",
                  "1 of 2 lineages have no ';', the first is 'Bacteria,Bacilli'");
    assert_warned("a\tBacteria;Bacilli\nb\tBacteria|Bacilli\n", "1 of 2 lineages");
    assert_warned("a\tBacteria;Bacilli\nb\tUnassigned\n", NULL);
    assert_warned("a\tBacteria;\nb\tArchaea;\n", NULL);
    assert_warned(">a Bacteria;Bacilli, Clostridia\n", NULL);
}

static void a_missing_file_is_reported(void **state)
{
    taxonomy_t *t = NULL;

    (void)state;
    capture_start();
    assert_int_equal(taxonomy_read(path, &t), ST_EIO);
    capture_stop();
    assert_logged_one_line();
    assert_logged("cannot read");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_looked_up),
        cmocka_unit_test(equal_names_below_different_taxa_are_different_taxa),
        cmocka_unit_test(the_last_semicolon_and_supports_of_mothur_are_removed),
        cmocka_unit_test(qiime_2_tables_have_a_header_blanks_and_more_columns),
        cmocka_unit_test(tables_of_ribogrid_have_headers),
        cmocka_unit_test(a_prefix_without_a_name_ends_a_lineage),
        cmocka_unit_test(headers_of_rdp_name_ranks),
        cmocka_unit_test(headers_of_silva_end_with_an_organism),
        cmocka_unit_test(headers_of_sintax_have_letters_for_ranks),
        cmocka_unit_test(gzip_is_read),
        cmocka_unit_test(a_line_longer_than_a_block_is_one_line),
        cmocka_unit_test(phyla_are_one_rank_lower_if_the_table_includes_the_root),
        cmocka_unit_test(a_name_may_repeat_with_the_same_lineage),
        cmocka_unit_test(an_invalid_line_is_reported_with_its_number),
        cmocka_unit_test(lineages_without_a_semicolon_are_a_warning),
        cmocka_unit_test(a_missing_file_is_reported),
    };

    return cmocka_run_group_tests(tests, path_make, dir_remove);
}
