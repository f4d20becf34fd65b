/*
 * cmd_clades.c - `ribogrid clades`: counts identities within and between all taxa of a
 * file of pairs, and answers questions about two of them, or all.
 */
#include "io/base/logmsg.h"
#include "io/file/whole_file.h"
#include "tools/options/commands.h"
#include "tools/options/job_run.h"
#include "tools/options/option_tables.h"
#include "tools/options/program.h"
#include "tools/print/clades_print.h"
#include "worker/clades/clades_opts.h"

#include <stdlib.h>

typedef struct {
    clades_opts_t job;
    const char *a, *b; /* taxa */
    const char *pairs, *svg;
} args_t;

#define AT(member)  OPTION_AT(args_t, member)
#define JOB(member) AT(job.member)

static const option_t words[] = {{OPTION_INPUT, "PAIRS.h5|C.h5", 0, JOB(input)},
                                 {OPTION_TEXT, "[A", 0, AT(a), .is_optional = true},
                                 {OPTION_TEXT, "B]", 0, AT(b), .is_optional = true},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Counts of PAIRS.h5"},
    {.word = WORD_TAXONOMY, JOB(taxonomy), .help = " of all its sequences"},
    {OPTION_TEXT, "cuts", 0, JOB(cuts_text), "RANK|every:N|all",
     "count all pairs of blocks of sequences: taxa of a rank (family, genus ... or its "
     "number), N sequences, or each by itself ({})"},
    {.word = WORD_BINS,
     JOB(n_bins),
     .max = CLADES_MAX_BINS,
     .help = " of identity, besides that of identity 1 ({})"},
    {.word = WORD_OUTPUT,
     JOB(common.output),
     .value = "C.h5",
     .files = option_job_files,
     .help = ": the counts"},

    {.kind = OPTION_GROUP, .name = "Questions to C.h5"},
    {OPTION_INPUT, "pairs-file", 0, AT(pairs), "PAIRS.h5",
     "also read its rows, for taxa whose borders are no cuts"},
    {.word = WORD_SVG,
     AT(svg),
     .help = " identities within and between the taxa of each rank"},

    {.kind = OPTION_TABLE, .table = option_input},
    {.kind = OPTION_GROUP, .name = "Device"},
    {.kind = OPTION_TABLE, .table = option_threads},
    {.kind = OPTION_TABLE, .table = option_run_tasks},
    {.kind = OPTION_END}};

/* ---- questions ---- */

/* Open the file of pairs that was counted. */
static status_t open_pairs(const args_t *a, const clades_t *c, pairs_file_t **out)
{
    pairs_file_t *file = NULL;
    status_t st = pairs_open(a->pairs, &file);

    if (st == ST_OK && (st = clades_check_pairs(file)) == ST_OK &&
        (file->rows.n != c->n || clades_digest(file) != c->digest))
        st = log_refusal(a->pairs, "give the file that `ribogrid clades` read",
                         "its pairs are not those of %s", a->job.input);
    if (st == ST_OK)
        *out = file;
    else
        pairs_close(file);
    return st;
}

static status_t check_taxa(const args_t *args, const clades_t *c, int32_t a, int32_t b)
{
    const int32_t other = clades_is_cut(c, a) ? b : a;

    if (c->begin[a] < c->end[b] && c->begin[b] < c->end[a])
        return log_refusal(args->job.input,
                           "give two taxa of which neither contains the other",
                           a == b ? "A and B are both %s"
                                  : "A and B share sequences of %s",
                           c->taxon_name[a > b ? a : b]);
    if (args->pairs != NULL || (clades_is_cut(c, a) && clades_is_cut(c, b)))
        return ST_OK;
    return log_refusal(
        args->job.input,
        "give --pairs-file PAIRS.h5, or make it with --cuts of a lower rank",
        "the borders of %s are no cuts", c->taxon_name[other]);
}

static status_t print_two(const args_t *args, clades_file_t *f, const clades_t *c)
{
    int64_t *count = malloc(CLADES_N_SETS * (size_t)c->n_bins * sizeof(*count));
    pairs_file_t *pairs = NULL;
    int32_t a, b;
    status_t st = count != NULL ? ST_OK : log_nomem("identities");

    if (st == ST_OK && (st = clades_find(c, args->job.input, args->a, &a)) == ST_OK &&
        (st = clades_find(c, args->job.input, args->b, &b)) == ST_OK &&
        (st = check_taxa(args, c, a, b)) == ST_OK && args->pairs != NULL)
        st = open_pairs(args, c, &pairs);
    if (st == ST_OK && (st = clades_ask(f, c, a, b, pairs, count)) == ST_OK) {
        clades_print_note(c, args->job.input);
        clades_print_answer(c, a, b, count, stdout);
    }
    pairs_close(pairs);
    free(count);
    return st;
}

