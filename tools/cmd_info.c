/*
 * cmd_info.c - `ribogrid info`: prints what a file of ribogrid holds and how it was made.
 */
#include "io/graphfile/graph_result_read.h"
#include "io/modelfile/cnn_model.h"
#include "io/modelfile/file_kind.h"
#include "io/otu/otu_groups_read.h"
#include "io/pairs/pairs_describe.h"
#include "io/pairs/pairs_open.h"
#include "io/store/reslog.h"
#include "tools/options/commands.h"
#include "tools/print/classify_print.h"
#include "tools/print/graph_print.h"

#include <inttypes.h>
#include <stdlib.h>

static const option_t options[] = {{.kind = OPTION_END}};

static status_t describe_pairs(const char *path)
{
    pairs_file_t *file;
    status_t st = pairs_open(path, &file);

    if (st != ST_OK)
        return st;
    st = pairs_describe(file, stdout); /* main reports errors of stdout */
    pairs_close(file);
    return st;
}

static status_t describe_log(const char *path)
{
    reslog_peek_t log;
    status_t st = reslog_peek(path, &log);

    if (st != ST_OK)
        return st;
    printf("file\tformat\tribogrid-log %d\nfile\tstate\t%s\n"
           "file\ttasks\t%" PRId64 "\nfile\tfinished\t%" PRId64 "\n",
           log.version,
           log.is_held ? "in use by a run"
                       : "an unfinished run: continue it with its command and --resume",
           log.n_tasks, log.n_records);
    pairs_describe_job(log.text, stdout);
    free(log.text);
    return ST_OK;
}

static void describe_method(const otu_groups_head_t *h)
{
    char id[FRACTION_RATIO_BYTES];

    pairs_describe_line("otus", "method", h->method, stdout);
    pairs_describe_line("otus", "id", fraction_to_ratio(&h->id, id), stdout);
    if (h->order != NULL)
        pairs_describe_line("otus", "order", h->order, stdout);
    if (h->seed >= 0)
        printf("otus\tseed\t%" PRId64 "\n", h->seed);
    if (h->starts >= 0)
        printf("otus\tstarts\t%" PRId64 "\n", h->starts);
    printf("otus\tmin_size\t%" PRId64 "\n", h->min_size);
    printf("otus\tmcc\t%.6f\notus\ttp\t%" PRId64 "\notus\ttn\t%" PRId64
           "\notus\tfp\t%" PRId64 "\notus\tfn\t%" PRId64 "\n",
           h->mcc, h->tp, h->tn, h->fp, h->fn);
}

static status_t describe_groups(const char *path)
{
    otu_groups_t groups;
    const otu_table_t *t;
    status_t st = otu_groups_read(path, &groups);

    if (st != ST_OK)
        return st;
    t = groups.table;
    printf("file\tformat\t" OTU_GROUPS_FORMAT " %" PRId64 ".%" PRId64
           "\nfile\tsequences\t%" PRId64 "\nfile\totus\t%" PRId64
           "\nfile\totus_of_one\t%" PRId64 "\nfile\tlargest\t%" PRId64
           "\nfile\tsequences_left_out\t%" PRId64 "\n",
           groups.version, groups.version_minor, t->n, t->n_otus, otu_table_n_single(t),
           t->n_otus > 0 ? t->size[0] : 0, t->n_left_out);
    describe_method(&groups.head);
    pairs_describe_line("run", "input", groups.head.input, stdout);
    pairs_describe_line("run", "program", groups.head.program, stdout);
    otu_groups_free(&groups);
    return ST_OK;
}

static status_t describe_network(const char *path)
{
    cnn_model_t *model;
    const cnn_model_info_t *info;
    status_t st = cnn_model_open(path, &model);

    if (st != ST_OK)
        return st;
    info = cnn_model_info(model);
    printf("file\tformat\t" CNN_MODEL_FORMAT " %d.%d\nfile\tbatches\t%" PRId64 "\n",
           CNN_MODEL_VERSION_MAJOR, CNN_MODEL_VERSION_MINOR, info->curve.n);
    if (info->classes != NULL)
        printf("file\tclasses\t%d\n", info->n_classes);
    if (info->curve.n > 0)
        printf("file\tloss\t%.6g\n", info->curve.loss[info->curve.n - 1]);
    if (info->tests.n > 0)
        printf("file\ttest_loss\t%.6g\nfile\ttest_accuracy\t%.6g\n",
               info->tests.loss[info->tests.n - 1],
               info->tests.accuracy[info->tests.n - 1]);
    pairs_describe_job(info->job, stdout);
    pairs_describe_line("run", "command_line", info->command_line, stdout);
    pairs_describe_line("run", "program", info->version, stdout);
    printf("run\tseconds\t%.3f\n", info->seconds);
    cnn_model_close(model);
    return ST_OK;
}

static status_t describe(const char *path)
{
    file_kind_t kind;

    if (reslog_is_log(path))
        return describe_log(path);
    if (file_kind_read(path, &kind) != ST_OK)
        return ST_EINPUT;
    switch (kind) {
    case FILE_OTU_GROUPS:
        return describe_groups(path);
    case FILE_GRAPH_RESULT:
        return graph_print_info(path, stdout);
    case FILE_CLASS_MODEL:
        return classify_print_model(path, stdout);
    case FILE_CLASS_RESULT:
        return classify_print_result(path, stdout);
    case FILE_CNN_MODEL:
        return describe_network(path);
    default:
        return describe_pairs(path);
    }
}

static int run(int argc, char **argv)
{
    const char *words[OPTIONS_WORDS_MAX] = {NULL};
    job_opts_t args = job_opts_defaults();
    status_t st = options_parse(&cmd_info, argc, argv, &args, words);

    return status_exit_code(st != ST_OK ? st : describe(words[0]));
}

const command_t cmd_info = {
    .name = "info",
    .summary = "print what a file of ribogrid holds and how it was made",
    .usage = "PAIRS.h5 | PREFIX.groups.h5 | GRAPH.h5 | NAMES.h5 | MODEL.h5 | OUT.h5.part",
    .options = options,
    .args_bytes = sizeof(job_opts_t),
    .notes =
        "Prints lines of three columns: kind (file, job, otus, run), name, value.\n"
        "GRAPH.h5 is a result of `graph`, NAMES.h5 of `classify`, MODEL.h5 of `classify "
        "train`;\nOUT.h5.part is what an unfinished run of `align`, `graph` or "
        "`classify` leaves.\n",
    .example = "ribogrid info pairs.h5 | grep ^job",
    .n_words_min = 1,
    .n_words_max = 1,
    .words_are_inputs = true,
    .reads_results = true,
    .run = run,
};
