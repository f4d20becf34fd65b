/*
 * result_doc.c - tables of attributes and of datasets.
 */
#include "io/result/result_doc.h"

#include "io/result/result_field.h"

static const char *const type_name[RESULT_N_TYPES] = {
    [RESULT_TEXT] = "string",     [RESULT_INT] = "int64",   [RESULT_REAL] = "float64",
    [RESULT_FRACTION] = "string", [RESULT_UINT8] = "uint8", [RESULT_UINT16] = "uint16",
    [RESULT_INT32] = "int32",     [RESULT_INT64] = "int64", [RESULT_FLOAT64] = "float64",
    [RESULT_BASES] = "uint8",     [RESULT_TEXTS] = "string", [RESULT_NAMES] = "string",
    [RESULT_LINES] = "string",
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
    case RESULT_FINITE:
        fputs("; finite", to);
        break;
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
        fputs("; ascending, from 0", to);
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
    const result_place_t place = result_field_place(f->name);

    if (result_field_is_attribute(f))
        fprintf(to, "| `%s` of `%s` | ", place.name, place.group);
    else
        fprintf(to, "| `%s` | ", f->name);
    print_shape(kind, f, to);
    fprintf(to, "%s%s%s | %s", type_name[f->type], f->unit != NULL ? ", " : "",
            f->unit != NULL ? f->unit : "", f->meaning);
    print_check(kind, f, to);
    fprintf(to, "%s |\n", f->is_optional ? "; optional" : "");
}

static void print_dims(const result_kind_t *kind, FILE *to)
{
    const char *between = "Sizes: ";

    for (int d = 1; d < RESULT_DIMS_MAX && kind->dims[d].symbol != NULL; d++) {
        fprintf(to, "%s%s %s", between, kind->dims[d].symbol, kind->dims[d].many);
        between = ", ";
    }
    if (kind->dims[1].symbol != NULL)
        fputs(".\n\n", to);
}

void result_doc_print(const result_kind_t *kind, FILE *to)
{
    fprintf(to,
            "### %s\n\n`%s` writes them. The format is `%s`, version %d.%d", kind->title,
            kind->maker, kind->format, kind->major, kind->minor);
    if (kind->oldest == kind->major && kind->major > 1)
        fputs("; older files are refused", to);
    fputs(".\n\n", to);
    print_dims(kind, to);
    fputs("| name | shape, type, unit | content |\n|---|---|---|\n", to);
    for (int t = 0; t < RESULT_TABLES_MAX && kind->tables[t] != NULL; t++)
        for (const result_field_t *f = kind->tables[t]; f->name != NULL; f++)
            print_field(kind, f, to);
    if (kind->more != NULL)
        fprintf(to, "\n%s\n", kind->more);
    fputs("\n", to);
}
