/*
 * cmd_cluster.c - `ribogrid cluster`: clusters the sequences of a result file into OTUs.
 */
#include "io/base/logmsg.h"
#include "io/otu/otu_files.h"
#include "io/pairs/pairs_open.h"
#include "io/pairs/pairs_read.h"
#include "tools/options/commands.h"
#include "tools/options/cluster_args.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct {
    cluster_args_t how;
    const char *output;
    int64_t min_size;
    bool force, quiet, verbose;
} args_t;

#define AT(member) offsetof(args_t, member)

static const option_t options[] = {
    {OPTION_GROUP, "input and output", 0, 0, NULL, NULL, 0, 0},
    {OPTION_TEXT, "output", 'o', AT(output), "PREFIX", "prefix of the output files", 0,
     0},
    {OPTION_FLAG, "force", 0, AT(force), NULL, "overwrite existing files", 0, 0},
    {OPTION_GROUP, "what to compute", 0, 0, NULL, NULL, 0, 0},
    {OPTION_FRACTION, "id", 0, AT(how.id), "FRACTION",
     "identity at which two sequences are close", 0, 0},
    {OPTION_CHOICE, "method", 0, AT(how.method), CLUSTER_METHODS,
     "clustering method (opti)", 0, 0},
    {OPTION_CHOICE, "order", 0, AT(how.order), "size|length",
     "centroid: process the most abundant or the longest sequences first (size)", 0, 0},
    {OPTION_INT, "seed", 0, AT(how.seed), "N", "opti: seed of the random orders (1)", 0,
     INT64_MAX},
    {OPTION_INT, "starts", 0, AT(how.starts), "N",
     "opti: number of random orders to try; the best result is kept (10)", 1, 1000000},
    {OPTION_INT, "min-size", 0, AT(min_size), "N",
     "leave out OTUs with an abundance below N (1)", 1, INT64_MAX},
    {OPTION_GROUP, "run", 0, 0, NULL, NULL, 0, 0},
    {OPTION_INT, "threads", 0, AT(how.threads), "N",
     "single, average, opti: threads (all processors)", 1, 4096},
    {OPTION_FLAG, "quiet", 'q', AT(quiet), NULL, "print only errors", 0, 0},
    {OPTION_FLAG, "verbose", 'v', AT(verbose), NULL, "print more", 0, 0},
    {OPTION_END, NULL, 0, 0, NULL, NULL, 0, 0}};

static void log_summary(const otu_table_t *t, const otu_groups_head_t *head)
{
    int64_t n_reads = 0;

    for (int64_t k = 0; k < t->n_otus; k++)
        n_reads += t->size[k];
    log_info("%" PRId64 " sequences: %" PRId64 " OTUs by %s at %.9g, %" PRId64
             " of one sequence; abundance %" PRId64 ", largest %" PRId64
             "; left out %" PRId64 " OTUs of %" PRId64 " sequences; MCC %.4f (tp %" PRId64
             ", tn %" PRId64 ", fp %" PRId64 ", fn %" PRId64 ")",
             t->n, t->n_otus, head->method,
             (double)head->id.numerator / (double)head->id.denominator,
             otu_table_n_single(t), n_reads, t->n_otus > 0 ? t->size[0] : 0,
             t->n_otus_left_out, t->n_left_out, head->mcc, head->tp, head->tn, head->fp,
             head->fn);
}

/* Turn labels into OTUs and write the output files. */
static status_t write_out(const pairs_file_t *f, const args_t *a, const int32_t *label,
                          const otu_groups_head_t *head)
{
    otu_files_t files = {.head = *head};
    pairs_members_t members = {0};
    pairs_samples_t samples = {0};
    otu_table_t *table = NULL;
    seqset_t *set = NULL;
    status_t st;

    if ((st = pairs_read_sequences(f, &set)) != ST_OK ||
        (st = pairs_read_members(f, &members)) != ST_OK ||
        (st = pairs_read_samples(f, &samples)) != ST_OK ||
        (st = otu_table_create(pairs_n_rows(f), label, pairs_sizes(f), &samples,
                               a->min_size, &table)) != ST_OK)
        goto done;
    files.table = table;
    files.set = set;
    files.members = &members;
    st = otu_files_write(a->output, a->force, &files);
    if (st == ST_OK)
        log_summary(table, head);
done:
    otu_table_destroy(table);
    pairs_samples_free(&samples);
    pairs_members_free(&members);
    seqset_destroy(set);
    return st;
}

static status_t cluster(const pairs_file_t *f, const args_t *a)
{
    int32_t *label = malloc((size_t)pairs_n_rows(f) * sizeof(*label) + 1);
    otu_groups_head_t head;
    status_t st =
        label != NULL ? cluster_args_run(&a->how, f, label, &head) : log_nomem("labels");

    if (st == ST_OK) {
        head.min_size = a->min_size;
        st = write_out(f, a, label, &head);
    }
    free(label);
    return st;
}

static int run(int argc, char **argv)
{
    const char *words[OPTIONS_WORDS_MAX] = {NULL};
    args_t a = {.how = cluster_args_none, .min_size = 1};
    pairs_file_t *f = NULL;
    status_t st = options_parse(&cmd_cluster, argc, argv, &a, words);

    if (st == ST_OK && a.output == NULL)
        st = options_misuse(&cmd_cluster, "give -o PREFIX");
    if (st == ST_OK && a.how.id.denominator == 0)
        st = options_misuse(&cmd_cluster, "give --id, such as --id 0.97");
    if (st != ST_OK || (st = cluster_args_settle(&cmd_cluster, &a.how)) != ST_OK)
        return status_exit_code(st);
    log_set_level(a.quiet ? LOG_QUIET : a.verbose ? LOG_VERBOSE : LOG_NORMAL);
    if ((st = otu_files_check(a.output, a.force)) == ST_OK &&
        (st = pairs_open(words[0], &f)) == ST_OK &&
        (st = cluster_args_check(&a.how, f)) == ST_OK)
        st = cluster(f, &a);
    pairs_close(f);
    return status_exit_code(st);
}

const command_t cmd_cluster = {
    .name = "cluster",
    .summary = "cluster the sequences of a result file into OTUs",
    .usage = "PAIRS.h5 --id FRACTION -o PREFIX [options]",
    .options = options,
    .notes =
        "Writes PREFIX.otus.tsv and PREFIX.biom (OTUs by samples), PREFIX.reps.fasta\n"
        "(the most abundant sequence of each OTU), PREFIX.list (for mothur) and\n"
        "PREFIX.groups.h5. average needs a file of all pairs; the other methods also\n"
        "accept a file of hits (`align --id`).\n",
    .example = "ribogrid cluster pairs.h5 --id 0.97 --method opti -o otus",
    .n_words_min = 1,
    .n_words_max = 1,
    .words_are_inputs = true,
    .reads_results = true,
    .run = run,
};
