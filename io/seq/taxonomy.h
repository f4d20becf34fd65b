/*
 * taxonomy.h - lineages of sequences, as a tree of taxa.
 *
 * Formats, plain or gzip:
 *   - name TAB lineage, as "AJ000684  Bacteria;Actinobacteria" or "k__Bacteria; p__...";
 *   - .taxonomy of mothur: lineages end with ';', supports such as "(100)" are optional;
 *   - taxonomy.tsv of QIIME 2, recognised by its header "Feature ID  Taxon ...", and
 *     tables of `ribogrid taxonomy` and `ribogrid classify`, by theirs;
 *   - FASTA, recognised by '>', with lineages in the headers: those of RDP, SILVA and
 *     SINTAX, and others of a name, blanks and a lineage (lineage.c).
 * A lineage is a list of names from the highest rank down, separated by ';'.  It ends at
 * a rank without a name after its prefix, as "g__".  Ranks count from 1; the root has
 * rank 0.  Lineages may have different numbers of ranks.
 */
#pragma once

#include "io/base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The root of the tree, with an empty lineage. */
enum { TAXONOMY_ROOT = 0 };

typedef struct taxonomy taxonomy_t;

/*
 * Read a table or FASTA headers.
 *
 * A line without tab, name or lineage, a rank without a name, surplus columns, and a name
 * that has two different lineages are errors, and so is a header without a lineage.  If
 * no lineage of a table has a ';', or one has ',' or '|' instead, there is a warning.
 *
 * @param path  a file, or "-" for stdin
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t taxonomy_read(const char *path, taxonomy_t **out) MUST_CHECK;

/* Takes NULL. */
void taxonomy_destroy(taxonomy_t *t);

/* @return the number of sequences with a lineage */
int64_t taxonomy_n(const taxonomy_t *t);

/* @return the number of taxa including the root; parents have lower numbers than their
 *         children */
int32_t taxonomy_n_taxa(const taxonomy_t *t);

/* @return the lowest taxon of a sequence's lineage, or -1 if the name is unknown.  Of
 *         "NAME;tax=..." NAME is enough */
int32_t taxonomy_find(const taxonomy_t *t, const char *name);

/* @return the name of a taxon, borrowed; empty for the root */
const char *taxonomy_name(const taxonomy_t *t, int32_t taxon);

/* @return the rank of a taxon: the number of names in its lineage */
int taxonomy_rank(const taxonomy_t *t, int32_t taxon);

/* @return the ancestor at this rank, or -1 if the taxon stands above it */
int32_t taxonomy_ancestor(const taxonomy_t *t, int32_t taxon, int rank);

/* @return the rank of phyla: 2, or 3 where every lineage starts with "Root" */
int taxonomy_phylum_rank(const taxonomy_t *t);

/* Append a lineage, its names separated by `separator`. @return ST_OK or ST_ENOMEM */
status_t taxonomy_append(const taxonomy_t *t, int32_t taxon, const char *separator,
                         buf_t *out) MUST_CHECK;

/* The names of a lineage, in the forms that databases of 16S genes have.
 *
 *   - of tables: "Bacteria;Firmicutes", "k__Bacteria; p__Firmicutes; c__" (Greengenes),
 * or "Bacteria(100);Firmicutes(97);" (mothur), whose last ';' and supports are left out;
 *   - of headers: ">NAME Bacteria;Firmicutes", ">NAME;tax=d:Bacteria,p:Firmicutes;"
 *     (SINTAX), ">ACCESSION.START.STOP Bacteria;Firmicutes;organism" (SILVA), whose
 *     organism is left out, and ">NAME text Lineage=Root;rootrank;Bacteria;domain"
 *     (RDP), whose ranks are left out.  Quotes around a name are left out, and so is the
 *     root.
 * A rank that has no name but a prefix ("g__", "g:") ends a lineage. */

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
