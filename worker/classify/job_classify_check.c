/*
 * job_classify_check.c - whether a log's record can be one of a task: calls of reads, or
 * examples of training.
 */
#include "worker/classify/job_classify_state.h"

#include <math.h>
#include <string.h>

static const char bad_length[] = "has another length than that of its task";

/* @return whether all reads are named by the method of this run */
static bool are_of_method(const class_calls_t *c, int64_t n, class_method_t method)
{
    bool good = true;

    for (int64_t i = 0; i < n; i++)
        good = good && c->method[i] == (uint8_t)method;
    return good;
}

static const char *check_calls(const job_classify_t *j, int64_t task, const buf_t *record)
{
    const int64_t n = job_classify_end(j, task) - task * JOB_CLASSIFY_BLOCK;
    const char *why = NULL;
    class_calls_t calls;

    if (class_calls_create(n, j->classes.n_ranks, &calls) != ST_OK)
        return "cannot be checked: there is not enough memory";
    if (job_classify_unpack(j, task, record->data, record->len, 0, &calls) != ST_OK)
        why = bad_length;
    else if (!class_calls_fit(&calls, &j->model.taxa) ||
             !are_of_method(&calls, n, j->naming.method))
        why = "has names that do not fit the taxa of the model";
    class_calls_free(&calls);
    return why;
}

static bool is_fraction(double value)
{
    return value >= 0 && value <= 1; /* false for a NaN */
}

static bool is_possible(const class_example_t *example)
{
    const class_evidence_t *e = &example->evidence;

    if (example->group == CLASS_NO_EXAMPLE)
        return e->n_refs == 0;
    return example->group >= 0 && example->group < CLASS_TRAIN_GROUPS &&
           (int)example->truth >= CLASS_RIGHT && (int)example->truth <= CLASS_ABSENT &&
           is_fraction(e->support) && is_fraction(e->covered) &&
           is_fraction(e->likeness) && fabs(e->lead) <= 1 && is_fraction(e->identity) &&
           is_fraction(e->rival_identity) && isfinite(e->margin) && e->n_refs >= 1 &&
           isfinite(e->n_refs);
}

static const char *check_examples(const job_classify_t *j, int64_t task,
                                  const buf_t *record)
{
    const int64_t n = job_classify_train_n_examples(j, task);

    if (record->len != (size_t)n * sizeof(class_example_t))
        return bad_length;
    for (int64_t i = 0; i < n; i++) {
        class_example_t example;

        memcpy(&example, record->data + (size_t)i * sizeof(example), sizeof(example));
        if (!is_possible(&example))
            return "has evidence that no sequence gives";
    }
    return NULL;
}

const char *job_classify_check_record(job_t *job, int64_t task, int64_t version,
                                      const buf_t *record)
{
    const job_classify_t *j = (const job_classify_t *)job;

    (void)version;
    return j->opts->is_training ? check_examples(j, task, record)
                                : check_calls(j, task, record);
}
