/*
 * prepare_previous.c - sequences, abundances and members of an earlier run before those
 * of new files.
 */
#include "io/prepare/prepare.h"

#include "io/base/logmsg.h"
#include "io/base/texts.h"
#include "io/pairs/pairs_read.h"
#include "io/seq/fasta.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- sequences ---- */

/* Warn of new names that the earlier run has, too. */
static status_t warn_of_names(const prepare_previous_t *p, const seq_files_t *files,
                              const seqset_t *set)
{
    name_table_t names = {0};
    int64_t number, n = 0, first = 0;
    status_t st = ST_OK;

    for (int64_t i = 0; st == ST_OK && i < p->set->n; i++) {
        const char *name = seqset_name(p->set, i);

        st = name_table_add(&names, name, strlen(name), &number, NULL);
    }
    for (int64_t i = 0; st == ST_OK && i < set->n; i++) {
        const char *name = seqset_name(set, i);

        if (name_table_find(&names, name, strlen(name)) >= 0 && n++ == 0)
            first = i;
    }
    name_table_free(&names);
    if (st == ST_OK && n > 0)
        log_warn("%s: %" PRId64 " records have a name that %s has, too, the first is "
                 "'%.80s'; they are distinguished by their order",
                 files->label, n, p->path, seqset_name(set, first));
    return st;
}

status_t prepare_previous_join(const prepare_previous_t *p, const seq_files_t *files,
                               seqset_t *set)
{
    seqset_t *joined, empty;
    status_t st;

    if (set->n > 0 && set->alphabet != p->set->alphabet)
        return fasta_refuse_kinds(files->label, set->alphabet, p->path, p->set->alphabet);
    set->alphabet = p->set->alphabet;
    if ((st = warn_of_names(p, files, set)) != ST_OK ||
        (st = seqset_join(p->set, false, set, &joined)) != ST_OK)
        return st;
    empty = *set;
    *set = *joined;
    *joined = empty;
    seqset_destroy(joined);
    return ST_OK;
}

/* ---- sizes and samples ---- */

static int64_t size_of(const prepare_previous_t *p, int64_t i)
{
    return p->size != NULL ? p->size[i] : 1;
}

/* Either both have samples or none; those of files are known of any. */
static status_t check_samples(const prepare_previous_t *p, const seq_files_t *files,
                              bool are_given, bool of_files)
{
    const bool are_known = p->samples.n > 0;

    if (are_known == are_given || (are_given && of_files && p->sample != NULL))
        return ST_OK;
    log_error("%s has %s, and %s has %s; align all files again, with samples of all "
              "records or of none",
              p->path, are_known ? "samples" : "no samples", files->label,
              are_given ? "some" : "none");
    return ST_EINPUT;
}

static status_t refuse_sample(const prepare_previous_t *p, const seq_files_t *files,
                              const char *name)
{
    log_error("%s and %s would both have the sample '%.80s'; name samples in a table of "
              "samples and files: --manifest",
              p->path, files->label, name);
    return ST_EINPUT;
}

/* Number all samples, those of the earlier run first.
 * @param all   zeroed; out
 * @param moved [to->samples.n] out: the numbers of the new ones */
static status_t number_samples(const prepare_previous_t *p, const seq_files_t *files,
                               bool of_files, const name_table_t *added,
                               name_table_t *all, int64_t *moved)
{
    const bool is_one = p->samples.n == 0;
    const int64_t n = is_one ? 1 : p->samples.n;
    int64_t number;
    status_t st = ST_OK;
    bool is_new;

    for (int64_t k = 0; st == ST_OK && k < n; k++) {
        const char *name = is_one ? p->sample : p->samples.name[k];

        st = name_table_add(all, name, strlen(name), &number, NULL);
    }
    for (int64_t k = 0; st == ST_OK && k < added->n; k++) {
        const char *name = name_table_at(added, k);

        st = name_table_add(all, name, strlen(name), &moved[k], &is_new);
        if (st == ST_OK && of_files && !is_new && !p->continues_samples)
            st = refuse_sample(p, files, name);
    }
    return st;
}

