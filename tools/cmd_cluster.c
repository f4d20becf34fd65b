/*
 * cmd_cluster.c - `ribogrid cluster`: clusters the sequences of a result file into OTUs.
 */
#include "graph/cluster/cluster_pairs.h"
#include "io/base/logmsg.h"
#include "io/otu/otu_files.h"
#include "io/pairs/pairs_open.h"
#include "io/pairs/pairs_read.h"
#include "io/pairs/pairs_scan.h"
#include "kernels/device/device.h"
#include "tools/commands.h"
#include "version.h"

#include <inttypes.h>
#include <stdlib.h>

enum { NOT_GIVEN = -1, ORDER_LENGTH = 1, SEED = 1, STARTS = 10 };

typedef struct {
    fraction_t id;
    const char *output;
    int method, order;
    int64_t seed, starts, min_size, threads;
    bool force, quiet, verbose;
} args_t;

#define AT(member) offsetof(args_t, member)

static const option_t options[] = {
    {OPTION_GROUP, "input and output", 0, 0, NULL, NULL, 0, 0},
    {OPTION_TEXT, "output", 'o', AT(output), "PREFIX", "prefix of the output files", 0,
     0},
    {OPTION_FLAG, "force", 0, AT(force), NULL, "overwrite existing files", 0, 0},
    {OPTION_GROUP, "what to compute", 0, 0, NULL, NULL, 0, 0},
    {OPTION_FRACTION, "id", 0, AT(id), "FRACTION",
     "identity at which two sequences are close", 0, 0},
    {OPTION_CHOICE, "method", 0, AT(method), CLUSTER_METHODS, "clustering method (opti)",
     0, 0},
    {OPTION_CHOICE, "order", 0, AT(order), "size|length",
     "centroid: process the most abundant or the longest sequences first (size)", 0, 0},
    {OPTION_INT, "seed", 0, AT(seed), "N", "opti: seed of the random orders (1)", 0,
     INT64_MAX},
    {OPTION_INT, "starts", 0, AT(starts), "N",
     "opti: number of random orders to try; the best result is kept (10)", 1, 1000000},
    {OPTION_INT, "min-size", 0, AT(min_size), "N",
     "leave out OTUs with an abundance below N (1)", 1, INT64_MAX},
    {OPTION_GROUP, "run", 0, 0, NULL, NULL, 0, 0},
    {OPTION_INT, "threads", 0, AT(threads), "N",
     "single, average, opti: threads (all processors)", 1, 4096},
    {OPTION_FLAG, "quiet", 'q', AT(quiet), NULL, "print only errors", 0, 0},
    {OPTION_FLAG, "verbose", 'v', AT(verbose), NULL, "print more", 0, 0},
    {OPTION_END, NULL, 0, 0, NULL, NULL, 0, 0}};

static const char *const method_name[] = {"single", "complete", "centroid", "average",
                                          "opti"};

static status_t check_args(const args_t *a)
{
    if (a->output == NULL)
        return options_misuse(&cmd_cluster, "give -o PREFIX");
    if (a->id.denominator == 0 || a->id.numerator == 0)
        return options_misuse(&cmd_cluster, "give --id above 0, such as --id 0.97");
    if (a->order != NOT_GIVEN && a->method != CLUSTER_CENTROID)
        return options_misuse(&cmd_cluster, "--order requires --method centroid");
    if ((a->seed != NOT_GIVEN || a->starts != NOT_GIVEN) && a->method != CLUSTER_OPTI)
        return options_misuse(&cmd_cluster, "--seed and --starts require --method opti");
    if (a->threads > 0 &&
        (a->method == CLUSTER_COMPLETE || a->method == CLUSTER_CENTROID))
        return options_misuse(&cmd_cluster, "--threads: --method %s uses one thread",
                              method_name[a->method]);
    return ST_OK;
}

/* Check that the file holds the pairs that the method needs. */
static status_t check_file(const pairs_file_t *f, const char *path, const args_t *a)
{
    status_t st = pairs_scan_check_one_set(f);

    if (st != ST_OK)
        return st;
    if (a->method == CLUSTER_AVERAGE && pairs_is_sparse(f)) {
        log_error(
            "%s lacks pairs below an identity, but average linkage needs all pairs; "
            "align without --id, or choose another --method",
            path);
        return ST_EINPUT;
    }
    return pairs_scan_check(f, &a->id);
}

