/*
 * rg_names.h - names that a classifier has given, as their files share them.
 */
#pragma once

#include "io/modelfile/class_result.h"
#include "library/rg_allocator.h"
#include "library/rg_model.h"
#include "library/rg_set.h"

struct rg_names {
    rg_allocator_t memory;
    class_result_t result; /* owns what set and model do not have */
    rg_set_t *set;         /* kept; NULL: the result was read from a file */
    rg_model_t *model;     /* kept; or NULL */
    int32_t *taxa;         /* [n][n_ranks] */
    int8_t *strands;       /* [n] */
    const void *supports;  /* uint16_t [n][n_ranks] view of the result's */
    const void *named;     /* uint8_t [n] likewise */
};

/* @return NULL: out of memory (logged) */
rg_names_t *rg_names_new(const rg_allocator_t *memory);

/* Make the arrays that follow from the result. @return ST_OK or ST_ENOMEM (logged) */
status_t rg_names_fill(rg_names_t *names) MUST_CHECK;
