/*
 * export_userout.h - lines of fields that the user chooses, under vsearch's names.
 *
 * Names and values are those of vsearch 2.22 (Rognes et al. 2016,
 * doi:10.7717/peerj.2584), section Userfields of its manual; docs/exports.md lists them.
 */
#ifndef RIBOGRID_IO_EXPORT_EXPORT_USEROUT_H
#define RIBOGRID_IO_EXPORT_EXPORT_USEROUT_H

#include "io/export/export_hit.h"
#include "io/export/export_names.h"
#include "io/seq/seqset.h"

enum { EXPORT_USEROUT_MAX = 128 };

typedef struct {
    int n;
    int field[EXPORT_USEROUT_MAX];
} export_fields_t;

/* The default: the fields of --blast6out. */
extern const char export_userout_default[];

/*
 * Read "query+target+id".
 *
 * @param bad  [*bad_len] the first word that is not a field, or the first field beyond
 *             EXPORT_USEROUT_MAX
 * @return whether all words are fields
 */
bool export_userout_parse(const char *text, export_fields_t *out, const char **bad,
                          int *bad_len);

/* @return the facts that the fields need, as bits of export_hit.h */
unsigned export_userout_facts(const export_fields_t *fields);

/* @return the name of the first field whose facts are not all known, or NULL */
const char *export_userout_lacking(const export_fields_t *fields, unsigned known);

/* The state of export_userout_write. */
typedef struct {
    const export_fields_t *fields;
    const export_names_t *names;
    const seqset_t *set; /* NULL: no field needs bases */
} export_userout_t;

status_t export_userout_write(void *userout, const export_hit_t *hit, export_out_t *out);

#endif
