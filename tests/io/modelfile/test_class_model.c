/*
 * test_class_model.c - models and results of `classify` are written and read; damaged
 * ones are refused.
 */
#include "tests/support/unit_test.h"

#include "io/modelfile/class_model.h"
#include "io/modelfile/class_result.h"
#include "io/modelfile/file_kind.h"
#include "tests/support/captured_log.h"
#include "tests/support/sent_object.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

/* End a capture: one line that contains `part` was logged. */
static void expect_line(const char *part)
{
    capture_stop();
    assert_logged_one_line();
    assert_non_null(strstr(logged, part));
}

/* Bacteria (1) with Bacilli (2), and Archaea (3). */
static int32_t parent[] = {-1, 0, 1, 0};
static char names[] = "\0Bacteria\0Bacilli x\0Archaea";
static int64_t name_offset[] = {0, 1, 10, 20, 28};
static const class_taxa_t taxa = {4, parent, names, name_offset};

static const class_run_t run = {.info = {.program = "ribogrid",
                                         .command = "c",
                                         .input = "i",
                                         .started = "s",
                                         .finished = "f",
                                         .devices = "d\n",
                                         .seconds = 1.5,
                                         .ranks = 2},
                                .job = "job=classify\n"};

static char primers[] = "515F/806R";

static void write_model(const char *path, int64_t n_refs, int64_t n_rules)
{
    uint8_t letters[] = {1, 2, 4, 8, CODE_N, 1};
    int64_t offset[] = {0, 4, 6}, ref_offset[] = {0, 2, 4};
    char ref_names[] = "a\0b";
    seqset_t refs = {ALPHABET_DNA, n_refs, letters, offset, ref_names, ref_offset};
    int32_t taxon_of[] = {2, 3};
    double rules[] = {1, 0.5, -2};
    const class_model_t m = {.refs = &refs,
                             .taxon_of = taxon_of,
                             .taxa = taxa,
                             .n_rules = n_rules,
                             .rule_len = 3,
                             .rules = rules,
                             .primers_len = n_rules > 0 ? (int64_t)strlen(primers) : 0,
                             .primers = n_rules > 0 ? primers : NULL};

    assert_int_equal(class_model_write(path, true, &m, &run, NULL), ST_OK);
}

static void models_are_read_as_they_were_written(void **state)
{
    char path[PATH_BYTES];
    class_model_t m;
    class_run_t r = {.job = NULL};

    (void)state;
    dir_file("model.h5", path);
    write_model(path, 2, 1);
    assert_int_equal(class_model_read(path, &m, &r), ST_OK);
    assert_int_equal(m.refs->n, 2);
    assert_string_equal(seqset_name(m.refs, 1), "b");
    assert_int_equal(seqset_len(m.refs, 0), 4);
    assert_int_equal(seqset_letters(m.refs, 1)[0], CODE_N);
    assert_int_equal(m.taxon_of[1], 3);
    assert_string_equal(class_taxa_name(&m.taxa, 2), "Bacilli x");
    assert_int_equal(class_taxa_n_ranks(&m.taxa), 2);
    assert_int_equal(class_taxa_at(&m.taxa, 2, 1), 1);
    assert_int_equal(m.n_rules, 1);
    assert_true(m.rules[2] == -2);
    assert_string_equal(m.primers, primers);
    assert_string_equal(r.job, "job=classify\n");
    assert_true(r.info.seconds == 1.5 && r.info.ranks == 2);
    class_model_free(&m);
    class_run_free(&r);
    unlink(path);
}

static void models_without_rules_or_references(void **state)
{
    char path[PATH_BYTES];
    class_model_t m;

    (void)state;
    dir_file("model.h5", path);
    write_model(path, 2, 0);
    assert_int_equal(class_model_read(path, &m, NULL), ST_OK);
    assert_int_equal(m.n_rules, 0);
    assert_null(m.primers);
    class_model_free(&m);
    write_model(path, 0, 0);
    capture_start();
    assert_int_equal(class_model_read(path, &m, NULL), ST_EINPUT);
    expect_line("it has no references; give a file that `ribogrid classify train` wrote");
    unlink(path);
}

/* Copy a model through its arrays, as ranks do. */
static void copy_model(const class_model_t *m, class_model_t *out)
{
    arrays_spans_t from = {0}, to = {0};
    const array_span_t *a, *b;
    size_t n, n_to;

    *out = (class_model_t){.refs = NULL};
    assert_int_equal(arrays_list(&class_model_arrays, m, true, &from), ST_OK);
    assert_int_equal(arrays_create(&class_model_arrays, from.head.data, from.head.len,
                                   out, &to),
                     ST_OK);
    a = arrays_spans(&from, &n);
    b = arrays_spans(&to, &n_to);
    assert_int_equal(n, n_to);
    for (size_t i = 0; i < n; i++)
        memcpy(b[i].data, a[i].data, a[i].len);
    assert_int_equal(arrays_settle(&class_model_arrays, &to, out), ST_OK);
    arrays_spans_free(&from);
    arrays_spans_free(&to);
}

