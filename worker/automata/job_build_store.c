/*
 * job_build_store.c - the job "automata build" on rank 0: the log of finished blocks, and
 * the file that is made of them.
 */
#include "worker/automata/job_build_state.h"

#include "io/automata/dfa_dot.h"
#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/base/plural.h"
#include "io/file/whole_file.h"
#include "kernels/automata/dfa_join.h"

#include <inttypes.h>
#include <string.h>

void job_build_outputs(const job_opts_t *opts, job_outputs_t *out)
{
    out->kind = &automata_file_kind;
    out->extra[0] = ((const build_opts_t *)opts)->dot;
}

status_t job_build_describe(job_t *job)
{
    const job_build_t *j = (const job_build_t *)job;

    return buf_printf(&job->text,
                      "job=automata build\npatterns=%" PRId64
                      "\npatterns_digest=%016" PRIx64 "\nbudget=%" PRId64
                      "\nmemory=%" PRId64 "\n",
                      j->nfa.n_patterns,
                      arrays_digest(&nfa_arrays, DIGEST_START, &j->nfa),
                      j->opts->limits.max_states, j->opts->limits.max_bytes);
}

/* ---- records ---- */

enum { N_ARRAYS = 11 };

/* An array of a set. */
typedef struct {
    void **at;
    int64_t n;
    size_t value_bytes;
} array_row_t;

/* List the arrays in the order of a record: no value lies across its alignment. */
static void list_arrays(dfa_set_t *d, array_row_t rows[N_ARRAYS])
{
    const array_row_t all[N_ARRAYS] = {
        {(void **)&d->first_state, d->n_groups + 1, sizeof(*d->first_state)},
        {(void **)&d->first_live, d->n_states + 1, sizeof(*d->first_live)},
        {(void **)&d->first_listed, d->n_outputs + 1, sizeof(*d->first_listed)},
        {(void **)&d->group, d->n_patterns, sizeof(*d->group)},
        {(void **)&d->n_classes, d->n_groups, sizeof(*d->n_classes)},
        {(void **)&d->middle, d->n_groups, sizeof(*d->middle)},
        {(void **)&d->next, d->n_cells, sizeof(*d->next)},
        {(void **)&d->output, d->n_states, sizeof(*d->output)},
        {(void **)&d->live, d->n_live, sizeof(*d->live)},
        {(void **)&d->listed, d->n_listed, sizeof(*d->listed)},
        {(void **)&d->class_of, d->n_groups, 256}};

    memcpy(rows, all, sizeof(all));
}

status_t job_build_pack(const dfa_set_t *found, buf_t *out)
{
    const job_build_head_t head = {found->n_groups, found->n_states,  found->n_cells,
                                   found->n_live,   found->n_outputs, found->n_listed};
    dfa_set_t d = *found;
    array_row_t rows[N_ARRAYS];
    status_t st = buf_append(out, &head, sizeof(head));

    list_arrays(&d, rows);
    for (int k = 0; st == ST_OK && k < N_ARRAYS; k++)
        st = buf_append(out, *rows[k].at, (size_t)rows[k].n * rows[k].value_bytes);
    return st;
}

/* @return whether counts can be those of a record of this length */
static bool are_counts(const job_build_head_t *h, int64_t bytes)
{
    const int64_t all[] = {h->n_groups, h->n_states,  h->n_cells,
                           h->n_live,   h->n_outputs, h->n_listed};
    bool good = true;

    for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++)
        good = good && all[k] >= 0 && all[k] <= bytes;
    return good;
}

/* Let a set point into a record. @return whether it is as long as it says */
static bool open_record(const job_build_t *j, int64_t task, const buf_t *record,
                        dfa_set_t *out)
{
    job_build_head_t head;
    size_t at = sizeof(head);
    array_row_t rows[N_ARRAYS];

    if (record->len < sizeof(head))
        return false;
    memcpy(&head, record->data, sizeof(head));
    if (!are_counts(&head, (int64_t)record->len))
        return false;
    *out = (dfa_set_t){.n_groups = head.n_groups,
                       .n_states = head.n_states,
                       .n_cells = head.n_cells,
                       .n_live = head.n_live,
                       .n_outputs = head.n_outputs,
                       .n_listed = head.n_listed};
    (void)dfa_group_patterns(&j->nfa, task, &out->n_patterns);
    list_arrays(out, rows);
    for (int k = 0; k < N_ARRAYS; k++) {
        if ((size_t)rows[k].n > (record->len - at) / rows[k].value_bytes)
            return false;
        *rows[k].at = record->data + at;
        at += (size_t)rows[k].n * rows[k].value_bytes;
    }
    return at == record->len;
}

const char *job_build_check_record(job_t *job, int64_t task, int64_t version,
                                   const buf_t *record)
{
    const job_build_t *j = (const job_build_t *)job;
    int64_t n, first = dfa_group_patterns(&j->nfa, task, &n);
    dfa_set_t d;

    (void)version;
    if (!open_record(j, task, record, &d))
        return "has another length than that of its automata";
    return dfa_set_misfit(&d, &j->nfa, first, j->pattern_of) == NULL
               ? NULL
               : "has automata that its patterns cannot have";
}

/* ---- the result ---- */

/* Join the blocks. */
static status_t join_blocks(const job_build_t *j, dfa_set_t *out)
{
    dfa_joiner_t joiner = {.set = {.n_patterns = 0}};
    buf_t record = {0};
    status_t st = ST_OK;

    for (int64_t task = 0; st == ST_OK && task < j->base.plan.n_tasks; task++) {
        dfa_set_t d;

        if ((st = reslog_read(j->base.log, task, &record)) != ST_OK)
            break;
        st = open_record(j, task, &record, &d) ? dfa_join_set(&joiner, &d)
                                               : job_refuse(&j->base, task);
    }
    buf_free(&record);
    return dfa_join_finish(&joiner, st, out);
}

static status_t write_dot(const build_opts_t *o, const automata_t *a)
{
    whole_file_t *to;
    status_t st;

    if (o->dot == NULL)
        return ST_OK;
    st = whole_file_open(o->dot, WHOLE_FILE_TEXT, o->common.force || o->common.resume,
                         &to);
    if (st != ST_OK)
        return st;
    dfa_dot_print(&a->dfas, &a->nfa, whole_file_stream(to));
    return whole_file_close(to, ST_OK);
}

static void log_counts(const automata_t *a)
{
    int64_t n_alone = 0;

    for (int64_t k = 0; k < a->nfa.n_patterns; k++)
        n_alone += a->dfas.group[k] < 0;
    log_info("%" PRId64 " group%s with %" PRId64 " state%s; %" PRId64
             " pattern%s run as bits",
             a->dfas.n_groups, plural(a->dfas.n_groups), a->dfas.n_states,
             plural(a->dfas.n_states), n_alone, plural(n_alone));
}

status_t job_build_write_result(job_t *job, const job_report_t *report)
{
    const job_build_t *j = (const job_build_t *)job;
    const job_opts_t *o = job->opts;
    automata_t a = {.nfa = j->nfa, .job = (char *)job->text.data};
    job_output_run_t run;
    status_t st = job_output_run(job, j->opts->input, report, &run);

    if (st == ST_OK && (st = join_blocks(j, &a.dfas)) == ST_OK) {
        if ((st = write_dot(j->opts, &a)) == ST_OK)
            st = automata_file_write(o->output, o->force || o->resume, &a, &run.info,
                                     job->pool);
        if (st == ST_OK)
            log_counts(&a);
        dfa_set_free(&a.dfas);
    }
    job_output_run_free(&run);
    return st;
}
