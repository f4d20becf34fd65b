/*
 * mesh_args.c - names of the files of meshes.
 */
#include "tools/mesh/mesh_args.h"

#include "io/mesh/mesh_data.h"
#include "io/store/reslog.h"
#include "tools/options/option_tables.h"
#include "worker/job.h"

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

status_t mesh_output_files(const void *args, const char *output, option_files_t *to)
{
    status_t st;

    if (mesh_data_is_hdf5(output) || mesh_data_is_vtk(output))
        return option_job_files(args, output, to);
    st = option_files_add(to, output);
    for (int k = 0; st == ST_OK && k < N_ENDINGS; k++)
        st = option_files_add_beside(to, output, endings[k]);
    if (st == ST_OK)
        st = option_files_add_beside(to, output, ".node" JOB_LOG_SUFFIX);
    return st == ST_OK
               ? option_files_add_beside(to, output,
                                         ".node" JOB_LOG_SUFFIX RESLOG_COPY_SUFFIX)
               : st;
}
