/*
 * file_printers.h - how each kind of file is printed and drawn, but for files of pairs.
 */
#ifndef RIBOGRID_TOOLS_FILE_PRINTERS_H
#define RIBOGRID_TOOLS_FILE_PRINTERS_H

#include "tools/print/file_page.h"

typedef struct {
    const char *command; /* that writes such files: "graph" */
    file_describe_t *describe;
    status_t (*view)(const char *path, bool has_header, FILE *to); /* as TSV */
    status_t (*report)(const file_report_t *how); /* NULL: names of reads, which have
                                                     options of their own */
} file_printer_t;

/*
 * Find the printer of a file.
 *
 * @param out  NULL: a file of pairs, a log, or a foreign file
 * @return ST_OK, or ST_EINPUT (logged: it cannot be opened, or is no HDF5 file)
 */
status_t file_printers_find(const char *path, const file_printer_t **out) MUST_CHECK;

#endif
