/*
 * test_gray_images.c - PGM and PNG: values, and what is refused.
 */
#include "tests/support/unit_test.h"

#include "io/images/image_read.h"
#include "tests/support/captured_log.h"

#include <arpa/inet.h>
#include <zlib.h>

static char path[PATH_BYTES];

static void put(const void *bytes, size_t len)
{
    dir_file("image", path);
    dir_put(path, bytes, len);
}

static void refused(const char *reason)
{
    const image_read_t what = {.path = path};
    image_set_t set;

    capture_start();
    assert_int_equal(image_read(&what, &set), ST_EINPUT);
    capture_stop();
    assert_logged(reason);
    assert_logged_one_line();
}

static void assert_image(int64_t n, int height, int width, const uint8_t *want)
{
    const image_read_t what = {.path = path};
    image_set_t set;

    assert_int_equal(image_read(&what, &set), ST_OK);
    assert_int_equal(set.n, n);
    assert_int_equal(set.size[0], 1);
    assert_int_equal(set.size[1], height);
    assert_int_equal(set.size[2], width);
    assert_memory_equal(set.bytes, want, (size_t)(n * height * width));
    image_set_free(&set);
}

/* ---- PGM ---- */

static void pgm_has_images_of_one_size(void **state)
{
    static const char two[] = "P5\n2 3\n# why not\n255\nabcdefP5 2 3 255 ghijkl\n";
    static const char letters[] = "P2 3 1 15 0\n# 7 is no comment here\n";

    (void)state;
    put(two, sizeof(two) - 1);
    assert_image(2, 3, 2, (const uint8_t *)"abcdefghijkl");
    put("P2 3 1\n15\n0 7\n15", 16);
    assert_image(1, 1, 3, (const uint8_t[]){0, 119, 255});
    put(letters, sizeof(letters) - 1);
    refused("image 1 has a value that is no number; copy it again");
}

static void other_pgm_is_refused(void **state)
{
    static const struct {
        const char *text, *reason;
    } rows[] = {
        {"P6 1 1 255 abc",
         "image 1 is a colour image (PPM); give a gray image of 8 bits"},
        {"P4 8 1 a", "image 1 is a bitmap (PBM)"},
        {"P7\nWIDTH 1", "image 1 is an image of another kind (PAM)"},
        {"P5 1 1 65535 ab", "image 1 has 16 bits: values up to 65535"},
        {"P5 0 4 255 ", "image 1 is empty"},
        {"P5 4 4 0 ", "the maximum of image 1 is 0"},
        {"P5 4", "the head of image 1 has no width, height and maximum"},
        {"P5 4 4 255", "the head of image 1 has no width, height and maximum"},
        {"P5 -4 4 255 ", "the head of image 1 has no width, height and maximum"},
        {"P5 2 2 255 abc", "image 1 is cut off; copy it again"},
        {"P2 2 2 255 1 2 3", "image 1 is cut off"},
        {"P2 2 1 7 1 8", "image 1 has a value above its maximum"},
        {"P5 1 1 255 aP5 1 2 255 ab", "image 2 is 1 x 2, and the first one 1 x 1"},
        {"P5 1 1 255 a>seq", "what follows image 1 is no image"},
        {"P5 999999999 1 255 ", "image 1 is 999999999 x 1, and sides are limited to"},
    };

    (void)state;
    for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
        put(rows[k].text, strlen(rows[k].text));
        refused(rows[k].reason);
    }
}

/* ---- PNG ---- */

static size_t add_chunk(unsigned char *to, const char *type, const void *data, size_t len)
{
    const uint32_t n = htonl((uint32_t)len);
    uint32_t crc;

    memcpy(to, &n, 4);
    memcpy(to + 4, type, 4);
    memcpy(to + 8, data, len);
    crc = htonl((uint32_t)crc32(0, to + 4, (unsigned)len + 4));
    memcpy(to + 8 + len, &crc, 4);
    return len + 12;
}

/* @return the bytes of a PNG. @param rows  [n] each with its filter in front */
static size_t make_png(uint32_t width, uint32_t height, int bits, int colour,
                       const char *rows, size_t n, unsigned char to[512])
{
    uint32_t size[2] = {htonl(width), htonl(height)};
    unsigned char head[13] = {0}, packed[256];
    uLongf n_packed = sizeof(packed);
    size_t len = 8;

    memcpy(head, size, sizeof(size));
    head[8] = (unsigned char)bits;
    head[9] = (unsigned char)colour;
    assert_int_equal(compress(packed, &n_packed, (const unsigned char *)rows, n), Z_OK);
    memcpy(to, "\x89PNG\r\n\x1a\n", 8);
    len += add_chunk(to + len, "IHDR", head, sizeof(head));
    len += add_chunk(to + len, "IDAT", packed, n_packed);
    return len + add_chunk(to + len, "IEND", "", 0);
}

static bool has_png(void)
{
    unsigned char png[512];
    const image_read_t what = {.path = path};
    image_set_t set;
    status_t st;

    put(png, make_png(1, 1, 8, 0, "\0a", 2, png));
    capture_start();
    st = image_read(&what, &set);
    capture_stop();
    if (st == ST_OK)
        image_set_free(&set);
    else
        assert_logged("PNG, which this build does not read; convert it to PGM");
    return st == ST_OK;
}

static void png_is_read_exactly(void **state)
{
    unsigned char png[512];

    (void)state;
    if (!has_png())
        skip();
    put(png, make_png(3, 2, 8, 0, "\0abc\0def", 8, png));
    assert_image(1, 2, 3, (const uint8_t *)"abcdef");
    put(png, make_png(4, 1, 2, 0, "\0\x1b", 2, png));
    assert_image(1, 1, 4, (const uint8_t[]){0, 85, 170, 255});
}

static void other_png_is_refused(void **state)
{
    unsigned char png[512];
    size_t len;

    (void)state;
    if (!has_png())
        skip();
    put(png, make_png(1, 1, 8, 2, "\0abc", 4, png));
    refused("the image is a colour image; give a gray image of 8 bits");
    put(png, make_png(1, 1, 8, 4, "\0ab", 3, png));
    refused("the image has an alpha channel");
    put(png, make_png(1, 1, 16, 0, "\0ab", 3, png));
    refused("the image has 16 bits");
    put(png, make_png(0, 1, 8, 0, "\0", 1, png));
    refused("damaged PNG: ");
    put(png, make_png(2, 3, 8, 0, "\0ab", 3, png));
    refused("damaged PNG: ");
    len = make_png(3, 2, 8, 0, "\0abc\0def", 8, png);
    for (size_t k = 8; k < len; k++) { /* every cut */
        put(png, k);
        refused("damaged PNG: ");
    }
    png[len - 20] ^= 1; /* in the pixels: their sum is wrong */
    put(png, len);
    refused("damaged PNG: ");
}

static int remove_all(void **state)
{
    unlink(path);
    return dir_remove(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pgm_has_images_of_one_size),
        cmocka_unit_test(other_pgm_is_refused),
        cmocka_unit_test(png_is_read_exactly),
        cmocka_unit_test(other_png_is_refused),
    };

    return cmocka_run_group_tests(tests, dir_make, remove_all);
}
