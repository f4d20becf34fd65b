/*
 * job_cnn.c - the job "cnn": its beginning, the model that it writes, and its table of
 * functions.
 */
#include "worker/cnn/job_cnn_state.h"

#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/base/texts.h"
#include "io/modelfile/cnn_model.h"
#include "worker/cnn/curve_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the child reads ---- */

static status_t prepare_child(cnn_opts_t *opts)
{
    status_t st = image_exchange_prepare(&opts->images);

    return st == ST_OK ? image_exchange_prepare(&opts->test) : st;
}

static status_t answer(const void *opts, int what, buf_t *out)
{
    const cnn_opts_t *o = opts;

    (void)out;
    return image_exchange_answer(what == CNN_CHILD_IMAGES ? &o->images : &o->test);
}

static void outputs(const job_opts_t *opts, job_outputs_t *out)
{
    const cnn_opts_t *o = (const cnn_opts_t *)opts;

    out->kind = &cnn_model_kind;
    out->extra[0] = o->csv;
    out->extra[1] = o->svg;
}

static status_t add_images(buf_t *text, const char *name, const image_set_t *set)
{
    return buf_printf(text, "%s=%" PRId64 "\n%s_digest=%016" PRIx64 "\n", name, set->n,
                      name, image_set_digest(set));
}

/* Where gradients of some images are late, it matters of which. */
static status_t add_parts(const job_cnn_t *j, buf_t *text)
{
    status_t st = buf_printf(text, "merge=%s\nparts=", cnn_merge_name[j->opts->merge]);

    for (int r = 0; st == ST_OK && r < j->n_ranks; r++)
        st = buf_printf(text, "%s%" PRId64, r > 0 ? ":" : "", job_cnn_part(j, r));
    return st == ST_OK ? buf_printf(text, "\n") : st;
}

static status_t describe(job_t *job)
{
    const job_cnn_t *j = (const job_cnn_t *)job;
    const cnn_opts_t *o = j->opts;
    const cnn_solver_t *solver = &j->net->solver;
    status_t st = buf_printf(&job->text,
                             "job=cnn\nnet_digest=%016" PRIx64 "\nbatch=%d"
                             "\nepochs=%.17g\nrate=%.17g\nseed=%" PRId64 "\ntype=%s\n",
                             digest_add(DIGEST_START, j->net->text, strlen(j->net->text)),
                             solver->batch, solver->epochs, solver->rate, o->seed,
                             cnn_number_name[o->number]);

    if (st == ST_OK && job_cnn_is_late(j))
        st = add_parts(j, &job->text);
    if (st == ST_OK)
        st = add_images(&job->text, "images", &j->images);
    if (st == ST_OK && j->images.classes != NULL)
        st = buf_printf(&job->text, "classes=%d\nclasses_digest=%016" PRIx64 "\n",
                        j->images.n_classes,
                        texts_digest(j->images.classes, j->images.n_classes,
                                     DIGEST_START));
    return st == ST_OK && j->test.n > 0 ? add_images(&job->text, "test_images", &j->test)
                                        : st;
}

static status_t opened(job_t *job)
{
    const job_cnn_t *j = (const job_cnn_t *)job;
    const image_set_t *images = &j->images;

    log_info("%s: %" PRId64 " images of %d x %d x %d, %d classes; %" PRId64
             " batches of %d",
             j->net->name, images->n, images->size[0], images->size[1], images->size[2],
             images->n_classes, j->n_iterations, j->net->solver.batch);
    return ST_OK;
}

static status_t reader(job_opts_t *opts, job_reader_t *out)
{
    cnn_opts_t *o = (cnn_opts_t *)opts;
    status_t st = prepare_child(o);

    *out = (job_reader_t){.is_needed = o->images.stream >= 0 || o->test.stream >= 0,
                          .answer = answer,
                          .files = {o->images.what.path}};
    return st;
}

