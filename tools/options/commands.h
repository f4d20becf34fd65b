/*
 * commands.h - the subcommands, one file each.
 */
#ifndef RIBOGRID_TOOLS_OPTIONS_COMMANDS_H
#define RIBOGRID_TOOLS_OPTIONS_COMMANDS_H

#include "tools/options/options.h"

extern const command_t *const commands[];    /* in --help's order; NULL at the end */
extern const command_t *const subcommands[]; /* of two words; NULL at the end */

extern const command_t cmd_align;
extern const command_t cmd_classify;
extern const command_t cmd_classify_train;
extern const command_t cmd_cluster;
extern const command_t cmd_cnn;
extern const command_t cmd_cnn_plan;
extern const command_t cmd_cnn_predict;
extern const command_t cmd_cnn_report;
extern const command_t cmd_cnn_time;
extern const command_t cmd_cnn_train;
extern const command_t cmd_devices;
extern const command_t cmd_export;
extern const command_t cmd_graph;
extern const command_t cmd_graph_make;
extern const command_t cmd_info;
extern const command_t cmd_report;
extern const command_t cmd_selftest;
extern const command_t cmd_simulate;
extern const command_t cmd_taxonomy;
extern const command_t cmd_view;

#endif