static void arrays_make_an_equal_model(void **state)
{
    char path[PATH_BYTES];
    class_model_t m, copy;

    (void)state;
    dir_file("model.h5", path);
    write_model(path, 2, 1);
    assert_int_equal(class_model_read(path, &m, NULL), ST_OK);
    copy_model(&m, &copy);
    assert_string_equal(copy.primers, primers);
    assert_true(class_model_digest(&copy) == class_model_digest(&m));
    copy.taxon_of[0] = 3;
    assert_true(class_model_digest(&copy) != class_model_digest(&m));
    class_model_free(&m);
    class_model_free(&copy);
    unlink(path);
}

static void a_taxon_that_is_none(void *object)
{
    ((class_model_t *)object)->taxon_of[1] = 4;
}

static void a_taxon_below_the_root(void *object)
{
    ((class_model_t *)object)->taxon_of[1] = 0;
}

static void a_parent_behind_its_taxon(void *object)
{
    ((class_model_t *)object)->taxa.parent[1] = 2;
}

static void a_name_without_an_end(void *object)
{
    ((class_model_t *)object)->taxa.names[9] = 'x';
}

static void names_that_go_backwards(void *object)
{
    ((class_model_t *)object)->taxa.name_offset[1] = 11;
}

static void an_impossible_model_from_elsewhere_is_refused(void **state)
{
    void (*const changes[])(void *) = {
        NULL,
        a_taxon_that_is_none,
        a_taxon_below_the_root,
        a_parent_behind_its_taxon,
        a_name_without_an_end,
        names_that_go_backwards,
    };
    char path[PATH_BYTES];

    (void)state;
    dir_file("model.h5", path);
    write_model(path, 2, 1);
    for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
        class_model_t m;

        assert_int_equal(class_model_read(path, &m, NULL), ST_OK);
        assert_int_equal(send_changed(&class_model_arrays, &m, changes[i]),
                         changes[i] == NULL ? ST_OK : ST_EINPUT);
        class_model_free(&m);
    }
    unlink(path);
}

static void lineages_are_not_too_long(void **state)
{
    int32_t parents[CLASS_RANKS_MAX + 2];
    class_taxa_t t = {CLASS_RANKS_MAX + 1, parents, NULL, NULL};

    (void)state;
    for (int32_t i = 0; i < CLASS_RANKS_MAX + 2; i++)
        parents[i] = i - 1;
    assert_true(class_taxa_are_tree(&t));
    t.n++;
    assert_false(class_taxa_are_tree(&t));
}

/* Overwrite a dataset of integers. */
static void overwrite(const char *path, const char *name, const int32_t *values)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t data = H5Dopen2(file, name, H5P_DEFAULT);

    assert_true(H5Dwrite(data, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >=
                0);
    H5Dclose(data);
    H5Fclose(file);
}

static void a_refused_run_leaves_nothing_to_free(void **state)
{
    class_run_t info = {.job = NULL};
    char path[PATH_BYTES];
    class_model_t m;
    hid_t file, group;

    (void)state;
    dir_file("model.h5", path);
    write_model(path, 2, 1);
    file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    group = H5Gopen2(file, "/run", H5P_DEFAULT);
    assert_true(H5Adelete(group, "job") >= 0);
    H5Gclose(group);
    H5Fclose(file);
    capture_start();
    assert_int_equal(class_model_read(path, &m, &info), ST_EINPUT);
    expect_line("the attribute job of /run is missing or invalid");
    assert_null(info.info.program);
    unlink(path);
}

static void taxa_that_do_not_fit_are_refused(void **state)
{
    const int32_t loop[] = {-1, 2, 1, 0}, beyond[] = {2, 4}, root[] = {0, 1};
    char path[PATH_BYTES];
    class_model_t m;

    (void)state;
    dir_file("model.h5", path);
    write_model(path, 2, 1);
    overwrite(path, "/references/taxon", beyond);
    capture_start();
    assert_int_equal(class_model_read(path, &m, NULL), ST_EINPUT);
    expect_line("/references/taxon leads to a taxon that does not exist at value 2");
    overwrite(path, "/references/taxon", root);
    capture_start();
    assert_int_equal(class_model_read(path, &m, NULL), ST_EINPUT);
    expect_line("/references/taxon leads to a taxon that does not exist at value 1");
    overwrite(path, "/taxa/parent", loop);
    capture_start();
    assert_int_equal(class_model_read(path, &m, NULL), ST_EINPUT);
    expect_line("its taxa are not a tree with names");
    unlink(path);
}

