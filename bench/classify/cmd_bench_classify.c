/*
 * cmd_bench_classify.c - `ribogrid-bench classify`: measures how often the methods of
 * `classify` name sequences right, and how often they name those of absent classes.
 */
#include "bench/classify/class_bench.h"
#include "bench/options/benchmarks.h"
#include "io/base/logmsg.h"
#include "io/file/whole_file.h"
#include "tools/options/option_tables.h"

#include <inttypes.h>
#include <string.h>

/* Values of --method. */
enum { METHODS_BY_WORDS, METHODS_ALL, METHODS_ONE /* and class_method_t */ };

enum { PRIOR_BOTH = CLASS_PRIORS };

typedef struct {
    job_opts_t common;
    const char *references, *taxonomy, *pairs, *svg, *net;
    int64_t n_epochs, n_queries, n_seeds, n_samples, seed;
    fraction_t novelty_rate;
    int protocols; /* 0 both, else 1 + class_protocol_t */
    int method;    /* METHODS_BY_WORDS .. */
    int prior;     /* class_prior_t, or PRIOR_BOTH */
    primer_trim_t primers;
    int peers; /* 0: on */
    bool tsv;
} args_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t words[] = {{OPTION_INPUT, "REF.fa", 0,
                                  OPTION_AT(args_t, references)},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Input"},
    {.word = WORD_TAXONOMY,
     AT(taxonomy),
     .help = " of the genes: a table, or FASTA with lineages in its headers"},
    {.kind = OPTION_TABLE, AT(primers), .table = option_primers},
    {OPTION_INPUT, "identities", 0, AT(pairs), "PAIRS.h5",
     "identities of all genes, as `align` has stored them, instead of aligning queries"},
    {.kind = OPTION_TABLE, .table = option_input},

    {.kind = OPTION_GROUP, .name = "What to measure"},
    {OPTION_CHOICE, "protocol", 0, AT(protocols), "both|identity|split",
     "cross-validation by identity, held-out genes and classes, or both (both)"},
    {.word = WORD_METHOD,
     AT(method),
     .value = "words|all|nbc|align|joint",
     .help =
         " of `classify`: those by words, nbc and joint (words), with the alignments, "
         "which take much longer (all), or one"},
    {.word = WORD_PRIOR, AT(prior), .help = "; or both in turn (equal)"},
    {.word = WORD_NOVELTY_RATE, AT(novelty_rate)},
    {OPTION_INPUT, "net", 0, AT(net), "NET",
     "in a split also `classify --method cnn`: train this network of sequences "
     "(kmer-lenet, or a file) as `cnn train` does"},
    {.word = WORD_EPOCHS, AT(n_epochs), .help = ", with --net (the network's default)"},
    {OPTION_INT, "queries", 0, AT(n_queries), "N", "queries by identity, per seed (500)",
     1, INT32_MAX},
    {.word = WORD_HELD_OUT, AT(n_samples), .min = 1, .help = " (1000)"},
    {OPTION_INT, "seeds", 0, AT(n_seeds), "N", "trials of each protocol (1)", 1,
     CLASS_TABLE_SEEDS},
    {.kind = OPTION_TABLE, AT(seed), .table = option_seed},
    {.word = WORD_PEERS,
     AT(peers),
     .help = ": in a split vsearch and mothur, if they are installed (on)"},
    {.kind = OPTION_TABLE, .table = option_threads},

    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_TSV, AT(tsv), .help = ", one per number"},
    {.word = WORD_SVG, AT(svg), .help = " the coverage curves"},
    {.kind = OPTION_TABLE, .table = option_force},
    {.kind = OPTION_END}};

/* @return whether a method of class_bench_method is to be measured */
static bool runs(const args_t *a, int method)
{
    const class_method_t of = class_bench_method[method];

    if (of == CLASS_JOINT && a->prior != PRIOR_BOTH &&
        a->prior != (int)class_bench_prior[method])
        return false;
    return a->method == METHODS_ALL || a->method == METHODS_ONE + (int)of ||
           (a->method == METHODS_BY_WORDS && of != CLASS_ALIGN);
}

static status_t run_trial(const args_t *a, const class_data_t *d, const buf_t *pairs,
                          const class_folder_t *f, class_protocol_t protocol, int64_t k,
                          class_table_t *table)
{
    class_trial_options_t o = {.n_queries = a->n_queries,
                               .n_samples = a->n_samples,
                               .seed = (uint64_t)(a->seed + k),
                               .novelty_rate = (double)a->novelty_rate.numerator /
                                               (double)a->novelty_rate.denominator,
                               .peers = {a->peers == 0, a->net, a->n_epochs,
                                         (uint64_t)(a->seed + k)},
                               .pairs = pairs};
    class_trial_t trial;
    status_t st;

    for (int m = 0; m < CLASS_BENCH_METHODS; m++)
        o.runs[m] = runs(a, m);
    class_trial_begin(&o, &trial);
    st = protocol == CLASS_SPLIT ? class_split_run(d, f, &o, &trial)
                                 : class_trial_by_identity(d, f, &o, &trial);
    if (st == ST_OK)
        class_table_add(table, protocol, &trial);
    if (st == ST_OK)
        log_verbose("%s, seed %" PRIu64 ": %" PRId64 " queries",
                    protocol == CLASS_SPLIT ? "split" : "by identity", o.seed,
                    trial.n_queries);
    for (int peer = 0; st == ST_OK && peer < CLASS_PEERS; peer++)
        if (trial.seconds[peer] > 0)
            log_verbose("%s took %.2f s", class_peer_name[peer], trial.seconds[peer]);
    class_trial_free(&trial);
    return st;
}

