/*
 * svg_color.c - palettes: viridis and eight colours for categories.
 */
#include "io/report/svg_color.h"

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
