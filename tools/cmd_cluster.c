/*
 * cmd_cluster.c - `ribogrid cluster`: clusters the sequences of a result file into OTUs.
 */
#include "graph/cluster/cluster_methods.h"
#include "graph/summary/spanning_forest.h"
#include "io/base/logmsg.h"
#include "io/file/whole_file.h"
#include "io/otu/otu_previous.h"
#include "io/otu/otu_write.h"
#include "io/pairs/pairs_file.h"
#include "io/pairs/pairs_read.h"
#include "tools/options/cluster_args.h"
#include "tools/options/commands.h"
#include "tools/options/job_run.h"
#include "tools/options/option_files.h"
#include "tools/options/option_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The method that cluster_args.h does not have, since it is for other files. */
enum { METHOD_CLOSED = CLUSTER_OPTI + 1 };

typedef struct {
    cluster_args_t how; /* its id is the lowest of ids */
    const char *path;
    fraction_list_t ids;
    const char *taxonomy;
    const char *newick, *previous, *changes; /* NULL: none */
    int64_t min_size;
    bool sizeout, allow_missing;
} args_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t words[] = {{OPTION_INPUT, "PAIRS.h5", 0, OPTION_AT(args_t, path)},
                                 {.kind = OPTION_END}};

static bool is_closed(const args_t *a)
{
    return a->how.method == METHOD_CLOSED;
}

static status_t add_output(void *to, const char *path)
{
    return option_files_add(to, path);
}

static status_t add_outputs(const void *args, const char *prefix, option_files_t *to)
{
    const args_t *a = args;

    return otu_files_each(prefix, is_closed(a), &a->ids, add_output, to);
}

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Input and output"},
    {.word = WORD_OUTPUT,
     AT(how.common.output),
     .value = "PREFIX",
     .files = add_outputs,
     .help = "s: the beginning of their names"},
    {.word = WORD_TAXONOMY,
     AT(taxonomy),
     .help = " of the sequences, from `classify` or `taxonomy`, to add to the tables"},
    {.word = WORD_ALLOW_MISSING,
     AT(allow_missing),
     .help = ": such OTUs are " OTU_TAXA_MISSING},
    {.kind = OPTION_TABLE, .table = option_input},
    {.word = WORD_SIZEOUT, AT(sizeout)},
    {.word = WORD_NEWICK,
     AT(newick),
     .help = ": of the clusters (single, average, complete)"},
    {OPTION_INPUT, "previous", 0, AT(previous), "OLD.groups.h5",
     "keep the names of the OTUs of a file that PAIRS.h5 extends (`align --extend`)"},
    {OPTION_OUTPUT, "changes", 0, AT(changes), "FILE",
     "with --previous, also write what became of each OTU: unchanged, grew, joined, "
     "split, new, retired"},
    {.kind = OPTION_TABLE, .table = option_force},
    {.kind = OPTION_GROUP, .name = "What to compute"},
    {.kind = OPTION_FRACTIONS,
     .word = WORD_ID,
     AT(ids),
     .value = "FRACTION[,...]",
     .help = " of sequences that are close; several give a clustering each"},
    {.word = WORD_METHOD,
     AT(how.method),
     .value = CLUSTER_METHODS "|closed",
     .help = " ({}); closed: each query of `align --against` joins its best "
             "reference"},
    {.kind = OPTION_TABLE, AT(how), .table = cluster_args_options},
    {.word = WORD_MIN_SIZE, AT(min_size), .help = ": OTUs below N are left out ({})"},
    {.kind = OPTION_END}};

static void log_summary(const otu_table_t *t, const otu_groups_head_t *head)
{
    char mcc[160] = ""; /* not known of files of hits with centroids */
    int64_t n_reads = 0;

    for (int64_t k = 0; k < t->n_otus; k++)
        n_reads += t->size[k];
    if (head->tp >= 0)
        snprintf(mcc, sizeof(mcc),
                 "; MCC %.4f (tp %" PRId64 ", tn %" PRId64 ", fp %" PRId64 ", fn %" PRId64
                 ")",
                 head->mcc, head->tp, head->tn, head->fp, head->fn);
    log_info("%" PRId64 " sequences: %" PRId64 " OTUs by %s at %.9g, %" PRId64
             " of one sequence; abundance %" PRId64 ", largest %" PRId64
             "; left out %" PRId64 " OTUs of %" PRId64 " sequences%s",
             t->n, t->n_otus, head->method, fraction_value(&head->id),
             otu_table_n_single(t), n_reads, t->n_otus > 0 ? t->size[0] : 0,
             t->n_otus_left_out, t->n_left_out, mcc);
}

