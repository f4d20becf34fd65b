/*
 * test_commands.c - the option tables of all commands: their rows are sound, files are
 * declared as files, a command that has an option of a group has all of it, and a word
 * means the same everywhere.
 */
#include "tests/support/unit_test.h"

#ifdef RIBOGRID_BENCH
#include "bench/options/benchmarks.h"
#endif
#include "kernels/automata/dfa_compress.h"
#include "kernels/automata/subset_backend.h"
#include "tools/options/commands.h"
#include "tools/options/program.h"
#include "worker/align/align_opts.h"
#include "worker/classify/class_opts.h"
#include "worker/cnn/cnn_opts.h"
#include "worker/graph/graph_opts.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMMANDS_MAX = 64 };

static const command_t *all[COMMANDS_MAX];
static option_t rows[COMMANDS_MAX][OPTIONS_MAX];

static int list(void)
{
    int n = 0;

    for (int i = 0; commands[i] != NULL; i++)
        all[n++] = commands[i];
#ifdef RIBOGRID_BENCH
    all[n++] = &cmd_bench_align;
    all[n++] = &cmd_bench_classify;
    all[n++] = &cmd_bench_dispatch;
    all[n++] = &cmd_bench_graph;
#endif
    assert_true(n < COMMANDS_MAX);
    for (int i = 0; i < n; i++)
        options_list(all[i], rows[i]);
    return n;
}

/* @return whether a placeholder of --help means a file */
static bool names_file(const char *value)
{
    static const char *const signs[] = {"FILE",     ".fa",   ".h5",     ".html",
                                        ".tsv",     ".svg",  "IMAGES",  "NET",
                                        "PROGRAM",  "GRAPH", "DEGREES", "PREFIX",
                                        "PATTERNS", "INPUT", ".node",   ".poly",
                                        ".ele"};

    for (size_t i = 0; value != NULL && i < sizeof(signs) / sizeof(signs[0]); i++)
        if (strstr(value, signs[i]) != NULL)
            return true;
    return false;
}

static void an_option_that_takes_a_file_is_declared_as_one(void **state)
{
    int n_files = 0;

    (void)state;
    for (int i = list(); i-- > 0;)
        for (const option_t *o = rows[i]; o->kind != OPTION_END; o++) {
            bool is_file = o->kind == OPTION_INPUT || o->kind == OPTION_OUTPUT;

            if (o->kind != OPTION_GROUP && names_file(o->value) != is_file)
                fail_msg("%s --%s %s", all[i]->name, o->name, o->value);
            n_files += is_file;
        }
    assert_true(n_files >= 12);
}

static void arguments_that_are_files_are_declared_as_inputs(void **state)
{
    int n_inputs = 0;

    (void)state;
    for (int i = list(); i-- > 0;)
        for (const option_t *o = all[i]->words; o != NULL && o->kind != OPTION_END; o++) {
            if (names_file(o->name) != (o->kind == OPTION_INPUT))
                fail_msg("%s %s", all[i]->name, o->name);
            n_inputs += o->kind == OPTION_INPUT;
        }
    assert_true(n_inputs >= 14);
}

/* @return whether a command stands below one of the list */
static bool has_parent(const command_t *c)
{
    for (int i = 0; commands[i] != NULL; i++)
        if (program_word(c, commands[i]) != NULL)
            return true;
    return strchr(c->name, ' ') == NULL;
}

static void every_command_has_a_name_of_its_own_and_a_way_to_run(void **state)
{
    (void)state;
    for (int i = 0; commands[i] != NULL; i++) {
        const command_t *c = commands[i];

        print_message("%s\n", c->name);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(c->name, commands[k]->name);
        assert_true(has_parent(c) && c->args_bytes >= sizeof(job_opts_t));
        assert_int_equal(c->run != NULL || c->job != NULL, c->options != NULL);
    }
}

/* Those that read nothing, or only HDF5. */
static bool has_no_limit(const command_t *c)
{
    static const command_t *const list[] = {
        &cmd_automata,       &cmd_automata_compress, &cmd_cnn,
        &cmd_device,         &cmd_device_list,       &cmd_device_drain,
        &cmd_device_unlock,  &cmd_device_move,       &cmd_device_rebalance,
        &cmd_devices,        &cmd_ihist_query,       &cmd_info,
        &cmd_mesh,           &cmd_mesh_make,         &cmd_selftest,
        &cmd_serve_device,
#ifdef RIBOGRID_BENCH
        &cmd_bench_dispatch,
#endif
        &cmd_simulate};

    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
        if (list[i] == c)
            return true;
    return false;
}

