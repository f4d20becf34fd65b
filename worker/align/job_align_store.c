/*
 * job_align_store.c - the job "align" on rank 0: the log of finished tiles, and the
 * result file that is made of it.
 */
#include "worker/align/job_align_state.h"

#include "io/base/byte_size.h"
#include "io/base/logmsg.h"
#include "io/file/whole_file.h"
#include "io/pairs/write/pairs_write.h"
#include "worker/job_output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *job_align_check_record(job_t *job, int64_t task, int64_t version,
                                   const buf_t *record)
{
    (void)version;
    return pairs_record_check(&((const job_align_t *)job)->records, task, record);
}

/* Count the hits that the log already has, for --max-output. */
static status_t count_hits(job_align_t *j)
{
    buf_t record = {0};
    status_t st = ST_OK;

    for (int64_t k = 0; st == ST_OK && j->is_sparse && k < j->grid.n_tiles; k++) {
        if (!reslog_has(j->base.log, k))
            continue;
        st = reslog_read(j->base.log, k, &record);
        if (st == ST_OK)
            j->hits_bytes += pairs_hits_bytes(record.data, record.len);
    }
    buf_free(&record);
    return st;
}

static void log_job(const job_align_t *j)
{
    static const char *const outputs[] = {"score", "score and identity",
                                          "score, identity and CIGAR"};
    const align_opts_t *o = j->opts;
    bool has_other_identity = j->spec.identity_name != NULL &&
                              !identity_def_is_canonical(o->iddef, j->spec.count_ends);

    log_info("%s%s%s: %s, %s%s%s%s%s%s", j->files.label,
             o->against != NULL ? " against " : "", o->against != NULL ? o->against : "",
             outputs[o->emit], job_align_ends_words[o->ends],
             j->spec.align.scoring.gaps == GAPS_AFFINE ? ", affine gaps" : "",
             o->matrix != NULL ? ", scores from " : "",
             o->matrix != NULL ? o->matrix : "",
             has_other_identity ? ", identity by definition " : "",
             has_other_identity ? j->spec.identity_name : "");
}

status_t job_align_opened(job_t *job)
{
    job_align_t *j = (job_align_t *)job;
    status_t st;

    log_job(j);
    st = j->opts->extend != NULL ? job_align_list_tiles(j) : ST_OK;
    return st == ST_OK ? count_hits(j) : st;
}

status_t job_align_note_result(job_t *job, int64_t task, int64_t version,
                               const void *data, size_t len)
{
    job_align_t *j = (job_align_t *)job;
    char limit[BYTE_SIZE_TEXT_BYTES];

    (void)task;
    (void)version;
    if (j->is_sparse)
        j->hits_bytes += pairs_hits_bytes(data, len);
    if (j->hits_bytes <= j->opts->max_output_bytes)
        return ST_OK;
    log_error("%s: hits take more than --max-output, %s; finished tiles stay in %s: "
              "give --resume with a larger limit, or --force with a %s",
              job->opts->output, byte_size_text((double)j->opts->max_output_bytes, limit),
              job->part_path,
              j->opts->max_evalue > 0 ? "smaller --evalue or --max-hits"
                                      : "larger --id or a smaller --top");
    return ST_EINPUT;
}

static void log_counts(const pairs_head_t *head, const pairs_counts_t *c)
{
    char filtered[256] = "";
    size_t len = 0;

    if (head->n_taken > 0)
        len = (size_t)snprintf(filtered, sizeof(filtered),
                               "%" PRId64 " of the earlier result, ", head->n_taken);
    for (int k = 0; k < head->n_stages && len < sizeof(filtered); k++)
        len += (size_t)snprintf(filtered + len, sizeof(filtered) - len,
                                "%" PRId64 " filtered by %s, ", c->n_dropped[k],
                                head->stages[k]);
    log_info("%" PRId64 " pairs%s: %s%" PRId64 " aligned, %" PRId64 " kept", c->n_pairs,
             head->has_strand ? " of both strands" : "", filtered, c->n_aligned,
             c->n_kept);
}

/* Why a pair has no identity, as far as the options allow it. */
static void append_causes(const job_align_t *j, char *out, size_t size)
{
    const align_opts_t *o = j->opts;
    const double min_overlap = fraction_value(&o->min_overlap);
    int len = 0;

    if (align_ends_limit_overlap(o->ends) && min_overlap > 0)
        len = snprintf(out, size,
                       "they overlap by less than --min-overlap %.9g of the shorter "
                       "sequence",
                       min_overlap);
    else if (o->ends == ENDS_LOCAL)
        len = snprintf(out, size, "no part of them scores above 0");
    else if (align_ends_limit_overlap(o->ends))
        len = snprintf(out, size, "they do not overlap");
    if (identity_def_may_lack_columns(o->iddef, j->spec.count_ends))
        snprintf(out + len, size - (size_t)len,
                 "%s--iddef %s counts none of their columns", len > 0 ? ", or " : "",
                 identity_def_name[o->iddef]);
}

