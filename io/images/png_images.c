/*
 * png_images.c - reads PNG by libpng, from memory, so that packed files are read, too.
 */
#include "io/images/image_read.h"

#include "io/base/buf.h"
#include "io/base/logmsg.h"
#include "io/base/memory_limit.h"
#include "io/file/packed_input.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

bool png_images_are(const uint8_t magic[IMAGE_MAGIC_BYTES])
{
    return png_sig_cmp(magic, 0, IMAGE_MAGIC_BYTES) == 0;
}

enum { WHY_BYTES = 128 };

/* What is read; in memory that a longjmp leaves alone. */
typedef struct {
    const char *path;
    buf_t bytes;
    size_t at;
    char why[WHY_BYTES];
    png_structp png;
    png_infop info;
    png_bytep *row; /* [height] */
    image_set_t set;
} reader_t;

static void fail(png_structp png, const char *why)
{
    reader_t *r = png_get_error_ptr(png);

    snprintf(r->why, sizeof(r->why), "%s", why);
    png_longjmp(png, 1);
}

static void ignore(png_structp png, const char *why)
{
    (void)png;
    (void)why;
}

static void get(png_structp png, png_bytep to, size_t len)
{
    reader_t *r = png_get_io_ptr(png);

    if (len > r->bytes.len - r->at)
        png_error(png, "it ends too early");
    memcpy(to, r->bytes.data + r->at, len);
    r->at += len;
}

static status_t check_kind(const reader_t *r)
{
    const int colour = png_get_color_type(r->png, r->info);
    const int bits = png_get_bit_depth(r->png, r->info);
    const char *what = (colour & PNG_COLOR_MASK_COLOR) != 0 ? "is a colour image"
                       : colour != PNG_COLOR_TYPE_GRAY      ? "has an alpha channel"
                       : bits > 8                           ? "has 16 bits"
                                                            : NULL;

    return what == NULL ? ST_OK
                        : log_refusal(r->path, "give a gray image of 8 bits",
                                      "the image %s", what);
}

/* @return ST_OK or an error (logged), after png_read_info */
static status_t begin_image(reader_t *r)
{
    const png_uint_32 width = png_get_image_width(r->png, r->info);
    const png_uint_32 height = png_get_image_height(r->png, r->info);
    const double n = (double)width * (double)height;
    status_t st = check_kind(r);

    if (st != ST_OK || (st = memory_limit_check(n, "give a smaller image", "%s: %u x %u",
                                                r->path, width, height)) != ST_OK)
        return st;
    r->set = (image_set_t){.n = 1, .size = {1, (int)height, (int)width}};
    r->set.bytes = malloc((size_t)width * height);
    r->row = malloc(height * sizeof(*r->row));
    if (r->set.bytes == NULL || r->row == NULL)
        return log_nomem("an image");
    for (png_uint_32 y = 0; y < height; y++)
        r->row[y] = r->set.bytes + (size_t)y * width;
    return ST_OK;
}

/* @return whether libpng did not fail; *st: what came of the rest */
static bool read_image(reader_t *r, status_t *st)
{
    if (setjmp(png_jmpbuf(r->png)) != 0)
        return false;
    png_set_read_fn(r->png, r, get);
    png_set_user_limits(r->png, IMAGE_SIDE_MAX, IMAGE_SIDE_MAX);
    png_set_crc_action(r->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_read_info(r->png, r->info);
    if ((*st = begin_image(r)) != ST_OK)
        return true;
    png_set_expand_gray_1_2_4_to_8(r->png);
    png_set_interlace_handling(r->png);
    png_read_update_info(r->png, r->info);
    png_read_image(r->png, r->row);
    png_read_end(r->png, NULL);
    return true;
}

status_t png_images_read(const char *path, image_set_t *out)
{
    reader_t *r = calloc(1, sizeof(*r));
    status_t st;

    *out = (image_set_t){.n = 0};
    if (r == NULL)
        return log_nomem("an image");
    r->path = path;
    st = packed_input_read_file(path, &r->bytes);
    if (st == ST_OK) {
        r->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, r, fail, ignore);
        r->info = r->png != NULL ? png_create_info_struct(r->png) : NULL;
        if (r->info == NULL)
            st = log_nomem("an image");
    }
    if (st == ST_OK && !read_image(r, &st))
        st = log_refusal(path, "copy it again", "damaged PNG: %s", r->why);
    if (st == ST_OK)
        *out = r->set;
    else
        image_set_free(&r->set);
    png_destroy_read_struct(&r->png, &r->info, NULL);
    buf_free(&r->bytes);
    free(r->row);
    free(r);
    return st;
}
