/*
 * report_data.c - percentages as a report shows them.
 */
#include "io/report/report_data.h"

#include <stdio.h>

const char *report_data_percent(const fraction_t *fraction,
                                char out[REPORT_PERCENT_BYTES])
{
    snprintf(out, REPORT_PERCENT_BYTES, "%.9g\xc2\xa0%%", /* a no-break space */
             100.0 * fraction_value(fraction));
    return out;
}
