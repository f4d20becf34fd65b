/*
 * result_field.h - what the writer and the reader of tables share: types, and where a
 * field is in a file.
 */
#ifndef RIBOGRID_IO_RESULT_RESULT_FIELD_H
#define RIBOGRID_IO_RESULT_RESULT_FIELD_H

#include "io/result/result_table.h"

enum { RESULT_NAME_BYTES = 64 };

/* Where an attribute or a dataset is: "/run@seconds" is `seconds` of the group "/run". */
typedef struct {
    char group[RESULT_NAME_BYTES]; /* "/": the root */
    char name[RESULT_NAME_BYTES];
} result_place_t;

result_place_t result_field_place(const char *name);

static inline bool result_field_is_attribute(const result_field_t *f)
{
    return f->type <= RESULT_FRACTION;
}

static inline int result_field_rank(const result_field_t *f)
{
    return f->shape[1] != 0 ? 2 : 1;
}

/* @return the type of numbers in memory, or in the file */
hid_t result_field_memory_type(result_type_t type);
hid_t result_field_file_type(result_type_t type);

/* @return the member of an object */
static inline void *result_field_member(const result_field_t *f, const void *object)
{
    return (char *)(uintptr_t)object + f->at;
}

#endif