static void every_reader_of_text_has_a_limit(void **state)
{
    (void)state;
    for (int i = list(); i-- > 0;) {
        const option_t *o = rows[i];

        while (o->kind != OPTION_END && o->kind != OPTION_MAX_INPUT)
            o++;
        if ((o->kind == OPTION_END) != has_no_limit(all[i]))
            fail_msg("%s", all[i]->name);
    }
}

/* @return the option of a name, or NULL */
static const option_t *find(const option_t *o, const char *name)
{
    for (; o->kind != OPTION_END; o++)
        if (o->kind != OPTION_GROUP && strcmp(o->name, name) == 0)
            return o;
    return NULL;
}

/* @return the size of the member that an option writes; 0: none */
static size_t member_bytes(option_kind_t kind)
{
    switch (kind) {
    case OPTION_FLAG:
        return sizeof(bool);
    case OPTION_CHOICE:
        return sizeof(int);
    case OPTION_FRACTION:
        return sizeof(fraction_t);
    case OPTION_FRACTIONS:
        return sizeof(fraction_list_t);
    case OPTION_TEXT:
    case OPTION_INPUT:
    case OPTION_OUTPUT:
        return sizeof(const char *);
    case OPTION_TEXTS:
        return sizeof(option_texts_t);
    case OPTION_MAX_INPUT:
        return 0;
    default:
        return sizeof(int64_t);
    }
}

static void assert_lies_within(const command_t *c, const option_t *o)
{
    for (; o != NULL && o->kind != OPTION_END; o++) {
        const size_t bytes = o->kind == OPTION_GROUP ? 0 : member_bytes(o->kind);

        if (bytes > 0 && (o->at < offsetof(job_opts_t, device) ||
                          o->at >= GIVEN_OFFSET_MAX || o->at + bytes > c->args_bytes))
            fail_msg("%s %s is at %zu", c->name, o->name, o->at);
    }
}

static void every_option_lies_within_the_structure_of_its_command(void **state)
{
    (void)state;
    for (int i = list(); i-- > 0;) {
        assert_lies_within(all[i], rows[i]);
        assert_lies_within(all[i], all[i]->words);
    }
}

static void no_option_of_a_command_is_another(void **state)
{
    (void)state;
    for (int i = list(); i-- > 0;)
        for (const option_t *o = rows[i]; o->kind != OPTION_END; o++)
            for (const option_t *p = rows[i]; o->kind != OPTION_GROUP && p < o; p++) {
                const bool is_alike = strcmp(o->name, p->name) == 0 ||
                                      (o->letter != 0 && o->letter == p->letter) ||
                                      (member_bytes(o->kind) > 0 && o->at == p->at);

                if (p->kind != OPTION_GROUP && is_alike)
                    fail_msg("%s --%s and --%s", all[i]->name, p->name, o->name);
            }
}

/* @return whether --setting names the kernels, or each device has one */
static bool chooses_no_kernel(const command_t *c)
{
#ifdef RIBOGRID_BENCH
    if (c == &cmd_bench_graph)
        return true;
#endif
    return c == &cmd_graph_update || c == &cmd_serve_device;
}

/* Options that go together: a command that has the first has all. */
static void a_command_with_an_option_of_a_group_has_all_of_it(void **state)
{
    static const char *const groups[][4] = {{"quiet", "verbose"},
                                            {"verbose", "quiet"},
                                            {"device", "kernel", "threads"},
                                            {"kernel", "device", "threads"},
                                            {"resume", "force"},
                                            {"task-timeout", "resume", "force"},
                                            {"skip-bad", "max-input"},
                                            {"degap", "skip-bad", "full-names",
                                             "max-input"},
                                            {"primers", "primer-mismatches",
                                             "missing-primers"},
                                            {"output", "quiet", "verbose"}};

    (void)state;
    for (int i = list(); i-- > 0;)
        for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); g++)
            for (int k = 1; k < 4 && groups[g][k] != NULL; k++)
                if (!chooses_no_kernel(all[i]) && find(rows[i], groups[g][0]) != NULL &&
                    find(rows[i], groups[g][k]) == NULL)
                    fail_msg("%s has --%s, but not --%s", all[i]->name, groups[g][0],
                             groups[g][k]);
}

static void a_command_that_writes_files_has_force(void **state)
{
    (void)state;
    for (int i = list(); i-- > 0;)
        for (const option_t *o = rows[i]; o->kind != OPTION_END; o++)
            if (o->kind == OPTION_OUTPUT && find(rows[i], "force") == NULL)
                fail_msg("%s has --%s, but not --force", all[i]->name, o->name);
}

