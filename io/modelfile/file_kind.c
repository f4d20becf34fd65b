/*
 * file_kind.c - compares the format that a file names with ours.
 */
#include "io/modelfile/file_kind.h"

#include "io/hdf5/h5check.h"
#include "io/hdf5/h5text.h"
#include "io/hdf5/h5util.h"

#include <stdlib.h>
#include <string.h>

#define FILE_KIND_DECLARE(kind, name) extern const result_kind_t name##_kind;
FILE_KINDS(FILE_KIND_DECLARE)

#define FILE_KIND_ROW(kind, name) [kind] = &name##_kind,
const result_kind_t *const file_kinds[FILE_N_KINDS] = {FILE_KINDS(FILE_KIND_ROW)};

status_t file_kind_read(const char *path, file_kind_t *out)
{
    hid_t file;
    char *format;

    h5util_init();
    if ((file = h5check_open_file(path)) < 0)
        return ST_EINPUT;
    format = h5text_get(file, "format");
    *out = FILE_OF_ANOTHER_KIND;
    for (int k = FILE_OF_ANOTHER_KIND + 1; format != NULL && k < FILE_N_KINDS; k++)
        if (strcmp(format, file_kinds[k]->format) == 0)
            *out = (file_kind_t)k;
    free(format);
    H5Fclose(file);
    return ST_OK;
}
