/*
 * child_reader.h - reads something in a child (child.h) and hands its bytes to the
 * parent, for jobs that use MPI, CUDA and threads: the child is forked before they begin,
 * and reads when it is asked to.
 */
#pragma once

#include "io/base/buf.h"
#include "io/base/child.h"

#include <stdint.h>

typedef struct child_reader child_reader_t;

/* Read. @param what  of child_fetch @param out  the question's details, usually none;
 * out: what was read, in their place */
typedef status_t (*child_reader_fn_t)(const void *arg, int what, buf_t *out);

/* What a reader may return: more is an error of the child. */
enum { CHILD_READER_BYTES = 1 << 28 };

/*
 * Fork the child, which waits.
 *
 * @param limits  of child_limits
 * @param arg     for fn, in the child's copy of this process's memory
 * @return ST_OK, ST_ENOMEM or ST_EIO
 */
status_t child_reader_start(const child_limits_t *limits, child_reader_fn_t fn,
                            const void *arg, child_reader_t **out) MUST_CHECK;

/*
 * Have the child read, now.  May be called again.
 *
 * @param what  for fn
 * @param out   details of the question for fn, usually none; out: what fn leaves there
 * @return what fn returns, ST_EINPUT if the child crashed or was killed (logged), or
 *         ST_ENOMEM
 */
status_t child_fetch(child_reader_t *reader, int what, buf_t *out) MUST_CHECK;

/* The same in two steps, between which the caller does something else: each question has
 * to be answered before the next one. */
status_t child_ask(child_reader_t *reader, int what, const buf_t *details) MUST_CHECK;
status_t child_answer(child_reader_t *reader, buf_t *out) MUST_CHECK;

/* End the child; nothing can be fetched any more. Takes NULL. */
void child_reader_stop(child_reader_t *reader);

/* Takes NULL. */
void child_reader_destroy(child_reader_t *reader);
