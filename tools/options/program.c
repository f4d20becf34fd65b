/*
 * program.c - finds the command and runs it.
 */
#include "tools/options/program.h"

#include "dispatcher/transport/transport.h"
#include "io/base/buf.h"
#include "io/base/child.h"
#include "io/base/logmsg.h"
#include "io/base/near_word.h"
#include "io/file/tmp_file.h"
#include "io/file/unpack.h"
#include "io/store/deflate.h"
#include "kernels/device/device.h"
#include "tools/options/job_run.h"
#include "tools/options/options.h"
#include "version.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const program_t *program;

static void print_inputs(void)
{
    printf("inputs   ");
    for (int i = 0; unpack_methods[i] != NULL; i++) {
        const unpack_method_t *m = unpack_methods[i];
        const char *version = m->version();

        printf("%s%s (%s %.*s)", i > 0 ? ", " : "", m->name, m->library,
               (int)strcspn(version, ","), version);
    }
    putchar('\n');
}

static void print_version(void)
{
    printf("%s %s\ncommit   %s\ncompiler %s\nCUDA     %s, for %s\nMPI      %s\n"
           "HDF5     %s\ndeflate  %s\nSIMD     %s; this machine: %s\n",
           program->name, VERSION_TEXT, VERSION_COMMIT, VERSION_COMPILER, VERSION_CUDA,
           VERSION_CUDA_ARCHITECTURES, transport_mpi_version(), VERSION_HDF5,
           deflate_library(), device_simd_built(), device_simd_name(device_cpu().simd));
    print_inputs();
}

const char *program_word(const command_t *command, const command_t *parent)
{
    const size_t len = parent != NULL ? strlen(parent->name) : 0;

    if (parent == NULL)
        return strchr(command->name, ' ') == NULL ? command->name : NULL;
    return strncmp(command->name, parent->name, len) == 0 && command->name[len] == ' '
               ? command->name + len + 1
               : NULL;
}

static const command_t *find(const command_t *parent, const char *word)
{
    for (const command_t *const *c = program->commands; *c != NULL; c++) {
        const char *name = program_word(*c, parent);

        if (name != NULL && strcmp(name, word) == 0)
            return *c;
    }
    return NULL;
}

const command_t *program_command(const char *name)
{
    const command_t *const *c = program->commands;

    while (*c != NULL && strcmp((*c)->name, name) != 0)
        c++;
    return *c;
}

/* @param n  out: how many words name it
 * @return the command that begins a command line, or NULL */
static const command_t *find_words(int argc, char **argv, int *n)
{
    const command_t *command = argc > 0 ? find(NULL, argv[0]) : NULL;
    const command_t *second = command != NULL && argc > 1 ? find(command, argv[1]) : NULL;

    *n = second != NULL ? 2 : 1;
    return second != NULL ? second : command;
}

/* @return `out`: "; did you mean align?", or "" if no command of the parent is near */
static const char *guess_of(const command_t *parent, const char *word,
                            char out[NEAR_WORD_BYTES])
{
    near_word_t near = near_word_begin(word, strlen(word));

    for (const command_t *const *c = program->commands; *c != NULL; c++)
        if (program_word(*c, parent) != NULL)
            near_word_try(&near, program_word(*c, parent));
    return near_word_text(&near, "", out);
}

static void log_unknown(const char *name)
{
    char guess[NEAR_WORD_BYTES];

    if (program->moved != NULL && strcmp(name, program->moved) == 0)
        log_error("%s is a program of its own: %s-%s", name, program->name, name);
    else
        log_error("unknown command '%s'%s; `%s --help` lists the commands", name,
                  guess_of(NULL, name, guess), program->name);
}

static int width_of_words(const command_t *parent)
{
    size_t width = 0;

    for (const command_t *const *c = program->commands; *c != NULL; c++) {
        const char *word = program_word(*c, parent);

        if (word != NULL && strlen(word) > width)
            width = strlen(word);
    }
    return (int)width;
}

static void print_summaries(const command_t *parent, FILE *to)
{
    const int width = width_of_words(parent);

    for (const command_t *const *c = program->commands; *c != NULL; c++)
        if (program_word(*c, parent) != NULL)
            fprintf(to, "  %-*s  %s\n", width, program_word(*c, parent), (*c)->summary);
}

static void print_help(FILE *to)
{
    fprintf(to, "%s: %s\n\nusage: %s COMMAND ...\n\n", program->name, program->summary,
            program->name);
    print_summaries(NULL, to);
    fprintf(to,
            "\n`%s help COMMAND` prints the options of a command, `%s version` how this\n"
            "program was built.\n\nexample:\n  %s\n",
            program->name, program->name, program->example);
}

