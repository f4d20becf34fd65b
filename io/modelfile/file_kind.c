/*
 * file_kind.c - compares the format that a file names with ours.
 */
#include "io/modelfile/file_kind.h"

#include "io/graphfile/graph_result_format.h"
#include "io/hdf5/h5check.h"
#include "io/hdf5/h5text.h"
#include "io/hdf5/h5util.h"
#include "io/modelfile/class_model.h"
#include "io/modelfile/class_result.h"
#include "io/modelfile/cnn_model.h"
#include "io/otu/otu_groups.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *format;
    file_kind_t kind;
} kinds[] = {
    {OTU_GROUPS_FORMAT, FILE_OTU_GROUPS},   {GRAPH_RESULT_FORMAT, FILE_GRAPH_RESULT},
    {CLASS_MODEL_FORMAT, FILE_CLASS_MODEL}, {CLASS_RESULT_FORMAT, FILE_CLASS_RESULT},
    {CNN_MODEL_FORMAT, FILE_CNN_MODEL},
};

status_t file_kind_read(const char *path, file_kind_t *out)
{
    hid_t file;
    char *format;

    h5util_init();
    if ((file = h5check_open_file(path)) < 0)
        return ST_EINPUT;
    format = h5text_get(file, "format");
    *out = FILE_OF_ANOTHER_KIND;
    for (size_t k = 0; format != NULL && k < sizeof(kinds) / sizeof(kinds[0]); k++)
        if (strcmp(format, kinds[k].format) == 0)
            *out = kinds[k].kind;
    free(format);
    H5Fclose(file);
    return ST_OK;
}
