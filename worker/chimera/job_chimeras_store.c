/*
 * job_chimeras_store.c - the job "chimeras" on rank 0: the log of finished tasks, and the
 * calls that follow from it.
 */
#include "worker/chimera/job_chimeras_state.h"

#include "io/amplicon/chimera_result.h"
#include "io/base/logmsg.h"
#include "io/file/whole_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)CHIMERA_RESULT_CALLS == (int)CHIMERA_N_CALLS &&
                   (int)CHIMERA_RESULT_MATCHES == (int)CHIMERA_N_MATCHES &&
                   (int)CHIMERA_RESULT_VOTES == (int)CHIMERA_N_VOTES,
               "files have the numbers of the calls");

void job_chimeras_outputs(const job_opts_t *opts, job_outputs_t *out)
{
    const chimera_opts_t *o = (const chimera_opts_t *)opts;

    out->kind = &chimera_result_kind;
    out->extra[0] = o->chimeras;
    out->extra[1] = o->nonchimeras;
    out->extra[2] = o->borderline;
    out->extra[3] = o->lines;
}

/* ---- the text ---- */

static status_t add_rule(const chimera_opts_t *o, buf_t *text)
{
    const chimera_rule_t *r = &o->rule;
    status_t st = buf_printf(text, "method=%s\nxn=%.17g\ndn=%.17g\n",
                             chimera_method_name[r->method], r->xn, r->dn);

    if (st == ST_OK && r->method == CHIMERA_UCHIME)
        st = buf_printf(text, "minh=%.17g\nmindiv=%.17g\nmindiffs=%" PRId64 "\n",
                        r->min_h, r->min_div, r->min_diffs);
    if (st == ST_OK && o->against == NULL)
        st = buf_printf(text, "abskew=%.17g\n", o->min_skew);
    return st;
}

status_t job_chimeras_describe(job_t *job)
{
    const job_chimeras_t *j = (const job_chimeras_t *)job;
    buf_t *text = &job->text;
    status_t st = buf_printf(text,
                             "job=chimeras\nreads=%" PRId64 "\nreads_digest=%016" PRIx64
                             "\nsizes_digest=%016" PRIx64 "\n",
                             j->in.input->n, seqset_digest(j->in.input),
                             prepare_digest(&j->in.prepared, j->in.input->n));

    if (st == ST_OK && j->references != NULL)
        st =
            buf_printf(text, "references=%" PRId64 "\nreferences_digest=%016" PRIx64 "\n",
                       j->references->n, seqset_digest(j->references));
    return st == ST_OK ? add_rule(j->opts, text) : st;
}

/* ---- records ---- */

/* @return whether hits are different targets that may be parents */
static bool are_hits(const int32_t *target, int n, int64_t n_targets)
{
    for (int k = 0; k < n; k++) {
        if (target[k] < 0 || target[k] >= n_targets)
            return false;
        for (int m = 0; m < k; m++)
            if (target[m] == target[k])
                return false;
    }
    return true;
}

/* Take the hits of a part from the record at `at`. @return their number, or -1: they are
 * not there */
static int unpack_part(const buf_t *record, size_t *at, int max_hits, int32_t *out)
{
    int32_t n;

    if (record->len - *at < sizeof(n))
        return -1;
    memcpy(&n, record->data + *at, sizeof(n));
    *at += sizeof(n);
    if (n < 0 || n > max_hits || (record->len - *at) / sizeof(*out) < (size_t)n)
        return -1;
    memcpy(out, record->data + *at, (size_t)n * sizeof(*out));
    *at += (size_t)n * sizeof(*out);
    return n;
}

/* Copy the hits of a record. @param out  [reads of the task]
 * @return NULL, or why no run makes the record */
static const char *unpack(const job_chimeras_t *j, int64_t task, const buf_t *record,
                          chimera_hits_t *out)
{
    const int max_hits = job_chimeras_n_hits(j);
    size_t at = 0;

    for (int64_t i = task * JOB_CHIMERAS_BLOCK; i < job_chimeras_end(j, task);
         i++, out++) {
        memset(out, -1, sizeof(*out));
        for (int p = 0; p < CHIMERA_PARTS; p++) {
            int32_t *target = out->target[p];
            const int n = unpack_part(record, &at, max_hits, target);

            if (n < 0)
                return "has another length than that of its hits";
            if (!are_hits(target, n, j->n_targets[i]))
                return "has hits that its reads cannot have";
        }
    }
    return at == record->len ? NULL : "has another length than that of its hits";
}

