/*
 * job_classify_train.c - cases of samples, their examples, and the rules.
 */
#include "worker/classify/job_classify_state.h"

#include "io/base/logmsg.h"
#include "worker/classify/class_naming.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* @return whether there is another taxon, and one with several references */
static bool can_learn(const job_classify_t *j)
{
    return j->classes.n > 1 && j->classes.n < j->model.refs->n;
}

void job_classify_train_plan(job_classify_t *j)
{
    const int64_t n = j->opts->n_samples;

    j->n_samples = n < j->model.refs->n ? n : j->model.refs->n;
    if (n > 0 && !can_learn(j))
        j->n_samples = 0;
}

/* Copy the samples to a set of their own, those of absent taxa behind the others. */
static status_t collect_samples(job_classify_t *j)
{
    const seqset_t *refs = j->model.refs;
    const int64_t n = j->n_samples;
    seqset_builder_t builder = {.alphabet = ALPHABET_DNA};
    status_t st = ST_OK;

    for (int64_t s = 0; st == ST_OK && s < 2 * n; s++) {
        const int64_t ref = s < n ? j->train.refs[s] : j->train.absent[s - n];

        st = seqset_builder_add(&builder, "", 0, seqset_letters(refs, ref),
                                (size_t)seqset_len(refs, ref));
    }
    if (st == ST_OK)
        st = seqset_builder_finish(&builder, &j->samples);
    seqset_builder_free(&builder);
    return st;
}

status_t job_classify_train_prepare(job_classify_t *j)
{
    status_t st =
        class_train_create(j->counts, j->n_samples, (uint64_t)j->opts->seed, &j->train);

    if (st != ST_OK || !j->opts->learns_align)
        return st;
    if ((st = collect_samples(j)) != ST_OK)
        return st;
    return class_align_create(&(class_align_context_t){.device = &j->base.device,
                                                       .pool = j->base.pool,
                                                       .known = &j->known,
                                                       .reads = j->samples,
                                                       .cancel = &j->base.cancel},
                              &j->align);
}

void job_classify_train_release(job_classify_t *j)
{
    class_train_free(&j->train);
    seqset_destroy(j->samples);
    j->samples = NULL;
    for (int p = 0; p < JOB_PLACES; p++) {
        free(j->collected[p].examples);
        j->collected[p].examples = NULL;
    }
}

/* @return the first sample of a task */
static int64_t first_sample(const job_classify_t *j, int64_t task)
{
    const int64_t sample = task * JOB_CLASSIFY_SAMPLES;

    return sample < j->n_samples ? sample : j->n_samples;
}

/* @return the first case of a task */
static int64_t first_case(const job_classify_t *j, int64_t task)
{
    return first_sample(j, task) * CLASS_TRAIN_GROUPS;
}

static int n_sets(const job_classify_t *j)
{
    return j->opts->learns_align ? CLASS_SETS_WITH_ALIGN : CLASS_SETS;
}

int64_t job_classify_train_n_cases(const job_classify_t *j, int64_t task)
{
    return first_case(j, task + 1) - first_case(j, task);
}

int64_t job_classify_train_n_examples(const job_classify_t *j, int64_t task)
{
    return job_classify_train_n_cases(j, task) * n_sets(j) * j->classes.n_ranks;
}

/* Label what alignments find.
 * @param first  sample of the cases @param found  candidates @param out  [cases][n_ranks]
 */
static status_t align_cases(job_classify_t *j, int64_t first,
                            const class_train_cases_t *cases, const int32_t *found,
                            class_example_t *out)
{
    int64_t *reads = malloc((size_t)cases->n * sizeof(*reads) + 1);
    int32_t *best = malloc((size_t)cases->n * sizeof(*best) + 1);
    status_t st =
        reads != NULL && best != NULL ? ST_OK : log_nomem("the examples of a classifier");

    for (int64_t i = 0; st == ST_OK && i < cases->n; i++)
        reads[i] = first + i / CLASS_TRAIN_GROUPS +
                   (cases->cases[i].group < CLASS_TRAIN_DISTANCES ? 0 : j->n_samples);
    if (st == ST_OK)
        st = class_align_cases(j->align, cases->cases, reads, cases->n, found, best, out);
    free(reads);
    free(best);
    return st;
}

/* Put the sets of examples of each case side by side. @param sets  [n_sets][n][n_ranks]
 */
