/*
 * close_pairs.c - the similar pairs of a FASTA file, for R.
 */
#include <R.h>
#include <Rinternals.h>
#include <ribogrid.h>

/* What has to be freed, also when R leaves a function by an error. */
typedef struct {
    rg_context_t *context;
    rg_set_t *reads;
    rg_aligner_t *aligner;
    rg_result_t *pairs;
    const char *path;
    double id;
} work_t;

static void end(void *arg)
{
    work_t *w = arg;

    rg_result_destroy(w->pairs);
    rg_aligner_destroy(w->aligner);
    rg_set_destroy(w->reads);
    rg_context_destroy(w->context);
}

static SEXP run(void *arg)
{
    static const char *names[] = {"query", "target", "identity", ""};
    work_t *w = arg;
    rg_align_options_t options;
    double *identity;
    int64_t n;
    SEXP out;

    rg_align_options_init(&options, sizeof(options));
    options.preset = "vsearch";
    options.id = w->id;
    if (rg_context_create(NULL, &w->context) != RG_OK ||
        rg_set_read(w->context, w->path, NULL, &w->reads) != RG_OK ||
        rg_aligner_create(w->context, w->reads, NULL, &options, &w->aligner) != RG_OK ||
        rg_aligner_all(w->aligner, &w->pairs) != RG_OK)
        error("%s", rg_context_error(w->context));
    n = rg_result_count(w->pairs);
    out = PROTECT(mkNamed(VECSXP, names));
    SET_VECTOR_ELT(out, 0, allocVector(STRSXP, n));
    SET_VECTOR_ELT(out, 1, allocVector(STRSXP, n));
    SET_VECTOR_ELT(out, 2, allocVector(REALSXP, n));
    identity = REAL(VECTOR_ELT(out, 2));
    for (int64_t k = 0; k < n; k++) {
        const char *query = rg_set_name(w->reads, rg_result_queries(w->pairs)[k]);
        const char *target = rg_set_name(w->reads, rg_result_targets(w->pairs)[k]);

        SET_STRING_ELT(VECTOR_ELT(out, 0), k, mkChar(query));
        SET_STRING_ELT(VECTOR_ELT(out, 1), k, mkChar(target));
        identity[k] =
            (double)rg_result_matches(w->pairs)[k] / rg_result_columns(w->pairs)[k];
    }
    UNPROTECT(1);
    return out;
}

SEXP close_pairs(SEXP path, SEXP id)
{
    work_t w = {.path = CHAR(asChar(path)), .id = asReal(id)};

    return R_ExecWithCleanup(run, &w, end, &w);
}