static status_t write_svg(const args_t *args, const clades_t *c)
{
    whole_file_t *to;
    status_t st =
        whole_file_open(args->svg, WHOLE_FILE_TEXT, args->job.common.force, &to);

    return st == ST_OK ? whole_file_close(to, clades_print_svg(c, whole_file_stream(to)))
                       : st;
}

static status_t answer(const args_t *args)
{
    const clades_t *c = NULL;
    clades_file_t *f = NULL;
    status_t st = clades_file_open(args->job.input, &f, &c);

    if (st == ST_OK && args->svg != NULL)
        st = write_svg(args, c);
    if (st == ST_OK && args->a != NULL)
        st = print_two(args, f, c);
    else if (st == ST_OK && args->svg == NULL) {
        clades_print_note(c, args->job.input);
        st = clades_print_table(f, c, args->job.input, stdout);
    }
    clades_file_close(f);
    return st;
}

static const args_t *asked; /* by the child */

static int answer_in_child(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return program_end(status_exit_code(answer(asked)));
}

static status_t ask(const args_t *a)
{
    char *files[] = {(char *)(uintptr_t)a->job.input, (char *)(uintptr_t)a->pairs};

    if (a->a != NULL && a->b == NULL)
        return options_misuse(&cmd_clades, "give two taxa, A and B, or none for a table");
    if (a->a == NULL && a->pairs != NULL)
        return options_misuse(&cmd_clades, "--pairs-file is for two taxa; give A and B");
    if (IS_GIVEN(a, job.cuts_text) || IS_GIVEN(a, job.n_bins) || a->job.common.resume)
        return options_misuse(&cmd_clades,
                              "--cuts, --bins and --resume are for counts of "
                              "PAIRS.h5; give --taxonomy FILE and -o C.h5");
    if (transport_launcher_rank() > 0)
        return ST_OK;
    asked = a;
    switch (program_run_in_child(answer_in_child, a->pairs != NULL ? 2 : 1, files)) {
    case EXIT_OK:
        return ST_OK;
    case EXIT_USAGE:
        return ST_EUSAGE;
    default:
        return ST_EINPUT; /* logged */
    }
}

static status_t run(void *args)
{
    args_t *a = args;
    const job_opts_t *o = &a->job.common;

    if (o->output == NULL && !o->is_plan && a->job.taxonomy == NULL)
        return ask(a);
    if (a->a != NULL || a->pairs != NULL || a->svg != NULL)
        return options_misuse(
            &cmd_clades, "A, B, --pairs-file and --svg are questions to C.h5; give them "
                         "without --taxonomy and -o, after it was made");
    return job_run(&cmd_clades, &a->job.common);
}

static void defaults(void *args)
{
    ((args_t *)args)->job = clades_opts_defaults();
}

static const job_command_t job = {.ops = &job_clades_ops};

const command_t cmd_clades = {
    .name = "clades",
    .summary = "identities within and between any two taxa",
    .words = words,
    .usage = "[--taxonomy FILE -o C.h5] [options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes =
        "With -o it reads all pairs once. After that, two taxa are a question to the\n"
        "result: how many pairs there are within A, within B and between them, by\n"
        "identity. Without A and B it prints all taxa whose borders are cuts: the "
        "minimum\n"
        "and the median within, the nearest sibling, the gap between the minimum and "
        "the\n"
        "maximum to that, and how many sequences fit better elsewhere. A and B are "
        "names\n"
        "or lineages separated by ';'. Identities are the lower borders of bins. All\n"
        "ranks read PAIRS.h5. More: docs/clades.md.\n" JOB_NOTES("C.h5.part"),
    .example = "ribogrid clades pairs.h5 --taxonomy genes.tax -o clades.h5 && "
               "ribogrid clades clades.h5 Vibrio Photobacterium",
    .defaults = defaults,
    .job = &job,
    .run = run,
};
