/*
 * cmd_mesh_refine.c - `ribogrid mesh refine`: triangles without small angles.
 */
#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "io/base/plural.h"
#include "kernels/mesh/mesh_build.h"
#include "kernels/mesh/refine/mesh_refine.h"
#include "tools/mesh/mesh_args.h"
#include "tools/options/commands.h"
#include "tools/options/job_run.h"
#include "tools/options/option_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Above it, refinement may go on for ever. */
static const double safe_angle = 33.8;

/* Seconds between two states of the progress bar. */
static const double bar_s = .2;

typedef struct {
    job_opts_t common;
    const char *input, *triangles;
    double angle, max_area;
    int64_t max_points;
    int steiner; /* 0: off-centres */
    bool partial, repair;
} args_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t words[] = {{OPTION_INPUT, "IN.poly|IN.node", 0, AT(input),
                                  .files = mesh_input_files},
                                 {OPTION_INPUT, "[IN.ele]", 0, AT(triangles),
                                  .is_optional = true},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Triangles"},
    {.word = WORD_ANGLE,
     AT(angle),
     .help = ", but at sharp corners of the input (0: any; {})"},
    {OPTION_NUMBER, "max-area", 0, AT(max_area), "AREA",
     "maximum area, also of regions that allow more; 0: any ({})", 0, INT64_MAX},
    {OPTION_CHOICE, "steiner", 0, AT(steiner), "offcenter|circumcenter",
     "new points: where the shortest edge just gets the angle, or centres of circles, "
     "which are more ({})"},
    {OPTION_INT, "max-points", 0, AT(max_points), "N",
     "stop at this number of points; 0: no limit ({})", 0, MESH_MAX_POINTS},
    {OPTION_FLAG, "partial", 0, AT(partial), NULL,
     "also write a mesh that --max-points has stopped"},
    {OPTION_FLAG, "repair", 0, AT(repair), NULL,
     "flip edges of IN.ele that are not Delaunay; else they are refused"},
    {.kind = OPTION_TABLE, .table = option_input},

    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_OUTPUT,
     AT(common.output),
     .value = "PREFIX|OUT.vtk",
     .files = mesh_output_files,
     .help = "s: PREFIX.node, PREFIX.ele and PREFIX.poly, or one for VTK"},
    {.kind = OPTION_TABLE, .table = option_force},

    {.kind = OPTION_TABLE, .table = option_device},
    {.kind = OPTION_END}};

/* ---- progress ---- */

static bool show(void *ctx, const tri_mesh_t *m, const mesh_refine_report_t *report)
{
    double *last = ctx;
    const double now = clock_now_s();
    char text[128];

    if (now - *last < bar_s)
        return true;
    *last = now;
    snprintf(text, sizeof(text),
             "refining: %" PRId64 " triangles, round %" PRId64 ", %" PRId64 " cavities",
             m->n_triangles, report->n_rounds, report->n_cavities);
    log_bar(text);
    return true;
}

/* ---- the run ---- */

static status_t write_mesh(const args_t *a, const mesh_build_t *b, const mesh_data_t *d)
{
    const char *output = a->common.output;
    mesh_data_t made = {0};
    status_t st = mesh_build_data(b, d, &made);

    if (st == ST_OK)
        st = mesh_is_vtk(output) ? mesh_data_write_vtk(output, a->common.force, &made)
                                 : mesh_data_write(output, a->common.force, &made);
    mesh_data_free(&made);
    return st;
}

static void note_end(const args_t *a, const mesh_build_t *b,
                     const mesh_refine_report_t *r, int64_t n_before, double seconds)
{
    log_info("%s: %" PRId64 " triangles from %" PRId64 ", %" PRId64
             " points from %" PRId64,
             a->common.output, b->m.n_triangles, n_before, b->m.n_points, b->m.n_given);
    log_verbose("%" PRId64 " rounds in %.2f s: %" PRId64 " cavities, of which %" PRId64
                " cut a segment; %" PRId64 " had to wait",
                r->n_rounds, seconds, r->n_cavities, r->n_cut, r->n_conflicts);
    if (b->n_flips > 0)
        log_info("%" PRId64 " edge%s of %s w%s flipped", b->n_flips, plural(b->n_flips),
                 a->triangles, b->n_flips == 1 ? "as" : "ere");
    if (b->n_sharp > 0 && a->angle > 0)
        log_info("%" PRId64 " corner%s of segments below 60 degrees keep%s the angle",
                 b->n_sharp, b->n_sharp == 1 ? "" : "s", b->n_sharp == 1 ? "s" : "");
    if (r->n_stuck > 0)
        log_warn("%" PRId64 " triangles stay as they are: doubles have no better points "
                 "there",
                 r->n_stuck);
    if (r->is_partial)
        log_warn("stopped at %" PRId64 " points (--max-points): angles and areas are not "
                 "all reached",
                 b->m.n_points);
}

