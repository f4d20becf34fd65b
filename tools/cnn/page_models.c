/*
 * page_models.c - learning curves, and the plans of networks.
 */
#include "tools/cnn/cnn_pages.h"

#include "cnn/plan/cnn_plan.h"
#include "cnn/plan/plan_summary.h"
#include "io/base/byte_size.h"
#include "io/base/logmsg.h"
#include "io/report/report_figures.h"
#include "worker/cnn/cnn_opts.h"
#include "worker/cnn/curve_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_BYTES = 64, ID_BYTES = 32 };

/* ---- opening ---- */

/* Copy a value of a job's text, "name=value" per line. @return whether it has it */
static bool find_value(const char *job, const char *name, char value[VALUE_BYTES])
{
    const size_t len = strlen(name);

    for (const char *line = job; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, len) == 0 && line[len] == '=') {
            snprintf(value, VALUE_BYTES, "%.*s", (int)strcspn(line + len + 1, "\n"),
                     line + len + 1);
            return true;
        }
    }
    return false;
}

/* Take batch and type of the job that trained the network. */
static status_t take_job(const page_model_t *m, cnn_plan_options_t *plan)
{
    const char *job = cnn_model_info(m->model)->job;
    char batch[VALUE_BYTES], type[VALUE_BYTES];
    int t = 0;

    if (find_value(job, "batch", batch) && find_value(job, "type", type)) {
        while (t < 3 && strcmp(type, cnn_number_name[t]) != 0)
            t++;
        plan->n_images = strtoll(batch, NULL, 10);
        plan->types = (cnn_plan_types_t)t;
        if (t < 3 && plan->n_images >= 1 && plan->n_images <= CNN_PLAN_MAX_IMAGES)
            return ST_OK;
    }
    log_error("%s: its job has no valid batch and type; give a model that `ribogrid cnn "
              "train` wrote",
              m->path);
    return ST_EINPUT;
}

status_t page_model_open(const char *path, bool is_trained, page_model_t *out)
{
    page_model_t m = {.path = path};
    cnn_plan_options_t plan = {.types = CNN_PLAN_FP32, .purpose = CNN_PLAN_TRAINING};
    status_t st = is_trained ? cnn_model_open(path, &m.model) : ST_OK;

    if (st == ST_OK && is_trained)
        st = cnn_net_parse(path, cnn_model_info(m.model)->net,
                           (int)cnn_model_info(m.model)->n_classes, &m.net);
    else if (st == ST_OK)
        st = cnn_net_read(path, 0, &m.net);
    if (st == ST_OK) {
        plan.n_images = m.net->solver.batch;
        st = is_trained ? take_job(&m, &plan) : ST_OK;
    }
    if (st == ST_OK)
        st = cnn_plan_compile(m.net, &plan, &m.program);
    if (st != ST_OK) {
        page_model_close(&m);
        return st;
    }
    snprintf(m.type, sizeof(m.type), "%s", cnn_number_name[plan.types]);
    *out = m;
    return ST_OK;
}

void page_model_close(page_model_t *m)
{
    cnn_model_close(m->model);
    cnn_net_destroy(m->net);
    cnn_program_destroy(m->program);
    *m = (page_model_t){.path = NULL};
}

/* ---- training ---- */

static void draw_curve(FILE *to, const cnn_model_info_t *info, bool is_loss, int number)
{
    double x[CURVE_FILES_MEANS_MAX], y[CURVE_FILES_MEANS_MAX];
    const double *values = is_loss ? info->curve.loss : info->curve.accuracy;
    const double *tests = is_loss ? info->tests.loss : info->tests.accuracy;
    const int n = curve_files_means(values, info->curve.n, x, y);
    double *at = malloc((size_t)info->tests.n * sizeof(*at) + 1);
    char id[ID_BYTES];

    snprintf(id, sizeof(id), "%s-%d", is_loss ? "loss" : "accuracy", number);
    for (int64_t i = 0; at != NULL && i < info->tests.n; i++)
        at[i] = (double)info->tests.iteration[i];
    const report_series_t series[] = {{"training", n, x, y, true, false},
                                      {"test images", at != NULL ? (int)info->tests.n : 0,
                                       at, tests, false, true}};

    fputs("<div>", to);
    (void)report_lines_draw(to,
                            &(report_lines_t){.id = id,
                                              .label = is_loss ? "Loss of training"
                                                               : "Accuracy of "
                                                                 "training",
                                              .x_title = "batches",
                                              .y_title = is_loss ? "loss" : "accuracy",
                                              .y_unit = "",
                                              .y_max = is_loss ? 0 : 1,
                                              .series = series,
                                              .n_series = info->tests.n > 0 ? 2 : 1});
    fputs("</div>\n", to);
    free(at);
}

