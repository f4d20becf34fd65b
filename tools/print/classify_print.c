/*
 * classify_print.c - reads a file of `classify` and prints it.
 */
#include "tools/print/classify_print.h"

#include "io/modelfile/class_lines.h"
#include "io/modelfile/class_model.h"
#include "io/pairs/pairs_describe.h"

#include <inttypes.h>
#include <string.h>

status_t classify_print_names(const char *path, bool has_header, FILE *to)
{
    class_result_t r;
    status_t st = class_result_read(path, &r);

    if (st != ST_OK)
        return st;
    st = class_lines_print(&r, CLASS_FORMAT_TSV, has_header, to);
    class_result_free(&r);
    return st;
}

static void print_run(const class_run_t *run, FILE *to)
{
    run_info_print_line("run", "program", run->program, to);
    run_info_print_line("run", "command", run->command, to);
    run_info_print_line("run", "input", run->input, to);
    run_info_print_line("run", "started", run->started, to);
    run_info_print_line("run", "finished", run->finished, to);
    fprintf(to, "run\tseconds\t%.3f\nrun\tranks\t%" PRId64 "\n", run->seconds,
            run->ranks);
    for (const char *at = run->devices; *at != '\0';) {
        int len = (int)strcspn(at, "\n");

        fprintf(to, "run\tdevice\t%.*s\n", len, at);
        at += len + (at[len] == '\n');
    }
}

status_t classify_print_model(const char *path, FILE *to)
{
    class_model_t m;
    class_run_t run;
    status_t st = class_model_read(path, &m, &run);

    if (st != ST_OK)
        return st;
    fprintf(to,
            "file\tformat\t" CLASS_MODEL_FORMAT " %d.%d\nfile\treferences\t%" PRId64
            "\nfile\tbases\t%" PRId64 "\nfile\ttaxa\t%" PRId32 "\nfile\tranks\t%d\n"
            "file\trules\t%" PRId64 "\n",
            CLASS_MODEL_VERSION_MAJOR, CLASS_MODEL_VERSION_MINOR, m.refs->n,
            m.refs->offset[m.refs->n], m.taxa.n - 1, class_taxa_n_ranks(&m.taxa),
            m.n_rules);
    run_info_print_job(run.job, to);
    print_run(&run, to);
    class_model_free(&m);
    class_run_free(&run);
    return ST_OK;
}

status_t classify_print_result(const char *path, FILE *to)
{
    int64_t n_named = 0;
    class_result_t r;
    status_t st = class_result_read(path, &r);

    if (st != ST_OK)
        return st;
    for (int64_t i = 0; i < r.calls.n; i++)
        n_named += r.calls.named[i] > 0;
    fprintf(to,
            "file\tformat\t" CLASS_RESULT_FORMAT " %d.%d\nfile\treads\t%" PRId64
            "\nfile\tclassified\t%" PRId64 "\nfile\ttaxa\t%" PRId32 "\n",
            CLASS_RESULT_VERSION_MAJOR, CLASS_RESULT_VERSION_MINOR, r.calls.n, n_named,
            r.taxa.n - 1);
    run_info_print_job(r.run.job, to);
    print_run(&r.run, to);
    class_result_free(&r);
    return ST_OK;
}