static status_t refine_mesh(const args_t *a, const mesh_data_t *d, mesh_build_t *b,
                            pool_t *pool)
{
    const mesh_refine_spec_t spec = {.min_angle = a->angle,
                                     .max_area = a->max_area,
                                     .max_points = a->max_points,
                                     .off_center = a->steiner == 0};
    const int64_t n_before = b->m.n_triangles;
    const double begin = clock_now_s();
    double shown = begin;
    mesh_refine_report_t report;
    const bool has_bar = log_has_terminal(NULL);
    status_t st = mesh_refine(&b->m, &spec, pool, has_bar ? show : NULL, &shown, &report);

    if (has_bar)
        log_bar(NULL);
    if (st != ST_OK)
        return st;
    if (report.is_partial && !a->partial) {
        log_error("%s: at %" PRId64 " points (--max-points) angles and areas are not all "
                  "reached, and nothing is written; give more, or --partial",
                  a->input, b->m.n_points);
        return ST_EINPUT;
    }
    if ((st = write_mesh(a, b, d)) == ST_OK)
        note_end(a, b, &report, n_before, clock_now_s() - begin);
    return st;
}

static status_t refine(void *args, command_run_t *run)
{
    const args_t *a = args;
    mesh_build_t b = {.n_merged = 0};
    mesh_data_t d = {0};
    status_t st = mesh_data_read(a->input, a->triangles, &d);

    if (st == ST_OK && (st = mesh_build(&d, a->repair, &b)) == ST_OK)
        st = refine_mesh(a, &d, &b, run->pool);
    mesh_build_free(&b);
    mesh_data_free(&d);
    return st;
}

static status_t run(void *args)
{
    args_t *a = args;
    const char *output = a->common.output;
    status_t st;

    if (output == NULL)
        return options_misuse(&cmd_mesh_refine, "give -o PREFIX");
    if (strncmp(a->common.device, "cuda", 4) == 0)
        return options_misuse(&cmd_mesh_refine,
                              "--device %s: meshes are refined on CPUs only; give "
                              "--device cpu",
                              a->common.device);
    if (strcmp(a->common.device, "auto") != 0 && strcmp(a->common.device, "cpu") != 0)
        return options_misuse(&cmd_mesh_refine, "--device %s: give auto or cpu",
                              a->common.device);
    if (strcmp(a->common.kernel, "auto") != 0 && strcmp(a->common.kernel, "rounds") != 0)
        return options_misuse(&cmd_mesh_refine,
                              "--kernel %s: meshes are refined by rounds; give auto or "
                              "rounds",
                              a->common.kernel);
    if (a->angle > safe_angle && a->max_points == 0)
        return options_misuse(&cmd_mesh_refine,
                              "--angle %g: above %g refinement may not end; give "
                              "--max-points N as well",
                              a->angle, safe_angle);
    if (a->partial && a->max_points == 0)
        return options_misuse(&cmd_mesh_refine, "--partial is for --max-points; give it");
    if (a->repair && a->triangles == NULL)
        return options_misuse(&cmd_mesh_refine,
                              "--repair is for the triangles of IN.ele; give it");
    st = mesh_is_vtk(output) ? ST_OK
                             : mesh_data_check_outputs(output, true, a->common.force);
    return st == ST_OK ? command_run_with_pool(&a->common, a->input, refine, a) : st;
}

static void defaults(void *args)
{
    args_t *a = args;

    a->angle = 30;
    a->common.device = a->common.kernel = "auto";
}

const command_t cmd_mesh_refine = {
    .name = "mesh refine",
    .summary = "triangles without small angles (Delaunay refinement)",
    .words = words,
    .usage = "-o PREFIX [options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes =
        "Reads Triangle's formats: segments, holes and regions of IN.poly (points in it, "
        "or\n"
        "in IN.node beside it), points of IN.node, triangles of IN.ele. Without IN.ele "
        "it\n"
        "makes the constrained Delaunay triangulation first. The same bytes with any "
        "number\n"
        "of threads. Device: CPUs, by the kernel rounds. More: docs/mesh.md.\n",
    .example = "ribogrid mesh make random --points 100000 -o m && "
               "ribogrid mesh refine m.poly --angle 30 -o r && "
               "ribogrid mesh draw r.node -o r.svg",
    .defaults = defaults,
    .run = run,
};
