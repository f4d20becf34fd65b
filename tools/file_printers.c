/*
 * file_printers.c - one row per kind of file.
 */
#include "tools/print/file_printers.h"

#include "io/modelfile/file_kind.h"
#include "io/store/reslog.h"

static const file_printer_t *const printers[FILE_N_KINDS] = {
    [FILE_OTU_GROUPS] = &otu_printer,
    [FILE_GRAPH] = &csr_printer,
    [FILE_GRAPH_RESULT] = &graph_result_printer,
    [FILE_CLASS_MODEL] = &class_model_printer,
    [FILE_CLASS_RESULT] = &class_result_printer,
    [FILE_CNN_MODEL] = &cnn_model_printer,
};

status_t file_printers_find(const char *path, const file_printer_t **out)
{
    file_kind_t kind = FILE_OF_ANOTHER_KIND;
    status_t st = reslog_is_log(path) ? ST_OK : file_kind_read(path, &kind);

    *out = printers[kind];
    return st;
}
