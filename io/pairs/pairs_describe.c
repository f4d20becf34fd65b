/*
 * pairs_describe.c - printing the metadata of a result file.
 */
#include "io/pairs/pairs_describe.h"

#include "io/hdf5/h5text.h"
#include "io/pairs/pairs_state.h"
#include "io/result/run_file.h"

#include <inttypes.h>
#include <stdlib.h>

/* Print a root attribute if it is there and a text. */
static void describe_text(const pairs_file_t *f, const char *name, FILE *to)
{
    char *text = h5text_get(f->file, name);

    if (text != NULL)
        run_info_print_line("file", name, text, to);
    free(text);
}

static int64_t stored_bytes(const pairs_file_t *f)
{
    int64_t stored = 0;

    for (int d = 0; d < PAIRS_DATASETS_MAX; d++)
        if (f->dataset[d] != NULL)
            stored += h5data_stored_bytes(f->dataset[d]);
    for (int d = 0; d < PAIRS_HIT_DATASETS; d++)
        if (f->hit[d] != NULL)
            stored += h5data_stored_bytes(f->hit[d]);
    if (f->n_datasets == PAIRS_N_CIGAR)
        stored += h5data_stored_bytes(f->cigar) + h5data_stored_bytes(f->cigar_offset);
    return stored;
}

static void describe_pairs(const pairs_file_t *f, FILE *to)
{
    int64_t n = f->rows.n;

    if (f->is_sparse)
        fprintf(to, "file\tlayout\thits\n");
    fprintf(to, "file\tsequences\t%" PRId64 "\n", n);
    if (f->is_against)
        fprintf(to, "file\treferences\t%" PRId64 "\n", f->references.n);
    fprintf(to, "file\tpairs\t%" PRId64 "\n",
            f->is_against ? n * f->references.n : n * (n - 1) / 2);
    if (f->is_sparse)
        fprintf(to, "file\thits\t%" PRId64 "\n", f->n_hits);
    fprintf(to, "file\tdatasets\t%s%s%s\n",
            f->n_datasets == PAIRS_N_SCORE ? "score" : "score matches columns",
            pairs_has_strand(f) ? " strand" : "",
            f->n_datasets == PAIRS_N_CIGAR ? " cigar" : "");
}

status_t pairs_describe(const pairs_file_t *f, FILE *to)
{
    int64_t minor = 0;

    h5util_get_int(f->file, "format_version_minor", &minor);
    fprintf(to, "file\tformat\t%s %" PRId64 ".%" PRId64 "\n", PAIRS_FORMAT, f->version,
            minor);
    describe_pairs(f, to);
    describe_text(f, "alphabet", to);
    if (f->n_datasets != PAIRS_N_SCORE) {
        describe_text(f, "identity", to);
        describe_text(f, "identity_definition", to);
    }
    describe_text(f, "min_identity", to);
    if (f->top > 0)
        fprintf(to, "file\ttop\t%" PRId64 "\n", f->top);
    describe_text(f, "cigar_style", to);
    describe_text(f, "score_unit", to);
    if (!f->is_sparse)
        fprintf(to, "file\ttile\t%" PRId64 " x %" PRId64 "\n", f->grid.side,
                f->grid.side);
    fprintf(to, "file\tstored_bytes\t%" PRId64 "\n", stored_bytes(f));
    run_info_print_job(f->job, to);
    return run_info_print_open(f->file, to);
}