/* For scripts: print the names of all commands that have options, or of those that run a
 * job, one per line. */
static void print_names(bool only_jobs)
{
    for (const command_t *const *c = program->commands; *c != NULL; c++)
        if (only_jobs ? (*c)->job != NULL : (*c)->options != NULL)
            printf("%s\n", (*c)->name);
}

static bool has_option(const command_t *command, const char *name)
{
    option_t rows[OPTIONS_MAX];

    options_list(command, rows);
    for (const option_t *o = rows; o->kind != OPTION_END; o++)
        if (o->kind != OPTION_GROUP && strcmp(o->name, name) == 0)
            return true;
    return false;
}

/* Print an option, unless a command before this one has it: name, letter, value, meaning
 * and commands, separated by tabs. */
static void print_option(const command_t *const *first, const option_t *o)
{
    const char *separator = "", *fixed;
    bool is_of_all = true;

    for (const command_t *const *c = program->commands; *c != NULL; c++) {
        const bool has = has_option(*c, o->name);

        if (has && c < first)
            return;
        is_of_all = is_of_all && (has || (*c)->options == NULL);
    }
    if (o->word != WORD_NONE)
        o = &option_words[o->word];
    fixed = strstr(o->help, " ({})"); /* the default is the command's */
    printf("--%s\t%c\t%s\t%.*s\t%s", o->name, o->letter != 0 ? o->letter : '-',
           o->value != NULL ? o->value : "-",
           (int)(fixed != NULL ? fixed - o->help : (long)strlen(o->help)), o->help,
           is_of_all ? "all" : "");
    for (const command_t *const *c = first; !is_of_all && *c != NULL; c++)
        if (has_option(*c, o->name)) {
            printf("%s%s", separator, (*c)->name);
            separator = ", ";
        }
    putchar('\n');
}

/* For scripts and docs/commands.md: print all options of all commands, one per line. */
static void print_options(void)
{
    option_t rows[OPTIONS_MAX];

    for (const command_t *const *c = program->commands; *c != NULL; c++) {
        options_list(*c, rows);
        for (const option_t *o = rows; o->kind != OPTION_END; o++)
            if (o->kind != OPTION_GROUP)
                print_option(c, o);
    }
}

/* @return whether there are commands of two words that begin with this one */
static bool is_parent(const command_t *command)
{
    for (const command_t *const *c = program->commands; *c != NULL; c++)
        if (program_word(*c, command) != NULL)
            return true;
    return false;
}

/* Print the help of a command, of one that needs a second word the list of those.
 * @return ST_EDONE, or ST_ENOMEM */
static status_t print_command_help(const command_t *command, FILE *to)
{
    if (command->options != NULL)
        return options_print_help(command, to);
    fprintf(to, "%s %s: %s\n\nusage: %s %s %s\n\n", program->name, command->name,
            command->summary, program->name, command->name, command->usage);
    print_summaries(command, to);
    fprintf(to, "\n`%s %s COMMAND --help` prints its options.\n\nexample:\n  %s\n",
            program->name, command->name, command->example);
    return ST_EDONE;
}

/* Run a command that needs the second word of another one, without it. */
static status_t run_parent(const command_t *parent, const char *word)
{
    char guess[NEAR_WORD_BYTES];

    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0
               ? print_command_help(parent, stdout)
               : options_misuse(parent, "unknown command '%s'%s", word,
                                guess_of(parent, word, guess));
}

/* @return the command line, or NULL without memory; the caller frees it */
static char *line_of(const command_t *command, int argc, char **argv)
{
    buf_t text = {0};
    status_t st = buf_printf(&text, "%s %s", program->name, command->name);

    for (int i = 0; st == ST_OK && i < argc; i++)
        st = buf_printf(&text, " %s", argv[i]);
    if (st == ST_OK)
        st = buf_append(&text, "", 1);
    if (st != ST_OK)
        buf_free(&text);
    return (char *)text.data;
}

