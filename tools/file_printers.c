/*
 * file_printers.c - finds the printer of a file by its kind.
 */
#include "tools/print/file_printers.h"

#include "io/store/reslog.h"

#define FILE_PRINTER_ROW(kind, name) [kind] = &name##_printer,
static const file_printer_t *const printers[FILE_N_KINDS] = {
    FILE_KINDS(FILE_PRINTER_ROW)};

status_t file_printers_find(const char *path, const file_printer_t **out)
{
    file_kind_t kind = FILE_OF_ANOTHER_KIND;
    status_t st = reslog_is_log(path) ? ST_OK : file_kind_read(path, &kind);

    *out = printers[kind];
    return st;
}
