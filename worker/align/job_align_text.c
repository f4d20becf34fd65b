/*
 * job_align_text.c - the text of the job "align": everything its result depends on, one
 * "name=value" per line.  Two runs with equal texts are the same job.
 */
#include "worker/align/job_align_state.h"

#include <inttypes.h>

typedef enum {
    LINE_INT,      /* int64_t */
    LINE_DIGEST,   /* uint64_t */
    LINE_FRACTION, /* fraction_t */
    LINE_FLAG,     /* the line is there only if it is true */
    LINE_WORD      /* an enum: the index into `words` */
} line_kind_t;

typedef struct {
    const char *name;
    line_kind_t kind;
    bool applies;
    const void *at;
    const char *const *words;
} line_t;

static status_t append_line(const line_t *line, buf_t *text)
{
    const fraction_t *fraction = line->at;

    switch (line->kind) {
    case LINE_INT:
        return buf_printf(text, "%s=%" PRId64 "\n", line->name,
                          *(const int64_t *)line->at);
    case LINE_DIGEST:
        return buf_printf(text, "%s=%016" PRIx64 "\n", line->name,
                          *(const uint64_t *)line->at);
    case LINE_FRACTION:
        return buf_printf(text, "%s=%" PRId64 "/%" PRId64 "\n", line->name,
                          fraction->numerator, fraction->denominator);
    case LINE_FLAG:
        return buf_printf(text, "%s=1\n", line->name);
    default:
        return buf_printf(text, "%s=%s\n", line->name,
                          line->words[*(const int *)line->at]);
    }
}

/* The order is part of the format: a job is resumed only if its text is equal. */
static status_t append_lines(const job_align_t *j, buf_t *text)
{
    static const char *const strand_words[] = {"plus", "both"};
    const align_opts_t *o = j->opts;
    const prepared_t *p = &j->prepared;
    const bool has_sizes = p->size != NULL || p->members.n > 0 || p->samples.n > 0;
    const bool has_overlap = align_ends_limit_overlap(o->ends) && o->emit != EMIT_SCORE;
    const bool has_matrix = o->matrix != NULL, has_references = o->against != NULL;
    const bool is_affine = j->spec.align.scoring.gaps == GAPS_AFFINE;
    const bool is_priced = o->ends == ENDS_PRICED;
    const line_t lines[] = {
        {"sequences", LINE_INT, true, &j->n_queries, NULL},
        {"input_digest", LINE_DIGEST, true, &j->digest, NULL},
        {"emit", LINE_WORD, true, &o->emit, align_emit_name},
        {"ends", LINE_WORD, true, &o->ends, align_ends_name},
        {"sizes_digest", LINE_DIGEST, has_sizes, &j->sizes_digest, NULL},
        {"samples", LINE_INT, p->samples.n > 0, &p->samples.n, NULL},
        {"min_overlap", LINE_FRACTION, has_overlap, &o->min_overlap, NULL},
        {"iddef", LINE_WORD, j->spec.identity_name != NULL, &o->iddef, identity_def_name},
        {"cigar_style", LINE_WORD, o->emit == EMIT_CIGAR, &o->cigar_style,
         cigar_style_name},
        {"score_unit", LINE_WORD, o->score_unit == SCORE_UNIT_HALF, &o->score_unit,
         align_score_unit_name},
        {"matrix_digest", LINE_DIGEST, has_matrix, &j->spec.matrix_digest, NULL},
        {"match", LINE_INT, !has_matrix, &o->match, NULL},
        {"mismatch", LINE_INT, !has_matrix, &o->mismatch, NULL},
        {"gap", LINE_INT, !is_affine, &o->gap, NULL},
        {"gap_open", LINE_INT, is_affine, &o->gap_open, NULL},
        {"gap_extend", LINE_INT, is_affine, &o->gap_extend, NULL},
        {"end_gap_open", LINE_INT, is_priced, &o->end_gap_open, NULL},
        {"end_gap_extend", LINE_INT, is_priced, &o->end_gap_extend, NULL},
        {"ambiguity", LINE_WORD, !has_matrix, &o->ambiguity, align_ambiguity_name},
        {"min_identity", LINE_FRACTION, o->min_identity.denominator != 0,
         &o->min_identity, NULL},
        {"references", LINE_INT, has_references, &j->n_references, NULL},
        {"references_digest", LINE_DIGEST, has_references, &j->references_digest, NULL},
        {"strand", LINE_WORD, has_references, &o->strand, strand_words},
        {"top", LINE_INT, o->top > 0, &o->top, NULL},
        {PAIRS_JOB_CENTROIDS, LINE_WORD, o->centroids != CENTROIDS_ANY, &o->centroids,
         align_centroids_name},
        {"full_names", LINE_FLAG, o->fasta.full_names, NULL, NULL},
    };
    status_t st = ST_OK;

    for (size_t i = 0; st == ST_OK && i < sizeof(lines) / sizeof(lines[0]); i++)
        if (lines[i].applies)
            st = append_line(&lines[i], text);
    return st;
}

/* What its records hold. */
static pairs_record_job_t records_of(const job_align_t *j)
{
    const int64_t longest = seqset_max_len(j->set);
    const align_range_t scores = align_range(&j->spec.align, longest, longest);
    const bool is_canonical =
        identity_def_is_canonical(j->spec.identity, j->spec.count_ends) ||
        j->opts->ends == ENDS_QUERY || j->opts->ends == ENDS_LOCAL;
    const char *end_gaps = j->opts->ends == ENDS_COUNT   ? ""
                           : j->opts->ends == ENDS_QUERY ? "D"
                                                         : "ID";

    return (pairs_record_job_t){.set = j->set,
                                .grid = &j->grid,
                                .n_datasets = j->spec.n_datasets,
                                .is_sparse = j->is_sparse,
                                .has_strands = j->n_strands > 1,
                                .counts_bases = j->spec.identity == IDENTITY_MBL,
                                .end_gaps = is_canonical ? end_gaps : NULL,
                                .n_end_gaps = j->opts->ends == ENDS_LOCAL ? 2 : 1,
                                .marks_matches = j->opts->cigar_style == CIGAR_STYLE_EQX,
                                .min_identity = j->opts->min_identity,
                                .min_score = scores.min,
                                .max_score = scores.max};
}

status_t job_align_describe(job_t *job)
{
    job_align_t *j = (job_align_t *)job;
    status_t st = buf_printf(&job->text, "job=align\n");

    j->records = records_of(j);
    return st == ST_OK ? append_lines(j, &job->text) : st;
}
