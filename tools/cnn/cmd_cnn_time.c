/*
 * cmd_cnn_time.c - `ribogrid cnn time`: images per second and joules per image.
 */
#include "cnn/plan/cnn_plan.h"
#include "io/base/logmsg.h"
#include "io/file/input_guard.h"
#include "tools/cnn/time_run.h"
#include "tools/options/commands.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { KERNEL_BYTES = 32 };

typedef struct {
    const char *device, *kernels, *batches, *types;
    int64_t n_windows, n_threads;
    int64_t window_s; /* 0: ENERGY_WINDOW_S with a source of energy, else 1 */
    bool is_by_kind;
} args_t;

#define AT(member) offsetof(args_t, member)

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "What to measure"},
    {OPTION_TEXT, "batch", 0, AT(batches), "N,...", "images per batch (the network's)", 0,
     0},
    {OPTION_TEXT, "type", 0, AT(types), "fp32|tf32|bf16,...",
     "numbers to compute with (fp32)", 0, 0},
    {OPTION_FLAG, "kinds", 0, AT(is_by_kind), NULL,
     "then measure each kind of layer alone", 0, 0},

    {.kind = OPTION_GROUP, .name = "Device"},
    {OPTION_TEXT, "device", 0, AT(device), "auto|cpu|cuda[:I]",
     "device to measure (auto: a GPU if there is one)", 0, 0},
    {OPTION_TEXT, "kernel", 0, AT(kernels), "NAME,...",
     "kernels to measure (the one that `cnn train` takes)", 0, 0},
    {OPTION_INT, "threads", 0, AT(n_threads), "N", "threads of a CPU (all processors)", 1,
     4096},

    {.kind = OPTION_GROUP, .name = "Run"},
    {OPTION_INT, "runs", 0, AT(n_windows), "N", "windows to measure (5)", 1,
     TIME_RUN_WINDOWS_MAX},
    {OPTION_INT, "seconds", 0, AT(window_s), "N",
     "seconds of a window (3; 1 without a source of energy)", 1, 3600},
    {OPTION_END, NULL, 0, 0, NULL, NULL, 0, 0}};

/* What all measurements share. */
typedef struct {
    const args_t *args;
    const char *net;
    device_t device;
    pool_t *pool;
    energy_meter_t *meter;
    double idle_w; /* of the GPU; NAN: unknown */
} bench_t;

static status_t choose_device(bench_t *b)
{
    const char *text = b->args->device;
    const bool is_auto = strcmp(text, "auto") == 0, must = strncmp(text, "cuda", 4) == 0;
    device_t gpus[DEVICES_MAX];
    int index = 0, n = 0;
    char after;

    if (!is_auto && strcmp(text, "cpu") != 0 && strcmp(text, "cuda") != 0 &&
        (sscanf(text, "cuda:%d%c", &index, &after) != 1 || index < 0))
        return options_misuse(&cmd_cnn_time,
                              "--device %s: give auto, cpu, cuda or cuda:I", text);
    b->device = device_cpu();
    if (must || is_auto)
        n = device_list_cuda(gpus);
    if (index < n)
        b->device = gpus[index];
    if (index < n || !must)
        return ST_OK;
    log_error("--device %s: not found: %s", text,
              n > 0 ? "this machine has fewer GPUs" : device_cuda_absence());
    return ST_EDEVICE;
}

/* Print what is measured and what is absent, and measure the idle GPU. */
static status_t begin(bench_t *b)
{
    const struct timespec pause = {.tv_sec = 2};
    buf_t text = {0};
    status_t st = energy_meter_create(&b->device, &b->meter);

    if (st != ST_OK || (st = energy_meter_describe(b->meter, &text)) != ST_OK)
        return st;
    printf("# %s\n", b->device.name);
    for (char *line = strtok((char *)text.data, "\n"); line != NULL;
         line = strtok(NULL, "\n"))
        printf("# %s\n", line);
    buf_free(&text);
    b->idle_w = NAN;
    if (energy_meter_has_source(b->meter) && b->device.kind == DEVICE_CUDA) {
        energy_window_t window;

        device_open(&b->device);
        energy_meter_begin(b->meter);
        nanosleep(&pause, NULL);
        window = energy_meter_end(b->meter);
        b->idle_w = window.gpu_j / window.seconds;
        printf("# GPU power with a context, idle: %.1f W\n", b->idle_w);
    }
    return ST_OK;
}

