/*
 * test_option_files.c - every pair of an output and another file that a command line may
 * name, by the tables of all commands: one file for both is refused, by whatever path.
 */
#include "tests/support/unit_test.h"

#ifdef RIBOGRID_BENCH
#include "bench/options/benchmarks.h"
#endif
#include "tests/support/captured_log.h"
#include "tools/options/commands.h"
#include "tools/options/option_files.h"
#include "tools/options/option_tables.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { COMMANDS_MAX = 64, ARGV_MAX = 16 };

/* In the test's directory, where `same` leads to itself, `link.list` to old.list and
 * `dangling.list` to new.list; `hard.list` is old.list.  The ending is one of those that
 * `cluster` appends to a prefix, the content that of a manifest. */
static const char *const old_paths[] = {"old.list",      "./old.list",
                                        "same/old.list", "folder/../old.list",
                                        "link.list",     "hard.list"};
static const char *const new_paths[] = {"new.list", "./new.list", "same/new.list",
                                        "folder/../new.list", "dangling.list"};
static const char ending[] = ".list", content[] = "precious\tfile";

/* A file of a command line: an option, or the word of an index. */
typedef struct {
    const option_t *row;
    int word; /* -1: an option */
} named_t;

static int list_commands(const command_t *all[COMMANDS_MAX])
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
    return n;
}

static bool is_file(const option_t *o)
{
    return o->kind == OPTION_INPUT || o->kind == OPTION_OUTPUT;
}

static int list_files(const command_t *c, const option_t *options,
                      named_t out[OPTIONS_MAX])
{
    int n = 0;

    for (int i = 0; c->words != NULL && c->words[i].kind != OPTION_END; i++)
        if (is_file(&c->words[i]))
            out[n++] = (named_t){&c->words[i], i};
    for (const option_t *o = options; o->kind != OPTION_END; o++)
        if (is_file(o))
            out[n++] = (named_t){o, -1};
    return n;
}

/* What is given to name a file: most take its path. */
static void value_for(const named_t *of, const char *path, char out[PATH_BYTES])
{
    const bool is_prefix = of->word < 0 && strcmp(of->row->value, "PREFIX") == 0;
    const bool is_graph = of->row->files == option_graph_files;

    snprintf(out, PATH_BYTES, "%s%.*s", is_graph ? "clone:" : "",
             (int)(strlen(path) - (is_prefix ? strlen(ending) : 0)), path);
}

/* Parse a command line with two values, and "1" for other words. @return the status */
static status_t parse(const command_t *c, const named_t of[2], char value[2][PATH_BYTES])
{
    static char one[] = "1", name[2][64];
    void *args = options_defaults(c);
    char *argv[ARGV_MAX];
    int argc = 0;
    status_t st;

    assert_non_null(args);
    for (int w = 0; c->words != NULL && c->words[w].kind != OPTION_END; w++)
        argv[argc++] = w == of[0].word ? value[0] : w == of[1].word ? value[1] : one;
    for (int k = 0; k < 2; k++)
        if (of[k].word < 0) {
            snprintf(name[k], sizeof(name[k]), "--%s", of[k].row->name);
            argv[argc++] = name[k];
            argv[argc++] = value[k];
        }
    capture_start();
    st = options_parse(c, argc, argv, args);
    capture_stop();
    free(args);
    return st;
}

/* Name two paths in the test's directory. @return the status */
static status_t name_both(const command_t *c, const named_t of[2], const char *first,
                          const char *second)
{
    char path[PATH_BYTES], value[2][PATH_BYTES];

    dir_file(first, path);
    value_for(&of[0], path, value[0]);
    dir_file(second, path);
    value_for(&of[1], path, value[1]);
    return parse(c, of, value);
}

static void assert_refused(const command_t *c, const named_t of[2], const char *first,
                           const char *second)
{
    const bool are_outputs =
        of[0].row->kind == OPTION_OUTPUT && of[1].row->kind == OPTION_OUTPUT;

    if (name_both(c, of, first, second) != ST_EUSAGE)
        fail_msg("%s: %s as %s, %s as %s", c->name, first,
                 of[0].word < 0 ? of[0].row->name : "a word", second,
                 of[1].word < 0 ? of[1].row->name : "a word");
    assert_logged_one_line();
    assert_logged(are_outputs ? " are the same file; give another output"
                              : " is an input of this command (");
    for (int k = 0; k < 2; k++)
        if (of[k].word < 0 && of[k].row->letter == 0)
            assert_logged(of[k].row->name);
}

