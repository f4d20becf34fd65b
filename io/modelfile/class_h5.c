/*
 * class_h5.c - writes and reads what models and results have in common.
 */
#include "io/modelfile/class_h5.h"

#include "io/modelfile/class_result.h"
#include "io/result/result_table.h"

const result_dim_t class_h5_dims[RESULT_DIMS_MAX] = {
    [CLASS_TAXA] = {"t", "a taxon", "taxa", INT32_MAX},
    [CLASS_REFERENCES] = {"n", "a reference", "references", INT32_MAX},
    [CLASS_BASES] = {"b", "a base", "bases", 0},
    [CLASS_RULES] = {"r", "a rule", "rules", 0},
    [CLASS_NUMBERS] = {"k", "a number", "numbers per rule", 0},
    [CLASS_READS] = {"m", "a read", "reads", 0},
    [CLASS_RANKS] = {"d", "a rank", "ranks", CLASS_RANKS_MAX},
    [CLASS_SAMPLES] = {"s", "a sample", "samples", INT32_MAX},
};

const result_field_t class_h5_taxa_fields[] = {
    {.name = "/taxa/parent",
     .arrays = &class_taxa_arrays,
     .at = offsetof(class_taxa_t, parent),
     .shape = {CLASS_TAXA},
     .check = {RESULT_INDEX, -1, 0, CLASS_TAXA},
     .meaning = "the taxon above, whose number is smaller; taxon 0 is the root"},
    {.name = "/taxa/name",
     .type = RESULT_NAMES,
     .at = offsetof(class_taxa_t, names),
     .at_offset = offsetof(class_taxa_t, name_offset),
     .shape = {CLASS_TAXA},
     .meaning = "the root has none"},
    {.name = NULL},
};

const result_field_t class_h5_run_fields[] = {
    {.name = "/run@job",
     .type = RESULT_TEXT,
     .at = offsetof(class_run_t, job),
     .meaning = "everything that the content depends on, as lines `name=value`"},
    {.name = NULL},
};

void class_run_free(class_run_t *run)
{
    run_info_free(&run->info);
    result_free(class_h5_run_fields, run);
}

bool class_h5_put_run(hid_t file, const class_run_t *run)
{
    static const int64_t no_dims[RESULT_DIMS_MAX];

    return run_info_write(file, &run->info) &&
           result_write(file, class_h5_run_fields, run, no_dims, NULL);
}

status_t class_h5_get_run(result_reader_t *r, class_run_t *out)
{
    status_t st = run_info_read(r, &out->info);

    return st == ST_OK ? result_read(r, class_h5_run_fields, out) : st;
}

static bool is_named_tree(const class_taxa_t *t)
{
    if (!class_taxa_are_tree(t) || *class_taxa_name(t, 0) != '\0')
        return false;
    for (int32_t i = 1; i < t->n; i++)
        if (*class_taxa_name(t, i) == '\0')
            return false;
    return true;
}

status_t class_h5_get_taxa(result_reader_t *r, class_taxa_t *out)
{
    status_t st = result_read(r, class_h5_taxa_fields, out);

    if (st != ST_OK)
        return st;
    out->n = (int32_t)r->n[CLASS_TAXA];
    return is_named_tree(out)
               ? ST_OK
               : result_refuse(
                     r, "its taxa are not a tree with names, at most 64 to a lineage");
}
