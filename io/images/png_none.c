/*
 * png_none.c - stands for png_images.c in builds without libpng: PNG is recognised, and
 * refused.
 */
#include "io/images/image_read.h"

#include "io/base/logmsg.h"

#include <string.h>

bool png_images_are(const uint8_t magic[IMAGE_MAGIC_BYTES])
{
    return memcmp(magic, "\x89PNG\r\n\x1a\n", IMAGE_MAGIC_BYTES) == 0;
}

status_t png_images_read(const char *path, image_set_t *out)
{
    *out = (image_set_t){.n = 0};
    return log_refusal(path, "convert it to PGM, or build with libpng-dev",
                       "PNG, which this build does not read");
}
