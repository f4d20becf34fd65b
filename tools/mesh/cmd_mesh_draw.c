/*
 * cmd_mesh_draw.c - `ribogrid mesh draw`: a mesh as an SVG image.
 */
#include "io/base/logmsg.h"
#include "io/file/whole_file.h"
#include "io/mesh/mesh_svg.h"
#include "kernels/mesh/mesh_check.h"
#include "tools/mesh/mesh_args.h"
#include "tools/options/commands.h"
#include "tools/options/option_tables.h"

#include <stdlib.h>

typedef struct {
    job_opts_t common;
    const char *input;
} args_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t words[] = {{OPTION_INPUT, "MESH.node|MESH.poly|MESH.h5", 0,
                                  AT(input), .files = mesh_input_files},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_OUTPUT, AT(common.output), .value = "OUT.svg", .help = ": the image"},
    {.kind = OPTION_TABLE, .table = option_force},
    {.kind = OPTION_TABLE, .table = option_input},
    {.kind = OPTION_END}};

static status_t draw(const args_t *a, const mesh_data_t *d)
{
    double *angle = malloc((size_t)d->n_triangles * sizeof(*angle) + 1), max;
    whole_file_t *file;
    status_t st;

    if (angle == NULL)
        return log_nomem("a picture");
    for (int64_t k = 0; k < d->n_triangles; k++)
        angle[k] = mesh_check_angles(d, k, &max);
    st = whole_file_open(a->common.output, WHOLE_FILE_TEXT, a->common.force, &file);
    if (st == ST_OK) {
        mesh_svg_write(whole_file_stream(file), d, angle, a->input);
        st = whole_file_close(file, ST_OK);
    }
    free(angle);
    return st;
}

static status_t run(void *args)
{
    const args_t *a = args;
    mesh_data_t d = {0};
    status_t st = mesh_data_read_all(a->input, &d);

    if (st == ST_OK)
        st = draw(a, &d);
    mesh_data_free(&d);
    return st;
}

const command_t cmd_mesh_draw = {
    .name = "mesh draw",
    .summary = "a mesh as an SVG image, coloured by smallest angles",
    .words = words,
    .usage = "[-o OUT.svg] [options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes = "Without -o the image goes to stdout. MESH.ele lies beside MESH.node.\n",
    .example = "ribogrid mesh draw r.node -o r.svg",
    .reads_results = true,
    .run = run,
};
