/*
 * class_region.h - finds the bases of a reference that a read stands for, and cuts the
 * same bases out of references, so that thresholds can be learned for reads of any region
 * and length.
 *
 * Genes of one kind have words (nbc_model.h) in common, in the same order.  The diagonal
 * that most common words of the read's first bases are on is where the read begins in the
 * reference, and that of its last bases where it ends, a few bases more or less.  No
 * alignment is needed, because a few bases more or less change no threshold.
 */
#pragma once

#include "kernels/classify/class_train.h"

/* Bases first .. end - 1 of a reference, counted from 0; either may lie beyond its ends.
 */
typedef struct {
    int64_t first, end;
} class_region_t;

/* Scratch of one thread. */
typedef struct class_region_scratch class_region_scratch_t;

/* @return ST_OK or ST_ENOMEM */
status_t class_region_scratch_create(class_region_scratch_t **out) MUST_CHECK;

/* Takes NULL. */
void class_region_scratch_destroy(class_region_scratch_t *s);

/* A sequence. */
typedef struct {
    const uint8_t *letters; /* [len] codes of alphabet.h */
    int64_t len;
} class_region_sequence_t;

/*
 * Find the bases of a reference that a read stands for.
 *
 * @param found  whether both ends of the read are like the reference
 * @param out    where it lies, if so
 * @return ST_OK or ST_ENOMEM
 */
status_t class_region_find(class_region_scratch_t *s, class_region_sequence_t read,
                           class_region_sequence_t ref, bool *found,
                           class_region_t *out) MUST_CHECK;

/* What reads are, compared with the references. */
typedef enum {
    CLASS_REGION_WHOLE,  /* as long: what training has learned holds for them */
    CLASS_REGION_PART,   /* some of the bases of references */
    CLASS_REGION_LONGER, /* the references are some of the bases of reads */
    CLASS_REGION_UNLIKE  /* reads are not found in the references, nor these in them */
} class_region_kind_t;

/* Reads and the parts of references that are like them. */
typedef struct {
    class_region_kind_t kind;
    int64_t read_len, ref_len; /* medians of those that were compared */
    class_region_t region;     /* CLASS_REGION_PART: medians of the parts */
    class_train_t train; /* CLASS_REGION_PART: the references that have such parts */
    seqset_t *parts;     /* [train.n] of each */
} class_region_parts_t;

/*
 * Find out what reads are, and cut parts like them out of references.
 *
 * Each part is where one of the reads, drawn at random, lies in a reference, drawn at
 * random; so parts differ in place and length as the reads do.
 *
 * @param model         only its references and classes are used; borrowed by out->train
 * @param both_strands  reads may be reverse-complemented
 * @param n_parts       maximum number of parts
 * @param out           freed by class_region_parts_free
 * @return ST_OK or ST_ENOMEM
 */
status_t class_region_cut(const nbc_model_t *model, const seqset_t *reads,
                          bool both_strands, int64_t n_parts, uint64_t seed,
                          class_region_parts_t *out) MUST_CHECK;

void class_region_parts_free(class_region_parts_t *p);
