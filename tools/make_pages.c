/*
 * make_pages.c - a program of the build: writes the manual pages and the tables of bash
 * completion, from the tables of options, into a folder.
 *
 * usage: make_pages FOLDER
 */
#include "cnn/net/cnn_net.h"
#include "io/base/logmsg.h"
#include "kernels/graph/common/graph_spec.h"
#include "tools/options/commands.h"
#include "tools/pages/bash_completion.h"
#include "tools/pages/man_page.h"
#include "version.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MAX_COMMANDS = 64, PATH_BYTES = 4096 };

static const command_t *all[MAX_COMMANDS + 1];
static const man_build_t build = {VERSION_TEXT, VERSION_DATE};
static const char *folder;

static void add(const command_t *command)
{
    int n = 0;

    while (all[n] != NULL)
        n++;
    if (n < MAX_COMMANDS)
        all[n] = command;
}

static void find_all(void)
{
    for (int i = 0; commands[i] != NULL; i++)
        add(commands[i]);
    for (int i = 0; cnn_commands[i] != NULL; i++)
        add(cnn_commands[i]);
    add(&cmd_classify_train);
    add(&cmd_graph_make);
}

/* @return the second word if a command is one of a parent's, as "train" of "cnn train";
 * else NULL */
static const char *word_under(const command_t *command, const char *parent)
{
    const size_t len = strlen(parent);

    return strncmp(command->name, parent, len) == 0 && command->name[len] == ' '
               ? command->name + len + 1
               : NULL;
}

static void find_children(const command_t *command,
                          const command_t *children[MAX_COMMANDS + 1])
{
    int n = 0;

    for (int i = 0; all[i] != NULL; i++)
        if (word_under(all[i], command->name) != NULL)
            children[n++] = all[i];
    children[n] = NULL;
}

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
    const command_t *children[MAX_COMMANDS + 1];
    char name[128];
    FILE *to;

    find_children(command, children);
    man_page_file(command, name, sizeof(name));
    if ((to = open_page(name)) == NULL)
        return false;
    man_page_write(command, children, &build, to);
    return close_page(to, name);
}

static bool write_program(void)
{
    static const char name[] = "ribogrid.1";
    FILE *to = open_page(name);

    if (to == NULL)
        return false;
    man_page_write_program(commands, &build, to);
    return close_page(to, name);
}

/* Words that may follow a command: its subcommands, algorithms, networks. */
static void write_words(const command_t *command, FILE *to)
{
    const bool takes_net = strncmp(command->usage, "NET", strlen("NET")) == 0;

    fprintf(to, "    '%s') echo '", command->name);
    for (int i = 0; all[i] != NULL; i++)
        if (word_under(all[i], command->name) != NULL)
            fprintf(to, "%s ", word_under(all[i], command->name));
    for (int a = 0; command == &cmd_graph && a < GRAPH_N_ALGORITHMS; a++)
        fprintf(to, "%s ", graph_info((graph_algorithm_t)a)->name);
    for (int i = 0; takes_net && net_shipped[i].name != NULL; i++)
        fprintf(to, "%s ", net_shipped[i].name);
    fprintf(to, "' ;;\n");
}

static bool write_completion(void)
{
    static const char name[] = "tables.bash";
    FILE *to = open_page(name);

    if (to == NULL)
        return false;
    bash_completion_write(all, to);
    fprintf(to, "# The words that may follow a command; without one, the commands.\n"
                "_ribogrid_words()\n{\n    case $1 in\n    '') echo '");
    for (int i = 0; commands[i] != NULL; i++)
        fprintf(to, "%s ", commands[i]->name);
    fprintf(to, "help version' ;;\n");
    for (int i = 0; all[i] != NULL; i++)
        write_words(all[i], to);
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
    find_all();
    is_done = write_program() && write_completion();
    for (int i = 0; is_done && all[i] != NULL; i++)
        is_done = write_page(all[i]);
    return is_done ? EXIT_OK : EXIT_FAILED;
}