const char *job_chimeras_check_record(job_t *job, int64_t task, int64_t version,
                                      const buf_t *record)
{
    chimera_hits_t hits[JOB_CHIMERAS_BLOCK];

    (void)version;
    return unpack((const job_chimeras_t *)job, task, record, hits);
}

static status_t read_hits(const job_chimeras_t *j, chimera_hits_t *out)
{
    buf_t record = {0};
    status_t st = ST_OK;

    for (int64_t task = 0; st == ST_OK && task < job_chimeras_n_tasks(j); task++)
        if ((st = reslog_read(j->base.log, task, &record)) == ST_OK &&
            unpack(j, task, &record, out + task * JOB_CHIMERAS_BLOCK) != NULL)
            st = job_refuse(&j->base, task);
    buf_free(&record);
    return st;
}

static status_t decide(const job_chimeras_t *j, chimera_verdict_t *out)
{
    chimera_hits_t *hits = malloc(((size_t)j->in.reads->n + 1) * sizeof(*hits));
    const chimera_decide_t how = {.rule = j->opts->rule,
                                  .reads = j->in.reads,
                                  .targets = job_chimeras_targets(j),
                                  .n_targets = j->n_targets,
                                  .hits = hits,
                                  .n_hits = job_chimeras_n_hits(j),
                                  .pool = j->base.pool};
    status_t st;

    if (hits == NULL)
        return log_nomem("the hits of reads");
    if ((st = read_hits(j, hits)) == ST_OK)
        st = chimera_decide(&how, out);
    free(hits);
    return st;
}

/* ---- the result ---- */

/* Take the verdicts, in the order of the input; parents are numbers of targets. */
static void take_verdicts(const job_chimeras_t *j, const chimera_verdict_t *verdicts,
                          chimera_result_t *r)
{
    for (int64_t k = 0; k < r->n; k++) {
        const chimera_verdict_t *v = &verdicts[k];
        const int64_t i = j->in.place[k];

        r->call[i] = (uint8_t)v->score.call;
        r->score[i] = v->score.h;
        r->columns[i] = v->score.columns;
        memcpy(r->parent + 2 * i, v->parent, sizeof(v->parent));
        memcpy(r->matches + CHIMERA_RESULT_MATCHES * i, v->score.matches,
               sizeof(v->score.matches));
        memcpy(r->votes + CHIMERA_RESULT_VOTES * i, v->score.votes,
               sizeof(v->score.votes));
    }
}

/* The names of parents, while they are collected. */
typedef struct {
    buf_t names, offsets;
    int32_t *number; /* [targets] among the parents, or -1 */
} parents_t;

static status_t add_parent(const job_chimeras_t *j, int32_t target, parents_t *p)
{
    const int64_t offset = (int64_t)p->names.len;
    status_t st = buf_append(&p->offsets, &offset, sizeof(offset));

    if (st == ST_OK)
        st = buf_printf(&p->names, "%s", seqset_name(job_chimeras_targets(j), target));
    if (st == ST_OK && j->references == NULL)
        st = buf_printf(&p->names, ";size=%" PRId64, j->in.size[target]);
    return st == ST_OK ? buf_append(&p->names, "", 1) : st;
}

/* Number the targets that are parents, in their order. */
static status_t number_parents(const job_chimeras_t *j, chimera_result_t *r, parents_t *p)
{
    const int64_t n = job_chimeras_targets(j)->n;
    int64_t end;
    status_t st = ST_OK;

    p->number = malloc(((size_t)n + 1) * sizeof(*p->number));
    if (p->number == NULL)
        return log_nomem("the parents");
    memset(p->number, -1, (size_t)n * sizeof(*p->number));
    for (int64_t i = 0; i < 2 * r->n; i++)
        if (r->parent[i] >= 0)
            p->number[r->parent[i]] = 0;
    for (int32_t target = 0; st == ST_OK && target < n; target++)
        if (p->number[target] == 0) {
            p->number[target] = (int32_t)r->n_parents++;
            st = add_parent(j, target, p);
        }
    end = (int64_t)p->names.len;
    if (st == ST_OK)
        st = buf_append(&p->offsets, &end, sizeof(end));
    for (int64_t i = 0; i < 2 * r->n; i++)
        if (r->parent[i] >= 0)
            r->parent[i] = p->number[r->parent[i]];
    r->parent_names = (char *)p->names.data;
    r->parent_name_offset = (int64_t *)(void *)p->offsets.data;
    return st;
}

