/*
 * svg_png.c - writes a palette PNG with one IDAT chunk, in base64.
 */
#include "io/report/svg_draw.h"

#include "io/base/buf.h"
#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { COLOR_TYPE_PALETTE = 3, PALETTE_MAX = 256 };

static void put_uint32(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (24 - 8 * i));
}

/* Append a chunk: length, type, data, CRC of type and data. */
static status_t add_chunk(buf_t *png, const char *type, const void *data, size_t len)
{
    unsigned char *at;
    status_t st = buf_reserve(png, len + 12);

    if (st != ST_OK)
        return st;
    at = png->data + png->len;
    put_uint32(at, (uint32_t)len);
    memcpy(at + 4, type, 4);
    memcpy(at + 8, data, len);
    put_uint32(at + 8 + len, (uint32_t)crc32(0, at + 4, (uInt)len + 4));
    png->len += len + 12;
    return ST_OK;
}

static status_t add_palette(buf_t *png, const svg_rgba_t *palette, int n_colors)
{
    unsigned char colors[3 * PALETTE_MAX], alphas[PALETTE_MAX];
    status_t st;

    for (int i = 0; i < n_colors; i++) {
        memcpy(colors + 3 * i, &palette[i], 3);
        alphas[i] = palette[i].alpha;
    }
    st = add_chunk(png, "PLTE", colors, 3 * (size_t)n_colors);
    return st == ST_OK ? add_chunk(png, "tRNS", alphas, (size_t)n_colors) : st;
}

/* Append the image data.  Each line of pixels starts with its filter type, 0. */
static status_t add_cells(buf_t *png, const uint8_t *cells, int width, int height)
{
    size_t row_bytes = (size_t)width + 1, len = row_bytes * (size_t)height;
    uLongf packed_len = compressBound(len);
    unsigned char *rows = malloc(len), *packed = malloc(packed_len);
    status_t st = ST_ENOMEM;

    if (rows == NULL || packed == NULL) {
        log_nomem("a picture");
        goto done;
    }
    for (int y = 0; y < height; y++) {
        rows[row_bytes * (size_t)y] = 0;
        memcpy(rows + row_bytes * (size_t)y + 1, cells + (size_t)y * (size_t)width,
               (size_t)width);
    }
    if (compress2(packed, &packed_len, rows, len, Z_BEST_COMPRESSION) != Z_OK)
        log_nomem("a picture");
    else
        st = add_chunk(png, "IDAT", packed, packed_len);
done:
    free(rows);
    free(packed);
    return st;
}

static void write_base64(FILE *to, const unsigned char *data, size_t len)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < len; i += 3) {
        uint32_t three = (uint32_t)data[i] << 16;

        three |= i + 1 < len ? (uint32_t)data[i + 1] << 8 : 0;
        three |= i + 2 < len ? (uint32_t)data[i + 2] : 0;
        putc(digits[three >> 18], to);
        putc(digits[three >> 12 & 63], to);
        putc(i + 1 < len ? digits[three >> 6 & 63] : '=', to);
        putc(i + 2 < len ? digits[three & 63] : '=', to);
    }
}

status_t svg_png_write(FILE *to, const uint8_t *cells, int width, int height,
                       const svg_rgba_t *palette, int n_colors)
{
    static const char signature[] = "\x89PNG\r\n\x1a\n";
    unsigned char head[13] = {[8] = 8 /* bit depth */, [9] = COLOR_TYPE_PALETTE};
    buf_t png = {0};
    status_t st = buf_append(&png, signature, 8);

    put_uint32(head, (uint32_t)width);
    put_uint32(head + 4, (uint32_t)height);
    if (st == ST_OK)
        st = add_chunk(&png, "IHDR", head, sizeof(head));
    if (st == ST_OK)
        st = add_palette(&png, palette, n_colors);
    if (st == ST_OK)
        st = add_cells(&png, cells, width, height);
    if (st == ST_OK)
        st = add_chunk(&png, "IEND", "", 0);
    if (st == ST_OK) {
        fputs("data:image/png;base64,", to);
        write_base64(to, png.data, png.len);
    }
    buf_free(&png);
    return st;
}
