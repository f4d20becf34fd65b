/*
 * cmd_cnn_report.c - `ribogrid cnn report`: trained networks, plans, and tables of times
 * as one HTML page.
 */
#include "io/base/logmsg.h"
#include "io/base/plural.h"
#include "io/images/image_read.h"
#include "io/report/report_figures.h"
#include "tools/cnn/cnn_pages.h"
#include "tools/options/commands.h"
#include "tools/options/option_tables.h"
#include "tools/print/file_printers.h"
#include "worker/cnn/curve_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    job_opts_t common;
    const char *files[OPTIONS_WORDS_MAX];
    const char *title;
} args_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t words[] = {{OPTION_INPUT, "FILE...", 0, AT(files),
                                  .max = OPTIONS_WORDS_MAX},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.word = WORD_OUTPUT, AT(common.output), .value = "REPORT.html", .help = " (stdout)"},
    {.word = WORD_TITLE, AT(title)},
    {.kind = OPTION_TABLE, .table = option_input},
    {.kind = OPTION_TABLE, .table = option_force},
    {.kind = OPTION_END}};

/* Everything that goes into the page. */
typedef struct {
    const char *const *words; /* [n_words] */
    int n_words;
    page_model_t models[OPTIONS_WORDS_MAX];
    int n_models;
    time_table_t times;
    buf_t files; /* a NUL-terminated text */
} content_t;

/* Read what a word names: a model, a table of times, or a network. */
static status_t read_word(content_t *c, const char *word)
{
    bool is_table = false, is_trained = false;
    status_t st = ST_OK;

    if (access(word, F_OK) == 0) {
        is_trained = image_read_is_hdf5(word);
        if (!is_trained)
            st = time_table_read(word, &c->times, &is_table);
    }
    if (st != ST_OK || is_table)
        return st;
    st = page_model_open(word, is_trained, &c->models[c->n_models]);
    c->n_models += st == ST_OK;
    return st;
}

static status_t list_files(content_t *c)
{
    status_t st = ST_OK;

    for (int i = 0; st == ST_OK && i < c->n_words; i++)
        st = buf_printf(&c->files, "%s%s", i > 0 ? ", " : "", c->words[i]);
    return st == ST_OK ? buf_append(&c->files, "", 1) : st;
}

/* Describe how the files were made. */
static status_t describe(const void *content, FILE *to)
{
    const content_t *c = content;

    for (int i = 0; i < c->n_models; i++) {
        const page_model_t *m = &c->models[i];
        const cnn_model_info_t *info = m->model != NULL ? cnn_model_info(m->model) : NULL;

        if (info != NULL)
            fprintf(to, "run\t%s\t%s\nrun\t%s\t%s\n", m->path, info->run.command, m->path,
                    info->run.program);
    }
    if (c->times.notes.len > 0)
        fwrite(c->times.notes.data, 1, c->times.notes.len, to);
    for (int i = 0; i < c->n_words; i++)
        fprintf(to, "report\tfile\t%s\n", c->words[i]);
    return ST_OK;
}

static void write_cards(FILE *to, const content_t *c)
{
    const time_row_t *fastest = page_times_fastest(&c->times);
    int n_trained = 0;

    for (int i = 0; i < c->n_models; i++)
        n_trained += c->models[i].model != NULL;
    fputs("<div class=\"cards\">\n", to);
    if (n_trained > 0)
        report_frame_card(to, "n-models", n_trained, "trained network%s",
                          plural(n_trained));
    if (c->n_models > 0)
        report_frame_card(to, "n-plans", c->n_models, "plan%s", plural(c->n_models));
    if (c->times.n > 0)
        report_frame_card(to, "n-times", c->times.n, "measurement%s", plural(c->times.n));
    if (fastest != NULL)
        report_frame_card(to, "fastest", (int64_t)fastest->value[TIME_IMAGES_PER_S],
                          "images/s at most: %s, %s %s, batch %s",
                          fastest->word[TIME_NET], fastest->word[TIME_KERNEL],
                          fastest->word[TIME_TYPE], fastest->word[TIME_BATCH]);
    fputs("</div>\n", to);
}

