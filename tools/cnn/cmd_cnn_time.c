/*
 * cmd_cnn_time.c - `ribogrid cnn time`: images per second and joules per image.
 */
#include "cnn/energy/energy_meter.h"
#include "cnn/memory/device_limit.h"
#include "cnn/plan/cnn_plan.h"
#include "io/base/logmsg.h"
#include "io/base/memory_limit.h"
#include "io/base/near_word.h"
#include "io/file/whole_file.h"
#include "kernels/registry/backends.h"
#include "tools/cnn/cnn_times.h"
#include "tools/options/commands.h"
#include "tools/options/option_tables.h"
#include "tools/options/options.h"
#include "worker/cnn/cnn_opts.h"
#include "worker/cnn/place_choice.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_CLOCK_MHZ = 10000 };

typedef struct {
    job_opts_t common; /* its kernel may be a list */
    const char *net;
    const char *batches, *types, *clocks;
    int64_t n_windows, seed;
    int64_t half_seconds; /* of a window; 0: ENERGY_WINDOW_S with a source of energy, else
                           * 1 s */
    bool is_by_kind, any_order;
    device_limit_t limit;
    cnn_place_t place;
} args_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t words[] = {{OPTION_INPUT, "NET", 0, OPTION_AT(args_t, net)},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "What to measure"},
    {.kind = OPTION_TEXT,
     .word = WORD_BATCH,
     AT(batches),
     .value = "N,...",
     .help = " (the network's)"},
    {.kind = OPTION_TEXT,
     .word = WORD_TYPE,
     AT(types),
     .value = "fp32|tf32|bf16,...",
     .help = " ({})"},
    {OPTION_FLAG, "kinds", 0, AT(is_by_kind), NULL,
     "then measure each kind of layer alone, and copies: what `cnn plan` predicts from"},
    {.kind = OPTION_TABLE, AT(seed), .table = option_seed},
    {.kind = OPTION_TABLE, .table = option_input},

    {.kind = OPTION_TABLE, .table = option_device},
    {.kind = OPTION_TABLE, AT(limit), .table = option_training_limit},
    {.word = WORD_PLACE, AT(place), .help = " ({})"},
    {OPTION_FLAG, "any-order", 0, AT(any_order), NULL,
     "also take algorithms whose sums depend on the order of arrival, which training "
     "never does"},
    {OPTION_TEXT, "clocks", 0, AT(clocks), "MHZ,...",
     "lock the clock of the GPU's cores, for one table each (it is left alone)"},

    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_OUTPUT, AT(common.output), .help = " (stdout)"},
    {.kind = OPTION_TABLE, .table = option_force},

    {.kind = OPTION_GROUP, .name = "Run"},
    {.word = WORD_RUNS,
     AT(n_windows),
     .max = TIME_RUN_WINDOWS_MAX,
     .help = ": windows of --seconds ({})"},
    {.word = WORD_SECONDS,
     AT(half_seconds),
     .min = 1,
     .max = 7200,
     .help = ": each window (3; 1 without a source of energy)"},
    {.kind = OPTION_END}};

/* ---- lists on the command line ---- */

enum { TIME_LIST_MAX = 64, TIME_WORD_BYTES = 32, N_TYPES = 3 };

typedef struct {
    int n;
    char word[TIME_LIST_MAX][TIME_WORD_BYTES];
    int64_t value[TIME_LIST_MAX]; /* of words that stand for numbers */
} time_list_t;

/* Split a list at its commas.
 * @param option  its name, for messages @param text  NULL: an empty list
 * @return ST_OK or ST_EUSAGE (logged) */
static status_t list_words(const char *option, const char *text, time_list_t *out)
{
    out->n = 0;
    for (const char *at = text; at != NULL;) {
        const size_t len = strcspn(at, ",");

        if (len == 0 || len >= TIME_WORD_BYTES)
            return options_misuse(&cmd_cnn_time,
                                  "--%s %s: give words of 1 to %d characters, "
                                  "separated by commas",
                                  option, text, TIME_WORD_BYTES - 1);
        if (out->n == TIME_LIST_MAX)
            return options_misuse(&cmd_cnn_time, "--%s %s: give at most %d words", option,
                                  text, TIME_LIST_MAX);
        memcpy(out->word[out->n], at, len);
        out->word[out->n++][len] = '\0';
        at = at[len] == ',' ? at + len + 1 : NULL;
    }
    return ST_OK;
}

/* The same for whole numbers from 1 to max. */
static status_t list_numbers(const char *option, const char *text, int64_t max,
                             time_list_t *out)
{
    status_t st = list_words(option, text, out);

    for (int i = 0; st == ST_OK && i < out->n; i++) {
        char *end;

        out->value[i] = strtoll(out->word[i], &end, 10);
        if (*end != '\0' || out->value[i] < 1 || out->value[i] > max)
            st = options_misuse(&cmd_cnn_time, "--%s %s: give numbers from 1 to %" PRId64,
                                option, out->word[i], max);
    }
    return st;
}

