/*
 * pairs_state.c - what dense files and files of hits have in common when they are opened.
 */
#include "io/pairs/pairs_state.h"

#include "io/base/logmsg.h"
#include "io/hdf5/h5text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* Enough for a row of pairs across a hundred tiles. */
enum { TEXT_CACHE_BYTES = 64 << 20, REASON_BYTES = 512 };

status_t pairs_refuse(const char *path, const char *what, ...)
{
    char reason[REASON_BYTES];
    va_list args;

    va_start(args, what);
    vsnprintf(reason, sizeof(reason), what, args);
    va_end(args);
    log_error("%s: %s; give a file that `ribogrid align` wrote", path, reason);
    return ST_EINPUT;
}

status_t pairs_read_text(const pairs_file_t *f, const char *name, char **out)
{
    *out = h5text_get(f->h5->file, name);
    if (*out != NULL || H5Aexists(f->h5->file, name) == 0)
        return ST_OK;
    return pairs_refuse(f->path, "its attribute %s is not a text", name);
}

status_t pairs_read_side(const pairs_file_t *f, const char *group, int64_t n,
                         pairs_side_t *out)
{
    char path[64];

    snprintf(path, sizeof(path), "/%s/names", group);
    out->names = h5text_get_array(f->h5->file, path, n, &out->n);
    if (out->names == NULL)
        return ST_EINPUT;
    if (out->n > INT32_MAX)
        return pairs_refuse(f->path, "it has more than 2^31 - 1 sequences");
    snprintf(path, sizeof(path), "/%s/lengths", group);
    out->lengths = h5data_get(f->h5->file, path, H5T_NATIVE_INT32, out->n, NULL);
    if (out->lengths == NULL)
        return ST_EINPUT;
    for (int64_t i = 0; i < out->n; i++)
        if (out->lengths[i] < 0)
            return pairs_refuse(f->path, "%s: sequence %" PRId64 " has %" PRId32 " %s",
                                path, i + 1, out->lengths[i],
                                alphabet_letters[f->alphabet]);
    return ST_OK;
}

/* CIGARs are read row by row of the matrix: each row touches every tile of a row. */
h5data_t *pairs_open_text(const pairs_file_t *f)
{
    return h5data_open(f->h5->file, "/cigar",
                       &(h5data_want_t){.rank = 1,
                                        .memory_type = H5T_NATIVE_UINT8,
                                        .cache_bytes = TEXT_CACHE_BYTES});
}
