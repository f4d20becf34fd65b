/*
 * net_key.h - keys of a network's text: what values they take, and where these go.
 */
#ifndef RIBOGRID_CNN_NET_NET_KEY_H
#define RIBOGRID_CNN_NET_NET_KEY_H

#include "io/base/status.h"

#include <stddef.h>
#include <stdint.h>

/* The text, for messages. */
typedef struct {
    const char *name; /* of the file, or of a shipped net */
    int line;         /* being read, from 1; 0: the whole text */
} net_source_t;

/* Log an error as "NAME:LINE: ...". @return ST_EINPUT */
status_t net_refuse(const net_source_t *source, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* How the weights of a layer are drawn; fan_in is the number of products per output. */
typedef enum {
    CNN_INIT_DEFAULT,  /* that of the net */
    CNN_INIT_XAVIER,   /* uniform within +-sqrt(3 / fan_in), as Caffe's */
    CNN_INIT_HE,       /* normal, of variance 2 / fan_in */
    CNN_INIT_GAUSSIAN, /* normal, of standard deviation `value` */
    CNN_INIT_CONSTANT  /* all `value` */
} cnn_init_kind_t;

typedef struct {
    cnn_init_kind_t kind;
    double value;
} cnn_init_t;

typedef enum {
    NET_INT,    /* int from min to max */
    NET_REAL,   /* double from min to max */
    NET_PAIR,   /* int[2], height and width: "3", or "3x5" */
    NET_BOOL,   /* bool: "yes" or "no" */
    NET_CHOICE, /* an enum: the index of the word among `words`, "sgd|adam" */
    NET_INIT,   /* cnn_init_t: "xavier", "he", "gaussian:0.01" or "constant:0" */
    NET_IMAGE   /* int64_t[3]: "3x224x224" */
} net_value_t;

typedef struct {
    const char *name; /* NULL: the end of a table */
    net_value_t kind;
    size_t at;       /* offset in the structure that is written */
    double min, max; /* of numbers, both included */
    const char *words;
} net_key_t;

/* @return the index of a key in a table, -1: there is none of this name */
int net_key_find(const net_key_t *keys, const char *name);

/*
 * Write a value to its place in a structure.
 *
 * @param given  bit i is set for key i, which must not have been given before
 * @return ST_OK or ST_EINPUT (logged)
 */
status_t net_key_set(const net_source_t *source, const net_key_t *keys, int key,
                     const char *value, void *to, uint64_t *given) MUST_CHECK;

#endif
