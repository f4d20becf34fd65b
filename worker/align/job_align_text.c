/*
 * job_align_text.c - the job "align" in words: two runs of the same words are the same
 * job.
 */
#include "io/base/digest.h"
#include "worker/align/job_align_state.h"

#include <inttypes.h>

/* What decides on the pairs of a sparse file. */
static status_t add_sparse(job_align_t *j)
{
    const align_opts_t *o = j->opts;
    status_t st = ST_OK;

    if (o->min_identity.denominator != 0)
        st = buf_printf(&j->text, "min_identity=%" PRId64 "/%" PRId64 "\n",
                        o->min_identity.numerator, o->min_identity.denominator);
    if (st == ST_OK && o->against != NULL)
        st = buf_printf(&j->text,
                        "references=%" PRId64 "\nreferences_digest=%016" PRIx64
                        "\nstrand=%s\n",
                        j->set->n - j->col_first, j->references_digest,
                        o->both_strands ? "both" : "plus");
    if (st == ST_OK && o->top > 0)
        st = buf_printf(&j->text, "top=%" PRId64 "\n", o->top);
    return st;
}

/* Everything that the result depends on, a line each; no more and no less. */
status_t job_align_write_text(job_align_t *j)
{
    static const char *const ambiguities[] = {"n-mismatch", "match", "mismatch"};
    const align_opts_t *o = j->opts;
    const align_scoring_t *s = &j->spec.scoring;
    const prepared_t *p = &j->prepared;
    status_t st;

    st = buf_printf(&j->text,
                    "job=align\nsequences=%" PRId64 "\ninput_digest=%016" PRIx64
                    "\nemit=%s\nends=%s\n",
                    j->n_queries, j->digest, align_emit_name[o->emit],
                    align_ends_name[o->ends]);
    if (st == ST_OK && (p->size != NULL || p->members.n > 0 || p->samples.n > 0))
        st = buf_printf(&j->text, "sizes_digest=%016" PRIx64 "\n",
                        prepare_digest(p, j->n_queries));
    if (st == ST_OK && o->ends == ENDS_FREE && o->emit != EMIT_SCORE)
        st = buf_printf(&j->text, "min_overlap=%" PRId64 "/%" PRId64 "\n",
                        o->min_overlap.numerator, o->min_overlap.denominator);
    if (st == ST_OK && job_align_identity_name(j) != NULL)
        st = buf_printf(&j->text, "iddef=%s\n", job_align_identity_name(j));
    if (st == ST_OK && o->emit == EMIT_CIGAR)
        st = buf_printf(&j->text, "cigar_style=%s\n", cigar_style_name[o->cigar_style]);
    if (st == ST_OK && o->matrix != NULL)
        st = buf_printf(&j->text, "matrix_digest=%016" PRIx64 "\ngap=%" PRId32 "\n",
                        digest_add(DIGEST_START, s->score, sizeof(s->score)), o->gap);
    else if (st == ST_OK)
        st = buf_printf(&j->text,
                        "match=%" PRId32 "\nmismatch=%" PRId32 "\ngap=%" PRId32
                        "\nambiguity=%s\n",
                        o->match, o->mismatch, o->gap, ambiguities[o->ambiguity]);
    if (st == ST_OK && j->is_sparse)
        st = add_sparse(j);
    return st == ST_OK ? buf_append(&j->text, "", 1) : st;
}