static void log_mapping(const otu_files_t *f)
{
    const otu_table_t *t = f->table;
    int64_t n_matched = 0, n_reads = 0, n_all = 0;

    for (int64_t i = 0; i < t->n; i++) {
        const int64_t size = pairs_size(f->closed->file, i);
        const bool matches = f->closed->hits[i].reference >= 0;

        n_matched += matches;
        n_reads += matches ? size : 0;
        n_all += size;
    }
    log_info("%" PRId64 " of %" PRId64 " queries (abundance %" PRId64 " of %" PRId64
             ") have a reference at %.9g; %" PRId64 " references, largest %" PRId64
             "; left out %" PRId64 " references",
             n_matched, t->n, n_reads, n_all, fraction_value(&f->head.id), t->n_otus,
             t->n_otus > 0 ? t->size[0] : 0, t->n_otus_left_out);
}

/* What the clusterings at all identities share, and their tables. */
typedef struct {
    const pairs_file_t *file;
    const args_t *args;
    pairs_members_t members;
    pairs_samples_t samples;
    seqset_t *set;
    int32_t *label; /* [sequences] of the current clustering */
    int32_t *from;  /* [sequences] clusters of the earlier one */
    otu_previous_t previous;
    otu_hit_t *hits; /* closed: [identities][sequences] */
    otu_closed_t closed[FRACTION_LIST_MAX];
    otu_table_t *tables[FRACTION_LIST_MAX];
    taxonomy_t *taxonomy; /* NULL: none */
    otu_taxa_t taxa[FRACTION_LIST_MAX];
    otu_files_t files[FRACTION_LIST_MAX];
    buf_t joins; /* cluster_join_t of the lowest identity, for --newick */
} clustering_t;

/* The distance at which clusters that are not joined meet in the tree. */
static const double root_distance = 1;

static status_t read_file(clustering_t *c)
{
    const pairs_file_t *f = c->file;
    const size_t n = (size_t)f->rows.n;
    const size_t n_hits = is_closed(c->args) ? n * (size_t)c->args->ids.n : 0;
    status_t st;

    c->label = malloc(n * sizeof(*c->label) + 1);
    c->hits = malloc(n_hits * sizeof(*c->hits) + 1);
    if (c->label == NULL || c->hits == NULL)
        return log_nomem("labels");
    if ((st = pairs_read_sequences(f, &c->set)) != ST_OK ||
        (st = pairs_read_members(f, &c->members)) != ST_OK)
        return st;
    if ((st = pairs_read_samples(f, &c->samples)) != ST_OK || c->args->taxonomy == NULL)
        return st;
    return taxonomy_read(c->args->taxonomy, &c->taxonomy);
}

/* Read the earlier clustering; the OTUs it left out are not known. */
static status_t read_previous(clustering_t *c)
{
    const cluster_args_t *how = &c->args->how;
    otu_groups_head_t head;
    const otu_table_t *old;
    status_t st;

    if (c->args->previous == NULL)
        return ST_OK;
    head = cluster_args_head(how, c->file);
    if ((st = otu_previous_read(c->args->previous, c->file, c->set, &head,
                                &c->previous)) != ST_OK ||
        how->method != CLUSTER_OPTI)
        return st;
    old = c->previous.groups.table;
    if ((c->from = malloc((size_t)c->file->rows.n * sizeof(*c->from) + 1)) == NULL)
        return log_nomem("labels");
    for (int64_t i = 0; i < c->file->rows.n; i++)
        c->from[i] =
            i < old->n && old->otu[i] >= 0 ? old->representative[old->otu[i]] : -1;
    return ST_OK;
}

/* Find the lineages of the k-th table's OTUs. */
static status_t find_taxa(clustering_t *c, int k)
{
    if (c->taxonomy == NULL)
        return ST_OK;
    c->files[k].taxa = &c->taxa[k];
    return otu_taxa_find(c->taxonomy, c->args->taxonomy, c->file->rows.names,
                         c->tables[k], c->args->allow_missing, &c->taxa[k]);
}

/* Map the queries to references at the k-th identity. */
static status_t map_at(clustering_t *c, int k)
{
    const fraction_t *id = &c->args->ids.at[k];
    otu_files_t *files = &c->files[k];
    otu_hit_t *hits = c->hits + k * c->file->rows.n;
    status_t st = best_reference_find(c->file, id, hits);

    if (st != ST_OK)
        return st;
    c->closed[k] = (otu_closed_t){c->file, hits};
    st = otu_closed_table(&c->closed[k], &c->samples, c->args->min_size, &c->tables[k]);
    *files = (otu_files_t){.head = {.program = cluster_args_program, .id = *id},
                           .table = c->tables[k],
                           .set = c->set,
                           .members = &c->members,
                           .closed = &c->closed[k],
                           .has_sizes = c->args->sizeout};
    return st == ST_OK ? find_taxa(c, k) : st;
}

