/*
 * commands.c - the list of subcommands.
 */
#include "tools/options/commands.h"

#include <stddef.h>

const command_t *const commands[] = {&cmd_align,    &cmd_cluster,  &cmd_classify,
                                     &cmd_graph,    &cmd_cnn,      &cmd_taxonomy,
                                     &cmd_view,     &cmd_info,     &cmd_export,
                                     &cmd_report,   &cmd_simulate, &cmd_devices,
                                     &cmd_selftest, NULL};
