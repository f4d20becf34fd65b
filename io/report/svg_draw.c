#include "io/report/svg_draw.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void svg_draw_text(FILE *to, const char *text)
{
    for (; *text != '\0'; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", to);
            break;
        case '<':
            fputs("&lt;", to);
            break;
        case '>':
            fputs("&gt;", to);
            break;
        case '"':
            fputs("&quot;", to);
            break;
        default:
            putc((unsigned char)*text < ' ' ? ' ' : *text, to);
        }
}

const char *svg_draw_count(int64_t number, char out[SVG_NUMBER_BYTES])
{
    char digits[SVG_NUMBER_BYTES];
    int n = snprintf(digits, sizeof(digits), "%" PRId64, number), len = 0;

    for (int i = 0; i < n; i++) {
        out[len++] = digits[i];
        if ((n - 1 - i) % 3 == 0 && i < n - 1 && digits[i] != '-')
            out[len++] = ',';
    }
    out[len] = '\0';
    return out;
}

const char *svg_draw_short(double number, char out[SVG_NUMBER_BYTES])
{
    static const char *const units[] = {"", "k", "M", "G", "T"};
    int unit = 0;

    for (; fabs(number) >= 1000 && unit < 4; unit++)
        number /= 1000;
    snprintf(out, SVG_NUMBER_BYTES, "%.4g%s", number, units[unit]);
    return out;
}

double svg_draw_step(double span, int n_max)
{
    double least = span / n_max, power = pow(10, floor(log10(least)));

    for (;; power *= 10)
        for (int i = 1; i <= 5; i += i == 1 ? 1 : 3)
            if (i * power >= least * (1 - 1e-9))
                return i * power;
}

double svg_draw_at(const svg_axis_t *a, double value)
{
    double part;

    if (a->is_log)
        part = log(fmax(value, a->least) / a->least) / log(a->most / a->least);
    else
        part = (value - a->least) / (a->most - a->least);
    return a->from + fmin(fmax(part, 0), 1) * (a->to - a->from);
}

enum { TICKS_MAX = 8, DECADES_FEW = 500 };

/* The power of ten at or below a value. */
static double power_below(double value)
{
    return pow(10, floor(log10(value) + 1e-9));
}

/* Powers of ten; 1, 2 and 5 times these where there are few. */
static double next_log_tick(const svg_axis_t *a, double value)
{
    bool is_short = a->most / a->least < DECADES_FEW;
    double power = power_below(value), digit = round(value / power);

    if (!is_short)
        return power * 10;
    return power * (digit < 2 ? 2 : digit < 5 ? 5 : 10);
}

/* The tick behind `value`; the first one for a value below the least. */
static double next_tick(const svg_axis_t *a, double value)
{
    double step;

    if (a->is_log && value < a->least) {
        value = power_below(a->least);
        while (value < a->least * (1 - 1e-9))
            value = next_log_tick(a, value);
        return value;
    }
    if (a->is_log)
        return next_log_tick(a, value);
    step = svg_draw_step(a->most - a->least, TICKS_MAX);
    return value < a->least ? ceil(a->least / step - 1e-9) * step + 0.0 : value + step;
}

static bool is_on(const svg_axis_t *a, double tick)
{
    return tick <= a->most * (1 + 1e-9);
}

void svg_draw_bottom(FILE *to, const svg_axis_t *a, double at, double grid,
                     const char *unit, const char *title)
{
    char text[SVG_NUMBER_BYTES];

    for (double v = next_tick(a, a->least - 1); is_on(a, v); v = next_tick(a, v)) {
        double x = svg_draw_at(a, v);

        if (grid > 0)
            fprintf(to, "<path class=\"grid\" d=\"M%.1f %.1fv%.1f\"/>", x, at, -grid);
        fprintf(to,
                "<path class=\"tick\" d=\"M%.1f %.1fv5\"/>"
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s%s</text>\n",
                x, at, x, at + 21, svg_draw_short(v, text), unit);
    }
    fprintf(to,
            "<path class=\"tick\" d=\"M%.1f %.1fH%.1f\"/>"
            "<text class=\"title\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
            a->from, at, a->to, (a->from + a->to) / 2, at + 44);
    svg_draw_text(to, title);
    fputs("</text>\n", to);
}

void svg_draw_left(FILE *to, const svg_axis_t *a, double at, double grid,
                   const char *unit, const char *title)
{
    char text[SVG_NUMBER_BYTES];
    double middle = (a->from + a->to) / 2;

    for (double v = next_tick(a, a->least - 1); is_on(a, v); v = next_tick(a, v)) {
        double y = svg_draw_at(a, v);

        if (grid > 0)
            fprintf(to, "<path class=\"grid\" d=\"M%.1f %.1fh%.1f\"/>", at, y, grid);
        fprintf(to,
                "<path class=\"tick\" d=\"M%.1f %.1fh-5\"/>"
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s%s</text>\n",
                at, y, at - 9, y + 5, svg_draw_short(v, text), unit);
    }
    fprintf(to,
            "<path class=\"tick\" d=\"M%.1f %.1fV%.1f\"/>"
            "<text class=\"title\" transform=\"translate(%.1f %.1f) rotate(-90)\" "
            "text-anchor=\"middle\">",
            at, a->from, a->to, at - 62, middle);
    svg_draw_text(to, title);
    fputs("</text>\n", to);
}
