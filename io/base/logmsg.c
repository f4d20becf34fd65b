/*
 * logmsg.c - one write(2) per message, under a lock.
 */
#include "io/base/logmsg.h"

#include "io/base/clock.h"
#include "io/base/status.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    LINE_MAX_BYTES = 4096,
    BAR_MAX_BYTES = 512,
    PHASES_BYTES = 512,
    HELD_BYTES = 2 * LINE_MAX_BYTES /* of messages before a run begins */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static log_level_t current_level = LOG_NORMAL;
static const char *program = "ribogrid";
static int current_rank = -1;
static char bar[BAR_MAX_BYTES];

static _Thread_local log_sink_t *current_sink;

static struct {
    bool is_on;
    size_t len;
    char text[HELD_BYTES];
} held;

static _Thread_local struct {
    double begin_s, last_s; /* clock_now_s; 0: not begun */
    char text[PHASES_BYTES];
} phases;

void log_set_level(log_level_t level)
{
    current_level = level;
}

log_level_t log_level(void)
{
    return current_level;
}

void log_set_program(const char *name)
{
    program = name;
}

const char *log_program(void)
{
    return program;
}

void log_set_rank(int rank)
{
    current_rank = rank;
}

static void write_all(const char *text, size_t len)
{
    while (len > 0) {
        ssize_t n = write(STDERR_FILENO, text, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return; /* stderr is gone: there is nowhere to report it */
        text += n;
        len -= (size_t)n;
    }
}

/* Under the lock.  What exceeds the memory for kept messages is written at once. */
static void write_or_hold(const char *text, size_t len)
{
    if (!held.is_on || len > sizeof(held.text) - held.len) {
        write_all(text, len);
        return;
    }
    memcpy(held.text + held.len, text, len);
    held.len += len;
}

void log_hold(void)
{
    held.is_on = true;
}

bool log_is_held(void)
{
    return held.is_on;
}

void log_release(bool write)
{
    pthread_mutex_lock(&lock);
    if (write)
        write_all(held.text, held.len);
    held.is_on = false;
    held.len = 0;
    pthread_mutex_unlock(&lock);
}

/* A message is one line, whatever names and values it quotes. */
static void replace_controls(char *text, int len)
{
    for (int i = 0; i < len; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            text[i] = '?';
}

log_sink_t *log_set_sink(log_sink_t *sink)
{
    log_sink_t *before = current_sink;

    current_sink = sink;
    return before;
}

log_sink_t *log_sink(void)
{
    return current_sink;
}

static void give_sink(log_level_t level, const char *label, const char *fmt, va_list args)
{
    char text[LINE_MAX_BYTES];
    const int len = snprintf(text, sizeof(text), "%s", label);

    vsnprintf(text + len, sizeof(text) - (size_t)len, fmt, args);
    replace_controls(text, (int)strlen(text));
    current_sink->take(current_sink, level, text);
}

/* Write a message with a single call, so that lines of several ranks do not interleave.
 */
void log_line(log_level_t min_level, const char *label, const char *fmt, ...)
{
    char line[LINE_MAX_BYTES + BAR_MAX_BYTES + 16];
    int len = 0, start;
    va_list args;

    if (current_level < min_level)
        return;
    if (current_sink != NULL) {
        va_start(args, fmt);
        give_sink(min_level, label, fmt, args);
        va_end(args);
        return;
    }
    pthread_mutex_lock(&lock);
    if (bar[0] != '\0')
        len += snprintf(line, sizeof(line), "\r\033[K");
    start = len;
    if (current_rank >= 0)
        len += snprintf(line + len, LINE_MAX_BYTES - (size_t)len, "%s[%d]: %s", program,
                        current_rank, label);
    else
        len +=
            snprintf(line + len, LINE_MAX_BYTES - (size_t)len, "%s: %s", program, label);
    va_start(args, fmt);
    len += vsnprintf(line + len, LINE_MAX_BYTES - (size_t)len, fmt, args);
    va_end(args);
    if (len > LINE_MAX_BYTES - 1)
        len = LINE_MAX_BYTES - 1;
    replace_controls(line + start, len - start);
    len += snprintf(line + len, sizeof(line) - (size_t)len, "\n%s", bar);
    write_or_hold(line, (size_t)len);
    pthread_mutex_unlock(&lock);
}

void log_phases_begin(void)
{
    phases.begin_s = phases.last_s = clock_now_s();
    phases.text[0] = '\0';
}

void log_phase(const char *name)
{
    size_t len = strlen(phases.text);
    double now = clock_now_s();

    if (phases.begin_s == 0)
        return;
    snprintf(phases.text + len, sizeof(phases.text) - len, "%s %s %.2f",
             len == 0 ? ":" : ",", name, now - phases.last_s);
    phases.last_s = now;
}

void log_phases_end(const char *what)
{
    if (phases.begin_s != 0)
        log_verbose("%s in %.2f s%s", what, clock_now_s() - phases.begin_s, phases.text);
    phases.begin_s = 0;
}

status_t log_refusal(const char *path, const char *remedy, const char *fmt, ...)
{
    char reason[LINE_MAX_BYTES];
    va_list args;

    va_start(args, fmt);
    vsnprintf(reason, sizeof(reason), fmt, args);
    va_end(args);
    log_error("%s: %s; %s", path, reason, remedy);
    return ST_EINPUT;
}

status_t log_nomem(const char *what)
{
    log_error("out of memory for %s; give the job more memory or a smaller input", what);
    return ST_ENOMEM;
}

void log_bar(const char *text)
{
    char line[BAR_MAX_BYTES + 16];
    int len;

    pthread_mutex_lock(&lock);
    if (text != NULL || bar[0] != '\0') {
        snprintf(bar, sizeof(bar), "%s", text != NULL ? text : "");
        len = snprintf(line, sizeof(line), "\r\033[K%s", bar);
        write_all(line, (size_t)len);
    }
    pthread_mutex_unlock(&lock);
}

bool log_has_terminal(int *columns)
{
    struct winsize size;

    if (!isatty(STDERR_FILENO))
        return false;
    if (columns != NULL)
        *columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0
                       ? size.ws_col
                       : 80;
    return true;
}

/* ---- exit codes ---- */

int status_exit_code(status_t st)
{
    switch (st) {
    case ST_OK:
    case ST_EDONE:
        return EXIT_OK;
    case ST_EUSAGE:
        return EXIT_USAGE;
    case ST_ESTOPPED:
        return EXIT_RESUMABLE;
    default:
        return EXIT_FAILED;
    }
}
