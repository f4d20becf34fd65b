/*
 * bash_completion.c - writes two functions of bash: the options of a command, and the
 * values of an option.
 */
#include "tools/pages/bash_completion.h"

#include <string.h>

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
static bool write_words(const char *value, FILE *to)
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
    static const char *const files[] = {"DIR", "FILE", "IMAGES", "PREFIX"};

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        if (strcmp(o->value, files[i]) == 0)
            return true;
    return o->kind == OPTION_INPUT || o->kind == OPTION_OUTPUT;
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
        else if (!write_words(o->value, to))
            fputs(is_file(o) ? "<file>" : "<other>", to);
        fputs("' ;;\n", to);
    }
}

void bash_completion_write(const command_t *const *all, FILE *to)
{
    fprintf(
        to,
        "# ribogrid - completion of command lines for bash\n\n"
        "# The options of a command; without one, those of the program.\n"
        "_ribogrid_options()\n{\n    case $1 in\n    '') echo '--help --version' ;;\n");
    for (int i = 0; all[i] != NULL; i++)
        write_options(all[i], to);
    fprintf(to,
            "    esac\n}\n\n# The values of an option, '<file>' or '<other>'; nothing "
            "if it takes none.\n_ribogrid_values()\n{\n    case $1 in\n");
    for (int i = 0; all[i] != NULL; i++)
        write_values(all[i], to);
    fprintf(to, "    esac\n}\n\n");
}