static void write_value(FILE *to, const char *job, const char *name)
{
    char value[VALUE_BYTES];

    page_number_cell(to, find_value(job, name, value) ? strtod(value, NULL) : NAN);
}

static double last_of(const double *values, int64_t n)
{
    double x[CURVE_FILES_MEANS_MAX], y[CURVE_FILES_MEANS_MAX];
    const int count = curve_files_means(values, n, x, y);

    return count > 0 ? y[count - 1] : NAN;
}

static double best_of(const double *values, int64_t n)
{
    double best = NAN;

    for (int64_t i = 0; i < n; i++)
        best = fmax(best, values[i]); /* of a number and NAN: the number */
    return best;
}

static void write_model(FILE *to, const page_model_t *m)
{
    static const char *const names[] = {"images", "batch", "epochs", "rate", "seed"};
    const cnn_model_info_t *info = cnn_model_info(m->model);
    const int64_t n = info->tests.n;

    fputs("<tr>", to);
    page_text_cell(to, "td", m->path);
    for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
        write_value(to, info->job, names[k]);
    page_text_cell(to, "td", m->type);
    page_number_cell(to, run_info_stage(&info->run, CNN_MODEL_STAGE_TRAINING));
    page_number_cell(to, last_of(info->curve.loss, info->curve.n));
    page_percent_cell(to, last_of(info->curve.accuracy, info->curve.n));
    page_number_cell(to, n > 0 ? info->tests.loss[n - 1] : NAN);
    page_percent_cell(to, n > 0 ? info->tests.accuracy[n - 1] : NAN);
    page_percent_cell(to, best_of(info->tests.accuracy, n));
    fputs("</tr>\n", to);
}

static void write_training(FILE *to, const page_model_t *models, int n)
{
    fputs("<h2>Training</h2>\n<p>Lines are batches of training, or means over a "
          "hundredth of "
          "them where they are many; points are the test images, after each epoch.</p>\n",
          to);
    for (int i = 0; i < n; i++) {
        if (models[i].model == NULL)
            continue;
        fputs("<h3>", to);
        svg_draw_text(to, models[i].path);
        fputs("</h3>\n<div class=\"pair\">\n", to);
        draw_curve(to, cnn_model_info(models[i].model), true, i + 1);
        draw_curve(to, cnn_model_info(models[i].model), false, i + 1);
        fputs("</div>\n", to);
    }
    fputs("<div class=\"wide\"><table id=\"training\" class=\"numbers\">\n"
          "<tr><th>model</th><th>images</th><th>batch</th><th>epochs</th><th>rate</th>"
          "<th>seed</th><th>type</th><th>seconds</th><th>last loss</th>"
          "<th>last % right</th><th>test loss</th><th>test % right</th>"
          "<th>best</th></tr>\n",
          to);
    for (int i = 0; i < n; i++)
        if (models[i].model != NULL)
            write_model(to, &models[i]);
    fputs("</table></div>\n", to);
}

/* ---- limits ---- */

/* Copy the limit of a training's command line; "" if there is none. */
static void find_limit(const char *command, char limit[VALUE_BYTES])
{
    static const char option[] = "--device-memory";
    const char *at = command != NULL ? strstr(command, option) : NULL;

    limit[0] = '\0';
    if (at != NULL) {
        at += strlen(option);
        at += strspn(at, "= ");
        snprintf(limit, VALUE_BYTES, "%.*s", (int)strcspn(at, " "), at);
    }
}

static void write_limit(FILE *to, const page_model_t *m)
{
    const run_info_t *run = &cnn_model_info(m->model)->run;
    const double images = (double)m->program->tensors[0].size[0];
    const double s = run_info_stage(run, CNN_MODEL_STAGE_BATCH),
                 predicted = run_info_stage(run, CNN_MODEL_STAGE_PREDICTED);
    char limit[VALUE_BYTES];

    find_limit(run->command, limit);
    fputs("<tr>", to);
    page_text_cell(to, "td", m->path);
    page_text_cell(to, "td", limit);
    page_number_cell(to, predicted > 0 ? images / predicted : NAN);
    page_number_cell(to, images / s);
    page_percent_cell(to, predicted > 0 ? predicted / s : NAN);
    fputs("</tr>\n", to);
}