/* ---- results ---- */

/* A read of Bacilli of which the first rank is named, one of Archaea as the reverse
 * complement, one without a taxon. */
static class_result_t make_result(void)
{
    class_result_t r = {.taxa = taxa, .run = run};
    static char read_names[] = "r1\0r 2\0r3";
    static int64_t read_offset[] = {0, 3, 7, 10};
    static const int32_t taxon[] = {2, 3, -1};
    static const uint8_t named[] = {1, 1, 0}, reversed[] = {0, 1, 0};
    static const uint16_t support[] = {9900, 2900, 10000, 0, 0, 0};

    assert_int_equal(class_calls_create(3, 2, &r.calls), ST_OK);
    memcpy(r.calls.taxon, taxon, sizeof(taxon));
    memcpy(r.calls.named, named, sizeof(named));
    memcpy(r.calls.reversed, reversed, sizeof(reversed));
    memcpy(r.calls.support, support, sizeof(support));
    r.names = read_names;
    r.name_offset = read_offset;
    return r;
}

static void lines_are(const class_result_t *r, class_format_t format, const char *want)
{
    char *text = NULL;
    size_t len;
    FILE *to = open_memstream(&text, &len);

    assert_int_equal(class_lines_print(r, format, true, to), ST_OK);
    fclose(to);
    assert_string_equal(text, want);
    free(text);
}

static void lines_have_the_format_of_each_program(void **state)
{
    class_result_t r = make_result();

    (void)state;
    lines_are(&r, CLASS_FORMAT_TSV,
              "name\tstrand\tlineage\tsupport\tmethod\n"
              "r1\t+\tBacteria\t0.9900\tnbc\n"
              "r 2\t-\tArchaea\t1.0000\tnbc\n"
              "r3\t+\tunclassified\tNA\tnbc\n");
    lines_are(&r, CLASS_FORMAT_QIIME2,
              "Feature ID\tTaxon\tConfidence\n"
              "r1\tBacteria\t0.9900\nr 2\tArchaea\t1.0000\nr3\tUnassigned\t0.0000\n");
    lines_are(&r, CLASS_FORMAT_SINTAX,
              "r1\td:Bacteria(0.99),p:Bacilli x(0.29)\t+\td:Bacteria\n"
              "r 2\td:Archaea(1.00)\t-\td:Archaea\nr3\t\t+\t\n");
    r.calls.named[0] = 2;
    capture_start();
    lines_are(&r, CLASS_FORMAT_MOTHUR,
              "r1\tBacteria(99);Bacilli_x(29);\nr_2\tArchaea(100);\nr3\tunknown(0);\n");
    expect_line("names contain blanks");
    class_calls_free(&r.calls);
}

/* Bacilli (taxon 2) have rank 2; the second read is not classified. */
static void calls_fit_up_to_the_bounds_of_each_array(void **state)
{
    const struct {
        int32_t taxon[2];
        uint8_t named[2], reversed, method;
        uint16_t support[4];
        bool fits;
    } rows[] = {
        {{2, -1}, {2, 0}, 1, CLASS_BY_CNN, {10000, 10000, 10000, 10000}, true},
        {{3, 0}, {1, 0}, 0, CLASS_BY_NBC, {0, 0, 0, 0}, true},
        {{4, -1}, {0, 0}, 0, CLASS_BY_NBC, {0, 0, 0, 0}, false},
        {{-2, -1}, {0, 0}, 0, CLASS_BY_NBC, {0, 0, 0, 0}, false},
        {{2, -1}, {0, 0}, 0, CLASS_BY_NBC, {10001, 0, 0, 0}, false},
        {{2, -1}, {0, 0}, 0, CLASS_BY_NBC, {0, 0, 0, 10001}, false},
        {{2, -1}, {3, 0}, 0, CLASS_BY_NBC, {0, 0, 0, 0}, false},
        {{3, -1}, {2, 0}, 0, CLASS_BY_NBC, {0, 0, 0, 0}, false},
        {{2, -1}, {2, 1}, 0, CLASS_BY_NBC, {0, 0, 0, 0}, false},
        {{2, -1}, {2, 0}, 2, CLASS_BY_NBC, {0, 0, 0, 0}, false},
        {{2, -1}, {2, 0}, 0, CLASS_N_METHODS, {0, 0, 0, 0}, false},
    };

    (void)state;
    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        class_calls_t c;

        assert_int_equal(class_calls_create(2, 2, &c), ST_OK);
        memcpy(c.taxon, rows[k].taxon, sizeof(rows[k].taxon));
        memcpy(c.named, rows[k].named, sizeof(rows[k].named));
        memcpy(c.support, rows[k].support, sizeof(rows[k].support));
        c.reversed[1] = rows[k].reversed;
        c.method[1] = rows[k].method;
        assert_int_equal(class_calls_fit(&c, &taxa), rows[k].fits);
        if (k == 0) { /* lineages are longer than the calls have ranks */
            c.n_ranks = 1;
            assert_false(class_calls_fit(&c, &taxa));
        }
        class_calls_free(&c);
    }
}

