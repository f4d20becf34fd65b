/*
 * job_align_text.c - the text of the job "align": everything its result depends on, one
 * "name=value" per line.  Two runs with equal texts are the same job.
 */
#include "worker/align/job_align_state.h"

#include <inttypes.h>
#include <stddef.h>

typedef enum {
    LINE_INT,      /* int64_t */
    LINE_DIGEST,   /* uint64_t */
    LINE_FRACTION, /* fraction_t */
    LINE_FLAG,     /* bool: the line is there only if it is true */
    LINE_WORD      /* an enum: the index into `words` */
} line_kind_t;

typedef struct {
    const char *name;
    line_kind_t kind;
    bool is_option; /* `at` is an offset in align_opts_t, or else in job_align_t */
    size_t at;
    bool (*applies)(const job_align_t *j); /* NULL: always */
    const char *const *words;
} line_t;

static bool has_sizes(const job_align_t *j)
{
    const prepared_t *p = &j->prepared;

    return p->size != NULL || p->members.n > 0 || p->samples.n > 0;
}

static bool has_full_names(const job_align_t *j)
{
    return j->opts->fasta.full_names;
}

static bool has_min_overlap(const job_align_t *j)
{
    return align_ends_limit_overlap(j->opts->ends) && j->opts->emit != EMIT_SCORE;
}

static bool has_definition(const job_align_t *j)
{
    return j->spec.identity_name != NULL;
}

static bool has_cigars(const job_align_t *j)
{
    return j->opts->emit == EMIT_CIGAR;
}

static bool has_matrix(const job_align_t *j)
{
    return j->opts->matrix != NULL;
}

static bool has_no_matrix(const job_align_t *j)
{
    return j->opts->matrix == NULL;
}

static bool has_half_units(const job_align_t *j)
{
    return j->opts->score_unit == SCORE_UNIT_HALF;
}

static bool has_linear_gaps(const job_align_t *j)
{
    return j->spec.align.scoring.gaps == GAPS_LINEAR;
}

static bool has_affine_gaps(const job_align_t *j)
{
    return j->spec.align.scoring.gaps == GAPS_AFFINE;
}

static bool has_priced_ends(const job_align_t *j)
{
    return j->opts->ends == ENDS_PRICED;
}

static bool has_min_identity(const job_align_t *j)
{
    return j->opts->min_identity.denominator != 0;
}

static bool has_references(const job_align_t *j)
{
    return j->opts->against != NULL;
}

static bool has_top(const job_align_t *j)
{
    return j->opts->top > 0;
}

static const char *const strand_words[] = {"plus", "both"};

#define OPTION(member) true, offsetof(align_opts_t, member)
#define JOB(member)    false, offsetof(job_align_t, member)

/* The order is part of the format: a job is resumed only if its text is equal. */
static const line_t lines[] = {
    {"sequences", LINE_INT, JOB(n_queries), NULL, NULL},
    {"input_digest", LINE_DIGEST, JOB(digest), NULL, NULL},
    {"emit", LINE_WORD, OPTION(emit), NULL, align_emit_name},
    {"ends", LINE_WORD, OPTION(ends), NULL, align_ends_name},
    {"sizes_digest", LINE_DIGEST, JOB(sizes_digest), has_sizes, NULL},
    {"min_overlap", LINE_FRACTION, OPTION(min_overlap), has_min_overlap, NULL},
    {"iddef", LINE_WORD, OPTION(iddef), has_definition, identity_def_name},
    {"cigar_style", LINE_WORD, OPTION(cigar_style), has_cigars, cigar_style_name},
    {"score_unit", LINE_WORD, OPTION(score_unit), has_half_units, align_score_unit_name},
    {"matrix_digest", LINE_DIGEST, JOB(spec.matrix_digest), has_matrix, NULL},
    {"match", LINE_INT, OPTION(match), has_no_matrix, NULL},
    {"mismatch", LINE_INT, OPTION(mismatch), has_no_matrix, NULL},
    {"gap", LINE_INT, OPTION(gap), has_linear_gaps, NULL},
    {"gap_open", LINE_INT, OPTION(gap_open), has_affine_gaps, NULL},
    {"gap_extend", LINE_INT, OPTION(gap_extend), has_affine_gaps, NULL},
    {"end_gap_open", LINE_INT, OPTION(end_gap_open), has_priced_ends, NULL},
    {"end_gap_extend", LINE_INT, OPTION(end_gap_extend), has_priced_ends, NULL},
    {"ambiguity", LINE_WORD, OPTION(ambiguity), has_no_matrix, align_ambiguity_name},
    {"min_identity", LINE_FRACTION, OPTION(min_identity), has_min_identity, NULL},
    {"references", LINE_INT, JOB(n_references), has_references, NULL},
    {"references_digest", LINE_DIGEST, JOB(references_digest), has_references, NULL},
    {"strand", LINE_WORD, OPTION(strand), has_references, strand_words},
    {"top", LINE_INT, OPTION(top), has_top, NULL},
    {"full_names", LINE_FLAG, OPTION(fasta.full_names), has_full_names, NULL},
};

static status_t append_line(const job_align_t *j, const line_t *line, buf_t *text)
{
    const char *base = line->is_option ? (const char *)j->opts : (const char *)j;
    const void *at = base + line->at;
    const fraction_t *fraction = at;

    switch (line->kind) {
    case LINE_INT:
        return buf_printf(text, "%s=%" PRId64 "\n", line->name, *(const int64_t *)at);
    case LINE_DIGEST:
        return buf_printf(text, "%s=%016" PRIx64 "\n", line->name, *(const uint64_t *)at);
    case LINE_FRACTION:
        return buf_printf(text, "%s=%" PRId64 "/%" PRId64 "\n", line->name,
                          fraction->numerator, fraction->denominator);
    case LINE_FLAG:
        return buf_printf(text, "%s=1\n", line->name);
    default:
        return buf_printf(text, "%s=%s\n", line->name, line->words[*(const int *)at]);
    }
}

/* What its records hold. */
static pairs_record_job_t records_of(const job_align_t *j)
{
    const int64_t longest = seqset_max_len(j->set);
    const align_range_t scores = align_range(&j->spec.align, longest, longest);

    return (pairs_record_job_t){.set = j->set,
                                .grid = &j->grid,
                                .n_datasets = j->spec.n_datasets,
                                .is_sparse = j->is_sparse,
                                .has_strands = j->n_strands > 1,
                                .counts_bases = j->spec.identity == IDENTITY_MBL,
                                .min_identity = j->opts->min_identity,
                                .min_score = scores.min,
                                .max_score = scores.max};
}

status_t job_align_describe(job_t *job)
{
    job_align_t *j = (job_align_t *)job;
    status_t st = buf_printf(&job->text, "job=align\n");

    j->records = records_of(j);
    for (size_t i = 0; st == ST_OK && i < sizeof(lines) / sizeof(lines[0]); i++)
        if (lines[i].applies == NULL || lines[i].applies(j))
            st = append_line(j, &lines[i], &job->text);
    return st;
}
