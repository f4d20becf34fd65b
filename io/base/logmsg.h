/*
 * logmsg.h - messages to stderr: one line each, whole, never interleaved with another's.
 *
 * A line starts with the program's name and, where there are several ranks, the rank.
 * On a terminal one last line may be a progress bar; messages are written above it.
 * Every function may be called by any thread.
 */
#ifndef RIBOGRID_IO_BASE_LOGMSG_H
#define RIBOGRID_IO_BASE_LOGMSG_H

#include "io/base/status.h"

#include <stdbool.h>

typedef enum { LOG_QUIET = 0, LOG_NORMAL = 1, LOG_VERBOSE = 2 } log_level_t;

#define PRINTF_LIKE(a, b) __attribute__((format(printf, a, b)))

/* Set how much is said; errors always are. */
void log_set_level(log_level_t level);
log_level_t log_level(void);

/* Name this rank in front of its lines; a negative rank names none. */
void log_set_rank(int rank);

/* What went wrong and what to do about it. */
void log_error(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* What may surprise; silent under -q. */
void log_warn(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* What is being done; silent under -q. */
void log_info(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* Why; only under -v. */
void log_verbose(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* Memory ran out while making `what`. @return ST_ENOMEM, so that a caller can return it
 */
status_t log_nomem(const char *what);

/* Show text as the bar (NULL: take it away).  Only where log_has_terminal. */
void log_bar(const char *text);

/* @return whether stderr is a terminal, and its width in columns if `columns` is not NULL
 */
bool log_has_terminal(int *columns);

#endif
