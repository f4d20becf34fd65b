/*
 * amplicon_reads.c - reading reads, and sorting them by their abundance.
 */
#include "worker/amplicon/amplicon_reads.h"

#include "graph/cluster/cluster_methods.h"
#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

amplicon_inputs_t amplicon_inputs_defaults(void)
{
    return (amplicon_inputs_t){.fasta = {.alphabet = ALPHABET_DNA, .is_dna_only = true},
                               .prepare = prepare_defaults()};
}

const char *amplicon_inputs_settle(amplicon_inputs_t *inputs, bool needs_sizes)
{
    prepare_opts_t *p = &inputs->prepare;
    const char *misuse = seq_inputs_misuse(&inputs->inputs);

    p->labels.sizes = needs_sizes && p->count_table == NULL && p->samples == NULL;
    p->labels.may_lack_sizes = p->derep;
    return misuse != NULL ? misuse : prepare_misuse(p);
}

ARRAY_COUNT(n_reads, amplicon_reads_t, o->reads->n)

static const array_t rows[] = {ARRAY_POINTER(amplicon_reads_t, reads, &seqset_arrays),
                               ARRAY_OF(amplicon_reads_t, size, ARRAY_INT64, n_reads,
                                        .is_optional = true),
                               ARRAYS_END};

const arrays_t amplicon_reads_arrays = {"the reads", sizeof(amplicon_reads_t), rows,
                                        NULL};

/* ---- order ---- */

/* List the reads that are abundant enough, in their order.
 * @param place  [input] out @return ST_OK or ST_ENOMEM */
static status_t list_reads(const amplicon_reads_t *r, bool by_size, int64_t min_size,
                           int32_t *place, int64_t *n)
{
    const int64_t *key = by_size ? r->prepared.size : NULL;
    status_t st = centroid_order(r->input->n, key, NULL, place);

    for (int64_t i = 0; st == ST_OK && i < r->input->n; i++)
        if (amplicon_reads_size(r, place[i]) >= min_size)
            place[(*n)++] = place[i];
    return st;
}

/* Copy n reads in their order. */
static status_t copy_reads(amplicon_reads_t *r, int64_t n)
{
    seqset_builder_t b = {.alphabet = ALPHABET_DNA};
    status_t st = ST_OK;

    for (int64_t i = 0; st == ST_OK && i < n; i++) {
        const int32_t from = r->place[i];
        const char *name = seqset_name(r->input, from);

        if (r->size != NULL)
            r->size[i] = r->prepared.size[from];
        st = seqset_builder_add(&b, name, strlen(name), seqset_letters(r->input, from),
                                (size_t)seqset_len(r->input, from));
    }
    if (st == ST_OK)
        st = seqset_builder_finish(&b, &r->reads);
    seqset_builder_free(&b);
    return st;
}

static status_t order_reads(amplicon_reads_t *r, bool by_size, int64_t min_size)
{
    int64_t n = 0;
    status_t st;

    if ((r->place = malloc(((size_t)r->input->n + 1) * sizeof(*r->place))) == NULL)
        return log_nomem("the sizes of reads");
    if ((st = list_reads(r, by_size, min_size, r->place, &n)) != ST_OK)
        return st;
    if (r->prepared.size != NULL &&
        (r->size = malloc(((size_t)n + 1) * sizeof(*r->size))) == NULL)
        return log_nomem("the sizes of reads");
    return copy_reads(r, n);
}

status_t amplicon_reads_read(const amplicon_inputs_t *from, pool_t *pool, bool by_size,
                             int64_t min_size, amplicon_reads_t *out)
{
    status_t st = seq_files_list(&from->inputs, &out->files);

    if (st == ST_OK)
        st = fasta_read_files(&out->files, &from->fasta, pool, NULL, &out->input);
    if (st == ST_OK)
        st = prepare_set(&out->files, &from->prepare, NULL, NULL, pool, out->input,
                         &out->prepared);
    return st == ST_OK ? order_reads(out, by_size, min_size) : st;
}

void amplicon_reads_free(amplicon_reads_t *r)
{
    seqset_destroy(r->reads);
    seqset_destroy(r->input);
    seq_files_free(&r->files);
    prepare_free(&r->prepared);
    free(r->size);
    free(r->place);
    *r = (amplicon_reads_t){.reads = NULL};
}
