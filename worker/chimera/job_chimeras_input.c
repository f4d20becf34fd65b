/*
 * job_chimeras_input.c - rank 0 reads the sequences of the job "chimeras", and sends them
 * to the other ranks.
 */
#include "worker/chimera/job_chimeras_state.h"

#include "io/base/logmsg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t size;
    int32_t read;
} sized_t;

static int by_size(const void *a, const void *b)
{
    const sized_t *x = a, *y = b;

    return x->size != y->size ? (x->size < y->size) - (x->size > y->size)
                              : (x->read > y->read) - (x->read < y->read);
}

static status_t list_sizes(const job_chimeras_t *j, sized_t **out)
{
    const int64_t n = j->input->n;
    sized_t *sized = malloc(((size_t)n + 1) * sizeof(*sized));

    if (sized == NULL)
        return log_nomem("the sizes of reads");
    for (int32_t i = 0; i < n; i++)
        sized[i] = (sized_t){j->prepared.size != NULL ? j->prepared.size[i] : 1, i};
    if (j->references == NULL)
        qsort(sized, (size_t)n, sizeof(*sized), by_size);
    *out = sized;
    return ST_OK;
}

/* Copy the reads in their order; references leave that of the input. */
static status_t order_reads(job_chimeras_t *j)
{
    const int64_t n = j->input->n;
    seqset_builder_t b = {.alphabet = ALPHABET_DNA};
    sized_t *sized = NULL;
    status_t st = list_sizes(j, &sized);

    j->place = malloc(((size_t)n + 1) * sizeof(*j->place));
    if (j->prepared.size != NULL)
        j->size = malloc(((size_t)n + 1) * sizeof(*j->size));
    if (st == ST_OK &&
        (j->place == NULL || (j->prepared.size != NULL && j->size == NULL)))
        st = log_nomem("the sizes of reads");
    for (int64_t i = 0; st == ST_OK && i < n; i++) {
        const int32_t from = sized[i].read;
        const char *name = seqset_name(j->input, from);

        j->place[i] = from;
        if (j->size != NULL)
            j->size[i] = sized[i].size;
        st = seqset_builder_add(&b, name, strlen(name), seqset_letters(j->input, from),
                                (size_t)seqset_len(j->input, from));
    }
    if (st == ST_OK)
        st = seqset_builder_finish(&b, &j->reads);
    seqset_builder_free(&b);
    free(sized);
    return st;
}

static status_t read_references(job_chimeras_t *j)
{
    const chimera_opts_t *o = j->opts;
    fasta_opts_t opts = o->references;
    status_t st;

    if (o->against == NULL)
        return ST_OK;
    opts.full_names = o->fasta.full_names;
    if ((st = fasta_read(o->against, &opts, NULL, &j->references)) == ST_OK &&
        j->references->n < 2)
        log_warn("%s holds %s: no read can have two parents", o->against,
                 j->references->n == 0 ? "no sequence" : "one sequence");
    return st;
}

static void warn_of_sizes(const job_chimeras_t *j)
{
    if (j->references == NULL && j->reads->n > 1 && j->size[0] == 1)
        log_warn("%s: no read is more abundant than another, so none can be a parent; "
                 "give dereplicated reads with ';size=N' in their names, or --derep",
                 j->files.label);
}

static status_t read_input(job_chimeras_t *j)
{
    const chimera_opts_t *o = j->opts;
    status_t st = seq_files_list(&(seq_inputs_t){&o->input, 1, NULL}, &j->files);

    if (st == ST_OK)
        st = fasta_read_files(&j->files, &o->fasta, NULL, &j->input);
    if (st == ST_OK)
        st = prepare_set(&j->files, &o->prepare, j->input, &j->prepared);
    if (st == ST_OK)
        st = read_references(j);
    if (st == ST_OK)
        st = order_reads(j);
    if (st == ST_OK && j->reads->n == 0)
        log_warn("%s holds no sequence: there is nothing to search", j->files.label);
    else if (st == ST_OK)
        warn_of_sizes(j);
    return st;
}

ARRAY_COUNT(n_reads, job_chimeras_t, o->reads->n)

static const array_t shared_rows[] = {
    ARRAY_POINTER(job_chimeras_t, reads, &seqset_arrays),
    ARRAY_POINTER(job_chimeras_t, references, &seqset_arrays, .is_optional = true),
    ARRAY_OF(job_chimeras_t, size, ARRAY_INT64, n_reads, .is_optional = true),
    ARRAYS_END};

static const arrays_t shared = {"the reads", sizeof(job_chimeras_t), shared_rows, NULL};

/* Reads that are abundant enough; sizes fall. */
static status_t count_targets(job_chimeras_t *j)
{
    const int64_t n = j->reads->n;
    int64_t end = 0;

    if ((j->n_targets = malloc(((size_t)n + 1) * sizeof(*j->n_targets))) == NULL)
        return log_nomem("possible parents");
    for (int64_t i = 0; i < n; i++) {
        if (j->references != NULL) {
            j->n_targets[i] = j->references->n;
            continue;
        }
        while (end < i && (double)j->size[end] >= j->opts->min_skew * (double)j->size[i])
            end++;
        j->n_targets[i] = end;
    }
    return ST_OK;
}

status_t job_chimeras_read(job_chimeras_t *j, exchange_t *x)
{
    status_t st = exchange_agree(x, x->rank == 0 ? read_input(j) : ST_OK);

    if (st == ST_OK)
        st = exchange_object(x, &shared, j);
    return st == ST_OK ? exchange_agree(x, count_targets(j)) : st;
}