/* The words of an option are separated by "|", at least two, and all different. */
static void every_choice_has_words(void **state)
{
    (void)state;
    for (int i = list(); i-- > 0;)
        for (const option_t *o = rows[i]; o->kind != OPTION_END; o++) {
            int n = 1;

            if (o->kind != OPTION_CHOICE)
                continue;
            for (const char *a = o->value; (a = strchr(a, '|')) != NULL; a++) {
                const size_t len = strcspn(a + 1, "|");

                n++;
                for (const char *b = o->value; b < a; b += strcspn(b, "|") + 1)
                    if (strcspn(b, "|") == len && strncmp(a + 1, b, len) == 0)
                        fail_msg("%s --%s %s", all[i]->name, o->name, o->value);
            }
            if (n < 2)
                fail_msg("%s --%s %s", all[i]->name, o->name, o->value);
        }
}

/* The words of an option are the names of a table, joined. */
static void assert_words(const command_t *c, const char *option, const char *const *names,
                         int n)
{
    char words[256] = "";
    option_t options[OPTIONS_MAX];
    const option_t *o;

    for (int i = 0; i < n; i++)
        snprintf(words + strlen(words), sizeof(words) - strlen(words), "%s%s",
                 i > 0 ? "|" : "", names[i]);
    options_list(c, options);
    o = find(options, option);
    assert_non_null(o);
    assert_int_equal(o->kind, OPTION_CHOICE);
    assert_string_equal(o->value, words);
}

static void words_of_choices_are_the_names_of_what_they_choose(void **state)
{
    (void)state;
    assert_words(&cmd_graph, "template", graph_template_name, GRAPH_N_TEMPLATES);
    assert_words(&cmd_graph, "variant", graph_variant_name, GRAPH_N_VARIANTS);
    assert_words(&cmd_graph, "update", graph_update_name, 2);
    assert_words(&cmd_graph, "consolidate", graph_consolidate_name, 4);
    assert_words(&cmd_graph, "allocator", graph_allocator_name, 3);
    assert_words(&cmd_graph, "input-format", graph_format_name, GRAPH_N_FORMATS);
    assert_words(&cmd_graph, "order", graph_order_name, 3);
    assert_words(&cmd_graph, "dangling", graph_dangling_name, 2);
    assert_words(&cmd_graph, "vector", graph_vector_name, 2);
    assert_words(&cmd_automata_build, "allocator", subset_allocator_name,
                 SUBSET_N_ALLOCATORS);
    assert_words(&cmd_automata_compress, "rule", dfa_rule_name, DFA_N_RULES);
    assert_words(&cmd_align, "emit", align_emit_name, 3);
    assert_words(&cmd_align, "ambiguity", align_ambiguity_name, 5);
    assert_words(&cmd_classify, "strand", class_strands_name, 2);
    assert_words(&cmd_classify, "prior", class_prior_name, CLASS_PRIORS);
    assert_words(&cmd_cnn_train, "type", cnn_number_name, 3);
    assert_words(&cmd_cnn_train, "merge", cnn_merge_name, CNN_N_MERGES);
}

/* ---- one word, one meaning ---- */

/* Of two commands' rows of one name: both are of one word, or one row of one table. */
static void assert_is_same_word(const command_t *a, const option_t *o, const command_t *b,
                                const option_t *p)
{
    const bool is_one_row = o->help == p->help && o->value == p->value &&
                            o->kind == p->kind && o->note == p->note;

    if (o->word != p->word || (o->word == WORD_NONE && !is_one_row))
        fail_msg("%s --%s (%s) and %s --%s (%s): make them one row of option_words.c, or "
                 "give one another name",
                 a->name, o->name, o->help, b->name, p->name, p->help);
}

static void a_name_is_the_same_word_in_all_commands(void **state)
{
    int n_shared = 0;

    (void)state;
    for (int i = list(); i-- > 0;)
        for (const option_t *o = rows[i]; o->kind != OPTION_END; o++)
            for (int k = 0; o->kind != OPTION_GROUP && k < i; k++) {
                const option_t *p = find(rows[k], o->name);

                if (p != NULL)
                    assert_is_same_word(all[i], o, all[k], p);
                n_shared += p != NULL;
            }
    assert_true(n_shared >= 100);
}

/* Two names, or two letters, are not of one thing. */
static void a_thing_has_one_name_in_all_commands(void **state)
{
    (void)state;
    for (int i = list(); i-- > 0;)
        for (const option_t *o = rows[i]; o->kind != OPTION_END; o++)
            for (int k = 0; o->kind != OPTION_GROUP && k <= i; k++)
                for (const option_t *p = rows[k]; p->kind != OPTION_END; p++)
                    if (p->kind != OPTION_GROUP && strcmp(p->name, o->name) != 0 &&
                        (strcmp(p->help, o->help) == 0 ||
                         (o->letter != 0 && o->letter == p->letter)))
                        fail_msg("%s --%s and %s --%s: %s", all[i]->name, o->name,
                                 all[k]->name, p->name, o->help);
}

