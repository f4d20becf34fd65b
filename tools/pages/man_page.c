/*
 * man_page.c - writes roff for the macros of man(7).
 */
#include "tools/pages/man_page.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Write a text; hyphens and quotes stay those of ASCII, so that they can be copied. */
static void put(const char *text, FILE *to)
{
    bool at_line_start = true;

    for (; *text != '\0'; text++) {
        if (at_line_start && (*text == '.' || *text == '\''))
            fputs("\\&", to);
        at_line_start = *text == '\n';
        switch (*text) {
        case '\\':
            fputs("\\e", to);
            break;
        case '-':
            fputs("\\-", to);
            break;
        case '`':
            fputs("\\(ga", to);
            break;
        case '\'':
            fputs("\\(aq", to);
            break;
        case '|':
            fputs("|\\:", to); /* a line may end here */
            break;
        case '^':
            fputs("\\(ha", to);
            break;
        case '~':
            fputs("\\(ti", to);
            break;
        default:
            putc(*text, to);
        }
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

static void put_title(const char *command, const man_build_t *build, FILE *to)
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
            build->date, build->version);
}

static void put_head(const char *command, const char *summary, const char *usage,
                     const man_build_t *build, FILE *to)
{
    put_title(command, build, to);
    fputs(".SH NAME\n", to);
    put_name(command, to);
    fputs(" \\- ", to);
    put(summary, to);
    fprintf(to, "\n.SH SYNOPSIS\n\\fBribogrid%s%s\\fR%s", *command != '\0' ? " " : "",
            command, *usage != '\0' ? " " : "");
    put(usage, to);
    putc('\n', to);
}

static void put_option(const option_t *o, FILE *to)
{
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
    put(o->help, to);
    putc('\n', to);
}

static void put_options(const command_t *command, FILE *to)
{
    option_t options[OPTIONS_MAX];

    options_list(command, options);
    fputs(".SH OPTIONS\n", to);
    for (const option_t *o = options; o->kind != OPTION_END; o++)
        if (o->kind == OPTION_GROUP) {
            fputs(".SS \"", to);
            putc(toupper((unsigned char)o->name[0]), to);
            put(o->name + 1, to);
            fputs("\"\n", to);
        } else {
            put_option(o, to);
        }
    fputs(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nprint a summary of the options\n", to);
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

static void put_list(const command_t *const *commands, FILE *to)
{
    fputs(".SH COMMANDS\n", to);
    for (int i = 0; commands[i] != NULL; i++) {
        fputs(".TP\n", to);
        put_reference(commands[i], "", to);
        put(commands[i]->summary, to);
        putc('\n', to);
    }
}

void man_page_file(const command_t *command, char *name, size_t size)
{
    snprintf(name, size, "ribogrid-%s.1", command->name);
    for (; *name != '\0'; name++)
        *name = *name == ' ' ? '-' : *name;
}

void man_page_write(const command_t *command, const command_t *const *children,
                    const man_build_t *build, FILE *to)
{
    put_head(command->name, command->summary, command->usage, build, to);
    if (command->notes != NULL) {
        fputs(".SH DESCRIPTION\n", to);
        put(command->notes, to);
    }
    if (children[0] != NULL)
        put_list(children, to);
    put_options(command, to);
    if (command->print_more != NULL)
        put_more(command->print_more, to);
    put_example(command->example, to);
    fputs(".SH SEE ALSO\n", to);
    for (int i = 0; children[i] != NULL; i++)
        put_reference(children[i], ",", to);
    fputs(".BR ribogrid (1)\n", to);
}

void man_page_write_program(const command_t *const *commands, const man_build_t *build,
                            FILE *to)
{
    put_head("", "exact all-against-all comparison of 16S rRNA genes",
             "COMMAND [arguments] [options]", build, to);
    fputs(".SH DESCRIPTION\n", to);
    put("ribogrid aligns every pair of a set of sequences exactly, on CPUs and GPUs, on "
        "one "
        "machine or many, and stores the results in one HDF5 file. Other commands read "
        "this file: they find OTUs, name reads, draw, and write the formats of other "
        "programs.\n",
        to);
    put_list(commands, to);
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
    fputs(".SH SEE ALSO\n", to);
    for (int i = 0; commands[i] != NULL; i++)
        put_reference(commands[i], commands[i + 1] != NULL ? "," : "", to);
}
