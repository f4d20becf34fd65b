/*
 * file_printers.c - one row per kind of file.
 */
#include "tools/file_printers.h"

#include "io/modelfile/file_kind.h"
#include "io/store/reslog.h"
#include "tools/cnn/cmd_cnn_report.h"
#include "tools/cnn/cnn_print.h"
#include "tools/print/classify_print.h"
#include "tools/print/graph_print.h"
#include "tools/print/otu_print.h"

static const file_printer_t printers[FILE_N_KINDS] = {
    [FILE_OTU_GROUPS] = {"cluster", otu_print_info, otu_print_sequences, otu_print_page},
    [FILE_GRAPH] = {"graph make", csr_print_info, csr_print_arcs, csr_print_page},
    [FILE_GRAPH_RESULT] = {"graph", graph_print_info, graph_print_values,
                           graph_print_page},
    [FILE_CLASS_MODEL] = {"classify train", classify_print_model,
                          classify_print_references, classify_print_page},
    [FILE_CLASS_RESULT] = {"classify", classify_print_result, classify_print_names, NULL},
    [FILE_CNN_MODEL] = {"cnn train", cnn_print_info, cnn_print_curve,
                        cmd_cnn_report_page},
};

status_t file_printers_find(const char *path, const file_printer_t **out)
{
    file_kind_t kind = FILE_OF_ANOTHER_KIND;
    status_t st = reslog_is_log(path) ? ST_OK : file_kind_read(path, &kind);

    *out = printers[kind].describe != NULL ? &printers[kind] : NULL;
    return st;
}