static status_t write_page(const void *content, const char *title, const char *about,
                           FILE *to)
{
    const content_t *c = content;
    status_t st;

    report_frame_begin(to, title != NULL ? title : "Neural networks",
                       (const char *)c->files.data);
    write_cards(to, c);
    page_models_write(to, c->models, c->n_models);
    st = page_times_write(to, &c->times);
    report_frame_end(to, about);
    return st;
}

static status_t report(const file_report_t *how, const char *const *files)
{
    static const page_kind_t kind = {describe, write_page};
    content_t content = {.words = files}, *c = &content;
    status_t st = ST_OK;

    while (c->n_words < OPTIONS_WORDS_MAX && c->words[c->n_words] != NULL)
        c->n_words++;
    for (int i = 0; st == ST_OK && i < c->n_words; i++)
        st = read_word(c, c->words[i]);
    if (st == ST_OK && (st = list_files(c)) == ST_OK)
        st = page_draw(&kind, how, c);
    for (int i = 0; i < c->n_models; i++)
        page_model_close(&c->models[i]);
    time_table_free(&c->times);
    buf_free(&c->files);
    return st;
}

/* Draw the page on one trained network, for `ribogrid report`. */
static status_t draw_model(const file_report_t *how)
{
    const char *const files[OPTIONS_WORDS_MAX] = {how->input};

    return report(how, files);
}

/* ---- a trained network, for `info` and `view` ---- */

static status_t describe_model(const char *path, FILE *to)
{
    cnn_model_t *model;
    const cnn_model_info_t *info;
    status_t st = cnn_model_open(path, &model);

    if (st != ST_OK)
        return st;
    info = cnn_model_info(model);
    fprintf(to, "file\tbatches\t%" PRId64 "\n", info->curve.n);
    if (info->classes != NULL)
        fprintf(to, "file\tclasses\t%" PRId64 "\n", info->n_classes);
    if (info->curve.n > 0)
        fprintf(to, "file\tloss\t%.6g\n", info->curve.loss[info->curve.n - 1]);
    if (info->tests.n > 0)
        fprintf(to, "file\ttest_loss\t%.6g\nfile\ttest_accuracy\t%.6g\n",
                info->tests.loss[info->tests.n - 1],
                info->tests.accuracy[info->tests.n - 1]);
    run_info_print_job(info->job, to);
    cnn_model_close(model);
    return ST_OK;
}

/* Print one line per batch, as `cnn train --csv` does, but with tabs. */
static status_t print_curve(const char *path, bool has_header, FILE *to)
{
    cnn_model_t *model;
    status_t st = cnn_model_open(path, &model);

    if (st != ST_OK)
        return st;
    curve_files_print(&cnn_model_info(model)->curve, &cnn_model_info(model)->tests, '\t',
                      has_header, to);
    cnn_model_close(model);
    return ST_OK;
}

const file_printer_t cnn_model_printer = {"cnn train", describe_model, print_curve,
                                          draw_model};

static status_t run(void *args)
{
    const args_t *a = args;

    return report(&(file_report_t){.output = a->common.output,
                                   .title = a->title,
                                   .force = a->common.force},
                  a->files);
}

const command_t cmd_cnn_report = {
    .name = "cnn report",
    .summary = "draw trained networks, their memory, and times as one HTML page",
    .words = words,
    .usage = "-o REPORT.html [options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes = "FILE, in any order and number up to 16: a model of `cnn train`, a table of "
             "`cnn\n"
             "time` (its stdout), or a network: its name or an INI file. The page shows "
             "learning\n"
             "curves, the memory of each plan, images per second and energy per image "
             "over\n"
             "batches and clocks, and shares of the kinds of layers, as far as the files "
             "have\n"
             "them. It loads no other file; its only script saves pictures as SVG "
             "files.\n",
    .example = "ribogrid cnn time lenet --batch 8,64,512 --kinds > times.tsv && "
               "ribogrid cnn report lenet.h5 times.tsv -o report.html",
    .reads_results = true,
    .run = run,
};
