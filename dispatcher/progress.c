/*
 * progress.c - how far a run is: a bar on a terminal, a line every 10 s in a log file.
 */
#include "dispatcher/progress.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "io/base/plural.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const double bar_every_s = 0.2, line_every_s = 10.0;

enum { BAR_CELLS = 20, TEXT_BYTES = 400 };

static const char *const units[] = {"", " k", " M", " G", " T", " P"};

/* Counts that are printed with less than six digits have no unit; others have one that
 * leaves at most three before the point. */
static int unit_of(double count)
{
    int unit = 0;

    if (count < 99999.5)
        return 0;
    for (; count >= 999.95 && unit < 5; unit++)
        count /= 1000;
    return unit;
}

/* Write a count in a unit, without its name. @return out */
static const char *in_unit(double count, int unit, char *out, size_t size)
{
    for (int k = 0; k < unit; k++)
        count /= 1000;
    snprintf(out, size, "%.*f", unit == 0 ? 0 : 1, count);
    return out;
}

const char *progress_count(double count, char *out, size_t size)
{
    int unit = unit_of(count);
    char number[24];

    snprintf(out, size, "%s%s", in_unit(count, unit, number, sizeof(number)),
             units[unit]);
    return out;
}

/* Write a part and the whole in one unit: "4.2/10.6 M". @return out */
static const char *part_of(int64_t part, int64_t whole, char *out, size_t size)
{
    int unit = unit_of((double)whole);
    char done[32], all[32];

    snprintf(out, size, "%s/%s%s", in_unit((double)part, unit, done, sizeof(done)),
             in_unit((double)whole, unit, all, sizeof(all)), units[unit]);
    return out;
}

static const char *duration(double s, char *out, size_t size)
{
    long total = (long)(s + 0.5);

    if (total < 3600)
        snprintf(out, size, "%ld:%02ld", total / 60, total % 60);
    else
        snprintf(out, size, "%ld:%02ld:%02ld", total / 3600, total / 60 % 60, total % 60);
    return out;
}

void progress_begin(progress_t *p)
{
    p->start_s = p->last_s = clock_now_s();
    p->terminal = log_has_terminal(NULL);
}

/* Cost per second, in the job's own words: ", 2.0 GCUPS", ", 31.5 k images/s". */
static const char *rate_text(const progress_t *p, double rate, int digits, char *out,
                             size_t size)
{
    char count[32];

    if (p->cost_word == NULL)
        *out = '\0';
    else if (p->rate_word != NULL)
        snprintf(out, size, ", %.*f G%s", digits, rate * 1e-9, p->rate_word);
    else
        snprintf(out, size, ", %s %s/s", progress_count(rate, count, sizeof(count)),
                 p->cost_word);
    return out;
}

/* @param left  cost that is left; unknown if negative */
static const char *eta_text(double cost, double left, double seconds, char *out,
                            size_t size)
{
    if (cost > 0 && left >= 0)
        duration(left / cost * seconds, out, size);
    else
        snprintf(out, size, "?");
    return out;
}

/* @return whether it is time to show something */
static bool is_due(progress_t *p)
{
    double now = clock_now_s();

    if (log_level() < LOG_NORMAL ||
        now - p->last_s < (p->terminal ? bar_every_s : line_every_s))
        return false;
    p->last_s = now;
    return true;
}

static void show(const progress_t *p, const char *text, double fraction)
{
    char line[TEXT_BYTES + BAR_CELLS * 4];
    int columns = 80, filled = (int)(fraction * BAR_CELLS), len = 0;

    if (!p->terminal) {
        log_info("%s", text);
        return;
    }
    log_has_terminal(&columns);
    len += snprintf(line, sizeof(line), "[");
    for (int i = 0; i < BAR_CELLS; i++)
        line[len++] = i < filled ? '#' : '.';
    snprintf(line + len, sizeof(line) - (size_t)len, "] %3.0f %% %s", 100 * fraction,
             text);
    if (columns > 1 && (size_t)columns <= strlen(line))
        line[columns - 1] = '\0';
    log_bar(line);
}

void progress_show(progress_t *p, int64_t tasks, int64_t items, double cost)
{
    char rate[32], eta[32], done[80], speed[64], text[TEXT_BYTES];
    double seconds, items_here = (double)(items - p->items_before);

    if (!is_due(p))
        return;
    seconds = clock_now_s() - p->start_s;
    progress_count(seconds > 0 ? items_here / seconds : 0, rate, sizeof(rate));
    snprintf(text, sizeof(text), "%" PRId64 "/%" PRId64 " %s, %s %s, %s %s/s%s, ETA %s",
             tasks, p->n_tasks, p->task_word,
             part_of(items, p->n_items, done, sizeof(done)), p->item_word, rate,
             p->item_word,
             rate_text(p, seconds > 0 ? cost / seconds : 0, 1, speed, sizeof(speed)),
             eta_text(cost, p->cost_left - cost, seconds, eta, sizeof(eta)));
    show(p, text, p->n_items > 0 ? (double)items / (double)p->n_items : 1);
}

void progress_show_steps(progress_t *p, int64_t steps, double cost)
{
    char eta[32], speed[64], of[32] = "", text[TEXT_BYTES];
    double seconds, here = (double)(steps - p->steps_before);
    double left = p->n_steps > 0 ? (double)(p->n_steps - steps) : -1;

    if (!is_due(p))
        return;
    seconds = clock_now_s() - p->start_s;
    if (p->n_steps > 0)
        snprintf(of, sizeof(of), "/%" PRId64, p->n_steps);
    snprintf(text, sizeof(text), "%" PRId64 "%s steps, %.4g steps/s%s, ETA %s", steps, of,
             seconds > 0 ? here / seconds : 0,
             rate_text(p, seconds > 0 ? cost / seconds : 0, 1, speed, sizeof(speed)),
             eta_text(here, left, seconds, eta, sizeof(eta)));
    show(p, text, p->n_steps > 0 ? (double)steps / (double)p->n_steps : 0);
}

void progress_end(progress_t *p, int64_t items, double cost)
{
    double seconds = clock_now_s() - p->start_s;
    const int64_t n = items - p->items_before;
    char rate[32], count[32], speed[64], words[PLURAL_BYTES];

    log_bar(NULL);
    if (n == 0)
        return;
    log_info("%s %s in %.2f s: %s %s/s%s",
             progress_count((double)n, count, sizeof(count)),
             plural_words(n, p->item_word, words), seconds,
             progress_count((double)n / seconds, rate, sizeof(rate)), p->item_word,
             rate_text(p, cost / seconds, 2, speed, sizeof(speed)));
}
