/*
 * backend.h - what all backends have in common, tables of them, and the choice of one.
 *
 * A backend is a struct of functions that computes one thing on one kind of device:
 * alignments, graphs, names of reads, networks, filters.  Each such struct begins with a
 * backend_t, and a table lists the backends of one thing, the preferred ones first.  The
 * tables are in kernels/registry/backends.h.
 */
#pragma once

#include "io/base/near_word.h"
#include "io/base/pool.h"
#include "kernels/device/device.h"

typedef struct {
    const char *name; /* unique among the backends of a table and a kind of device */
    device_kind_t kind;
    double rate; /* of one core or GPU, roughly, in the job's unit of work per second: the
                  * guess before anything is measured; 0: not known */
} backend_t;

typedef struct {
    const char *name;             /* "graph" */
    const backend_t *const *rows; /* the preferred ones first, then NULL */

    /* @return whether a row computes what the context describes, on the context's device,
     * which is of the row's kind */
    bool (*takes)(const backend_t *row, const void *context);

    /* @return ST_OK, ST_ENOMEM, ST_EDEVICE (too little memory there) or ST_ELOST */
    status_t (*create)(const backend_t *row, const void *context, void **state);

    /* Log why no row of the device takes the context, and what to do. */
    void (*refuse)(const void *context);
} backend_table_t;

/* Names: as of --kernel; NULL and "auto" stand for any. */

/* @return the first row of a name and a kind of device, or NULL */
const backend_t *backend_find(const backend_table_t *table, const char *name,
                              device_kind_t kind);

/* @return the kinds of devices that have a row of a name; bits of DEVICE_BIT */
unsigned backend_kinds(const backend_table_t *table, const char *name);

/* @return `out`: "; did you mean simd?", or "" if no row has a name like this one */
const char *backend_guess(const backend_table_t *table, const char *name,
                          char out[NEAR_WORD_BYTES]);

/* @return a name, or NULL where a kind of device has no row of it: a CPU that took over
 * from a lost GPU has no kernel of the GPU's name */
const char *backend_name_on(const backend_table_t *table, const char *name,
                            device_kind_t kind);

/* @return the expected rate on the whole device, a CPU with the threads of a pool */
double backend_rate(const backend_t *row, const pool_t *pool);

/* Log that a kind of device has no row of this name, and which it has. @return ST_EUSAGE
 */
status_t backend_refuse_name(const backend_table_t *table, const char *name,
                             device_kind_t kind);

/* Log that the CPU computes what a device cannot.
 * @param cause  "no kernel" @param what  "such alignments" */
void backend_log_fallback(const device_t *device, const char *cause, const char *what,
                          const backend_t *on_cpu);

typedef struct {
    const char *name;
    const device_t *device; /* that of the context */
    device_t *fallback;     /* the same one, if it may become the CPU where a GPU has no
                             * row, or too little memory; else NULL */
    const char *what;       /* is computed then: "such alignments" */
} backend_request_t;

/*
 * Choose the first row that takes a context.
 *
 * @return ST_OK, or ST_EUSAGE (logged): there is no such row, or none takes the context
 */
status_t backend_choose(const backend_table_t *table, const backend_request_t *request,
                        const void *context, const backend_t **out) MUST_CHECK;

/*
 * Choose a row and create its state; where a GPU cannot and may be replaced, on the CPU.
 *
 * @return ST_OK, or an error of choosing or creating
 */
status_t backend_open(const backend_table_t *table, const backend_request_t *request,
                      const void *context, const backend_t **out,
                      void **state) MUST_CHECK;
