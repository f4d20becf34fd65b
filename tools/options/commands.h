/*
 * commands.h - the subcommands: the one list of them.
 */
#pragma once

#include "tools/options/options.h"

/* Every command cmd_NAME, in --help's order; those of two words may stand anywhere. */
#define COMMANDS(X)      \
    X(align)             \
    X(search)            \
    X(search_build)      \
    X(cluster)           \
    X(clades)            \
    X(classify)          \
    X(classify_train)    \
    X(primers)           \
    X(denoise)           \
    X(chimeras)          \
    X(graph)             \
    X(graph_run)         \
    X(graph_make)        \
    X(graph_update)      \
    X(ihist)             \
    X(ihist_query)       \
    X(automata)          \
    X(automata_build)    \
    X(automata_compress) \
    X(automata_match)    \
    X(cnn)               \
    X(cnn_train)         \
    X(cnn_predict)       \
    X(cnn_plan)          \
    X(cnn_time)          \
    X(cnn_report)        \
    X(mesh)              \
    X(mesh_refine)       \
    X(mesh_check)        \
    X(mesh_draw)         \
    X(mesh_make)         \
    X(dpc)               \
    X(taxonomy)          \
    X(view)              \
    X(info)              \
    X(export)            \
    X(report)            \
    X(simulate)          \
    X(devices)           \
    X(serve_device)      \
    X(device)            \
    X(device_list)       \
    X(device_drain)      \
    X(device_unlock)     \
    X(device_move)       \
    X(device_rebalance)  \
    X(selftest)

#define COMMAND_DECLARE(name) extern const command_t cmd_##name;
COMMANDS(COMMAND_DECLARE)

extern const command_t *const commands[]; /* all of them; NULL at the end */
