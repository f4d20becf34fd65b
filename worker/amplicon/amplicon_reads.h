/*
 * amplicon_reads.h - reads of amplicons with their abundances: how they are given, and
 * reading them on rank 0 and sending them to the other ranks.
 *
 * Jobs that compare abundances (chimeras, denoise) have them in this form.
 */
#pragma once

#include "io/prepare/prepare.h"
#include "io/seq/fasta.h"
#include "worker/exchange.h"

#include <stdbool.h>

/* As a command line gives them. */
typedef struct {
    seq_inputs_t inputs;
    fasta_opts_t fasta;
    prepare_opts_t prepare;
} amplicon_inputs_t;

/* @return inputs of DNA that are not changed */
amplicon_inputs_t amplicon_inputs_defaults(void);

/*
 * Check options, and decide whether abundances are read from names: unless a table has
 * them.
 *
 * @param needs_sizes  whether abundances are compared
 * @return an error message, or NULL
 */
const char *amplicon_inputs_settle(amplicon_inputs_t *inputs, bool needs_sizes);

/* Zeroed: none. */
typedef struct {
    /* on every rank */
    seqset_t *reads; /* by falling abundance, then in the order of the input */
    int64_t *size;   /* [reads] abundances; NULL: none are known */

    /* rank 0 */
    seq_files_t files;
    prepared_t prepared; /* of all of the input */
    seqset_t *input;     /* reads in the order of the input */
    int32_t *place;      /* [reads] the place of each in the input */
} amplicon_reads_t;

/* What other ranks get. */
extern const arrays_t amplicon_reads_arrays;

/* @return the abundance of a read of the input; 1 if none are known; on rank 0 */
static inline int64_t amplicon_reads_size(const amplicon_reads_t *r, int64_t place)
{
    return r->prepared.size != NULL ? r->prepared.size[place] : 1;
}

/*
 * Read, on rank 0.
 *
 * @param by_size   whether to sort reads by their abundance; else their order stays
 * @param min_size  reads of lower abundance are only in the input
 * @param out       zeroed; release with amplicon_reads_free, also after an error
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t amplicon_reads_read(const amplicon_inputs_t *from, pool_t *pool, bool by_size,
                             int64_t min_size, amplicon_reads_t *out) MUST_CHECK;

void amplicon_reads_free(amplicon_reads_t *r);