static void print_value(double value, const char *format)
{
    putchar('\t');
    if (isnan(value))
        printf("NA");
    else
        printf(format, value);
}

static void print_line(const bench_t *b, const char *type, const char *kernel,
                       int64_t batch, const time_run_t *t)
{
    const int n = (int)b->args->n_windows;
    const double s = t->seconds[n / 2], images = (double)batch;

    printf("%s\t%s\t%s\t%" PRId64 "\t%s\t%.4e\t%.4e\t%.4e\t%.1f\t%.2f", b->net, kernel,
           type, batch, t->kind == CNN_N_KINDS ? "all" : cnn_kind_name(t->kind),
           t->seconds[0], s, t->seconds[n - 1], images / s, t->flops / s * 1e-9);
    print_value(1e3 * t->gpu_j / images, "%.3f");
    print_value(1e3 * (t->gpu_j - b->idle_w * s) / images, "%.3f");
    print_value(t->gpu_j / s, "%.1f");
    print_value(100 * t->gpu_spread, "%.1f");
    print_value(1e3 * t->cpu_j / images, "%.3f");
    print_value(100 * t->cpu_idle, "%.1f");
    putchar('\n');
    fflush(stdout);
}

static status_t measure(const bench_t *b, const cnn_net_t *net, int64_t batch,
                        cnn_plan_types_t types, const char *type, const char *kernel)
{
    const cnn_plan_options_t plan = {batch, types, CNN_PLAN_TRAINING};
    time_run_t results[CNN_N_KINDS + 1];
    const cnn_backend_t *backend;
    cnn_program_t *program;
    int n = 0;
    status_t st = cnn_plan_compile(net, &plan, &program);

    if (st != ST_OK)
        return st;
    st = time_run_measure(
        &(time_run_opts_t){.net = net,
                           .context = &(cnn_context_t){.device = &b->device,
                                                       .pool = b->pool,
                                                       .program = program},
                           .kernel = kernel,
                           .meter = b->meter,
                           .window_s = b->args->window_s > 0 ? (double)b->args->window_s
                                       : energy_meter_has_source(b->meter)
                                           ? ENERGY_WINDOW_S
                                           : 1,
                           .n_windows = (int)b->args->n_windows,
                           .is_by_kind = b->args->is_by_kind},
        &backend, results, &n);
    for (int i = 0; st == ST_OK && i < n; i++)
        print_line(b, type, backend->name, batch, &results[i]);
    cnn_program_destroy(program);
    return st;
}

/* Cut the next word off a list. @return whether there is one */
static bool next_word(const char **list, char word[KERNEL_BYTES])
{
    const size_t len = strcspn(*list, ",");

    if (len == 0 || len >= KERNEL_BYTES)
        return false;
    memcpy(word, *list, len);
    word[len] = '\0';
    *list += len + ((*list)[len] == ',');
    return true;
}

static status_t parse_type(const char *word, cnn_plan_types_t *out)
{
    static const char *const names[] = {"fp32", "tf32", "bf16"};

    for (int t = 0; t < 3; t++)
        if (strcmp(word, names[t]) == 0) {
            *out = (cnn_plan_types_t)t;
            return ST_OK;
        }
    return options_misuse(&cmd_cnn_time, "--type %s: give fp32, tf32 or bf16", word);
}

static status_t parse_batch(const char *word, int64_t *out)
{
    char *end;

    *out = strtoll(word, &end, 10);
    if (*end != '\0' || *out < 1 || *out > CNN_PLAN_MAX_IMAGES)
        return options_misuse(&cmd_cnn_time, "--batch %s: give numbers from 1 to %d",
                              word, CNN_PLAN_MAX_IMAGES);
    return ST_OK;
}

