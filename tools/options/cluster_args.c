/*
 * cluster_args.c - defaults and checks of the clustering options, and the clustering.
 */
#include "tools/options/cluster_args.h"

#include "io/base/logmsg.h"
#include "kernels/device/device.h"
#include "version.h"

enum { NOT_GIVEN = -1, ORDER_SIZE = 0, ORDER_LENGTH = 1, SEED = 1, STARTS = 10 };

const char *const cluster_args_program = "ribogrid " VERSION_TEXT;

const cluster_args_t cluster_args_none = {.method = NOT_GIVEN,
                                          .order = NOT_GIVEN,
                                          .seed = NOT_GIVEN,
                                          .starts = NOT_GIVEN,
                                          .threads = NOT_GIVEN};

bool cluster_args_given(const cluster_args_t *a)
{
    return a->id.denominator != 0 || a->method != NOT_GIVEN || a->order != NOT_GIVEN ||
           a->seed != NOT_GIVEN || a->starts != NOT_GIVEN || a->threads != NOT_GIVEN;
}

status_t cluster_args_settle(const command_t *command, cluster_args_t *a)
{
    if (a->method == NOT_GIVEN)
        a->method = CLUSTER_OPTI;
    if (a->id.denominator != 0 && a->id.numerator == 0)
        return options_misuse(command,
                              "give --id above 0 and at most 1, such as --id 0.97");
    if (a->order != NOT_GIVEN && a->method != CLUSTER_CENTROID)
        return options_misuse(command, "--order requires --method centroid");
    if ((a->seed != NOT_GIVEN || a->starts != NOT_GIVEN) && a->method != CLUSTER_OPTI)
        return options_misuse(command, "--seed and --starts require --method opti");
    if (a->threads != NOT_GIVEN &&
        (a->method == CLUSTER_COMPLETE || a->method == CLUSTER_CENTROID))
        return options_misuse(command, "--threads: --method %s uses one thread",
                              cluster_method_name[a->method]);
    if (a->order == NOT_GIVEN)
        a->order = ORDER_SIZE;
    if (a->seed == NOT_GIVEN)
        a->seed = SEED;
    if (a->starts == NOT_GIVEN)
        a->starts = STARTS;
    if (a->threads == NOT_GIVEN)
        a->threads = device_cpu().n_cores;
    return ST_OK;
}

static cluster_pairs_opts_t opts_of(const cluster_args_t *a)
{
    return (cluster_pairs_opts_t){.method = (cluster_method_t)a->method,
                                  .id = a->id,
                                  .by_length = a->order == ORDER_LENGTH,
                                  .seed = (uint64_t)a->seed,
                                  .n_starts = a->starts};
}

status_t cluster_args_check(const cluster_args_t *a, const pairs_file_t *file)
{
    cluster_pairs_opts_t opts = opts_of(a);

    return cluster_pairs_check(file, &opts);
}

static otu_groups_head_t head_of(const cluster_args_t *a, const pairs_file_t *file,
                                 const mcc_t *mcc)
{
    return (otu_groups_head_t){.program = cluster_args_program,
                               .input = pairs_path(file),
                               .method = cluster_method_name[a->method],
                               .order = a->method != CLUSTER_CENTROID ? NULL
                                        : a->order == ORDER_LENGTH    ? "length"
                                                                      : "size",
                               .seed = a->method == CLUSTER_OPTI ? a->seed : -1,
                               .starts = a->method == CLUSTER_OPTI ? a->starts : -1,
                               .id = a->id,
                               .min_size = 1,
                               .mcc = mcc_value(mcc),
                               .tp = mcc->tp,
                               .tn = mcc->tn,
                               .fp = mcc->fp,
                               .fn = mcc->fn};
}

status_t cluster_args_run(const cluster_args_t *a, const pairs_file_t *file,
                          int32_t *label, otu_groups_head_t *head, buf_t *joins)
{
    cluster_pairs_opts_t opts = opts_of(a);
    pool_t *pool = NULL;
    mcc_t mcc;
    status_t st = pool_create((int)a->threads, &pool);

    if (st == ST_OK &&
        (st = cluster_pairs(file, &opts, pool, label, &mcc, joins)) == ST_OK)
        *head = head_of(a, file, &mcc);
    pool_destroy(pool);
    return st;
}
