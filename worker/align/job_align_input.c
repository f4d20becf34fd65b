/*
 * job_align_input.c - rank 0 reads the sequences of the job "align" and sends them to the
 * other ranks.
 */
#include "worker/align/job_align_state.h"

#include "graph/cluster/cluster_methods.h"
#include "io/base/logmsg.h"
#include "io/file/memfd_stream.h"
#include "io/prepare/protein_db.h"
#include "io/seq/seqset.h"
#include "kernels/primers/search/primer_cut.h"

#include <inttypes.h>
#include <stdlib.h>

const char *job_align_origin(const job_align_t *j, int64_t i, int64_t *record)
{
    if (j->opts->against != NULL && i >= j->col_first) {
        *record = i - j->col_first;
        return j->opts->against;
    }
    *record = i < j->n_queries ? i : i - j->n_queries;
    if (j->prepared.record != NULL) /* on rank 0 */
        *record = j->prepared.record[*record];
    if (*record < j->old.n)
        return j->opts->extend;
    *record -= j->old.n;
    return seq_files_find(&j->files, *record, record);
}

/* @param n, n_records  sequences, and the records that they are left of */
static void warn_if_few(const char *path, int64_t n, int64_t n_records, int64_t min_n)
{
    const char *what = n == 0 ? "no sequence" : "one sequence";

    if (n < min_n && n < n_records)
        log_warn("%s: %s is left of %" PRId64 " records: there is no pair to align", path,
                 what, n_records);
    else if (n < min_n)
        log_warn("%s holds %s: there is no pair to align", path, what);
}

/* E-values are of proteins: without --alphabet all files are read as those. */
static alphabet_t alphabet_of(const align_opts_t *o)
{
    return o->max_evalue > 0 && o->fasta.alphabet == ALPHABET_AUTO ? ALPHABET_PROTEIN
                                                                   : o->fasta.alphabet;
}

/* Refuse what looks like nucleotides then. */
static status_t check_proteins(const align_opts_t *o, const char *label,
                               const seqset_t *set)
{
    return o->max_evalue > 0 && o->fasta.alphabet == ALPHABET_AUTO
               ? fasta_refuse_nucleotides(label, set)
               : ST_OK;
}

/* Read what `search build` has written, whose masks have to be those of the job, but for
 * the residues. */
static status_t read_database(job_align_t *j)
{
    const align_opts_t *o = j->opts;
    protein_db_t *db = &j->database;
    status_t st = memfd_stream_fetch(o->common.reader, ALIGN_CHILD_DATABASE, o->database,
                                     &protein_db_arrays, db);

    if (st != ST_OK)
        return st;
    if (db->mask != o->prepare.mask) {
        log_error(
            "%s was built with --mask %s; build it again with --mask %s, or search with "
            "--mask %s",
            o->against, mask_name[db->mask], mask_name[o->prepare.mask],
            mask_name[db->mask]);
        return ST_EINPUT;
    }
    warn_if_few(o->against, db->set->n, db->set->n, 1);
    j->references_digest = (uint64_t)db->digest;
    return j->set->alphabet == ALPHABET_PROTEIN
               ? ST_OK
               : fasta_refuse_kinds(o->against, ALPHABET_PROTEIN, j->files.label,
                                    j->set->alphabet);
}

/* Replace the set of queries by one of queries and a database.
 * @param all  read all residues */
static status_t open_database(job_align_t *j, bool all)
{
    seqset_t *queries = j->set;
    const int64_t window = all ? INT64_MAX : job_align_window(j);
    status_t st = protein_blocks_open(j->opts->against, &j->database, queries, window,
                                      j->base.pool, &j->blocks);

    if (st != ST_OK)
        return st;
    seqset_destroy(queries);
    j->set = protein_blocks_set(j->blocks);
    return all ? protein_blocks_hold(j->blocks, 0, j->database.set->n) : ST_OK;
}

/* On rank 0: other ranks get a database with the queries, unless it is larger than the
 * memory for it; then each one reads its blocks. */
static status_t add_database(job_align_t *j, bool may_be_in_blocks)
{
    const seqset_t *set;
    status_t st = read_database(j);

    if (st != ST_OK)
        return st;
    set = j->database.set;
    j->in_blocks = may_be_in_blocks && set->offset[set->n] > job_align_window(j);
    return j->in_blocks ? ST_OK : open_database(j, true);
}

