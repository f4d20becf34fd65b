/*
 * class_lines.h - results of `classify` as lines of text, in the formats of other
 * programs.
 */
#ifndef RIBOGRID_IO_MODELFILE_CLASS_LINES_H
#define RIBOGRID_IO_MODELFILE_CLASS_LINES_H

#include "io/modelfile/class_result.h"

#include <stdio.h>

typedef enum {
    CLASS_FORMAT_TSV,    /* name, strand, lineage, support, method; with a header */
    CLASS_FORMAT_MOTHUR, /* .taxonomy: name, taxa with their support in percent */
    CLASS_FORMAT_QIIME2, /* taxonomy.tsv: Feature ID, Taxon, Confidence */
    CLASS_FORMAT_SINTAX, /* --tabbedout of vsearch --sintax */
    CLASS_FORMAT_HDF5,   /* class_result.h; no lines */
    CLASS_N_FORMATS
} class_format_t;

extern const char *const class_format_name[CLASS_N_FORMATS];

/*
 * Print the line of each read.
 *
 * @param result      calls, taxa and names are used
 * @param has_header  whether to print the line of column names, if the format has one
 * @param to          the caller checks it for errors
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t class_lines_print(const class_result_t *result, class_format_t format,
                           bool has_header, FILE *to) MUST_CHECK;

#endif