/* Append the counts of the earlier run. */
static status_t add_counts(const prepare_previous_t *p, buf_t *counts)
{
    const pairs_samples_t *s = &p->samples;
    status_t st = ST_OK;

    for (int64_t i = 0; st == ST_OK && i < p->set->n; i++) {
        const int64_t begin = s->n > 0 ? s->row_start[i] : 0;
        const int64_t end = s->n > 0 ? s->row_start[i + 1] : 1;

        for (int64_t k = begin; st == ST_OK && k < end; k++) {
            const abundance_count_t count = {(int32_t)i, s->n > 0 ? s->sample[k] : 0,
                                             s->n > 0 ? s->count[k] : size_of(p, i)};

            st = buf_append(counts, &count, sizeof(count));
        }
    }
    return st;
}

static status_t join_samples(const prepare_previous_t *p, const seq_files_t *files,
                             bool of_files, abundance_t *to)
{
    int64_t *moved = malloc(((size_t)to->samples.n + 1) * sizeof(*moved));
    const size_t n = to->counts.len / sizeof(abundance_count_t);
    name_table_t all = {0};
    abundance_count_t *c;
    status_t st = moved != NULL
                      ? number_samples(p, files, of_files, &to->samples, &all, moved)
                      : log_nomem("the samples");

    if (st == ST_OK)
        st = add_counts(p, &to->counts);
    c = (abundance_count_t *)(void *)to->counts.data;
    for (size_t k = 0; st == ST_OK && k < n; k++) {
        c[k].row += (int32_t)p->set->n;
        c[k].sample = (int32_t)moved[c[k].sample];
    }
    free(moved);
    name_table_free(st == ST_OK ? &to->samples : &all);
    if (st == ST_OK)
        to->samples = all;
    return st;
}

status_t prepare_previous_count(const prepare_previous_t *p, const seq_files_t *files,
                                bool of_files, int64_t n, abundance_t *to)
{
    const int64_t n_before = p->set->n;
    status_t st = check_samples(p, files, to->samples.n > 0, of_files);
    int64_t *size;

    if (st != ST_OK || (p->size == NULL && to->size == NULL))
        return st;
    if ((size = malloc(((size_t)(n_before + n) + 1) * sizeof(*size))) == NULL)
        return log_nomem("the sizes");
    for (int64_t i = 0; i < n_before; i++)
        size[i] = size_of(p, i);
    for (int64_t i = 0; i < n; i++)
        size[n_before + i] = to->size != NULL ? to->size[i] : 1;
    free(to->size);
    to->size = size;
    return to->samples.n > 0 ? join_samples(p, files, of_files, to) : ST_OK;
}

/* ---- members ---- */

static status_t check_distinct(const prepare_previous_t *p, const int32_t *sequence)
{
    for (int64_t i = 0; i < p->set->n; i++)
        if (sequence[i] != i) {
            log_error("%s: the sequences %d and %" PRId64
                      " are equal, which dereplicated "
                      "ones are not; make the file again",
                      p->path, sequence[i] + 1, i + 1);
            return ST_EINPUT;
        }
    return ST_OK;
}

status_t prepare_previous_members(const prepare_previous_t *p, pairs_members_t *to)
{
    const pairs_members_t *m = &p->members;
    const int64_t n_before = p->set->n, n_new = to->n - n_before, n = m->n + n_new;
    char *const *added = to->name + n_before;
    const size_t bytes = texts_bytes(m->name, m->n), more = texts_bytes(added, n_new);
    char *block, **name = NULL;
    int32_t *sequence;
    status_t st = check_distinct(p, to->sequence);

    if (st != ST_OK)
        return st;
    block = malloc(bytes + more + 1);
    sequence = malloc(((size_t)n + 1) * sizeof(*sequence));
    if (block == NULL || sequence == NULL) {
        free(block);
        free(sequence);
        return log_nomem("the members");
    }
    if (bytes > 0)
        memcpy(block, m->name[0], bytes);
    if (more > 0)
        memcpy(block + bytes, added[0], more);
    if (m->n > 0)
        memcpy(sequence, m->sequence, (size_t)m->n * sizeof(*sequence));
    memcpy(sequence + m->n, to->sequence + n_before, (size_t)n_new * sizeof(*sequence));
    if ((st = texts_take(block, n, &name)) != ST_OK) {
        free(sequence);
        return st;
    }
    pairs_members_free(to);
    *to = (pairs_members_t){n, name, sequence};
    return ST_OK;
}
