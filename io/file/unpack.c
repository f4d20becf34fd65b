/*
 * unpack.c - the compressed formats of this build.
 */
#include "io/file/unpack.h"

#include <string.h>
#include <strings.h>

const unpack_method_t *const unpack_methods[] = {
    &unpack_gzip,
#ifdef RIBOGRID_HAVE_BZIP2
    &unpack_bzip2,
#endif
#ifdef RIBOGRID_HAVE_LZMA
    &unpack_xz,
#endif
#ifdef RIBOGRID_HAVE_ZSTD
    &unpack_zstd,
#endif
    NULL,
};

const unpack_method_t *unpack_find(const unsigned char *data, size_t len)
{
    for (int i = 0; unpack_methods[i] != NULL; i++)
        if (unpack_methods[i]->begins(data, len))
            return unpack_methods[i];
    return NULL;
}

size_t unpack_stem(const char *path)
{
    size_t len = strlen(path);

    for (int i = 0; unpack_methods[i] != NULL; i++) {
        const char *suffix = unpack_methods[i]->suffix;
        size_t n = strlen(suffix);

        if (len >= n && strcasecmp(path + len - n, suffix) == 0)
            return len - n;
    }
    return len;
}
