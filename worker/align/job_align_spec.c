/*
 * job_align_spec.c - settles the specifications of the job "align": how pairs are
 * aligned, what their identities are computed from, and what the filters rule out.
 */
#include "worker/align/job_align_spec.h"

#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/pairs/pairs_format.h"
#include "io/seq/matrix_file.h"

#include <inttypes.h>
#include <string.h>

const char *const job_align_ends_words[ALIGN_N_ENDS] = {"free ends", "counted ends",
                                                        "the query's ends counted",
                                                        "ends with costs of their own",
                                                        "local alignments"};

/*
 * Identities are computed from the cheapest output that determines them.
 *
 * The canonical alignment of sequences of m and n bases has a score S, M matches and C
 * columns.  Let X be its mismatches, d = M + X its columns with two bases, and A its
 * columns including those of end gaps.  Of the A columns d have two bases and the others
 * one, so A = m + n - d.
 *
 * With counted ends C = A, so d = m + n - C, whatever the scores.  With free ends and two
 * scores for bases, S = M match + X mismatch + (C - M - X) gap, which gives X unless
 * mismatch = gap.  So definition 0, nogaps, and those by all columns follow from counts.
 *
 * Where gaps begin does not follow: 3 and onegap need the alignment, and so does 2 with
 * counted ends, where C includes the columns of end gaps.  eachgap without counted ends
 * leaves out the columns before the first with two bases and after the last.  These are
 * the end gaps, and the identity is M / C, if mismatch > gap: where gaps of both
 * sequences meet at an end, only the outer one is free, and mismatches in place of the
 * inner one would score more.  Otherwise the alignment is needed.
 *
 * With affine gaps the score does not yield X, because the number of gaps is not known,
 * and mismatches in place of a long inner gap may score less.  With priced ends the score
 * includes the costs of the terminal gaps.  Only the definitions that follow from C or
 * from M alone need no alignment then.
 *
 * With --ends query the identity is M / C.  None of the definitions is that where the
 * query overhangs, because they treat the ends of both sequences alike.  Nor is any that
 * of a local alignment, whose identity is M / C, too.
 */
static search_source_t source_of(identity_def_t def, const align_spec_t *spec)
{
    const align_scoring_t *s = &spec->scoring;
    bool count_ends = spec->ends == ENDS_COUNT;
    bool is_plain = s->two_valued && s->gaps == GAPS_LINEAR && spec->ends != ENDS_PRICED;
    bool counts_give_mismatches = count_ends || (is_plain && s->mismatch != s->gap);

    if (identity_def_is_canonical(def, count_ends))
        return SEARCH_FROM_CANONICAL;
    switch (def) {
    case IDENTITY_CDHIT:
        return SEARCH_FROM_COUNTS;
    case IDENTITY_ALL_COLUMNS:
    case IDENTITY_BLAST:
    case IDENTITY_NOGAPS:
        return counts_give_mismatches ? SEARCH_FROM_COUNTS : SEARCH_FROM_CIGAR;
    case IDENTITY_EACHGAP: /* free ends: with counted ones it is canonical */
        return is_plain && s->mismatch > s->gap ? SEARCH_FROM_CANONICAL
                                                : SEARCH_FROM_CIGAR;
    default:
        return SEARCH_FROM_CIGAR;
    }
}

