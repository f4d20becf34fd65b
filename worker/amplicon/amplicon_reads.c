/*
 * amplicon_reads.c - reading reads, and sorting them by their abundance.
 */
#include "worker/amplicon/amplicon_reads.h"

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

typedef struct {
    int64_t size;
    int32_t read;
} sized_t;

static int by_falling_size(const void *a, const void *b)
{
    const sized_t *x = a, *y = b;

    return x->size != y->size ? (x->size < y->size) - (x->size > y->size)
                              : (x->read > y->read) - (x->read < y->read);
}

static status_t list_sizes(const amplicon_reads_t *r, bool by_size, int64_t min_size,
                           sized_t **out, int64_t *n)
{
    sized_t *sized = malloc(((size_t)r->input->n + 1) * sizeof(*sized));

    if (sized == NULL)
        return log_nomem("the sizes of reads");
    for (int32_t i = 0; i < r->input->n; i++)
        if (amplicon_reads_size(r, i) >= min_size)
            sized[(*n)++] = (sized_t){amplicon_reads_size(r, i), i};
    if (by_size)
        qsort(sized, (size_t)*n, sizeof(*sized), by_falling_size);
    *out = sized;
    return ST_OK;
}

/* Copy n reads in their order. */
static status_t copy_reads(amplicon_reads_t *r, const sized_t *sized, int64_t n)
{
    seqset_builder_t b = {.alphabet = ALPHABET_DNA};
    status_t st = ST_OK;

    for (int64_t i = 0; st == ST_OK && i < n; i++) {
        const int32_t from = sized[i].read;
        const char *name = seqset_name(r->input, from);

        r->place[i] = from;
        if (r->size != NULL)
            r->size[i] = sized[i].size;
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
    sized_t *sized = NULL;
    int64_t n = 0;
    status_t st = list_sizes(r, by_size, min_size, &sized, &n);

    if (st != ST_OK)
        return st;
    r->place = malloc(((size_t)n + 1) * sizeof(*r->place));
    if (r->prepared.size != NULL)
        r->size = malloc(((size_t)n + 1) * sizeof(*r->size));
    if (r->place == NULL || (r->prepared.size != NULL && r->size == NULL))
        st = log_nomem("the sizes of reads");
    if (st == ST_OK)
        st = copy_reads(r, sized, n);
    free(sized);
    return st;
}

status_t amplicon_reads_read(const amplicon_inputs_t *from, bool by_size,
                             int64_t min_size, amplicon_reads_t *out)
{
    status_t st = seq_files_list(&from->inputs, &out->files);

    if (st == ST_OK)
        st = fasta_read_files(&out->files, &from->fasta, NULL, &out->input);
    if (st == ST_OK)
        st = prepare_set(&out->files, &from->prepare, out->input, &out->prepared);
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
