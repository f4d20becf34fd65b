/*
 * job_classify_store.c - the job "classify" on rank 0: the log of finished tasks, and the
 * result or the model that is made of it.
 */
#include "worker/classify/job_classify_state.h"

#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/file/whole_file.h"
#include "worker/job_output.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the text ---- */

static status_t add_model(const job_classify_t *j, buf_t *text)
{
    if (class_net_exists(&j->net))
        return buf_printf(text,
                          "classes=%" PRId32 "\ntaxa_digest=%016" PRIx64
                          "\nnetwork_digest=%016" PRIx64 "\n",
                          j->classes.n, class_model_digest(&j->model),
                          predict_model_digest(&j->net.model));
    return buf_printf(text,
                      "references=%" PRId64 "\nclasses=%" PRId32
                      "\nmodel_digest=%016" PRIx64 "\n",
                      j->model.refs->n, j->classes.n, class_model_digest(&j->model));
}

/* Add abundances and samples, if they are known. */
static status_t add_sizes(const job_classify_t *j, buf_t *text)
{
    const class_samples_t *s = &j->samples_of;
    const int64_t n = j->reads->n;
    uint64_t digest = DIGEST_START;
    status_t st = ST_OK;

    if (j->sizes != NULL) {
        digest = digest_add(DIGEST_START, j->sizes, (size_t)n * sizeof(*j->sizes));
        st = buf_printf(text, "sizes_digest=%016" PRIx64 "\n", digest);
    }
    if (st != ST_OK || s->of == NULL)
        return st;
    digest = digest_add(DIGEST_START, s->names, (size_t)s->name_offset[s->n]);
    digest = digest_add(digest, s->of, (size_t)n * sizeof(*s->of));
    return buf_printf(text, "samples=%" PRId64 "\nsamples_digest=%016" PRIx64 "\n", s->n,
                      digest);
}

static status_t add_reads(const job_classify_t *j, buf_t *text)
{
    const class_opts_t *o = j->opts;
    status_t st =
        buf_printf(text, "reads=%" PRId64 "\nreads_digest=%016" PRIx64 "\nstrand=%s\n",
                   j->reads->n, seqset_digest(j->reads), class_strands_name[o->strands]);

    if (st == ST_OK)
        st = add_sizes(j, text);
    if (st == ST_OK && !class_net_exists(&j->net))
        st = buf_printf(text, "resamples=%" PRId64 "\nseed=%" PRId64 "\n", o->n_resamples,
                        o->seed);
    if (st == ST_OK)
        st = class_naming_print(&j->naming, o, text);
    return st == ST_OK && j->parts.train.n > 0
               ? buf_printf(text, "parts=%" PRId64 "\nparts_digest=%016" PRIx64 "\n",
                            j->parts.train.n, seqset_digest(j->parts.parts))
               : st;
}

static status_t add_samples(const job_classify_t *j, buf_t *text)
{
    if (j->n_samples == 0)
        return buf_printf(text, "samples=0\n");
    return buf_printf(text,
                      "samples=%" PRId64 "\nabsent=genera\nfolds=%d\nresamples=%" PRId64
                      "\nseed=%" PRId64 "\nalign=%d\n",
                      j->n_samples, CLASS_RULE_FOLDS, j->opts->n_resamples, j->opts->seed,
                      j->opts->learns_align);
}

status_t job_classify_describe(job_t *job)
{
    job_classify_t *j = (job_classify_t *)job;
    buf_t *text = &job->text;
    status_t st =
        buf_printf(text, "job=classify%s\n", j->opts->is_training ? "-train" : "");

    if (st == ST_OK)
        st = add_model(j, text);
    if (st != ST_OK)
        return st;
    return j->opts->is_training ? add_samples(j, text) : add_reads(j, text);
}

/* ---- records ---- */

static const char bad_length[] = "has another length than that of its task";
static const char no_memory[] = "cannot be checked: there is not enough memory";

/* @return whether each read has a taxon that is a class, or none, and the method and
 * strands of this run */
static bool are_of_run(const job_classify_t *j, const class_calls_t *c,
                       const bool *is_class)
{
    bool good = true;

    for (int64_t i = 0; i < c->n; i++)
        good = good && (c->taxon[i] < 0 || is_class[c->taxon[i]]) &&
               c->method[i] == (uint8_t)j->naming.named_by &&
               (c->reversed[i] == 0 || j->opts->strands == CLASS_STRANDS_BOTH);
    return good;
}

static int lineage_len(const job_classify_t *j, const class_calls_t *c, int64_t i)
{
    return c->taxon[i] < 0 ? 0 : class_taxa_rank(&j->model.taxa, c->taxon[i]);
}