/* The same for types of numbers: a value is the place among cnn_number_name. */
static status_t list_types(const char *text, time_list_t *out)
{
    status_t st = list_words("type", text, out);

    for (int i = 0; st == ST_OK && i < out->n; i++) {
        near_word_t near = near_word_begin(out->word[i], strlen(out->word[i]));
        int64_t *type = &out->value[i];
        char guess[NEAR_WORD_BYTES];

        near_word_try_all(&near, option_words[WORD_TYPE].value);
        while (*type < N_TYPES && strcmp(out->word[i], cnn_number_name[*type]) != 0)
            ++*type;
        if (*type == N_TYPES)
            st = options_misuse(&cmd_cnn_time, "--type %s: choose from %s%s",
                                out->word[i], option_words[WORD_TYPE].value,
                                near_word_text(&near, "", guess));
    }
    return st;
}

/* What all measurements share. */
typedef struct {
    const args_t *args;
    FILE *to;
    const char *name; /* of the network */
    time_list_t kernels, batches, types, clocks;
    cnn_net_t *net;
    device_t device;
    pool_t *pool;
    clock_guard_t *guard; /* NULL: clocks are left alone */
    energy_meter_t *meter;
    double idle_w;     /* of the GPU; NAN: unknown */
    double locked_mhz; /* NAN: not locked */
} bench_t;

/* Batch, type and kernel of a line, as their places in the lists. */
typedef struct {
    int batch, type, kernel;
} case_t;

/* @param memory_bytes  that it may use on the device; 0: no limit */
typedef status_t case_fn_t(const bench_t *b, const case_t *c, const char *kernel,
                           const cnn_program_t *program, size_t memory_bytes);

/* ---- notes ---- */

/* Print lines of text behind "# ". */
static void print_notes(FILE *to, const buf_t *text)
{
    const char *at = (const char *)text->data, *end = at + text->len;

    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        const int len = (int)((line_end != NULL ? line_end : end) - at);

        fprintf(to, "# %.*s\n", len, at);
        at += len + 1;
    }
}

/* Print what is measured and what is absent. */
static status_t print_sources(const bench_t *b)
{
    buf_t text = {0};
    status_t st = buf_printf(&text, "%s\n", b->device.name);

    if (st == ST_OK)
        st = energy_meter_describe(b->meter, &text);
    if (st == ST_OK && b->args->any_order)
        st = buf_printf(&text, "algorithms: any, also those that training does not take, "
                               "because their sums depend on the order of arrival\n");
    if (st == ST_OK)
        print_notes(b->to, &text);
    buf_free(&text);
    return st;
}

/* Measure the idle GPU, at the clock that it has now. */
static void measure_idle(bench_t *b)
{
    const struct timespec pause = {.tv_sec = 2};
    energy_window_t window;

    b->idle_w = NAN;
    if (!energy_meter_has_source(b->meter) || b->device.kind != DEVICE_CUDA)
        return;
    device_open(&b->device);
    energy_meter_begin(b->meter);
    nanosleep(&pause, NULL);
    window = energy_meter_end(b->meter);
    b->idle_w = window.gpu_j / window.seconds;
    fprintf(b->to, "# GPU power with a context, idle: %.1f W\n", b->idle_w);
}

/* ---- cases ---- */

static status_t choose_backend(const bench_t *b, const char *kernel,
                               const cnn_program_t *program, size_t memory_bytes,
                               cnn_context_t *context, const cnn_backend_t **out)
{
    const backend_t *row;
    status_t st;

    *context = (cnn_context_t){.device = &b->device,
                               .pool = b->pool,
                               .program = program,
                               .memory_bytes = memory_bytes,
                               .any_order = b->args->any_order};
    st = backend_choose(&cnn_table,
                        &(backend_request_t){.name = kernel, .device = &b->device},
                        context, &row);
    if (st == ST_OK)
        *out = (const cnn_backend_t *)row;
    return st;
}

static status_t check_case(const bench_t *b, const case_t *c, const char *kernel,
                           const cnn_program_t *program, size_t memory_bytes)
{
    const cnn_backend_t *backend;
    cnn_context_t context;

    (void)c;
    return choose_backend(b, kernel, program, memory_bytes, &context, &backend);
}

/* Keep what predictions need (cnn/rates), of measurements as training runs. */
static void keep_rates(const bench_t *b, const cnn_context_t *context, const char *kernel,
                       const time_run_t *results, int n)
{
    cnn_rates_t rates;

    if (context->program->swap_bytes == 0 && !b->args->any_order && b->clocks.n == 0 &&
        time_rates_of(results, n, (int)b->args->n_windows, kernel, &b->device,
                      pool_n_threads(b->pool), &rates) &&
        cnn_rates_check(&rates, context->program) == NULL)
        cnn_rates_keep(&rates, context->program);
}

