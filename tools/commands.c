/*
 * commands.c - the lists of subcommands and of jobs.
 */
#include "tools/options/job_run.h"

const command_t *const commands[] = {&cmd_align,    &cmd_cluster,  &cmd_classify,
                                     &cmd_graph,    &cmd_cnn,      &cmd_taxonomy,
                                     &cmd_view,     &cmd_info,     &cmd_export,
                                     &cmd_report,   &cmd_simulate, &cmd_devices,
                                     &cmd_selftest, NULL};

const job_command_t *const job_commands[] = {&align_command,
                                             &classify_command,
                                             &classify_train_command,
                                             &cnn_predict_command,
                                             &cnn_train_command,
                                             &graph_command,
                                             NULL};