static void results_are_read_as_they_were_written(void **state)
{
    class_result_t r = make_result(), got;
    const int32_t beyond[] = {2, 3, 4};
    char path[PATH_BYTES];

    (void)state;
    dir_file("names.h5", path);
    assert_int_equal(class_result_write(path, true, &r, NULL), ST_OK);
    assert_int_equal(class_result_read(path, &got), ST_OK);
    assert_int_equal(got.calls.n, 3);
    assert_int_equal(got.calls.n_ranks, 2);
    assert_memory_equal(got.calls.taxon, r.calls.taxon, 3 * sizeof(int32_t));
    assert_memory_equal(got.calls.named, r.calls.named, 3);
    assert_memory_equal(got.calls.reversed, r.calls.reversed, 3);
    assert_memory_equal(got.calls.support, r.calls.support, 6 * sizeof(uint16_t));
    assert_string_equal(class_result_name(&got, 1), "r 2");
    assert_string_equal(got.run.info.devices, "d\n");
    class_result_free(&got);
    overwrite(path, "/reads/taxon", beyond);
    capture_start();
    assert_int_equal(class_result_read(path, &got), ST_EINPUT);
    expect_line("/reads/taxon leads to a taxon that does not exist at value 3");
    overwrite(path, "/reads/taxon", r.calls.taxon);
    overwrite(path, "/reads/support", (int32_t[]){10000, 2900, 10000, 0, 0, 10000});
    assert_int_equal(class_result_read(path, &got), ST_OK);
    class_result_free(&got);
    overwrite(path, "/reads/support", (int32_t[]){10000, 2900, 10000, 0, 0, 10001});
    capture_start();
    assert_int_equal(class_result_read(path, &got), ST_EINPUT);
    expect_line("/reads/support is not within 0 and 10000 at value 6");
    class_calls_free(&r.calls);
    unlink(path);
}

static void results_may_be_empty(void **state)
{
    class_result_t r = make_result(), got;
    char path[PATH_BYTES];

    (void)state;
    dir_file("names.h5", path);
    r.calls.n = 0;
    assert_int_equal(class_result_write(path, true, &r, NULL), ST_OK);
    assert_int_equal(class_result_read(path, &got), ST_OK);
    assert_int_equal(got.calls.n, 0);
    class_result_free(&got);
    class_calls_free(&r.calls);
    unlink(path);
}

static void each_kind_is_told_apart(void **state)
{
    class_result_t r = make_result(), got;
    char path[PATH_BYTES];
    class_model_t m;
    file_kind_t kind;

    (void)state;
    dir_file("file.h5", path);
    write_model(path, 2, 0);
    assert_int_equal(file_kind_read(path, &kind), ST_OK);
    assert_int_equal(kind, FILE_CLASS_MODEL);
    capture_start();
    assert_int_equal(class_result_read(path, &got), ST_EINPUT);
    expect_line("an HDF5 file, but not a result of `ribogrid classify`");
    assert_int_equal(class_result_write(path, true, &r, NULL), ST_OK);
    assert_int_equal(file_kind_read(path, &kind), ST_OK);
    assert_int_equal(kind, FILE_CLASS_RESULT);
    capture_start();
    assert_int_equal(class_model_read(path, &m, NULL), ST_EINPUT);
    expect_line("an HDF5 file, but not a model of `ribogrid classify train`");
    class_calls_free(&r.calls);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_are_read_as_they_were_written),
        cmocka_unit_test(models_without_rules_or_references),
        cmocka_unit_test(arrays_make_an_equal_model),
        cmocka_unit_test(an_impossible_model_from_elsewhere_is_refused),
        cmocka_unit_test(lineages_are_not_too_long),
        cmocka_unit_test(a_refused_run_leaves_nothing_to_free),
        cmocka_unit_test(taxa_that_do_not_fit_are_refused),
        cmocka_unit_test(lines_have_the_format_of_each_program),
        cmocka_unit_test(calls_fit_up_to_the_bounds_of_each_array),
        cmocka_unit_test(results_are_read_as_they_were_written),
        cmocka_unit_test(results_may_be_empty),
        cmocka_unit_test(each_kind_is_told_apart),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
