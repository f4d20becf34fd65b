/*
 * input_guard.h - the files that this command reads, so that none of them is written.
 *
 * A file is known by its device and inode: other paths, symbolic links and hard links to
 * an input count as that input.  One list for the whole process; the main thread alone
 * uses it, before and after the other threads run.
 */
#ifndef RIBOGRID_IO_FILE_INPUT_GUARD_H
#define RIBOGRID_IO_FILE_INPUT_GUARD_H

#include "io/base/status.h"

/*
 * Add an input.
 *
 * Files that do not exist, pipes and devices are left out: who reads them reports what is
 * wrong with them.
 *
 * @param path  kept for messages, not copied; "-" is stdin
 * @return ST_OK or ST_ENOMEM
 */
status_t input_guard_add(const char *path) MUST_CHECK;

/* Refuse an output that is one of the inputs. @return ST_OK or ST_EINPUT (logged) */
status_t input_guard_check(const char *path) MUST_CHECK;

/* The same for stdout, which a shell may have opened for appending.
 * @return ST_OK or ST_EINPUT (logged) */
status_t input_guard_check_stdout(void) MUST_CHECK;

/* Empty the list. */
void input_guard_clear(void);

#endif
