/*
 * primers_opts.c - defaults of the options of the job "primers", and which of them go
 * together.
 */
#include "worker/primers/primers_opts.h"

#include "io/reads/reads_write.h"
#include "kernels/registry/backends.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

primers_opts_t primers_opts_defaults(void)
{
    return (primers_opts_t){.common = {.device = "cpu", .kernel = "auto"},
                            .primers = primer_trim_defaults(),
                            .filter = {.min_length = 1, .max_ambig = -1}};
}

/* @return what is wrong, or NULL */
static const char *find_misuse(const primers_opts_t *o)
{
    const bool are_pairs = o->reads[1] != NULL;

    if (o->primers.text == NULL && o->panel == NULL)
        return "no primers; give --primers FORWARD/REVERSE or --panel FILE";
    if (o->primers.text != NULL && o->panel != NULL)
        return "give --primers or --panel, not both";
    if (o->primers.text != NULL && primer_trim_misuse(&o->primers) != NULL)
        return primer_trim_misuse(&o->primers);
    if (o->filter.max_length > 0 && o->filter.min_length > o->filter.max_length)
        return "--min-length is above --max-length, so no read could pass; change one";
    if (are_pairs && o->output2 == NULL)
        return "pairs of reads need a second output; give --output2 FILE";
    if (!are_pairs && (o->output2 != NULL || o->untrimmed2 != NULL))
        return "--output2 and --untrimmed2 are for pairs of reads; give READS2, or leave "
               "them out";
    if ((o->untrimmed2 != NULL) != (o->untrimmed != NULL) && are_pairs)
        return "of pairs of reads, give both --untrimmed and --untrimmed2";
    if (are_pairs && strcmp(o->reads[0], "-") == 0 && strcmp(o->reads[1], "-") == 0)
        return "stdin is read only once; give one of READS and READS2 as a file";
    if (o->taxonomy != NULL && are_pairs)
        return "--coverage is for genes; give one file of them";
    if (o->taxonomy != NULL && o->table == NULL && o->svg == NULL)
        return "--coverage needs an output; give --coverage-table FILE or --svg FILE";
    if (o->taxonomy == NULL && (o->table != NULL || o->svg != NULL))
        return "--coverage-table and --svg need lineages; give --coverage TAXONOMY";
    return NULL;
}

/* @return an output whose name asks for what is not written, or NULL */
static const char *find_refused(const primers_opts_t *o)
{
    const char *const outputs[] = {o->common.output, o->output2, o->untrimmed,
                                   o->untrimmed2};

    for (int k = 0; k < 4; k++)
        if (outputs[k] != NULL && reads_write_is_refused(outputs[k]))
            return outputs[k];
    return NULL;
}

status_t primers_opts_settle(job_opts_t *opts, char why[JOB_OPTS_WHY_BYTES])
{
    primers_opts_t *o = (primers_opts_t *)opts;
    const char *misuse = find_misuse(o);
    status_t st = job_opts_check_output(&o->common, "FILE", false, why);

    if (st != ST_OK)
        return st;
    if (misuse != NULL)
        return job_opts_misuse(why, "%s", misuse);
    if (find_refused(o) != NULL)
        return job_opts_misuse(
            why,
            "%s: reads are written plain or as gzip; give a name with .gz or without",
            find_refused(o));
    snprintf(o->format, sizeof(o->format),
             "%s, lengths %" PRId64 " to %" PRId64 ", primers %s",
             o->common.output != NULL && reads_write_is_fasta(o->common.output)
                 ? "FASTA"
                 : "as the reads",
             o->filter.min_length, o->filter.max_length,
             o->keep_primers ? "kept" : "cut");
    return job_opts_settle_device(&o->common.device, o->common.kernel, &primer_table,
                                  why);
}
