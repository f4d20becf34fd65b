/*
 * export_hit.c - deriving what is known about an alignment from a CIGAR or from numbers.
 */
#include "io/export/export_hit.h"

#include "io/base/logmsg.h"
#include "io/pairs/evalue.h"
#include "io/seq/cigar.h"

#include <inttypes.h>
#include <string.h>

typedef struct {
    const pairs_file_t *file;
    unsigned needed;
    bool use_cigars;
    int64_t match, mismatch, gap; /* if the pairs follow from the score */
    bool has_law;
    evalue_t law;
    double max_evalue; /* 0: none */
} walk_t;

/* @return whether the score determines the mismatches; not with a matrix or affine gaps:
 * the job then has no match and mismatch, or no gap; nor with end gaps that cost, or
 * ambiguity codes that score nothing */
static bool read_scores(walk_t *w)
{
    return !w->file->ends_priced && strstr(w->file->job, "\nambiguity=neutral") == NULL &&
           pairs_job_number(w->file, "match", &w->match) &&
           pairs_job_number(w->file, "mismatch", &w->mismatch) &&
           pairs_job_number(w->file, "gap", &w->gap) && w->mismatch != w->gap;
}

/* @return what is known without CIGARs */
static unsigned facts_of_numbers(walk_t *w)
{
    bool ends_count = w->file->ends_count;
    unsigned by_score;

    switch (w->file->identity_def) {
    case IDENTITY_INNER_COLUMNS:
        by_score = !ends_count && read_scores(w) ? EXPORT_PAIRS : 0;
        return EXPORT_MATCHES | EXPORT_INNER | by_score;
    case IDENTITY_ALL_COLUMNS:
    case IDENTITY_BLAST:
    case IDENTITY_NOGAPS:
        return EXPORT_MATCHES | EXPORT_PAIRS;
    case IDENTITY_EACHGAP:
        return ends_count ? EXPORT_MATCHES | EXPORT_PAIRS : EXPORT_MATCHES;
    case IDENTITY_MBL:
        return 0;
    default:
        return EXPORT_MATCHES;
    }
}

unsigned export_facts(const pairs_file_t *file)
{
    walk_t w = {.file = file};
    unsigned known = EXPORT_QUERY_BASES;

    if (!file->is_against)
        known |= EXPORT_TARGET_BASES;
    if (!file->ends_local)
        known |= EXPORT_POSITIONS;
    if (file->n_datasets == PAIRS_N_SCORE)
        return known;
    known |= EXPORT_IDENTITY;
    if (file->n_datasets == PAIRS_N_CIGAR &&
        (file->identity_def != IDENTITY_MBL || !file->has_runs_of_m))
        return known | EXPORT_MATCHES | EXPORT_INNER | EXPORT_PAIRS | EXPORT_CIGAR |
               EXPORT_POSITIONS;
    return known | facts_of_numbers(&w);
}

const char *export_facts_remedy(unsigned needed, unsigned known)
{
    unsigned missing = needed & ~known;
    unsigned of_alignment = EXPORT_MATCHES | EXPORT_INNER | EXPORT_PAIRS | EXPORT_CIGAR;

    if (missing & of_alignment && known & EXPORT_IDENTITY && !(known & EXPORT_MATCHES))
        return "matches, which are not in a file of --iddef 3; align with --emit cigar "
               "--cigar-style eqx";
    if (missing & (EXPORT_MATCHES | EXPORT_IDENTITY))
        return "identities, but the file holds only scores; align with --emit identity";
    if (missing & (EXPORT_INNER | EXPORT_PAIRS | EXPORT_CIGAR | EXPORT_POSITIONS))
        return "alignments, but the file holds none; align with --emit cigar";
    return "the references themselves, but the file holds only their names";
}

