/*
 * fuzz_mesh.c - libFuzzer target: arbitrary bytes as points, as triangles of three
 * points, and as segments with points of their own.
 */
#include "io/file/unpack.h"
#include "io/mesh/mesh_data.h"
#include "tests/support/fuzz_file.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* A few bytes may declare billions of points, which need memory. */
enum { DIGITS_MAX = 4, LEN_MAX = 4096 };

static bool has_long_number(const uint8_t *data, size_t len)
{
    int n_digits = 0;

    for (size_t i = 0; i < len && n_digits <= DIGITS_MAX; i++)
        n_digits = isdigit(data[i]) ? n_digits + 1 : 0;
    return n_digits > DIGITS_MAX;
}

static void check(const mesh_data_t *d)
{
    for (int64_t k = 0; k < 2 * d->n_segments; k++)
        if (d->segment[k / 2][k % 2] < 0 || d->segment[k / 2][k % 2] >= d->n_points)
            abort();
    for (int64_t k = 0; k < 3 * d->n_triangles; k++)
        if (d->triangle[k / 3][k % 3] < 0 || d->triangle[k / 3][k % 3] >= d->n_points)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static status_t (*const read[])(const char *,
                                    mesh_data_t *) = {mesh_data_read_points,
                                                      mesh_data_read_triangles,
                                                      mesh_data_read_segments};
    char path[64];
    int fd;

    if (len > LEN_MAX || has_long_number(data, len) || unpack_find(data, len) != NULL)
        return 0;
    fd = fuzz_file(data, len, path);
    for (int k = 0; k < 3; k++) {
        mesh_data_t d = {.first_id = 1, .n_points = k == 1 ? 3 : 0};
        status_t st;

        fuzz_quiet();
        st = read[k](path, &d);
        fuzz_loud();
        if (st == ST_OK)
            check(&d);
        else if (st != ST_EINPUT)
            abort();
        mesh_data_free(&d);
    }
    close(fd);
    return 0;
}
