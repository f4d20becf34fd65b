/*
 * dpc_write.h - writes the translated file.
 *
 * A kernel that has launches with a pragma, or waits, keeps its name and parameters.  If
 * it waits, its first thread launches NAME_dp_0 with the same sizes, which does the work
 * up to the first wait; NAME_dp_1, a tail launch of it, does the rest, and so on.  Each
 * thread saves its variables in NAME_dp_state.  A consolidated child runs from a set of
 * items, NAME_dp_set, each of which stands for one launch.
 */
#pragma once

#include "io/base/buf.h"
#include "tools/dpc/dpc_live.h"

/* A text that grows; the first error stays. */
typedef struct {
    buf_t buf;
    status_t st;
} dpc_text_t;

void dpc_say(dpc_text_t *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

enum { DPC_ID_BYTES = 256, DPC_TEMPLATE_BYTES = 1024 };

/* @return whether all items of a child have the same number of units, which are threads,
 * or blocks where these are needed */
static inline bool dpc_are_equal(const dpc_kernel_t *k)
{
    return k->is_uniform_grid && (k->needs_block || k->is_uniform_block);
}

/* Names for what is written of a kernel. */
typedef struct {
    char id[DPC_ID_BYTES];              /* "child_dp" */
    char head[DPC_TEMPLATE_BYTES];      /* "template <class T>\n", or "" */
    char arguments[DPC_TEMPLATE_BYTES]; /* "<T>", or "" */
} dpc_names_t;

/* A part of a kernel: up to a wait, or behind it. */
typedef struct {
    int group;    /* of waits in the same statement of the body, by its first wait; -1:
                   * the first part */
    bool is_last; /* of the group: the next part waits elsewhere */
} dpc_part_t;

enum { DPC_PARTS_MAX = 32 };

typedef struct {
    const dpc_model_t *m;
    int64_t pool_bytes;
    bool is_item; /* code of an item's thread, which calls copies of functions */
    dpc_text_t *to;
} dpc_write_t;

/* ---- dpc_text.c ---- */

/* Write a part of the file. */
void dpc_render_source(const dpc_write_t *w, size_t begin, size_t end);

/* Write a function again, with the place of an item's thread as first parameter. */
void dpc_render_copy(const dpc_write_t *w, const dpc_function_t *f);

/* Write how the lines are numbered from here on: as in the file from an offset on. */
void dpc_render_line(const dpc_write_t *w, size_t at);

/* Write a variable's declaration without its value: "int a[4]". */
void dpc_render_variable(dpc_text_t *to, const char *type, const char *prefix,
                         const char *name, bool keep_const);

/* Write a type without a const of its own to `out`. */
enum { DPC_TYPE_BYTES = 1024 };
void dpc_plain_type(const char *type, char *out, size_t bytes);

/* ---- dpc_render.c ---- */

/* List the parts of a kernel. @return how many; 0: too many waits (logged) */
int dpc_parts(const dpc_model_t *m, const dpc_kernel_t *k, dpc_part_t out[DPC_PARTS_MAX]);

/* The variables of an item's thread. */
#define DPC_PLACE                                                               \
    "    const uint3 threadIdx = dp.thread_index, blockIdx = dp.block_index;\n" \
    "    const dim3 blockDim = dp.block, gridDim = dp.grid;\n"

/* Write the structure of a kernel's saved variables. */
void dpc_render_state(const dpc_write_t *w, const dpc_kernel_t *k, const dpc_names_t *n);

/* Write a part's code, with its braces; the saved variables are *dp_state. */
void dpc_render_part(const dpc_write_t *w, const dpc_kernel_t *k, const dpc_part_t *part);

/* ---- dpc_template.c ---- */

/* Find the names of a kernel. @return ST_OK or ST_EINPUT (logged) */
status_t dpc_names(const dpc_model_t *m, const dpc_kernel_t *k,
                   dpc_names_t *out) MUST_CHECK;

/* Find the template arguments of a consolidated launch of kernel `parent`: those that it
 * writes, those that follow from variables, and default values.
 *
 * @param out  "<float, 4>"; "": the child is no template
 * @return ST_OK or ST_EINPUT (logged) */
status_t dpc_template_arguments(const dpc_model_t *m, const dpc_kernel_t *parent,
                                const dpc_launch_t *l,
                                char out[DPC_TEMPLATE_BYTES]) MUST_CHECK;

/* ---- dpc_launch.c ---- */

/* Write a kernel's parameters, "int *a, int n", or their names, "a, n". */
void dpc_parameters(const dpc_write_t *w, const dpc_kernel_t *k, bool with_types,
                    const char *before);

/* Declare the items of a child, and the functions that add and launch them. */
void dpc_declare_child(const dpc_write_t *w, const dpc_kernel_t *k);

/* Declare the function that makes an item of a launch as it is. */
void dpc_declare_put(const dpc_write_t *w, const dpc_kernel_t *k);

/* Write these functions, behind the child's first part. */
void dpc_write_child(const dpc_write_t *w, const dpc_kernel_t *k);

/* Write the call that takes the place of a consolidated launch. */
void dpc_write_add(const dpc_write_t *w, const dpc_kernel_t *k, const dpc_launch_t *l);

/* Declare, and write, the functions that launch the items of a kernel's pragmas. */
void dpc_declare_go(const dpc_write_t *w, const dpc_kernel_t *k);
void dpc_write_go(const dpc_write_t *w, const dpc_kernel_t *k);

/* @return the bytes of shared memory that a block saves, as an expression, `out` */
enum { DPC_SHARED_BYTES = DPC_ID_BYTES + DPC_TEMPLATE_BYTES + 32 };
const char *dpc_shared_bytes(const dpc_write_t *w, const dpc_kernel_t *k,
                             const dpc_names_t *n, char out[DPC_SHARED_BYTES]);

/* Threads of a block of a consolidated launch, where a clause does not say. */
enum { DPC_THREADS = 256 };

/* ---- dpc_write.c ---- */

/*
 * Write the translated file.
 *
 * @param out  empty; freed by the caller, also after a failure
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (logged)
 */
status_t dpc_write(const dpc_model_t *m, int64_t pool_bytes, buf_t *out) MUST_CHECK;
