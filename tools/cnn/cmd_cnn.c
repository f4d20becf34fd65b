/*
 * cmd_cnn.c - `ribogrid cnn`: finds the subcommand and runs it.
 */
#include "tools/options/commands.h"
#include "tools/options/program.h"

#include <stdio.h>
#include <string.h>

/* Commands named "cnn X", where X is the word that the user types. */
const command_t *const cnn_commands[] = {&cmd_cnn_train, &cmd_cnn_predict, &cmd_cnn_plan,
                                         &cmd_cnn_time,  &cmd_cnn_report,  NULL};

static const char *word_of(const command_t *command)
{
    return command->name + strlen("cnn ");
}

static void print_help(void)
{
    printf("ribogrid %s: %s\n\nusage: ribogrid %s %s\n\n", cmd_cnn.name, cmd_cnn.summary,
           cmd_cnn.name, cmd_cnn.usage);
    for (int i = 0; cnn_commands[i] != NULL; i++)
        printf("  %-10s %s\n", word_of(cnn_commands[i]), cnn_commands[i]->summary);
    printf("\n`ribogrid cnn COMMAND --help` prints its options.\n\nexample:\n  %s\n",
           cmd_cnn.example);
}

static int run(int argc, char **argv)
{
    const char *word = argc > 0 ? argv[0] : "";
    const command_t *command = program_find(cnn_commands, word);
    char guess[NEAR_WORD_BYTES];

    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        print_help();
        return EXIT_OK;
    }
    if (command != NULL)
        return command->run(argc - 1, argv + 1);
    if (argc == 0)
        return status_exit_code(options_misuse(&cmd_cnn, "give %s", cmd_cnn.usage));
    return status_exit_code(options_misuse(&cmd_cnn, "unknown command '%s'%s", word,
                                           program_guess(cnn_commands, word, guess)));
}

const command_t cmd_cnn = {
    .name = "cnn",
    .summary = "train and use convolutional neural networks",
    .usage = "COMMAND [options]",
    .example = "ribogrid cnn plan alexnet --batch 128 --svg memory.svg",
    .n_words_min = 1,
    .n_words_max = 1,
    .on_all_ranks = true,
    .run = run,
};
