/*
 * make_pages.c - a program of the build: writes the manual pages and the tables of bash
 * completion, from the tables of options, into a folder.
 *
 * usage: make_pages FOLDER
 */
#include "cnn/net/cnn_net.h"
#include "graph/program/rg_program.h"
#include "io/base/logmsg.h"
#include "kernels/graph/common/graph_spec.h"
#include "tools/options/commands.h"
#include "tools/options/options.h"
#include "tools/options/program.h"
#include "version.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables of bash completion ---- */

static void write_options(const command_t *command, FILE *to)
{
    option_t options[OPTIONS_MAX];

    options_list(command, options);
    fprintf(to, "    '%s') echo '", command->name);
    for (const option_t *o = options; o->kind != OPTION_END; o++)
        if (o->kind != OPTION_GROUP)
            fprintf(to, "--%s ", o->name);
    fprintf(to, "--help' ;;\n");
}

/* Write the words among the alternatives of a placeholder: "auto cpu cuda" of
 * "auto|cpu|cuda[:I]". @return whether there are any */
static bool write_alternatives(const char *value, FILE *to)
{
    bool any = false;

    while (*value != '\0') {
        const size_t len = strcspn(value, "|");
        const size_t word = strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789-");

        if (word > 0 && (word == len || (word < len && value[word] == '['))) {
            fprintf(to, "%s%.*s", any ? " " : "", (int)word, value);
            any = true;
        }
        value += len + (value[len] == '|');
    }
    return any;
}

/* @return whether the value of an option without words is a file */
static bool is_file(const option_t *o)
{
    return o->kind == OPTION_INPUT || o->kind == OPTION_OUTPUT ||
           strcmp(o->value, "DIR") == 0;
}

static void write_pattern(const command_t *command, const option_t *o, FILE *to)
{
    fprintf(to, "    '%s --%s'", command->name, o->name);
    if (o->letter != 0)
        fprintf(to, " | '%s -%c'", command->name, o->letter);
    fprintf(to, ") echo '");
}

static void write_values(const command_t *command, FILE *to)
{
    option_t options[OPTIONS_MAX];

    options_list(command, options);
    for (const option_t *o = options; o->kind != OPTION_END; o++) {
        if (o->kind == OPTION_GROUP || o->kind == OPTION_FLAG)
            continue;
        write_pattern(command, o, to);
        if (o->kind != OPTION_TEXT && o->kind != OPTION_CHOICE)
            fputs(is_file(o) ? "<file>" : "<other>", to);
        else if (!write_alternatives(o->value, to))
            fputs(is_file(o) ? "<file>" : "<other>", to);
        fputs("' ;;\n", to);
    }
}

/* Write the functions _ribogrid_options and _ribogrid_values. */
static void write_tables(FILE *to)
{
    fprintf(
        to,
        "# ribogrid - completion of command lines for bash\n\n"
        "# The options of a command; without one, those of the program.\n"
        "_ribogrid_options()\n{\n    case $1 in\n    '') echo '--help --version' ;;\n");
    for (int i = 0; commands[i] != NULL; i++)
        write_options(commands[i], to);
    fprintf(to,
            "    esac\n}\n\n# The values of an option, '<file>' or '<other>'; nothing "
            "if it takes none.\n_ribogrid_values()\n{\n    case $1 in\n");
    for (int i = 0; commands[i] != NULL; i++)
        write_values(commands[i], to);
    fprintf(to, "    esac\n}\n\n");
}

/* ---- manual pages, in roff for the macros of man(7) ---- */

/* Write a text; hyphens and quotes stay those of ASCII, so that they can be copied. */
static void put(const char *text, FILE *to)
{
    static const char *const escapes[256] = {
        ['\\'] = "\\e",   ['-'] = "\\-",  ['`'] = "\\(ga",
        ['\''] = "\\(aq", ['|'] = "|\\:", /* a line may end here */
        ['^'] = "\\(ha",  ['~'] = "\\(ti"};
    bool at_line_start = true;

    for (; *text != '\0'; text++) {
        const char *escape = escapes[(unsigned char)*text];

        if (at_line_start && (*text == '.' || *text == '\''))
            fputs("\\&", to);
        at_line_start = *text == '\n';
        fputs(escape != NULL ? escape : (char[]){*text, '\0'}, to);
    }
}

/* Write the name of a page: "cnn train" as ribogrid-cnn-train. */
static void put_name(const char *command, FILE *to)
{
    fputs("ribogrid", to);
    if (*command != '\0')
        fputs("\\-", to);
    for (; *command != '\0'; command++)
        fputs(*command == ' ' ? "\\-" : (char[]){*command, '\0'}, to);
}