static status_t measure_case(const bench_t *b, const case_t *c, const char *kernel,
                             const cnn_program_t *program, size_t memory_bytes)
{
    time_run_t results[TIME_RUN_RESULTS_MAX];
    const cnn_backend_t *backend;
    cnn_context_t context;
    buf_t choices = {0};
    int n = 0;
    status_t st = choose_backend(b, kernel, program, memory_bytes, &context, &backend);

    if (st != ST_OK)
        return st;
    st = time_run_measure(&(time_run_opts_t){.net = b->net,
                                             .context = &context,
                                             .backend = backend,
                                             .meter = b->meter,
                                             .window_s =
                                                 b->args->half_seconds > 0
                                                     ? (double)b->args->half_seconds / 2
                                                 : energy_meter_has_source(b->meter)
                                                     ? ENERGY_WINDOW_S
                                                     : 1,
                                             .n_windows = (int)b->args->n_windows,
                                             .is_by_kind = b->args->is_by_kind,
                                             .seed = (uint64_t)b->args->seed},
                          b->args->common.verbose ? &choices : NULL, results, &n);
    for (int i = 0; st == ST_OK && i < n; i++)
        time_print_line(b->to,
                        &(time_print_case_t){.net = b->name,
                                             .kernel = backend->base.name,
                                             .type = b->types.word[c->type],
                                             .batch = b->batches.value[c->batch],
                                             .locked_mhz = b->locked_mhz},
                        &results[i], (int)b->args->n_windows, b->idle_w);
    if (st == ST_OK)
        keep_rates(b, &context, backend->base.name, results, n);
    print_notes(b->to, &choices);
    buf_free(&choices);
    return st;
}

/* Call a function for a kernel, with the program that fits. */
static status_t with_kernel(const bench_t *b, const case_t *c, const char *kernel,
                            case_fn_t *fn)
{
    cnn_plan_options_t how = {b->batches.value[c->batch],
                              (cnn_plan_types_t)b->types.value[c->type],
                              CNN_PLAN_TRAINING, b->args->place, false};
    const device_place_t place = {.device = &b->device,
                                  .kernel = kernel,
                                  .n_threads = pool_n_threads(b->pool),
                                  .free_bytes = b->args->limit.bytes == 0
                                                    ? device_free_bytes(&b->device)
                                                    : 0,
                                  .host_bytes = memory_limit()};
    cnn_program_t *program;
    size_t memory_bytes;
    status_t st = cnn_number_check(how.types, &b->device, kernel);

    if (st == ST_OK && how.place == CNN_PLACE_AUTO)
        st = place_choice_make(&(place_choice_t){.net = b->net,
                                                 .how = &how,
                                                 .limit = &b->args->limit,
                                                 .device = &place},
                               &how.place);
    if (st != ST_OK || (st = cnn_plan_compile(b->net, &how, &program)) != ST_OK)
        return st;
    st = device_limit_apply(&b->args->limit, &place, &program, 1, &memory_bytes);
    if (st == ST_OK)
        st = fn(b, c, kernel, program, memory_bytes);
    cnn_program_destroy(program);
    return st;
}

/* The same for all kernels of a batch and type. */
static status_t each_kernel(const bench_t *b, case_t *c, case_fn_t *fn)
{
    const int n = b->kernels.n > 0 ? b->kernels.n : 1;
    status_t st = ST_OK;

    for (c->kernel = 0; st == ST_OK && c->kernel < n; c->kernel++)
        st = with_kernel(b, c, b->kernels.n > 0 ? b->kernels.word[c->kernel] : NULL, fn);
    return st;
}

static status_t each_case(const bench_t *b, case_fn_t *fn)
{
    case_t c;
    status_t st = ST_OK;

    for (c.batch = 0; st == ST_OK && c.batch < b->batches.n; c.batch++)
        for (c.type = 0; st == ST_OK && c.type < b->types.n; c.type++)
            st = each_kernel(b, &c, fn);
    return st;
}

/* ---- tables ---- */

static status_t lock_clock(bench_t *b, int i)
{
    status_t st = clock_guard_arm(b->guard, b->device.uuid);

    if (st == ST_OK)
        st = energy_meter_lock_clock(b->meter, (unsigned)b->clocks.value[i]);
    if (st == ST_OK)
        b->locked_mhz = (double)b->clocks.value[i];
    return st;
}