static status_t begin(job_t *job, exchange_t *x)
{
    job_cnn_t *j = (job_cnn_t *)job;
    status_t st;

    j->opts = (const cnn_opts_t *)job->opts;
    st = cnn_number_check_job(j->opts->number, job->opts);
    if ((st = exchange_agree(x, st)) != ST_OK || (st = job_cnn_read(j, x)) != ST_OK)
        return st;
    job->plan = (job_plan_t){
        .kind = JOB_GANG,
        .n_tasks = job_cnn_n_tasks(j),
        .task_word = "tensors",
        .item_word = "images",
        .cost_word = "operations",
        .rate_word = "FLOPS",
        .n_steps = (j->n_iterations + JOB_CNN_ITERATIONS - 1) / JOB_CNN_ITERATIONS,
        .checkpoint_bytes = job_cnn_checkpoint_bytes(j),
    };
    return ST_OK;
}

/* Each rank computes its part of each batch; task 0 stands for all of that. */
static int64_t cost(const job_t *job, int64_t task)
{
    const job_cnn_t *j = (const job_cnn_t *)job;
    double flops = 0;

    for (int s = 0; task == 0 && s < j->training->n_steps; s++)
        flops += j->training->steps[s].flops;
    return (int64_t)(flops * JOB_CNN_ITERATIONS * j->net->solver.batch /
                     (double)job_cnn_part(j, j->rank));
}

static int64_t items(const job_t *job, int64_t task)
{
    const job_cnn_t *j = (const job_cnn_t *)job;

    return task == 0 ? j->n_iterations * j->net->solver.batch : 0;
}

/* ---- the model, of the records of the last checkpoint ---- */

/* Spread rows of three values of eight bytes. @param columns  out: [3][n] */
static status_t spread(const buf_t *rows, void *columns[3], int64_t *n)
{
    enum { VALUE = 8, ROW = 3 * VALUE };

    *n = (int64_t)(rows->len / ROW);
    for (size_t c = 0; c < 3; c++) {
        if ((columns[c] = malloc((size_t)(*n + 1) * VALUE)) == NULL)
            return log_nomem("curves");
        for (size_t i = 0; i < (size_t)*n; i++)
            memcpy((char *)columns[c] + i * VALUE, rows->data + i * ROW + c * VALUE,
                   VALUE);
    }
    return ST_OK;
}

/* The columns are those of job_cnn_point_t and of job_cnn_test_t. */
static status_t spread_curves(const job_cnn_t *j, cnn_curve_t *curve, cnn_curve_t *tests)
{
    void *points[3] = {NULL}, *tested[3] = {NULL};
    status_t st = spread(&j->points, points, &curve->n);

    if (st == ST_OK)
        st = spread(&j->tests, tested, &tests->n);
    curve->loss = points[0];
    curve->accuracy = points[1];
    curve->rate = points[2];
    tests->iteration = tested[0];
    tests->loss = tested[1];
    tests->accuracy = tested[2];
    return st;
}

static void list_arrays(const job_cnn_t *j, cnn_model_array_t *arrays)
{
    for (int k = 0; k < j->n_kept; k++) {
        const cnn_tensor_t *t = &j->training->tensors[j->kept[k]];

        arrays[k] = (cnn_model_array_t){.name = t->name,
                                        .is_parameter = t->role == CNN_PARAMETER,
                                        .rows = t->size[0],
                                        .columns = cnn_tensor_n(t) / t->size[0]};
    }
}

typedef struct {
    const job_cnn_t *job;
    buf_t record;
} log_reader_t;

/* Get a tensor's values from the log. */
static status_t get_values(void *ctx, int k, const float **values)
{
    log_reader_t *r = ctx;
    const status_t st = reslog_read(r->job->base.log, k + 1, &r->record);

    *values = (const float *)(const void *)r->record.data;
    return st;
}

/* Note how long batches took within a limit, and what was predicted. */
static void add_batch(const job_cnn_t *j, run_info_t *run)
{
    if (j->opts->limit.bytes == 0 || j->n_timed == 0)
        return;
    run_info_add(run, CNN_MODEL_STAGE_BATCH, j->batches_s / (double)j->n_timed);
    if (j->predicted_s > 0 && strcmp(j->rates.kernel, j->kernel) == 0)
        run_info_add(run, CNN_MODEL_STAGE_PREDICTED, j->predicted_s);
}

