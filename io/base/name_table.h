/*
 * name_table.h - names and their numbers, in the order in which they came.
 */
#ifndef RIBOGRID_IO_BASE_NAME_TABLE_H
#define RIBOGRID_IO_BASE_NAME_TABLE_H

#include "io/base/buf.h"

#include <stdbool.h>
#include <stdint.h>

/* A zeroed one is empty. */
typedef struct {
    int64_t n;
    buf_t text;     /* the names, each with its final NUL */
    buf_t starts;   /* int64_t [n] where each name starts in the text */
    int64_t *slots; /* [n_slots] open addressing; -1 where empty, never full */
    int64_t n_slots;
} name_table_t;

/*
 * Give a name its number, the next one if it is new.
 *
 * @param name    [len] bytes, no NUL among them
 * @param number  0..n-1
 * @param is_new  may be NULL
 * @return ST_OK or ST_ENOMEM
 */
status_t name_table_add(name_table_t *t, const char *name, size_t len, int64_t *number,
                        bool *is_new) MUST_CHECK;

/* @return the name's number, or -1 if there is none such */
int64_t name_table_find(const name_table_t *t, const char *name, size_t len);

/* @return name `number`, the table's until the next name_table_add */
const char *name_table_at(const name_table_t *t, int64_t number);

/* Give the memory back; the table is empty then. */
void name_table_free(name_table_t *t);

#endif
