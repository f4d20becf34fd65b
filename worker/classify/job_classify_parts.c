/*
 * job_classify_parts.c - thresholds of reads that are parts of what the model was trained
 * with: those references that have the same bases are cut to them and classified without
 * their genus, or a higher taxon.
 */
#include "worker/classify/job_classify_state.h"

#include "io/base/logmsg.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

status_t job_classify_parts_plan(job_classify_t *j)
{
    const class_opts_t *o = j->opts;

    j->refs = (nbc_model_t){.refs = j->model.refs,
                            .class_of = j->class_of,
                            .classes = &j->classes};
    return class_region_cut(&j->refs, j->reads, o->strands == CLASS_STRANDS_BOTH,
                            j->naming.by_rate ? o->n_samples : 0, (uint64_t)o->seed,
                            &j->parts);
}

static void report_part(const job_classify_t *j)
{
    const class_region_parts_t *p = &j->parts;

    if (!j->naming.by_rate)
        return;
    if (p->train.n < CLASS_ABSENT_MIN) {
        log_warn("%s: the bases of the reads were found in only %" PRId64
                 " references of %s, too few to learn what to refuse of such reads; "
                 "names are given as of whole references",
                 j->files.label, p->train.n, j->opts->model);
        return;
    }
    log_info("%s: reads are bases %" PRId64 " to %" PRId64 " of the references (medians; "
             "%" PRId64 " of %" PRId64 " bases); what to refuse is learned again for "
             "them, from %" PRId64 " parts of references",
             j->files.label, p->region.first + 1, p->region.end, p->read_len, p->ref_len,
             p->train.n);
}

void job_classify_parts_report(const job_classify_t *j)
{
    const class_region_parts_t *p = &j->parts;
    const char *primers = j->model.primers;

    if (p->kind == CLASS_REGION_PART)
        report_part(j);
    if (p->kind == CLASS_REGION_LONGER)
        log_warn("%s: reads are longer than the references of %s (medians: %" PRId64
                 " and %" PRId64 " bases), so that few of them get a name; %s%s, or "
                 "train a model on longer references",
                 j->files.label, j->opts->model, p->read_len, p->ref_len,
                 primers != NULL ? "give --primers " : "cut them to its region",
                 primers != NULL ? primers : "");
    if (p->kind == CLASS_REGION_UNLIKE && j->reads->n > 0 && j->naming.by_rate)
        log_warn("%s: reads do not lie in the references of %s%s%s%s, so that "
                 "--novelty-rate may not hold; give reads of their gene and region",
                 j->files.label, j->opts->model, primers != NULL ? " (" : "",
                 primers != NULL ? primers : "", primers != NULL ? ")" : "");
}

/* @return the first part of a task */
static int64_t first_part(const job_classify_t *j, int64_t task)
{
    const int64_t part = (task - job_classify_n_blocks(j)) * JOB_CLASSIFY_SAMPLES;

    return part < j->parts.train.n ? part : j->parts.train.n;
}

int64_t job_classify_parts_n_cases(const job_classify_t *j, int64_t task)
{
    return (first_part(j, task + 1) - first_part(j, task)) * CLASS_TRAIN_ABSENT;
}

/* @return the rank whose taxon a case lacks: that of its rule */
static int absent_rank(const job_classify_t *j, const class_case_t *c)
{
    return c->absent_rank < class_lineage_len(&j->classes, c->own_class)
               ? c->absent_rank
               : j->classes.n_ranks;
}

