/*
 * cmd_mesh_refine.c - `ribogrid mesh refine`: triangles without small angles.
 */
#include "tools/mesh/mesh_args.h"
#include "tools/options/commands.h"
#include "tools/options/job_run.h"
#include "tools/options/option_tables.h"
#include "worker/mesh/mesh_opts.h"

#define AT(member) OPTION_AT(mesh_opts_t, member)

static const option_t words[] = {{OPTION_INPUT, "IN.poly|IN.node|IN.h5", 0, AT(input),
                                  .files = mesh_input_files},
                                 {OPTION_INPUT, "[IN.ele]", 0, AT(triangles),
                                  .is_optional = true},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Triangles"},
    {.word = WORD_ANGLE,
     AT(angle),
     .help = ", except at sharp corners of the input (0: any; {})"},
    {OPTION_NUMBER, "max-area", 0, AT(max_area), "AREA",
     "maximum area, also of regions that allow more; 0: any ({})", 0, INT64_MAX},
    {OPTION_CHOICE, "steiner", 0, AT(steiner), "offcenter|circumcenter",
     "new points: where the shortest edge just gets the angle, or centres of circles, "
     "which are more ({})"},
    {.word = WORD_VARIANT,
     AT(variant),
     .value = "rounds|base|atomic|3-phase|stealing|dpar",
     .help = ": a round fills a maximal set of cavities; those that win at once; and, on "
             "GPUs, those that lock their triangles: see docs/mesh.md ({})"},
    {OPTION_INT, "max-points", 0, AT(max_points), "N",
     "stop at this number of points; 0: no limit ({})", 0, MESH_MAX_POINTS},
    {OPTION_FLAG, "partial", 0, AT(partial), NULL,
     "also write a mesh that --max-points has stopped"},
    {OPTION_FLAG, "repair", 0, AT(repair), NULL,
     "flip edges of IN.ele or IN.h5 that are not Delaunay; else they are refused"},
    {.kind = OPTION_TABLE, .table = option_input},

    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_OUTPUT,
     AT(common.output),
     .value = "PREFIX|OUT.h5|OUT.vtk",
     .files = mesh_output_files,
     .help = "s: PREFIX.node, PREFIX.ele and PREFIX.poly, or one in HDF5 or for VTK"},

    {.kind = OPTION_TABLE, .table = option_device},
    {.kind = OPTION_TABLE, .table = option_run},
    {.kind = OPTION_END}};

static void defaults(void *args)
{
    *(mesh_opts_t *)args = mesh_opts_defaults();
}

static const job_command_t job = {.ops = &job_mesh_ops};

const command_t cmd_mesh_refine = {
    .name = "mesh refine",
    .summary = "triangles without small angles (Delaunay refinement)",
    .words = words,
    .usage = "-o PREFIX|OUT.h5|OUT.vtk [options]",
    .options = options,
    .args_bytes = sizeof(mesh_opts_t),
    .notes =
        "Reads Triangle's formats: segments, holes and regions of IN.poly (points in it, "
        "or\n"
        "in IN.node beside it), points of IN.node, triangles of IN.ele; or all of IN.h5. "
        "Where\n"
        "there are no triangles it makes the constrained Delaunay triangulation first. "
        "The\n"
        "same bytes with any number of threads, and on a GPU. One rank computes. "
        "More: docs/mesh.md.\n" JOB_NOTES("PREFIX.node.part"),
    .example = "ribogrid mesh make random --points 100000 -o m && "
               "ribogrid mesh refine m.poly --angle 30 -o r && "
               "ribogrid mesh draw r.node -o r.svg",
    .defaults = defaults,
    .job = &job,
};
