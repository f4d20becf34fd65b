/*
 * cmd_dpc.c - `ribogrid dpc`: translates CUDA files with nested parallelism.
 */
#include "io/base/logmsg.h"
#include "io/file/packed_input.h"
#include "io/file/whole_file.h"
#include "tools/dpc/dpc.h"
#include "tools/options/commands.h"
#include "tools/options/option_tables.h"

#include <string.h>

typedef struct {
    job_opts_t common;
    const char *input;
    int64_t pool_bytes;
    int standard, arch;
    bool port, report;
    option_texts_t includes, defines;
} args_t;

#define AT(member) OPTION_AT(args_t, member)

#define STANDARDS "c++11|c++14|c++17|c++20"
#define ARCHS     "sm_70|sm_75|sm_80|sm_86|sm_89|sm_90|sm_90a|sm_100|sm_120"

static const char *const standards[] = {"c++11", "c++14", "c++17", "c++20"};
static const int archs[] = {70, 75, 80, 86, 89, 90, 90, 100, 120};

static const option_t words[] = {{OPTION_INPUT, "FILE.cu|-", 0, AT(input)},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Translation"},
    {OPTION_FLAG, "port", 0, AT(port), NULL,
     "also without #pragma dp: kernels that wait for their children run on today's GPUs"},
    {.word = WORD_POOL_SIZE,
     AT(pool_bytes),
     .help = " items and saved variables ({}; the largest totalSize of the file)"},
    {OPTION_FLAG, "report", 0, AT(report), NULL,
     "print for each launch what is stored, and for each wait what is saved"},

    {.kind = OPTION_GROUP, .name = "Parsing"},
    {OPTION_TEXTS, "include", 'I', AT(includes), "DIR",
     "search DIR for included files; may be repeated"},
    {OPTION_TEXTS, "define", 'D', AT(defines), "NAME[=VALUE]",
     "define a macro; may be repeated"},
    {OPTION_CHOICE, "std", 0, AT(standard), STANDARDS, "version of C++ ({})"},
    {OPTION_CHOICE, "arch", 0, AT(arch), ARCHS, "what __CUDA_ARCH__ is defined as ({})"},
    {.kind = OPTION_TABLE, .table = option_input},

    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_OUTPUT, AT(common.output), .help = ": the translated file; -: stdout"},
    {.kind = OPTION_TABLE, .table = option_force},
    {.kind = OPTION_END}};

static void defaults(void *args)
{
    args_t *a = args;

    a->pool_bytes = INT64_C(500) << 20;
    a->standard = 2;
    a->arch = 5;
}

static status_t check(const args_t *a)
{
    if (a->common.output == NULL)
        return options_misuse(&cmd_dpc, "give -o FILE");
    if (a->report && strcmp(a->common.output, "-") == 0)
        return options_misuse(&cmd_dpc, "--report prints to stdout; give -o FILE");
    if (a->pool_bytes < 4096 || a->pool_bytes > INT32_MAX)
        return options_misuse(&cmd_dpc, "--pool-size: give 4K to 2047M");
    return ST_OK;
}

/* Read the whole file, and add a NUL. */
static status_t read_all(const char *path, buf_t *to)
{
    enum { STEP = 1 << 16 };
    packed_input_t *in = NULL;
    size_t n = STEP;
    status_t st = packed_input_open(path, &in);

    while (st == ST_OK && n == STEP && (st = buf_reserve(to, STEP)) == ST_OK &&
           (st = packed_input_read(in, to->data + to->len, STEP, &n)) == ST_OK)
        to->len += n;
    if (st == ST_OK && memchr(to->data, '\0', to->len) != NULL)
        st = log_refusal(packed_input_name(in), "give a CUDA file", "it has NUL bytes");
    packed_input_close(in);
    return st == ST_OK ? buf_append(to, "", 1) : st;
}

static status_t write_all(const char *path, bool force, const buf_t *text)
{
    whole_file_t *file = NULL;
    status_t st = whole_file_open(path, WHOLE_FILE_TEXT, force, &file);

    if (st == ST_OK)
        fwrite(text->data, 1, text->len, whole_file_stream(file));
    return whole_file_close(file, st);
}

static status_t translate(const args_t *a, const buf_t *text)
{
    const dpc_options_t how = {.parse = {.path = strcmp(a->input, "-") == 0 ? "stdin.cu"
                                                                            : a->input,
                                         .includes = a->includes.at,
                                         .n_includes = a->includes.n,
                                         .defines = a->defines.at,
                                         .n_defines = a->defines.n,
                                         .standard = standards[a->standard],
                                         .arch = archs[a->arch]},
                               .port = a->port,
                               .pool_bytes = a->pool_bytes};
    buf_t out = {0}, report = {0};
    status_t st =
        dpc_translate(&how, (const char *)text->data, text->len - 1, &out, &report);

    if (st == ST_OK &&
        (st = write_all(a->common.output, a->common.force, &out)) == ST_OK && a->report)
        fwrite(report.data, 1, report.len, stdout);
    buf_free(&out);
    buf_free(&report);
    return st;
}

static status_t run(void *args)
{
    const args_t *a = args;
    buf_t text = {0};
    status_t st = check(a);

    if (st == ST_OK &&
        (st = whole_file_check(a->common.output, WHOLE_FILE_TEXT, a->common.force)) ==
            ST_OK &&
        (st = read_all(a->input, &text)) == ST_OK)
        st = translate(a, &text);
    buf_free(&text);
    return st;
}

const command_t cmd_dpc = {
    .name = "dpc",
    .summary = "translate CUDA code whose kernels launch kernels",
    .words = words,
    .usage = "-o FILE.cu [options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes =
        "Launches with #pragma dp consldt(warp|block|grid) work(NAME,...) become one\n"
        "launch per warp, block or grid. Kernels that call cudaDeviceSynchronize,\n"
        "which CUDA 12 took out of kernels, are divided there. A file with neither\n"
        "comes out as it is. Needs libclang. Clauses, rules and what is refused:\n"
        "docs/dpc.md.\n",
    .example =
        "ribogrid dpc --port old.cu -o new.cu && nvcc -rdc=true -arch=sm_90 new.cu "
        "-lcudadevrt",
    .defaults = defaults,
    .run = run,
};