/* Replace the set of queries by one of queries and references. */
static status_t add_references(job_align_t *j)
{
    const align_opts_t *o = j->opts;
    seqset_t *queries = j->set, *references = NULL, *joined = NULL;
    fasta_opts_t opts = o->references;
    status_t st;

    opts.alphabet = alphabet_of(o);
    if ((st = fasta_read(o->against, &opts, NULL, &references)) != ST_OK)
        return st;
    warn_if_few(o->against, references->n, references->n, 1);
    st = check_proteins(o, o->against, references);
    if (st == ST_OK && references->alphabet != queries->alphabet)
        st = fasta_refuse_kinds(o->against, references->alphabet, j->files.label,
                                queries->alphabet);
    if (st == ST_OK)
        st = prepare_mask(o->against, o->prepare.mask, true, j->base.pool, references);
    j->references_digest = seqset_digest(references);
    if (st == ST_OK)
        st = seqset_join(queries, o->strand == STRAND_BOTH, references, &joined);
    if (st == ST_OK) {
        seqset_destroy(queries);
        j->set = joined;
    }
    seqset_destroy(references);
    return st;
}

/* Find the order in which centroids are chosen. */
static status_t find_order(job_align_t *j)
{
    const int64_t n = j->n_queries, *sizes = j->prepared.size;
    const bool by_length = j->opts->centroids == CENTROIDS_BY_LENGTH;
    int64_t *lengths = malloc((size_t)n * sizeof(*lengths) + 1);
    status_t st = ST_OK;

    j->order = malloc((size_t)n * sizeof(*j->order) + 1);
    if (lengths == NULL || j->order == NULL)
        st = log_nomem("the order of sequences");
    for (int64_t i = 0; st == ST_OK && i < n; i++)
        lengths[i] = seqset_len(j->set, i);
    if (st == ST_OK)
        st = by_length ? centroid_order(n, lengths, sizes, j->order)
                       : centroid_order(n, sizes, NULL, j->order);
    free(lengths);
    return st;
}

static status_t prepare_queries(job_align_t *j)
{
    const prepare_opts_t *o = &j->opts->prepare;
    primer_cut_t *cuts = NULL;
    status_t st = primer_cut_find(&o->primers, j->set, j->base.pool, &cuts);

    if (st == ST_OK)
        st = prepare_set(&j->files, o, cuts,
                         j->opts->extend != NULL ? &j->old.before : NULL, j->base.pool,
                         j->set, &j->prepared);
    free(cuts);
    return st;
}

static status_t read_input(job_align_t *j, const exchange_t *x)
{
    const align_opts_t *o = j->opts;
    fasta_opts_t fasta = o->fasta;
    status_t st = seq_files_list(&o->inputs, &j->files);

    fasta.alphabet = alphabet_of(o);
    if (st == ST_OK)
        st = fasta_read_files(&j->files, &fasta, j->base.pool, NULL, &j->set);
    if (st == ST_OK)
        st = check_proteins(o, j->files.label, j->set);
    if (st == ST_OK)
        st = prepare_queries(j);
    if (st != ST_OK)
        return st;
    seqset_destroy(j->old.before.set); /* its sequences are in the set */
    j->old.before.set = NULL;
    j->n_queries = j->set->n;
    j->digest = seqset_digest(j->set);
    j->sizes_digest = prepare_digest(&j->prepared, j->n_queries);
    warn_if_few(j->files.label, j->set->n, j->prepared.n_records,
                o->against != NULL ? 1 : 2);
    if (o->centroids != CENTROIDS_ANY)
        return find_order(j);
    if (o->database != 0) /* remote devices do not see it */
        return add_database(j, !x->has_no_gangs);
    return o->against != NULL ? add_references(j) : ST_OK;
}

ARRAY_COUNT(n_queries_of, job_align_t, o->n_queries)

static const array_t shared_rows[] = {ARRAY_VALUE(job_align_t, n_queries, ARRAY_INT64),
                                      ARRAY_POINTER(job_align_t, set, &seqset_arrays),
                                      ARRAY_OF(job_align_t, order, ARRAY_INT32,
                                               n_queries_of, .is_optional = true),
                                      ARRAY_VALUE(job_align_t, in_blocks, ARRAY_INT32),
                                      ARRAYS_END};

static const arrays_t shared = {"the sequences", sizeof(job_align_t), shared_rows, NULL};

static status_t share_set(job_align_t *j, exchange_t *x)
{
    status_t st = exchange_object(x, &shared, j);

    if (st == ST_OK && j->in_blocks)
        st = exchange_object(x, &protein_db_arrays, &j->database);
    if (st == ST_OK && j->in_blocks)
        st = exchange_agree(x, open_database(j, false));
    if (st != ST_OK)
        return st;
    if (j->opts->against != NULL)
        j->col_first = j->n_queries * j->n_strands;
    j->n_references = j->opts->against != NULL ? j->set->n - j->col_first : 0;
    return ST_OK;
}

status_t job_align_read(job_align_t *j, exchange_t *x)
{
    status_t st = exchange_agree(x, x->rank == 0 ? read_input(j, x) : ST_OK);

    return st == ST_OK ? share_set(j, x) : st;
}
