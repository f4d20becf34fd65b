/*
 * job_align.h - the job "align": every pair of a FASTA file, or of queries and
 * references, tile by tile, into one file: matrices, or hits alone.
 */
#ifndef RIBOGRID_WORKER_ALIGN_JOB_ALIGN_H
#define RIBOGRID_WORKER_ALIGN_JOB_ALIGN_H

#include "io/base/fraction.h"
#include "io/pairs/identity_def.h"
#include "io/prepare/prepare.h"
#include "io/seq/cigar.h"
#include "io/seq/fasta.h"
#include "kernels/align/common/align_spec.h"
#include "worker/job.h"

typedef struct {
    const char *input;   /* FASTA, "-": stdin */
    const char *against; /* FASTA of references, or NULL: all pairs of the input */
    const char *output;  /* HDF5 */
    const char *kernel;  /* "auto" or a row's name */
    const char *matrix;  /* NCBI matrix file, or NULL */
    fasta_opts_t fasta;
    prepare_opts_t prepare; /* of the input; references are taken as they are */
    align_emit_t emit;
    cigar_style_t cigar_style;
    align_ends_t ends;
    fraction_t min_overlap;
    align_ambiguity_t ambiguity;
    int32_t match, mismatch, gap;
    bool has_iddef; /* else identity is matches / columns of the canonical alignment */
    identity_def_t iddef;
    fraction_t min_identity; /* only pairs that reach it; denominator 0: none given */
    int64_t top;             /* of `against`: only each query's best so many; 0: all */
    bool both_strands;       /* of `against`: queries and their reverse complements */
    bool band; /* leave cells out that cannot matter: results are the same */
    int64_t max_output_bytes; /* raw size of the result's datasets, or of hits */
    int64_t batch_bytes;      /* of this rank's memory, for batches */
    int64_t device_bytes; /* of a GPU's memory, for batches; 0: 75 % of what is free */
    bool force, resume;
    const char *command_line; /* noted in the file */
    const char *version;
} align_opts_t;

extern const job_ops_t job_align_ops;

/* Make the job; opts and what it points to are borrowed. @return ST_OK or ST_ENOMEM */
status_t job_align_create(const align_opts_t *opts, void **out) MUST_CHECK;

#endif