/* @return the exit code */
static int run_command(const command_t *command, int argc, char **argv)
{
    char *line = NULL;
    job_opts_t *args;
    status_t st;

    if (argc == 0 && is_parent(command)) {
        if (!log_is_held()) /* of several ranks one prints */
            (void)print_command_help(command, stderr);
        return EXIT_USAGE;
    }
    if (command->options == NULL)
        return status_exit_code(run_parent(command, argv[0]));
    if ((args = options_defaults(command)) == NULL)
        return EXIT_FAILED;
    if ((st = options_parse(command, argc, argv, args)) == ST_OK) {
        line = line_of(command, argc, argv);
        args->command_line = line != NULL ? line : "";
        args->version = "ribogrid " VERSION_LONG;
        args->n_words = argc;
        args->words = argv;
        st = command->run != NULL ? command->run(args) : job_run(command, args);
    }
    free(line);
    free(args);
    return status_exit_code(st);
}

/* Print the help of a command of one or two words, as `COMMAND --help` does.
 * @return the exit code */
static int help_of(int n, char **words)
{
    char help[] = "--help", *args[] = {help, NULL, NULL};
    int n_name;
    const command_t *command = find_words(n, words, &n_name);

    if (command == NULL || n > 2) {
        if (n > 2)
            log_error("help: unexpected argument '%s'; give a command", words[2]);
        else
            log_unknown(words[0]);
        return EXIT_USAGE;
    }
    if (n > n_name) {
        args[0] = words[n_name];
        args[1] = help;
    }
    return run_command(command, 1 + n - n_name, args);
}

/* @return the exit code */
static int run_word(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    int n;
    const command_t *command = find_words(argc - 1, argv + 1, &n);

    if (command != NULL)
        return run_command(command, argc - 1 - n, argv + 1 + n);
    if (strcmp(name, "--version") == 0 || strcmp(name, "version") == 0) {
        print_version();
        return EXIT_OK;
    }
    if (strcmp(name, "help") == 0 && argc == 3 && strcmp(argv[2], "--options") == 0) {
        print_options();
        return EXIT_OK;
    }
    if (strcmp(name, "help") == 0 && argc == 3 &&
        (strcmp(argv[2], "--commands") == 0 || strcmp(argv[2], "--jobs") == 0)) {
        print_names(strcmp(argv[2], "--jobs") == 0);
        return EXIT_OK;
    }
    if (strcmp(name, "help") == 0 && argc > 2)
        return help_of(argc - 2, argv + 2);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 ||
        strcmp(name, "help") == 0) {
        print_help(stdout);
        return EXIT_OK;
    }
    if (argc > 1)
        log_unknown(name);
    else
        print_help(stderr);
    return EXIT_USAGE;
}

int program_end(int code)
{
    errno = 0;
    if ((fflush(stdout) == 0 && !ferror(stdout)) || code != EXIT_OK)
        return code;
    log_error("cannot write to stdout%s%s; nothing or only a part was written",
              errno != 0 ? ": " : "", errno != 0 ? strerror(errno) : "");
    return EXIT_FAILED;
}

/* @return the exit code */
static int run(int argc, char **argv)
{
    return program_end(run_word(argc, argv));
}

int program_run_in_child(int (*fn)(int, char **), int argc, char **argv)
{
    const child_limits_t limits = child_limits(argc, argv, device_cpu().memory_bytes);
    int code;

    tmp_file_share();
    code = child_run(&limits, fn, argc, argv);
    tmp_file_remove_all();
    return code;
}

/*
 * Open descriptors 0 to 2 where they are closed, so that no other file gets their numbers
 * and is written to by mistake.  Reading from stdin and writing to stdout still fail
 * then; only messages are dropped.
 */
static void open_missing_descriptors(void)
{
    static const int flags[] = {O_WRONLY, O_RDONLY, O_WRONLY};

    for (int i = 0; i < 3; i++)
        if (fcntl(i, F_GETFD) < 0 && open("/dev/null", flags[i]) != i)
            _exit(EXIT_FAILED); /* there is nowhere to say it */
}

int program_run(const program_t *p, int argc, char **argv)
{
    const bool is_first = transport_launcher_rank() <= 0;
    const command_t *command;
    int n, code;

    program = p;
    log_set_program(p->name);
    command = find_words(argc - 1, argv + 1, &n);
    open_missing_descriptors();
    /* exceeding a file size limit is then an ordinary write error */
    signal(SIGXFSZ, SIG_IGN);
    if (!is_first && !p->on_all_ranks &&
        (command == NULL || !(command->on_all_ranks || command->job != NULL)))
        return EXIT_OK;
    if (!is_first)
        log_hold();
    code = command != NULL && command->reads_results
               ? program_run_in_child(run, argc, argv)
               : run(argc, argv);
    log_release(code != EXIT_USAGE);
    /* A launcher stops all ranks if one fails: rank 0, which says why, shall be that. */
    return !is_first && code == EXIT_USAGE ? EXIT_OK : code;
}