static void put_title(const char *command, FILE *to)
{
    fputs(".TH \"RIBOGRID", to);
    if (*command != '\0')
        fputs("\\-", to);
    for (const char *at = command; *at != '\0'; at++)
        if (*at == ' ')
            fputs("\\-", to);
        else
            putc(toupper((unsigned char)*at), to);
    fprintf(to, "\" 1 \"%s\" \"ribogrid %s\" \"User Commands\"\n.ad l\n.nh\n",
            VERSION_DATE, VERSION_TEXT);
}

static void put_head(const char *command, const char *summary, const char *usage,
                     FILE *to)
{
    put_title(command, to);
    fputs(".SH NAME\n", to);
    put_name(command, to);
    fputs(" \\- ", to);
    put(summary, to);
    fprintf(to, "\n.SH SYNOPSIS\n\\fBribogrid%s%s\\fR%s", *command != '\0' ? " " : "",
            command, *usage != '\0' ? " " : "");
    put(usage, to);
    putc('\n', to);
}

static void put_option(const option_t *o, const void *defaults, FILE *to)
{
    char help[OPTION_HELP_BYTES];

    fputs(".TP\n", to);
    if (o->letter != 0)
        fprintf(to, "\\fB\\-%c\\fR, ", o->letter);
    fputs("\\fB\\-\\-", to);
    put(o->name, to);
    fputs("\\fR", to);
    if (o->value != NULL) {
        fputs(" \\fI", to);
        put(o->value, to);
        fputs("\\fR", to);
    }
    putc('\n', to);
    put(option_help(o, defaults, help), to);
    putc('\n', to);
}

