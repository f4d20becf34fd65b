/*
 * logmsg.h - messages to stderr, one line each, never interleaved.
 *
 * A line starts with the name of the program and, if there are several ranks, the rank.
 * On a terminal the last line may be a progress bar; messages are written above it.
 * All functions are thread-safe.
 */
#pragma once

#include "io/base/status.h"

#include <stdbool.h>

typedef enum { LOG_QUIET = 0, LOG_NORMAL = 1, LOG_VERBOSE = 2 } log_level_t;

#define PRINTF_LIKE(a, b) __attribute__((format(printf, a, b)))

/* Set the verbosity; errors are always logged. */
void log_set_level(log_level_t level);
log_level_t log_level(void);

/* The name of the program, which lines start with: "ribogrid". */
void log_set_program(const char *name);
const char *log_program(void);

/* Prefix lines with this rank; -1: no prefix. */
void log_set_rank(int rank);

/* Keep messages, as all ranks read the same command line and one reports its errors.
 * log_release writes or drops them, and ends that; a call too many does nothing. */
void log_hold(void);
void log_release(bool write);
bool log_is_held(void);

/* Takes the messages of threads in place of stderr: each is one line of text without the
 * program's name, of an error LOG_QUIET.  Any of these threads may call `take`, several
 * at a time. */
typedef struct log_sink_t {
    void (*take)(struct log_sink_t *sink, log_level_t level, const char *text);
} log_sink_t;

/*
 * Set where the messages of this thread go, and of threads that it starts (thread_start).
 *
 * @param sink  borrowed until it is replaced and these threads have ended; NULL: stderr
 * @return the one before
 */
log_sink_t *log_set_sink(log_sink_t *sink);

/* @return that of this thread */
log_sink_t *log_sink(void);

/* Log a line from a level on, after a label; for the macros below. */
void log_line(log_level_t min_level, const char *label, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* Log what went wrong and what to do about it. */
#define log_error(...) log_line(LOG_QUIET, "", __VA_ARGS__)

/* Log what the user may not expect; silent under -q. */
#define log_warn(...) log_line(LOG_NORMAL, "warning: ", __VA_ARGS__)

/* Log what the program does; silent under -q. */
#define log_info(...) log_line(LOG_NORMAL, "", __VA_ARGS__)

/* Log details, such as the reasons of decisions; only under -v. */
#define log_verbose(...) log_line(LOG_VERBOSE, "", __VA_ARGS__)

/*
 * Log, under -v, how long the parts of something took: "started in 0.91 s: MPI 0.30,
 * input 0.20, kernels 0.41".  Each thread has parts of its own.
 *
 * log_phase notes that a part has ended, which began where the one before it ended or at
 * log_phases_begin; log_phases_end logs all of them.  Without log_phases_begin the other
 * two do nothing.
 */
void log_phases_begin(void);
void log_phase(const char *name);
void log_phases_end(const char *what);

/* Log why a file is refused: "PATH: REASON; REMEDY".
 * @return ST_EINPUT, for the caller to return */
status_t log_refusal(const char *path, const char *remedy, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* Log that there is no memory for `what`. @return ST_ENOMEM, for the caller to return */
status_t log_nomem(const char *what);

/* Show text as the progress bar, or remove it (NULL).  Requires log_has_terminal. */
void log_bar(const char *text);

/* @param columns  the width of the terminal; may be NULL
 * @return whether stderr is a terminal */
bool log_has_terminal(int *columns);
