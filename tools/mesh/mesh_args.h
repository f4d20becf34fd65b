/*
 * mesh_args.h - what the commands of meshes share: the files that a name stands for.
 */
#pragma once

#include "tools/options/option_files.h"

/* Functions `files` of rows: a file of a mesh that is read, with those beside it; and the
 * files that an output stands for: PREFIX.node, .poly and .ele, or a .vtk or .h5
 * alone, with the log of a job. */
status_t mesh_input_files(const void *args, const char *path, option_files_t *to);
status_t mesh_output_files(const void *args, const char *output, option_files_t *to);