/* Cluster at the k-th identity. */
static status_t cluster_at(clustering_t *c, int k)
{
    cluster_args_t how = c->args->how;
    otu_files_t *files = &c->files[k];
    int64_t min_size = c->args->min_size;
    buf_t *joins = NULL;
    status_t st;

    how.id = c->args->ids.at[k];
    how.from = c->from;
    if (c->args->newick != NULL && k == c->args->ids.n - 1)
        joins = &c->joins;
    st = cluster_args_run(&how, c->file, c->label, &files->head, joins);
    if (st != ST_OK)
        return st;
    files->head.min_size = min_size;
    files->head.previous = c->args->previous;
    st = otu_table_create(c->file->rows.n, c->label, c->file->sizes, &c->samples,
                          min_size, &c->tables[k]);
    if (st == ST_OK && c->args->previous != NULL)
        st = otu_previous_name(&c->previous, c->tables[k]);
    files->table = c->tables[k];
    files->set = c->set;
    files->members = &c->members;
    files->has_sizes = c->args->sizeout;
    return st == ST_OK ? find_taxa(c, k) : st;
}

static const char *name_of(const void *set, int32_t i)
{
    return seqset_name(set, i);
}

/* Write the tree of the lowest identity. */
static status_t put_tree(clustering_t *c, FILE *to)
{
    const int64_t n_joins = (int64_t)(c->joins.len / sizeof(newick_edge_t));

    return newick_write(to, (int32_t)c->set->n, (newick_edge_t *)(void *)c->joins.data,
                        n_joins, root_distance, name_of, c->set);
}

static status_t put_changes(clustering_t *c, FILE *to)
{
    return otu_previous_write(&c->previous, to);
}

/* Write a text file that has no name yet. @param path  NULL: none */
static status_t write_text(clustering_t *c, const char *path,
                           status_t (*put)(clustering_t *c, FILE *to), whole_file_t **out)
{
    status_t st;

    if (path == NULL)
        return ST_OK;
    st = whole_file_open(path, WHOLE_FILE_TEXT, c->args->how.common.force, out);
    if (st == ST_OK)
        st = put(c, whole_file_stream(*out));
    return st == ST_OK ? whole_file_finish(*out) : st;
}

/* Write all files; the tree and the changes appear last. */
static status_t write_files(clustering_t *c)
{
    const args_t *a = c->args;
    whole_file_t *tree = NULL, *changes = NULL;
    status_t st = write_text(c, a->newick, put_tree, &tree);

    if (st == ST_OK)
        st = write_text(c, a->changes, put_changes, &changes);
    if (st == ST_OK)
        st = otu_files_write(a->how.common.output, a->how.common.force, c->files,
                             a->ids.n);
    if (st == ST_OK && tree != NULL)
        st = whole_file_publish(tree);
    if (st == ST_OK && changes != NULL)
        st = whole_file_publish(changes);
    return whole_file_close(changes, whole_file_close(tree, st));
}

static status_t cluster(const pairs_file_t *f, const args_t *a, command_run_t *run)
{
    clustering_t c = {.file = f, .args = a};
    status_t st = read_file(&c);

    if (st == ST_OK)
        st = read_previous(&c);
    for (int k = 0; st == ST_OK && k < a->ids.n; k++)
        st = is_closed(a) ? map_at(&c, k) : cluster_at(&c, k);
    for (int k = 0; k < a->ids.n; k++)
        c.files[k].head.run = command_run_end(run);
    if (st == ST_OK)
        st = write_files(&c);
    if (st == ST_OK && a->previous != NULL)
        st = otu_previous_log(&c.previous);
    for (int k = 0; k < a->ids.n; k++) {
        if (st == ST_OK && is_closed(a))
            log_mapping(&c.files[k]);
        else if (st == ST_OK)
            log_summary(c.tables[k], &c.files[k].head);
        otu_table_destroy(c.tables[k]);
        otu_taxa_free(&c.taxa[k]);
    }
    taxonomy_destroy(c.taxonomy);
    pairs_samples_free(&c.samples);
    pairs_members_free(&c.members);
    seqset_destroy(c.set);
    buf_free(&c.joins);
    otu_previous_free(&c.previous);
    free(c.hits);
    free(c.from);
    free(c.label);
    return st;
}