static void log_summary(const args_t *a, const otu_table_t *t,
                        const otu_groups_head_t *head)
{
    int64_t n_single = 0, n_reads = 0;

    for (int64_t k = 0; k < t->n_otus; k++) {
        n_single += t->member_start[k + 1] - t->member_start[k] == 1;
        n_reads += t->size[k];
    }
    log_info("%" PRId64 " sequences: %" PRId64 " OTUs by %s at %.9g, %" PRId64
             " of one sequence; abundance %" PRId64 ", largest %" PRId64
             "; left out %" PRId64 " OTUs of %" PRId64 " sequences; MCC %.4f (tp %" PRId64
             ", tn %" PRId64 ", fp %" PRId64 ", fn %" PRId64 ")",
             t->n, t->n_otus, method_name[a->method],
             (double)a->id.numerator / (double)a->id.denominator, n_single, n_reads,
             t->n_otus > 0 ? t->size[0] : 0, t->n_otus_left_out, t->n_left_out, head->mcc,
             head->tp, head->tn, head->fp, head->fn);
}

static otu_groups_head_t head_of(const args_t *a, const char *path, const mcc_t *mcc)
{
    return (otu_groups_head_t){.program = "ribogrid " VERSION_TEXT,
                               .input = path,
                               .method = method_name[a->method],
                               .order = a->method != CLUSTER_CENTROID ? NULL
                                        : a->order == ORDER_LENGTH    ? "length"
                                                                      : "size",
                               .seed = a->method == CLUSTER_OPTI ? a->seed : -1,
                               .starts = a->method == CLUSTER_OPTI ? a->starts : -1,
                               .id = a->id,
                               .min_size = a->min_size,
                               .mcc = mcc_value(mcc),
                               .tp = mcc->tp,
                               .tn = mcc->tn,
                               .fp = mcc->fp,
                               .fn = mcc->fn};
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
    st = otu_files_write(a->output, &files);
    if (st == ST_OK)
        log_summary(a, table, head);
done:
    otu_table_destroy(table);
    pairs_samples_free(&samples);
    pairs_members_free(&members);
    seqset_destroy(set);
    return st;
}

static status_t cluster(const pairs_file_t *f, const char *path, const args_t *a)
{
    int n_threads = a->threads > 0 ? (int)a->threads : device_cpu().n_cores;
    otu_groups_head_t head = head_of(a, path, &(mcc_t){0});
    cluster_pairs_opts_t spec = {.path = path,
                                 .method = (cluster_method_t)a->method,
                                 .id = a->id,
                                 .by_length = a->order == ORDER_LENGTH,
                                 .seed = (uint64_t)head.seed,
                                 .n_starts = head.starts};
    int32_t *label = malloc((size_t)pairs_n_rows(f) * sizeof(*label) + 1);
    pool_t *pool = NULL;
    mcc_t mcc;
    status_t st = label != NULL ? pool_create(n_threads, &pool) : log_nomem("labels");

    if (st == ST_OK && (st = cluster_pairs(f, &spec, pool, label, &mcc)) == ST_OK) {
        head = head_of(a, path, &mcc);
        st = write_out(f, a, label, &head);
    }
    pool_destroy(pool);
    free(label);
    return st;
}

static int run(int argc, char **argv)
{
    const char *words[OPTIONS_WORDS_MAX] = {NULL};
    args_t a = {.method = CLUSTER_OPTI,
                .order = NOT_GIVEN,
                .seed = NOT_GIVEN,
                .starts = NOT_GIVEN,
                .min_size = 1};
    pairs_file_t *f = NULL;
    status_t st = options_parse(&cmd_cluster, argc, argv, &a, words);

    if (st != ST_OK || (st = check_args(&a)) != ST_OK)
        return status_exit_code(st);
    a.seed = a.seed == NOT_GIVEN ? SEED : a.seed;
    a.starts = a.starts == NOT_GIVEN ? STARTS : a.starts;
    log_set_level(a.quiet ? LOG_QUIET : a.verbose ? LOG_VERBOSE : LOG_NORMAL);
    if ((st = pairs_open(words[0], &f)) == ST_OK &&
        (st = check_file(f, words[0], &a)) == ST_OK &&
        (st = otu_files_check(a.output, a.force)) == ST_OK)
        st = cluster(f, words[0], &a);
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
    .run = run,
};
