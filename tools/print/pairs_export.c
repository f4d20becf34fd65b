/*
 * pairs_export.c - opening a result file and writing its pairs as a whole file.
 */
#include "tools/print/pairs_export.h"

#include "io/file/whole_file.h"
#include "io/pairs/pairs_file.h"

status_t pairs_export(const pairs_export_t *what)
{
    export_spec_t spec = what->spec;
    export_file_t *export = NULL;
    pairs_file_t *file;
    whole_file_t *to;
    status_t st;

    if ((st = pairs_open(what->pairs, &file)) != ST_OK)
        return st;
    if (!what->has_order)
        spec.pick.order = pairs_order_default(file);
    if ((st = export_file_create(file, &spec, &export)) == ST_OK &&
        (st = whole_file_open(what->output, WHOLE_FILE_TEXT, what->force, &to)) == ST_OK)
        st = whole_file_close(to, export_file_write(export, whole_file_stream(to)));
    export_file_destroy(export);
    pairs_close(file);
    return st;
}
