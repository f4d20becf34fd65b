/*
 * cluster_args.c - defaults and checks of the clustering options, and the clustering.
 */
#include "tools/options/cluster_args.h"

#include "tools/options/option_tables.h"
#include "version.h"

enum { ORDER_ABUNDANCE, ORDER_LENGTH };

const char *const cluster_args_program = "ribogrid " VERSION_TEXT;

#define AT(member) OPTION_AT(cluster_args_t, member)

const option_t cluster_args_options[] = {
    {.word = WORD_ORDER,
     AT(order),
     .value = "abundance|length",
     .help = ", with centroid: the most abundant or the longest sequences ({})"},
    {OPTION_INT, "starts", 0, AT(starts), "N",
     "opti: number of random orders to try; the best result is kept ({})", 1,
     CLUSTER_STARTS_MAX},
    {.kind = OPTION_TABLE, AT(seed), .table = option_seed},
    {.kind = OPTION_TABLE, .table = option_threads},
    {.kind = OPTION_END}};

const option_rename_t cluster_args_renamed[] = {{"order", "size", "abundance"}, {NULL}};

cluster_args_t cluster_args_defaults(void)
{
    return (cluster_args_t){.common = job_opts_defaults(),
                            .method = CLUSTER_OPTI,
                            .order = ORDER_ABUNDANCE,
                            .seed = CLUSTER_SEED,
                            .starts = CLUSTER_STARTS};
}

bool cluster_args_given(const cluster_args_t *a)
{
    return IS_GIVEN(a, method) || IS_GIVEN(a, order) || IS_GIVEN(a, seed) ||
           IS_GIVEN(a, starts) || IS_GIVEN(a, common.n_threads);
}

status_t cluster_args_check_options(const command_t *command, const cluster_args_t *a)
{
    if (a->id.denominator != 0 && a->id.numerator == 0)
        return options_misuse(command,
                              "give --id above 0 and at most 1, such as --id 0.97");
    if (IS_GIVEN(a, order) && a->method != CLUSTER_CENTROID)
        return options_misuse(command, "--order requires --method centroid");
    if ((IS_GIVEN(a, seed) || IS_GIVEN(a, starts)) && a->method != CLUSTER_OPTI)
        return options_misuse(command, "--seed and --starts require --method opti");
    if (IS_GIVEN(a, common.n_threads) &&
        (a->method == CLUSTER_COMPLETE || a->method == CLUSTER_CENTROID))
        return options_misuse(command, "--threads: --method %s uses one thread",
                              cluster_method_name[a->method]);
    return ST_OK;
}

static cluster_pairs_opts_t opts_of(const cluster_args_t *a)
{
    return (cluster_pairs_opts_t){.method = (cluster_method_t)a->method,
                                  .id = a->id,
                                  .by_length = a->order == ORDER_LENGTH,
                                  .seed = (uint64_t)a->seed,
                                  .n_starts = a->starts,
                                  .from = a->from};
}

status_t cluster_args_check(const cluster_args_t *a, const pairs_file_t *file)
{
    cluster_pairs_opts_t opts = opts_of(a);

    return cluster_pairs_check(file, &opts);
}

/* @param mcc  NULL: not known */
static otu_groups_head_t head_of(const cluster_args_t *a, const pairs_file_t *file,
                                 const mcc_t *mcc)
{
    const cluster_pairs_opts_t opts = opts_of(a);
    otu_groups_head_t head = cluster_head(&opts, mcc);

    head.program = cluster_args_program;
    head.input = file->path;
    return head;
}

otu_groups_head_t cluster_args_head(const cluster_args_t *a, const pairs_file_t *file)
{
    return head_of(a, file, NULL);
}

status_t cluster_args_run(const cluster_args_t *a, const pairs_file_t *file,
                          int32_t *label, otu_groups_head_t *head, buf_t *joins)
{
    cluster_pairs_opts_t opts = opts_of(a);
    pool_t *pool = NULL;
    mcc_t mcc;
    status_t st = job_opts_pool(&a->common, &pool);

    if (st == ST_OK &&
        (st = cluster_pairs(file, &opts, pool, label, &mcc, joins)) == ST_OK)
        *head = head_of(a, file, &mcc);
    pool_destroy(pool);
    return st;
}