static void interleave(const job_classify_t *j, const class_example_t *sets, int64_t n,
                       class_example_t *out)
{
    const int n_ranks = j->classes.n_ranks;

    for (int64_t i = 0; i < n; i++)
        for (int set = 0; set < n_sets(j); set++)
            memcpy(out + (i * n_sets(j) + set) * n_ranks,
                   sets + ((int64_t)set * n + i) * n_ranks,
                   (size_t)n_ranks * sizeof(*out));
}

/* Find the examples of cases. @param out  [cases][sets][n_ranks] */
static status_t find_examples(job_classify_t *j, int64_t first,
                              const class_train_cases_t *cases, class_example_t *out)
{
    const nbc_context_t nbc = {.device = &j->base.device,
                               .model = j->counts,
                               .options = {.n_resamples = (int)j->opts->n_resamples,
                                           .seed = (uint64_t)j->opts->seed}};
    const class_case_context_t context = {&nbc, &j->known, j->model.refs, j->base.pool};
    const size_t n_examples = (size_t)(cases->n * n_sets(j) * j->classes.n_ranks);
    int32_t *found = malloc((size_t)cases->n * sizeof(*found) + 1);
    class_example_t *sets = calloc(n_examples + 1, sizeof(*sets));
    status_t st = found != NULL && sets != NULL
                      ? class_case_run(&context, cases->cases, cases->n, found, sets)
                      : log_nomem("the examples of a classifier");

    if (st == ST_OK && j->opts->learns_align)
        st = align_cases(j, first, cases, found, sets + cases->n * j->classes.n_ranks);
    if (st == ST_OK)
        interleave(j, sets, cases->n, out);
    free(found);
    free(sets);
    return st;
}

/* What the cases of the batch lack is found here, and not once for all samples, so that
 * ranks share that work and the memory that it takes. */
status_t job_classify_train_compute(job_classify_t *j, job_classify_collected_t *c)
{
    const int64_t first = first_sample(j, c->batch.first_task);
    const int64_t n = first_sample(j, c->batch.first_task + c->batch.n_tasks) - first;
    const int64_t row = n_sets(j) * j->classes.n_ranks;
    class_train_cases_t cases = {0};
    status_t st = class_train_list(&j->train, first, n, j->base.pool, &cases);

    free(c->examples);
    c->examples = NULL;
    if (st == ST_OK) {
        c->examples = malloc((size_t)(cases.n * row) * sizeof(*c->examples) + 1);
        st = c->examples != NULL ? find_examples(j, first, &cases, c->examples)
                                 : log_nomem("the examples of a classifier");
    }
    class_train_cases_free(&cases);
    return st == ST_ESTOPPED ? ST_OK : st;
}

status_t job_classify_train_pack(const job_classify_t *j,
                                 const job_classify_collected_t *c, int k, buf_t *out)
{
    const int64_t row = n_sets(j) * j->classes.n_ranks;
    const int64_t start = first_case(j, c->batch.first_task);
    const int64_t first = first_case(j, c->batch.first_task + k) - start;
    const int64_t end = first_case(j, c->batch.first_task + k + 1) - start;

    return buf_append(out, c->examples + first * row,
                      (size_t)((end - first) * row) * sizeof(*c->examples));
}

/* Read the examples of all tasks. @param out  [cases][n_ranks], empty */
static status_t read_examples(const job_classify_t *j, buf_t *out)
{
    buf_t record = {0};
    status_t st = ST_OK;

    for (int64_t task = 0; st == ST_OK && task < job_classify_n_tasks(j); task++) {
        const size_t len =
            (size_t)job_classify_train_n_examples(j, task) * sizeof(class_example_t);

        if ((st = reslog_read(j->base.log, task, &record)) != ST_OK)
            break;
        st = record.len == len ? buf_append(out, record.data, record.len)
                               : job_refuse(&j->base, task);
    }
    buf_free(&record);
    return st;
}

status_t job_classify_train_learn(job_classify_t *j)
{
    buf_t examples = {0};
    status_t st;

    if (j->n_samples == 0) {
        if (j->opts->n_samples > 0)
            log_warn("%s: it takes two taxa, one with several references, to learn which "
                     "names to refuse; names will depend on --min-support alone",
                     j->files.label);
        return ST_OK;
    }
    if ((st = read_examples(j, &examples)) == ST_OK)
        st = class_naming_learn((const class_example_t *)(const void *)examples.data,
                                j->n_samples * CLASS_TRAIN_GROUPS, j->classes.n_ranks,
                                n_sets(j), j->files.label, &j->model);
    buf_free(&examples);
    return st;
}
