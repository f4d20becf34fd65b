/*
 * mesh_args.c - names of the files of meshes.
 */
#include "tools/mesh/mesh_args.h"

#include "io/mesh/mesh_data.h"

#include <string.h>

static const char *const endings[] = {".node", ".poly", ".ele"};
enum { N_ENDINGS = sizeof(endings) / sizeof(endings[0]) };

status_t mesh_input_files(const void *args, const char *path, option_files_t *to)
{
    char beside[MESH_PATH_BYTES];
    status_t st = option_files_add(to, path);

    (void)args;
    for (int k = 0; st == ST_OK && k < N_ENDINGS; k++)
        if (mesh_data_beside(path, endings[k], beside) && strcmp(beside, path) != 0)
            st = option_files_add(to, beside);
    return st;
}

bool mesh_is_vtk(const char *output)
{
    const size_t len = strlen(output);

    return len > 4 && strcmp(output + len - 4, ".vtk") == 0;
}

status_t mesh_output_files(const void *args, const char *prefix, option_files_t *to)
{
    status_t st = option_files_add(to, prefix);

    (void)args;
    for (int k = 0; st == ST_OK && !mesh_is_vtk(prefix) && k < N_ENDINGS; k++)
        st = option_files_add_beside(to, prefix, endings[k]);
    return st;
}
