/*
 * result_doc.h - prints what a kind of file holds as Markdown, from its tables.
 */
#ifndef RIBOGRID_IO_RESULT_RESULT_DOC_H
#define RIBOGRID_IO_RESULT_RESULT_DOC_H

#include "io/result/result_kind.h"

#include <stdio.h>

/* Print a section on /run, which all kinds have. */
void result_doc_print_run(FILE *to);

/* Print a section. */
void result_doc_print(const result_kind_t *kind, FILE *to);

#endif
