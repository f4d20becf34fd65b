/*
 * cnn_backend.h - the interface of what runs a program: steps and tensors in, tensors
 * out.
 *
 * The backend "serial" (kernels/cnn/serial) is the definition; others differ by rounding
 * only, within the tolerances of docs/cnn.md.  A backend gives the same bytes whenever it
 * runs the same program on the same device with the same choices of algorithms.
 */
#pragma once

#include "io/base/buf.h"
#include "io/base/pool.h"
#include "kernels/cnn/common/cnn_program.h"
#include "kernels/device/backend.h"

/* Borrowed until the backend is destroyed. */
typedef struct {
    const device_t *device;
    pool_t *pool; /* NULL: the caller alone */
    const cnn_program_t *program;
    bool any_order;      /* sums may depend on the order of arrival; benchmarks only */
    bool fills_gaps;     /* CPUs: memory that a tensor leaves is filled with NaN; tests */
    bool is_beside;      /* CPUs: only steps that are placed on the host run, ... */
    void *swap;          /* ... in this swap area, which is the caller's */
    size_t memory_bytes; /* that the network may take on the device; 0: no limit */
    size_t workspace_bytes; /* limit of a step's scratch memory; 0: the backend's */
    const char *choices;    /* what `choices` wrote in an earlier run, to be taken again;
                             * NULL: measure */
    const char *hints;      /* likewise, but what cannot be taken is measured; or NULL */
} cnn_context_t;

/* What changes from one iteration to the next. */
typedef struct {
    int64_t iteration; /* counted from 0, over all epochs */
    uint64_t seed;
    double rate;         /* of learning */
    int64_t first_image; /* number of this rank's first image in the whole batch */
    int64_t n_images;    /* of the whole batch, on all ranks: divides loss and gradient */
} cnn_iteration_t;

enum { CNN_SIDE_HOST_MAX = 4 };

/*
 * What a GPU has besides: images as bytes, and a second stream for what runs beside the
 * steps: sums over several ranks, in the device's memory or by way of the host's.
 */
typedef struct {
    /* As `write`, of a tensor of CNN_F32 from bytes, each of which is divided by 256.  A
     * quarter of the memory is read, and copied to the device. */
    status_t (*write_bytes)(void *state, int tensor, const uint8_t *from);

    /* @return where a tensor lies on the device; its elements have the same order on all
     * GPUs that run the program with this backend */
    void *(*address)(void *state, int tensor);

    /* Get the stream (a cudaStream_t): what is enqueued there waits for the steps begun
     * so far.  After join, later steps wait for what is there so far. */
    status_t (*fork)(void *state, void **stream);
    status_t (*join)(void *state);

    /* Begin steps [first, last), which are updates, on that stream, likewise. */
    status_t (*update)(void *state, int first, int last);

    /* Allocate memory of the host, 0, between which and the device copies are fast and
     * run beside the steps. @param out  the backend's until it is destroyed @return
     * ST_OK, ST_ENOMEM (also after CNN_SIDE_HOST_MAX calls) or ST_ELOST */
    status_t (*host_alloc)(void *state, size_t bytes, void **out);

    /* Copy tensors to such memory, one behind the other, as `read` does, when the steps
     * begun so far are complete, and beside later ones.  read_end waits for a copy.
     * @param copy  a number below that of the program's steps, of one copy at a time */
    status_t (*read_begin)(void *state, int copy, const int *tensors, int n, void *to);
    status_t (*read_end)(void *state, int copy);
} cnn_side_t;

typedef struct {
    backend_t base; /* rate: operations */

    /* @return whether it runs all steps of the program */
    bool (*takes)(const cnn_context_t *context);

    /* @return bytes on the device that it needs beside the arena, whatever copies from
     * and to the swap area the program has @param n_threads  of the pool that it will
     * have */
    size_t (*scratch)(const cnn_context_t *context, int n_threads);

    /* Allocate all tensors, filled with 0, and choose algorithms. @return ST_OK,
     * ST_ENOMEM, ST_EDEVICE (not enough memory there) or ST_ELOST */
    status_t (*create)(const cnn_context_t *context, void **state);

    /* Copy a whole tensor from or to the host, in its own type.  write returns when
     * `from` may be changed. */
    status_t (*write)(void *state, int tensor, const void *from);
    status_t (*read)(void *state, int tensor, void *to);

    /* Run steps [first, last) without waiting for them; none exchanges. @return
     * ST_OK, ST_ENOMEM or ST_ELOST */
    status_t (*run)(void *state, int first, int last, const cnn_iteration_t *i);

    /* Wait for all that was begun. */
    status_t (*wait)(void *state);

    /* Append the choices of algorithms as text, one line per step that has any. */
    status_t (*choices)(void *state, buf_t *out);

    /* Takes NULL. */
    void (*destroy)(void *state);

    /* NULL: every step runs alone.
     * @return the end of those of steps [first, last) that run as one with step `first`
     */
    int (*group)(void *state, int first, int last);

    const cnn_side_t *side; /* NULL: of the CPU, whose steps are complete when run
                             * returns */

    /* [any thread; NULL: there are none] Load libraries, so that create does not have to;
     * what is missing there fails. */
    void (*load)(void);
} cnn_backend_t;

/* The textbook's loops on one thread, in double arithmetic, rounded to a tensor's type
 * when a step ends: the definition of all results. */
extern const cnn_backend_t serial_cnn_backend;

/* 32 bits on the threads of a pool, with OpenBLAS. */
extern const cnn_backend_t cpu_cnn_backend;

/*
 * Convolutions by cuDNN, fully connected layers by cuBLAS, LRN by cuDNN's old API, all
 * else by the kernels of kernels/cnn/cuda.
 *
 * It takes programs of 32-bit floats, strict or with TF32 factors, and of bf16; with TF32
 * and bf16 tensors are channels-last on the device.  Algorithms are measured when a state
 * is created and are deterministic ones unless the context says any_order.  Beside the
 * program's tensors there is scratch memory, within the context's limit per lane.
 */
extern const cnn_backend_t cudnn_cnn_backend;

/* Our own kernels for all operations.  It takes the programs that "cudnn" takes, and
 * keeps all tensors channels-last.  It has no choices of algorithms: they follow from the
 * sizes. */
extern const cnn_backend_t native_cnn_backend;

/* cnn_check.c: whether a program keeps the rules of cnn_op.h and cnn_program.h. */

/*
 * Check that every step has the tensors that its operation takes, with sizes that follow
 * from each other and from its parameters; that no two tensors of the arena or of the
 * swap area which are there at the same step overlap; and that every value that a step
 * reads is there, and the newest of its copies, also when the program runs again.  For
 * tests and for backends in debug builds.
 *
 * @param why  NULL, or gets the first violation as text, without a NUL
 * @return whether there is none
 */
bool cnn_program_check(const cnn_program_t *program, buf_t *why);