static status_t run_trials(const args_t *a, const class_data_t *d, const buf_t *pairs,
                           class_table_t *table)
{
    class_folder_t folder;
    status_t st = class_folder_create(&folder);

    if (st != ST_OK)
        return st;
    for (int p = 0; p < CLASS_PROTOCOLS; p++)
        for (int64_t k = 0; k < a->n_seeds; k++)
            if (st == ST_OK && (a->protocols == 0 || a->protocols == p + 1))
                st = run_trial(a, d, pairs, &folder, (class_protocol_t)p, k, table);
    if (st == ST_OK) /* else it has the messages of a program that failed */
        class_folder_remove(&folder);
    return st;
}

static status_t draw(const args_t *a, const class_table_t *table)
{
    whole_file_t *to;
    status_t st = whole_file_open(a->svg, WHOLE_FILE_TEXT, a->common.force, &to);

    if (st != ST_OK)
        return st;
    class_table_draw(whole_file_stream(to), table);
    return whole_file_close(to, ST_OK);
}

static status_t read_data(const args_t *a, const char *genes, buf_t *pairs,
                          class_data_t *d)
{
    const bool is_cut = a->primers.text != NULL;
    status_t st =
        class_data_read(genes, a->taxonomy, &a->primers, (int)a->common.n_threads, d);

    if (st != ST_OK)
        return st;
    if (d->classes.n < 2) {
        log_error("%s: %" PRId64 " sequences of %" PRId32 " taxa with a lineage%s; two "
                  "taxa are needed",
                  genes, d->genes->n, d->classes.n, is_cut ? " and the primers" : "");
        return ST_EINPUT;
    }
    log_info("%s: %" PRId64 " genes of %" PRId32 " classes; %" PRId64
             " have no lineage%s",
             genes, d->genes->n, d->classes.n, d->n_left_out,
             is_cut ? " or not the primers" : "");
    return a->pairs != NULL
               ? class_pairs_fetch(a->pairs, d,
                                   class_trial_identity[CLASS_TRIAL_DISTANCES - 1], pairs)
               : ST_OK;
}

static status_t measure(const args_t *a, const char *genes)
{
    static class_table_t table; /* large */
    class_data_t d = {0};
    buf_t pairs = {0};
    status_t st = read_data(a, genes, &pairs, &d);

    if (st == ST_OK) {
        class_table_begin(&table, &d);
        st = run_trials(a, &d, a->pairs != NULL ? &pairs : NULL, &table);
    }
    if (st == ST_OK && a->tsv)
        class_table_tsv(&table);
    else if (st == ST_OK)
        class_table_print(&table);
    if (st == ST_OK && a->svg != NULL)
        st = draw(a, &table);
    class_data_free(&d);
    buf_free(&pairs);
    return st;
}

static void defaults(void *args)
{
    args_t *a = args;

    a->primers = primer_trim_defaults();
    a->novelty_rate = (fraction_t){1, 4};
    a->n_queries = 500;
    a->n_samples = 1000;
    a->n_seeds = 1;
    a->seed = 1;
}

static status_t run(void *args)
{
    const args_t *a = args;
    const char *primers = primer_trim_misuse(&a->primers);

    if (a->taxonomy == NULL)
        return options_misuse(&cmd_bench_classify, "give --taxonomy FILE");
    if (a->pairs != NULL && a->protocols == 1 + CLASS_SPLIT)
        return options_misuse(
            &cmd_bench_classify,
            "--protocol split needs no identities; leave out --identities");
    if (a->net != NULL && a->protocols == 1 + CLASS_BY_IDENTITY)
        return options_misuse(&cmd_bench_classify,
                              "--net is trained in a split only; leave it out, or "
                              "--protocol identity");
    if (a->prior != CLASS_PRIOR_EQUAL && a->method >= METHODS_ONE &&
        a->method != METHODS_ONE + (int)CLASS_JOINT)
        return options_misuse(&cmd_bench_classify, "--prior is for --method joint");
    if (a->net == NULL && a->n_epochs > 0)
        return options_misuse(&cmd_bench_classify, "--epochs needs --net");
    if (primers != NULL)
        return options_misuse(&cmd_bench_classify, "%s", primers);
    return measure(a, a->references);
}

static const option_rename_t renamed[] = {{"pairs", NULL, "identities"},
                                          {"region", NULL, "primers"},
                                          {"samples", NULL, "held-out"},
                                          {NULL}};

const command_t cmd_bench_classify = {
    .name = "classify",
    .summary =
        "measure how well sequences are classified, and those of absent taxa refused",
    .words = words,
    .usage = "--taxonomy FILE [options]",
    .options = options,
    .renamed = renamed,
    .args_bytes = sizeof(args_t),
    .notes =
        "A class is the lowest taxon of a lineage, usually a genus. docs/classify.md\n"
        "describes the protocols. Rules and thresholds are learned from the genes that\n"
        "are no queries. With several seeds the table has 95 % intervals (Student's t);\n"
        "rows of differences are paired by seed.\n",
    .example =
        "ribogrid-bench classify rdp.fa --taxonomy rdp.tax --primers 515F/806R --seeds 5",
    .defaults = defaults,
    .run = run,
};