/*
 * Filters are proved for M >= c C of the canonical alignment (docs/filters.md).  So they
 * are lossless for another definition only if a pair that reaches c by this one also does
 * so by M / C.
 *
 * 1, 4 and any other that is M / A: yes, as A >= C.  More is true.  d columns of two
 * bases and A - d of one are an alignment of all bases, which the bounds for counted ends
 * are about, and these hold for every alignment, whatever its score.  So the filter
 * counts ends and rules out more.  (It then ignores min_overlap, which could only rule
 * out further pairs.)
 *
 * 2 with counted ends, nogaps, onegap: no.  They count only some of the C columns, so
 * they may exceed M / C.  eachgap without counted ends: likewise, unless it is M / C.
 *
 * 0: no.  The shorter sequence may have fewer bases than C: if all bases of a sequence of
 * 9 match 9 of the other's 10, with a gap inside, this is 9 / 9, while M / C is 9 / 10.
 *
 * 3: no.  A gap counts once, however long: with one gap of 100 bases among 200 matches
 * the identity is 1 - 1 / 300, while M / C is 200 / 300.
 *
 * With --ends query there is one definition, M / C.
 *
 * No bound is proved for local alignments: any two sequences may share a part.  The
 * k-mers of the filters are of DNA.
 */
static void settle_filter(job_align_spec_t *s)
{
    bool is_by_all_columns =
        s->identity == IDENTITY_ALL_COLUMNS || s->identity == IDENTITY_BLAST;

    s->filter = s->align;
    if (is_by_all_columns)
        s->filter.ends = ENDS_COUNT;
    s->filter_is_lossless = s->align.scoring.alphabet == ALPHABET_DNA &&
                            s->align.ends != ENDS_LOCAL &&
                            (is_by_all_columns || s->source == SEARCH_FROM_CANONICAL);
}

static void settle_identity(const align_opts_t *o, job_align_spec_t *s)
{
    bool has_identity = o->emit != EMIT_SCORE;

    s->identity = o->iddef;
    s->count_ends = o->ends == ENDS_COUNT;
    s->source = has_identity ? source_of(s->identity, &s->align) : SEARCH_FROM_CANONICAL;
    if (s->source == SEARCH_FROM_CIGAR)
        s->align.emit = EMIT_CIGAR;
    if (has_identity && o->ends != ENDS_QUERY && o->ends != ENDS_LOCAL)
        s->identity_name = identity_def_name[s->identity];
    if (!identity_def_is_canonical(s->identity, s->count_ends))
        s->identity_words = identity_def_words(s->identity, s->count_ends);
}

/* @param matrix  NULL: to be read */
static status_t settle_scoring(const align_opts_t *o, alphabet_t alphabet,
                               const score_matrix_t *matrix, job_align_spec_t *s)
{
    align_scoring_t *scoring = &s->align.scoring;
    score_matrix_t read;
    status_t st;

    if (o->matrix == NULL) {
        align_opts_set_scores(o, NULL, &s->align);
        return ST_OK;
    }
    if (matrix == NULL) {
        if ((st = matrix_file_read(o->matrix, alphabet, &read)) != ST_OK)
            return st;
        matrix = &read;
    }
    align_opts_set_scores(o, matrix, &s->align);
    if (o->ends == ENDS_LOCAL && align_scoring_range(scoring).max <= 0) {
        log_error("%s has no score above 0, so that no local alignment gains anything; "
                  "give another --matrix, or leave out --mode local",
                  o->matrix);
        return ST_EINPUT;
    }
    memcpy(s->is_scored, matrix->has, sizeof(s->is_scored));
    s->matrix_digest = score_matrix_digest(scoring->alphabet, scoring->score);
    return ST_OK;
}

status_t job_align_spec_settle(const align_opts_t *o, alphabet_t alphabet,
                               const score_matrix_t *matrix, job_align_spec_t *out)
{
    static const int n_datasets[] = {PAIRS_N_SCORE, PAIRS_N_IDENTITY, PAIRS_N_CIGAR};
    job_align_spec_t s = {.align = {.emit = o->emit,
                                    .min_overlap = o->min_overlap,
                                    .join_columns = o->cigar_style == CIGAR_STYLE_M},
                          .n_datasets = n_datasets[o->emit]};
    status_t st = settle_scoring(o, alphabet, matrix, &s);

    if (st != ST_OK)
        return st;
    settle_identity(o, &s);
    settle_filter(&s);
    *out = s;
    return ST_OK;
}

