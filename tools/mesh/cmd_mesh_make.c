/*
 * cmd_mesh_make.c - `ribogrid mesh make`: generates points and segments to be meshed.
 */
#include "io/base/logmsg.h"
#include "io/mesh/mesh_make.h"
#include "tools/mesh/mesh_args.h"
#include "tools/options/commands.h"
#include "tools/options/option_tables.h"

#include <inttypes.h>
#include <string.h>

typedef struct {
    job_opts_t common;
    const char *kind;
    int64_t n_points, seed;
} args_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t words[] = {{OPTION_TEXT, "random|grid|grading", 0, AT(kind)},
                                 {.kind = OPTION_END}};

static const option_t options[] = {{.kind = OPTION_GROUP, .name = "Size"},
                                   {OPTION_INT, "points", 0, AT(n_points), "N",
                                    "points, with the four corners; grid: at most ({})",
                                    4, MESH_MAX_POINTS},
                                   {.kind = OPTION_TABLE, AT(seed), .table = option_seed},
                                   {.kind = OPTION_GROUP, .name = "Output"},
                                   {.word = WORD_OUTPUT,
                                    AT(common.output),
                                    .value = "PREFIX",
                                    .files = mesh_output_files,
                                    .help = "s: PREFIX.node and PREFIX.poly"},
                                   {.kind = OPTION_TABLE, .table = option_force},
                                   {.kind = OPTION_END}};

static void defaults(void *args)
{
    args_t *a = args;

    a->n_points = 10000;
    a->seed = 1;
}

static status_t run(void *args)
{
    static const char *const kinds[] = {"random", "grid", "grading"};
    const args_t *a = args;
    mesh_data_t d = {0};
    int kind = 0;
    status_t st;

    while (kind < 3 && strcmp(a->kind, kinds[kind]) != 0)
        kind++;
    if (kind == 3)
        return options_misuse(&cmd_mesh_make, "'%s': give random, grid or grading",
                              a->kind);
    if (a->common.output == NULL)
        return options_misuse(&cmd_mesh_make, "give -o PREFIX");
    if ((st = mesh_data_check_outputs(a->common.output, false, a->common.force)) !=
            ST_OK ||
        (st = mesh_make((mesh_make_kind_t)kind, a->n_points, a->seed, &d)) != ST_OK)
        return st;
    st = mesh_data_write(a->common.output, a->common.force, &d, NULL, NULL);
    if (st == ST_OK)
        log_info("%s: %" PRId64 " points, %" PRId64 " segments", a->common.output,
                 d.n_points, d.n_segments);
    mesh_data_free(&d);
    return st;
}

const command_t cmd_mesh_make = {
    .name = "mesh make",
    .summary = "generate points and segments to be meshed",
    .words = words,
    .usage = "-o PREFIX [options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes = "All lie in the unit square, whose outline is four segments. random: of "
             "equal\n"
             "density. grid: rows and columns. grading: ever denser towards a corner, "
             "over 20\n"
             "octaves. The same for a seed on every machine.\n",
    .example = "ribogrid mesh make grading --points 5000 -o graded && "
               "ribogrid mesh refine graded.poly -o refined",
    .defaults = defaults,
    .run = run,
};
