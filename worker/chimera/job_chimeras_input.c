/*
 * job_chimeras_input.c - the reads and references of the job "chimeras", and which of
 * them may be parents.
 */
#include "worker/chimera/job_chimeras_state.h"

#include "io/base/logmsg.h"

#include <stdlib.h>

static status_t read_references(job_chimeras_t *j)
{
    const chimera_opts_t *o = j->opts;
    fasta_opts_t opts = o->references;
    status_t st;

    if (o->against == NULL)
        return ST_OK;
    opts.full_names = o->reads.fasta.full_names;
    if ((st = fasta_read(o->against, &opts, NULL, &j->references)) == ST_OK &&
        j->references->n < 2)
        log_warn("%s holds %s: no read can have two parents", o->against,
                 j->references->n == 0 ? "no sequence" : "one sequence");
    return st;
}

static void warn_of_sizes(const job_chimeras_t *j)
{
    if (j->references == NULL && j->in.reads->n > 1 && j->in.size[0] == 1)
        log_warn("%s: no read is more abundant than another, so none can be a parent%s",
                 j->in.files.label,
                 j->opts->reads.prepare.derep
                     ? ""
                     : "; give dereplicated reads with ';size=N' in their names, or "
                       "--derep");
}

static status_t read_input(job_chimeras_t *j)
{
    const chimera_opts_t *o = j->opts;
    status_t st =
        amplicon_reads_read(&o->reads, j->base.pool, o->against == NULL, 1, &j->in);

    if (st == ST_OK)
        st = read_references(j);
    if (st == ST_OK && j->in.reads->n == 0)
        log_warn("%s holds no sequence: there is nothing to search", j->in.files.label);
    else if (st == ST_OK)
        warn_of_sizes(j);
    return st;
}

static const array_t shared_rows[] = {ARRAY_MEMBER(job_chimeras_t, in,
                                                   &amplicon_reads_arrays),
                                      ARRAY_POINTER(job_chimeras_t, references,
                                                    &seqset_arrays, .is_optional = true),
                                      ARRAYS_END};

static const arrays_t shared = {"the reads", sizeof(job_chimeras_t), shared_rows, NULL};

/* Reads that are abundant enough; sizes fall. */
static status_t count_targets(job_chimeras_t *j)
{
    const int64_t n = j->in.reads->n;
    int64_t end = 0;

    if ((j->n_targets = malloc(((size_t)n + 1) * sizeof(*j->n_targets))) == NULL)
        return log_nomem("possible parents");
    for (int64_t i = 0; i < n; i++) {
        if (j->references != NULL) {
            j->n_targets[i] = j->references->n;
            continue;
        }
        while (end < i &&
               (double)j->in.size[end] >= j->opts->min_skew * (double)j->in.size[i])
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
