/*
 * name_table.h - numbers distinct names from 0 in the order in which they are added.
 */
#pragma once

#include "io/base/buf.h"

#include <stdbool.h>
#include <stdint.h>

/* A zeroed table is empty. */
typedef struct {
    int64_t n;
    buf_t text;     /* the names, each with its final NUL */
    buf_t starts;   /* int64_t [n] offset of each name in the text */
    int64_t *slots; /* [n_slots] hash table of numbers; -1: empty */
    int64_t n_slots;
} name_table_t;

/*
 * Look up the number of a name, adding the name if it is new.
 *
 * @param name    [len] bytes without a NUL
 * @param number  0..n-1
 * @param is_new  may be NULL
 * @return ST_OK or ST_ENOMEM
 */
status_t name_table_add(name_table_t *t, const char *name, size_t len, int64_t *number,
                        bool *is_new) MUST_CHECK;

/* @return the number of a name, or -1 if it is not in the table */
int64_t name_table_find(const name_table_t *t, const char *name, size_t len);

/* @return the name with this number; valid until the next name_table_add */
const char *name_table_at(const name_table_t *t, int64_t number);

/* Free the memory; the table is empty afterwards. */
void name_table_free(name_table_t *t);