static int by_falling_id(const void *a, const void *b)
{
    const fraction_t *x = a, *y = b;
    int64_t left = x->numerator * y->denominator, right = y->numerator * x->denominator;

    return (left < right) - (left > right);
}

/* Put the highest identity first, as mothur does, and let the checks see the lowest. */
static status_t settle_ids(args_t *a)
{
    fraction_list_t *ids = &a->ids;

    if (ids->n == 0)
        return options_misuse(&cmd_cluster, "give --id, such as --id 0.97");
    qsort(ids->at, (size_t)ids->n, sizeof(*ids->at), by_falling_id);
    for (int k = 1; k < ids->n; k++)
        if (by_falling_id(&ids->at[k - 1], &ids->at[k]) == 0)
            return options_misuse(&cmd_cluster, "--id names an identity twice");
    a->how.id = ids->at[ids->n - 1];
    if (a->newick != NULL && a->how.method != CLUSTER_SINGLE &&
        a->how.method != CLUSTER_AVERAGE && a->how.method != CLUSTER_COMPLETE)
        return options_misuse(&cmd_cluster,
                              "--newick requires --method single, average or "
                              "complete: others make no tree");
    if (a->previous != NULL && is_closed(a))
        return options_misuse(&cmd_cluster, "--previous: OTUs of --method closed have "
                                            "the names of references already");
    if (a->previous != NULL && ids->n > 1)
        return options_misuse(&cmd_cluster,
                              "--previous is a file of one identity; give one --id");
    if (a->changes != NULL && a->previous == NULL)
        return options_misuse(&cmd_cluster, "--changes requires --previous");
    if (is_closed(a) && IS_GIVEN(a, how.common.n_threads))
        return options_misuse(&cmd_cluster, "--threads: --method closed uses one thread");
    return cluster_args_check_options(&cmd_cluster, &a->how);
}

static status_t check_file(const args_t *a, const pairs_file_t *f)
{
    if (is_closed(a))
        return best_reference_check(f, &a->how.id);
    if (!f->is_against)
        return cluster_args_check(&a->how, f);
    log_error("%s: its pairs are queries against references; give --method closed to map "
              "them, or a file of one set, all against all",
              f->path);
    return ST_EINPUT;
}

static void defaults(void *args)
{
    args_t *a = args;

    a->how = cluster_args_defaults();
    a->min_size = 1;
}

static status_t run(void *args)
{
    args_t *a = args;
    pairs_file_t *f = NULL;
    command_run_t run;
    status_t st = ST_OK;

    if (a->how.common.output == NULL)
        return options_misuse(&cmd_cluster, "give -o PREFIX");
    if (strcmp(a->how.common.output, "-") == 0)
        return options_misuse(&cmd_cluster, "there are several output files; give -o the "
                                            "beginning of their names");
    if (a->allow_missing && a->taxonomy == NULL)
        return options_misuse(&cmd_cluster, "--allow-missing needs --taxonomy");
    if ((st = settle_ids(a)) != ST_OK)
        return st;
    command_run_begin(&a->how.common, a->path, &run);
    if ((st = otu_files_check(a->how.common.output, a->how.common.force, is_closed(a),
                              &a->ids)) == ST_OK &&
        (st = pairs_open(a->path, &f)) == ST_OK && (st = check_file(a, f)) == ST_OK)
        st = cluster(f, a, &run);
    pairs_close(f);
    return st;
}

const command_t cmd_cluster = {
    .name = "cluster",
    .summary = "cluster the sequences of a result file into OTUs",
    .words = words,
    .usage = "--id FRACTION -o PREFIX [options]",
    .options = options,
    .renamed = cluster_args_renamed,
    .args_bytes = sizeof(args_t),
    .notes =
        "Writes PREFIX.otus.tsv and PREFIX.biom (OTUs by samples), PREFIX.reps.fasta\n"
        "(the most abundant sequence of each OTU), PREFIX.list (for mothur) and\n"
        "PREFIX.groups.h5. With several identities, as --id 0.97,0.99, files are named\n"
        "PREFIX.0.97.otus.tsv and so on, and PREFIX.list has a line for each.\n"
        "average needs a file of all pairs; the other methods also accept a file of "
        "hits\n"
        "(`align --id`). --seed and --starts are for opti, --threads for single, "
        "average\n"
        "and opti. closed takes a file of `align --against` and writes\n"
        "PREFIX.otus.tsv and PREFIX.biom (references by samples), PREFIX.map.tsv (the\n"
        "reference of each record) and PREFIX.unmatched.fasta (queries without one).\n",
    .example = "ribogrid cluster pairs.h5 --id 0.97 --method opti -o otus",
    .reads_results = true,
    .defaults = defaults,
    .run = run,
};
