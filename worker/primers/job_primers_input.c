/*
 * job_primers_input.c - rank 0 reads reads, primers and lineages, and sends the other
 * ranks what they search.
 */
#include "worker/primers/job_primers_state.h"

#include "io/base/logmsg.h"
#include "io/reads/reads_write.h"

#include <inttypes.h>

/* FASTA cannot become FASTQ. */
static status_t check_formats(const job_primers_t *j)
{
    const primers_opts_t *o = j->opts;
    const char *const outputs[] = {o->common.output, o->output2, o->untrimmed,
                                   o->untrimmed2};

    for (int k = 0; !j->reads[0].are_fastq && k < 4; k++)
        if (outputs[k] != NULL && reads_write_is_fastq(outputs[k])) {
            log_error("%s is FASTA, which has no qualities for %s; give an output whose "
                      "name ends with .fa",
                      j->reads[0].name, outputs[k]);
            return ST_EINPUT;
        }
    return ST_OK;
}

static status_t read_reads(job_primers_t *j)
{
    const int n_files = job_primers_n_files(j);
    status_t st = ST_OK;

    for (int f = 0; st == ST_OK && f < n_files; f++)
        st = reads_read(j->opts->reads[f], &j->reads[f]);
    if (st == ST_OK)
        st = check_formats(j);
    if (st == ST_OK && n_files == 2)
        st = reads_check_mates(&j->reads[0], &j->reads[1]);
    if (st == ST_OK && j->opts->skip_bad)
        reads_drop_bad(&j->reads[0], n_files == 2 ? &j->reads[1] : NULL);
    if (st == ST_OK)
        st = reads_planes(&j->reads[0], n_files == 2 ? &j->reads[1] : NULL, &j->text);
    if (st == ST_OK && j->reads[0].n == 0)
        log_warn("%s holds no reads", j->reads[0].name);
    return st;
}

/* Of a panel the mismatches are checked here, once its primers are known. */
static status_t read_primers(job_primers_t *j)
{
    const primers_opts_t *o = j->opts;
    const int mismatches = primer_trim_mismatches(&o->primers);
    status_t st = o->panel != NULL ? primer_panel_read(o->panel, &j->panel)
                                   : primer_panel_of_pair(o->primers.text, &j->panel);

    if (st != ST_OK)
        return st;
    for (int64_t q = 0; q < j->panel.n; q++) {
        const primer_pair_t *p = &j->panel.pairs[q];

        if (primer_trim_matches_all(mismatches, p->forward.len) ||
            primer_trim_matches_all(mismatches, p->reverse.len)) {
            log_error("%s: %d mismatches are more than a third of a primer of '%.80s', "
                      "which would match anywhere; give fewer by --primer-mismatches",
                      o->panel, mismatches, j->panel.names[q]);
            return ST_EINPUT;
        }
    }
    j->pairs = j->panel.pairs; /* as those that other ranks receive */
    j->panel.pairs = NULL;
    j->pairs_bytes = j->panel.n * (int64_t)sizeof(*j->pairs);
    return ST_OK;
}

/* The records of the log are checked before this rank has its device. */
static status_t create_checker(job_primers_t *j)
{
    const primer_search_opts_t opts = job_primers_search_opts(j);

    j->cpu = device_cpu();
    return primer_search_create(&j->cpu, NULL, NULL, &j->text, j->pairs, (int)j->panel.n,
                                &opts, &j->checker);
}

static status_t read_all(job_primers_t *j)
{
    status_t st = read_primers(j);

    if (st == ST_OK && j->opts->taxonomy != NULL)
        st = taxonomy_read(j->opts->taxonomy, &j->taxonomy);
    if (st == ST_OK)
        st = read_reads(j);
    return st == ST_OK ? create_checker(j) : st;
}

ARRAY_COUNT(n_bytes, job_primers_t, o->pairs_bytes)

static bool is_valid(const void *object)
{
    const job_primers_t *j = object;

    return j->pairs_bytes > 0 && j->pairs_bytes % (int64_t)sizeof(*j->pairs) == 0 &&
           j->pairs_bytes / (int64_t)sizeof(*j->pairs) <= PRIMER_PANEL_MAX;
}

static const array_t shared_rows[] = {
    ARRAY_MEMBER(job_primers_t, text, &base_planes_arrays),
    ARRAY_VALUE(job_primers_t, pairs_bytes, ARRAY_INT64),
    ARRAY_OF(job_primers_t, pairs, ARRAY_BYTES, n_bytes), ARRAYS_END};

static const arrays_t shared = {"reads and primers", sizeof(job_primers_t), shared_rows,
                                is_valid};

status_t job_primers_read(job_primers_t *j, exchange_t *x)
{
    status_t st = exchange_agree(x, x->rank == 0 ? read_all(j) : ST_OK);

    if (st == ST_OK)
        st = exchange_object(x, &shared, j);
    if (st == ST_OK)
        j->n_pairs = (int)(j->pairs_bytes / (int64_t)sizeof(*j->pairs));
    return st;
}