/* Write predicted beside measured speeds of trainings within a limit, if there are any.
 */
static void write_limits(FILE *to, const page_model_t *models, int n)
{
    bool has_any = false;

    for (int i = 0; i < n; i++) {
        if (models[i].model == NULL ||
            run_info_stage(&cnn_model_info(models[i].model)->run,
                           CNN_MODEL_STAGE_BATCH) <= 0)
            continue;
        if (!has_any)
            fputs("<p>Training within a limit of the device's memory. Predictions are "
                  "those from rates that the machine had kept; a dash: there were "
                  "none.</p>\n<div class=\"wide\"><table id=\"limits\" "
                  "class=\"numbers\">\n<tr><th>model</th><th>limit</th>"
                  "<th>images/s, predicted</th><th>measured</th>"
                  "<th>measured, % of predicted</th></tr>\n",
                  to);
        has_any = true;
        write_limit(to, &models[i]);
    }
    if (has_any)
        fputs("</table></div>\n", to);
}

/* ---- memory ---- */

static void write_size(FILE *to, const char *name, size_t bytes)
{
    char text[BYTE_SIZE_TEXT_BYTES];

    fprintf(to, "<tr><td>%s</td><td>%s</td></tr>\n", name,
            byte_size_text((double)bytes, text));
}

static void write_sizes(FILE *to, const plan_summary_t *s)
{
    fputs("<section><table class=\"numbers\">\n<tr><th>memory</th><th></th></tr>\n", to);
    write_size(to, "parameters", s->parameter_bytes);
    write_size(to, "states of the solver", s->state_bytes);
    write_size(to, "images and outputs", s->batch_bytes);
    write_size(to, "activations and gradients", s->shared_bytes);
    write_size(to, "all", s->arena_bytes);
    fputs("</table></section>\n", to);
}

static void write_kinds(FILE *to, const plan_summary_t *s)
{
    double all = 0;

    for (int k = 0; k < CNN_N_KINDS; k++)
        all += s->kinds[k].flops;
    fputs("<section><table class=\"numbers\">\n<tr><th>layers</th><th>steps</th>"
          "<th>GFLOP per batch</th><th>%</th></tr>\n",
          to);
    for (int k = 0; k < CNN_N_KINDS; k++) {
        if (s->kinds[k].n_steps == 0)
            continue;
        fputs("<tr>", to);
        page_text_cell(to, "td", cnn_kind_name((cnn_kind_t)k));
        page_number_cell(to, s->kinds[k].n_steps);
        page_number_cell(to, s->kinds[k].flops / 1e9);
        page_percent_cell(to, all > 0 ? s->kinds[k].flops / all : NAN);
        fputs("</tr>\n", to);
    }
    fputs("</table></section>\n", to);
}

static void write_plan(FILE *to, const page_model_t *m, int number)
{
    const plan_summary_t s = plan_summary_of(m->program);
    char count[SVG_NUMBER_BYTES];

    fputs("<h3>", to);
    svg_draw_text(to, m->path);
    fprintf(to, ": training, batches of %" PRId64 ", %s, %s parameters</h3>\n",
            m->program->tensors[0].size[0], m->type,
            svg_draw_count(s.n_parameters, count));
    plan_chart_embed(to, number, "Memory over the steps of a batch", m->program);
    fputs("<div class=\"pair\">\n", to);
    write_sizes(to, &s);
    write_kinds(to, &s);
    fputs("</div>\n", to);
}

void page_models_write(FILE *to, const page_model_t *models, int n)
{
    bool has_models = false;

    for (int i = 0; i < n; i++)
        has_models = has_models || models[i].model != NULL;
    if (has_models)
        write_training(to, models, n);
    write_limits(to, models, n);
    if (n == 0)
        return;
    fputs("<h2>Memory</h2>\n<p>What lives at each step of a batch that one rank "
          "computes alone; point at a step for its name and sizes.</p>\n",
          to);
    for (int i = 0; i < n; i++)
        write_plan(to, &models[i], i + 1);
}
