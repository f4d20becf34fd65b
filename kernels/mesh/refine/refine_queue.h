/*
 * refine_queue.h - triangles that wait for refinement, those of shorter edges first.
 *
 * Classes of lengths are half an octave wide; within one, first in, first out.
 */
#pragma once

#include "io/base/status.h"

#include <stddef.h>
#include <stdint.h>

/* A triangle as it was when it was found; it is out of date once its version differs. */
typedef struct {
    int32_t tri;
    uint32_t version;
} refine_entry_t;

/* Bits of a key that make no difference of a class; classes. */
enum { REFINE_KEY_SHIFT = 20, REFINE_CLASSES = 1 << 12 };

typedef struct {
    refine_entry_t *entry;
    int64_t begin, end, capacity;
} refine_class_t;

typedef struct {
    refine_class_t *classes; /* [REFINE_CLASSES] */
    int lowest;              /* classes below are empty */
} refine_queue_t;

/* @return ST_OK or ST_ENOMEM (logged) */
status_t refine_queue_create(refine_queue_t *q) MUST_CHECK;

/* Takes a zeroed one, too. */
void refine_queue_free(refine_queue_t *q);

/* @return ST_OK or ST_ENOMEM (logged) */
status_t refine_queue_push(refine_queue_t *q, uint32_t key, int32_t tri,
                           uint32_t version) MUST_CHECK;

/* @return the class to refine next, or NULL if all are empty */
refine_class_t *refine_queue_lowest(refine_queue_t *q);