static void put_options(const command_t *command, FILE *to)
{
    option_t options[OPTIONS_MAX];
    void *defaults = options_defaults(command);

    if (defaults == NULL)
        return;
    options_list(command, options);
    fputs(".SH OPTIONS\n", to);
    for (const option_t *o = options; o->kind != OPTION_END; o++)
        if (o->kind == OPTION_GROUP) {
            fputs(".SS \"", to);
            putc(toupper((unsigned char)o->name[0]), to);
            put(o->name + 1, to);
            fputs("\"\n", to);
        } else {
            put_option(o, defaults, to);
        }
    fputs(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nprint a summary of the options\n", to);
    free(defaults);
}

/* What a command prints after its options: a heading and a table. */
static void put_more(void (*print)(FILE *), FILE *to)
{
    char *text = NULL;
    size_t len;
    FILE *memory = open_memstream(&text, &len);
    const char *at;

    if (memory == NULL)
        return;
    print(memory);
    if (fclose(memory) == 0) {
        at = text + strspn(text, "\n");
        fputs(".SH NOTES\n.EX\n", to);
        put(at, to);
        fputs(".EE\n", to);
    }
    free(text);
}

static void put_example(const char *example, FILE *to)
{
    fputs(".SH EXAMPLES\n.EX\n", to);
    put(example, to);
    fputs("\n.EE\n", to);
}

static void put_reference(const command_t *command, const char *end, FILE *to)
{
    fputs(".BR ", to);
    put_name(command->name, to);
    fprintf(to, " (1)%s\n", end);
}

/* List the commands below a parent, NULL: the program's, if there are any. */
static void put_list(const command_t *parent, FILE *to)
{
    int n = 0;

    for (int i = 0; commands[i] != NULL; i++) {
        if (program_word(commands[i], parent) == NULL)
            continue;
        fputs(n++ == 0 ? ".SH COMMANDS\n.TP\n" : ".TP\n", to);
        put_reference(commands[i], "", to);
        put(commands[i]->summary, to);
        putc('\n', to);
    }
}

/* @param last  what follows them; NULL: nothing */
static void put_see_also(const command_t *parent, const char *last, FILE *to)
{
    const command_t *before = NULL;

    fputs(".SH SEE ALSO\n", to);
    for (int i = 0; commands[i] != NULL; i++)
        if (program_word(commands[i], parent) != NULL) {
            if (before != NULL)
                put_reference(before, ",", to);
            before = commands[i];
        }
    if (before != NULL)
        put_reference(before, last != NULL ? "," : "", to);
    if (last != NULL)
        fputs(last, to);
}

/* @param name  out: "ribogrid-cnn-train.1" for the command "cnn train" */
static void page_file_name(const command_t *command, char *name, size_t size)
{
    snprintf(name, size, "ribogrid-%s.1", command->name);
    for (; *name != '\0'; name++)
        *name = *name == ' ' ? '-' : *name;
}

/* Write the page of a command. */
static void put_command(const command_t *command, FILE *to)
{
    char usage[OPTIONS_USAGE_BYTES];

    put_head(command->name, command->summary, options_usage(command, usage), to);
    if (command->notes != NULL) {
        fputs(".SH DESCRIPTION\n", to);
        put(command->notes, to);
    }
    put_list(command, to);
    put_options(command, to);
    if (command->print_more != NULL)
        put_more(command->print_more, to);
    put_example(command->example, to);
    put_see_also(command, ".BR ribogrid (1)\n", to);
}

/* Write the page of the program. */
static void put_program(FILE *to)
{
    put_head("", "exact all-against-all comparison of 16S rRNA genes",
             "COMMAND [arguments] [options]", to);
    fputs(".SH DESCRIPTION\n", to);
    put("ribogrid aligns every pair of a set of sequences exactly, on CPUs and GPUs, on "
        "one "
        "machine or many, and stores the results in one HDF5 file. Other commands read "
        "this file: they find OTUs, name reads, draw, and write the formats of other "
        "programs.\n",
        to);
    put_list(NULL, to);
    fputs(".TP\n\\fBhelp\\fR [COMMAND]\nlist the commands, or print the options of one\n"
          ".TP\n\\fBversion\\fR\nprint how the program was built\n"
          ".SH OPTIONS\n.TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nas help\n.TP\n"
          "\\fB\\-\\-version\\fR\nas version\n"
          ".SH EXIT STATUS\n.TP\n0\nfinished\n.TP\n1\nfailed; one line on stderr has the "
          "cause and the remedy\n.TP\n2\ninvalid command line\n.TP\n75\nstopped by a "
          "signal; \\fB\\-\\-resume\\fR continues\n",
          to);
    put_example(
        "ribogrid simulate 1000 -o reads.fa\nribogrid align reads.fa -o pairs.h5\n"
        "ribogrid view pairs.h5 --id 0.97",
        to);
    put_see_also(NULL, NULL, to);
}

enum { PATH_BYTES = 4096 };

static const char *folder;

/* Open a file of the folder. @return NULL if that fails (logged) */
static FILE *open_page(const char *name)
{
    char path[PATH_BYTES];
    FILE *to;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    if ((to = fopen(path, "w")) == NULL)
        log_error("cannot write %s: %s", path, strerror(errno));
    return to;
}

/* @return whether all was written (else logged) */
static bool close_page(FILE *to, const char *name)
{
    const bool is_good = !ferror(to);

    if (fclose(to) == 0 && is_good)
        return true;
    log_error("cannot write %s/%s: %s", folder, name, strerror(errno));
    return false;
}

static bool write_page(const command_t *command)
{
    char name[128];
    FILE *to;

    page_file_name(command, name, sizeof(name));
    if ((to = open_page(name)) == NULL)
        return false;
    put_command(command, to);
    return close_page(to, name);
}

static bool write_program(void)
{
    static const char name[] = "ribogrid.1";
    FILE *to = open_page(name);

    if (to == NULL)
        return false;
    put_program(to);
    return close_page(to, name);
}

static void write_children(const command_t *parent, FILE *to)
{
    for (int i = 0; commands[i] != NULL; i++)
        if (program_word(commands[i], parent) != NULL)
            fprintf(to, "%s ", program_word(commands[i], parent));
}

/* Words that may follow a command: its subcommands, algorithms, networks, programs. */
static void write_words(const command_t *command, FILE *to)
{
    const bool takes_net =
        command->words != NULL && strcmp(command->words->name, "NET") == 0;

    fprintf(to, "    '%s') echo '", command->name);
    write_children(command, to);
    for (int a = 0; command == &cmd_graph && a < GRAPH_N_ALGORITHMS; a++)
        fprintf(to, "%s ", graph_info((graph_algorithm_t)a)->name);
    for (int i = 0; takes_net && net_shipped[i].name != NULL; i++)
        fprintf(to, "%s ", net_shipped[i].name);
    for (int i = 0; command == &cmd_graph_run && rg_shipped[i].name != NULL; i++)
        fprintf(to, "%s ", rg_shipped[i].name);
    fprintf(to, "' ;;\n");
}

static bool write_completion(void)
{
    static const char name[] = "tables.bash";
    FILE *to = open_page(name);

    if (to == NULL)
        return false;
    write_tables(to);
    fprintf(to, "# The words that may follow a command; without one, the commands.\n"
                "_ribogrid_words()\n{\n    case $1 in\n    '') echo '");
    write_children(NULL, to);
    fprintf(to, "help version' ;;\n");
    for (int i = 0; commands[i] != NULL; i++)
        write_words(commands[i], to);
    fprintf(to, "    esac\n}\n\n");
    return close_page(to, name);
}

int main(int argc, char **argv)
{
    bool is_done;

    if (argc != 2) {
        log_error("usage: make_pages FOLDER");
        return EXIT_USAGE;
    }
    folder = argv[1];
    is_done = write_program() && write_completion();
    for (int i = 0; is_done && commands[i] != NULL; i++)
        is_done = write_page(commands[i]);
    return is_done ? EXIT_OK : EXIT_FAILED;
}