/* Classify cases, and take from the examples what the absent taxa have. */
static status_t find_absent(job_classify_t *j, const class_train_cases_t *cases,
                            uint16_t *out)
{
    const class_naming_t *n = &j->naming;
    const nbc_context_t nbc = {.device = &j->base.device,
                               .model = j->counts,
                               .options = {.n_resamples = (int)j->opts->n_resamples,
                                           .seed = (uint64_t)j->opts->seed}};
    const class_case_context_t context = {&nbc, &j->known, j->parts.parts, j->base.pool};
    const int64_t row = j->classes.n_ranks;
    int32_t *found = malloc((size_t)cases->n * 2 * sizeof(*found) + 1);
    class_example_t *examples = malloc((size_t)(cases->n * row) * sizeof(*examples) + 1);
    status_t st = found != NULL && examples != NULL
                      ? class_case_run(&context, cases->cases, cases->n, found, examples)
                      : log_nomem("the parts of references");

    if (st == ST_OK && n->method == CLASS_ALIGN)
        st = class_align_cases(j->parts_align, cases->cases, NULL, cases->n, found,
                               found + cases->n, examples);
    for (int64_t i = 0; st == ST_OK && i < cases->n; i++) {
        const int rank = absent_rank(j, &cases->cases[i]);
        const class_example_t *e = &examples[i * row + rank - 1];

        out[i] = JOB_CLASSIFY_NONE;
        if (e->group != CLASS_NO_EXAMPLE)
            out[i] = (uint16_t)lround(
                CLASS_SUPPORT_ONE *
                class_rule_absent_probability(n->method, &n->rules[rank - 1], e));
    }
    free(found);
    free(examples);
    return st;
}

status_t job_classify_parts_compute(job_classify_t *j, job_classify_collected_t *c)
{
    const int64_t first = first_part(j, c->batch.first_task);
    const int64_t n = first_part(j, c->batch.first_task + c->batch.n_tasks) - first;
    class_train_cases_t cases = {0};
    status_t st = class_train_list(&j->parts.train, first, n, j->base.pool, &cases);

    free(c->absent);
    c->absent = NULL;
    if (st == ST_OK) {
        c->absent = malloc((size_t)cases.n * sizeof(*c->absent) + 1);
        st = c->absent != NULL ? find_absent(j, &cases, c->absent)
                               : log_nomem("the parts of references");
    }
    class_train_cases_free(&cases);
    return st == ST_ESTOPPED ? ST_OK : st; /* of a cancelled run no result is used */
}

status_t job_classify_parts_pack(const job_classify_t *j,
                                 const job_classify_collected_t *c, int k, buf_t *out)
{
    const int64_t task = c->batch.first_task + k;
    const int64_t first = first_part(j, task) - first_part(j, c->batch.first_task);

    return buf_append(out, c->absent + first * CLASS_TRAIN_ABSENT,
                      (size_t)job_classify_parts_n_cases(j, task) * sizeof(*c->absent));
}

/* Read the records of all parts. @param out  class_absent_t */
static status_t read_absent(const job_classify_t *j, buf_t *out)
{
    const class_train_t *t = &j->parts.train;
    buf_t record = {0};
    status_t st = ST_OK;

    for (int64_t task = job_classify_n_blocks(j);
         st == ST_OK && task < job_classify_n_tasks(j); task++) {
        const int64_t n = job_classify_parts_n_cases(j, task);

        if ((st = job_classify_read_record(j, task, &record)) != ST_OK)
            break;
        if (record.len != (size_t)n * sizeof(uint16_t))
            st = job_refuse(&j->base, task);
        for (int64_t i = 0; st == ST_OK && i < n; i++) {
            const int64_t s = first_part(j, task) + i / CLASS_TRAIN_ABSENT;
            const int32_t own = j->class_of[t->absent[s]];
            const bool is_own = i % CLASS_TRAIN_ABSENT == 0;
            class_absent_t absent = {.rank = is_own ? j->classes.n_ranks : t->higher[s]};

            if (absent.rank >= class_lineage_len(&j->classes, own))
                absent.rank = j->classes.n_ranks;
            memcpy(&absent.support, record.data + (size_t)i * sizeof(uint16_t),
                   sizeof(absent.support));
            if (absent.support != JOB_CLASSIFY_NONE)
                st = buf_append(out, &absent, sizeof(absent));
        }
    }
    buf_free(&record);
    return st;
}

status_t job_classify_parts_learn(job_classify_t *j)
{
    buf_t absent = {0};
    status_t st = read_absent(j, &absent);

    if (st == ST_OK && j->parts.train.n >= CLASS_ABSENT_MIN &&
        !class_naming_calibrate(&j->naming, (class_absent_t *)(void *)absent.data,
                                (int64_t)(absent.len / sizeof(class_absent_t))))
        log_warn("%s: too few of the parts of references are classified without their "
                 "genus; names are given as of whole references",
                 j->files.label);
    buf_free(&absent);
    return st;
}
