/*
 * prepare_opts.c - how records are prepared if nothing else is said, and which options of
 * that do not go together.
 */
#include "io/prepare/prepare.h"

#include "io/prepare/abundance.h"

prepare_opts_t prepare_defaults(void)
{
    return (prepare_opts_t){.filter = {.max_ambig = -1},
                            .primers = primer_trim_defaults()};
}

const char *prepare_misuse(const prepare_opts_t *o)
{
    const char *abundance = abundance_misuse(o->labels, o->count_table, o->samples);

    if (abundance != NULL)
        return abundance;
    if (o->filter.max_length > 0 && o->filter.min_length > o->filter.max_length)
        return "--min-length is above --max-length, so no sequence could pass; change "
               "one";
    return primer_trim_misuse(&o->primers);
}