/* The curves are those of the last checkpoint. */
static status_t read_curves(job_cnn_t *j, buf_t *data, cnn_model_info_t *info)
{
    status_t st = reslog_read(j->base.log, 0, data);

    if (st == ST_OK)
        st = job_cnn_restore_curves(j, data->data, data->len, &info->choices);
    run_info_add(&info->run, CNN_MODEL_STAGE_TRAINING, j->seconds);
    add_batch(j, &info->run);
    return st == ST_OK ? spread_curves(j, &info->curve, &info->tests) : st;
}

static status_t write_model(const job_cnn_t *j, bool force, const cnn_model_info_t *info)
{
    cnn_model_array_t *arrays = calloc((size_t)j->n_kept + 1, sizeof(*arrays));
    log_reader_t reader = {.job = j};
    status_t st;

    if (arrays == NULL)
        return log_nomem("a model");
    list_arrays(j, arrays);
    st = cnn_model_write(j->opts->common.output, force, info, arrays, j->n_kept,
                         get_values, &reader);
    buf_free(&reader.record);
    free(arrays);
    return st;
}

static status_t write_files(const job_cnn_t *j, const cnn_model_info_t *info)
{
    const cnn_opts_t *o = j->opts;
    const bool force = job_opts_may_replace(&o->common);
    status_t st = ST_OK;

    if (o->csv != NULL)
        st = curve_files_csv(o->csv, force, &info->curve, &info->tests);
    if (st == ST_OK && o->svg != NULL)
        st = curve_files_svg(o->svg, force, &info->curve, &info->tests);
    return st == ST_OK ? write_model(j, force, info) : st;
}

static status_t write_result(job_t *job, const job_report_t *report)
{
    job_cnn_t *j = (job_cnn_t *)job;
    cnn_model_info_t info = {
        .net = j->net->text,
        .job = (const char *)j->base.text.data,
        .classes = j->images.classes,
        .n_classes = j->images.n_classes,
    };
    buf_t head = {0};
    job_output_run_t run;
    status_t st = job_output_run(job, j->opts->images.what.path, report, &run);

    info.run = run.info;
    if (st == ST_OK && (st = read_curves(j, &head, &info)) == ST_OK)
        st = write_files(j, &info);
    buf_free(&head);
    job_output_run_free(&run);
    cnn_curve_free(&info.curve);
    cnn_curve_free(&info.tests);
    return st;
}

static void free_job(job_t *job)
{
    job_cnn_t *j = (job_cnn_t *)job;

    cnn_program_destroy(j->training);
    cnn_program_destroy(j->inference);
    cnn_net_destroy(j->net);
    buf_free(&j->net_text);
    image_set_free(&j->images);
    image_set_free(&j->test);
    if (j->lone != NULL)
        j->lone->destroy(j->lone);
    batch_split_free(&j->split);
    free(j->kept);
    buf_free(&j->known);
    buf_free(&j->choices);
    buf_free(&j->points);
    buf_free(&j->tests);
}

const job_ops_t job_cnn_ops = {
    .name = "cnn",
    .size = sizeof(job_cnn_t),
    .settle = cnn_opts_settle,
    .reader = reader,
    .outputs = outputs,
    .is_gang = true,
    .runs_whole = true,
    .load = job_cnn_load,
    .begin = begin,
    .cost = cost,
    .items = items,
    .describe = describe,
    .check_record = job_cnn_check_record,
    .opened = opened,
    .prepare = job_cnn_prepare,
    .release = job_cnn_release,
    .is_over = job_cnn_is_over,
    .step = job_cnn_step,
    .holds = job_cnn_holds,
    .save = job_cnn_save,
    .restore = job_cnn_restore,
    .write_result = write_result,
    .free = free_job,
};
