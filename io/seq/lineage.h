/*
 * lineage.h - the names of a lineage, in the forms that databases of 16S genes have.
 *
 *   - of tables: "Bacteria;Firmicutes", "k__Bacteria; p__Firmicutes; c__" (Greengenes),
 * or "Bacteria(100);Firmicutes(97);" (mothur), whose last ';' and supports are left out;
 *   - of headers: ">NAME Bacteria;Firmicutes", ">NAME;tax=d:Bacteria,p:Firmicutes;"
 *     (SINTAX), ">ACCESSION.START.STOP Bacteria;Firmicutes;organism" (SILVA), whose
 *     organism is left out, and ">NAME text Lineage=Root;rootrank;Bacteria;domain"
 *     (RDP), whose ranks are left out.  Quotes around a name are left out, and so is the
 *     root.
 * A rank that has no name but a prefix ("g__", "g:") ends a lineage.
 */
#ifndef RIBOGRID_IO_SEQ_LINEAGE_H
#define RIBOGRID_IO_SEQ_LINEAGE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    LINEAGE_TABLE,
    LINEAGE_HEADER,
    LINEAGE_SINTAX,
    LINEAGE_SILVA,
    LINEAGE_RDP
} lineage_form_t;

/* What is left of a lineage. */
typedef struct {
    lineage_form_t form;
    char *at; /* NULL: nothing */
    bool has_supports;
} lineage_t;

/* Begin with the lineage of a table. @param text  borrowed; modified */
lineage_t lineage_of_table(char *text);

/*
 * Find the lineage of a FASTA header.
 *
 * @param header  without '>'; borrowed; modified: the name of the record is left
 * @return whether there is one
 */
bool lineage_of_header(char *header, lineage_t *out);

/*
 * Get the next name, from the highest rank down.
 *
 * @param name  [*len] in the text, not NUL-terminated; empty: a rank has no name
 * @return false at the end
 */
bool lineage_next(lineage_t *l, const char **name, size_t *len);

/* @return the length of the name of a record without a lineage of LINEAGE_SINTAX */
size_t lineage_name_len(const char *name);

#endif
