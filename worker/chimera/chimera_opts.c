/*
 * chimera_opts.c - defaults of the options of the job "chimeras", and which of them go
 * together.
 */
#include "worker/chimera/chimera_opts.h"

#include "kernels/registry/backends.h"

chimera_opts_t chimera_opts_defaults(void)
{
    return (chimera_opts_t){.reads = amplicon_inputs_defaults(),
                            .references = {.alphabet = ALPHABET_DNA,
                                           .is_dna_only = true,
                                           .of_references = true},
                            .rule = {.method = CHIMERA_UCHIME,
                                     .xn = 8,
                                     .dn = 1.4,
                                     .min_h = 0.28,
                                     .min_div = 0.8,
                                     .min_diffs = 3},
                            .common = job_opts_defaults()};
}

static status_t check_references(const chimera_opts_t *o, char *why)
{
    if (o->against == NULL && (o->references.skip_bad || o->references.degap))
        return job_opts_misuse(why, "--skip-bad-references and --degap-references are "
                                    "for --against; leave them out, or give it");
    if (o->against == NULL)
        return ST_OK;
    if (o->rule.method != CHIMERA_UCHIME)
        return job_opts_misuse(why,
                               "--method %s compares abundances, which references do "
                               "not have; leave it or --against out",
                               chimera_method_name[o->rule.method]);
    if (IS_GIVEN(o, min_skew))
        return job_opts_misuse(why, "--abskew compares abundances, which references do "
                                    "not have; leave it or --against out");
    return ST_OK;
}

/* An exact model has no minimum. */
static status_t check_rule(const chimera_opts_t *o, char *why)
{
    if (o->rule.xn <= 0 || o->rule.dn <= 0)
        return job_opts_misuse(why, "--xn and --dn are divisors; give numbers above 0");
    if (o->rule.method != CHIMERA_UCHIME &&
        (IS_GIVEN(o, rule.min_h) || IS_GIVEN(o, rule.min_div) ||
         IS_GIVEN(o, rule.min_diffs)))
        return job_opts_misuse(why, "--minh, --mindiv and --mindiffs are for --method "
                                    "uchime; leave them out");
    return ST_OK;
}

status_t chimera_opts_settle(job_opts_t *opts, char why[JOB_OPTS_WHY_BYTES])
{
    static const double min_skew[] = {
        [CHIMERA_UCHIME] = 2, [CHIMERA_UCHIME2] = 2, [CHIMERA_UCHIME3] = 16};
    chimera_opts_t *o = (chimera_opts_t *)opts;
    const char *misuse;
    status_t st = job_opts_check_output(&o->common, "CHIMERAS.h5", true, why);

    if (st != ST_OK || (st = check_references(o, why)) != ST_OK ||
        (st = check_rule(o, why)) != ST_OK)
        return st;
    if (!IS_GIVEN(o, min_skew))
        o->min_skew = min_skew[o->rule.method];
    if ((misuse = amplicon_inputs_settle(&o->reads, o->against == NULL)) != NULL)
        return job_opts_misuse(why, "%s", misuse);
    return job_opts_settle_device(&o->common.device, o->common.kernel, &aligner_table,
                                  why);
}
