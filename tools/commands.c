/*
 * commands.c - the commands as an array.
 */
#include "tools/options/commands.h"

/* Words before others: they have no options, and nothing to run. */
const command_t cmd_automata = {
    .name = "automata",
    .summary = "find many regular expressions at once",
    .usage = "COMMAND [options]",
    .args_bytes = sizeof(job_opts_t),
    .example = "ribogrid automata build patterns.txt -o dfa.h5",
    .on_all_ranks = true,
};

const command_t cmd_cnn = {
    .name = "cnn",
    .summary = "train and use convolutional neural networks",
    .usage = "COMMAND [options]",
    .args_bytes = sizeof(job_opts_t),
    .example = "ribogrid cnn plan alexnet --batch 128 --svg memory.svg",
    .on_all_ranks = true,
};

const command_t cmd_device = {
    .name = "device",
    .summary = "see who uses the devices that a server lends, and empty them",
    .usage = "COMMAND [options]",
    .args_bytes = sizeof(job_opts_t),
    .example = "ribogrid device list /run/ribogrid/control",
    .on_all_ranks = true,
};

const command_t cmd_mesh = {
    .name = "mesh",
    .summary = "triangles for computing on areas; not for 16S",
    .usage = "COMMAND [options]",
    .args_bytes = sizeof(job_opts_t),
    .example = "ribogrid mesh refine plate.poly --angle 30 -o refined",
    .on_all_ranks = true,
};

#define COMMAND_ADDRESS(name) &cmd_##name,
const command_t *const commands[] = {COMMANDS(COMMAND_ADDRESS) NULL};
