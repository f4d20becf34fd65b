/*
 * cmd_mesh_check.c - `ribogrid mesh check`: verifies a mesh, and prints its angles.
 */
#include "io/base/logmsg.h"
#include "kernels/mesh/mesh_check.h"
#include "tools/mesh/mesh_args.h"
#include "tools/options/commands.h"
#include "tools/options/option_tables.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct {
    job_opts_t common;
    const char *input, *of;
    double angle;
} args_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t words[] = {{OPTION_INPUT, "MESH.node|MESH.poly|MESH.h5", 0,
                                  AT(input), .files = mesh_input_files},
                                 {.kind = OPTION_END}};

static const option_t options[] = {{.kind = OPTION_GROUP, .name = "Checks"},
                                   {OPTION_INPUT, "of", 0, AT(of), "IN.poly|IN.node",
                                    "what it was made of: its points are the first ones, "
                                    "each of its segments is a chain",
                                    .files = mesh_input_files},
                                   {.word = WORD_ANGLE,
                                    AT(angle),
                                    .help = "; a smaller one is a fault (0: any)"},
                                   {.kind = OPTION_TABLE, .table = option_input},
                                   {.kind = OPTION_END}};

static void print(const mesh_check_t *c)
{
    printf("points     %" PRId64 "\nedges      %" PRId64 "\ntriangles  %" PRId64
           "\nsegments   %" PRId64 "\n",
           c->n_used, c->n_edges, c->n_triangles, c->n_segments);
    printf("components %" PRId64 "\noutlines   %" PRId64 "\n", c->n_components,
           c->n_loops);
    printf("angles     %.4f to %.4f degrees\nareas      %.6g to %.6g\n", c->min_angle,
           c->max_angle, c->min_area, c->max_area);
    for (int k = 0; k < 12; k++)
        if (c->histogram[k] > 0)
            printf("smallest angle %2d to %2d: %" PRId64 "\n", 5 * k, 5 * k + 5,
                   c->histogram[k]);
}

static status_t run(void *args)
{
    const args_t *a = args;
    mesh_data_t d = {0}, of = {0};
    mesh_check_t check;
    status_t st = mesh_data_read_all(a->input, &d);

    if (st == ST_OK && a->of != NULL)
        st = mesh_data_read(a->of, NULL, &of);
    if (st == ST_OK)
        st = mesh_check(&d, a->of != NULL ? &of : NULL, a->angle, &check);
    if (st == ST_OK) {
        print(&check);
        if (check.n_below > 0) {
            log_error("%s: %" PRId64 " triangles have an angle below %g degrees; refine "
                      "it, or give a smaller --angle",
                      a->input, check.n_below, a->angle);
            st = ST_EINPUT;
        }
    }
    mesh_data_free(&d);
    mesh_data_free(&of);
    return st;
}

const command_t cmd_mesh_check = {
    .name = "mesh check",
    .summary = "verify a mesh exactly, and print its angles",
    .words = words,
    .usage = "[options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes =
        "Verified, with exact arithmetic: triangles turn left; an edge has one or two "
        "of\n"
        "them; Euler's number; nothing overlaps; segments are edges; all others are\n"
        "Delaunay. MESH.ele lies beside MESH.node. Exit code 1: a fault, which is "
        "named.\n",
    .example = "ribogrid mesh check r.node --of m.poly --angle 30",
    .reads_results = true,
    .run = run,
};