static void log_counts(const chimera_result_t *r)
{
    const chimera_counts_t c = chimera_result_count(r);

    log_info("%" PRId64 " chimeras, %" PRId64 " borderline, %" PRId64
             " others among %" PRId64 " reads",
             c.n[CHIMERA_YES], c.n[CHIMERA_BORDERLINE], c.n[CHIMERA_NO], r->n);
    if (r->size != NULL)
        log_info("with their abundances: %" PRId64 ", %" PRId64 " and %" PRId64,
                 c.sizes[CHIMERA_YES], c.sizes[CHIMERA_BORDERLINE], c.sizes[CHIMERA_NO]);
}

static status_t write_fasta(const job_chimeras_t *j, const chimera_result_t *r,
                            const char *path, chimera_call_t call)
{
    whole_file_t *to;
    status_t st = job_output_open(&j->base, path, &to);

    if (st != ST_OK || to == NULL)
        return st;
    /* an error of the stream is that of the file, and is logged there */
    st = chimera_fasta_print(r, j->in.input, (int)call, whole_file_stream(to));
    return whole_file_close(to, st == ST_EIO ? ST_OK : st);
}

static status_t write_lines(const job_chimeras_t *j, const chimera_result_t *r)
{
    whole_file_t *to;
    status_t st = job_output_open(&j->base, j->opts->lines, &to);

    if (st != ST_OK || to == NULL)
        return st;
    chimera_lines_print(r, false, whole_file_stream(to));
    return whole_file_close(to, ST_OK);
}

/* The result itself comes last: it says that all is there. */
static status_t write_files(const job_chimeras_t *j, const chimera_result_t *r)
{
    const job_opts_t *o = j->base.opts;
    status_t st;

    if ((st = write_fasta(j, r, j->opts->chimeras, CHIMERA_YES)) != ST_OK ||
        (st = write_fasta(j, r, j->opts->nonchimeras, CHIMERA_NO)) != ST_OK ||
        (st = write_fasta(j, r, j->opts->borderline, CHIMERA_BORDERLINE)) != ST_OK ||
        (st = write_lines(j, r)) != ST_OK)
        return st;
    return chimera_result_write(o->output, job_opts_may_replace(o), r, j->base.pool);
}

status_t job_chimeras_write_result(job_t *job, const job_report_t *report)
{
    job_chimeras_t *j = (job_chimeras_t *)job;
    chimera_verdict_t *verdicts =
        malloc(((size_t)j->in.reads->n + 1) * sizeof(*verdicts));
    chimera_result_t r = {.n = 0};
    parents_t parents = {.number = NULL};
    job_output_run_t run;
    status_t st = job_output_run(job, j->in.files.label, report, &run);

    if (st == ST_OK && verdicts == NULL)
        st = log_nomem("the chimeras");
    if (st == ST_OK && (st = chimera_result_create(j->in.reads->n, &r)) == ST_OK)
        st = decide(j, verdicts);
    if (st == ST_OK) {
        r.names = j->in.input->names;
        r.name_offset = j->in.input->name_offset;
        r.size = j->in.prepared.size;
        r.info = run.info;
        r.job = (const char *)job->text.data;
        take_verdicts(j, verdicts, &r);
        st = number_parents(j, &r, &parents);
    }
    if (st == ST_OK && (st = write_files(j, &r)) == ST_OK)
        log_counts(&r);
    free(verdicts);
    free(parents.number);
    buf_free(&parents.names);
    buf_free(&parents.offsets);
    chimera_result_destroy(&r);
    job_output_run_free(&run);
    return st;
}
