/*
 * test_commands.c - the option tables of all commands: files are declared as files, and
 * no command writes what it reads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#ifdef RIBOGRID_BENCH
#include "bench/options/benchmarks.h"
#endif
#include "tests/support/captured_log.h"
#include "tools/options/commands.h"
#include "worker/graph/graph_opts.h"

#include <stdbool.h>

enum { ARGS_BYTES = 8192, COMMANDS_MAX = 64 };

static const command_t *all[COMMANDS_MAX];
static char path[PATH_BYTES], linked[PATH_BYTES];

static int list(void)
{
    int n = 0;

    all[n++] = &cmd_classify_train;
    all[n++] = &cmd_graph_make;
    for (int i = 0; commands[i] != NULL; i++)
        all[n++] = commands[i];
#ifdef RIBOGRID_BENCH
    all[n++] = &cmd_bench_align;
    all[n++] = &cmd_bench_classify;
    all[n++] = &cmd_bench_dispatch;
    all[n++] = &cmd_bench_graph;
#endif
    for (int i = 0; cnn_commands[i] != NULL; i++)
        all[n++] = cnn_commands[i];
    assert_true(n < COMMANDS_MAX);
    return n;
}

/* @return whether a placeholder of --help means a file */
static bool names_file(const char *value)
{
    static const char *const signs[] = {"FILE", ".fa", ".h5", ".html", ".tsv", ".svg"};

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
        for (const option_t *o = all[i]->options; o->kind != OPTION_END; o++) {
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
    for (int i = list(); i-- > 0;) {
        size_t word = strcspn(all[i]->usage, " ");
        char first[64];

        snprintf(first, sizeof(first), "%.*s", (int)word, all[i]->usage);
        if (names_file(first) != all[i]->words_are_inputs)
            fail_msg("%s %s", all[i]->name, first);
        n_inputs += all[i]->words_are_inputs;
    }
    assert_true(n_inputs >= 7);
}

/* Those that read nothing, or only HDF5. */
static bool has_no_limit(const command_t *c)
{
    static const command_t *const list[] = {&cmd_cnn,
                                            &cmd_devices,
                                            &cmd_info,
                                            &cmd_selftest,
                                            &cmd_simulate,
#ifdef RIBOGRID_BENCH
                                            &cmd_bench_dispatch,
#endif
                                            &cmd_view};

    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
        if (list[i] == c)
            return true;
    return false;
}

static void every_reader_of_text_has_a_limit(void **state)
{
    (void)state;
    for (int i = list(); i-- > 0;) {
        const option_t *o = all[i]->options;

        while (o->kind != OPTION_END && o->kind != OPTION_MAX_INPUT)
            o++;
        if ((o->kind == OPTION_END) != has_no_limit(all[i]))
            fail_msg("%s", all[i]->name);
    }
}

/* Parse a command line with one option for the input, or NULL for the argument, and one
 * for the output. @return what options_parse returns */
static status_t parse(const command_t *c, const option_t *input, const option_t *output)
{
    static _Alignas(max_align_t) char args[ARGS_BYTES];
    const char *words[OPTIONS_WORDS_MAX];
    char in[64], out[64], *argv[8];
    int argc = 0;
    status_t st;

    memset(args, 0, sizeof(args));
    for (int i = 0; i < c->n_words_min; i++)
        argv[argc++] = input == NULL ? path : dir;
    if (input != NULL) {
        snprintf(in, sizeof(in), "--%s", input->name);
        argv[argc++] = in;
        argv[argc++] = path;
    }
    snprintf(out, sizeof(out), "--%s", output->name);
    argv[argc++] = out;
    argv[argc++] = linked;
    capture_start();
    st = options_parse(c, argc, argv, args, words);
    capture_stop();
    return st;
}

static int assert_output_is_refused(const command_t *c, const option_t *output)
{
    const option_t *input = c->words_are_inputs ? NULL : c->options;
    int n = 0;

    for (; input == NULL || input->kind != OPTION_END;
         input = input == NULL ? c->options : input + 1) {
        if (input != NULL && input->kind != OPTION_INPUT)
            continue;
        if (parse(c, input, output) != ST_EINPUT)
            fail_msg("%s --%s: an input", c->name, output->name);
        assert_logged_one_line();
        assert_logged("is an input of this command (");
        assert_logged("; give another output");
        n++;
    }
    return n;
}

/* Commands on all ranks are tested by cli_files.sh. */
static void every_output_is_compared_with_every_input(void **state)
{
    int n = 0;

    (void)state;
    dir_file("input", path);
    dir_file("linked", linked);
    dir_put(path, "x", 1);
    assert_int_equal(link(path, linked), 0);
    for (int i = list(); i-- > 0;)
        for (const option_t *o = all[i]->options; o->kind != OPTION_END; o++)
            if (o->kind == OPTION_OUTPUT && !all[i]->on_all_ranks)
                n += assert_output_is_refused(all[i], o);
    assert_true(n >= 5); /* export 1, report 2, taxonomy 2 */
    unlink(linked);
    unlink(path);
}

/* The words of an option are the names of a table, joined. */
static void assert_words(const char *option, const char *const *names, int n)
{
    char words[256] = "";
    const option_t *o = cmd_graph.options;

    for (int i = 0; i < n; i++)
        snprintf(words + strlen(words), sizeof(words) - strlen(words), "%s%s",
                 i > 0 ? "|" : "", names[i]);
    while (o->kind != OPTION_END && (o->name == NULL || strcmp(o->name, option) != 0))
        o++;
    assert_int_equal(o->kind, OPTION_CHOICE);
    assert_string_equal(o->value, words);
}

static void words_of_graph_are_the_names_of_its_kernels(void **state)
{
    (void)state;
    assert_words("template", graph_template_name, GRAPH_N_TEMPLATES);
    assert_words("variant", graph_variant_name, GRAPH_N_VARIANTS);
    assert_words("update", graph_update_name, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_option_that_takes_a_file_is_declared_as_one),
        cmocka_unit_test(arguments_that_are_files_are_declared_as_inputs),
        cmocka_unit_test(every_reader_of_text_has_a_limit),
        cmocka_unit_test(every_output_is_compared_with_every_input),
        cmocka_unit_test(words_of_graph_are_the_names_of_its_kernels),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