static status_t misfit(const walk_t *w, const export_hit_t *h)
{
    log_error("%s: the alignment of pair %" PRId32 ", %" PRId32 " (%s, %s) contradicts "
              "its numbers; align again",
              w->file->path, h->hit->row + 1, h->hit->col + 1, h->query, h->target);
    return ST_EINPUT;
}

/* An end gap of I has bases of the query, one of D bases of the target.
 * @return whether the run is one; with --ends query the query's are columns instead */
static bool put_end(const walk_t *w, uint32_t run, int64_t *query, int64_t *target)
{
    if (cigar_run_op(run) == CIGAR_I && !w->file->ends_query)
        *query = cigar_run_len(run);
    else if (cigar_run_op(run) == CIGAR_D)
        *target = cigar_run_len(run);
    else
        return false;
    return true;
}

/* The first and the last run may be end gaps. */
static void find_ends(const walk_t *w, export_hit_t *h)
{
    h->first_inner = put_end(w, h->runs[0], &h->query_left, &h->target_left);
    h->end_inner = h->n_runs;
    if (h->n_runs > 1)
        h->end_inner -=
            put_end(w, h->runs[h->n_runs - 1], &h->query_right, &h->target_right);
}

static void find_local(export_hit_t *h)
{
    cigar_margins_t m = cigar_margins(h->runs, h->n_runs);

    h->query_left = m.query_left;
    h->query_right = m.query_right;
    h->target_left = m.target_left;
    h->target_right = m.target_right;
    h->first_inner = m.first;
    h->end_inner = m.end;
    h->query_first = m.query_left + 1;
    h->query_last = h->m - m.query_right;
    h->target_first = m.target_left + 1;
    h->target_last = h->n - m.target_right;
}

static status_t fill_from_runs(const walk_t *w, export_hit_t *h)
{
    bool styled = false;

    for (int64_t i = 0; i < h->n_runs; i++)
        styled = styled || cigar_run_op(h->runs[i]) == CIGAR_M;
    h->counts = identity_def_count(h->runs, h->n_runs, styled ? h->hit->matches : 0);
    if (h->counts.mismatches < 0)
        return misfit(w, h);
    if (w->file->ends_local)
        find_local(h);
    else
        find_ends(w, h);
    h->counts.end_letters =
        h->query_left + h->query_right + h->target_left + h->target_right;
    h->counts.end_runs = h->first_inner + h->n_runs - h->end_inner;
    h->matches = h->counts.matches;
    h->pairs = h->matches + h->counts.mismatches;
    h->columns = h->pairs + h->counts.gap_letters;
    h->inner = h->columns - h->counts.end_letters;
    h->perfect = h->matches == h->columns;
    return ST_OK;
}

static status_t fill_from_cigar(const walk_t *w, pairs_scan_t *scan, int64_t k,
                                export_hit_t *h)
{
    status_t st = pairs_scan_runs(scan, k, &h->runs, &h->n_runs);

    if (st != ST_OK)
        return st;
    return h->n_runs > 0 ? fill_from_runs(w, h) : misfit(w, h);
}

/* @return the mismatches of a pair whose columns exclude end gaps, or -1 if the score is
 * impossible */
static int64_t mismatches_by_score(const walk_t *w, const pairs_hit_t *hit)
{
    int64_t lost = hit->score - w->match * hit->matches -
                   w->gap * ((int64_t)hit->columns - hit->matches);

    return lost % (w->mismatch - w->gap) == 0 ? lost / (w->mismatch - w->gap) : -1;
}