/* @return whether a word is among those of a list, "free|count" */
static bool is_among(const char *word, size_t len, const char *list_of)
{
    for (const char *at = list_of; *at != '\0'; at += *at == '|') {
        const size_t n = strcspn(at, "|");

        if (n == len && strncmp(at, word, len) == 0)
            return true;
        at += n;
    }
    return false;
}

/* A command may take fewer values of a word, or several values, as text. */
static bool is_of_type(const option_t *o, const option_t *word)
{
    const bool is_list =
        o->kind == OPTION_TEXT || o->kind == OPTION_FRACTIONS || o->kind == OPTION_SIZES;

    if (o->kind != word->kind)
        return is_list && strncmp(o->value, word->value, strlen(word->value)) == 0;
    for (const char *at = o->value; o->kind == OPTION_CHOICE && *at != '\0';
         at += *at == '|') {
        const size_t n = strcspn(at, "|");

        if (!is_among(at, n, word->value))
            return false;
        at += n;
    }
    return o->min >= word->min && o->max <= word->max;
}

static void a_word_has_one_type_of_value(void **state)
{
    (void)state;
    for (int i = list(); i-- > 0;)
        for (const option_t *o = rows[i]; o->kind != OPTION_END; o++)
            if (o->word != WORD_NONE && !is_of_type(o, &option_words[o->word]))
                fail_msg("%s --%s %s: the word has %s", all[i]->name, o->name, o->value,
                         option_words[o->word].value);
}

#ifdef RIBOGRID_BENCH
static void a_word_is_of_several_commands(void **state)
{
    const int n = list();

    (void)state;
    for (int w = WORD_NONE + 1; w < OPTION_N_WORDS; w++) {
        int n_uses = 0;

        for (int i = 0; i < n; i++)
            for (const option_t *o = rows[i]; o->kind != OPTION_END; o++)
                n_uses += (int)o->word == w;
        if (n_uses < 2)
            fail_msg("--%s is of %d commands", option_words[w].name, n_uses);
    }
}
#endif

/* An old word leads to one that the command has, and is none itself. */
static void assert_renamed(const command_t *c, const option_t *options,
                           const option_rename_t *r)
{
    const bool is_value = r->value != NULL;
    const option_t *now = find(options, is_value ? r->option : r->is_now);
    bool is_good = now != NULL;

    if (is_good && is_value)
        is_good = now->kind == OPTION_CHOICE &&
                  is_among(r->is_now, strlen(r->is_now), now->value) &&
                  !is_among(r->value, strlen(r->value), now->value);
    else if (is_good)
        is_good = find(options, r->option) == NULL;
    if (!is_good)
        fail_msg("%s --%s is now %s", c->name, r->option, r->is_now);
}

static void old_words_lead_to_new_ones(void **state)
{
    int n_renamed = 0;

    (void)state;
    for (int i = list(); i-- > 0;)
        for (const option_rename_t *r = all[i]->renamed; r != NULL && r->option != NULL;
             r++) {
            assert_renamed(all[i], rows[i], r);
            n_renamed++;
        }
    assert_true(n_renamed > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_option_that_takes_a_file_is_declared_as_one),
        cmocka_unit_test(arguments_that_are_files_are_declared_as_inputs),
        cmocka_unit_test(every_command_has_a_name_of_its_own_and_a_way_to_run),
        cmocka_unit_test(every_reader_of_text_has_a_limit),
        cmocka_unit_test(every_option_lies_within_the_structure_of_its_command),
        cmocka_unit_test(no_option_of_a_command_is_another),
        cmocka_unit_test(a_command_with_an_option_of_a_group_has_all_of_it),
        cmocka_unit_test(a_command_that_writes_files_has_force),
        cmocka_unit_test(every_choice_has_words),
        cmocka_unit_test(words_of_choices_are_the_names_of_what_they_choose),
        cmocka_unit_test(a_name_is_the_same_word_in_all_commands),
        cmocka_unit_test(a_thing_has_one_name_in_all_commands),
        cmocka_unit_test(a_word_has_one_type_of_value),
#ifdef RIBOGRID_BENCH
        cmocka_unit_test(a_word_is_of_several_commands),
#endif
        cmocka_unit_test(old_words_lead_to_new_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
