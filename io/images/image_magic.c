/*
 * image_magic.c - the first bytes of a file, by which its format is recognised.
 */
#include "io/images/image_read.h"

#include "io/file/packed_input.h"

#include <string.h>
#include <sys/stat.h>

status_t image_magic_read(const char *path, uint8_t magic[IMAGE_MAGIC_BYTES])
{
    packed_input_t *in;
    struct stat info;
    size_t n = 0;
    status_t st;

    memset(magic, 0, IMAGE_MAGIC_BYTES);
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) /* its reader says more */
        return ST_OK;
    if ((st = packed_input_open(path, &in)) != ST_OK)
        return st;
    st = packed_input_read(in, magic, IMAGE_MAGIC_BYTES, &n);
    packed_input_close(in);
    return st;
}