status_t job_align_spec_check(const job_align_spec_t *spec, const align_opts_t *o,
                              const seqset_t *set, const char *label)
{
    const int64_t longest = seqset_max_len(set);
    const align_range_t range = align_range(&spec->align, longest, longest);
    const bool stores_cigars = o->emit == EMIT_CIGAR;
    const char *letters = alphabet_letters[set->alphabet];

    if (set->n > INT32_MAX) {
        log_error("%s: %" PRId64 " sequences%s are more than 2147483647; split the file",
                  label, set->n,
                  o->against != NULL ? ", with strands and references," : "");
        return ST_EINPUT;
    }
    if (range.min < INT32_MIN || range.max > INT32_MAX) {
        log_error("%s: scores of two sequences of %" PRId64 " %s could leave 32 bits; "
                  "give smaller scores and costs of gaps",
                  label, longest, letters);
        return ST_EINPUT;
    }
    if (spec->align.emit == EMIT_CIGAR && longest > CIGAR_RUN_MAX) {
        log_error("%s: a sequence has %" PRId64 " %s, too many for a CIGAR%s; give %s",
                  label, longest, letters,
                  stores_cigars ? "" : ", which its identities are computed from",
                  stores_cigars ? "--emit identity" : "no --iddef");
        return ST_EINPUT;
    }
    return ST_OK;
}

bool job_align_spec_lacks(const job_align_spec_t *spec, const align_opts_t *o,
                          const seqset_t *set, int64_t *index, uint8_t *code)
{
    if (o->matrix == NULL)
        return false;
    for (int64_t i = 0; i < set->n; i++)
        for (int64_t k = 0; k < seqset_len(set, i); k++)
            if (!spec->is_scored[seqset_letters(set, i)[k]]) {
                *index = i;
                *code = seqset_letters(set, i)[k];
                return true;
            }
    return false;
}

pairs_order_t job_align_spec_order(const align_opts_t *o)
{
    return o->ends == ENDS_LOCAL ? PAIRS_BY_SCORE : PAIRS_BY_IDENTITY;
}

search_context_t job_align_spec_search(const job_align_spec_t *spec,
                                       const align_opts_t *o)
{
    const bool is_sparse = job_align_is_sparse(o);
    const bool may_filter = is_sparse && spec->filter_is_lossless;

    return (
        search_context_t){.n_strands = o->strand == STRAND_BOTH ? 2 : 1,
                          .spec = &spec->align,
                          .identity = {spec->source, spec->identity, spec->count_ends},
                          .filter = may_filter ? &spec->filter : NULL,
                          .min_identity = o->min_identity,
                          .n_best = is_sparse ? o->top : 0,
                          .order = job_align_spec_order(o),
                          .aligner = {.kernel = o->common.kernel, .trial = true}};
}

/* Sides of tiles with CIGARs, whose results are a hundred times as large as others.  With
 * a filter a tile has few hits. */
enum { CIGAR_SIDE_MAX = 64, CIGAR_SIDE_FILTERED = 512 };

tile_grid_t job_align_spec_grid(const search_context_t *c)
{
    const bool has_cigars = c->spec->emit == EMIT_CIGAR;
    const bool is_square = c->first_target == 0 && c->n_queries == c->set->n;
    tile_grid_t grid = is_square
                           ? tile_grid(c->set)
                           : tile_grid_against(c->set, c->n_queries, c->first_target);

    if (has_cigars && is_square && grid.side > CIGAR_SIDE_MAX)
        grid = tile_grid_of(c->set->n, CIGAR_SIDE_MAX);
    if (!search_may_filter(c))
        return grid;
    grid = tile_grid_coarser(grid, has_cigars ? CIGAR_SIDE_FILTERED : TILE_SIDE_FILTERED);
    return search_scores_first(c) ? tile_grid_wider(grid) : grid;
}