/* Fill in what follows from the numbers; export_facts tells which values are valid. */
static status_t fill_from_numbers(const walk_t *w, export_hit_t *h)
{
    const pairs_hit_t *hit = h->hit;
    int64_t rest = hit->columns - hit->matches, mismatches;

    h->matches = hit->matches;
    h->inner = hit->columns;
    if (!(w->needed & EXPORT_PAIRS))
        return ST_OK;
    if (w->file->identity_def == IDENTITY_INNER_COLUMNS)
        mismatches = mismatches_by_score(w, hit);
    else if (w->file->identity_def == IDENTITY_NOGAPS)
        mismatches = rest;
    else
        mismatches = h->m + h->n - hit->columns - hit->matches;
    h->pairs = h->matches + mismatches;
    if (mismatches < 0 || mismatches > rest || h->pairs > h->m || h->pairs > h->n)
        return misfit(w, h);
    h->columns = h->m + h->n - h->pairs;
    h->counts.matches = h->matches;
    h->counts.mismatches = mismatches;
    h->counts.gap_letters = h->columns - h->pairs;
    return ST_OK;
}

static status_t write_hit(const walk_t *w, pairs_scan_t *scan, const pairs_hit_t *hit,
                          int64_t k, export_hit_fn_t write, void *state, FILE *out)
{
    export_hit_t h = {.hit = hit,
                      .scores_in_halves = w->file->scores_in_halves,
                      .query = w->file->rows.names[hit->row],
                      .target = w->file->cols.names[hit->col],
                      .m = pairs_len(w->file, hit->row),
                      .n = pairs_col_len(w->file, hit->col),
                      .query_first = 1,
                      .query_last = pairs_len(w->file, hit->row),
                      .target_first = 1,
                      .target_last = pairs_col_len(w->file, hit->col),
                      .evalue = -1};
    status_t st;

    if (w->has_law) {
        h.evalue = evalue_of(&w->law, hit->score, h.m, h.n);
        h.bits = evalue_bits(&w->law, hit->score);
    }
    if (w->max_evalue > 0 && h.evalue > w->max_evalue)
        return ST_OK;
    st = w->use_cigars ? fill_from_cigar(w, scan, k, &h) : fill_from_numbers(w, &h);
    return st == ST_OK ? write(state, &h, out) : st;
}

static void warn_of_left_out(const pairs_file_t *file, int64_t n)
{
    if (n > 0)
        log_warn("%s: left out %" PRId64 " pairs, which have no identity", file->path, n);
}

status_t export_hit_each(const pairs_file_t *file, const export_pick_t *pick,
                         unsigned needed, export_hit_fn_t write, void *state, FILE *out)
{
    walk_t w = {.file = file,
                .needed = needed & export_facts(file),
                .max_evalue = pick->max_evalue};
    bool scores_alone = file->n_datasets == PAIRS_N_SCORE;
    bool is_mbl =
        file->identity_def == IDENTITY_MBL; /* its matches are not the alignment's */
    const pairs_hit_t *hits;
    pairs_scan_t *scan = NULL;
    int64_t n = 1, left_out = 0;
    status_t st = pairs_scan_open_sorted(file, &pick->id, NULL, pick->order, &scan);

    w.has_law = evalue_begin(file, &w.law);
    w.use_cigars = file->n_datasets == PAIRS_N_CIGAR &&
                   w.needed & (EXPORT_INNER | EXPORT_PAIRS | EXPORT_CIGAR |
                               (is_mbl ? EXPORT_MATCHES : 0) |
                               (file->ends_local ? EXPORT_POSITIONS : 0));
    if (w.needed & EXPORT_PAIRS && !w.use_cigars)
        read_scores(&w); /* export_facts has checked that they exist where they matter */
    while (st == ST_OK && n > 0 && (st = pairs_scan_next(scan, &hits, &n)) == ST_OK) {
        for (int64_t k = 0; st == ST_OK && k < n; k++)
            if (pick->takes != NULL && !pick->takes(pick->state, &hits[k]))
                continue;
            else if (scores_alone || hits[k].columns > 0)
                st = write_hit(&w, scan, &hits[k], k, write, state, out);
            else
                left_out++;
        if (st == ST_OK && ferror(out))
            break; /* export_out_flush logs it */
    }
    pairs_scan_close(scan);
    if (st == ST_OK)
        warn_of_left_out(file, left_out);
    return st;
}