/* Check all lists before anything is measured. */
static status_t check_lists(const args_t *a)
{
    const char *types = a->types, *batches = a->batches != NULL ? a->batches : "";
    char word[KERNEL_BYTES];
    cnn_plan_types_t type;
    int64_t batch;
    status_t st = ST_OK;

    while (st == ST_OK && next_word(&types, word))
        st = parse_type(word, &type);
    while (st == ST_OK && next_word(&batches, word))
        st = parse_batch(word, &batch);
    return st;
}

static status_t measure_kernels(const bench_t *b, const cnn_net_t *net, int64_t batch,
                                const char *type)
{
    const char *list = b->args->kernels != NULL ? b->args->kernels : "";
    char kernel[KERNEL_BYTES];
    cnn_plan_types_t types = CNN_PLAN_FP32;
    status_t st = parse_type(type, &types);

    if (st == ST_OK && *list == '\0')
        return measure(b, net, batch, types, type, NULL);
    while (st == ST_OK && next_word(&list, kernel))
        st = measure(b, net, batch, types, type, kernel);
    return st;
}

static status_t measure_all(const bench_t *b, const cnn_net_t *net)
{
    char own[KERNEL_BYTES], batch_word[KERNEL_BYTES], type[KERNEL_BYTES];
    const char *batches = b->args->batches;
    status_t st = ST_OK;

    snprintf(own, sizeof(own), "%d", net->solver.batch);
    if (batches == NULL)
        batches = own;
    printf(
        "net\tkernel\ttype\tbatch\tlayers\tmin_s\tmedian_s\tmax_s\timages_per_s\tGFLOPS\t"
        "gpu_mJ\tgpu_mJ_above_idle\tgpu_W\tgpu_spread_percent\tcpu_mJ\t"
        "cpu_idle_percent\n");
    while (st == ST_OK && next_word(&batches, batch_word)) {
        const char *types = b->args->types;
        int64_t batch;

        st = parse_batch(batch_word, &batch);
        while (st == ST_OK && next_word(&types, type))
            st = measure_kernels(b, net, batch, type);
    }
    return st;
}

static status_t time_net(const args_t *a, const char *name)
{
    bench_t b = {.args = a, .net = name};
    cnn_net_t *net = NULL;
    status_t st = cnn_net_read(name, 0, &net);

    if (st == ST_OK && (st = choose_device(&b)) == ST_OK)
        st = pool_create(a->n_threads > 0 ? (int)a->n_threads : device_cpu().n_cores,
                         &b.pool);
    if (st == ST_OK && (st = begin(&b)) == ST_OK)
        st = measure_all(&b, net);
    energy_meter_destroy(b.meter);
    pool_destroy(b.pool);
    cnn_net_destroy(net);
    return st;
}

static int run(int argc, char **argv)
{
    const char *words[OPTIONS_WORDS_MAX] = {NULL};
    args_t a = {.device = "auto", .types = "fp32", .n_windows = 5};
    status_t st = options_parse(&cmd_cnn_time, argc, argv, &a, words);

    if (st == ST_OK && access(words[0], F_OK) == 0)
        st = input_guard_add(words[0]);
    if (st == ST_OK)
        st = check_lists(&a);
    return status_exit_code(st != ST_OK ? st : time_net(&a, words[0]));
}

const command_t cmd_cnn_time = {
    .name = "cnn time",
    .summary = "measure images per second and joules per image of a network",
    .usage = "NET [options]",
    .options = options,
    .notes =
        "Forward and backward passes on random images. One tab-separated line per "
        "batch,\n"
        "type and kernel, and with --kinds one per kind of layer: seconds of an "
        "iteration\n"
        "(minimum, median and maximum of the windows), images per second, GFLOPS;\n"
        "millijoules per image of the GPU, gross and above what it takes when idle, its\n"
        "watts, the spread of its energy; millijoules per image of all processors, and\n"
        "how idle they were. NA: the machine has no source, which a line that begins\n"
        "with # names. Steps of a kind that run alone begin with data in memory: the\n"
        "kinds may add up to more than the whole.\n",
    .example = "ribogrid cnn time alexnet --batch 8,16,32,64,128,256 --type tf32 --kinds",
    .n_words_min = 1,
    .n_words_max = 1,
    .run = run,
};