/* @return whether each read's supports descend to zeros below its lineage */
static bool do_descend(const job_classify_t *j, const class_calls_t *c)
{
    bool good = true;

    for (int64_t i = 0; i < c->n; i++) {
        const uint16_t *support = c->support + i * c->n_ranks;
        const int len = lineage_len(j, c, i);

        for (int r = 0; r < c->n_ranks; r++)
            good = good &&
                   (r >= len ? support[r] == 0 : r == 0 || support[r] <= support[r - 1]);
    }
    return good;
}

static const char *check_names(const job_classify_t *j, const class_calls_t *calls)
{
    const class_taxa_t *taxa = &j->model.taxa;
    bool *is_class = calloc((size_t)taxa->n + 1, sizeof(*is_class)), good;

    if (is_class == NULL)
        return no_memory;
    for (int32_t k = 0; k < j->classes.n; k++)
        is_class[j->classes.taxon[k]] = true;
    good = class_calls_fit(calls, taxa) && are_of_run(j, calls, is_class);
    free(is_class);
    if (!good)
        return "has names that do not fit the taxa of the model";
    return do_descend(j, calls) ? NULL : "has supports that do not fit the lineage";
}

static const char *check_calls(const job_classify_t *j, int64_t task, const buf_t *record)
{
    const int64_t n = job_classify_end(j, task) - task * JOB_CLASSIFY_BLOCK;
    const char *why;
    class_calls_t calls;

    if (class_calls_create(n, j->classes.n_ranks, &calls) != ST_OK)
        return no_memory;
    why = job_classify_unpack(j, task, record->data, record->len, 0, &calls) == ST_OK
              ? check_names(j, &calls)
              : bad_length;
    class_calls_free(&calls);
    return why;
}

static bool is_fraction(double value)
{
    return value >= 0 && value <= 1; /* false for a NaN */
}

/* @param group  of its case */
static bool is_possible(const job_classify_t *j, const class_example_t *example,
                        int64_t group)
{
    const class_evidence_t *e = &example->evidence;

    if (example->group == CLASS_NO_EXAMPLE)
        return e->n_refs == 0;
    return example->group == group && example->fold >= 0 &&
           example->fold < CLASS_RULE_FOLDS && (int)example->truth >= CLASS_RIGHT &&
           (int)example->truth <= CLASS_ABSENT_ABOVE && is_fraction(e->support) &&
           is_fraction(e->covered) && is_fraction(e->likeness) && fabs(e->lead) <= 1 &&
           is_fraction(e->identity) && is_fraction(e->rival_identity) && e->margin >= 0 &&
           isfinite(e->margin) && e->n_refs >= 1 &&
           e->n_refs <= (double)j->model.refs->n && e->n_refs == floor(e->n_refs);
}

static const char *check_examples(const job_classify_t *j, int64_t task,
                                  const buf_t *record)
{
    const int64_t n = job_classify_train_n_examples(j, task);
    const int64_t n_cases =
        job_classify_train_n_cases(j, task); /* which begin with group 0 */

    if (record->len != (size_t)n * sizeof(class_example_t))
        return bad_length;
    for (int64_t i = 0; i < n; i++) {
        class_example_t example;

        memcpy(&example, record->data + (size_t)i * sizeof(example), sizeof(example));
        if (!is_possible(j, &example, i / (n / n_cases) % CLASS_TRAIN_GROUPS))
            return "has evidence that no sequence gives";
    }
    return NULL;
}

static const char *check_parts(const job_classify_t *j, int64_t task, const buf_t *record)
{
    const int64_t n = job_classify_parts_n_cases(j, task);

    if (record->len != (size_t)n * sizeof(uint16_t))
        return bad_length;
    for (int64_t i = 0; i < n; i++) {
        uint16_t support;

        memcpy(&support, record->data + (size_t)i * sizeof(support), sizeof(support));
        if (support > CLASS_SUPPORT_ONE && support != JOB_CLASSIFY_NONE)
            return "has supports that no sequence gives";
    }
    return NULL;
}

const char *job_classify_check_record(job_t *job, int64_t task, int64_t version,
                                      const buf_t *record)
{
    const job_classify_t *j = (const job_classify_t *)job;

    (void)version;
    return j->opts->is_training               ? check_examples(j, task, record)
           : task >= job_classify_n_blocks(j) ? check_parts(j, task, record)
                                              : check_calls(j, task, record);
}

void job_classify_outputs(const job_opts_t *opts, job_outputs_t *out)
{
    const class_opts_t *o = (const class_opts_t *)opts;

    out->is_text = o->format != CLASS_FORMAT_HDF5;
    out->kind = o->is_training ? &class_model_kind : &class_result_kind;
    out->format = out->is_text ? class_format_name[o->format] : NULL;
}