/* Pairs that a filter has ruled out may have no identity either: that is not known. */
static void log_without_identity(const job_align_t *j, const pairs_counts_t *c)
{
    char causes[256] = "their alignments have no columns";

    if (j->opts->emit == EMIT_SCORE || c->n_without_identity == 0)
        return;
    append_causes(j, causes, sizeof(causes));
    log_info("%" PRId64 " of %" PRId64 " %spairs have no identity: %s",
             c->n_without_identity, c->n_aligned / j->n_strands,
             c->n_aligned < c->n_pairs ? "aligned " : "", causes);
}

/* @return pairs of hits that are not computed (--extend) */
static int64_t count_taken(const job_align_t *j)
{
    int64_t n = 0;

    for (int64_t k = 0; j->is_sparse && j->old.n > 0 && k < j->grid.n_tiles; k++)
        if (job_align_is_old(&j->base, k)) {
            const tile_t tile = tile_at(&j->grid, k);

            n += tile_pairs(&tile) * j->n_strands;
        }
    return n;
}

/* Write the hits to a file of its own. */
static status_t write_hits(const job_align_t *j, const pairs_head_t *head,
                           pairs_counts_t *counts)
{
    const align_opts_t *o = j->opts;

    return pairs_write_hits(o->common.output, job_opts_may_replace(&o->common), head,
                            j->set, &j->grid, j->base.log, counts);
}

/* Make the log the result. */
static status_t write_matrices(const job_align_t *j, const pairs_head_t *head,
                               pairs_counts_t *counts)
{
    const align_opts_t *o = j->opts;
    status_t st = pairs_write(head, j->set, &j->grid, j->base.log, counts);

    log_phase("result");
    return st != ST_OK
               ? st
               : whole_file_adopt(o->common.output, job_opts_may_replace(&o->common),
                                  j->base.part_path, reslog_fd(j->base.log));
}

static status_t write_result(const job_align_t *j, const pairs_head_t *head)
{
    pairs_counts_t counts;
    status_t st = (j->is_sparse ? write_hits : write_matrices)(j, head, &counts);

    log_phase("name");
    if (st != ST_OK)
        return st;
    if (j->is_sparse)
        log_counts(head, &counts);
    log_without_identity(j, &counts);
    return ST_OK;
}

status_t job_align_write_result(job_t *job, const job_report_t *report)
{
    job_align_t *j = (job_align_t *)job;
    const prepared_t *p = &j->prepared;
    const bool scores_first = job_align_scores_first(j);
    const bool computes_all = scores_first || !job_align_may_filter(j);
    const pairs_run_number_t numbers[] = {
        {"records", (double)p->n_records},
        {"records_reversed", (double)p->n_reverse},
        /* these two without a filter, which rules out pairs that are then not computed */
        {"pairs_computed", (double)report->items},
        {"cells_computed", report->cost},
    };
    buf_t preparation = {0};
    job_output_run_t run;
    status_t st = job_output_run(job, j->files.label, report, &run);
    pairs_head_t head = {.alphabet = j->set->alphabet,
                         .ends = align_ends_name[j->opts->ends],
                         .identity = j->spec.identity_words,
                         .identity_definition = j->spec.identity_name,
                         .job = (const char *)j->base.text.data,
                         .n_datasets = j->spec.n_datasets,
                         .cigar_style = j->opts->emit == EMIT_CIGAR
                                            ? cigar_style_name[j->opts->cigar_style]
                                            : NULL,
                         .score_unit = j->opts->score_unit == SCORE_UNIT_HALF
                                           ? align_score_unit_name[SCORE_UNIT_HALF]
                                           : NULL,
                         .run = &run.info,
                         .run_numbers = numbers,
                         .n_run_numbers = computes_all ? 4 : 2,
                         .sizes = p->size,
                         .members = p->members.n > 0 ? &p->members : NULL,
                         .samples = p->samples.n > 0 ? &p->samples : NULL,
                         .pool = j->base.pool,
                         .has_strand = j->n_strands > 1,
                         .min_identity = j->opts->min_identity,
                         .top = j->opts->top,
                         .top_order = job_align_spec_order(j->opts),
                         .n_taken = count_taken(j),
                         .stages = j->order != NULL ? search_centroid_stages
                                   : scores_first   ? search_score_stages
                                                    : search_stages,
                         .n_stages = j->order != NULL ? 1
                                     : scores_first
                                         ? 1 + (j->opts->method == SEARCH_STAGED)
                                     : job_align_may_filter(j) ? SEARCH_STAGES
                                                               : 0};

    if (st == ST_OK)
        st = job_align_describe_preparation(j, &preparation);
    head.preparation = (const char *)preparation.data;
    if (st == ST_OK)
        st = write_result(j, &head);
    buf_free(&preparation);
    job_output_run_free(&run);
    return st;
}
