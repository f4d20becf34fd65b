/*
 * export_file.c - the table of formats: what each needs to know, and what writes it.
 */
#include "io/export/export_file.h"

#include "io/base/logmsg.h"
#include "io/file/whole_file.h"
#include "io/pairs/evalue.h"
#include "io/pairs/pairs_read.h"
#include "io/pairs/pairs_scan.h"

#include <stdlib.h>

enum { STRIP_BYTES = 256 << 20 };

const char *const export_format_name[EXPORT_FORMATS] = {"blast6", "userout", "uc",
                                                        "phylip", "column",  "paf",
                                                        "npy"};

typedef struct {
    unsigned facts;        /* needed of each pair; userout's depend on its fields */
    export_hit_fn_t write; /* NULL: whole rows, or userout */
    bool mothur; /* blanks end a name, and names identify sequences of one set */
} format_t;

static const format_t formats[EXPORT_FORMATS] = {
    [EXPORT_BLAST6] = {EXPORT_IDENTITY | EXPORT_MATCHES | EXPORT_INNER | EXPORT_PAIRS |
                           EXPORT_CIGAR,
                       export_lines_blast6, false},
    [EXPORT_UC] = {EXPORT_IDENTITY | EXPORT_MATCHES | EXPORT_CIGAR, export_lines_uc,
                   false},
    [EXPORT_PHYLIP] = {EXPORT_IDENTITY, NULL, true},
    [EXPORT_COLUMN] = {EXPORT_IDENTITY, export_lines_column, true},
    [EXPORT_PAF] = {EXPORT_MATCHES | EXPORT_INNER | EXPORT_CIGAR, export_lines_paf,
                    false},
    [EXPORT_NPY] = {EXPORT_IDENTITY, NULL, false}};

struct export_file {
    const pairs_file_t *file;
    export_spec_t spec;
    export_names_t names;
    seqset_t *set; /* NULL: no field needs bases */
    unsigned facts;
    FILE *out;
};

static status_t check_facts(export_file_t *e)
{
    unsigned known = export_facts(e->file);
    const char *field = NULL;

    if (e->spec.format == EXPORT_USEROUT) {
        e->facts = export_userout_facts(&e->spec.fields);
        field = export_userout_lacking(&e->spec.fields, known);
    }
    if ((e->facts & ~known) == 0)
        return ST_OK;
    log_error("%s: %s%s%s needs %s", e->file->path, export_format_name[e->spec.format],
              field != NULL ? "'s field " : "", field != NULL ? field : "",
              export_facts_remedy(e->facts, known));
    return ST_EINPUT;
}

static status_t check_evalue(const export_file_t *e)
{
    evalue_t law;

    return e->spec.pick.max_evalue == 0 ? ST_OK
                                        : evalue_require(e->file, "--evalue", &law);
}

static status_t check_shape(const export_file_t *e)
{
    const char *name = export_format_name[e->spec.format];

    if (e->names.unique && e->file->is_against) {
        log_error("%s: %s needs pairs of one set, but the columns are references; "
                  "export blast6 or userout",
                  e->file->path, name);
        return ST_EINPUT;
    }
    if (export_is_matrix(e->spec.format) && e->file->is_sparse) {
        log_error("%s: %s needs every pair of one set, but the file holds only hits; "
                  "align without --id and --against",
                  e->file->path, name);
        return ST_EINPUT;
    }
    return ST_OK;
}

status_t export_file_create(const pairs_file_t *file, const export_spec_t *spec,
                            export_file_t **out)
{
    export_file_t *e = calloc(1, sizeof(*e));
    const format_t *format = &formats[spec->format];
    status_t st;

    if (e == NULL)
        return log_nomem("an export");
    e->file = file;
    e->spec = *spec;
    e->facts = format->facts;
    e->names = (export_names_t){.format = export_format_name[spec->format],
                                .blanks = format->mothur,
                                .unique = format->mothur};
    if ((st = check_shape(e)) == ST_OK && (st = check_facts(e)) == ST_OK)
        st = check_evalue(e);
    if (st == ST_OK)
        st = pairs_scan_check(file, &spec->pick.id);
    if (st == ST_OK)
        st = pairs_order_check(file, spec->pick.order);
    if (st == ST_OK && spec->format != EXPORT_NPY)
        st = export_names_check(&e->names, file);
    if (st == ST_OK && e->facts & (EXPORT_QUERY_BASES | EXPORT_TARGET_BASES))
        st = pairs_read_sequences(file, &e->set);
    if (st == ST_OK)
        *out = e;
    else
        export_file_destroy(e);
    return st;
}

static status_t write_lines(export_file_t *e)
{
    export_lines_t lines = {.file = e->file, .names = &e->names};
    status_t st = export_hit_each(e->file, &e->spec.pick, e->facts,
                                  formats[e->spec.format].write, &lines, e->out);

    if (st == ST_OK && e->spec.format == EXPORT_UC)
        export_lines_uc_end(&lines, e->out);
    return st;
}

static status_t write_format(export_file_t *e)
{
    export_userout_t userout = {&e->spec.fields, &e->names, e->set};
    int64_t bytes = e->spec.strip_bytes > 0 ? e->spec.strip_bytes : STRIP_BYTES;

    switch (e->spec.format) {
    case EXPORT_PHYLIP:
        return export_matrix_phylip(e->file, &e->names, e->spec.lower, bytes, e->out);
    case EXPORT_NPY:
        return export_matrix_npy(e->file, bytes, e->out);
    case EXPORT_USEROUT:
        return export_hit_each(e->file, &e->spec.pick, e->facts, export_userout_write,
                               &userout, e->out);
    default:
        return write_lines(e);
    }
}

status_t export_file_write(export_file_t *e, FILE *to)
{
    status_t st;

    e->out = to;
    st = write_format(e);
    return st != ST_OK ? st : export_out_flush(e->out);
}

void export_file_destroy(export_file_t *e)
{
    if (e == NULL)
        return;
    seqset_destroy(e->set);
    free(e);
}

status_t export_file_make(const export_request_t *request)
{
    export_spec_t spec = request->spec;
    export_file_t *export = NULL;
    pairs_file_t *file;
    whole_file_t *to;
    status_t st;

    if ((st = pairs_open(request->pairs, &file)) != ST_OK)
        return st;
    if (!request->has_order)
        spec.pick.order = pairs_order_default(file);
    if ((st = export_file_create(file, &spec, &export)) == ST_OK &&
        (st = whole_file_open(request->output, WHOLE_FILE_TEXT, request->force, &to)) ==
            ST_OK)
        st = whole_file_close(to, export_file_write(export, whole_file_stream(to)));
    export_file_destroy(export);
    pairs_close(file);
    return st;
}