status_t job_classify_opened(job_t *job)
{
    const job_classify_t *j = (const job_classify_t *)job;
    const class_model_t *m = &j->model;

    if (j->opts->is_training)
        log_info("%s: %" PRId64 " references of %" PRId32 " taxa without subdivision",
                 j->files.label, m->refs->n, j->classes.n);
    else if (class_net_exists(&j->net))
        log_info("%s: %" PRId64 " reads by the network %s of %" PRId32 " taxa",
                 j->files.label, j->reads->n, j->opts->model, j->classes.n);
    else
        log_info("%s: %" PRId64 " reads by %s, %" PRId64 " references of %" PRId32
                 " taxa without subdivision",
                 j->files.label, j->reads->n, j->opts->model, m->refs->n, j->classes.n);
    if (!j->opts->is_training && !class_net_exists(&j->net))
        job_classify_parts_report(j);
    return ST_OK;
}

/* ---- the output ---- */

status_t job_classify_name(job_classify_t *j, class_calls_t *out)
{
    buf_t record = {0};
    status_t st = class_calls_create(j->reads->n, j->classes.n_ranks, out);

    if (st == ST_OK)
        st = job_classify_parts_learn(j);
    for (int64_t task = 0; st == ST_OK && task < job_classify_n_blocks(j); task++) {
        if ((st = job_classify_read_record(j, task, &record)) == ST_OK &&
            (st = job_classify_unpack(j, task, record.data, record.len,
                                      task * JOB_CLASSIFY_BLOCK, out)) == ST_EINPUT)
            st = job_refuse(&j->base, task);
    }
    for (int64_t i = 0; st == ST_OK && i < out->n; i++)
        out->named[i] =
            (uint8_t)class_naming_count(&j->naming, out->support + i * out->n_ranks,
                                        lineage_len(j, out, i));
    buf_free(&record);
    return st;
}

/* Reads as often as they were seen. */
static void log_counts(const job_classify_t *j, const class_calls_t *c)
{
    int64_t n = 0, n_named = 0, n_whole = 0;

    for (int64_t i = 0; i < c->n; i++) {
        const int64_t size = j->sizes != NULL ? j->sizes[i] : 1;

        n += size;
        if (c->named[i] == 0)
            continue;
        n_named += size;
        if (c->named[i] == class_taxa_rank(&j->model.taxa, c->taxon[i]))
            n_whole += size;
    }
    log_info("%" PRId64 " of %" PRId64 " reads are classified, %" PRId64
             " of them to the lowest rank",
             n_named, n, n_whole);
}

static status_t write_lines(const job_classify_t *j, const class_result_t *r)
{
    const class_opts_t *o = j->opts;
    whole_file_t *to;
    status_t st = job_output_open(&j->base, o->common.output, &to);

    if (st != ST_OK)
        return st;
    st = class_lines_print(r, o->format, true, whole_file_stream(to));
    if (st == ST_OK)
        st = job_output_label(&j->base, whole_file_stream(to));
    return whole_file_close(to, st);
}

/* Borrows all but the calls. */
static status_t write_result(job_classify_t *j, const class_run_t *run)
{
    const class_opts_t *o = j->opts;
    class_result_t r = {.taxa = j->model.taxa,
                        .names = j->reads->names,
                        .name_offset = j->reads->name_offset,
                        .sizes = j->sizes,
                        .samples = j->samples_of,
                        .run = *run};
    status_t st = job_classify_name(j, &r.calls);

    if (st == ST_OK)
        st = o->format == CLASS_FORMAT_HDF5
                 ? class_result_write(o->common.output, job_opts_may_replace(&o->common),
                                      &r, j->base.pool)
                 : write_lines(j, &r);
    if (st == ST_OK)
        log_counts(j, &r.calls);
    class_calls_free(&r.calls);
    return st;
}

static status_t write_model(job_classify_t *j, const class_run_t *run)
{
    const class_opts_t *o = j->opts;
    status_t st = job_classify_train_learn(j);

    return st == ST_OK
               ? class_model_write(o->common.output, job_opts_may_replace(&o->common),
                                   &j->model, run, j->base.pool)
               : st;
}

status_t job_classify_write_result(job_t *job, const job_report_t *report)
{
    job_classify_t *j = (job_classify_t *)job;
    const class_opts_t *o = j->opts;
    job_output_run_t run;
    status_t st = job_output_run(job, j->files.label, report, &run);

    if (st == ST_OK) {
        const class_run_t whole = {run.info, (const char *)j->base.text.data};

        st = o->is_training ? write_model(j, &whole) : write_result(j, &whole);
    }
    job_output_run_free(&run);
    return st;
}
