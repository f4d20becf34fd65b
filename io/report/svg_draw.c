/*
 * svg_draw.c - escaped text, formatted numbers and axes with ticks.
 */
#include "io/report/svg_draw.h"

#include "io/base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/* @return the number of bytes of the character at a text; 0: a control character or no
 *         UTF-8 */
static size_t character_len(const char *text, size_t len)
{
    for (size_t k = 1; k <= 4 && k <= len; k++)
        if (utf8_is_clean(text, k))
            return k;
    return 0;
}

static bool changes_direction(const char *character)
{
    return (memcmp(character, "\xe2\x80\xaa", 3) >= 0 &&
            memcmp(character, "\xe2\x80\xae", 3) <= 0) ||
           (memcmp(character, "\xe2\x81\xa6", 3) >= 0 &&
            memcmp(character, "\xe2\x81\xa9", 3) <= 0);
}

static void draw_byte(FILE *to, char byte)
{
    switch (byte) {
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
        putc(byte, to);
    }
}

void svg_draw_bytes(FILE *to, const char *text, size_t len)
{
    for (size_t at = 0, n; at<len; at += n> 0 ? n : 1) {
        n = character_len(text + at, len - at);
        if (n == 1)
            draw_byte(to, text[at]);
        else if (n == 0 && ((unsigned char)text[at] < ' ' || text[at] == 0x7f))
            putc(' ', to);
        else if (n == 0 || (n == 3 && changes_direction(text + at)))
            fputs(replacement, to);
        else
            fwrite(text + at, 1, n, to);
    }
}

void svg_draw_text(FILE *to, const char *text)
{
    svg_draw_bytes(to, text, strlen(text));
}

void svg_draw_begin(FILE *to, const char *id, double width, double height, int font_size,
                    const char *label)
{
    fprintf(to,
            "<svg id=\"%s\" xmlns=\"http://www.w3.org/2000/svg\" "
            "viewBox=\"0 0 %.0f %.0f\" font-family=\"system-ui,sans-serif\" "
            "font-size=\"%d\" fill=\"currentColor\" role=\"img\" aria-label=\"",
            id, width, height, font_size);
    svg_draw_text(to, label);
    fputs("\">\n", to);
}

void svg_draw_keyed_begin(FILE *to, const char *id, const svg_keyed_t *size,
                          const char *label)
{
    fprintf(to, "<div class=\"picture\" style=\"--chart:%.0f;--key:%.0f\">\n",
            size->width, size->key_width);
    svg_draw_begin(to, id, size->width, size->height, size->font_size, label);
}

void svg_draw_key_begin(FILE *to, const svg_keyed_t *size)
{
    fprintf(to,
            "</svg>\n<svg class=\"key\" xmlns=\"http://www.w3.org/2000/svg\" "
            "viewBox=\"%.0f 0 %.0f %.0f\" font-family=\"system-ui,sans-serif\" "
            "font-size=\"%d\" fill=\"currentColor\">\n",
            size->width, size->key_width, size->key_height, size->font_size);
}

void svg_draw_key_end(FILE *to)
{
    fputs("</svg>\n</div>\n", to);
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
    double min_step = span / n_max, power = pow(10, floor(log10(min_step)));

    for (;; power *= 10)
        for (int i = 1; i <= 5; i += i == 1 ? 1 : 3)
            if (i * power >= min_step * (1 - 1e-9))
                return i * power;
}

double svg_draw_at(const svg_axis_t *a, double value)
{
    double fraction;

    if (a->is_log)
        fraction = log(fmax(value, a->min) / a->min) / log(a->max / a->min);
    else
        fraction = (value - a->min) / (a->max - a->min);
    return a->from + fmin(fmax(fraction, 0), 1) * (a->to - a->from);
}

enum {
    TICKS_MAX = 8,  /* of a linear axis */
    RATIO_FEW = 500 /* a logarithmic axis below this max / min has ticks at 1, 2, 5 */
};

/* @return the largest power of ten that does not exceed value */
static double power_below(double value)
{
    return pow(10, floor(log10(value) + 1e-9));
}

static double next_log_tick(const svg_axis_t *a, double value)
{
    bool is_short = a->max / a->min < RATIO_FEW;
    double power = power_below(value), digit = round(value / power);

    if (!is_short)
        return power * 10;
    return power * (digit < 2 ? 2 : digit < 5 ? 5 : 10);
}

/* @return the tick after value, or the first tick if value is below the axis */
static double next_tick(const svg_axis_t *a, double value)
{
    double step, first;

    if (a->is_log && value < a->min) {
        value = power_below(a->min);
        while (value < a->min * (1 - 1e-9))
            value = next_log_tick(a, value);
        return value;
    }
    if (a->is_log)
        return next_log_tick(a, value);
    step = svg_draw_step(a->max - a->min, TICKS_MAX);
    first = ceil(a->min / step - 1e-9) * step + 0.0; /* may be a little below min */
    return value < first ? first : value + step;
}

static bool is_on(const svg_axis_t *a, double tick)
{
    return tick <= a->max * (1 + 1e-9);
}

void svg_draw_bottom(FILE *to, const svg_axis_t *a, double at, double grid,
                     const char *unit, const char *title)
{
    char text[SVG_NUMBER_BYTES];

    for (double v = next_tick(a, a->min - 1); is_on(a, v); v = next_tick(a, v)) {
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

    for (double v = next_tick(a, a->min - 1); is_on(a, v); v = next_tick(a, v)) {
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

/* ---- palettes: viridis and eight colours for categories ---- */

const char *const svg_color_category[SVG_N_CATEGORIES] = {"#0072b2", "#e69f00", "#009e73",
                                                          "#cc79a7", "#56b4e9", "#d55e00",
                                                          "#f0e442", "#882255"};
const char *const svg_color_other[2] = {"#8b9096", "#b3b8bd"};

/* Viridis in steps of a tenth. */
static const uint8_t tenths[11][3] = {
    {68, 1, 84},    {72, 36, 117},  {65, 68, 135},  {53, 95, 141},
    {42, 120, 142}, {33, 145, 140}, {34, 168, 132}, {68, 191, 112},
    {122, 209, 81}, {189, 223, 38}, {253, 231, 37},
};

svg_rgba_t svg_color_scale(double t)
{
    double at = t > 0 ? (t < 1 ? 10 * t : 10) : 0;
    int below = at < 10 ? (int)at : 9;
    uint8_t mixed[3];

    for (int c = 0; c < 3; c++)
        mixed[c] =
            (uint8_t)(tenths[below][c] +
                      (at - below) * (tenths[below + 1][c] - tenths[below][c]) + 0.5);
    return (svg_rgba_t){mixed[0], mixed[1], mixed[2], 255};
}