/* Two outputs that are new files are compared as well as those that exist. */
static void assert_pair_is_compared(const command_t *c, const named_t of[2])
{
    const bool are_outputs =
        of[0].row->kind == OPTION_OUTPUT && of[1].row->kind == OPTION_OUTPUT;

    for (size_t k = 0; k < sizeof(old_paths) / sizeof(old_paths[0]); k++)
        assert_refused(c, of, old_paths[0], old_paths[k]);
    for (size_t k = 0; are_outputs && k < sizeof(new_paths) / sizeof(new_paths[0]); k++)
        assert_refused(c, of, new_paths[0], new_paths[k]);
    if (name_both(c, of, of[0].row->kind == OPTION_INPUT ? "old.list" : "a.list",
                  of[1].row->kind == OPTION_INPUT ? "old.list" : "b.list") == ST_EUSAGE)
        fail_msg("%s: two files: %s", c->name, logged);
}

/* Besides its own name, a value names others. */
static void assert_others_are_compared(const command_t *c, const named_t of[2])
{
    if (of[0].row->files == option_job_files) {
        assert_refused(c, of, "old", "old.part");
        assert_refused(c, of, "old", "old.part.new");
    }
    if (of[0].row->files == option_image_files)
        assert_refused(c, of, "images-idx3", "folder/../labels-idx1");
}

static void every_output_is_compared_with_every_other_file(void **state)
{
    const command_t *all[COMMANDS_MAX];
    int n = 0;

    (void)state;
    for (int i = list_commands(all); i-- > 0;) {
        option_t options[OPTIONS_MAX];
        named_t files[OPTIONS_MAX];
        int n_files;

        options_list(all[i], options);
        n_files = list_files(all[i], options, files);
        for (int a = 0; a < n_files; a++)
            for (int b = 0; b < n_files; b++) {
                const named_t of[2] = {files[a], files[b]};

                if (a == b || (of[0].row->kind != OPTION_OUTPUT &&
                               of[1].row->kind != OPTION_OUTPUT))
                    continue;
                assert_pair_is_compared(all[i], of);
                if (of[1].row->kind == OPTION_OUTPUT && of[1].row->files == NULL)
                    assert_others_are_compared(all[i], of);
                n++;
            }
    }
    assert_true(n >= 60);
}

static void devices_may_be_named_twice(void **state)
{
    const command_t *all[COMMANDS_MAX];
    int n = 0;

    (void)state;
    for (int i = list_commands(all); i-- > 0;) {
        option_t options[OPTIONS_MAX];
        named_t files[OPTIONS_MAX];
        char value[2][PATH_BYTES] = {"/dev/null", "/dev/null"};
        int n_files;

        options_list(all[i], options);
        n_files = list_files(all[i], options, files);
        for (int a = 1; a < n_files; a++) {
            const named_t of[2] = {files[a - 1], files[a]};

            if (parse(all[i], of, value) == ST_EUSAGE)
                fail_msg("%s: %s", all[i]->name, logged);
            n++;
        }
    }
    assert_true(n >= 20);
}

static int make_files(void **state)
{
    static const char *const files[] = {"old",          "old.list",    "old.part",
                                        "old.part.new", "images-idx3", "labels-idx1"};
    static const char *const links[][2] = {{"same", "."},
                                           {"link.list", "old.list"},
                                           {"dangling.list", "new.list"}};
    char path[PATH_BYTES], hard[PATH_BYTES];

    if (dir_make(state) != 0)
        return -1;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        dir_file(files[i], path);
        dir_put(path, content, strlen(content));
    }
    for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
        dir_file(links[i][0], path);
        if (symlink(links[i][1], path) != 0)
            return -1;
    }
    dir_file("folder", path);
    if (mkdir(path, 0700) != 0)
        return -1;
    dir_file("old.list", path);
    dir_file("hard.list", hard);
    return link(path, hard);
}

/* Remove the files of make_files; then the directory has to be empty. */
static int remove_files(void **state)
{
    static const char *const files[] = {"old",          "old.list",    "old.part",
                                        "old.part.new", "images-idx3", "labels-idx1",
                                        "same",         "link.list",   "dangling.list",
                                        "hard.list"};
    char path[PATH_BYTES];

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        dir_file(files[i], path);
        unlink(path);
    }
    dir_file("folder", path);
    rmdir(path);
    return dir_remove(state);
}

static void no_file_is_harmed(void **state)
{
    size_t len;
    char path[PATH_BYTES];

    (void)state;
    for (size_t k = 0; k < sizeof(old_paths) / sizeof(old_paths[0]); k++) {
        unsigned char *text;

        dir_file(old_paths[k], path);
        text = dir_get(path, &len);
        assert_int_equal(len, strlen(content));
        assert_memory_equal(text, content, len);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_output_is_compared_with_every_other_file),
        cmocka_unit_test(devices_may_be_named_twice),
        cmocka_unit_test(no_file_is_harmed),
    };

    return cmocka_run_group_tests(tests, make_files, remove_files);
}
