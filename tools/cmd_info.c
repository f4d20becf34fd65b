/*
 * cmd_info.c - `ribogrid info`: prints what a file of ribogrid holds and how it was made.
 */
#include "io/pairs/pairs_file.h"
#include "io/result/run_info.h"
#include "io/store/reslog.h"
#include "tools/options/commands.h"
#include "tools/print/file_printers.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct {
    job_opts_t common;
    const char *path;
} args_t;

static const option_t words[] = {{OPTION_INPUT, "FILE.h5 | OUT.h5.part", 0,
                                  OPTION_AT(args_t, path)},
                                 {.kind = OPTION_END}};

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
    if (log.n_shards > 1)
        printf("file\tlogs\t%d: this one, and those of other ranks beside the first\n",
               log.n_shards);
    run_info_print_job(log.text, stdout);
    free(log.text);
    return ST_OK;
}

static status_t run(void *args)
{
    const char *path = ((const args_t *)args)->path;
    const file_printer_t *printer;
    status_t st;

    if (reslog_is_log(path))
        return describe_log(path);
    if ((st = file_printers_find(path, &printer)) != ST_OK)
        return st;
    if (printer == NULL)
        return describe_pairs(path);
    return file_printer_describe(printer, path, stdout);
}

const command_t cmd_info = {
    .name = "info",
    .summary = "print what a file of ribogrid holds and how it was made",
    .words = words,
    .usage = "",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes = "Prints lines of three columns: kind (file, job, otus, run), name, value.\n"
             "FILE.h5 is what `align`, `cluster`, `graph`, `graph make`, `classify`, "
             "`classify\n"
             "train` or `cnn train` has written; OUT.h5.part is what an unfinished run "
             "of a job\n"
             "leaves.\n",
    .example = "ribogrid info pairs.h5 | grep ^job",
    .reads_results = true,
    .run = run,
};
