/*
 * child.h - runs code that reads result files in a process of its own, so that a damaged
 * file can do no more than end that process.
 *
 * A damaged or hostile HDF5 file may crash HDF5, keep it busy for ever, or make it
 * allocate all memory.  The child is forked before MPI, CUDA and threads begin, but for
 * that of a guest.  Its
 * memory and its time without progress are limited; it dies with its parent.  One line
 * says how it ended.
 *
 * Code that may run for seconds calls child_tick; code that opens a result file calls
 * child_reads.  Both do nothing in a process that is no child.
 */
#pragma once

#include "io/base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Note that progress was made.  Any thread may call it; it costs nanoseconds. */
void child_tick(void);

/* The same in a loop of short turns, which are counted. */
static inline void child_tick_turn(int64_t turn)
{
    if (turn % 256 == 0)
        child_tick();
}

/* Note which result file is read from now on, for the message about the child's end. */
void child_reads(const char *path);

/* What a child may take, in proportion to its files. */
typedef struct {
    int64_t memory_bytes;
    double seconds; /* of computing without progress; RIBOGRID_STALL_SECONDS: any */
    /* The process is not ours: its signals and buffers are left alone, and memory that it
     * has does not count.  The child has only the thread that forks it. */
    bool is_guest;
} child_limits_t;

/*
 * The limits of a child that reads files.
 *
 * @param words          [n] the command line; those that name files, also as
 * --option=FILE, count by the size of the file
 * @param machine_bytes  the maximum of memory
 */
child_limits_t child_limits(int n, char *const *words, int64_t machine_bytes);

/*
 * Run a command in a child and wait for it.
 *
 * Signals are passed on to the child.  If one of them ends it, this process raises the
 * same one, so that shells and schedulers see no difference.
 *
 * @param fn  the command; the child exits with what it returns
 * @return the exit code of the child, or EXIT_FAILED (logged) if it did not exit by
 * itself
 */
int child_run(const child_limits_t *limits, int (*fn)(int, char **), int argc,
              char **argv);

/* A running child, as its parent sees it. */
typedef struct {
    pid_t pid;
    uint64_t ticks;       /* that were seen last */
    double cpu_s, wall_s; /* when it was watched last */
    double busy_s;        /* that it has been computing since the last progress */
    double limit_s;       /* of busy_s */
    bool was_stalled;     /* it was killed for that */
} child_t;

/*
 * Fork.  The child gets its limits.  A process has one child at a time.
 *
 * @param out  out: the child; pid is 0 in the child itself
 * @return ST_OK, ST_ENOMEM or ST_EIO (logged)
 */
status_t child_fork(const child_limits_t *limits, child_t *out) MUST_CHECK;

/* How often a parent that waits should call child_watch, in seconds. */
double child_watch_s(const child_t *child);

/* Kill the child if it has computed for too long without progress. */
void child_watch(child_t *child);

/*
 * Log how the child ended, if it did not exit by itself.
 *
 * @param wait_status  of waitpid
 * @return its exit code, or EXIT_FAILED (logged)
 */
int child_ended(const child_t *child, int wait_status);