/* Refuse what cannot be measured before anything is. */
static status_t check_all(bench_t *b)
{
    status_t st;

    if (b->args->any_order && !device_is_gpu(&b->device))
        return options_misuse(&cmd_cnn_time, "--any-order: kernels of CPUs have no such "
                                             "algorithms; leave it out");
    if ((st = each_case(b, check_case)) == ST_OK)
        st = energy_meter_create(&b->device, &b->meter);
    return st == ST_OK && b->clocks.n > 0 ? lock_clock(b, 0) : st;
}

static status_t measure_all(bench_t *b)
{
    const int n = b->clocks.n > 0 ? b->clocks.n : 1;
    status_t st = check_all(b);

    if (st == ST_OK)
        st = print_sources(b);
    if (st == ST_OK)
        time_print_header(b->to);
    for (int i = 0; st == ST_OK && i < n; i++) {
        if (i > 0 && (st = lock_clock(b, i)) != ST_OK)
            break;
        measure_idle(b);
        st = each_case(b, measure_case);
    }
    return st;
}

static status_t write_all(bench_t *b)
{
    const args_t *a = b->args;
    whole_file_t *to;
    status_t st =
        whole_file_open(a->common.output, WHOLE_FILE_TEXT, a->common.force, &to);

    if (st != ST_OK)
        return st;
    b->to = whole_file_stream(to);
    return whole_file_close(to, measure_all(b));
}

/* ---- the command ---- */

static status_t read_lists(bench_t *b)
{
    const args_t *a = b->args;
    char own[TIME_WORD_BYTES];
    const char *kernels = strcmp(a->common.kernel, "auto") != 0 ? a->common.kernel : NULL;
    status_t st = list_words("kernel", kernels, &b->kernels);

    snprintf(own, sizeof(own), "%d", b->net->solver.batch);
    if (st == ST_OK)
        st = list_types(a->types, &b->types);
    if (st == ST_OK)
        st = list_numbers("batch", a->batches != NULL ? a->batches : own,
                          CNN_PLAN_MAX_IMAGES, &b->batches);
    return st == ST_OK ? list_numbers("clocks", a->clocks, MAX_CLOCK_MHZ, &b->clocks)
                       : st;
}

static status_t run(void *args)
{
    const args_t *a = args;
    bench_t b = {.args = a, .name = a->net, .locked_mhz = NAN};
    char why[JOB_OPTS_WHY_BYTES];
    status_t st = cnn_limit_check(&a->limit, &CNN_LIMIT_GIVEN(a), why);

    if (st != ST_OK)
        return options_misuse(&cmd_cnn_time, "%s", why);
    st = cnn_net_read(a->net, 0, &b.net);

    if (st == ST_OK && (st = read_lists(&b)) == ST_OK && b.clocks.n > 0)
        st = clock_guard_start(&b.guard);
    if (st == ST_OK &&
        (st = one_device_find(&cmd_cnn_time, b.args->common.device, &b.device)) == ST_OK)
        st = job_opts_pool(&a->common, &b.pool);
    if (st == ST_OK)
        st = write_all(&b);
    energy_meter_destroy(b.meter); /* gives the clock back */
    clock_guard_end(b.guard);
    pool_destroy(b.pool);
    cnn_net_destroy(b.net);
    return st;
}

static void defaults(void *args)
{
    args_t *a = args;

    a->types = "fp32";
    a->n_windows = 5;
    a->seed = 1;
}

const command_t cmd_cnn_time = {
    .name = "cnn time",
    .summary = "measure images per second and joules per image of a network",
    .words = words,
    .usage = "[options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes =
        "For each batch, type and kernel two tab-separated lines, on random images: "
        "\"all\"\n"
        "for forward and backward passes, and \"training\" for these with the update "
        "of the\n"
        "parameters; with --kinds one per kind of layer, and one each for copies from "
        "the\n"
        "host's memory (\"fetch\") and to it (\"evict\"): seconds of an iteration\n"
        "(minimum, median and maximum of the windows), images per second, GFLOPS;\n"
        "millijoules per image of the GPU, gross and above what it takes when idle, its\n"
        "watts, the spread of its energy; millijoules per image of all processors, and\n"
        "how idle they were; MHz of the GPU's cores: locked, and after the last window;\n"
        "GB/s that steps read and write, or copies move.\n"
        "NA: the machine has no source, which a line that begins with # names. Steps of "
        "a\n"
        "kind that run alone begin with data in memory: the kinds may add up to more "
        "than\n"
        "the whole. --kernel may be a list (NAME,...); -v also prints the algorithms "
        "that\n"
        "were chosen. --clocks needs root; the clock is given back to the driver at the "
        "end,\n"
        "also when the command is stopped or killed.\n",
    .example = "ribogrid cnn time alexnet --batch 8,16,32,64,128,256 --type tf32 --kinds",
    .defaults = defaults,
    .run = run,
};
