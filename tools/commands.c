/*
 * commands.c - the lists of subcommands and of jobs.
 */
#include "tools/options/job_run.h"

/* A word before others: it has no options, and nothing to run. */
const command_t cmd_cnn = {
    .name = "cnn",
    .summary = "train and use convolutional neural networks",
    .usage = "COMMAND [options]",
    .example = "ribogrid cnn plan alexnet --batch 128 --svg memory.svg",
    .n_words_min = 1,
    .n_words_max = 1,
    .on_all_ranks = true,
};

const command_t *const commands[] = {&cmd_align,    &cmd_cluster,  &cmd_classify,
                                     &cmd_graph,    &cmd_cnn,      &cmd_taxonomy,
                                     &cmd_view,     &cmd_info,     &cmd_export,
                                     &cmd_report,   &cmd_simulate, &cmd_devices,
                                     &cmd_selftest, NULL};

const command_t *const subcommands[] = {&cmd_classify_train, &cmd_graph_make,
                                        &cmd_cnn_train,      &cmd_cnn_predict,
                                        &cmd_cnn_plan,       &cmd_cnn_time,
                                        &cmd_cnn_report,     NULL};

const job_command_t *const job_commands[] = {&align_command,
                                             &classify_command,
                                             &classify_train_command,
                                             &cnn_predict_command,
                                             &cnn_train_command,
                                             &graph_command,
                                             NULL};
