/*
 * result_doc.c - tables of attributes and of datasets.
 */
#include "io/result/result_kind.h"

#include "io/result/result_table.h"

#include <string.h>

static const char *const type_name[RESULT_N_TYPES] = {
    [RESULT_TEXT] = "string",     [RESULT_INT] = "int64",
    [RESULT_REAL] = "float64",    [RESULT_FRACTION] = "string",
    [RESULT_UINT8] = "uint8",     [RESULT_UINT16] = "uint16",
    [RESULT_INT32] = "int32",     [RESULT_INT64] = "int64",
    [RESULT_FLOAT64] = "float64", [RESULT_BASES] = "uint8",
    [RESULT_RESIDUES] = "uint8",  [RESULT_TEXTS] = "string",
    [RESULT_NAMES] = "string",    [RESULT_LINES] = "string",
};

static void print_shape(const result_kind_t *kind, const result_field_t *f, FILE *to)
{
    if (result_field_is_attribute(f))
        return;
    if (f->shape[0] == 0)
        fputs("lines, ", to);
    else
        fprintf(to, "%s", kind->dims[f->shape[0]].symbol);
    if (f->plus != 0)
        fprintf(to, " + %d", f->plus);
    if (f->shape[1] != 0)
        fprintf(to, " x %s", kind->dims[f->shape[1]].symbol);
    if (f->shape[0] != 0)
        fputs(", ", to);
}

static void print_check(const result_kind_t *kind, const result_field_t *f, FILE *to)
{
    const result_check_t *c = &f->check;

    switch (c->kind) {
    case RESULT_WITHIN:
        if (c->high < INT32_MAX)
            fprintf(to, "; %.15g to %.15g", c->low, c->high);
        else
            fprintf(to, "; at least %.15g", c->low);
        break;
    case RESULT_INDEX:
        fprintf(to, "; %s%.15g to %s - 1", c->low < 0 ? "-1 (none), or " : "",
                c->low < 0 ? 0 : c->low, kind->dims[c->of].symbol);
        break;
    case RESULT_ASCENDS:
        fputs("; ascending, at least 0", to);
        break;
    case RESULT_DIVIDES:
        fprintf(to, "; from 0 to %s, never descending", kind->dims[c->of].symbol);
        break;
    default:
        break;
    }
}

static void print_field(const result_kind_t *kind, const result_field_t *f, FILE *to)
{
    result_place_t place;

    result_field_place(f, 0, &place);
    if (!place.is_attribute)
        fprintf(to, "| `%s` | ", f->name);
    else if (strcmp(place.group, "/") == 0)
        fprintf(to, "| attribute `%s` | ", place.name);
    else
        fprintf(to, "| attribute `%s` of `%s` | ", place.name, place.group);
    print_shape(kind, f, to);
    fprintf(to, "%s%s%s | %s", type_name[result_field_type(f)],
            f->unit != NULL ? ", " : "", f->unit != NULL ? f->unit : "", f->meaning);
    print_check(kind, f, to);
    fprintf(to, "%s |\n", f->is_optional ? "; optional" : "");
}

static bool has_dim(const result_kind_t *kind, int dim)
{
    for (int t = 0; t < RESULT_TABLES_MAX && kind->tables[t] != NULL; t++)
        for (const result_field_t *f = kind->tables[t]; f->name != NULL; f++)
            if (f->shape[0] == dim || f->shape[1] == dim)
                return true;
    return false;
}

static void print_dims(const result_kind_t *kind, FILE *to)
{
    const char *between = "Sizes: ";

    for (int d = 1; d < RESULT_DIMS_MAX; d++)
        if (has_dim(kind, d)) {
            fprintf(to, "%s%s %s", between, kind->dims[d].symbol, kind->dims[d].many);
            between = ", ";
        }
    fputs(".\n\n", to);
}

/* Print the names that a field had. */
static void print_old_names(const result_field_t *f, FILE *to)
{
    result_place_t place;

    result_field_place(f, 0, &place);
    fprintf(to, "\n- %s", place.name);
    for (int k = 1; result_field_place(f, k, &place); k++)
        fprintf(to, "%s%s`%s`", k == 1 ? ": " : ", ",
                strcmp(place.group, "/") == 0 ? "the root's " : "", place.name);
}

static void print_table(const result_kind_t *kind, const result_field_t *fields, FILE *to)
{
    for (const result_field_t *f = fields; f->name != NULL; f++)
        print_field(kind, f, to);
}

void result_doc_print_run(FILE *to)
{
    fputs("### `/run`\n\nHow the file was made. No other dataset depends on it.\n\n"
          "| name | shape, type, unit | content |\n|---|---|---|\n",
          to);
    print_table(NULL, run_info_fields, to);
    fputs(
        "| attribute `seconds_STAGE` of `/run` | float64, s | what took time; stages may "
        "overlap |\n\nA kind of file may have more attributes there, which its section "
        "lists. Files of earlier versions have other names, which are read as well (an "
        "attribute `devices` has lines):\n",
        to);
    for (const result_field_t *f = run_info_fields; f->name != NULL; f++)
        if (f->old_names != NULL)
            print_old_names(f, to);
    fputs("\n\n", to);
}

void result_doc_print(const result_kind_t *kind, FILE *to)
{
    fprintf(to, "### %s\n\n`%s` writes them. The format is `%s`, version %d.%d",
            kind->title, kind->maker, kind->format, kind->major, kind->minor);
    if (kind->oldest == kind->major && kind->major > 1)
        fputs("; older files are refused", to);
    fputs(".\n\n", to);
    print_dims(kind, to);
    fputs("| name | shape, type, unit | content |\n|---|---|---|\n", to);
    for (int t = 0; t < RESULT_TABLES_MAX && kind->tables[t] != NULL; t++)
        print_table(kind, kind->tables[t], to);
    if (kind->more != NULL)
        fprintf(to, "\n%s\n", kind->more);
    fputs("\n", to);
}
