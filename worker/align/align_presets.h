/*
 * align_presets.h - the options that make the job "align" score as other programs do.
 *
 * A preset stands for options of the command line, and the job sees nothing else of it.
 */
#ifndef RIBOGRID_WORKER_ALIGN_ALIGN_PRESETS_H
#define RIBOGRID_WORKER_ALIGN_ALIGN_PRESETS_H

#include "worker/align/align_opts.h"
#include <stdio.h>

/* The names, as the words of an option; a preset is the index of its name. */
#define ALIGN_PRESET_NAMES "vsearch|mothur|needle|blastn|unit"

enum { ALIGN_PRESETS = 5, ALIGN_PRESET_BYTES = 320 };

/*
 * Add a preset's options to those that the user has given, before they are settled.
 *
 * Options that are given stay, and keep out those of the preset that they exclude: with
 * --gap the preset has no --gap-open, and with --emit score no --iddef.
 *
 * @param text  out: the options that were added, as on the command line
 */
void align_preset_apply(int preset, align_opts_t *opts, char text[ALIGN_PRESET_BYTES]);

/* @return the name of a preset */
const char *align_preset_name(int preset);

/* Print all presets and their options, one per line, for --help. */
void align_preset_print_all(FILE *to);

#endif
