/*
 * jobs.c - the list of jobs: one that stands here is in all tests that go through jobs.
 */
#include "tools/options/job_run.h"

const job_command_t *const job_commands[] = {&align_command,
                                             &classify_command,
                                             &classify_train_command,
                                             &cnn_predict_command,
                                             &cnn_train_command,
                                             &graph_command,
                                             NULL};
